/* SPDX-License-Identifier: MIT */
/*
 * validate_training - what only a training graph has: saved values by position, tangents and gradients.
 *
 * The facts of the graph (gen/facts) determine which values have tangents and what the inner function's arguments are;
 * the YAML names each exactly once, in any order, and the order that they must have is filled in here.
 */
#include "validate.h"

#include <inttypes.h>
#include <string.h>

#include "../base/str.h"

/* ---- saved ---- */

/* Reads a position or dimension that is stated as a literal; false: reported. */
static bool literal_of(const SpecInt *integer, int64_t *value)
{
    return integer->expr != NULL && expr_is_literal(integer->expr, value);
}

static void validate_saved_dynamic(Validator *v, SpecSaved *saved, int64_t count, Subject graph)
{
    Table seen;
    table_init(&seen, &v->scratch);
    for (uint32_t i = 0; i < saved->dynamic_count; i++) {
        SpecSavedDynamic *dynamic = &saved->dynamic[i];
        int64_t index = 0;
        validate_int(v, &dynamic->index, &INTEGER_DIMENSION);
        if (validate_dimensions(v, &dynamic->dims)) {
            validate_literals(v, RULE_SAVED, &dynamic->dims, -1, "dimension", graph, "");
        }
        if (dynamic->dims.text_count == 0) {
            validate_error(v, RULE_SAVED, diag_value(&dynamic->dims.text),
                           "no dimension is named: leave the entry out");
        }
        if (!literal_of(&dynamic->index, &index)) {
            continue;
        }
        const TableEntry *first = table_add(&seen, dynamic->index.text, strlen(dynamic->index.text), 0, i);
        if (index >= count) {
            validate_error(v, RULE_SAVED, diag_value(&dynamic->index.text),
                           "saved tensor %" PRId64 " does not exist: %s saves %" PRId64, index, subject_text(v, graph),
                           count);
        } else if (first != NULL) {
            DiagMessage *message = validate_error(v, RULE_REPEATED, diag_value(&dynamic->index.text),
                                                  "saved tensor %" PRId64 " is named twice", index);
            diag_note(v->diag, message, diag_value(&saved->dynamic[first->index].index.text), "first named here");
        }
    }
}

/* The backward must not reuse a buffer that the caller still has. */
static void validate_donated(Validator *v, const SpecSaved *saved)
{
    for (uint32_t i = 0; i < saved->donated.text_count; i++) {
        int64_t position = 0;
        if (expr_is_literal(derive_expr(&saved->donated, i), &position) && saved->is_graph_input[position]) {
            DiagMessage *message = validate_error(v, RULE_SAVED, diag_value(&saved->donated.text[i]),
                                                  "saved tensor %" PRId64
                                                  " is a graph input: its buffer is the caller's and cannot be donated",
                                                  position);
            diag_note(v->diag, message, diag_value(&saved->graph_inputs.text), "named as a graph input here");
        }
    }
}

void validate_saved(Validator *v)
{
    SpecSaved *saved = v->graph->saved;
    if (!v->training) {
        return; /* reported */
    }
    saved->num_tensors = validate_count(v, &saved->tensors);
    saved->num_no_version_check = validate_count(v, &saved->tensors_no_version_check);
    saved->num_opaque = validate_count(v, &saved->opaque);
    saved->num_symints = validate_count(v, &saved->symints);
    const uint32_t count = saved->num_tensors + saved->num_no_version_check;
    const Subject graph = {.what = "the graph"};
    saved->is_graph_input = ARENA_ARRAY(v->arena, bool, count);
    bool good = validate_ints(v, &saved->graph_inputs, &INTEGER_DIMENSION) &&
                validate_literals(v, RULE_SAVED, &saved->graph_inputs, count, "saved tensor", graph, "saves");
    for (uint32_t i = 0; good && i < saved->graph_inputs.text_count; i++) {
        int64_t position = 0;
        if (expr_is_literal(derive_expr(&saved->graph_inputs, i), &position)) {
            saved->is_graph_input[position] = true;
        }
    }
    good = validate_ints(v, &saved->donated, &INTEGER_DIMENSION) &&
           validate_literals(v, RULE_SAVED, &saved->donated, count, "saved tensor", graph, "saves") && good;
    if (good) {
        validate_donated(v, saved);
    }
    validate_saved_dynamic(v, saved, count, graph);
}

/* ---- names of the backward ---- */

/* Which entry names each value: by kind and index, 1 + entry. */
typedef struct Entries {
    uint32_t *of[SPEC_REF_SYNTHETIC + 1];
} Entries;

static Entries entries_new(Arena *arena, const SpecGraph *graph)
{
    const uint32_t counts[] = {[SPEC_REF_NONE] = 0,
                               [SPEC_REF_INPUT] = graph->inputs_count,
                               [SPEC_REF_OUTPUT] = graph->outputs_count,
                               [SPEC_REF_BASE] = graph->intermediate_bases_count,
                               [SPEC_REF_SYNTHETIC] = graph->synthetic_bases_count};
    Entries entries;
    size_t total = 0;
    for (size_t kind = 0; kind < sizeof counts / sizeof counts[0]; kind++) {
        total += counts[kind];
    }
    uint32_t *all = ARENA_ARRAY(arena, uint32_t, total);
    for (size_t kind = 0; kind < sizeof counts / sizeof counts[0]; kind++) {
        entries.of[kind] = all;
        all += counts[kind];
    }
    return entries;
}

/* ---- tangents ---- */

/* The layout of a tangent: a memory format, or sizes and strides. */
static void validate_tangent_layout(Validator *v, SpecTangent *tangent)
{
    const Keys keys = KEYS(SpecTangent, KEY_BIT(SpecTangent, memory_format) | KEY_BIT(SpecTangent, size) |
                                            KEY_BIT(SpecTangent, stride));
    static const IntegerRule size = {"a tangent's size", SYMBOL_FREE, 0, NESTED_FORBIDDEN};
    static const IntegerRule stride = {"a tangent's stride", SYMBOL_FREE, 0, NESTED_FORBIDDEN};
    const Subject subject = {.what = "tangent of", .name = tangent->of};
    int64_t literal = 0;
    keys_default(v, tangent, ALL_KEYS(SpecTangent));
    if (tangent->subclass != NULL) {
        validate_no_keys(v, RULE_TANGENT, tangent, keys, subject,
                         " next to 'subclass': 'memory_format' belongs in its tree");
        validate_tree(v, tangent->subclass, TREE_TANGENT, subject);
        return;
    }
    const bool good = validate_ints(v, &tangent->size, &size) && validate_ints(v, &tangent->stride, &stride);
    const bool sized = tangent->size.text != NULL || tangent->stride.text != NULL;
    const bool both = tangent->size.text != NULL && tangent->stride.text != NULL;
    if (sized && tangent->memory_format != SPEC_MEMORY_FORMAT_UNSET) {
        validate_error(v, RULE_TANGENT, diag_key(&tangent->memory_format),
                       "tangent of '%s' has 'memory_format' as well as 'size' and 'stride'; keep one form",
                       tangent->of);
    } else if (!both && tangent->memory_format == SPEC_MEMORY_FORMAT_UNSET) {
        validate_error(v, RULE_TANGENT, diag_value(&tangent->of),
                       "tangent of '%s' needs 'memory_format', or 'size' with 'stride'", tangent->of);
    } else if (both && tangent->size.text_count != tangent->stride.text_count) {
        validate_error(v, RULE_GEOMETRY, diag_value(&tangent->stride.text),
                       "'stride' has length %" PRIu32 " and 'size' %" PRIu32, tangent->stride.text_count,
                       tangent->size.text_count);
    }
    for (uint32_t i = 0; good && i < tangent->size.text_count; i++) {
        if (!expr_is_literal(derive_expr(&tangent->size, i), &literal)) {
            validate_error(v, RULE_TANGENT, diag_value(&tangent->size.text[i]),
                           "tangent of '%s' has a symbolic size, so it states 'memory_format' instead", tangent->of);
            return;
        }
    }
    for (uint32_t i = 0; good && i < tangent->stride.text_count; i++) {
        if (!expr_is_literal(derive_expr(&tangent->stride, i), &literal)) {
            validate_error(v, RULE_TANGENT, diag_value(&tangent->stride.text[i]),
                           "tangent of '%s' has a symbolic stride, so it states 'memory_format' instead", tangent->of);
            return;
        }
    }
    if (good && both) {
        validate_tangent_overlap(v, &tangent->size, &tangent->stride,
                                 arena_printf(v->arena, "tangent of '%s'", tangent->of));
    }
}

/* The stated size of a value, or null. */
static const SpecInts *stated_size(const SpecGraph *graph, SpecRef ref)
{
    const SpecInput *input = ref.kind == SPEC_REF_INPUT ? &graph->inputs[ref.index] : NULL;
    const SpecInts *size = input != NULL                 ? &input->size
                           : ref.kind == SPEC_REF_OUTPUT ? &graph->outputs[ref.index].size
                           : ref.kind == SPEC_REF_BASE   ? &graph->intermediate_bases[ref.index].size
                                                         : NULL;
    const bool moved = input != NULL && spec_is(input->mutates_metadata);
    return size == NULL || size->text == NULL || moved ? NULL : size;
}

/* PyTorch's channels_last formats are for one rank each. */
static void compare_tangent_rank(Validator *v, const SpecTangent *tangent, const SpecInts *size)
{
    const uint32_t rank = tangent->memory_format == SPEC_CHANNELS_LAST      ? 4
                          : tangent->memory_format == SPEC_CHANNELS_LAST_3D ? 5
                                                                            : 0;
    if (rank != 0 && size->text_count != rank) {
        DiagMessage *message =
            validate_error(v, RULE_TANGENT, diag_value(&tangent->memory_format),
                           "tangent of '%s' has rank %" PRIu32 ", and this format is for rank %" PRIu32, tangent->of,
                           size->text_count, rank);
        diag_note(v->diag, message, diag_value(&size->text), "the size of '%s'", tangent->of);
    }
}

/* A tangent has the size of its value. */
static void compare_tangent_size(Validator *v, const SpecTangent *tangent)
{
    const SpecInts *size = stated_size(v->graph, tangent->of_ref);
    if (size != NULL && tangent->subclass == NULL) {
        compare_tangent_rank(v, tangent, size);
    }
    if (size == NULL || tangent->size.text == NULL) {
        return;
    }
    bool same = size->text_count == tangent->size.text_count;
    for (uint32_t i = 0; same && i < size->text_count; i++) {
        int64_t a = 0;
        int64_t b = 0;
        if (derive_expr(size, i) == NULL || !expr_is_literal(derive_expr(&tangent->size, i), &b)) {
            return; /* reported */
        }
        same = expr_is_literal(derive_expr(size, i), &a) && a == b;
    }
    if (!same) {
        DiagMessage *message = validate_error(
            v, RULE_TANGENT, diag_value(&tangent->size.text),
            "tangent of '%s' does not have the size of '%s' itself (a symbolic size needs 'memory_format')",
            tangent->of, tangent->of);
        diag_note(v->diag, message, diag_value(&size->text), "the size of '%s'", tangent->of);
    }
}

/* Why a value has no tangent. */
static const char *no_tangent(const SpecGraph *graph, SpecRef ref)
{
    if (ref.kind == SPEC_REF_OUTPUT) {
        const SpecOutput *output = &graph->outputs[ref.index];
        return output->kind != SPEC_TENSOR       ? "it is not a tensor"
               : derive_is_aliased(output->type) ? "it is regenerated outside of autograd, being an alias"
                                                 : "it does not require grad in the backward";
    }
    if (ref.kind == SPEC_REF_INPUT) {
        const SpecInput *input = &graph->inputs[ref.index];
        const bool returned =
            derive_mutation_type(graph, input, NULL) == MUTATED_OUT_GRAPH && spec_is(input->mutates_data);
        return !returned ? "no data mutation of it is applied after the graph" : "it does not require grad";
    }
    return "no gradient reaches it";
}

static void report_missing(Validator *v, const void *list, const char *what, const Entries *entries,
                           const SpecRef *refs, uint32_t num_refs, Rule rule)
{
    Str names = str_new(&v->scratch);
    for (uint32_t i = 0; i < num_refs; i++) {
        if (entries->of[refs[i].kind][refs[i].index] == 0) {
            str_printf(&names, "%s'%s'", names.length == 0 ? "" : ", ", *validate_ref_name(v->graph, refs[i]));
        }
    }
    if (names.length > 0) {
        validate_error(v, rule, diag_key(list), "%s is missing for %s", what, names.data);
    }
}

/* true: `ref` is new; an earlier entry is reported. */
static bool enter(Validator *v, Entries *entries, SpecRef ref, uint32_t entry, char *const *field, char *const *first,
                  Rule rule, const char *what)
{
    uint32_t *slot = &entries->of[ref.kind][ref.index];
    if (*slot != 0) {
        DiagMessage *message = validate_error(v, rule, diag_value(field), "a second %s of '%s'", what, *field);
        diag_note(v->diag, message, diag_value(first), "the first one");
        return false;
    }
    *slot = entry + 1;
    return true;
}

static void validate_tangents(Validator *v, const GraphFacts *facts)
{
    SpecBackward *backward = v->graph->backward;
    Entries surviving = entries_new(&v->scratch, v->graph);
    Entries entries = entries_new(&v->scratch, v->graph);
    bool unsure = false;
    for (uint32_t i = 0; i < facts->num_tangents; i++) {
        surviving.of[facts->tangents[i].kind][facts->tangents[i].index] = 1;
    }
    for (uint32_t i = 0; i < backward->tangents_count; i++) {
        SpecTangent *tangent = &backward->tangents[i];
        const unsigned wanted =
            1U << SPEC_REF_INPUT | 1U << SPEC_REF_OUTPUT | 1U << SPEC_REF_BASE | 1U << SPEC_REF_SYNTHETIC;
        validate_tangent_layout(v, tangent);
        if (!validate_reference(v, &tangent->of, wanted, "nothing", &tangent->of_ref) ||
            !validate_is_passed(v, &tangent->of, tangent->of_ref)) {
            unsure = true; /* the value it was meant for is not reported as missing too */
            continue;
        }
        const SpecRef ref = tangent->of_ref;
        if (surviving.of[ref.kind][ref.index] == 0) {
            validate_error(v, RULE_TANGENT, diag_value(&tangent->of), "'%s' has no tangent: %s", tangent->of,
                           no_tangent(v->graph, ref));
            continue;
        }
        compare_tangent_size(v, tangent);
        const uint32_t earlier = entries.of[ref.kind][ref.index];
        (void)enter(v, &entries, ref, i, &tangent->of, &backward->tangents[earlier == 0 ? i : earlier - 1].of,
                    RULE_TANGENT, "tangent");
    }
    if (!unsure) {
        report_missing(v, &backward->tangents, "a tangent", &entries, facts->tangents, facts->num_tangents,
                       RULE_TANGENT);
    }
    backward->tangent_order = ARENA_ARRAY(v->arena, uint32_t, facts->num_tangents);
    for (uint32_t i = 0; i < facts->num_tangents; i++) {
        backward->tangent_order[i] = entries.of[facts->tangents[i].kind][facts->tangents[i].index] - 1;
    }
}

/* ---- gradients ---- */

/* Why an argument cannot have a gradient, or null. */
static const char *no_gradient(const SpecGraph *graph, const InnerArg *arg)
{
    const SpecInput *input = arg->ref.kind == SPEC_REF_INPUT ? &graph->inputs[arg->ref.index] : NULL;
    if (input != NULL && input->kind != SPEC_TENSOR) {
        return "is not a tensor";
    }
    return input != NULL && spec_is(input->frozen) ? "is frozen" : arg->requires_grad ? NULL : "does not require grad";
}

static void refuse_computed(Validator *v, const SpecInts *outer, const char *what, Subject subject)
{
    for (uint32_t i = 0; i < outer->text_count; i++) {
        if (derive_is_symbolic(derive_expr(outer, i))) {
            validate_error(v, RULE_SUBCLASS, diag_value(&outer->text[i]),
                           "%s has a symbolic outer %s, which the backward does not get: it is returned with 'symints: "
                           "true', or comes from an attribute ('outer_%s_from')",
                           subject_text(v, subject), what, what);
            return;
        }
    }
}

/* The symbols are the forward's: the backward cannot compute a value that is not returned and that no attribute has. */
static void validate_told(Validator *v, const SpecSubclass *node, Subject subject)
{
    if (!spec_is(node->symints) && node->outer_size_from == NULL) {
        refuse_computed(v, &node->outer_size, "size", subject);
    }
    if (!spec_is(node->symints) && node->outer_stride_from == NULL) {
        refuse_computed(v, &node->outer_stride, "stride", subject);
    }
    for (uint32_t i = 0; i < node->inner_count; i++) {
        Subject inner = subject;
        inner.attr = node->inner[i].attr;
        validate_told(v, &node->inner[i], inner);
    }
}

static void validate_gradient(Validator *v, SpecGradInput *grad, const InnerArg *arg)
{
    const Subject subject = {.what = "gradient of", .name = grad->of};
    const char *objection = no_gradient(v->graph, arg);
    if (objection != NULL && grad->kind != SPEC_NONE) {
        validate_error(v, RULE_GRAD_INPUT, diag_value(&grad->of), "'%s' %s, so its gradient is 'kind: none'", grad->of,
                       objection);
    }
    if (grad->subclass == NULL) {
        return;
    }
    if (grad->kind == SPEC_NONE) {
        validate_error(v, RULE_GRAD_INPUT, diag_key(&grad->subclass),
                       "gradient of '%s' is 'none' and takes no 'subclass'", grad->of);
    }
    validate_tree(v, grad->subclass, TREE_GRADIENT, subject);
    validate_told(v, grad->subclass, subject);
}

static void validate_grad_inputs(Validator *v, const GraphFacts *facts)
{
    SpecBackward *backward = v->graph->backward;
    Entries args = entries_new(&v->scratch, v->graph); /* 1 + inner argument */
    Entries entries = entries_new(&v->scratch, v->graph);
    SpecRef *refs = ARENA_ARRAY(&v->scratch, SpecRef, facts->num_inner_args);
    bool unsure = false;
    for (uint32_t i = 0; i < facts->num_inner_args; i++) {
        refs[i] = facts->inner_args[i].ref;
        args.of[refs[i].kind][refs[i].index] = i + 1;
    }
    for (uint32_t i = 0; i < backward->grad_inputs_count; i++) {
        SpecGradInput *grad = &backward->grad_inputs[i];
        keys_default(v, grad, ALL_KEYS(SpecGradInput));
        if (!validate_reference(v, &grad->of, 1U << SPEC_REF_INPUT | 1U << SPEC_REF_SYNTHETIC, "no input",
                                &grad->of_ref) ||
            !validate_is_passed(v, &grad->of, grad->of_ref)) {
            unsure = true;
            continue;
        }
        const SpecRef ref = grad->of_ref;
        if (args.of[ref.kind][ref.index] == 0) {
            validate_error(v, RULE_GRAD_INPUT, diag_value(&grad->of), "'%s' is %s; gradients are those of inputs",
                           grad->of, spec_ref_text(ref.kind));
            continue;
        }
        const uint32_t earlier = entries.of[ref.kind][ref.index];
        if (enter(v, &entries, ref, i, &grad->of, &backward->grad_inputs[earlier == 0 ? i : earlier - 1].of,
                  RULE_GRAD_INPUT, "gradient")) {
            validate_gradient(v, grad, &facts->inner_args[args.of[ref.kind][ref.index] - 1]);
        }
    }
    if (!unsure) {
        report_missing(v, &backward->grad_inputs, "a gradient (perhaps 'kind: none')", &entries, refs,
                       facts->num_inner_args, RULE_GRAD_INPUT);
    }
    backward->grad_input_order = ARENA_ARRAY(v->arena, uint32_t, facts->num_inner_args);
    for (uint32_t i = 0; i < facts->num_inner_args; i++) {
        backward->grad_input_order[i] = entries.of[refs[i].kind][refs[i].index] - 1;
    }
}

static void validate_mutated_in_backward(Validator *v)
{
    SpecBackward *backward = v->graph->backward;
    Entries entries = entries_new(&v->scratch, v->graph);
    backward->mutated_index = ARENA_ARRAY(v->arena, uint32_t, backward->mutated_in_backward.text_count);
    for (uint32_t i = 0; i < backward->mutated_in_backward.text_count; i++) {
        char *const *field = &backward->mutated_in_backward.text[i];
        SpecRef ref = {SPEC_REF_NONE, 0};
        if (!validate_reference(v, field, 1U << SPEC_REF_INPUT, "no input", &ref)) {
            continue;
        }
        if (ref.kind != SPEC_REF_INPUT || v->graph->inputs[ref.index].kind != SPEC_TENSOR) {
            validate_error(v, RULE_GRAD_INPUT, diag_value(field),
                           "'%s' is not %s; 'mutated_in_backward' names inputs that are tensors", *field,
                           ref.kind != SPEC_REF_INPUT ? "an input" : "a tensor");
            continue;
        }
        const uint32_t earlier = entries.of[ref.kind][ref.index];
        if (enter(v, &entries, ref, i, field, &backward->mutated_in_backward.text[earlier == 0 ? i : earlier - 1],
                  RULE_REPEATED, "mention")) {
            backward->mutated_index[i] = ref.index;
        }
    }
}

void validate_training(Validator *v, const GraphFacts *facts)
{
    SpecBackward *backward = v->graph->backward;
    backward->num_tokens = validate_count(v, &backward->tokens);
    keys_default(v, backward, ALL_KEYS(SpecBackward));
    validate_mutated_in_backward(v);
    validate_tangents(v, facts);
    validate_grad_inputs(v, facts);
}
