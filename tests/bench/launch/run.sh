#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [quick] - what a launch costs from tensors to cuLaunchKernel, for kernels of 2 and 16 tensors, over a driver that counts launches
# and does nothing else (driver.c), so that no GPU is needed and nothing but the way there is measured:
#
#   ours      generated C: reads dtype, rank, size, stride and address of each tensor, chooses the variant, calls Triton's C code for it
#   link      the dispatcher that triton.tools.link writes; it is given addresses and the length
#   module    ours from Python, through --emit-python
#   triton    Triton's launcher from Python, kernel[grid](...)
#   helion    a kernel of Helion, and `bound`, one that is bound already; where Helion is installed
#
# The first three launch through the C code that triton.tools.compile writes, the others through Triton's launcher. Without Triton
# (.ci/setup.sh torch) it says so.
# Results: a table here, and $BUILD/bench/launch.txt (number of tensors, name, nanoseconds).
. "$(dirname "$0")/../../lib.sh"
set -eu
here=$root/tests/bench/launch
cd "$root"
: "${PYTHON:=$root/.venv/bin/python}"
triton=${TRITON:-$(dirname "$(dirname "$PYTHON")")/triton}
if ! PYTHONPATH=$triton "$PYTHON" -c 'import torch, triton' 2>/dev/null; then
    echo "    there is no Triton in $triton (.ci/setup.sh torch): not measured"
    exit 0
fi
c_batches=1001 python_batches=101
if [ "${1-}" = quick ]; then
    c_batches=5 python_batches=2
fi
: "${WRAPGEN_CACHE:=$BUILD/torch_python}"
export WRAPGEN_CACHE WRAPGEN PYTHONPATH="$triton" PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore
export TRITON_CACHE_DIR="$scratch/cache" TRITON_LIBCUDA_PATH="$scratch/made" LD_LIBRARY_PATH="$scratch/made" HOME="$scratch"

made=$scratch/made
"$PYTHON" "$here/make.py" "$made"
for name in two sixteen; do
    "$PYTHON" -m triton.tools.link "$made/$name".*.h -o "$made/linked_$name"
done
"$WRAPGEN" "$made/kernels.yaml" --out "$made/kernels.c" --header "$made/kernels.h" 2>"$scratch/warnings"

include="-I$made -I$triton/triton/backends/nvidia/include -Itemplates/core -Itemplates/hosts/native"
# shellcheck disable=SC2086 # lists of flags
$CC -O2 $EXTRA $include -fPIC -shared -Wl,-soname,libcuda.so.1 -o "$made/libcuda.so.1" "$here/driver.c"
# What Triton writes calls exit() without its header.
# shellcheck disable=SC2086
$CC -std=c11 -D_POSIX_C_SOURCE=200809L -O2 -w $EXTRA $include '-DHOST="wg_native.h"' -include stdlib.h -o "$scratch/launch" "$here/launch.c" \
    "$made"/*.c templates/core/*.c templates/hosts/native/*.c "$made/libcuda.so.1" -lm

mkdir -p "$BUILD/bench"
{
    "$scratch/launch" "$c_batches"
    "$PYTHON" "$here/launch.py" "$made" "$python_batches"
} >"$BUILD/bench/launch.txt"
awk 'BEGIN { printf "%-8s %8s %12s %10s\n", "launch", "tensors", "ns", "times ours" }
    $2 == "ours" || $2 == "module" { base[$1] = $3 }
    { printf "%-8s %8d %12.1f %10.1f\n", $2, $1, $3, $3 / base[$1] }' "$BUILD/bench/launch.txt"
