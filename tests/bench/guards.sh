#!/bin/sh
# SPDX-License-Identifier: MIT
#
# guards.sh [ROUNDS] - what 1, 5 and 20 guards cost a wrapper, compared with the same tests written by hand in the compiled function of a
# graph without guards. Both are compared with that graph without tests, so that only guards count; contestants take turns.
#
# Prints a table: nanoseconds that all guards of a call add, generated and by hand, and their ratio.
. "$(dirname "$0")/../lib.sh"
set -eu
folder=$BUILD/bench/guards
rounds=${1:-101}
mkdir -p "$folder"

# Condition i in the YAML, or in C. None follows from others, and all hold for the numbers that main() passes.
condition() { # I yaml|c
    a=$((2 + $1)) b=$((5 + $1)) c=$((1000 + 37 * $1))
    if [ "$2" = yaml ]; then
        echo "m*$a + n <= k*$c and (n + $a) % $b != $((b + 1))"
    else
        echo "m * $a + n <= k * $c && (n + $a) % $b != $((b + 1))"
    fi
}

{
    echo 'wrapgen: 1'
    echo 'symbols: [{name: m, min: 1, max: 1000000}, {name: n, min: 1, max: 1000000}, {name: k, min: 1, max: 1000000}]'
    echo 'graphs:'
    for count in 0 1 5 20; do
        echo "  - {name: guards_$count, mode: inference, compiled: kernel_$count, outputs: [],"
        echo '     inputs: [{name: x, kind: int, value: m}, {name: y, kind: int, value: n}, {name: z, kind: int, value: k}],'
        echo "     guards: ["
        for i in $(seq 1 "$count"); do echo "       '$(condition "$i" yaml)',"; done
        echo '     ]}'
    done
} >"$folder/guards.yaml"

{
    echo '#include "wg_native.h"'
    echo '#include "guards.h"'
    echo '#define NOTHING(name) int32_t name(WgContext *ctx, const WgValue *args, size_t n, WgValue *outs, size_t *count) \'
    echo '{ (void)ctx; (void)args; (void)n; (void)outs; *count = 0; return 0; }'
    for count in 0 1 5 20; do echo "NOTHING(kernel_$count)"; done
    for count in 1 5 20; do
        echo "int32_t by_hand_$count(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t num_outs)"
        echo '{ const int64_t m = args[0].integer, n = args[1].integer, k = args[2].integer;'
        for i in $(seq 1 "$count"); do echo "if (!($(condition "$i" c))) { return $i; }"; done
        echo 'return guards_0_boxed(ctx, args, num_args, outs, num_outs); }'
    done
    cat <<'MAIN'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef int32_t Graph(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t num_outs);
enum { CALLS = 20000, CONTESTANTS = 7, MOST = 1001 };

static double run(WgContext *ctx, Graph *graph)
{
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int64_t i = 0; i < CALLS; i++) {
        const WgValue args[] = {wg_value_integer(8 + i % 8), wg_value_integer(16), wg_value_integer(3)};
        if (graph(ctx, args, 3, NULL, 0) != 0) {
            abort();
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    return ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / CALLS;
}

static int ascending(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

int main(int argc, char **argv)
{
    static Graph *const graphs[CONTESTANTS] = {guards_0_boxed, guards_1_boxed,  by_hand_1, guards_5_boxed,
                                               by_hand_5,      guards_20_boxed, by_hand_20};
    static const int counts[] = {1, 5, 20};
    static double times[CONTESTANTS][MOST];
    const int rounds = argc > 1 && atoi(argv[1]) < MOST ? atoi(argv[1]) : 101;
    WgContext *ctx = NULL;
    if (wg_context_create(NULL, &ctx) != 0) {
        return 1;
    }
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < CONTESTANTS; i++) {
            times[i][r] = run(ctx, graphs[i]);
        }
    }
    for (int i = 0; i < CONTESTANTS; i++) {
        qsort(times[i], (size_t)rounds, sizeof(double), ascending);
    }
    printf("guards  generated    by hand   ratio of whole calls (no guards: %.1f ns)\n", times[0][rounds / 2]);
    for (int i = 0; i < 3; i++) {
        const double ours = times[1 + 2 * i][rounds / 2];
        const double hand = times[2 + 2 * i][rounds / 2];
        const double none = times[0][rounds / 2];
        printf("%6d  +%6.1f ns  +%6.1f ns  %.2f\n", counts[i], ours - none, hand - none, ours / hand);
    }
    wg_context_destroy(ctx);
    return 0;
}
MAIN
} >"$folder/main.c"

"$WRAPGEN" --in "$folder/guards.yaml" --out "$folder/guards.c" --header "$folder/guards.h"
# shellcheck disable=SC2086 # flags
$CC -std=c11 -O2 -D_POSIX_C_SOURCE=200809L $EXTRA -I"$root/templates/core" -I"$root/templates/hosts/native" -I"$folder" \
    -o "$folder/guards" "$folder/main.c" "$folder/guards.c" "$root"/templates/core/*.c "$root"/templates/hosts/native/*.c -lm -lpthread
"$folder/guards" "$rounds"
