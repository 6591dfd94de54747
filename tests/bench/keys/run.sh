#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [quick] - what a key costs beside reading the same metadata once, and beside a loop over a description (keys.c).
. "$(dirname "$0")/../../lib.sh"
set -eu
here=$root/tests/bench/keys
awk -v what=yaml -f "$here/keys.awk" >"$scratch/graph.yaml"
awk -v what=c -f "$here/keys.awk" >"$scratch/contests.h"
"$WRAPGEN" --in "$scratch/graph.yaml" --out "$scratch/wrappers.c" --header "$scratch/wrappers.h"
# shellcheck disable=SC2086 # flags
$CC -std=c11 -O2 -Wall -Wextra $EXTRA -I"$root/templates/core" -I"$root/templates/hosts/native" -I"$scratch" \
    -o "$scratch/keys" "$here/keys.c" "$scratch/wrappers.c" "$root"/templates/core/*.c "$root"/templates/hosts/native/*.c -lm
"$scratch/keys" ${1+quick}
