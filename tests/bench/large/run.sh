#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [quick] - what the C of a large graph costs to build: bytes and compiler seconds (-O2) for each input, of graphs with 100
# and with 1,000 inputs (yaml.awk), and how much more an input costs in the larger one. Seconds are of the processor, the
# least of some rounds in which all of them take turns.
#
# Results: a table here, $BUILD/bench/large.json, $BUILD/bench/large.svg.
. "$(dirname "$0")/../../lib.sh"
set -eu
here=$root/tests/bench/large
out=$BUILD/bench/large
mkdir -p "$out"
rounds=5
[ "${1-}" != quick ] || rounds=1
kinds='plain optimizer training subclass' sizes='100 1000'

compile() { # CASE
    # shellcheck disable=SC2086 # flags
    $CC -std=c11 -O2 $EXTRA -I"$root/templates/core" -I"$root/templates/hosts/native" -I"$out" -c -o "$out/$1.o" "$out/$1.c"
}

cpu_seconds() { # COMMAND...: user and system seconds of the children
    ("$@" && times) | tail -n 1 | sed 's/[ms]/ /g' | awk '{ printf "%.2f\n", $1 * 60 + $2 + $3 * 60 + $4 }'
}

rows=$out/rows
: >"$rows"
for kind in $kinds; do
    for n in $sizes; do
        awk -v kind="$kind" -v n="$n" -f "$here/yaml.awk" >"$out/$kind$n.yaml"
        "$WRAPGEN" --in "$out/$kind$n.yaml" --out "$out/$kind$n.c" --header "$out/$kind$n.h"
        echo "bytes $kind $n $(wc -c <"$out/$kind$n.c") $(wc -c <"$out/$kind$n.h")" >>"$rows"
    done
done
for round in $(seq $rounds); do
    for kind in $kinds; do
        for n in $sizes; do
            echo "seconds $kind $n $(cpu_seconds compile "$kind$n") $round" >>"$rows"
        done
    done
done
awk -v json="$BUILD/bench/large.json" -v svg="$BUILD/bench/large.svg" -f "$here/report.awk" "$rows"
