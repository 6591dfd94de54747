/* SPDX-License-Identifier: MIT */
/*
 * validate_results - what a kernel returns: `results`, kinds alone, or `outputs`, whose sizes follow from numbers of
 * the call. Each such number must exist in every call, since the sizes are computed in all of them.
 */
#include "validate.h"

#include <inttypes.h>
#include <string.h>

/* ---- results ---- */

/* The kind that a word of `results` means, SPEC_KIND_UNSET and reported if it is none of them. */
static SpecKind result_kind(Validator *v, char *const *field)
{
    static const SpecKind kinds[] = {SPEC_TENSOR, SPEC_INT, SPEC_FLOAT, SPEC_BOOLEAN, SPEC_NONE};
    Nearest nearest = nearest_start(*field);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(spec_kind_text(kinds[i]), *field) == 0) {
            return kinds[i];
        }
        nearest_offer(v, &nearest, spec_kind_text(kinds[i]));
    }
    validate_error(v, RULE_VALUE, diag_value(field), "'results' takes tensor, int, float, bool and none, not '%s'%s",
                   *field, nearest_text(v, &nearest));
    return SPEC_KIND_UNSET;
}

/* The kinds, one by one, which were not told before. */
static void take_kinds(Validator *v, SpecKernel *kernel, uint32_t count)
{
    kernel->result_kinds_count = count;
    kernel->result_kinds = ARENA_ARRAY(v->arena, SpecKind, (size_t)count + 1);
}

static void validate_kinds(Validator *v, SpecKernel *kernel)
{
    take_kinds(v, kernel, kernel->results.text_count);
    for (uint32_t i = 0; i < kernel->result_kinds_count; i++) {
        kernel->result_kinds[i] = result_kind(v, &kernel->results.text[i]);
    }
}

/* ---- one output ---- */

static Subject output_subject(const SpecKernelOutput *output)
{
    return (Subject){.what = "output", .name = output->name};
}

static void validate_output_name(Validator *v, const SpecKernel *kernel, uint32_t index, Table *names)
{
    SpecKernelOutput *output = &kernel->outputs[index];
    if (!validate_name(v, &output->name, NAME_VALUE, "output")) {
        return;
    }
    const TableEntry *first = table_add(names, output->name, strlen(output->name), 0, index);
    const TableEntry *symbol = table_find(&v->symbols, output->name, strlen(output->name));
    if (first != NULL || symbol != NULL) {
        DiagMessage *message = validate_error(v, RULE_NAME_CLASH, diag_value(&output->name),
                                              "output '%s': the name is taken", output->name);
        diag_note(
            v->diag, message,
            diag_value(first != NULL ? &kernel->outputs[first->index].name : &v->spec->symbols[symbol->index].name),
            first != NULL ? "first given here" : "by this symbol");
    }
}

/* The argument on whose device the tensor is made: there in every call. */
static void validate_allocate(Validator *v, const SpecKernel *kernel, SpecKernelOutput *output)
{
    const TableEntry *entry = table_find(&v->names, output->allocate, strlen(output->allocate));
    if (entry == NULL) {
        Nearest nearest = nearest_start(output->allocate);
        for (uint32_t i = 0; i < kernel->args_count; i++) {
            if (kernel->args[i].kind == SPEC_TENSOR) {
                nearest_offer(v, &nearest, kernel->args[i].name);
            }
        }
        validate_error(v, RULE_REFERENCE, diag_value(&output->allocate), "kernel '%s' has no argument '%s'%s",
                       kernel->name, output->allocate, nearest_text(v, &nearest));
        return;
    }
    const SpecArg *arg = &kernel->args[entry->index];
    output->allocate_index = entry->index;
    if (arg->kind != SPEC_TENSOR || spec_is(arg->nullable)) {
        DiagMessage *message =
            validate_error(v, RULE_OUTPUT, diag_value(&output->allocate),
                           arg->kind != SPEC_TENSOR ? "output '%s' is made on the device of a tensor, which '%s' is not"
                                                    : "output '%s' is made on the device of '%s', which may be null",
                           output->name, arg->name);
        diag_note(v->diag, message, diag_value(&arg->name), "the argument");
    }
    if (output->dtype == NULL || output->size.text == NULL) {
        validate_error(v, RULE_KEY, diag_key(&output->allocate), "output '%s' has 'allocate' and needs '%s'",
                       output->name, output->dtype == NULL ? "dtype" : "size");
    }
}

/* An element of it would have more than one index. Strides that symbols tell are the author's to get right. */
static void validate_allocated_strides(Validator *v, const SpecKernelOutput *output)
{
    for (uint32_t i = 0; output->size.text_count == output->stride.text_count && i < output->stride.text_count; i++) {
        int64_t size = 2;
        int64_t stride = 1;
        (void)expr_is_literal(derive_expr(&output->size, i), &size);
        if (expr_is_literal(derive_expr(&output->stride, i), &stride) && stride == 0 && size > 1) {
            validate_error(v, RULE_OUTPUT, diag_value(&output->stride.text[i]),
                           "output '%s' is made anew, so its elements cannot share memory", output->name);
        }
    }
}

static void validate_tensor_output(Validator *v, const SpecKernel *kernel, SpecKernelOutput *output)
{
    output->dtype_code = validate_dtype(v, &output->dtype);
    validate_geometry(v, &output->size, &output->stride, NULL, SYMBOL_FREE);
    if (output->stride.text != NULL && output->size.text == NULL) {
        validate_error(v, RULE_KEY, diag_key(&output->stride.text), "output '%s' has 'stride' and needs 'size'",
                       output->name);
    }
    if (output->allocate != NULL) {
        validate_allocate(v, kernel, output);
        validate_allocated_strides(v, output);
    }
}

static void validate_kernel_output(Validator *v, const SpecKernel *kernel, SpecKernelOutput *output)
{
    keys_default(v, output, KEYS(SpecKernelOutput, KEY_BIT(SpecKernelOutput, kind)));
    if (output->kind == SPEC_TENSOR) {
        validate_tensor_output(v, kernel, output);
        return;
    }
    const uint64_t always = KEY_BIT(SpecKernelOutput, name) | KEY_BIT(SpecKernelOutput, kind);
    (void)validate_no_keys(v, RULE_KEY, output, KEYS(SpecKernelOutput, ALL_KEYS(SpecKernelOutput).bits & ~always),
                           output_subject(output), validate_kind_reason(v, output->kind));
}

/* ---- the numbers of a call ---- */

/* Has every tensor of that argument more than `dim` dims? */
static bool always_has(Validator *v, const SpecArg *arg, int64_t dim)
{
    Condition ndim;
    bool has = arg->ndim != NULL && validate_condition_quietly(v, &arg->ndim, &ndim) && condition_min(&ndim) > dim;
    for (uint32_t i = 0; !has && i < arg->static_dims.text_count; i++) {
        int64_t marked = -1;
        has = expr_is_literal(derive_expr(&arg->static_dims, i), &marked) && marked >= dim;
    }
    return has;
}

/* What keeps an argument from being there in every call, as the end of a sentence that begins with its path; null:
 * nothing. */
static const char *absence(const SpecArg *arg, bool last)
{
    if (spec_is(arg->nullable)) {
        return "may be null";
    }
    return !last && arg->kind == SPEC_LIST ? "is a list, which may be too short" : NULL;
}

/* false: reported. The path was found before, so that each part of it is there. */
static bool is_in_every_call(Validator *v, const SpecKernel *kernel, const SpecNumber *number)
{
    const char *at = number->arg;
    size_t length = strcspn(at, ".");
    const SpecArg *arg = &kernel->args[table_find(&v->names, at, length)->index];
    for (;;) {
        const bool last = at[length] == '\0';
        const char *why = absence(arg, last);
        if (why != NULL) {
            const size_t reached = (size_t)(at - number->arg) + length;
            validate_error(v, RULE_OUTPUT, diag_value(&number->arg),
                           "'%s' is bound to a number that some calls do not have: '%s' %s", number->symbol,
                           arena_copy(&v->scratch, number->arg, reached), why);
            return false;
        }
        if (last) {
            return true;
        }
        at += length + 1;
        length = strcspn(at, ".");
        int64_t index = 0;
        const char *step = arena_copy(&v->scratch, at, length);
        for (uint32_t i = 0; arg->kind == SPEC_RECORD && i < arg->items_count; i++) {
            index = str_equal(arg->items[i].name, step) ? i : index;
        }
        if (arg->kind == SPEC_TUPLE) {
            (void)expr_parse_integer(step, &index);
        }
        arg = &arg->items[index];
    }
}

/* false: reported. */
static bool validate_call_number(Validator *v, const SpecKernel *kernel, SpecNumber *number)
{
    CallNumber found;
    if (!validate_number(v, RULE_OUTPUT, "an output", kernel, number, &found) || !is_in_every_call(v, kernel, number)) {
        return false;
    }
    const bool sized = number->of == SPEC_NUMBER_SIZE;
    const char *format = sized && !always_has(v, found.arg, found.dim)
                             ? "'%s' is bound to a number that some calls do not have: '%s' may have too few dims; "
                               "state 'ndim'"
                         : sized && found.arg->subclass_ok != SPEC_FALSE
                             ? "'%s' is bound to a number that some calls do not have: '%s' may be a subclass, whose "
                               "sizes may be symbolic; state 'subclass_ok: false'"
                             : NULL;
    if (format != NULL) {
        DiagMessage *message =
            validate_error(v, RULE_OUTPUT, diag_value(&number->symbol), format, number->symbol, number->arg);
        diag_note(v->diag, message, diag_value(&found.arg->kind), "the tensor");
    }
    return format == NULL;
}

static void collect(const SpecInts *ints, ExprSymbols *used)
{
    for (uint32_t i = 0; ints->expr != NULL && i < ints->text_count; i++) {
        if (ints->expr[i] != NULL) {
            expr_collect_symbols(ints->expr[i], used);
        }
    }
}

/* Each symbol of the list is bound to a number. */
static void validate_bound(Validator *v, SpecInts *ints, SpecNumber *const *bound)
{
    for (uint32_t i = 0; ints->expr != NULL && i < ints->text_count; i++) {
        ExprSymbols used = expr_symbols_new(&v->scratch, v->spec->symbols_count);
        if (ints->expr[i] != NULL) {
            expr_collect_symbols(ints->expr[i], &used);
        }
        for (uint32_t k = 0; k < used.count; k++) {
            if (bound[used.at[k]] == NULL) {
                validate_error(v, RULE_SYMBOL_UNBOUND, diag_value(&ints->text[i]),
                               "symbol '%s' is used but no entry of 'where' binds it",
                               v->spec->symbols[used.at[k]].name);
            }
        }
    }
}

/* Each symbol is bound to one number, and each number is in an output. */
static void validate_numbers(Validator *v, SpecKernel *kernel)
{
    ExprSymbols used = expr_symbols_new(&v->scratch, v->spec->symbols_count);
    SpecNumber **bound = ARENA_ARRAY(&v->scratch, SpecNumber *, (size_t)v->spec->symbols_count + 1);
    bool good = true;
    for (uint32_t i = 0; i < kernel->outputs_count; i++) {
        collect(&kernel->outputs[i].size, &used);
        collect(&kernel->outputs[i].stride, &used);
    }
    for (uint32_t i = 0; i < kernel->where_count; i++) {
        SpecNumber *number = &kernel->where[i];
        if (!validate_call_number(v, kernel, number)) {
            good = false;
            continue;
        }
        if (validate_bound_once(v, bound, number) && !used.seen[number->symbol_index]) {
            validate_error(v, RULE_OUTPUT, diag_value(&number->symbol), "no size or stride of an output has '%s'",
                           number->symbol);
        }
    }
    for (uint32_t i = 0; good && i < kernel->outputs_count; i++) {
        validate_bound(v, &kernel->outputs[i].size, bound);
        validate_bound(v, &kernel->outputs[i].stride, bound);
    }
}

/* ---- all of it ---- */

/* A graph's wrapper returns what it makes, so it could not be given a tensor to fill. */
static void validate_who_makes(Validator *v, const SpecKernel *kernel)
{
    for (uint32_t i = 0; i < kernel->outputs_count; i++) {
        const SpecKernelOutput *output = &kernel->outputs[i];
        for (uint32_t k = 0; output->allocate != NULL && k < kernel->variants_count; k++) {
            const SpecVariant *variant = &kernel->variants[k];
            if (variant->graph != NULL) {
                DiagMessage *message = validate_error(
                    v, RULE_OUTPUT, diag_value(&output->allocate),
                    "output '%s' is passed to variants, but '%s' is a graph, which makes its outputs itself",
                    output->name, variant->graph);
                diag_note(v->diag, message, diag_value(&variant->graph), "the variant");
                return;
            }
        }
    }
}

static void validate_kernel_outputs(Validator *v, SpecKernel *kernel)
{
    Table names;
    table_init(&names, &v->scratch);
    take_kinds(v, kernel, kernel->outputs_count);
    if (kernel->outputs_count > VALIDATE_MAX_ITEMS) {
        validate_error(v, RULE_OUTPUT, diag_value(&kernel->outputs), "kernel '%s' has more than %d outputs",
                       kernel->name, VALIDATE_MAX_ITEMS);
    }
    for (uint32_t i = 0; i < kernel->outputs_count; i++) {
        validate_output_name(v, kernel, i, &names);
        validate_kernel_output(v, kernel, &kernel->outputs[i]);
        kernel->result_kinds[i] = kernel->outputs[i].kind;
    }
    validate_numbers(v, kernel);
    validate_who_makes(v, kernel);
}

void validate_results(Validator *v, SpecKernel *kernel)
{
    const bool kinds = kernel->results.text != NULL;
    const bool outputs = kernel->outputs != NULL;
    const void *key = outputs ? (const void *)&kernel->outputs : &kernel->results.text;
    if (kernel->where != NULL && !outputs) {
        validate_error(v, RULE_KEY, diag_key(&kernel->where),
                       "'where' binds symbols of 'outputs', but kernel '%s' has no 'outputs'", kernel->name);
    }
    if (kinds && outputs) {
        DiagMessage *message = validate_error(v, RULE_KEY, diag_key(&kernel->outputs),
                                              "kernel '%s' has both 'results' and 'outputs'", kernel->name);
        diag_note(v->diag, message, diag_key(&kernel->results.text), "the other one");
    }
    if ((kinds || outputs) && kernel->variants_count == 0) {
        validate_error(v, RULE_CALL, diag_key(key), "'%s' says what variants return, but kernel '%s' has none",
                       outputs ? "outputs" : "results", kernel->name);
    }
    if (outputs) {
        validate_kernel_outputs(v, kernel);
    } else if (kinds) {
        validate_kinds(v, kernel);
    }
}
