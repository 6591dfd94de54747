#!/bin/sh
# SPDX-License-Identifier: MIT
#
# build.sh FOLDER [FLAG...] - generates the wrapper of graph.yaml and makes FOLDER/blend.so of it, of the kernel and of the host
# dlpack. With more sources and flags as arguments these go into it, too.
#
#   WRAPGEN=build/wrapgen CC=gcc sh examples/dlpack/build.sh build/dlpack
#   python3 examples/dlpack/numpy_arrays.py build/dlpack/blend.so
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
out=$1
shift
mkdir -p "$out"
"${WRAPGEN:-$root/build/wrapgen}" "$here/graph.yaml" --out "$out/blend.c" --header "$out/blend.h"
# shellcheck disable=SC2086 # flags are words
${CC:-cc} -std=c11 -O2 -Wall -Wextra -fPIC -shared ${EXTRA:-} -I"$out" -I"$root/templates/core" -I"$root/templates/hosts/native" \
    -I"$root/templates/hosts/dlpack" -o "$out/blend.so" "$out/blend.c" "$here/kernel.c" "$root"/templates/core/*.c \
    "$root"/templates/hosts/native/*.c "$root"/templates/hosts/dlpack/*.c "$@" -lm
