#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Generates, compiles and runs tests/exec/<case>: graph.yaml with a main.c that prints TAP lines and ends with
# `N passed, N failed, N skipped`. Generated source is compiled under the strict flags of the interface contract, and its
# header from C++17 where there is a C++ compiler (none is looked for where CXX is empty). It runs once more in three parts
# (--split). A case is a folder; nothing is registered.
#
# Environment: WRAPGEN, BUILD, CC, CXX, EXTRA (more flags, such as sanitizers'), RUNNER (what runs programs for another machine).
set -u
cd "$(dirname "$0")/../.." || exit 2
WRAPGEN=${WRAPGEN:-$PWD/build/wrapgen}
BUILD=${BUILD:-$PWD/build}
CC=${CC:-cc}
CXX=${CXX-c++}
EXTRA=${EXTRA:-}
STRICT='-std=c11 -O1 -g -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wcast-qual -Wstrict-prototypes -Wvla -Werror'
passed=0
failed=0
skipped=0

say() { # say OK NAME
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
        echo "ok - $2"
    else
        failed=$((failed + 1))
        echo "not ok - $2"
    fi
}

generate_case() { # FOLDER SOURCE... : what comes of it, in $out, as `name`
    folder=$1
    shift
    # shellcheck disable=SC2086
    "$WRAPGEN" --in "$folder/graph.yaml" --out "$out/wrappers.c" --header "$out/wrappers.h" $split
    say $? "$name: generates"
    # shellcheck disable=SC2086
    $CC $STRICT $EXTRA -Itemplates/core -Itemplates/hosts/native -I"$out" -o "$out/run" \
        "$folder/main.c" "$@" "$BUILD"/tests/exec/host/*.o -lm
    say $? "$name: compiles under the strict flags"
}

run_case() { # FOLDER
    name=$(basename "$1")
    out=$BUILD/tests/exec/$name
    split=
    mkdir -p "$out"
    generate_case "$1" "$out/wrappers.c"
    if [ -z "$CXX" ]; then
        : # who asks for none has seen the headers elsewhere
    elif command -v "$CXX" >/dev/null 2>&1; then
        echo '#include "wrappers.h"' >"$out/header.cc"
        "$CXX" -std=c++17 -Wall -Wextra -Wpedantic -Werror -Itemplates/core -I"$out" -fsyntax-only "$out/header.cc"
        say $? "$name: the header is C++17"
    else
        skipped=$((skipped + 1))
        echo "ok - $name: the header is C++17 # SKIP there is no C++ compiler"
    fi
    run_program
    name="$name in parts" out=$BUILD/tests/exec/$name/parts
    split='--split 3 -Wno-refused -Wno-uncovered -Wno-overlap'
    mkdir -p "$out"
    generate_case "$1" "$out/wrappers.0.c" "$out/wrappers.1.c" "$out/wrappers.2.c"
    run_program
}

run_program() { # $out/run, as `name`
    # shellcheck disable=SC2086
    ${RUNNER-} "$out/run" >"$out/log" 2>&1
    status=$?
    line=$(tail -n 1 "$out/log")
    counts=$(echo "$line" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p')
    if [ -z "$counts" ]; then
        cat "$out/log"
        say 1 "$name: ended with status $status and no closing line"
        return
    fi
    grep -v '^ok' "$out/log" | grep -v 'passed,.*failed'
    set -- $counts
    passed=$((passed + $1))
    failed=$((failed + $2))
    skipped=$((skipped + $3))
    say "$status" "$name: runs"
}

# The host is the same for all cases.
rm -rf "$BUILD/tests/exec/host"
mkdir -p "$BUILD/tests/exec/host"
for source in templates/core/*.c templates/hosts/native/*.c; do
    # shellcheck disable=SC2086
    $CC $STRICT $EXTRA -Itemplates/core -Itemplates/hosts/native -c -o "$BUILD/tests/exec/host/$(basename "$source" .c).o" "$source" ||
        say 1 "$source compiles under the strict flags"
done

for folder in tests/exec/*/; do
    run_case "${folder%/}"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
