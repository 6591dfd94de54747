/* SPDX-License-Identifier: MIT */
/* callee - see callee.h. */
#include "callee.h"

#include <inttypes.h>
#include <string.h>

#include "../facts/comment.h"

/* clang-format off */
static const struct {
    const char *role;
    const char *stem;
    const char *words;
} specs[VALUE_COUNT] = {
#define VALUE(role, stem, words) {#role, stem, words},
#include "values.def"
#undef VALUE
};
/* clang-format on */

SpecConvention callee_convention(const Plan *plan)
{
    return plan->backward ? SPEC_BOXED : plan->graph->convention;
}

char *callee_symbol(const Plan *plan)
{
    return plan->backward ? plan->graph->backward->compiled : plan->graph->compiled;
}

const char *callee_role(const PlanValue *value)
{
    return specs[value->role].role;
}

bool callee_is_null(const PlanValue *value)
{
    return value->role == VALUE_token || value->role == VALUE_frozen || value->role == VALUE_no_gradient ||
           value->kind == SPEC_NONE;
}

/* ---- names ---- */

/* A whole value is named after its role and name; a part, or a size of one, after its position and the last word of its
 * name, which makes it distinct; a value without a name after its number. */
const char *callee_name(const Plan *plan, const PlanValues *values, uint32_t position)
{
    const PlanValue *value = &values->at[position];
    const char *stem = specs[value->role].stem;
    const bool dimension = value->role == VALUE_size || value->role == VALUE_stride;
    const char *before = dimension && values == &plan->returns ? "out_" : "";
    if (value->name == NULL) {
        const bool alone = strncmp(stem, "rng", 3) == 0 || strncmp(stem, "new_rng", 7) == 0;
        return alone ? stem : arena_printf(plan->arena, "%s%" PRIu32, stem, value->number);
    }
    if (value->role == VALUE_no_gradient) {
        return arena_printf(plan->arena, "%s%" PRIu32, stem, position);
    }
    const char *dot = strrchr(value->name, '.');
    const char *last = dot != NULL ? dot + 1 : value->name;
    if (value->part) {
        return arena_printf(plan->arena, "%s%s%" PRIu32 "_%s", before, stem, position, last);
    }
    return dimension ? arena_printf(plan->arena, "%s%" PRIu32 "_%s", stem, value->number, last)
                     : arena_printf(plan->arena, "%s_%s", stem, last);
}

const char *callee_place(const Plan *plan, const PlanValues *values, uint32_t position)
{
    const bool returned = values == &plan->returns;
    switch (callee_convention(plan)) {
    case SPEC_DIRECT:
        return arena_printf(plan->arena, "%s%s", returned ? "*" : "", callee_name(plan, values, position));
    case SPEC_AOTI:
        return arena_printf(plan->arena, "%s %" PRIu32, returned ? "output" : "input", position);
    case SPEC_CONVENTION_UNSET:
    case SPEC_BOXED:
        break;
    }
    return arena_printf(plan->arena, "%s[%" PRIu32 "].%s", returned ? "outs" : "args", position,
                        plan_slot_member(values->at[position].type));
}

/* ---- words ---- */

static void put_words(Str *out, const PlanValue *value)
{
    for (const char *next = specs[value->role].words; *next != '\0'; next++) {
        if (*next == '*') {
            str_puts(out, value->name != NULL ? value->name : "");
        } else if (*next == '#') {
            str_printf(out, "%" PRIu32, value->number);
        } else {
            str_putc(out, *next);
        }
    }
}

static void put_layout(Str *out, const PlanValue *value)
{
    static const char *const formats[] = {[SPEC_MEMORY_FORMAT_UNSET] = "",
                                          [SPEC_CONTIGUOUS] = ", contiguous",
                                          [SPEC_CHANNELS_LAST] = ", channels_last",
                                          [SPEC_CHANNELS_LAST_3D] = ", channels_last_3d"};
    if (value->type == SLOT_TENSOR && value->stride != NULL && value->stride->text != NULL) {
        str_puts(out, ", stride ");
        comment_list(value->stride, out);
    }
    str_puts(out, value->type == SLOT_TENSOR ? formats[value->format] : "");
}

static void put_type(Str *out, const PlanValue *value)
{
    const bool stated = value->dtype >= 0 || (value->size != NULL && value->size->text != NULL);
    if (callee_is_null(value) && value->kind != SPEC_NONE) {
        return;
    }
    if (value->type != SLOT_TENSOR && value->kind != SPEC_KIND_UNSET) {
        str_puts(out, ", ");
        comment_kind(value->kind, out);
    } else if (value->type == SLOT_TENSOR && stated) {
        str_puts(out, ", ");
        comment_tensor(value->dtype, value->size, out);
    }
    put_layout(out, value);
}

/* In the graph or after it: does the function write, or does it return the value to write? */
static void put_mutation(Str *out, const Plan *plan, const PlanValue *value)
{
    str_puts(out, value->in_place ? "; written in place" : "");
    if (value->has_updated) {
        str_printf(out, "; only read, its new value is %s", callee_place(plan, &plan->returns, value->updated));
    }
}

static void put_members(Str *out, const Plan *plan, const PlanValue *value)
{
    const SpecSynthetic *base = &plan->graph->synthetic_bases[value->index];
    for (uint32_t i = 0; i < base->members.text_count; i++) {
        str_printf(out, "%s%s",
                   i == 0                              ? ""
                   : i + 1 == base->members.text_count ? " and "
                                                       : ", ",
                   base->members.text[i]);
    }
}

/* What the wrapper does with a new value. */
static void put_use(Str *out, const Plan *plan, const PlanValue *value)
{
    const SpecRef ref = plan->facts.inner_args[value->index].ref;
    const SpecInput *input = ref.kind == SPEC_REF_INPUT ? &plan->graph->inputs[ref.index] : NULL;
    if (input != NULL && spec_is(input->mutates_storage_metadata)) {
        str_printf(out, "; it becomes the %s of %s", spec_is(input->mutation_is_shallow_copy_data) ? "data" : "storage",
                   value->name);
    } else if (input != NULL && spec_is(input->mutates_metadata)) {
        str_printf(out, "; its size and stride%s go into %s",
                   spec_is(input->mutates_data) ? ", then its elements," : "", value->name);
    } else {
        str_printf(out, "; its elements go into %s", value->name);
    }
}

/* Saved tensors that are inputs of the graph are not detached, and donated ones may be overwritten. */
static void put_saved(Str *out, const Plan *plan, const PlanValue *value)
{
    const SpecSaved *saved = plan->graph->saved;
    const uint32_t position = value->number + (value->role == VALUE_saved_unchecked ? saved->num_tensors : 0);
    if (saved->is_graph_input[position]) {
        str_puts(out, "; an input of the graph");
    }
}

/* What the caller gets instead of an output that is an alias. */
static void put_alias(Str *out, const Plan *plan, const PlanValue *value)
{
    const SpecOutput *output = &plan->graph->outputs[value->index];
    if (!derive_is_aliased(output->type) || output->kind != SPEC_TENSOR) {
        return;
    }
    if (output->type == SPEC_IS_INPUT) {
        str_printf(out, "; it is not read, and the caller gets %s itself", output->base);
        return;
    }
    const char *read = output->view_count > 0       ? "only its size is read"
                       : output->as_strided != NULL ? "it is not read"
                                                    : "only its size, stride and offset are read";
    str_printf(out, "; %s, and the caller gets a view of %s", read, output->base);
}

const char *callee_text(const Plan *plan, const PlanValue *value)
{
    Str out = str_new(plan->arena);
    put_words(&out, value);
    if (value->role == VALUE_merged) {
        put_members(&out, plan, value);
    }
    put_type(&out, value);
    if (value->role == VALUE_input || value->role == VALUE_detached || value->role == VALUE_merged) {
        put_mutation(&out, plan, value);
    } else if (value->role == VALUE_updated) {
        put_use(&out, plan, value);
    } else if (value->role == VALUE_saved || value->role == VALUE_saved_unchecked) {
        put_saved(&out, plan, value);
    } else if (value->role == VALUE_output) {
        put_alias(&out, plan, value);
    }
    str_puts(&out, value->optional ? "; may be null" : "");
    return str_text(&out);
}
