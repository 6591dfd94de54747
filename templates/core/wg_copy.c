/* SPDX-License-Identifier: 0BSD */
/*
 * wg_copy.c - strided copies between any two element types, without allocation and with nothing from libc but memcpy.
 *
 * A copy becomes a plan: dimensions of size 1 are dropped, the rest sorted by the destination's stride and merged where
 * both sides allow it. A tensor has fewer than 2^63 elements, so at most 62 dimensions have size 2 or more, and a plan
 * of fixed size is enough for every rank. The innermost dimension is copied as a row: by memcpy, a loop over elements
 * of one width, or, between types, in chunks through the widest number of the source's family.
 */
#include "wg_copy.h"

#include <string.h>

enum { PLAN_DIMENSIONS = 63 };

/* ---- plans ---- */

typedef struct Dimension {
    int64_t size;
    int64_t dst_step; /* bytes */
    int64_t src_step;
} Dimension;

typedef struct Plan {
    Dimension dimensions[PLAN_DIMENSIONS]; /* innermost first */
    int32_t count;
    int is_empty;
} Plan;

static int64_t distance(int64_t step)
{
    return step < 0 ? -step : step;
}

static void plan_insert(Plan *plan, Dimension dimension)
{
    int32_t at = plan->count;
    while (at > 0 && distance(plan->dimensions[at - 1].dst_step) > distance(dimension.dst_step)) {
        plan->dimensions[at] = plan->dimensions[at - 1];
        at--;
    }
    plan->dimensions[at] = dimension;
    plan->count++;
}

static void plan_merge(Plan *plan)
{
    int32_t last = 0;
    for (int32_t i = 1; i < plan->count; i++) {
        Dimension *inner = &plan->dimensions[last];
        const Dimension *outer = &plan->dimensions[i];
        if (outer->dst_step == inner->dst_step * inner->size && outer->src_step == inner->src_step * inner->size) {
            inner->size *= outer->size;
        } else {
            last++;
            plan->dimensions[last] = *outer;
        }
    }
    plan->count = plan->count == 0 ? 0 : last + 1;
}

static void plan_build(Plan *plan, const WgCopySide *dst, const WgCopySide *src)
{
    const int32_t dst_size = wg_dtype_size(dst->dtype);
    const int32_t src_size = wg_dtype_size(src->dtype);
    int64_t dst_compact = 1;
    int64_t src_compact = 1;
    plan->count = 0;
    plan->is_empty = 0;
    for (int32_t i = 0; i < dst->rank; i++) {
        plan->is_empty |= dst->sizes[i] == 0;
    }
    for (int32_t i = plan->is_empty ? 0 : dst->rank; i-- > 0;) {
        const int32_t src_i = i - (dst->rank - src->rank);
        const int64_t src_steps = src_i < 0 ? 1 : src->sizes[src_i];
        Dimension dimension = {dst->sizes[i], 0, 0};
        if (dimension.size > 1) {
            dimension.dst_step = dst_size * (dst->strides == NULL ? dst_compact : dst->strides[i]);
            if (src_steps > 1) {
                dimension.src_step = src_size * (src->strides == NULL ? src_compact : src->strides[src_i]);
            }
            plan_insert(plan, dimension);
        }
        dst_compact *= dimension.size;
        src_compact *= src_steps;
    }
    plan_merge(plan);
    if (plan->count == 0) {
        plan_insert(plan, (Dimension){1, dst_size, src_size});
    }
}

/* ---- rows ---- */

static void copy_row(const Dimension *row, int32_t size, char *dst, const char *src)
{
    if (row->dst_step == size && row->src_step == size) {
        memcpy(dst, src, (size_t)(row->size * size));
        return;
    }
    for (int64_t i = 0; i < row->size; i++) {
        char *to = dst + i * row->dst_step;
        const char *from = src + i * row->src_step;
        switch (size) { /* a constant size makes each memcpy one load and one store */
        case 1:
            memcpy(to, from, 1);
            break;
        case 2:
            memcpy(to, from, 2);
            break;
        case 4:
            memcpy(to, from, 4);
            break;
        case 8:
            memcpy(to, from, 8);
            break;
        case 16:
            memcpy(to, from, 16);
            break;
        }
    }
}

/* ---- what the header declares ---- */

int wg_copy_fits(const WgCopySide *dst, const WgCopySide *src)
{
    const int32_t lead = dst->rank - src->rank;
    int fits = lead >= 0;
    for (int32_t i = 0; fits && i < src->rank; i++) {
        fits = src->sizes[i] == dst->sizes[i + lead] || src->sizes[i] == 1;
    }
    return fits;
}

int wg_copy_repeats(const WgCopySide *dst)
{
    int repeats = 0;
    int is_empty = 0;
    for (int32_t i = 0; i < dst->rank; i++) {
        is_empty |= dst->sizes[i] == 0;
        repeats |= dst->strides != NULL && dst->strides[i] == 0 && dst->sizes[i] > 1;
    }
    return repeats && !is_empty;
}

void wg_copy_strided(const WgCopySide *dst, const WgCopySide *src)
{
    Plan plan;
    const Dimension *row = &plan.dimensions[0];
    int64_t position[PLAN_DIMENSIONS] = {0};
    plan_build(&plan, dst, src);
    if (plan.is_empty) {
        return;
    }
    char *to = dst->data;
    const char *from = src->data;
    for (;;) {
        if (dst->dtype == src->dtype) {
            copy_row(row, wg_dtype_size(dst->dtype), to, from);
        } else {
            wg_convert_row(row->size, dst->dtype, to, row->dst_step, src->dtype, from, row->src_step);
        }
        int32_t i = 1;
        for (; i < plan.count && ++position[i] == plan.dimensions[i].size; i++) {
            to -= plan.dimensions[i].dst_step * (plan.dimensions[i].size - 1);
            from -= plan.dimensions[i].src_step * (plan.dimensions[i].size - 1);
            position[i] = 0;
        }
        if (i >= plan.count) {
            return;
        }
        to += plan.dimensions[i].dst_step;
        from += plan.dimensions[i].src_step;
    }
}
