#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [PERCENT [SEED]] - folds of view sequences against PyTorch's results, and against the same sequences applied one by
# one by templates/selftest/views, which is held to PyTorch's results too.
#
# 100 percent, the default, are 200,000 random sequences of numbers and 60,000 with symbols, always the same ones; under
# sanitizers a fifth of them. SEED (a number) makes others.
. "$(dirname "$0")/../../lib.sh"
. "$root/tests/unit/library.sh"
here=$root/tests/property/geometry

if [ $# -eq 0 ] && [ -n "$EXTRA" ]; then
    set -- 20
fi
build_library
one_by_one=$(printf ' %s' "$root"/templates/selftest/views*.c "$root/templates/selftest/evaluate.c")
# shellcheck disable=SC2086 # files
build_program geometry_cases "$here/cases_test.c" $one_by_one && run_program geometry_cases tests/property/geometry/cases.txt
# The library comes again, after what needs it.
build_program geometry_folds "$here/fold_property.c" "$here"/make*.c $one_by_one -O2 "$library" &&
    run_program geometry_folds "$@"
finish
