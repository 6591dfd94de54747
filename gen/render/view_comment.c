/* SPDX-License-Identifier: MIT */
/*
 * view_comment - what comments in generated code call a thing: a field of a struct "float32[s0, 64], mutated", the ops
 * of one input "inputs[0] x: float32[s0, 64], mutated".
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../facts/comment.h"
#include "view_private.h"

const char *view_input_comment(View *view, const Plan *plan, uint32_t i)
{
    const SpecInput *input = &plan->graph->inputs[i];
    Str out = str_new(view->arena);
    if (input->kind != SPEC_TENSOR) {
        comment_kind(input->kind, &out);
        if (input->value.text != NULL) {
            str_puts(&out, ", ");
            str_put_c_comment(&out, input->value.text);
        }
    } else if (input->duplicate_of >= 0) {
        str_printf(&out, "the same tensor as %s", plan->graph->inputs[input->duplicate_of].name);
    } else {
        comment_tensor(input->dtype_code, &input->size, &out);
    }
    if (plan->facts.mutation_type[i] != NOT_MUTATED) {
        str_puts(&out, ", mutated");
    }
    if (spec_is(input->frozen)) {
        str_puts(&out, ", frozen: not read");
    }
    return str_text(&out);
}

static const char *base_name(const Plan *plan, const SpecOutput *output)
{
    switch (output->base_ref.kind) {
    case SPEC_REF_INPUT:
        return plan->graph->inputs[output->base_ref.index].name;
    case SPEC_REF_OUTPUT:
        return plan->graph->outputs[output->base_ref.index].name;
    case SPEC_REF_BASE:
        return plan->graph->intermediate_bases[output->base_ref.index].name;
    case SPEC_REF_SYNTHETIC:
    case SPEC_REF_NONE:
        break;
    }
    return NULL;
}

const char *view_output_comment(View *view, const Plan *plan, const SpecOutput *output)
{
    Str out = str_new(view->arena);
    if (output->kind != SPEC_TENSOR) {
        comment_kind(output->kind, &out);
        return str_text(&out);
    }
    comment_tensor(output->dtype_code, &output->size, &out);
    const char *base = base_name(plan, output);
    if (output->type == SPEC_IS_INPUT) {
        str_printf(&out, ", the same tensor as %s", base);
    } else if (base != NULL) {
        str_printf(&out, ", aliases %s", base);
    }
    return str_text(&out);
}

/* ---- where ops come from ---- */

/* What comes after "inputs[" in "inputs[3]", when that is all: the entry's number. */
static bool is_entry(const char *place, const char *list, uint32_t count, uint32_t *index)
{
    const size_t length = strlen(list);
    char *end = NULL;
    if (strncmp(place, list, length) != 0 || place[length] != '[') {
        return false;
    }
    const unsigned long number = strtoul(place + length + 1, &end, 10);
    *index = (uint32_t)number;
    return strcmp(end, "]") == 0 && number < count;
}

static const char *named(View *view, const char *place, const char *name, const char *comment)
{
    return comment == NULL || comment[0] == '\0' ? arena_printf(view->arena, "%s %s", place, name)
                                                 : arena_printf(view->arena, "%s %s: %s", place, name, comment);
}

static const char *base_comment(View *view, const SpecBase *base)
{
    Str out = str_new(view->arena);
    comment_tensor(base->dtype_code, &base->size, &out);
    return str_text(&out);
}

const char *view_place(View *view, const Plan *plan, const char *path)
{
    const SpecGraph *graph = plan->graph;
    const size_t length = strlen(plan->path);
    uint32_t i = 0;
    if (graph == NULL || strncmp(path, plan->path, length) != 0 || path[length] != '.') {
        return path;
    }
    const char *place = path + length + 1;
    if (is_entry(place, "inputs", graph->inputs_count, &i)) {
        return named(view, place, graph->inputs[i].name, view_input_comment(view, plan, i));
    }
    if (is_entry(place, "guards", graph->guards.text_count, &i)) {
        Str out = str_new(view->arena);
        str_put_c_comment(&out, graph->guards.text[i]);
        return named(view, place, str_text(&out), NULL);
    }
    if (is_entry(place, "outputs", graph->outputs_count, &i)) {
        return named(view, place, graph->outputs[i].name, view_output_comment(view, plan, &graph->outputs[i]));
    }
    if (is_entry(place, "intermediate_bases", graph->intermediate_bases_count, &i)) {
        return named(view, place, graph->intermediate_bases[i].name, base_comment(view, &graph->intermediate_bases[i]));
    }
    if (is_entry(place, "synthetic_bases", graph->synthetic_bases_count, &i)) {
        return named(view, place, graph->synthetic_bases[i].name, NULL);
    }
    if (graph->backward != NULL && is_entry(place, "backward.tangents", graph->backward->tangents_count, &i)) {
        return arena_printf(view->arena, "%s of %s", place, graph->backward->tangents[i].of);
    }
    if (graph->backward != NULL && is_entry(place, "backward.grad_inputs", graph->backward->grad_inputs_count, &i)) {
        return arena_printf(view->arena, "%s of %s", place, graph->backward->grad_inputs[i].of);
    }
    return place;
}
