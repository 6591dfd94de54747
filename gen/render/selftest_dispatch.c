/* SPDX-License-Identifier: MIT */
/*
 * selftest_dispatch - by kernel what it takes to call its dispatcher and its key with arrays of values.
 */
#include "selftest_private.h"

#include <string.h>

/* How a member of the arguments' struct is held: see gen/dispatch/kernel.h. */
static bool is_struct(const SpecArg *arg)
{
    return kind_is_container(arg->kind) && !spec_is(arg->nullable);
}

/* The member of a WgValue, with a cast in front where one is needed. */
static const char *taken_from(const SpecArg *arg, const char **cast)
{
    const bool pointer = arg->kind != SPEC_TENSOR && spec_is(arg->nullable);
    *cast = !pointer && kind_is_int32(arg->kind) ? "(int32_t)" : NULL;
    return pointer ? "pointer" : plan_slot_member(plan_slot_type(arg->kind));
}

static Value args_of(Selftest *s, const SpecKernel *kernel)
{
    Value list = value_list(s->arena);
    for (uint32_t i = 0; i < kernel->args_count; i++) {
        const SpecArg *arg = &kernel->args[i];
        const char *cast = NULL;
        Value item = view_root(s->view);
        view_set_text(s->view, item, "name", arg->name);
        view_set_text(s->view, item, "index", selftest_number(s, i));
        view_set(s->view, item, "by_copy", value_bool(is_struct(arg)));
        view_set_text(s->view, item, "member", taken_from(arg, &cast));
        view_set_text(s->view, item, "cast", cast);
        view_set(s->view, item, "address", value_bool(strcmp(taken_from(arg, &cast), "pointer") == 0));
        value_push(s->arena, list, item);
    }
    return list;
}

/* Where a number of key_extra stands among those that a test gives. */
static Value extra_of(Selftest *s, const SpecKernel *kernel)
{
    static const char *const names[] = {"capability", "distributed", "user"};
    Value list = value_list(s->arena);
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (uint32_t k = 0; k < kernel->key_extra.text_count; k++) {
            if (strcmp(kernel->key_extra.text[k], names[i]) == 0) {
                Value item = view_root(s->view);
                view_set_text(s->view, item, "name", names[i]);
                view_set_text(s->view, item, "index", selftest_number(s, i));
                value_push(s->arena, list, item);
            }
        }
    }
    return list;
}

/* How each output is held, and in a value. */
static Value outputs_of(Selftest *s, const SpecKernel *kernel)
{
    Value list = value_list(s->arena);
    for (uint32_t i = 0; i < kernel->outputs_count; i++) {
        const SpecKind kind = kernel->outputs[i].kind;
        Value item = view_root(s->view);
        view_set_text(s->view, item, "name", kernel->outputs[i].name);
        view_set_text(s->view, item, "index", selftest_number(s, i));
        view_set_text(s->view, item, "member",
                      kind == SPEC_TENSOR  ? "tensor"
                      : kind == SPEC_FLOAT ? "real"
                                           : "integer");
        view_set(s->view, item, "owned", value_bool(kind == SPEC_TENSOR));
        view_set_text(s->view, item, "cast", kind == SPEC_BOOLEAN ? "(int32_t)" : NULL);
        value_push(s->arena, list, item);
    }
    return list;
}

static Value variants_of(Selftest *s, const Spec *spec, const SpecKernel *kernel, const char *prefix,
                         uint32_t first_graph)
{
    Value list = value_list(s->arena);
    for (uint32_t i = 0; i < kernel->variants_count; i++) {
        const SpecVariant *variant = &kernel->variants[i];
        const char *name = variant->graph != NULL ? variant->graph : variant->symbol;
        Str literal = str_new(s->arena);
        Value item = view_root(s->view);
        str_put_c_literal(&literal, name);
        view_set_text(s->view, item, "name_literal", str_text(&literal));
        if (variant->graph != NULL) {
            view_set_text(s->view, item, "graph_number", selftest_number(s, first_graph + variant->graph_index));
            view_set_text(s->view, item, "num_outputs",
                          selftest_number(s, spec->graphs[variant->graph_index].outputs_count));
            selftest_put_upper(s, item, arena_printf(s->arena, "%s%s", prefix, variant->graph));
        } else {
            selftest_push_function(s, variant->symbol, NULL, false);
            selftest_rename(s, variant->symbol);
        }
        view_set(s->view, item, "wrapper", value_bool(variant->graph != NULL));
        value_push(s->arena, list, item);
    }
    return list;
}

void selftest_push_kernel(Selftest *s, const Spec *spec, uint32_t index, const char *prefix, const char *table,
                          uint32_t first_graph)
{
    static const char *const endings[] = {
        "",           "_args",         "_defaults",    "_unbox",      "_check",        "_key",       "_key_extra",
        "_key_of",    "_key_over",     "_key_of_any",  "_key_equal",  "_key_of_boxed", "_key_hash",  "_key_print",
        "_key_items", "_cache",        "_cache_entry", "_cache_init", "_cache_find",   "_cache_put", "_cache_find_call",
        "_select",    "_explain",      "_fields",      "_table",      "_variants",     "_clauses",   "_ranges",
        "_asked",     "_alternatives", "_field_names", "_symbols",    "_call",         "_outs",      "_outs_release",
        "_run",       "_missed"};
    const SpecKernel *kernel = &spec->kernels[index];
    const char *symbol = arena_printf(s->arena, "%s%s", prefix, kernel->name);
    Value object = view_root(s->view);
    const Value extra = extra_of(s, kernel);
    view_set_text(s->view, object, "symbol", symbol);
    selftest_put_upper(s, object, symbol);
    view_set_text(s->view, object, "number", selftest_number(s, s->num_kernels++));
    view_set_text(s->view, object, "kernel_index", selftest_number(s, index));
    view_set_text(s->view, object, "spec_table", table);
    view_set(s->view, object, "args", args_of(s, kernel));
    view_set(s->view, object, "has_extra", value_bool(extra.as.list->count > 0));
    view_set(s->view, object, "extra", extra);
    view_set(s->view, object, "states_outputs", value_bool(kernel->outputs != NULL));
    view_set(s->view, object, "outputs", outputs_of(s, kernel));
    view_set_text(s->view, object, "num_outputs", selftest_number(s, kernel->outputs_count));
    view_set(s->view, object, "has_variants", value_bool(kernel->variants_count > 0));
    view_set(s->view, object, "variants", variants_of(s, spec, kernel, prefix, first_graph));
    value_push(s->arena, s->kernels, object);
    selftest_rename_all(s, symbol, endings, sizeof endings / sizeof endings[0]);
}
