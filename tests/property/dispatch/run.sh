#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [CALLS [SEED]] - random kernels of 1 to 1,024 variants: three dispatchers each (chain, tree, hash) against a
# matcher that is written from the words of SPEC.md alone; every witness of the proof replayed; every explanation held to
# the choice. Kernels take turns in what they `check`; below cheap no call is made that breaks a declaration. 150 kernels,
# CALLS random calls each (300 without arguments, which makes some 130,000 choices), seed 1.
. "$(dirname "$0")/../../lib.sh"
. "$root/tests/unit/library.sh"
here=$root/tests/property/dispatch
compiler=${PROPERTY_CC:-}
kernels=150
sanitized=
case " $EXTRA " in *sanitize*) sanitized=yes kernels=4 ;; esac # they take half a minute of clang for each
if [ -z "$compiler" ]; then
    compiler="$CC $EXTRA -O0"
    if [ -z "$sanitized" ] && command -v clang >/dev/null 2>&1; then
        compiler='clang -O0'
    fi
fi

build_library
build_program dispatch_property "$here/dispatch_property.c" "$here/make.c" "$here/match.c" -I"$root/templates/core" \
    -I"$here" -lcyaml -lyaml -ldl &&
    run_program dispatch_property "$WRAPGEN" "$compiler" "$root" "$scratch" "${1:-300}" "${2:-1}" "$kernels"
finish
