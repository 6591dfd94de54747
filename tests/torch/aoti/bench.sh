#!/bin/sh
# SPDX-License-Identifier: MIT
#
# bench.sh [ROUNDS] - our wrapper on libtorch's tensors beside the one that PyTorch generates for the same graph, around compiled
# functions that only hand over tensors. Contestants take turns; medians, and how often ours fits into PyTorch's.
. "$(dirname "$0")/../../lib.sh"
. "$root/examples/aoti/torch.sh"
here=$root/tests/torch/aoti
find_torch || { echo 'bench: there is no PyTorch' >&2 && exit 1; }
rounds=${1:-5}

"$WRAPGEN" --in "$here/overhead.yaml" --out "$scratch/wrappers.c" --header "$scratch/overhead.h" || exit 1
# shellcheck disable=SC2086 # lists of files and flags
$CC -std=c11 -D_POSIX_C_SOURCE=200809L -O2 $EXTRA $host_include -I"$scratch" -I"$here" -o "$scratch/overhead" \
    "$here/overhead.c" "$scratch/wrappers.c" $host_sources $torch_link || exit 1
for _ in $(seq "$rounds"); do
    "$scratch/overhead" 200000 >>"$scratch/ours" || exit 1
    "$PYTHON" "$here/overhead.py" 30000 >>"$scratch/theirs" 2>"$scratch/err" || { cat "$scratch/err" && exit 1; }
done

median() {
    sort -n "$1" | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int((NR + 2) / 2)]) / 2 }'
}
spread() {
    sort -n "$1" | awk '{ v[NR] = $1 } END { printf "%.0f to %.0f", v[1], v[NR] }'
}
awk -v ours="$(median "$scratch/ours")" -v theirs="$(median "$scratch/theirs")" -v o="$(spread "$scratch/ours")" \
    -v t="$(spread "$scratch/theirs")" 'BEGIN {
    printf "one mutated input, one view of it, one input returned; %s rounds\n", "'"$rounds"'"
    printf "  host aoti, C           %8.0f ns a call (%s)\n", ours, o
    printf "  PyTorch, generated     %8.0f ns a call (%s)\n", theirs, t
    printf "  ratio                  %8.1f\n", theirs / ours
}'
