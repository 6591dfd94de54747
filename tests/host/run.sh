#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [CC=gcc] [FLAGS='-O1 -fsanitize=address,undefined'] [RUN='valgrind -q ...'] - the native host by itself: every test_*.c
# here, without and with -DWG_SINGLE_THREADED, threads under ThreadSanitizer, the C++ headers, what the objects may contain,
# and the example that uses the host without generated code. FLAGS (or EXTRA, from the Makefile) go to every compilation but
# the one with ThreadSanitizer; RUN stands before every test program but that one. A new test_*.c needs no registration.
for argument in "$@"; do
    case $argument in
    CC=* | CXX=* | FLAGS=* | RUN=*) export "$argument" ;;
    *) echo "run.sh: what is $argument?" >&2 && exit 2 ;;
    esac
done
[ -z "${FLAGS-}" ] || EXTRA=$FLAGS
. "$(dirname "$0")/../lib.sh"

case $CC in
*clang*) : "${CXX:=clang++}" ;;
*) : "${CXX:=g++}" ;;
esac
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wvla -Wcast-qual -Werror'
strict="-std=c11 $warnings -Wstrict-prototypes -Wmissing-prototypes"
include="-I$root/templates/core -I$root/templates/hosts/native"
sources="$root/templates/core/*.c $root/templates/hosts/native/*.c"

# Objects of the host in $scratch/NAME; -O2 unless the flags say otherwise.
build_host() { # NAME FLAG...
    mkdir -p "$scratch/$1"
    folder=$scratch/$1
    shift
    for source in $sources; do
        $CC $strict -O2 "$@" $include -c -o "$folder/$(basename "$source" .c).o" "$source" || return 1
    done
}

build_program() { # NAME SOURCE FLAG...
    name=$1
    source=$2
    shift 2
    $CC $strict -O2 "$@" $include -o "$scratch/$name/$(basename "$source" .c)" "$source" "$scratch/$name"/*.o -lm -lpthread
}

# Passes on the lines of a test program; what it says about a failed test comes before that test's line.
run_program() { # VARIANT PROGRAM [PREFIX...]
    variant=$1
    program=$2
    shift 2
    "$@" "$scratch/$variant/$program" >"$scratch/log" 2>&1
    status=$?
    : >"$scratch/remarks"
    while IFS= read -r line; do
        case $line in
        'ok '*) ok "$variant, $program: ${line#*- }" ;;
        'not ok '*) not_ok "$variant, $program: ${line#*- }" "$scratch/remarks" && : >"$scratch/remarks" ;;
        *) printf '%s\n' "$line" >>"$scratch/remarks" ;;
        esac
    done <"$scratch/log"
    if [ $status -ne 0 ] && ! grep -q '^not ok' "$scratch/log" || ! grep -q ' passed, ' "$scratch/log"; then
        not_ok "$variant, $program: ends well (status $status)" "$scratch/remarks"
    fi
}

all_programs() { # VARIANT FLAG...
    all=$1
    shift
    if ! build_host "$all" "$@" >"$scratch/check" 2>&1; then
        not_ok "$all: the host compiles" "$scratch/check"
        return
    fi
    for test in "$root"/tests/host/test_*.c; do
        program=$(basename "$test" .c)
        case $all,$program in single-threaded,test_threads) continue ;; esac
        if build_program "$all" "$test" "$@" >"$scratch/check" 2>&1; then
            run_program "$all" "$program" ${RUN-}
        else
            not_ok "$all, $program: compiles" "$scratch/check"
        fi
    done
}

all_programs atomic $EXTRA
all_programs single-threaded $EXTRA -DWG_SINGLE_THREADED

# Threads, with the tool that sees what goes wrong between them.
echo 'int main(void) { return 0; }' >"$scratch/nothing.c"
if $CC -fsanitize=thread -o "$scratch/nothing" "$scratch/nothing.c" 2>/dev/null && "$scratch/nothing"; then
    if build_host tsan -g -fsanitize=thread >"$scratch/check" 2>&1 &&
        build_program tsan "$root/tests/host/test_threads.c" -g -fsanitize=thread >>"$scratch/check" 2>&1; then
        run_program tsan test_threads
    else
        not_ok 'tsan: the host compiles' "$scratch/check"
    fi
else
    skip 'tsan: threads' "$CC has no ThreadSanitizer here"
fi

# Files that count atomically and files that do not cannot be linked.
mixed() {
    ! $CC $strict -DWG_SINGLE_THREADED $EXTRA $include -o "$scratch/mixed" "$root/tests/host/test_views.c" \
        "$scratch"/atomic/*.o -lm 2>"$scratch/mixed.log" && grep -q wg_native_destroy_single_threaded "$scratch/mixed.log"
}
check 'atomic and single-threaded files do not link' mixed

# The headers in C++17.
if command -v "$CXX" >/dev/null; then
    cplusplus() {
        $CXX -std=c++17 $warnings $EXTRA $include -o "$scratch/headers" "$root/tests/host/headers.cpp" \
            "$scratch"/atomic/*.o && "$scratch/headers"
    }
    check 'the headers are C++17 too' cplusplus
else
    skip 'the headers are C++17 too' "there is no $CXX"
fi

# The aoti host compiles without libtorch being there, as C and, its header, as C++; tests/torch/aoti runs it.
aoti_include="-I$root/templates/core -I$root/templates/hosts/aoti"
aoti() {
    for source in "$root"/templates/hosts/aoti/*.c; do
        $CC $strict -O2 $EXTRA $aoti_include -c -o "$scratch/aoti.o" "$source" || return 1
    done
}
check 'the aoti host compiles' aoti
aoti_cplusplus() {
    printf '#include "wg_aoti.h"\n' >"$scratch/aoti.cpp"
    $CXX -std=c++17 $warnings $EXTRA $aoti_include -fsyntax-only "$scratch/aoti.cpp"
}
if command -v "$CXX" >/dev/null; then
    check 'the header of the aoti host is C++17 too' aoti_cplusplus
else
    skip 'the header of the aoti host is C++17 too' "there is no $CXX"
fi

# What the objects contain: built plainly, without the caller's flags.
build_host plain -fno-pic >/dev/null 2>&1
no_state() { # no writable data, no constructors
    ! nm "$scratch"/plain/*.o | grep -E ' [bBdDcCgGsS] ' && ! objdump -h "$scratch"/plain/*.o | grep -E 'init_array|ctors'
}
check 'no file of the host keeps state, none has a constructor' no_state
no_stdio() {
    rm -f "$scratch/plain/wg_native_text.o"
    ! nm -u "$scratch"/plain/*.o | grep -E 'printf|puts|fwrite|stdout|stderr|exit|abort'
}
check 'only wg_native_text.c needs stdio, nothing exits' no_stdio

# Verbs that read are loads: none of them calls, none of them loops.
cat >"$scratch/loads.c" <<'EOF'
#include "wg_native.h"
#define LOAD(name, type, ...)                                                                                          \
    type load_##name(WgContext *ctx, const WgTensor *t);                                                              \
    type load_##name(WgContext *ctx, const WgTensor *t)                                                               \
    {                                                                                                                  \
        return wg_##name(ctx, t __VA_ARGS__);                                                                          \
    }
LOAD(rank, int32_t) LOAD(size, int64_t, , 1) LOAD(stride, int64_t, , 0) LOAD(sizes, const int64_t *)
LOAD(strides, const int64_t *) LOAD(offset, int64_t) LOAD(dtype, int32_t) LOAD(device, int32_t) LOAD(data, void *)
LOAD(requires_grad, int) LOAD(is_plain, int) LOAD(is_view, int) LOAD(version, int64_t)
EOF
loads() {
    $CC -std=c11 -O2 -fno-pic -fcf-protection=none $include -c -o "$scratch/loads.o" "$scratch/loads.c" &&
        objdump -d --no-show-raw-insn "$scratch/loads.o" >"$scratch/loads.s" &&
        [ "$(grep -c '>:$' "$scratch/loads.s")" -eq 13 ] && ! grep -E '\s(call|j[a-z]+)\s' "$scratch/loads.s" &&
        awk '/>:$/ { if (n > 6) bad = 1; n = 0; next } /ret/ { n = -99 } /^ / { n++ } END { exit bad }' "$scratch/loads.s"
}
case $(uname -m) in
x86_64) check 'verbs that read are at most six instructions' loads ;;
*) skip 'verbs that read are at most six instructions' 'known for x86-64 only' ;;
esac

# The example, compared with what it printed when it was read over.
example() {
    $CC $strict $EXTRA $include -o "$scratch/example" "$root"/examples/native/*.c "$scratch"/atomic/*.o -lm &&
        "$scratch/example" >"$scratch/printed" && diff "$root/examples/native/expected.txt" "$scratch/printed"
}
check 'examples/native prints what it should' example
finish
