#!/bin/sh
# SPDX-License-Identifier: MIT
#
# overlaps.sh [ROUNDS] - what the overlap tests of `check: full` cost a call with 2, 10, 100 and 1,000 inputs, all of them written,
# compared with the same graph at `check: cheap`; contestants take turns, and processor time counts, not wall-clock time. The inputs are
# separate, or columns or blocks of one matrix, whose byte ranges meet, or such that each has to be compared with each.
#
# Prints a table: nanoseconds for each input that the tests add, and bytes of C for each input that they add.
. "$(dirname "$0")/../lib.sh"
set -eu
folder=$BUILD/bench/overlaps
mkdir -p "$folder"
cd "$folder"

graph() { # LEVEL N
    echo "  - {name: $1_$2, mode: inference, compiled: kernel, check: $1, outputs: [], inputs: ["
    awk -v n="$2" 'BEGIN { for (i = 0; i < n; i++) printf "      {name: x%d, mutates_data: true},\n", i }'
    echo '    ]}'
}

bytes_of() { # LEVEL N
    { printf 'wrapgen: 1\ngraphs:\n' && graph "$1" "$2"; } >one.yaml
    "$WRAPGEN" --in one.yaml --out one.c
    wc -c <one.c
}

: >bytes.inc
{
    printf 'wrapgen: 1\ngraphs:\n'
    for n in 2 10 100 1000; do
        graph cheap $n
        graph full $n
        echo "{$n, cheap_${n}_boxed, full_${n}_boxed, $((($(bytes_of full $n) - $(bytes_of cheap $n)) / n))}," >>bytes.inc
    done
} >overlaps.yaml
"$WRAPGEN" --in overlaps.yaml --out wrappers.c --header wrappers.h
# shellcheck disable=SC2086 # flags
$CC -std=c11 -O2 -D_POSIX_C_SOURCE=200809L $EXTRA -I"$root/templates/core" -I"$root/templates/hosts/native" -I. -o run \
    "$root/tests/bench/overlaps.c" wrappers.c "$root"/templates/core/*.c "$root"/templates/hosts/native/*.c -lm -lpthread
./run "${1:-101}"
