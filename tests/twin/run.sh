#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A run whose twin renders half of the graphs on another processor (gen/program_items.c) writes and reports what one without
# a twin does: all golden cases, examples and errors, and a large file; in one file, with a header, in parts, and with an output that
# is too long (twin.c). Most cases have a graph or two, so each graph comes seven times, six of them under another name.
#
# RUN stands before the program, with every eleventh case only: valgrind, which says whether the two threads write what the other one
# reads.
. "$(dirname "$0")/../lib.sh"
. "$root/tests/unit/library.sh"
: "${RUN:=}"
cd "$root" || exit 1
build_library
build_program twin tests/twin/twin.c -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc -lcyaml -lyaml || finish

# Those lists of graphs whose items begin with "  - name: "; any other file stays as it is.
sevenfold() { # YAML
    awk '
        function flush(i, k, line) {
            for (i = 0; i < 7; i++)
                for (k = 1; k <= num; k++) {
                    line = lines[k]
                    if (i > 0 && line ~ /^  - name: /) line = line "_again_" i
                    else if (i > 0 && line ~ /^    compiled: /) line = line "_again_" i
                    else if (i > 2 && line ~ /^      - {name: /) gsub(/(name|of|base): [A-Za-z_0-9]+/, "&_" i, line)
                    print line
                }
            num = 0
        }
        /^[a-z]/ { flush(); inside = /^graphs:$/ }
        inside && /^  - name: / { flush() }
        inside && !/^graphs:$/ { lines[++num] = $0; next }
        { print }
        END { flush() }' "$1"
}

# Its first graph has hardly any operation, so what is looked up once for each of them is not there when the twin begins.
sh tests/bench/make_big_yaml.sh 300 |
    sed 's/^graphs:$/&\n  - {name: first, mode: inference, compiled: run_first, inputs: [], outputs: []}/' >"$scratch/00.many.yaml"
# After short graphs, which promise others of their length, long ones: the twin stops before it has rendered its share.
awk 'BEGIN {
    print "wrapgen: 1\ngraphs:"
    for (g = 0; g < 40; g++) {
        printf "  - {name: g%d, mode: inference, compiled: k%d, inputs: [], outputs: [", g, g
        for (i = 0; i < (g < 20 ? 1 : 90); i++)
            printf "%s{name: y%d, type: non_alias, dtype: float32, size: [%d, %d, %d], stride: [%d, %d, %d]}", i ? ", " : "", i, g + 2, i + 2, 3, 3 * i + 6, 3, 1
        print "]}"
    }
}' >"$scratch/99.longer.yaml"
count=0
for file in examples/*/graph.yaml tests/golden/*/graph.yaml tests/errors/generation/*.yaml; do
    count=$((count + 1))
    [ -z "$RUN" ] || in_sample $count 11 || continue
    sevenfold "$file" >"$scratch/$count.$(basename "$(dirname "$file")").yaml"
done
if [ -n "$RUN" ]; then
    # shellcheck disable=SC2086 # words
    check 'the two threads share nothing that is written' $RUN "$programs/twin" "$scratch" "$scratch"/*.yaml
    finish
fi
run_program twin "$scratch" "$scratch"/*.yaml
check 'most files have a twin' test "$(grep -c 'there is a twin' "$scratch/run")" -ge 150
finish
