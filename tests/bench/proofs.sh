#!/bin/sh
# SPDX-License-Identifier: MIT
#
# proofs.sh [ROUNDS] - how long the tool takes to prove what it says of a kernel's variants, for kernels whose proof has much to do
# (tests/scale/proofs.awk), compared with loading the same file.
. "$(dirname "$0")/../lib.sh"
. "$root/tests/unit/library.sh"
set -eu
folder=$BUILD/bench/proofs
mkdir -p "$folder"
build_library
build_program proofs "$root/tests/bench/proofs.c" -lcyaml -lyaml
files=
for kind in shapes ranks triton hints tensors same lists pairs; do
    awk -v kind="$kind" -f "$root/tests/scale/proofs.awk" >"$folder/$kind.yaml"
    files="$files $folder/$kind.yaml"
done
# shellcheck disable=SC2086 # a list of files
"$programs/proofs" "${1:-5}" $files
