#!/bin/sh
# SPDX-License-Identifier: MIT
#
# alike.sh [GRAPHS] - what a hundred graphs cost that differ in names only, because they share their functions: an optimizer's
# step, a training graph, one with subclasses. In `named` their inputs and outputs have other names too, as in the layers of a
# model. For comparison, the same graphs in files that differ in an unused symbol, so that they share nothing.
#
# Prints bytes of C and of the header, kilobytes of machine code, and seconds of the compiler; ratios are within this run. What a
# call of shared code costs: SHARED=1 sh tests/bench/overhead/run.sh, compared with a run without SHARED.
. "$(dirname "$0")/../lib.sh"
set -eu
graphs=${1:-100}
folder=$BUILD/bench/alike
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"

# The first graph of a file, under numbers FROM to TO; with a symbol of its own if ALONE is 1, with names of its own if NAMED is.
repeated() { # YAML FROM TO ALONE NAMED
    awk -v from="$2" -v to="$3" -v alone="$4" -v named="${5:-0}" '
        /^graphs:/ { print; on = 1; next }
        on == 1 && /^[a-z]/ { on = 2 }
        on != 1 { if (alone && /^symbols:/) { print; print "  - {name: only_" from "}"; has = 1 } else print; next }
        /^  - / { count++ }
        count == 1 { lines[++num] = $0 }
        END {
            for (i = from; i <= to; i++) for (k = 1; k <= num; k++) {
                line = lines[k]
                if (line ~ /^  - name: /) line = line "_" i
                else if (named) gsub(/(name|of|base): [A-Za-z_0-9]+/, "&_" i, line)
                if (match(line, /compiled: [A-Za-z_0-9]+/))
                    line = substr(line, 1, RSTART + RLENGTH - 1) "_" i substr(line, RSTART + RLENGTH)
                print line
            }
            if (alone && !has) print "symbols: [{name: only_" from "}]"
        }' "$1"
}

seconds() { # FILE: of the compiler, user and system
    # shellcheck disable=SC2086 # flags
    (sh -c "$CC -std=c11 -O2 -I$root/templates/core -I$root/templates/hosts/native $EXTRA -c -o $1.o $1" && times) | tail -n 1 |
        sed 's/[ms]/ /g' | awk '{ printf "%.2f\n", $1 * 60 + $2 + $3 * 60 + $4 }'
}

printf '%-20s %10s %10s %10s %10s\n' "$graphs graphs" 'bytes of C' header 'code, KB' 'compiler s'
for example in mlp_step mlp two_tensor; do
    repeated "$root/examples/$example/graph.yaml" 1 "$graphs" 0 >alike.yaml
    set --
    for i in $(seq "$graphs"); do
        repeated "$root/examples/$example/graph.yaml" "$i" "$i" 1 >"alone_$i.yaml"
        set -- "$@" "alone_$i.yaml"
    done
    "$WRAPGEN" "$@" --out alone.c --header alone.h
    "$WRAPGEN" alike.yaml --out alike.c --header alike.h
    repeated "$root/examples/$example/graph.yaml" 1 "$graphs" 0 1 >named.yaml
    "$WRAPGEN" named.yaml --out named.c --header named.h
    for kind in alone alike named; do
        took=$(seconds $kind.c)
        echo "$example $kind $(wc -c <$kind.c) $(wc -c <$kind.h) $(size $kind.c.o | awk 'NR == 2 { print $1 + $2 }') $took"
    done
done | awk '
    { printf "%-20s %10d %10d %10d %10.2f\n", $1 " " $2, $3, $4, $5 / 1024, $6 }
    $2 == "alone" { for (i = 3; i <= 6; i++) last[i] = $i }
    $2 != "alone" {
        printf "%-20s", ""
        for (i = 3; i <= 6; i++) printf " %10.3f", $i / last[i]
        print ""
    }'
