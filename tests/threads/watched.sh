# SPDX-License-Identifier: MIT
#
# Sourced after tests/lib.sh. watched_threads HOST SOURCE FLAGS LIBRARIES runs threads.c over a host, whose header is HOST and whose
# files are SOURCE: once as it is, for the values; once with ThreadSanitizer, for what the values do not show. What must not be shared is
# shared once each, and generated code that keeps a counter is planted; ThreadSanitizer must tell, or it would tell of nothing.

threads_build() { # PROGRAM FLAG...
    program=$1
    shift
    # shellcheck disable=SC2086 # lists of flags and files
    $CC -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wvla -Werror -g "$@" \
        -DHOST="\"$threads_host\"" -I"$scratch" $threads_flags -o "$scratch/$program" "$root/tests/threads/threads.c" "$scratch"/*.c \
        $threads_sources $threads_libraries -lm -lpthread
}

threads_race() { # WHAT PROGRAM ARGUMENT...: exit code 66 says that ThreadSanitizer saw one
    what=$1
    shift
    "$@" >"$scratch/log" 2>&1
    status=$?
    check "$what is a race" sh -c 'cat "$1" && test "$2" -eq 66' sh "$scratch/log" $status
}

watched_threads() { # HOST SOURCES FLAGS LIBRARIES
    threads_host=$1 threads_name=$(basename "${1#wg_}" .h) threads_sources=$2 threads_flags=$3 threads_libraries=$4
    : >"$scratch/warnings"
    for yaml in "$root/tests/threads/graph.yaml" "$root/examples/matmul_key/graph.yaml"; do
        name=$(echo "$yaml" | sed -E 's,.*/threads/graph.yaml,graph,; s,.*/([a-z_]+)/graph.yaml,\1,')
        "$WRAPGEN" "$yaml" --host "$threads_name" --out "$scratch/$name.c" --header "$scratch/$name.h" 2>>"$scratch/warnings" ||
            not_ok "$name is generated" "$scratch/warnings"
    done
    # shellcheck disable=SC2086 # flags
    check 'it compiles' threads_build plain -O1 $EXTRA
    check 'eight threads get what one alone gets' "$scratch/plain"

    # A race can do anything after that, also never end.
    TSAN_OPTIONS="exitcode=66 halt_on_error=1 ${TSAN_OPTIONS-}"
    export TSAN_OPTIONS
    echo 'int main(void) { return 0; }' >"$scratch/nothing.txt"
    if ! { $CC -fsanitize=thread -x c -o "$scratch/nothing" "$scratch/nothing.txt" 2>/dev/null && "$scratch/nothing"; }; then
        skip 'threads with ThreadSanitizer' "$CC has none here"
        return
    fi
    check 'it compiles with ThreadSanitizer' threads_build watched -O1 -fsanitize=thread
    check 'and ThreadSanitizer sees no race' "$scratch/watched"
    for shared in cache context argument; do
        threads_race "one $shared of all threads" "$scratch/watched" $shared
    done
    cp "$scratch/graph.c" "$scratch/graph.txt"
    sed '/^int32_t work_sum(.*[^;]$/,/^{$/s/^{$/{ static int planted; planted++;/' "$scratch/graph.txt" >"$scratch/graph.c"
    check 'generated code has a place for a counter' sh -c '! cmp -s "$1/graph.c" "$1/graph.txt"' sh "$scratch"
    check 'it compiles with the counter' threads_build planted -O1 -fsanitize=thread
    threads_race 'a counter in generated code' "$scratch/planted"
}
