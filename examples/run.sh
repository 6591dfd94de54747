#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Generates, compiles and runs the examples that are programs of their own: folders with a main.c and a graph.yaml, or in
# its place a file `uses` that names other examples, whose graphs and kernels it takes.
#
#   WRAPGEN=build/wrapgen CC=gcc sh examples/run.sh [NAME...]
# Everything goes to examples/ in the tool's folder. EXTRA adds flags to the compilation (-fsanitize=address, say). A program is given its
# own folder as its argument, prints what it did, and ends with 1 when something came out wrong. The other examples are compared with
# PyTorch call by call: examples/demo/run.sh.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
WRAPGEN=${WRAPGEN:-$root/build/wrapgen}
WRAPGEN=$(cd "$(dirname "$WRAPGEN")" && pwd)/$(basename "$WRAPGEN")
CC=${CC:-cc}
out=$(dirname "$WRAPGEN")/examples
strict="-std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wvla -Wcast-qual -Wmissing-prototypes
    -Werror"
cd "$root"
[ $# -gt 0 ] || set -- $(for main in examples/*/main.c; do
    folder=$(dirname "$main")
    [ ! -f "$folder/graph.yaml" ] && [ ! -f "$folder/uses" ] || basename "$folder"
done)

for name in "$@"; do
    echo "== $name"
    mkdir -p "$out/$name"
    parts=$name
    sources=
    [ ! -f "examples/$name/uses" ] || parts=$(cat "examples/$name/uses")
    for part in $parts; do
        "$WRAPGEN" --in "examples/$part/graph.yaml" --out "$out/$name/$part.c" --header "$out/$name/$part.h"
        sources="$sources $out/$name/$part.c"
        [ "$part" = "$name" ] || sources="$sources examples/$part/kernel.c"
    done
    # shellcheck disable=SC2086 # flags are words
    $CC $(echo $strict) -O1 -g ${EXTRA:-} "-I$out/$name" -Itemplates/core -Itemplates/hosts/native -o "$out/$name/run" \
        $sources "examples/$name"/*.c templates/core/*.c templates/hosts/native/*.c -lm
    "$out/$name/run" "examples/$name"
done
