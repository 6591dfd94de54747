#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh - the host dlpack: test_*.c, plainly, with -DWG_SINGLE_THREADED and, where the compiler has them, under AddressSanitizer and
# UndefinedBehaviorSanitizer; every golden case generates C that compiles over the host, or is refused by a verb that DLPack has no
# word for; self-tests over it. RUN stands before test programs (valgrind). What other libraries make of its tensors:
# tests/torch/dlpack.
. "$(dirname "$0")/../lib.sh"
. "$root/tests/golden/generate.sh"
: "${RUN:=}"
case $CC in
*clang*) : "${CXX:=clang++}" ;;
*) : "${CXX:=g++}" ;;
esac
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wvla -Wcast-qual -Werror'
strict="-std=c11 $warnings -Wstrict-prototypes -Wmissing-prototypes"
host=$root/templates/hosts/dlpack
native=$root/templates/hosts/native
include="-I$root/templates/core -I$native -I$host"

build_host() { # NAME FLAG...
    folder=$scratch/$1
    mkdir -p "$folder"
    shift
    for source in "$root"/templates/core/*.c "$native"/*.c "$host"/*.c; do
        # shellcheck disable=SC2086 # lists of flags
        $CC $strict -O1 -g "$@" $EXTRA $include -c -o "$folder/$(basename "$source" .c).o" "$source" || return 1
    done
}

test_program() { # VARIANT PROGRAM FLAG...
    folder=$scratch/$1
    variant=$1
    program=$2
    shift 2
    # shellcheck disable=SC2086
    if ! $CC $strict -O1 -g "$@" $EXTRA $include -I"$root/tests/host" -I"$scratch" -o "$folder/$program" "$root/tests/dlpack/$program.c" \
        $([ "$program" != test_wrapper ] || echo "$scratch/blend.c $root/examples/dlpack/kernel.c") "$folder"/*.o -lm >"$scratch/check" 2>&1; then
        not_ok "$variant, $program: compiles" "$scratch/check"
        return
    fi
    # shellcheck disable=SC2086
    $RUN "$folder/$program" >"$scratch/log" 2>&1
    status=$?
    sed -n 's/^ok [0-9]* - //p' "$scratch/log" >"$scratch/passed"
    while read -r line; do ok "$variant, $program: $line"; done <"$scratch/passed"
    if [ $status -ne 0 ] || ! grep -q ' passed, 0 failed' "$scratch/log"; then
        not_ok "$variant, $program (status $status)" "$scratch/log"
    fi
}

"$WRAPGEN" --in "$root/examples/dlpack/graph.yaml" --out "$scratch/blend.c" --header "$scratch/blend.h" >"$scratch/check" 2>&1 ||
    not_ok 'examples/dlpack generates' "$scratch/check"

variants='plain single'
case " $EXTRA " in
*sanitize*) ;;
*)
    echo 'int main(void) { return 0; }' >"$scratch/nothing.c"
    if [ -z "$RUN" ] && $CC -fsanitize=address,undefined -o "$scratch/nothing" "$scratch/nothing.c" 2>/dev/null && "$scratch/nothing"; then
        variants='plain single sanitized'
    fi
    ;;
esac
for variant in $variants; do
    case $variant in
    plain) flags= ;;
    single) flags=-DWG_SINGLE_THREADED ;;
    sanitized) flags='-fsanitize=address,undefined -fno-sanitize-recover=all' ;;
    esac
    # shellcheck disable=SC2086
    check "$variant: the host compiles under the strict flags" build_host $variant $flags
    for test in "$root"/tests/dlpack/test_*.c; do
        # shellcheck disable=SC2086
        test_program $variant "$(basename "$test" .c)" $flags
    done
done

if command -v "$CXX" >/dev/null; then
    cplusplus() {
        printf '#include "wg_dlpack.h"\n#include "wg_dlpack_abi.h"\n' >"$scratch/headers.cpp"
        # shellcheck disable=SC2086
        $CXX -std=c++17 $warnings $include -fsyntax-only "$scratch/headers.cpp"
    }
    check 'the headers are C++17 too' cplusplus
else
    skip 'the headers are C++17 too' "there is no $CXX"
fi

no_stdio() {
    build_host loose -fno-pic && rm -f "$scratch/loose/wg_dlpack_text.o" "$scratch/loose/wg_native_text.o" &&
        ! nm -u "$scratch"/loose/*.o | grep -E 'printf|puts|fwrite|stdout|stderr|exit|abort'
}
case " $EXTRA " in
*sanitize*) ;;
*) check 'only wg_dlpack_text.c and wg_native_text.c need stdio, nothing exits' no_stdio ;;
esac

# Golden cases that call no verb beyond the host's compile over it; the others are refused by the verbs that it has not.
lacking() { # the verbs of VERBS.md that the host has not
    sed -nE 's/^    [a-zA-Z].*[ *](wg_[a-z_0-9]+)\(WgContext.*/\1/p' "$root/templates/hosts/VERBS.md" |
        grep -vxF -e "$(sed -n 's/^  - //p' "$host/host.yaml")"
}
lacking >"$scratch/lacking"
num_compiled=0
golden() { # CASE
    out=$scratch/golden
    rm -rf "$out" && mkdir "$out"
    (
        cd "$root/tests/golden/$1" || exit 1
        set --
        if [ -f args ]; then
            while IFS= read -r line; do set -- "$@" "$line"; done <args
        fi
        "$WRAPGEN" --in graph.yaml --out "$out/w.c" --header "$out/w.h" "$@" --host dlpack
    ) >"$out/log" 2>&1
    status=$?
    if [ $status -eq 2 ]; then
        sed -n "s/.*verb '\(wg_[a-z_0-9]*\)'.*which host 'dlpack' does not have.*\[E_HOST\]/\1/p" "$out/log" >"$out/missing"
        cat "$out/log"
        [ -s "$out/missing" ] && ! grep -vxF -f "$scratch/lacking" "$out/missing"
        return
    fi
    cat "$out/log"
    # shellcheck disable=SC2086
    [ $status -eq 0 ] && $CC $strict -fsyntax-only -I"$out" $include "$out/w.c" && num_compiled=$((num_compiled + 1))
}
for case in $(golden_cases); do
    case $case in python) continue ;; esac
    golden "$case" >"$scratch/check" 2>&1 || not_ok "golden/$case compiles over dlpack, or is refused by a verb that it has not" "$scratch/check"
done
check "golden cases compile over dlpack ($num_compiled), and the others are refused by a verb that it has not" test $num_compiled -gt 80

# A self-test replaces the host's header by its mock.
selftest() { # CASE
    (cd "$scratch" && "$WRAPGEN" --in "$root/tests/golden/$1/graph.yaml" --host dlpack --out s.c --header s.h --emit-selftest self.c &&
        $CC -std=c11 -w -O0 -I. -I"$root/templates/core" -I"$host" -I"$selftest_library" -o self self.c "$selftest_library/wg_selftest.c" "$root"/templates/core/*.c && ./self)
}
for case in copy_ alias_as save_tensor copy_leaf_or_refuse; do
    check "the self-test of $case passes over dlpack" selftest $case
done

# The description names verbs that the header of native declares, which wg_dlpack.h includes.
declares() {
    sed -n '/^verbs:/,$s/^  - //p' "$host/host.yaml" >"$scratch/verbs"
    while read -r verb; do
        grep -qE "\\b$verb\\(" "$native/wg_native.h" || { echo "$verb"; return 1; }
    done <"$scratch/verbs"
    [ "$(wc -l <"$scratch/verbs")" -gt 40 ] && [ "$(wc -l <"$scratch/lacking")" -gt 15 ]
}
check 'wg_native.h declares the verbs of the description' declares
finish
