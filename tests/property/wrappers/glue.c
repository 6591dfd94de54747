/* SPDX-License-Identifier: MIT */
/*
 * glue - see glue.h. Fields are reached by name, so the order of a struct that is only right by position would be
 * noticed.
 */
#include "glue.h"

#include <inttypes.h>
#include <string.h>

#include "../../../gen/plan/plan.h"

static const char *member_of(SpecKind kind)
{
    return plan_slot_member(plan_slot_type(kind));
}

static const char *type_of(SpecKind kind)
{
    static const char *const types[] = {
        [SLOT_TENSOR] = "WgTensor *", [SLOT_INTEGER] = "int64_t ", [SLOT_REAL] = "double ", [SLOT_POINTER] = "void *"};
    return types[plan_slot_type(kind)];
}

static bool consumes(const Layout *layout)
{
    return spec_is(layout->graph->consume_inputs);
}

/* ---- compiled functions ---- */

static void write_boxed(const Layout *layout, Str *out)
{
    const char *constant = consumes(layout) ? "" : "const ";
    str_printf(out, "int32_t %s(WgContext *ctx, %sWgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)\n",
               layout->graph->compiled, constant);
    str_puts(out, "{\n    return fake_compiled(ctx, (WgValue *)(uintptr_t)args, num_args, outs, num_outs);\n}\n\n");
}

static void write_direct(const Layout *layout, Str *out)
{
    str_printf(out, "int32_t %s(WgContext *ctx", layout->graph->compiled);
    for (uint32_t i = 0; i < layout->forward.num_arguments; i++) {
        str_printf(out, ", %sa%" PRIu32, type_of(layout->forward.arguments[i].kind), i);
    }
    for (uint32_t i = 0; i < layout->forward.num_flat; i++) {
        str_printf(out, ", %s*r%" PRIu32, type_of(layout->forward.flat[i].kind), i);
    }
    str_printf(out, ")\n{\n    WgValue args[%" PRIu32 "];\n    WgValue results[%" PRIu32 "] = {{0}};\n",
               layout->forward.num_arguments + 1, layout->forward.num_flat + 1);
    str_printf(out, "    size_t num_results = %" PRIu32 ";\n    int32_t status;\n", layout->forward.num_flat);
    for (uint32_t i = 0; i < layout->forward.num_arguments; i++) {
        str_printf(out, "    args[%" PRIu32 "].%s = a%" PRIu32 ";\n", i, member_of(layout->forward.arguments[i].kind),
                   i);
    }
    str_printf(out, "    status = fake_compiled(ctx, args, %" PRIu32 ", results, &num_results);\n",
               layout->forward.num_arguments);
    str_puts(out, "    if (status != 0) {\n        return status;\n    }\n");
    for (uint32_t i = 0; i < layout->forward.num_flat; i++) {
        str_printf(out, "    *r%" PRIu32 " = results[%" PRIu32 "].%s;\n", i, i,
                   member_of(layout->forward.flat[i].kind));
    }
    str_puts(out, "    return 0;\n}\n\n");
}

static void write_backward(const Layout *layout, Str *out)
{
    str_printf(out,
               "int32_t %s(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)\n",
               layout->graph->backward->compiled);
    str_puts(out, "{\n    return fake_compiled(ctx, (WgValue *)(uintptr_t)args, num_args, outs, num_outs);\n}\n\n");
}

/* ---- saved values, flat in the order of the layout ---- */

static const char *saved_array(LayoutRole role)
{
    switch (role) {
    case LAYOUT_SAVED_UNCHECKED:
        return "unchecked";
    case LAYOUT_SAVED_OPAQUE:
        return "opaque";
    case LAYOUT_SAVED_SYMINT:
        return "symints";
    case LAYOUT_TOKEN:
    case LAYOUT_UPDATED:
    case LAYOUT_OUTPUT:
    case LAYOUT_BASE:
    case LAYOUT_NEW_OFFSET:
    case LAYOUT_MEMBER:
    case LAYOUT_GRADIENT:
    case LAYOUT_SAVED:
        break;
    }
    return "tensors";
}

/* What the struct holds besides the saved values. */
static void write_notes(const Layout *layout, bool reading, Str *out)
{
    const char *format =
        reading ? "    versions[%" PRIu32 "] = s.spent;\n" : "    s.spent = (int32_t)versions[%" PRIu32 "];\n";
    if (layout->graph->saved->donated.text_count > 0) {
        str_printf(out, format, layout->first_note);
    }
    for (uint32_t i = 1; i < layout->num_notes; i++) {
        const char *shapes = reading ? "    versions[%" PRIu32 "] = s.shapes[%" PRIu32 "];\n"
                                     : "    s.shapes[%" PRIu32 "] = versions[%" PRIu32 "];\n";
        str_printf(out, shapes, reading ? layout->first_note + i : i - 1, reading ? i - 1 : layout->first_note + i);
    }
}

/* `out`: from the struct into the flat arrays, else back. */
static void write_saved(const Layout *layout, bool reading, Str *out)
{
    for (uint32_t i = layout->first_saved, n = 0; i < layout->forward.num_results; i++, n++) {
        const LayoutResult *result = &layout->forward.results[i];
        const char *array = saved_array(result->role);
        const char *member = member_of(result->kind);
        if (reading) {
            str_printf(out, "    saved[%" PRIu32 "].%s = s.%s[%" PRIu32 "];\n", n, member, array, result->index);
            if (result->role == LAYOUT_SAVED) {
                str_printf(out, "    versions[%" PRIu32 "] = s.versions[%" PRIu32 "];\n", n, result->index);
            }
        } else {
            str_printf(out, "    s.%s[%" PRIu32 "] = saved[%" PRIu32 "].%s;\n", array, result->index, n, member);
            if (result->role == LAYOUT_SAVED) {
                str_printf(out, "    s.versions[%" PRIu32 "] = versions[%" PRIu32 "];\n", result->index, n);
            }
        }
    }
    const uint32_t first = layout->first_note - layout->num_states;
    for (uint32_t i = 0; i < layout->num_states; i++) {
        const char *format = reading ? "    saved[%" PRIu32 "].tensor = s.rng_states[%" PRIu32 "];\n"
                                     : "    s.rng_states[%" PRIu32 "] = saved[%" PRIu32 "].tensor;\n";
        str_printf(out, format, reading ? first + i : i, reading ? i : first + i);
    }
    write_notes(layout, reading, out);
}

/* ---- entries ---- */

static void write_typed(const Layout *layout, const char *symbol, uint32_t number, Str *out)
{
    const SpecGraph *graph = layout->graph;
    const bool training = graph->mode == SPEC_TRAINING;
    str_printf(out,
               "static int32_t glue_typed_%" PRIu32
               "(WgContext *ctx, WgValue *args, WgValue *outs, WgValue *saved, int64_t "
               "*versions, int fault)\n{\n    %s_inputs in;\n    %s_outputs out;\n",
               number, symbol, symbol);
    if (training) {
        str_printf(out, "    %s_saved s;\n    memset(&s, 0x5a, sizeof s);\n", symbol);
    }
    str_puts(out, "    int32_t status;\n    memset(&in, 0, sizeof in);\n    memset(&out, 0x5a, sizeof out);\n");
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        str_printf(out, "    in.%s = args[%" PRIu32 "].%s;\n", graph->inputs[i].name, i,
                   member_of(graph->inputs[i].kind));
    }
    str_printf(out,
               "    status = %s(ctx, fault == GLUE_NO_ARGS ? NULL : &in, fault == GLUE_NO_OUTS ? NULL : &out%s);\n",
               symbol, training ? ", fault == GLUE_NO_SAVED ? NULL : &s" : "");
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        str_printf(out, "    args[%" PRIu32 "].%s = in.%s;\n", i, member_of(graph->inputs[i].kind),
                   graph->inputs[i].name);
    }
    str_puts(out, "    if (fault == GLUE_NO_OUTS) {\n        memset(&out, 0, sizeof out);\n    }\n");
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        str_printf(out, "    outs[%" PRIu32 "].%s = out.%s;\n", i, member_of(graph->outputs[i].kind),
                   graph->outputs[i].name);
    }
    if (training) {
        str_puts(out, "    if (fault == GLUE_NO_SAVED) {\n        memset(&s, 0, sizeof s);\n    }\n");
        write_saved(layout, true, out);
    }
    str_puts(out, "    (void)args;\n    (void)outs;\n    (void)saved;\n    (void)versions;\n    return status;\n}\n\n");
}

static void write_boxed_entry(const Layout *layout, const char *symbol, uint32_t number, Str *out)
{
    const bool training = layout->graph->mode == SPEC_TRAINING;
    str_printf(out,
               "static int32_t glue_boxed_%" PRIu32
               "(WgContext *ctx, WgValue *args, size_t num_args, WgValue *outs, size_t "
               "num_outs, WgValue *saved, int64_t *versions, int fault)\n{\n    int32_t status;\n",
               number);
    if (training) {
        str_printf(out, "    %s_saved s;\n    memset(&s, 0x5a, sizeof s);\n", symbol);
    }
    str_printf(out, "    status = %s_boxed(ctx, args, num_args, outs, num_outs%s);\n", symbol,
               training ? ", fault == GLUE_NO_SAVED ? NULL : &s" : "");
    if (training) {
        str_puts(out, "    if (fault == GLUE_NO_SAVED) {\n        memset(&s, 0, sizeof s);\n    }\n");
        write_saved(layout, true, out);
    }
    str_puts(out, "    (void)saved;\n    (void)versions;\n    (void)fault;\n    return status;\n}\n\n");
}

static void write_release(const Layout *layout, const char *symbol, uint32_t number, Str *out)
{
    const SpecGraph *graph = layout->graph;
    str_printf(out, "static void glue_release_%" PRIu32 "(WgContext *ctx, WgValue *outs, WgValue *saved)\n{\n", number);
    str_printf(out, "    %s_outputs out;\n    memset(&out, 0, sizeof out);\n", symbol);
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        str_printf(out, "    out.%s = outs[%" PRIu32 "].%s;\n", graph->outputs[i].name, i,
                   member_of(graph->outputs[i].kind));
    }
    str_printf(out, "    %s_outputs_release(ctx, &out);\n", symbol);
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        str_printf(out, "    outs[%" PRIu32 "].%s = out.%s;\n", i, member_of(graph->outputs[i].kind),
                   graph->outputs[i].name);
    }
    if (graph->mode == SPEC_TRAINING) {
        str_printf(out, "    %s_saved s;\n    int64_t versions[%" PRIu32 "];\n", symbol,
                   layout->first_note + layout->num_notes);
        str_puts(out, "    memset(&s, 0, sizeof s);\n    memset(versions, 0, sizeof versions);\n");
        write_saved(layout, false, out);
        str_printf(out, "    %s_saved_release(ctx, &s);\n", symbol);
        write_saved(layout, true, out);
        str_puts(out, "    (void)versions;\n");
    }
    str_puts(out, "    (void)outs;\n    (void)saved;\n}\n\n");
}

/* ---- the backward ---- */

static void write_backward_entry(const Layout *layout, const char *symbol, uint32_t number, Str *out)
{
    str_printf(out,
               "static int32_t glue_backward_%" PRIu32 "(WgContext *ctx, WgValue *saved, int64_t *versions, "
               "WgValue *gradients, WgValue *outs, int boxed, int fault)\n{\n    %s_saved s;\n    %s_tangents in;\n"
               "    %s_gradients out;\n    int32_t status;\n    memset(&s, 0x5a, sizeof s);\n"
               "    memset(&in, 0x5a, sizeof in);\n    memset(&out, 0x5a, sizeof out);\n",
               number, symbol, symbol, symbol);
    write_saved(layout, false, out);
    str_printf(out,
               "    if (boxed) {\n        status = %s_backward_boxed(ctx, fault == GLUE_NO_SAVED ? NULL : &s, fault == "
               "GLUE_NO_ARGS ? NULL : gradients, %" PRIu32
               " - (fault == 1) + (fault == 2), fault == GLUE_NO_OUTS ? NULL "
               ": outs, %" PRIu32 " - (fault == 3) + (fault == 4));\n",
               symbol, layout->num_returned, layout->num_gradients);
    write_notes(layout, true, out);
    str_puts(out, "        return status;\n    }\n");
    for (uint32_t i = 0; i < layout->num_tangents; i++) {
        str_printf(out, "    in.%s = gradients[%" PRIu32 "].tensor;\n", layout->tangents[i].spec->of,
                   layout->tangents[i].returned);
    }
    str_printf(out,
               "    status = %s_backward(ctx, fault == GLUE_NO_SAVED ? NULL : &s, fault == GLUE_NO_ARGS ? NULL : &in, "
               "fault == GLUE_NO_OUTS ? NULL : &out);\n",
               symbol);
    write_notes(layout, true, out);
    str_puts(out, "    if (fault == GLUE_NO_OUTS) {\n        return status;\n    }\n");
    for (uint32_t i = 0; i < layout->num_gradients; i++) {
        str_printf(out, "    outs[%" PRIu32 "].tensor = out.%s;\n", i,
                   layout->backward.results[layout->gradients[i]].name);
    }
    str_puts(out,
             "    (void)saved;\n    (void)versions;\n    (void)gradients;\n    (void)outs;\n    return status;\n}\n\n");
}

static void write_release_gradients(const Layout *layout, const char *symbol, uint32_t number, Str *out)
{
    str_printf(out,
               "static void glue_release_gradients_%" PRIu32
               "(WgContext *ctx, WgValue *outs)\n{\n    %s_gradients out;\n"
               "    memset(&out, 0, sizeof out);\n",
               number, symbol);
    for (uint32_t i = 0; i < layout->num_gradients; i++) {
        str_printf(out, "    out.%s = outs[%" PRIu32 "].tensor;\n", layout->backward.results[layout->gradients[i]].name,
                   i);
    }
    str_printf(out, "    %s_gradients_release(ctx, &out);\n", symbol);
    for (uint32_t i = 0; i < layout->num_gradients; i++) {
        str_printf(out, "    outs[%" PRIu32 "].tensor = out.%s;\n", i,
                   layout->backward.results[layout->gradients[i]].name);
    }
    str_puts(out, "    (void)outs;\n}\n\n");
}

/* ---- types and contexts ---- */

/* The arrays end with an entry of their own, so that they are never empty. */
static void write_tables(const Layout *layouts, uint32_t num_layouts, Str *out)
{
    str_puts(out, "struct WgType {\n    int number;\n};\n");
    const Layout *layout = num_layouts > 0 ? &layouts[0] : NULL;
    const uint32_t num_types = layout != NULL ? layout->spec->subclasses_count : 0;
    const uint32_t num_contexts = layout != NULL ? layout->num_contexts : 0;
    for (uint32_t i = 0; i < num_types; i++) {
        str_printf(out, "const WgType %s = {%" PRIu32 "};\n", layout->spec->subclasses[i].symbol, i);
    }
    for (uint32_t i = 0; i < num_contexts; i++) {
        str_printf(out, "const void *const %s = \"%s\";\n", layout->contexts[i], layout->contexts[i]);
    }
    str_puts(out, "const WgType *const glue_types[] = {\n");
    for (uint32_t i = 0; i < num_types; i++) {
        str_printf(out, "    &%s,\n", layout->spec->subclasses[i].symbol);
    }
    str_puts(out, "    NULL};\nconst void *const *const glue_contexts[] = {\n");
    for (uint32_t i = 0; i < num_contexts; i++) {
        str_printf(out, "    &%s,\n", layout->contexts[i]);
    }
    str_puts(out, "    NULL};\n");
}

/* ---- the whole ---- */

void glue_write(const Layout *layouts, uint32_t num_layouts, const char *prefix, const char *source, Str *out)
{
    str_printf(out, "#include \"%s\"\n#include <string.h>\n", source);
    str_puts(out, "enum { GLUE_NO_ARGS = 5, GLUE_NO_OUTS = 6, GLUE_NO_SAVED = 7 };\n");
    str_puts(
        out,
        "int32_t fake_compiled(WgContext *ctx, WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs);\n\n");
    write_tables(layouts, num_layouts, out);
    for (uint32_t i = 0; i < num_layouts; i++) {
        const Layout *layout = &layouts[i];
        const char *symbol = arena_printf(out->arena, "%s%s", prefix, layout->graph->name);
        if (layout->graph->convention == SPEC_DIRECT) {
            write_direct(layout, out);
        } else {
            write_boxed(layout, out);
        }
        if (layout->graph->backward != NULL) {
            write_backward(layout, out);
        }
        write_typed(layout, symbol, i, out);
        write_boxed_entry(layout, symbol, i, out);
        write_release(layout, symbol, i, out);
        if (layout->graph->backward != NULL) {
            write_backward_entry(layout, symbol, i, out);
            write_release_gradients(layout, symbol, i, out);
        }
    }
    str_puts(out,
             "typedef struct GlueEntry {\n"
             "    int32_t (*typed)(WgContext *, WgValue *, WgValue *, WgValue *, int64_t *, int);\n"
             "    int32_t (*boxed)(WgContext *, WgValue *, size_t, WgValue *, size_t, WgValue *, int64_t *, int);\n"
             "    void (*release)(WgContext *, WgValue *, WgValue *);\n"
             "    int32_t (*backward)(WgContext *, WgValue *, int64_t *, WgValue *, WgValue *, int, int);\n"
             "    void (*release_gradients)(WgContext *, WgValue *);\n"
             "} GlueEntry;\n\nconst GlueEntry glue_entries[] = {\n");
    for (uint32_t i = 0; i < num_layouts; i++) {
        str_printf(out, "    {glue_typed_%" PRIu32 ", glue_boxed_%" PRIu32 ", glue_release_%" PRIu32 ", ", i, i, i);
        if (layouts[i].graph->backward != NULL) {
            str_printf(out, "glue_backward_%" PRIu32 ", glue_release_gradients_%" PRIu32 "},\n", i, i);
        } else {
            str_puts(out, "NULL, NULL},\n");
        }
    }
    str_puts(out, "};\n");
}
