/* SPDX-License-Identifier: MIT */
/*
 * exec.h - what the programs of tests/exec share: TAP lines, tensors from lists of numbers, a context that counts.
 *
 * Everything is allocated through a Tracking allocator (tests/host/tracking.h), so that a test can see that nothing is
 * left alive, and can make the n-th allocation fail.
 */
#ifndef EXEC_H
#define EXEC_H

#include "../host/tracking.h"

#include <stdio.h>
#include <string.h>

static int num_passed;
static int num_failed;

static inline void check(int holds, const char *what)
{
    if (holds) {
        num_passed++;
    } else {
        num_failed++;
    }
    printf("%s %d - %s\n", holds ? "ok" : "not ok", num_passed + num_failed, what);
}

static inline int closing(void)
{
    printf("%d passed, %d failed, 0 skipped\n", num_passed, num_failed);
    return num_failed == 0 ? 0 : 1;
}

/* A compact float32 tensor of `rank` sizes holding values[0], values[1], ...; null when memory is refused. */
static inline WgTensor *make(WgContext *ctx, int32_t rank, const int64_t *sizes, const double *values)
{
    WgTensor *t = NULL;
    if (wg_native_empty(ctx, WG_FLOAT32, rank, sizes, &t) != 0) {
        return NULL;
    }
    for (int64_t i = 0; i < t->num_elements; i++) {
        wg_native_set_real(t, i, values[i]);
    }
    return t;
}

/* Does it hold exactly these numbers? */
static inline int holds(const WgTensor *t, int64_t num, const double *values)
{
    int same = t != NULL && t->num_elements == num;
    for (int64_t i = 0; same && i < num; i++) {
        same = wg_native_real(t, i) == values[i];
    }
    return same;
}

/* The text of the last error contains `part`; prints it otherwise. */
static inline int error_says(WgContext *ctx, const char *part)
{
    char text[512];
    wg_error_text(wg_error(ctx), text, sizeof text);
    if (strstr(text, part) == NULL) {
        printf("# the error says: %s\n", text);
        return 0;
    }
    return 1;
}

#endif /* EXEC_H */
