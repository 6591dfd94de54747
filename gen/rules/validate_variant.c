/* SPDX-License-Identifier: MIT */
/*
 * validate_variant - the conditions of a kernel's variants: each fits its argument, and all of one variant can hold
 * together.
 *
 * Facts about one argument are gathered field by field (Known) over all entries of a variant, beginning with what the
 * argument's declaration requires of every call; an entry that leaves no value of a field is an error at that entry
 * (E_NEVER). Fields are checked one by one: the dispatcher finds conditions that contradict each other through a
 * symbol.
 */
#include "validate.h"

#include <inttypes.h>
#include <string.h>

#include "../algebra/cpu.h"
#include "../algebra/geometry.h"
#include "../base/real.h"
#include "../base/str.h"
#include "../facts/kinds.h"

/* A condition on one integer of an argument, and the value in the YAML that last narrowed it. */
typedef struct Field {
    Condition condition;
    const void *said; /* null: no condition yet */
} Field;

/* What one variant knows about one argument. */
typedef struct Known {
    const SpecArg *arg;
    const char *path;
#define INTEGER(key, KIND, FIELD, what, never) Field key;
#include "../facts/integers.def"
#undef INTEGER
    Field value; /* of an int */
    Field *size; /* `rank` of them once a list was given */
    Field *stride;
    uint32_t rank;
    uint64_t dtypes; /* mask; all as long as there is no condition */
    const void *dtype_said;
    const char *literal; /* value of a scalar that is not an int */
    const void *literal_said;
    int32_t device_type;
    int32_t device_index;
    const void *device_said;
    SpecBool is_null;
    const void *null_said;
    const void *other_said; /* a condition that null cannot satisfy */
} Known;

static void never(Validator *v, const void *value, const void *earlier, const char *format, const char *path)
{
    DiagMessage *message = validate_error(v, RULE_NEVER, diag_value(value), format, path);
    if (earlier != NULL) {
        diag_note(v->diag, message, diag_value(earlier), "together with this");
    }
}

/* Adds a condition to a field; false: no value is left. */
static bool add(Validator *v, Field *field, const Condition *condition, const void *said)
{
    const Condition both =
        field->condition.ranges == NULL ? *condition : condition_intersect(&v->scratch, &field->condition, condition);
    if (condition_is_empty(&both)) {
        return false;
    }
    field->condition = both;
    field->said = said;
    return true;
}

static void add_or_report(Validator *v, Known *known, Field *field, const Condition *condition, const void *said,
                          const char *format)
{
    if (!add(v, field, condition, said)) {
        never(v, said, field->said, format, known->path);
    }
}

/* ---- what the declaration says ---- */

static Known known_start(Validator *v, const SpecArg *arg, const char *path)
{
    Known known = {.arg = arg, .path = path, .dtypes = UINT64_MAX, .device_type = -1, .device_index = -1};
    Condition condition;
    if (arg->ndim != NULL && validate_condition_quietly(v, &arg->ndim, &condition)) {
        (void)add(v, &known.ndim, &condition, &arg->ndim);
    }
    if (arg->length != NULL && validate_condition_quietly(v, &arg->length, &condition)) {
        (void)add(v, &known.length, &condition, &arg->length);
    }
    if (arg->kind == SPEC_TENSOR && arg->dtype != NULL) {
        const uint64_t mask = validate_dtypes_quietly(v, arg->dtype);
        known.dtypes = mask == 0 ? UINT64_MAX : mask;
        known.dtype_said = &arg->dtype;
    }
    return known;
}

/* ---- one entry ---- */

static void add_dims(Validator *v, Known *known, const SpecNames *list, bool is_size)
{
    const Condition rank = condition_interval(&v->scratch, list->text_count, list->text_count);
    if (!add(v, &known->ndim, &rank, &list->text)) {
        DiagMessage *message = validate_error(v, RULE_NEVER, diag_value(&list->text), "'%s' never has %" PRIu32 " dims",
                                              known->path, list->text_count);
        diag_note(v->diag, message, diag_value(known->ndim.said), "because of this");
        return;
    }
    Field **fields = is_size ? &known->size : &known->stride;
    if (*fields == NULL) {
        *fields = ARENA_ARRAY(&v->scratch, Field, list->text_count);
        known->rank = list->text_count; /* the same for both lists, thanks to the rank above */
    }
    for (uint32_t i = 0; i < list->text_count; i++) {
        Condition condition;
        if (validate_condition(v, &list->text[i], 0, is_size ? "a size" : "a stride", &condition)) {
            add_or_report(v, known, &(*fields)[i], &condition, &list->text[i],
                          is_size ? "'%s' can never have this size" : "'%s' can never have this stride");
        }
    }
}

static void add_dtypes(Validator *v, Known *known, char *const *field)
{
    const uint64_t mask = validate_dtypes(v, field);
    if (mask == 0) {
        return;
    }
    if ((known->dtypes & mask) == 0) {
        never(v, field, known->dtype_said, "'%s' can never have this dtype", known->path);
        return;
    }
    known->dtypes &= mask;
    known->dtype_said = field;
}

static void add_device(Validator *v, Known *known, char *const *field)
{
    int32_t type = -1;
    int32_t index = -1;
    validate_device(v, field, &type, &index);
    if (type < 0) {
        return;
    }
    const bool indices_differ = index >= 0 && known->device_index >= 0 && index != known->device_index;
    if (known->device_said != NULL && (type != known->device_type || indices_differ)) {
        never(v, field, known->device_said, "'%s' can never be on this device", known->path);
        return;
    }
    known->device_type = type;
    known->device_index = index >= 0 ? index : known->device_index;
    known->device_said = field;
}

static void add_value(Validator *v, Known *known, char *const *field)
{
    Condition condition;
    if (known->arg->kind == SPEC_INT) {
        if (validate_condition(v, field, INT64_MIN, "a value", &condition)) {
            add_or_report(v, known, &known->value, &condition, field, "'%s' can never have this value");
        }
        return;
    }
    if (known->arg->kind == SPEC_DTYPE) {
        add_dtypes(v, known, field);
        return;
    }
    if (known->arg->kind == SPEC_DEVICE) {
        add_device(v, known, field);
        return;
    }
    if (!validate_scalar_literal(v, field, known->arg->kind, false)) {
        return;
    }
    if (known->literal != NULL && !kind_same_literal(known->arg->kind, known->literal, *field)) {
        never(v, field, known->literal_said, "'%s' can never have this value", known->path);
        return;
    }
    known->literal = *field;
    known->literal_said = field;
}

static void add_layout(Validator *v, Known *known, const SpecLayout *layout)
{
    const Condition four = condition_interval(&v->scratch, 4, 4);
    if (*layout == SPEC_LAYOUT_CHANNELS_LAST) {
        add_or_report(v, known, &known->ndim, &four, layout,
                      "layout channels_last of '%s' needs 4 dims, which it never has");
    }
}

static void add_align(Validator *v, SpecInt *align)
{
    static const IntegerRule rule = {"an alignment", SYMBOL_FORBIDDEN, 1, NESTED_FORBIDDEN};
    validate_int(v, align, &rule);
}

/* Keys by the kinds that have them. */
static uint64_t when_bits(SpecKind kind)
{
    uint64_t integers = 0;
#define INTEGER(key, KIND, FIELD, what, never) integers |= kind == SPEC_##KIND ? KEY_BIT(SpecWhen, key) : 0;
#include "../facts/integers.def"
#undef INTEGER
    if (kind_is_scalar(kind)) {
        return KEY_BIT(SpecWhen, value);
    }
    if (kind == SPEC_TENSOR) {
        return integers | KEY_BIT(SpecWhen, dtype) | KEY_BIT(SpecWhen, size) | KEY_BIT(SpecWhen, stride) |
               KEY_BIT(SpecWhen, align) | KEY_BIT(SpecWhen, device) | KEY_BIT(SpecWhen, layout) |
               KEY_BIT(SpecWhen, is_conj) | KEY_BIT(SpecWhen, is_neg) | KEY_BIT(SpecWhen, same_as) |
               KEY_BIT(SpecWhen, not_same_as);
    }
    return integers;
}

/* All that may be said about an argument that is not null. */
static Keys when_keys(void)
{
    const uint64_t others = KEY_BIT(SpecWhen, arg) | KEY_BIT(SpecWhen, is_null);
    return KEYS(SpecWhen, ALL_KEYS(SpecWhen).bits & ~others);
}

/* false: a key does not fit the argument's kind, or there are no keys. */
static bool keys_fit(Validator *v, const SpecWhen *when, const SpecArg *arg)
{
    const Keys keys = when_keys();
    const bool some = when->is_null != SPEC_UNSET || keys_first(when, keys) != NULL;
    if (!some) {
        validate_error(v, RULE_CONDITION, diag_value(&when->arg), "this entry says nothing about '%s'", when->arg);
        return false;
    }
    if (when->is_null != SPEC_UNSET && !spec_is(arg->nullable)) {
        DiagMessage *message = validate_error(v, RULE_CONDITION, diag_key(&when->is_null),
                                              "'is_null' needs an argument with 'nullable: true'");
        diag_note(v->diag, message, diag_value(&arg->kind), "'%s' is declared here", when->arg);
        return false;
    }
    const SpecBool *lazy = when->is_conj != SPEC_UNSET ? &when->is_conj : &when->is_neg;
    if (*lazy != SPEC_UNSET && arg->kind == SPEC_TENSOR && !spec_is(arg->lazy_ok)) {
        DiagMessage *message = validate_error(v, RULE_CONDITION, diag_key(lazy),
                                              "'is_conj' and 'is_neg' need an argument with 'lazy_ok: true'");
        diag_note(v->diag, message, diag_value(&arg->kind), "'%s' is declared here", when->arg);
        return false;
    }
    const Subject subject = {.what = "a condition on", .name = when->arg};
    return validate_no_keys(v, RULE_CONDITION, when, KEYS(SpecWhen, keys.bits & ~when_bits(arg->kind)), subject,
                            validate_kind_reason(v, arg->kind));
}

static void add_null(Validator *v, Known *known, const SpecWhen *when)
{
    if (when->is_null != SPEC_UNSET) {
        if (known->null_said != NULL && known->is_null != when->is_null) {
            never(v, &when->is_null, known->null_said, "'%s' cannot be null and not null", known->path);
        }
        known->is_null = when->is_null;
        known->null_said = &when->is_null;
    }
    known->other_said = known->other_said != NULL ? known->other_said : keys_first(when, when_keys());
    if (spec_is(known->is_null) && known->other_said != NULL) {
        never(v, known->other_said, known->null_said, "'%s' is null here, so no other condition on it can hold",
              known->path);
        known->is_null = SPEC_UNSET; /* reported once */
    }
}

/* "same tensor as": of another one, which is a tensor, too. */
static void check_same(Validator *v, const SpecKernel *kernel, const SpecWhen *when, char *const *path)
{
    const SpecArg *other = *path != NULL ? validate_arg_path(v, kernel, path) : NULL;
    if (other == NULL) {
        return;
    }
    if (other->kind != SPEC_TENSOR) {
        validate_error(v, RULE_CONDITION, diag_value(path), "'%s' is of kind %s; only a tensor is the same as another",
                       *path, spec_kind_text(other->kind));
    } else if (strcmp(*path, when->arg) == 0) {
        validate_error(v, RULE_CONDITION, diag_value(path), "'%s' is compared with itself", *path);
    }
}

static void add_integer(Validator *v, Known *known, Field *field, char *const *text, const char *what,
                        const char *never_holds)
{
    Condition condition;
    if (*text != NULL && validate_condition(v, text, 0, what, &condition)) {
        add_or_report(v, known, field, &condition, text, never_holds);
    }
}

static void add_entry(Validator *v, const SpecKernel *kernel, Known *known, SpecWhen *when)
{
    if (!keys_fit(v, when, known->arg)) {
        return;
    }
    check_same(v, kernel, when, &when->same_as);
    check_same(v, kernel, when, &when->not_same_as);
    if (when->dtype != NULL) {
        add_dtypes(v, known, &when->dtype);
    }
#define INTEGER(key, KIND, FIELD, what, never) add_integer(v, known, &known->key, &when->key, what, never);
#include "../facts/integers.def"
#undef INTEGER
    if (when->size.text != NULL) {
        add_dims(v, known, &when->size, true);
    }
    if (when->stride.text != NULL) {
        add_dims(v, known, &when->stride, false);
    }
    if (when->device != NULL) {
        add_device(v, known, &when->device);
    }
    if (when->value != NULL) {
        add_value(v, known, &when->value);
    }
    add_align(v, &when->align);
    add_layout(v, known, &when->layout);
    add_null(v, known, when);
}

/* ---- variants ---- */

/* Of one variant, or, with one that says nothing, of all. */
static void validate_variant(Validator *v, const SpecKernel *kernel, SpecVariant *variant)
{
    const uint32_t num_conditions = spec_conditions_count(kernel, variant);
    Known *known = ARENA_ARRAY(&v->scratch, Known, num_conditions);
    const SpecArg **args = ARENA_ARRAY(&v->scratch, const SpecArg *, num_conditions);
    bool found = true;
    Table paths;
    uint32_t n = 0;
    table_init(&paths, &v->scratch);
    validate_scope_start(v);
    for (uint32_t i = 0; i < num_conditions; i++) {
        SpecWhen *when = spec_condition(kernel, variant, i);
        const SpecArg *arg = validate_arg_path(v, kernel, &when->arg);
        args[i] = arg;
        if (arg == NULL) {
            found = false;
            continue;
        }
        const TableEntry *entry = table_add(&paths, when->arg, strlen(when->arg), 0, n);
        if (entry == NULL) {
            known[n++] = known_start(v, arg, when->arg);
        }
        add_entry(v, kernel, &known[entry == NULL ? n - 1 : entry->index], when);
    }
    if (found) {
        validate_variant_guards(v, kernel, variant, args);
    }
}

static const char *variant_name(const SpecVariant *variant)
{
    return variant->symbol != NULL ? variant->symbol : variant->graph;
}

/* `overlaps` names variants that come before this one. */
static void validate_overlaps(Validator *v, const SpecKernel *kernel, uint32_t index)
{
    const SpecNames *names = &kernel->variants[index].overlaps;
    Table earlier;
    Table seen;
    table_init(&earlier, &v->scratch);
    table_init(&seen, &v->scratch);
    for (uint32_t i = 0; i < index && names->text_count > 0; i++) {
        const char *name = variant_name(&kernel->variants[i]);
        if (name != NULL) {
            (void)table_add(&earlier, name, strlen(name), 0, i);
        }
    }
    for (uint32_t i = 0; i < names->text_count; i++) {
        char *const *field = &names->text[i];
        if (table_find(&earlier, *field, strlen(*field)) == NULL) {
            Nearest nearest = nearest_start(*field);
            for (uint32_t j = 0; j < index; j++) {
                nearest_offer(v, &nearest, variant_name(&kernel->variants[j]));
            }
            validate_error(v, RULE_REFERENCE, diag_value(field), "no variant before this one is called '%s'%s", *field,
                           nearest_text(v, &nearest));
        } else if (table_add(&seen, *field, strlen(*field), 0, i) != NULL) {
            validate_error(v, RULE_REPEATED, diag_value(field), "'%s' is named twice", *field);
        }
    }
}

/* A feature is known, and asked for once. Without arguments there is nothing that a choice could begin with. */
static void validate_cpu(Validator *v, const SpecKernel *kernel, const SpecVariant *variant)
{
    const SpecNames *words = &variant->cpu;
    Table seen;
    table_init(&seen, &v->scratch);
    if (words->text_count > 0 && kernel->args_count == 0) {
        validate_error(v, RULE_KEY, diag_key(&words->text),
                       "'cpu' chooses among the variants of a kernel with arguments, and '%s' has none", kernel->name);
    }
    for (uint32_t i = 0; i < words->text_count; i++) {
        char *const *field = &words->text[i];
        if (cpu_feature(*field) < 0) {
            Nearest nearest = nearest_start(*field);
            for (int32_t k = 0; cpu_word(k) != NULL; k++) {
                nearest_offer(v, &nearest, cpu_word(k));
            }
            validate_error(v, RULE_VALUE, diag_value(field), "no feature of CPUs is known as '%s'%s", *field,
                           nearest_text(v, &nearest));
        } else if (table_add(&seen, *field, strlen(*field), 0, i) != NULL) {
            validate_error(v, RULE_REPEATED, diag_value(field), "'%s' is named twice", *field);
        }
    }
}

/* What is wrong with them is reported once, and not again for each variant. */
static bool validate_always(Validator *v, const SpecKernel *kernel)
{
    const size_t before = v->diag->num_errors;
    if (kernel->always_count > 0 && kernel->variants_count == 0) {
        validate_error(v, RULE_KEY, diag_key(&kernel->always), "'always' is about variants, and '%s' has none",
                       kernel->name);
    } else if (kernel->always_count > 0) {
        validate_variant(v, kernel, ARENA_NEW(&v->scratch, SpecVariant));
    }
    return v->diag->num_errors == before;
}

void validate_variants(Validator *v, const SpecKernel *kernel)
{
    const bool always = validate_always(v, kernel);
    for (uint32_t i = 0; i < kernel->variants_count; i++) {
        validate_variant_call(v, &kernel->variants[i]);
        validate_cpu(v, kernel, &kernel->variants[i]);
        validate_overlaps(v, kernel, i);
        if (always) {
            validate_variant(v, kernel, &kernel->variants[i]);
        }
    }
}
