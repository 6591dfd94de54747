/* SPDX-License-Identifier: MIT */
/*
 * floor.h - what the hand-written wrappers share: tests as tight as they can be on the native host, and cold exits.
 *
 * A floor tests what the generated wrapper tests, calls the same verbs where they make or change something, and leaves
 * the same state behind; everything else is fields of the native host's structs, with no layer in between. floor.awk
 * writes one function a case from this.
 */
#ifndef BENCH_FLOOR_H
#define BENCH_FLOOR_H

#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "wg_native_inside.h"

#define COLD              __attribute__((cold, noinline))
#define LIKELY(condition) __builtin_expect(!!(condition), 1)

static inline int is_plain(const WgTensor *t)
{
    return t != NULL && t->type == NULL;
}

static inline int is_vector(const WgTensor *t)
{
    return is_plain(t) && t->dtype == WG_FLOAT32 && t->rank == 1 && t->sizes[0] == 4 && t->strides[0] == 1;
}

/* Inside a subclass: of any dtype. */
static inline int is_plain_vector(const WgTensor *t)
{
    return is_plain(t) && t->rank == 1 && t->sizes[0] == 4 && t->strides[0] == 1;
}

static inline int is_two_tensor(const WgTensor *t)
{
    return t != NULL && t->type == &TwoTensor && t->rank == 1 && t->sizes[0] == 4 && t->strides[0] == 1 &&
           t->subclass != NULL && t->subclass->num_attrs == 2;
}

static inline int is_matrix(const WgTensor *t)
{
    return is_plain(t) && t->dtype == WG_FLOAT32 && t->rank == 2 && t->sizes[0] == 2 && t->sizes[1] == 3 &&
           t->strides[0] == 3 && t->strides[1] == 1;
}

static inline int is_cube(const WgTensor *t)
{
    return is_plain(t) && t->dtype == WG_FLOAT32 && t->rank == 3 && t->sizes[0] == 2 && t->sizes[1] == 2 &&
           t->sizes[2] == 2 && t->strides[0] == 4 && t->strides[1] == 2 && t->strides[2] == 1;
}

/* Releases `found` values of results (null: none), clears outs, notes what is wrong with an argument. */
COLD static int32_t fail(WgContext *ctx, const char *argument, int32_t code, WgValue *results, size_t found,
                         WgValue *outs, size_t num_outs)
{
    WgSite *site = &wg_host_error_slot(ctx)->site;
    *site = (WgSite){NULL, argument, NULL, code, WG_KIND_NONE};
    wg_release_run(ctx, results, found);
    memset(outs, 0, num_outs * sizeof *outs);
    return wg_fail(ctx, site, -1, wg_value_integer(0), wg_value_integer(0));
}

/* The same for an argument that is not as stated: its name, sizes, strides and offset (-1: none). */
COLD static int32_t fail_tensor(WgContext *ctx, const char *argument, const WgTensor *t, int32_t rank,
                                const int64_t *geometry, WgValue *outs, size_t num_outs)
{
    const WgSite site = {NULL, argument, NULL, WG_E_TYPE, WG_KIND_NONE};
    WgFact facts[16];
    size_t n = 0;
    if (rank >= 0) {
        if (strchr(argument, '.') == NULL) { /* nothing is said about the dtype inside a subclass */
            facts[n++] = (WgFact){WG_RULE_DTYPE, -1, WG_FLOAT32};
        }
        facts[n++] = (WgFact){WG_RULE_RANK, -1, rank};
    }
    for (int32_t d = 0; d < rank; d++) {
        facts[n++] = (WgFact){WG_RULE_SIZE, d, geometry[d]};
    }
    for (int32_t d = 0; d < rank; d++) {
        facts[n++] = (WgFact){WG_RULE_STRIDE, d, geometry[rank + d]};
    }
    if (rank >= 0 && geometry[2 * rank] >= 0) {
        facts[n++] = (WgFact){WG_RULE_OFFSET, -1, geometry[2 * rank]};
    }
    memset(outs, 0, num_outs * sizeof *outs);
    return wg_fail_tensor(ctx, &site, t, facts, n);
}

/* The same for what should be a TwoTensor of four elements. */
COLD static int32_t fail_two_tensor(WgContext *ctx, const char *argument, const WgTensor *t, WgValue *outs)
{
    const WgSite site = {NULL, argument, NULL, WG_E_TYPE, WG_KIND_NONE};
    outs[0].tensor = NULL;
    if (t == NULL || t->type != &TwoTensor) {
        return wg_fail_type(ctx, &site, t, &TwoTensor);
    }
    return fail(ctx, argument,
                t->rank != 1         ? WG_E_RANK
                : t->sizes[0] != 4   ? WG_E_SIZE
                : t->strides[0] != 1 ? WG_E_STRIDE
                                     : WG_E_HOST,
                NULL, 0, outs, 1);
}

/* Where a tensor is looked for in a table of 2^bits. */
static inline size_t place_of(const WgTensor *t, int bits)
{
    return (size_t)((uint64_t)(uintptr_t)t * UINT64_C(0x9E3779B97F4A7C15) >> (64 - bits));
}

/* Makes each result an object of its own, a view of it or an alias, detached; false: the host failed. */
COLD __attribute__((unused)) static int own_objects(WgContext *ctx, WgValue *results, size_t n, int as_view)
{
    for (size_t i = 0; i < n; i++) {
        WgTensor *t = results[i].tensor;
        WgTensor *own = NULL;
        if ((as_view ? wg_alias_like(ctx, t, t, t->requires_grad, &own) : wg_detach(ctx, t, &own)) != 0) {
            return 0;
        }
        wg_release(ctx, t);
        results[i].tensor = own;
    }
    return 1;
}

#endif /* BENCH_FLOOR_H */
