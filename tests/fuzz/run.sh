#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs every *_fuzz.c as a program of its own, with sanitizers: COUNT inputs (default 20000) made from SEED (default 1), the
# same ones each time. Those that need a corpus get it from the files named after them. The whole tool has its own: pipeline/run.sh.
#
#     tests/fuzz/run.sh [COUNT [SEED]]
#
# With libFuzzer instead, until you stop it: make VARIANT=fuzz, then link one of them with clang -fsanitize=fuzzer,address,undefined.
. "$(dirname "$0")/../lib.sh"
. "$root/tests/unit/library.sh"

EXTRA='-fsanitize=address,undefined -fno-sanitize-recover=all'
BUILD=$BUILD/fuzz
programs=$BUILD/tests/programs
library=$BUILD/libwrapgen.a
export EXTRA BUILD

cd "$root" || exit 1
build_library
for source in tests/fuzz/*_fuzz.c; do
    name=$(basename "$source" .c)
    build_program "$name" "$source" -DFUZZ_MAIN -lcyaml -lyaml &&
        run_program "$name" "${1:-20000}" "${2:-1}" tests/fuzz/load/*.yaml tests/errors/*/*.yaml examples/*/graph.yaml
done
finish
