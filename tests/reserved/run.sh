#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Names that C has taken (gen/rules/reserved.def): each is refused where it would not compile; where it is accepted (a function of
# the library as the name of a value) it does compile.
. "$(dirname "$0")/../lib.sh"
strict='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror -fsyntax-only'
include="-I$root/templates/core -I$root/templates/hosts/native -I."
cd "$scratch" || exit 1

# `KIND name`, one a line.
awk -F'"' '/^NAMES\(/ { kind = substr($1, 7, index($1, ",") - 7) }
    !/^ *\/?\*/ && NF == 3 { n = split($2, name, " "); for (i = 1; i <= n; i++) print kind, name[i] }' \
    "$root/gen/rules/reserved.def" >table
names() { # KIND
    sed -n "s/^$1 //p" table
}
check 'each name is there once, but for true and false' test "$(cut -d' ' -f2 table | sort | uniq -d | tr '\n' ' ')" = 'false true '
check 'they fill less than half of 8,192 slots (validate_reserved.c)' test "$(wc -l <table)" -lt 4096
for name in isnan cexpf crealf exp10 sincos drem stpcpy fork; do
    names LIBRARY >list
    check "$name is among them" grep -qx "$name" list
done

# As symbols, which C declares: each name is refused.
graphs() { # a file of graphs, each calling the function that a line of standard input names
    printf 'wrapgen: 1\nprefix: demo_\ngraphs:\n'
    awk '{ printf "  - {name: g%d, mode: inference, compiled: \047%s\047, inputs: [], outputs: [{name: y, type: non_alias}]}\n", NR, $0 }'
}
for kind in MACRO LIBRARY TYPE; do
    names $kind >list
    graphs <list >symbols.yaml
    "$WRAPGEN" --in symbols.yaml --out w.c --diagnostics json 2>errors
    # A name of our own is refused as such.
    sed -n "s/.*\"message\":\"symbol '\([^']*\)' .*/\1/p" errors | sort -u >refused
    sort list >wanted
    check "each $kind is refused as a symbol" diff wanted refused
done

# As values: what is accepted compiles, in C and C++, whatever the standard.
{
    printf 'wrapgen: 1\nprefix: demo_\ngraphs:\n  - name: step\n    mode: inference\n    compiled: step_kernel\n    inputs:\n'
    names LIBRARY | sed "s/.*/      - {name: '&', mutates_data: true, size: [2]}/"
    printf '    outputs:\n'
    printf '      - {name: y, type: non_alias}\n'
} >values.yaml
"$WRAPGEN" --in values.yaml --out values.c --header values.h 2>errors
sed -n "s/.*error: input '\([^']*\)' .*/\1/p" errors | sort -u >refused
grep -vFf refused values.yaml >accepted.yaml
check 'functions of the library are fine as names of values' \
    "$WRAPGEN" --in accepted.yaml --out values.c --header values.h
check 'most of them' sh -c 'test "$(grep -c mutates_data accepted.yaml)" -gt 2000'
for compiler in gcc clang; do
    command -v $compiler >/dev/null 2>&1 || continue
    for standard in c11 gnu17 gnu2x; do
        # shellcheck disable=SC2086 # flags
        check "they compile: $compiler -std=$standard" $compiler -std=$standard $strict $include values.c
    done
done
echo '#include "values.h"' >values.cc
for standard in c++17 gnu++20; do
    # shellcheck disable=SC2086
    check "they compile: g++ -std=$standard" g++ -std=$standard -Wall -Wextra -Werror -fsyntax-only $include values.cc
done
finish
