/* SPDX-License-Identifier: MIT */
/*
 * reference_overlaps - arguments that share memory though one of them is mutated: every tensor of an argument against
 * every one of every other argument.
 */
#include "reference_private.h"

#include <stddef.h>

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

/* From the first byte of an element to the last byte of one, whatever lies between. */
static bool share_bytes(const MockObject *a, const MockObject *b)
{
    const int64_t a_first = a->geometry.offset * view_itemsize(a->geometry.dtype);
    const int64_t b_first = b->geometry.offset * view_itemsize(b->geometry.dtype);
    return a->storage == b->storage && view_has_elements(&a->geometry) && view_has_elements(&b->geometry) &&
           a_first < mock_bytes_needed(&b->geometry) && b_first < mock_bytes_needed(&a->geometry);
}

static bool inputs_share(const Reference *r, uint32_t i, uint32_t k)
{
    const MockObject *a = NULL;
    const MockObject *b = NULL;
    for (uint32_t n = 0; (a = tensor_of(r, i, n)) != NULL; n++) {
        for (uint32_t m = 0; (b = tensor_of(r, k, m)) != NULL; m++) {
            if (share_bytes(a, b)) {
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
            return false;
        }
    }
    return true;
}
