#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [CALLS [SEED]] - random kernels with a variant that is a random graph: what the proof says of the two is held to
# generated code. A dispatcher over symbols chooses, the graph's own wrapper refuses or not; 300 kernels (60 under
# sanitizers), CALLS random calls each (400 without arguments), seed 1.
. "$(dirname "$0")/../../lib.sh"
. "$root/tests/unit/library.sh"
here=$root/tests/property/variant_graphs

kernels=300
[ -z "$EXTRA" ] || kernels=60
build_library
build_program variant_graphs "$here/variant_graphs.c" -I"$root/templates/core" -lcyaml -lyaml -ldl &&
    run_program variant_graphs "$WRAPGEN" "$CC $EXTRA -O0" "$root" "$scratch" "${1:-400}" "${2:-1}" "$kernels"
finish
