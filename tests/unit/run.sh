#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Builds and runs every *_test.c here: a new one needs no registration.
. "$(dirname "$0")/../lib.sh"
. "$root/tests/unit/library.sh"

build_library
for source in "$root"/tests/unit/*_test.c; do
    name=$(basename "$source" .c)
    build_program "$name" "$source" -lcyaml -lyaml && run_program "$name"
done
finish
