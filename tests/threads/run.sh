#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Threads over generated code: wrappers, a training graph whose backward runs in another thread, a dispatcher, keys and their caches,
# errors (threads.c). Once as it is, for the values; once with ThreadSanitizer, for what nobody sees. What must not be shared is shared
# once each, and ThreadSanitizer must tell, or it would tell of nothing. schema/SPEC.md has the table.
. "$(dirname "$0")/../lib.sh"
here=$root/tests/threads
strict='-std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wvla -Werror -g'
include="-I$scratch -I$root/templates/core -I$root/templates/hosts/native"

"$WRAPGEN" "$here/graph.yaml" --out "$scratch/graph.c" --header "$scratch/graph.h" 2>"$scratch/log"
"$WRAPGEN" "$root/examples/mlp/graph.yaml" --out "$scratch/mlp.c" --header "$scratch/mlp.h" 2>>"$scratch/log"
"$WRAPGEN" "$root/examples/matmul_key/graph.yaml" --out "$scratch/matmul_key.c" --header "$scratch/matmul_key.h" 2>>"$scratch/log"

build() { # PROGRAM FLAG...
    program=$1
    shift
    # shellcheck disable=SC2086 # flags
    $CC $strict "$@" $include -o "$scratch/$program" "$here/threads.c" "$scratch"/*.c "$root/examples/mlp/kernel.c" \
        "$root"/templates/core/*.c "$root"/templates/hosts/native/*.c -lm -lpthread
}

# shellcheck disable=SC2086 # flags
check 'it compiles' build plain -O1 $EXTRA
check 'eight threads get what one alone gets' "$scratch/plain"

TSAN_OPTIONS="exitcode=66 halt_on_error=1" # a race can do anything after that, also never end
export TSAN_OPTIONS
echo 'int main(void) { return 0; }' >"$scratch/nothing.txt"
if $CC -fsanitize=thread -x c -o "$scratch/nothing" "$scratch/nothing.txt" 2>/dev/null && "$scratch/nothing"; then
    check 'it compiles with ThreadSanitizer' build watched -O1 -fsanitize=thread
    check 'and ThreadSanitizer sees no race' "$scratch/watched"
    for what in cache context argument; do
        "$scratch/watched" $what >"$scratch/log" 2>&1
        status=$?
        check "one $what of all threads is a race" sh -c 'cat "$1" && test "$2" -eq 66' sh "$scratch/log" $status
    done
else
    skip 'threads with ThreadSanitizer' "$CC has none here"
fi
finish
