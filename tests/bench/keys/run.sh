#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [quick|instructions] - what a key costs beside reading the same metadata once, and beside a loop over a description
# (keys.c); in time, or in instructions of a call, which valgrind counts.
. "$(dirname "$0")/../../lib.sh"
set -eu
here=$root/tests/bench/keys
awk -v what=yaml -f "$here/keys.awk" >"$scratch/graph.yaml"
awk -v what=c -f "$here/keys.awk" >"$scratch/contests.h"
"$WRAPGEN" --in "$scratch/graph.yaml" --out "$scratch/wrappers.c" --header "$scratch/wrappers.h"
# shellcheck disable=SC2086 # flags
$CC -std=c11 -O2 -Wall -Wextra $EXTRA -I"$root/templates/core" -I"$root/templates/hosts/native" -I"$scratch" \
    -o "$scratch/keys" "$here/keys.c" "$scratch/wrappers.c" "$root"/templates/core/*.c "$root"/templates/hosts/native/*.c -lm
if [ "${1-}" != instructions ]; then
    "$scratch/keys" ${1+quick}
    exit
fi

count() { # RANK CONTESTANT CALLS
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$scratch/keys" "$@" 2>&1 | awk '/Collected/ { print $4 }'
}

printf '%4s %7s | %7s %7s %7s %7s %7s | %7s %7s %7s %7s %7s   (instructions, the call and the sum of the benchmark among them)\n' \
    rank floor static +hash last found loop dynamic +hash last found loop
for rank in 1 2 3 4 5; do
    printf '%4d' "$rank"
    for contestant in 0 1 2 3 4 5 6 7 8 9 10; do
        [ $((contestant % 5)) -eq 1 ] && printf ' |'
        printf ' %7d' $((($(count "$rank" "$contestant" 3000) - $(count "$rank" "$contestant" 1000)) / 2000))
    done
    printf '\n'
done
