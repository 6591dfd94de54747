# SPDX-License-Identifier: MIT
# A dispatcher of many variants by values far apart: 16 numbers every 2^45, each with 52 and more neighbours. Each number gets its own
# variant, numbers between them the last one.
awk 'BEGIN {
    print "wrapgen: 1\nkernels:\n  - name: f\n    args: [{name: n, kind: int}]\n    variants:"
    for (i = 0; i < 819; i++) printf "      - {symbol: f_%d, when: [{arg: n, value: %.0f}]}\n", i, i % 16 * 2 ^ 45 + int(i / 16)
    print "      - {symbol: f_any}"
}' >many.yaml
run --in many.yaml --out many.c --header many.h -Wno-unproved
exits 0 'many variants'
check "$case: a table finds them, with displacements over 255" grep -q 'uint32_t displacements' many.c
proto='(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)'
{
    echo '#include <stdio.h>'
    echo '#include "wg_native.h"'
    echo '#include "many.h"'
    echo 'static int chosen;'
    echo "#define FUNCTION(name, i) int32_t name$proto { (void)ctx; (void)args; (void)num_args; (void)outs; *num_outs = 0; chosen = (i); return 0; }"
    awk 'BEGIN { for (i = 0; i < 819; i++) printf "FUNCTION(f_%d, %d)\n", i, i }'
    cat <<'C'
FUNCTION(f_any, -1)
int main(void)
{
    WgContext *ctx = NULL;
    int wrong = wg_context_create(NULL, &ctx) != 0;
    for (int64_t high = -1; high <= 16; high++) {
        for (int64_t low = -2; low < 60; low++) {
            const WgValue value = {.integer = high * (INT64_C(1) << 45) + low};
            const int64_t i = high + 16 * low;
            size_t n = 0;
            wrong += f(ctx, &value, 1, NULL, &n) != 0;
            wrong += chosen != (high >= 0 && high < 16 && low >= 0 && i < 819 ? i : -1);
        }
    }
    printf("%d wrong\n", wrong);
    wg_context_destroy(ctx);
    return wrong != 0;
}
C
} >main.c
calls() {
    # shellcheck disable=SC2086
    $CC -std=c11 -O1 $EXTRA -I"$root/templates/core" -I"$root/templates/hosts/native" -I. -o calls main.c many.c \
        "$root"/templates/core/*.c "$root"/templates/hosts/native/*.c -lm -lpthread && ./calls
}
check "$case: each value gets its variant, and others the last one" calls
