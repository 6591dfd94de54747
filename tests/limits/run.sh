#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh - the table of --emit-limits for graph.yaml: its text (expected.txt), main.c, which compares random calls with what the
# wrappers and dispatchers take, and each kind of row changed, which main.c must notice. UPDATE=1 writes expected.txt.
. "$(dirname "$0")/../lib.sh"
here=$root/tests/limits
include="-I$root/templates/core -I$root/templates/hosts/native"
strict='-std=c11 -O1 -g -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wcast-qual -Wstrict-prototypes -Wvla -Werror'
cd "$here" || exit 1

check 'the table is written' sh -c '"$WRAPGEN" graph.yaml --out "$0/wrappers.c" --header "$0/wrappers.h" --emit-limits "$0/limits.h" 2>"$0/warnings"' "$scratch"
[ -z "${UPDATE-}" ] || cp "$scratch/limits.h" expected.txt
check 'the table is the expected one' diff expected.txt "$scratch/limits.h"
bare() { # without the option the wrappers are the same
    "$WRAPGEN" graph.yaml --out "$scratch/bare.c" --header "$scratch/wrappers.h" 2>/dev/null && cmp "$scratch/bare.c" "$scratch/wrappers.c"
}
check 'the wrappers are the same without it' bare

objects() {
    for source in "$scratch/wrappers.c" "$root"/templates/core/*.c "$root"/templates/hosts/native/*.c; do
        # shellcheck disable=SC2086
        $CC $strict $EXTRA $include -c -o "$scratch/$(basename "$source" .c).o" "$source" || return 1
    done
}
check 'the wrappers compile' objects

build() { # FOLDER: main, with the table of that folder
    # shellcheck disable=SC2086
    $CC $strict $EXTRA $include -I"$1" -I"$scratch" -o "$1/main" main.c "$scratch"/*.o -lm
}
check 'main.c compiles' build "$scratch"
"$scratch/main" >"$scratch/log" 2>&1
add_counts "$scratch/log" 'random calls'

if command -v "${CXX:-c++}" >/dev/null; then
    plus() {
        printf '#include "limits.h"\n#include "limits.h"\nint main() { return demo_limits[0].is_kernel; }\n' >"$scratch/plus.cpp"
        # shellcheck disable=SC2086
        ${CXX:-c++} -std=c++17 -Wall -Wextra -Wpedantic -Werror $include -I"$scratch" -fsyntax-only "$scratch/plus.cpp"
    }
    check 'the table is C++17 too' plus
else
    skip 'the table is C++17 too' 'there is no C++ compiler'
fi

# All that golden cases have, in one file for the compiler.
every_case() {
    number=0
    for graph in "$root"/tests/golden/*/graph.yaml; do
        (cd "$(dirname "$graph")" && "$WRAPGEN" graph.yaml --out "$scratch/g.c" --header "$scratch/g.h" \
            --emit-limits "$scratch/case$number.h" 2>"$scratch/warnings")
        case $? in
        0) echo "int case$number(void);
int case$number(void)
{
#include \"case$number.h\"
    return 0;
}" ;;
        [123]) ;; # a host of its own, or another option, is needed
        *) echo "$graph" && cat "$scratch/warnings" && return 1 ;;
        esac
        number=$((number + 1))
    done >"$scratch/cases.c"
    grep -c include "$scratch/cases.c"
    # shellcheck disable=SC2086
    [ "$(grep -c include "$scratch/cases.c")" -gt 100 ] && $CC -std=c11 -Wall -Wextra -Wpedantic -Werror -Wno-unused-variable $include -include wg_limits.h \
        -I"$scratch" -fsyntax-only "$scratch/cases.c"
}
check 'the tables of golden cases compile' every_case

# A table that is wrong in one place is noticed.
notices() { # SED
    mkdir -p "$scratch/planted" && sed "$1" "$scratch/limits.h" >"$scratch/planted/limits.h" &&
        ! cmp -s "$scratch/limits.h" "$scratch/planted/limits.h" && build "$scratch/planted" && ! "$scratch/planted/main" 20000
}
check 'noticed: a least size' notices 's/{ 2, 64, 1 }/{ 1, 64, 1 }/'
check 'noticed: a greatest size' notices 's/{ 2, 64, 1 }/{ 2, 63, 1 }/'
check 'noticed: a multiple' notices 's/{ 4, INT64_MAX, 4 }/{ 4, INT64_MAX, 2 }/'
check 'noticed: a range more' notices 's/{ 1, 8, 1 }/{ 1, 9, 1 }/'
check 'noticed: a size that is not compared' notices 's/, 1, 0, 1, "n" }/, 1, -1, -1, "n" }/'
check 'noticed: a dtype' notices '/{ "a", "tensor"/s/UINT64_C(0x60)/UINT64_C(0xe0)/'
check 'noticed: a rank' notices '/{ "x", "tensor", 0, UINT64_C(0x80)/s/UINT64_C(0x6)/UINT64_C(0xe)/'
check 'noticed: a null' notices '/{ "mask", "tensor"/s/, 1, /, 0, /'
check 'noticed: a value' notices 's/{ -1, 1, 1 }/{ -1, 2, 1 }/'
check 'noticed: a graph that is not whole' notices 's/{ "demo_guarded", 0,/{ "demo_guarded", 1,/'
finish
