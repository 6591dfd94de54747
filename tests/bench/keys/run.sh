#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [quick|instructions] - what a key costs, compared with reading the same metadata once and with a loop over a description (keys.c);
# in time, or in instructions of a call, which valgrind counts.
#
# Results: a table here, $BUILD/bench/keys.json, $BUILD/bench/keys.svg.
. "$(dirname "$0")/../../lib.sh"
set -eu
here=$root/tests/bench/keys
awk -v what=yaml -f "$here/keys.awk" >"$scratch/graph.yaml"
awk -v what=c -f "$here/keys.awk" >"$scratch/contests.h"
"$WRAPGEN" --in "$scratch/graph.yaml" --out "$scratch/wrappers.c" --header "$scratch/wrappers.h"
# shellcheck disable=SC2086 # flags
$CC -std=c11 -O2 -Wall -Wextra $EXTRA -I"$root/templates/core" -I"$root/templates/hosts/native" -I"$scratch" \
    -o "$scratch/keys" "$here/keys.c" "$scratch/wrappers.c" "$root"/templates/core/*.c "$root"/templates/hosts/native/*.c -lm
out=$BUILD/bench
mkdir -p "$out"
report() { # UNIT: of the rows on standard input
    awk -v unit="$1" -v json="$out/keys.json" -v svg="$out/keys.svg" -f "$here/report.awk"
}
if [ "${1-}" != instructions ]; then
    "$scratch/keys" ${1+quick} | report ns
    exit
fi

count() { # RANK TENSORS CONTESTANT CALLS
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$scratch/keys" "$@" 2>&1 | awk '/Collected/ { print $4 }'
}

# The call and the sum of the benchmark are among what is counted.
awk -v what=cases -f "$here/keys.awk" | while read -r rank tensors; do
    for contestant in 0 1 2 3 4 5 6 7 8 9 10 11 12; do
        more=$(count "$rank" "$tensors" "$contestant" 3000) less=$(count "$rank" "$tensors" "$contestant" 1000)
        echo "key $rank $tensors $contestant $(((more - less) / 2000))"
    done
done | report instructions
