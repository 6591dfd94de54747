#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The examples that are programs of their own check their results themselves; here they are run, each in a test of its own.
. "$(dirname "$0")/lib.sh"
cd "$root" || exit 1

for main in examples/*/main.c; do
    name=$(basename "$(dirname "$main")")
    [ ! -f "examples/$name/graph.yaml" ] && [ ! -f "examples/$name/uses" ] || check "$name computes what it should" sh examples/run.sh "$name"
done
check 'there are such examples' test "$passed" -gt 0
finish
