#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [quick] - how fast the generator is, as ratios within one run. The contestants take turns, medians are compared, the
# spread is shown: on a shared machine an absolute time means nothing on its own. `quick` runs little, to show that it works.
#
#   start    one graph, from start to exit, beside a process with the same libraries that does nothing
#   load     a file of 10 MB: a whole run beside libcyaml's load of that file alone
#   memory   1, 10 and 100 MB: peak of resident memory, per byte of input and output
#   parts    every tests/bench/*_bench.c: what it prints is its own matter
#
# Results: a table here, $BUILD/bench/bench.json, $BUILD/bench/bench.svg.
set -eu
cd "$(dirname "$0")/../.."
: "${CC:=cc}" "${BUILD:=$PWD/build}" "${EXTRA:=}"
WRAPGEN=${WRAPGEN:-$BUILD/wrapgen}
bench=$BUILD/bench
mkdir -p "$bench"

if [ "${1-}" = quick ]; then
    start_rounds=5 load_rounds=1 sizes='10 100'
else
    start_rounds=301 load_rounds=9 sizes='1050 10500 105000'
fi

# shellcheck disable=SC2086 # flags
compile() { # PROGRAM SOURCE...
    program=$1
    shift
    $CC -std=c11 -D_POSIX_C_SOURCE=200809L -I. -O2 $EXTRA -o "$bench/$program" "$@" -lcyaml -lyaml
}

compile race tests/bench/race.c
compile load_alone tests/bench/load_alone.c schema/spec.c
rows=$bench/rows
: >"$rows"

race() { # GROUP ROUNDS NAME COMMAND... , NAME COMMAND...
    group=$1
    shift
    "$bench/race" "$@" >"$bench/race.out"
    sed "s/^/$group /" "$bench/race.out" >>"$rows"
}

size_of() {
    wc -c <"$1" | tr -d ' '
}

echo "measuring start ($start_rounds rounds)"
race start "$start_rounds" nothing "$bench/load_alone" , wrapgen "$WRAPGEN" --in tests/cli/graph.yaml --out "$bench/one.c"

# The output is removed before each run: one that is the same is not written at all.
cat >"$bench/generate.sh" <<'SH'
rm -f "$3"
exec "$1" --in "$2" --out "$3"
SH

for graphs in $sizes; do
    sh tests/bench/make_big_yaml.sh "$graphs" >"$bench/$graphs.yaml"
    rounds=$load_rounds
    [ "$graphs" -le 20000 ] || rounds=1
    echo "measuring $graphs graphs, $(size_of "$bench/$graphs.yaml") bytes ($rounds rounds)"
    race "graphs_$graphs" "$rounds" libcyaml "$bench/load_alone" "$bench/$graphs.yaml" , \
        wrapgen sh "$bench/generate.sh" "$WRAPGEN" "$bench/$graphs.yaml" "$bench/$graphs.c"
    echo "graphs_$graphs bytes $(size_of "$bench/$graphs.yaml") $(size_of "$bench/$graphs.c")" >>"$rows"
done

# Rows are "group name median q1 q3 peak", or "group bytes input output".
awk -v json="$bench/bench.json" -v svg="$bench/bench.svg" -f tests/bench/report.awk "$rows"

echo
echo 'parts:'
. tests/unit/library.sh
build_library && pack_library
for source in tests/bench/*_bench.c; do
    [ -f "$source" ] || continue
    name=$(basename "$source" .c)
    build_program "$name" "$source" -O2 -lcyaml -lyaml
    echo "$name:"
    "$out/$name" "$bench/${sizes%% *}.yaml" | sed 's/^/    /'
done
