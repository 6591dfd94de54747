#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [CALLS [SEED]] - random kernels of 1 to 1,024 variants: three dispatchers each (chain, tree, hash) against a
# matcher that is written from the words of SPEC.md alone; every witness of the proof replayed; every explanation held to
# the choice; and of some small ones the self-test, whose matcher is another one, so that each is held by the other. Kernels take turns in what they `check`; below cheap no call is made that breaks a declaration. 150 kernels,
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

small=10 # from the seventh kernel on none has more than twelve variants
cd "$scratch" || exit 1
awk -v last=$((6 + small)) '/^  - name: k/ { n = substr($3, 2) + 0; kept = n >= 6 && n < last } !/^  / || kept' kernels.yaml >small.yaml
selftest() {
    include="-I$root/templates/core -I$root/templates/hosts/native -I$selftest_library -I."
    core=$(printf ' %s' "$root"/templates/core/*.c)
    # shellcheck disable=SC2086 # lists of flags, and of files
    "$WRAPGEN" -Wno-overlap -Wno-uncovered -Wno-unproved --in small.yaml --out w.c --header w.h --emit-selftest self.c &&
        $compiler -w $include -o self self.c "$selftest_library/wg_selftest.c" $core && ./self
}
if [ -z "$sanitized" ]; then
    selftest >self.log 2>&1
    check 'the self-tests of small kernels pass' test $? -eq 0
    tests=$(grep -c '^ok [0-9]* - k' self.log)
    check "and there are many ($tests)" test "$tests" -ge $((small * 5))
fi
finish
