#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh - what is said about compiled functions against the layout of the self-tests: every graph of the golden tests, the
# examples and the specification, and CALLEE_COUNT (5,000) random ones from the seed CALLEE_SEED on.
. "$(dirname "$0")/../../lib.sh"
here=$root/tests/property/callee
wrappers=$root/tests/property/wrappers
: "${CALLEE_COUNT:=5000}" "${CALLEE_SEED:=1}"
warn='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wvla -Wcast-qual -Wmissing-prototypes -Werror'

make -s -C "$root" BUILD="$BUILD" "$BUILD/libwrapgen.a" >"$scratch/made" 2>&1 || not_ok 'the library builds' "$scratch/made"
# shellcheck disable=SC2086 # lists of flags
check 'it builds' $CC -std=c11 $warn -D_POSIX_C_SOURCE=200809L -I"$root" -O1 -g $EXTRA -o "$scratch/callee" "$here/main.c" \
    "$root"/templates/selftest/layout*.c "$root"/templates/selftest/views*.c "$wrappers"/generate*.c "$wrappers/node.c" "$BUILD/libwrapgen.a" -lcyaml -lyaml

awk -v folder="$scratch" '
    /^```yaml$/ { count++; name = sprintf("%s/example_%02d.yaml", folder, count); printf "" >name; next }
    /^```$/ { if (name) close(name); name = "" }
    name { print >name }
' "$root/schema/SPEC.md"

"$scratch/callee" "$wrappers/mock.yaml" "$CALLEE_COUNT" "$CALLEE_SEED" "$root"/tests/golden/*/graph.yaml "$root"/examples/*/*.yaml \
    "$scratch"/example_*.yaml >"$scratch/log" 2>&1
numbers() { # WHAT: graphs, rows, refused, wrong
    sed -n "s/^$1 \\([0-9]*\\) graphs, \\([0-9]*\\) rows, \\([0-9]*\\) refused, \\([0-9]*\\) wrong\$/\\1 \\2 \\3 \\4/p" "$scratch/log"
}
# shellcheck disable=SC2046 # numbers
set -- $(numbers files) $(numbers random)
check 'both kinds of graphs were looked at' test $# -eq 8
if [ $# -eq 8 ] && [ "$4" -eq 0 ]; then ok "rows of $1 graphs of files: $2"; else not_ok 'rows of files' "$scratch/log"; fi
if [ $# -eq 8 ] && [ "$8" -eq 0 ]; then ok "rows of $5 random graphs: $6"; else not_ok 'rows of random graphs' "$scratch/log"; fi
check 'enough files were taken' test "${1:-0}" -ge 100
check 'most random graphs were taken' test "${5:-0}" -ge "$((CALLEE_COUNT / 2))"
finish
