/* SPDX-License-Identifier: MIT */
/*
 * reference_overlaps - arguments that share memory though one of them is mutated: every tensor of an argument against
 * every one of every other argument.
 */
#include "reference_private.h"

#include <stddef.h>
#include <stdlib.h>

/* Tensor number n of those that input i consists of; null beyond the last. */
static const MockObject *tensor_of(const Reference *r, uint32_t i, uint32_t n)
{
    if (r->graph->inputs[i].subclass == NULL) {
        const WgTensor *t = r->waited[i] != NULL ? r->waited[i] : r->args[i].tensor;
        return n == 0 ? t->object : NULL;
    }
    uint32_t end = r->num_parts;
    for (uint32_t k = r->graph->inputs_count; k-- > i + 1;) {
        end = layout_is_passed(&r->graph->inputs[k]) ? r->first_part[k] : end;
    }
    for (uint32_t part = r->first_part[i]; part < end; part++) {
        if (r->parts[part].kind == SPEC_TENSOR && n-- == 0) {
            return r->parts[part].value.tensor->object;
        }
    }
    return NULL;
}

/* ---- bytes ---- */

/* The elements lie side by side without a gap, in any order of the dimensions. */
static bool is_without_gaps(const ViewGeometry *g)
{
    int64_t expected = 1;
    bool seen[VIEW_RANK] = {false};
    for (int32_t round = 0; round < g->rank; round++) {
        for (int32_t d = 0; d < g->rank; d++) {
            if (!seen[d] && g->strides[d] == expected && g->sizes[d] > 1) {
                seen[d] = true;
                expected *= g->sizes[d];
            }
        }
    }
    for (int32_t d = 0; d < g->rank; d++) {
        if (!seen[d] && g->sizes[d] != 1) {
            return false;
        }
    }
    return true;
}

enum { MOST_COUNTED = 4096 };

static bool can_be_counted(const ViewGeometry *g)
{
    int64_t n = 1;
    for (int32_t d = 0; d < g->rank && n <= MOST_COUNTED; d++) {
        n = g->sizes[d] > MOST_COUNTED ? MOST_COUNTED + 1 : n * g->sizes[d];
    }
    return n <= MOST_COUNTED;
}

bool reference_can_share(const ViewGeometry *g)
{
    const int64_t most = INT64_C(1) << 44; /* bytes: less than a storage of the mock has addresses for */
    return !view_has_elements(g) || (mock_bytes_needed(g) < most && (is_without_gaps(g) || can_be_counted(g)));
}

/* What a tensor covers: from each of these bytes on, so many. */
typedef struct Covered {
    int64_t *at; /* rising */
    size_t n;
    int64_t length;
} Covered;

static int compare_bytes(const void *a, const void *b)
{
    const int64_t first = *(const int64_t *)a;
    const int64_t second = *(const int64_t *)b;
    return (first > second) - (first < second);
}

static int64_t first_byte_of(const MockObject *object)
{
    return object->geometry.offset * view_itemsize(object->geometry.dtype);
}

static Covered cover(Arena *arena, const MockObject *object)
{
    const ViewGeometry *g = &object->geometry;
    const int64_t itemsize = view_itemsize(g->dtype);
    Covered covered = {ARENA_ARRAY(arena, int64_t, MOST_COUNTED), 0, itemsize};
    int64_t index[VIEW_RANK] = {0};
    int32_t d = 0;
    if (is_without_gaps(g)) {
        covered.at[covered.n++] = first_byte_of(object);
        covered.length = mock_bytes_needed(g) - first_byte_of(object);
        return covered;
    }
    while (d >= 0 && covered.n < MOST_COUNTED) {
        int64_t element = g->offset;
        for (d = 0; d < g->rank; d++) {
            element += index[d] * g->strides[d];
        }
        covered.at[covered.n++] = element * itemsize;
        for (d = g->rank - 1; d >= 0 && ++index[d] == g->sizes[d]; d--) {
            index[d] = 0;
        }
    }
    qsort(covered.at, covered.n, sizeof *covered.at, compare_bytes);
    return covered;
}

static bool share_bytes(Arena *arena, const MockObject *a, const MockObject *b)
{
    if (a->storage != b->storage || !view_has_elements(&a->geometry) || !view_has_elements(&b->geometry)) {
        return false;
    }
    const Covered first = cover(arena, a);
    const Covered second = cover(arena, b);
    for (size_t i = 0, k = 0; i < first.n && k < second.n;) {
        if (first.at[i] + first.length <= second.at[k]) {
            i++;
        } else if (second.at[k] + second.length <= first.at[i]) {
            k++;
        } else {
            return true;
        }
    }
    return false;
}

/* ---- inputs ---- */

static bool inputs_share(const Reference *r, uint32_t i, uint32_t k)
{
    const MockObject *a = NULL;
    const MockObject *b = NULL;
    for (uint32_t n = 0; (a = tensor_of(r, i, n)) != NULL; n++) {
        for (uint32_t m = 0; (b = tensor_of(r, k, m)) != NULL; m++) {
            if (share_bytes(&r->ctx->arena, a, b)) {
                return true;
            }
        }
    }
    return false;
}

static bool takes_part(const SpecInput *input)
{
    return input->kind == SPEC_TENSOR && layout_is_passed(input);
}

/* The first input of the kind asked for that shares memory with input i; as many as there are inputs: none does. */
static uint32_t first_sharer(const Reference *r, uint32_t i, bool mutated)
{
    const SpecInput *input = &r->graph->inputs[i];
    for (uint32_t k = 0; k < r->graph->inputs_count; k++) {
        const SpecInput *other = &r->graph->inputs[k];
        const bool merged = input->synthetic_base >= 0 && input->synthetic_base == other->synthetic_base;
        if (i != k && !merged && takes_part(other) && spec_is(other->mutates_data) == mutated &&
            inputs_share(r, i, k)) {
            return k;
        }
    }
    return r->graph->inputs_count;
}

/* The bytes that the error has to name, counted from the lower first one. */
static void note_bytes(Reference *r, uint32_t written, uint32_t other)
{
    const MockObject *a = tensor_of(r, written, 0);
    const MockObject *b = tensor_of(r, other, 0);
    const int64_t base = first_byte_of(a) < first_byte_of(b) ? first_byte_of(a) : first_byte_of(b);
    int64_t *bytes = r->error->bytes;
    r->error->other_name = r->graph->inputs[other].name;
    r->error->has_bytes = tensor_of(r, written, 1) == NULL && tensor_of(r, other, 1) == NULL;
    bytes[0] = first_byte_of(a) - base;
    bytes[1] = mock_bytes_needed(&a->geometry) - 1 - base;
    bytes[2] = first_byte_of(b) - base;
    bytes[3] = mock_bytes_needed(&b->geometry) - 1 - base;
}

/* A data mutation that reaches another argument: named after the first that is mutated; found is the first of those
 * that it reaches, mutated ones before others. */
bool reference_check_overlaps(Reference *r)
{
    for (uint32_t i = 0; i < r->graph->inputs_count; i++) {
        const SpecInput *input = &r->graph->inputs[i];
        if (!spec_is(input->mutates_data) || !takes_part(input)) {
            continue;
        }
        uint32_t other = first_sharer(r, i, true);
        other = other < r->graph->inputs_count ? other : first_sharer(r, i, false);
        if (other < r->graph->inputs_count) {
            reference_fails(r, WG_E_OVERLAP, input->name);
            r->error->other = r->args[other].tensor->object->id;
            note_bytes(r, i, other);
            return false;
        }
    }
    return true;
}
