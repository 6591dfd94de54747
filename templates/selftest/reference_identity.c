/* SPDX-License-Identifier: MIT */
/*
 * reference_identity - what the caller and autograd get is an object of its own, as in eager mode. An output that is an
 * argument itself is none that the graph made: an error, unless a custom function made a view, or autograd.Function
 * would make one of it. Of two that are one object the later is detached, those without gradient last.
 */
#include "reference_private.h"

/* A result that travels as it is: no alias, and nothing that was put together. */
typedef struct Travelling {
    bool is;
    bool requires_grad;
    bool becomes_view; /* if it is an argument */
    const char *name;
} Travelling;

static Travelling travelling_output(const Reference *r, const SpecOutput *output)
{
    const bool training = r->graph->mode == SPEC_TRAINING;
    const bool plain = output->kind == SPEC_TENSOR && output->subclass == NULL && !layout_is_alias(output->type);
    const bool viewed = output->type == SPEC_CUSTOM_FUNCTION_VIEW ||
                        (training && output->type == SPEC_NON_ALIAS && spec_is(output->requires_grad));
    return (Travelling){plain, spec_is(output->requires_grad), viewed, output->name};
}

static Travelling travelling(const Reference *r, size_t position)
{
    const LayoutResult *result = &r->inside->results[position];
    const bool training = r->graph->mode == SPEC_TRAINING;
    if (result->role == LAYOUT_OUTPUT) {
        Travelling output = travelling_output(r, &r->graph->outputs[result->index]);
        output.is = output.is && !(training && r->graph->outputs[result->index].type == SPEC_UNSAFE_VIEW_ALIAS);
        return output;
    }
    if (training && result->role == LAYOUT_UPDATED && result->tree == NULL) {
        const LayoutInner *inner = &r->layout->inner[result->index];
        return (Travelling){inner->mutates_data, inner->requires_grad, inner->requires_grad, inner->name};
    }
    if (training && result->role == LAYOUT_BASE && result->tree == NULL) {
        return (Travelling){true, true, true, r->graph->intermediate_bases[result->index].name};
    }
    return (Travelling){false, false, false, NULL};
}

/* The tensor that the compiled function was given and that the caller still has; null: none. */
static const WgTensor *kept_argument(const Reference *r, const LayoutInner *inner)
{
    if (spec_is(r->graph->consume_inputs)) {
        return NULL;
    }
    if (inner->ref.kind == SPEC_REF_SYNTHETIC) {
        return r->merged[inner->ref.index];
    }
    const SpecInput *input = &r->graph->inputs[inner->ref.index];
    const bool whole = input->kind == SPEC_TENSOR && input->subclass == NULL && !spec_is(input->frozen);
    return whole && !r->layout->detached[inner->ref.index] ? r->args[inner->ref.index].tensor : NULL;
}

static bool is_one(const WgTensor *a, const WgTensor *b)
{
    return a != NULL && b != NULL && a->object == b->object;
}

/* Are results compared with arguments? Below `check: cheap` the YAML is trusted: a result that cannot become a view of
 * an argument is not one. */
static bool with_arguments(const Reference *r)
{
    bool compared = r->graph->check >= SPEC_CHECK_CHEAP;
    for (size_t i = 0; i < r->inside->num_results; i++) {
        const Travelling self = travelling(r, i);
        compared = compared || (self.is && self.becomes_view);
    }
    return compared;
}

/* So many results and arguments that they are looked at together: each result gets an alias if any two are one. Unsafe
 * views count, which training makes anew. */
static bool are_many(const Reference *r)
{
    enum { MOST_COMPARED = 256 };
    const bool compared = with_arguments(r);
    size_t arguments = 0;
    size_t count = 0;
    for (uint32_t i = 0; i < r->layout->num_inner && compared; i++) {
        arguments += kept_argument(r, &r->layout->inner[i]) != NULL ? 1 : 0;
    }
    for (size_t i = 0; i < r->inside->num_results; i++) {
        const LayoutResult *result = &r->inside->results[i];
        const bool output = result->role == LAYOUT_OUTPUT;
        count += output ? travelling_output(r, &r->graph->outputs[result->index]).is : travelling(r, i).is;
    }
    return count * (count + arguments) > MOST_COMPARED;
}

/* The argument that the result is; null: none. */
static const LayoutInner *argument_at(const Reference *r, size_t position)
{
    for (uint32_t i = 0; i < r->layout->num_inner; i++) {
        if (is_one(r->results[position].tensor, kept_argument(r, &r->layout->inner[i]))) {
            return &r->layout->inner[i];
        }
    }
    return NULL;
}

bool reference_check_identity(Reference *r)
{
    const bool asked = r->graph->check >= SPEC_CHECK_CHEAP && !are_many(r);
    for (uint32_t i = 0; i < r->graph->outputs_count && asked; i++) {
        const Travelling output = travelling_output(r, &r->graph->outputs[i]);
        const size_t position = (size_t)r->layout->first_output + i;
        const LayoutInner *inner = output.is && !output.becomes_view ? argument_at(r, position) : NULL;
        if (inner != NULL) {
            reference_fails(r, WG_E_RESULT, output.name);
            r->error->rule = "argument";
            r->error->other = r->results[position].tensor->object->id;
            r->error->other_name = inner->name;
            return false;
        }
    }
    return true;
}

static void replace(Reference *r, size_t position, WgTensor *now)
{
    mock_drop(r->ctx, r->results[position].tensor);
    r->results[position].tensor = now;
}

static bool view_argument(Reference *r, size_t position, const char *name)
{
    WgTensor *t = r->results[position].tensor;
    WgTensor *view = NULL;
    if (!reference_did(r, wg_alias_like(r->ctx, t, t, t->object->requires_grad, &view), name)) {
        return false;
    }
    replace(r, position, view);
    return true;
}

/* Everything that travels, in the order in which it is looked at: in training what requires grad, then the rest. */
static size_t *in_order(const Reference *r, size_t *count)
{
    const bool training = r->graph->mode == SPEC_TRAINING;
    size_t *order = ARENA_ARRAY(&r->ctx->arena, size_t, r->inside->num_results + 1);
    size_t n = 0;
    for (int pass = 0; pass < (training ? 2 : 1); pass++) {
        for (size_t i = 0; i < r->inside->num_results; i++) {
            const Travelling self = travelling(r, i);
            if (self.is && (!training || self.requires_grad == (pass == 0))) {
                order[n++] = i;
            }
        }
    }
    *count = n;
    return order;
}

static bool view_arguments(Reference *r, const size_t *order, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const Travelling self = travelling(r, order[k]);
        if (self.becomes_view && argument_at(r, order[k]) != NULL && !view_argument(r, order[k], self.name)) {
            return false;
        }
    }
    return true;
}

static bool detach_taken(Reference *r, const size_t *order, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        WgTensor *t = r->results[order[k]].tensor;
        WgTensor *detached = NULL;
        bool taken = false;
        for (size_t i = 0; i < k; i++) {
            taken = taken || is_one(r->results[order[i]].tensor, t);
        }
        if (!taken) {
            continue;
        }
        if (!reference_did(r, wg_detach(r->ctx, t, &detached), travelling(r, order[k]).name)) {
            return false;
        }
        replace(r, order[k], detached);
    }
    return true;
}

static bool any_is_one(const Reference *r, const size_t *order, size_t count, bool compared)
{
    for (size_t k = 0; k < count; k++) {
        if (compared && argument_at(r, order[k]) != NULL) {
            return true;
        }
        for (size_t i = 0; i < k; i++) {
            if (is_one(r->results[order[i]].tensor, r->results[order[k]].tensor)) {
                return true;
            }
        }
    }
    return false;
}

static bool separate_all(Reference *r, const size_t *order, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const Travelling self = travelling(r, order[k]);
        WgTensor *t = r->results[order[k]].tensor;
        WgTensor *detached = NULL;
        if (t == NULL) {
            continue;
        }
        if (self.becomes_view) {
            if (!view_argument(r, order[k], NULL)) {
                return false;
            }
            continue;
        }
        if (!reference_did(r, wg_detach(r->ctx, t, &detached), NULL)) {
            return false;
        }
        replace(r, order[k], detached);
    }
    return true;
}

bool reference_separate(Reference *r)
{
    size_t count = 0;
    const size_t *order = in_order(r, &count);
    if (are_many(r)) {
        return !any_is_one(r, order, count, with_arguments(r)) || separate_all(r, order, count);
    }
    return view_arguments(r, order, count) && detach_taken(r, order, count);
}
