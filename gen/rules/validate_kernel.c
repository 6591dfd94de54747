/* SPDX-License-Identifier: MIT */
/*
 * validate_kernel - a kernel's own keys, and its arguments as a tree. The extra components of its key are in
 * validate_extra.c, what it returns is in validate_results.c.
 *
 * The table below says which keys an argument of each kind takes; conditions of variants are in validate_variant.c, the
 * parts that both share (paths, literals) in validate_argument.c.
 */
#include "validate.h"

#include <inttypes.h>
#include <string.h>

#include "../algebra/geometry.h"
#include "../base/str.h"
#include "../facts/kinds.h"

/* ---- keys by kind ---- */

/* What a kind of argument takes. */
static uint64_t arg_bits(SpecKind kind)
{
    uint64_t bits = KEY_BIT(SpecArg, name) | KEY_BIT(SpecArg, kind);
    if (kind_form(kind) != FORM_NOTHING) {
        bits |= KEY_BIT(SpecArg, nullable) | KEY_BIT(SpecArg, default_null);
    }
    if (kind_is_scalar(kind)) {
        bits |= KEY_BIT(SpecArg, constexpr_value) | KEY_BIT(SpecArg, default_value);
    } else if (kind == SPEC_TENSOR) {
        bits |= KEY_BIT(SpecArg, ndim) | KEY_BIT(SpecArg, dtype) | KEY_BIT(SpecArg, static_dims) |
                KEY_BIT(SpecArg, subclass_ok) | KEY_BIT(SpecArg, lazy_ok);
    } else if (kind == SPEC_LIST) {
        bits |= KEY_BIT(SpecArg, length) | KEY_BIT(SpecArg, of);
    } else if (kind_form(kind) == FORM_STRUCT) {
        bits |= KEY_BIT(SpecArg, items);
    }
    return bits;
}

static Subject arg_subject(const SpecArg *arg)
{
    return (Subject){.what = arg->name == NULL ? "this argument" : "argument", .name = arg->name};
}

static const char *arg_text(Validator *v, const SpecArg *arg)
{
    return subject_text(v, arg_subject(arg));
}

static void validate_arg_keys(Validator *v, const SpecArg *arg)
{
    const Keys keys = KEYS(SpecArg, ALL_KEYS(SpecArg).bits & ~arg_bits(arg->kind));
    validate_no_keys(v, RULE_ARGUMENT, arg, keys, arg_subject(arg), validate_kind_reason(v, arg->kind));
    if (arg->kind == SPEC_LIST && arg->of == NULL) {
        validate_error(v, RULE_ARGUMENT, diag_value(&arg->kind), "%s is a list and needs 'of', the kind of its items",
                       arg_text(v, arg));
    }
    if (kind_form(arg->kind) == FORM_STRUCT && arg->items == NULL) {
        validate_error(v, RULE_ARGUMENT, diag_value(&arg->kind), "%s is a %s and needs 'items'", arg_text(v, arg),
                       spec_kind_text(arg->kind));
    }
}

/* ---- one argument ---- */

/* `named`: it is one of the arguments, or in a record. */
static void validate_arg_name(Validator *v, const SpecArg *arg, bool named)
{
    if (named && arg->name == NULL) {
        validate_error(v, RULE_ARGUMENT, diag_mapping(arg), "an item of a record needs 'name'");
    } else if (!named && arg->name != NULL) {
        validate_error(v, RULE_ARGUMENT, diag_key(&arg->name),
                       "items of tuples and lists have no 'name'; they go by position");
    }
}

static void validate_tensor_arg(Validator *v, SpecArg *arg, bool top)
{
    Condition ndim = condition_interval(&v->scratch, 0, INT64_MAX);
    const bool known = arg->ndim != NULL && validate_condition(v, &arg->ndim, 0, "a rank", &ndim);
    if (arg->dtype != NULL) {
        (void)validate_dtypes(v, &arg->dtype);
    }
    if (!top && arg->lazy_ok != SPEC_UNSET) { /* a variant must say it of each such tensor, and a list has any number */
        validate_error(v, RULE_ARGUMENT, diag_key(&arg->lazy_ok),
                       "'lazy_ok' is for a tensor that is an argument itself, not an item of one");
    }
    keys_default(v, arg, KEYS(SpecArg, KEY_BIT(SpecArg, subclass_ok) | KEY_BIT(SpecArg, lazy_ok)));
    if (arg->static_dims.text == NULL || !validate_dimensions(v, &arg->static_dims)) {
        return;
    }
    const int64_t limit = known && condition_max(&ndim) < INT64_MAX ? condition_max(&ndim) : -1;
    validate_literals(v, RULE_GEOMETRY, &arg->static_dims, limit, "dimension", arg_subject(arg),
                      "has a rank of at most");
}

/* `top`: it can be left out of a call. */
static void validate_arg_default(Validator *v, SpecArg *arg, bool top)
{
    keys_default(v, arg, KEYS_FROM(SpecArg, nullable));
    if (!top && (arg->default_value != NULL || spec_is(arg->default_null))) {
        validate_error(v, RULE_ARGUMENT,
                       diag_key(arg->default_value != NULL ? (const void *)&arg->default_value : &arg->default_null),
                       "an item cannot be left out of a call, so it has no default");
        return;
    }
    if (spec_is(arg->default_null) && !spec_is(arg->nullable)) {
        validate_error(v, RULE_ARGUMENT, diag_key(&arg->default_null), "'default_null' needs 'nullable: true'");
    }
    if (spec_is(arg->default_null) && arg->default_value != NULL) {
        DiagMessage *message = validate_error(v, RULE_ARGUMENT, diag_key(&arg->default_null),
                                              "%s has both 'default' and 'default_null'", arg_text(v, arg));
        diag_note(v->diag, message, diag_key(&arg->default_value), "the other one");
    }
    if (arg->default_value != NULL && kind_is_scalar(arg->kind)) {
        (void)validate_scalar_literal(v, &arg->default_value, arg->kind, true);
    }
}

static void validate_arg(Validator *v, SpecArg *arg, bool named, bool top);

static void validate_items(Validator *v, SpecArg *arg)
{
    Table names;
    table_init(&names, &v->scratch);
    if (arg->items_count > VALIDATE_MAX_ITEMS) {
        validate_error(v, RULE_ARGUMENT, diag_value(&arg->items), "%s has more than %d items", arg_text(v, arg),
                       VALIDATE_MAX_ITEMS);
    }
    for (uint32_t i = 0; i < arg->items_count; i++) {
        SpecArg *item = &arg->items[i];
        validate_arg(v, item, arg->kind == SPEC_RECORD, false);
        if (arg->kind != SPEC_RECORD || item->name == NULL || !validate_name(v, &item->name, NAME_VALUE, "item")) {
            continue;
        }
        const TableEntry *first = table_add(&names, item->name, strlen(item->name), 0, i);
        if (first != NULL) {
            DiagMessage *message =
                validate_error(v, RULE_NAME_CLASH, diag_value(&item->name), "item '%s' is given twice", item->name);
            diag_note(v->diag, message, diag_value(&arg->items[first->index].name), "first given here");
        }
    }
}

static void validate_arg(Validator *v, SpecArg *arg, bool named, bool top)
{
    Condition length;
    validate_arg_name(v, arg, named);
    validate_arg_keys(v, arg);
    validate_arg_default(v, arg, top);
    if (arg->kind == SPEC_TENSOR) {
        validate_tensor_arg(v, arg, top);
    }
    if (arg->length != NULL) {
        (void)validate_condition(v, &arg->length, 0, "a length", &length);
    }
    if (arg->of != NULL) {
        validate_arg(v, arg->of, false, false);
    }
    validate_items(v, arg);
}

static void validate_key_extra(Validator *v, const SpecKernel *kernel)
{
    static const char *const words[] = {"capability", "distributed", "user"};
    Table seen;
    table_init(&seen, &v->scratch);
    for (uint32_t i = 0; i < kernel->key_extra.text_count; i++) {
        char *const *field = &kernel->key_extra.text[i];
        Nearest nearest = nearest_start(*field);
        bool known = false;
        for (size_t word = 0; word < sizeof words / sizeof words[0]; word++) {
            known = known || strcmp(words[word], *field) == 0;
            nearest_offer(v, &nearest, words[word]);
        }
        if (!known) {
            validate_error(v, RULE_VALUE, diag_value(field),
                           "'key_extra' takes capability, distributed and user, not '%s'%s", *field,
                           nearest_text(v, &nearest));
        } else if (table_add(&seen, *field, strlen(*field), 0, i) != NULL) {
            validate_error(v, RULE_REPEATED, diag_value(field), "'%s' is named twice", *field);
        }
    }
}

/* ---- the kernel ---- */

static void validate_shapes(Validator *v, SpecKernel *kernel)
{
    const Keys dynamic = KEYS(SpecKernel, KEY_BIT(SpecKernel, index_dtype) | KEY_BIT(SpecKernel, buckets));
    keys_default(v, kernel, KEYS(SpecKernel, ALL_KEYS(SpecKernel).bits & ~dynamic.bits));
    if (spec_is(kernel->static_shapes)) {
        validate_no_keys(v, RULE_KEY, kernel, dynamic, (Subject){.what = "kernel", .name = kernel->name},
                         "; that is for 'static_shapes: false'");
        return;
    }
    keys_default(v, kernel, dynamic);
}

/* NameOwner: arguments are the only named things of a kernel; their kind is not used. */
static const void *kernel_name_owner(const Validator *v, uint32_t kind, uint32_t index)
{
    (void)kind;
    return &v->kernel->args[index].name;
}

void validate_kernel(Validator *v, SpecKernel *kernel)
{
    v->kernel = kernel;
    validate_scope_start(v);
    validate_shapes(v, kernel);
    validate_key_extra(v, kernel);
    table_clear(&v->names);
    for (uint32_t i = 0; i < kernel->args_count; i++) {
        validate_own_name(v, &kernel->args[i].name, 0, i, kernel_name_owner, "argument");
    }
    for (uint32_t i = 0; i < kernel->args_count; i++) {
        validate_arg(v, &kernel->args[i], true, true);
    }
    validate_results(v, kernel);
    validate_extras(v, kernel);
    validate_variants(v, kernel);
}
