# SPDX-License-Identifier: MIT
#
# Sourced after tests/lib.sh by suites of programs in C. Programs link against the tool itself, $BUILD/libwrapgen.a, which make
# brings up to date, so they are built with the same compiler and sanitizers.
#
#   build_library                     once
#   build_program NAME SOURCE FLAG... $programs/NAME; a failed build is a failed test
#   run_program NAME ARGUMENT...      shows its tests and adds up its closing line

programs=$BUILD/tests/programs
library=$BUILD/libwrapgen.a

build_library() {
    mkdir -p "$programs"
    make -s -C "$root" BUILD="$BUILD" "$library" >"$scratch/library" 2>&1 || not_ok 'the library builds' "$scratch/library"
}

build_program() {
    name=$1
    source=$2
    shift 2
    # shellcheck disable=SC2086
    $CC -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wvla -Wcast-qual -Wmissing-prototypes \
        -Werror -D_POSIX_C_SOURCE=200809L -I"$root" -O1 -g $EXTRA ${CFLAGS-} -o "$programs/$name" "$source" "$library" "$@" \
        >"$scratch/build" 2>&1 || {
        not_ok "$name builds" "$scratch/build"
        return 1
    }
}

run_program() {
    name=$1
    shift
    (cd "$root" && "$programs/$name" "$@") >"$scratch/run" 2>&1
    status=$?
    counts=$(tail -n 1 "$scratch/run" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p')
    # shellcheck disable=SC2086
    set -- $counts
    if [ $# -ne 3 ] || { [ "$status" -ne 0 ] && [ "$2" -eq 0 ]; }; then
        not_ok "$name ends well (status $status)" "$scratch/run"
        return
    fi
    sed '$d' "$scratch/run"
    passed=$((passed + $1))
    failed=$((failed + $2))
    skipped=$((skipped + $3))
}
