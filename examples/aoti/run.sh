#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh - compiles two programs with AOTInductor (program.py, which needs PyTorch and a C++ compiler), generates their
# wrappers (models.yaml), builds main.c with them and libtorch, and runs it: a C program with no Python in it.
#
#   WRAPGEN=build/wrapgen CC=gcc EXTRA='-fsanitize=address' sh examples/aoti/run.sh
# Everything goes to examples/aoti in the tool's folder, or to OUT. What AOTInductor made is made again only when program.py is newer.
# torch.sh says where PyTorch is looked for.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
WRAPGEN=${WRAPGEN:-$root/build/wrapgen}
CC=${CC:-cc}
OUT=${OUT:-$(dirname "$WRAPGEN")/examples/aoti}
here=$root/examples/aoti
. "$here/torch.sh"
find_torch || { echo "examples/aoti: there is no PyTorch (.venv, python3 or TORCH_DIR)" >&2 && exit 1; }

mkdir -p "$OUT"
if [ ! -f "$OUT/case.h" ] || [ "$here/program.py" -nt "$OUT/case.h" ]; then
    "$PYTHON" "$here/program.py" "$OUT" >"$OUT/program.log" 2>&1 || { cat "$OUT/program.log" && exit 1; }
fi
"$WRAPGEN" --in "$here/models.yaml" --out "$OUT/models.c" --header "$OUT/models.h"
strict="-std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wvla -Wcast-qual -Wmissing-prototypes
    -Werror"
# shellcheck disable=SC2086 # lists of files and flags
$CC $(echo $strict) -O1 -g ${EXTRA:-} "-I$OUT" $host_include -o "$OUT/run" "$here/main.c" "$OUT/models.c" $host_sources \
    $torch_link
"$OUT/run" "$OUT"
