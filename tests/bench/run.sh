#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [quick|torch|launch] - how fast the generator is, as ratios within one run. The contestants take turns, medians are compared, the
# spread is shown: on a shared machine an absolute time means nothing on its own. `quick` runs only a little, to show that
# everything works.
#
#   keys     what the key of a call costs (tests/bench/keys)
#   start    one graph, from start to exit, compared with a process with the same libraries that does nothing
#   load     a file of 10 MB: a whole run compared with libcyaml's load of that file alone
#   memory   1, 10 and 100 MB: peak of resident memory, per byte of input and output
#   parts    every tests/bench/*_bench.c: what it prints is its own matter
#   proofs   what the proof of a kernel's variants takes (tests/bench/proofs.sh)
#   dispatch what a choice among variants costs (tests/bench/dispatch.sh)
#   guards   what guards over symbols add to a call (tests/bench/guards.sh)
#   overlaps what a call costs more that tests whether its arguments share memory (tests/bench/overlaps.sh)
#   large    what the C of a large graph costs to build (tests/bench/large)
#   overhead what a call of a generated wrapper costs (tests/bench/overhead)
#   alike    what graphs cost that differ in names only (tests/bench/alike.sh)
#   torch    what it costs compared with PyTorch's own wrappers, if PyTorch is installed (tests/bench/torch); on the host torch compared
#   with C++ written by hand, share.sh there, which is run by itself because its C++ takes minutes to compile
#
# `torch` alone is whole calls of programs under torch.compile, with what was built ahead of time, and keys of calls from
# Python: tests/bench/compile. `launch` alone is the whole launch of a kernel, compared with Triton and Helion: tests/bench/launch.
#
# Results: tables here, $BUILD/bench/bench.json and bench.svg, and so for keys, large, overhead and compile; torch.json.
. "$(dirname "$0")/../lib.sh"
. "$root/tests/unit/library.sh"
set -eu
cd "$root"
[ "${1-}" != torch ] || exec sh tests/bench/compile/run.sh
[ "${1-}" != launch ] || exec sh tests/bench/launch/run.sh
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

race() { # GROUP ROUNDS FILE NAME COMMAND... , NAME COMMAND...
    group=$1
    shift
    "$bench/race" "$@" >"$bench/race.out"
    sed "s/^/$group /" "$bench/race.out" >>"$rows"
}

size_of() {
    wc -c <"$1" | tr -d ' '
}

# The output goes to a file in memory where there is one: what fsync costs is the disk's.
memory=$bench
[ -w /dev/shm ] && memory=/dev/shm
file=$memory/wrapgen-bench-$$.c
trap 'rm -rf "$file" "$scratch"' EXIT

echo 'keys of kernels:'
if [ "${1-}" = quick ]; then
    sh tests/bench/keys/run.sh quick
else
    sh tests/bench/keys/run.sh
fi
echo

echo "measuring start ($start_rounds rounds)"
race start "$start_rounds" "$file" nothing "$bench/load_alone" , \
    wrapgen "$WRAPGEN" --in tests/cli/graph.yaml --out "$file" , to_disk "$WRAPGEN" --in tests/cli/graph.yaml --out "$bench/one.c"

for graphs in $sizes; do
    sh tests/bench/make_big_yaml.sh "$graphs" >"$bench/$graphs.yaml"
    rounds=$load_rounds
    [ "$graphs" -le 20000 ] || rounds=1
    echo "measuring $graphs graphs, $(size_of "$bench/$graphs.yaml") bytes ($rounds rounds)"
    race "graphs_$graphs" "$rounds" "$file" libcyaml "$bench/load_alone" "$bench/$graphs.yaml" , \
        wrapgen "$WRAPGEN" --in "$bench/$graphs.yaml" --out "$file"
    echo "graphs_$graphs bytes $(size_of "$bench/$graphs.yaml") $(size_of "$file")" >>"$rows"
done

# Rows are "group name median q1 q3 peak", or "group bytes input output".
awk -v json="$bench/bench.json" -v svg="$bench/bench.svg" -f tests/bench/report.awk "$rows"

build_library
for source in tests/bench/*_bench.c; do
    name=$(basename "$source" .c)
    echo
    echo "$name:"
    build_program "$name" "$source" -O2 -lcyaml -lyaml
    "$programs/$name" "$bench/${sizes%% *}.yaml" | sed 's/^/    /'
done

echo
echo 'large graphs:'
sh tests/bench/large/run.sh "${1:-full}"

echo
echo 'overhead of generated wrappers:'
sh tests/bench/overhead/run.sh "${1:-full}"

echo
echo 'graphs that differ in names only:'
if [ "${1-}" = quick ]; then
    sh tests/bench/alike.sh 3
else
    sh tests/bench/alike.sh
fi

echo
echo "compared with PyTorch's own wrappers:"
sh tests/bench/torch/run.sh "${1:-full}"

echo
echo "proofs of kernels' variants:"
if [ "${1-}" = quick ]; then
    sh tests/bench/proofs.sh 1
else
    sh tests/bench/proofs.sh
fi

echo
echo 'choice among variants:'
if [ "${1-}" = quick ]; then
    DISPATCH_SIZES='1 16' sh tests/bench/dispatch.sh 3
    sh tests/bench/guards.sh 5
    sh tests/bench/overlaps.sh 5
else
    sh tests/bench/dispatch.sh
    sh tests/bench/guards.sh
    sh tests/bench/overlaps.sh
fi
