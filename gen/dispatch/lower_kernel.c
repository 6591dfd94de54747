/* SPDX-License-Identifier: MIT */
/*
 * lower_kernel - the plans of a kernel: `check`, what every variant may rely on, tested; `key`, the words of the key
 * appended one component after the other (templates/core/wg_key.h has the encoding), as long as every tensor is plain
 * and of a usual size; and `key_any`, the same words for any tensors, which `key` calls when it meets other ones.
 *
 * All walk the arguments in order. A plan's locals are named after the argument ("arg_opts_1"); containers and nullable
 * values are held by address. A new kind of argument is a row of facts/kinds.def, a case in kernel_check.c, and its
 * line in wg_key.h and wg_key.py; the extra components are in kernel_extra.c.
 */
#include "kernel_walk.h"

#include <inttypes.h>

static bool is_nullable(const KernelArg *arg)
{
    return spec_is(arg->spec->nullable);
}

/* ---- sets of small numbers ---- */

static uint64_t condition_set(const Condition *condition, int64_t last)
{
    uint64_t set = 0;
    for (uint32_t i = 0; i < condition->num_ranges; i++) {
        const ConditionRange *range = &condition->ranges[i];
        for (int64_t n = range->min < 0 ? 0 : range->min; n <= last && n <= range->max; n++) {
            set |= n % range->multiple == 0 ? UINT64_C(1) << n : 0;
        }
    }
    return set;
}

/* No number above `last` may be required explicitly. */
static void refuse_beyond(Walk *walk, const Condition *condition, int64_t last, const void *field, const char *what)
{
    for (uint32_t i = 0; i < condition->num_ranges; i++) {
        const ConditionRange *range = &condition->ranges[i];
        if (range->min > last || (range->max > last && range->max < INT64_MAX)) {
            diag_report(walk->diag, DIAG_ERROR, "E_UNSUPPORTED", diag_value(field),
                        "a key holds %s of at most %" PRId64, what, last);
            return;
        }
    }
}

/* ---- locals ---- */

/* The number behind the address. */
static uint32_t load_number(Walk *walk, const KernelArg *arg, uint32_t address)
{
    const char *text = arena_printf(walk->arena, "value_%s", arg->suffix);
    const uint32_t slot = plan_slot(walk->plan, SLOT_BORROWED, SLOT_POINTER, 0, text, arg->dotted);
    EMIT(walk, load_field, operand_tensor(slot), operand_text(arena_printf(walk->arena, "const %s", arg->c_type)),
         operand_text(arena_printf(walk->arena, "*%s", walk->plan->slots[address].text)));
    return slot;
}

/* ---- the walk ---- */

/* Is there anything to do for the value itself, null aside? */
static bool value_counts(const Walk *walk, const KernelArg *arg)
{
    switch (kind_form(arg->kind)) {
    case FORM_NUMBER:
        return walk->key ? spec_is(arg->spec->constexpr_value) : arg->kind == SPEC_BOOLEAN;
    case FORM_NOTHING:
        return !walk->key;
    case FORM_STRUCT:
        for (uint32_t i = 0; i < arg->num_items; i++) {
            const KernelArg *item = &arg->items[i];
            if (value_counts(walk, item) || (walk->key && is_nullable(item))) {
                return true;
            }
        }
        return false;
    case FORM_TENSOR:
    case FORM_TEXT:
    case FORM_CODE:
    case FORM_LIST:
        break;
    }
    return true;
}

static void visit(Walk *walk, const KernelArg *arg, const char *source);

static void visit_items(Walk *walk, const KernelArg *arg, uint32_t slot)
{
    const KernelArg *item = arg->items;
    if (arg->kind != SPEC_LIST) {
        for (uint32_t i = 0; i < arg->num_items; i++) {
            visit(walk, &arg->items[i], walk_member(walk, slot, arg->items[i].name));
        }
    } else if (value_counts(walk, item) || (walk->key && is_nullable(item))) {
        const char *index = arena_printf(walk->arena, "i_%s", arg->suffix);
        OpList *outer = walk_enter(walk, EMIT(walk, scope_each, operand_tensor(slot), operand_name(index)));
        visit(walk, item, walk_member(walk, slot, arena_printf(walk->arena, "items[%s]", index)));
        walk->list = outer;
    }
}

static void visit(Walk *walk, const KernelArg *arg, const char *source)
{
    const bool counts = value_counts(walk, arg);
    const bool nullable = is_nullable(arg) && arg->kind != SPEC_ALWAYS_NULL;
    if (!counts && !(walk->key && nullable)) {
        return;
    }
    uint32_t slot = walk_load(walk, arg, source);
    OpList *outer = walk->list;
    if (nullable && walk->key) {
        (void)walk_enter(walk, EMIT(walk, key_or_null, operand_tensor(slot)));
        if (arg->kind != SPEC_TENSOR) {
            EMIT(walk, key_word, operand_count(1));
        }
    } else if (nullable) {
        (void)walk_enter(walk, EMIT(walk, scope_present, operand_tensor(slot)));
    } else if (!walk->key && (arg->kind == SPEC_TENSOR || arg->kind == SPEC_STRING)) {
        EMIT(walk, check_there, operand_tensor(slot), walk_site(walk, arg, "missing", "WG_E_NULL", "WG_KIND_NONE"));
    }
    if (counts) {
        slot = arg->by_address && !kind_is_container(arg->kind) ? load_number(walk, arg, slot) : slot;
        if (walk->key) {
            walk_key_value(walk, arg, slot);
        } else {
            walk_check_value(walk, arg, slot);
        }
        if (kind_is_container(arg->kind)) {
            visit_items(walk, arg, slot);
        }
    }
    walk->list = outer;
}

static Plan *walk_whole(Walk *walk, const char *function)
{
    const Kernel *kernel = walk->kernel;
    walk->plan = plan_new_function(walk->arena, kernel->file,
                                   arena_printf(walk->arena, "%s_%s", kernel->symbol, function), kernel->path);
    walk->list = &walk->plan->ops;
    walk->role = "arg";
    for (uint32_t i = 0; i < kernel->num_args; i++) {
        visit(walk, &kernel->args[i], arena_printf(walk->arena, "args->%s", kernel->args[i].name));
    }
    for (uint32_t i = 0; walk->key && i < kernel->spec->extra_count; i++) {
        walk_extra(walk, i);
    }
    walk->path = kernel->path;
    walk->where = kernel->spec;
    for (uint32_t i = 0; walk->key && i < kernel->spec->key_extra.text_count; i++) {
        EMIT(walk, key_extra, operand_name(kernel->spec->key_extra.text[i]));
    }
    const Site *read = plan_site(walk->plan, NULL, "read", "WG_E_HOST", "WG_KIND_STATUS");
    EMIT(walk, check_host, operand_site(read));
    return walk->plan;
}

/* ---- what a key cannot hold ---- */

/* Checks ranks, lengths and marked dims of an argument and its items, once its conditions are known. */
static void resolve(Walk *walk, KernelArg *arg)
{
    if (arg->kind == SPEC_TENSOR) {
        refuse_beyond(walk, &arg->ndim, KEY_MAX_RANK, &arg->spec->ndim, "tensors of a rank");
        arg->ranks = condition_set(&arg->ndim, KEY_MAX_RANK);
        for (uint32_t i = 0; i < arg->spec->static_dims.text_count; i++) {
            int64_t dim = 0;
            (void)expr_is_literal(arg->spec->static_dims.expr[i], &dim);
            if (dim >= KEY_MAX_RANK) {
                diag_report(walk->diag, DIAG_ERROR, "E_UNSUPPORTED", diag_value(&arg->spec->static_dims.text[i]),
                            "a key holds tensors of a rank of at most %d", KEY_MAX_RANK);
                continue;
            }
            arg->static_dims |= UINT32_C(1) << dim;
            arg->ranks &= ~((UINT64_C(2) << dim) - 1);
        }
    } else if (arg->kind == SPEC_LIST) {
        refuse_beyond(walk, &arg->length, KEY_MAX_ITEMS, &arg->spec->length, "lists of a length");
        arg->lengths = condition_set(&arg->length, KEY_MAX_ITEMS);
    }
    for (uint32_t i = 0; i < arg->num_items; i++) {
        resolve(walk, &arg->items[i]);
    }
}

static void check_dimension(Walk *walk, const SpecInt *dim)
{
    int64_t at = 0;
    if (expr_is_literal(dim->expr, &at) && at >= KEY_MAX_RANK) {
        diag_report(walk->diag, DIAG_ERROR, "E_UNSUPPORTED", diag_value(&dim->text),
                    "a key holds tensors of a rank of at most %d", KEY_MAX_RANK);
    }
}

static void check_extra(Walk *walk, const SpecExtra *extra)
{
    check_dimension(walk, &extra->dim);
    for (uint32_t i = 0; i < extra->where_count; i++) {
        check_dimension(walk, &extra->where[i].dim);
    }
}

static bool verified(Walk *walk, const Plan *plan)
{
    const char *wrong = plan_verify(plan);
    if (wrong != NULL) {
        diag_report(walk->diag, DIAG_ERROR, "E_INTERNAL", diag_mapping(walk->kernel->spec),
                    "the plan is not well-formed, which is a bug of wrapgen: %s", wrong);
        return false;
    }
    return true;
}

/* Fills in the plans of check and key; false: reported. */
static bool lower_key(Kernel *kernel, Diag *diag)
{
    Walk walk = {.arena = kernel->arena, .diag = diag, .kernel = kernel};
    const size_t errors = diag->num_errors;
    for (uint32_t i = 0; i < kernel->num_args; i++) {
        resolve(&walk, &kernel->args[i]);
    }
    for (uint32_t i = 0; i < kernel->spec->extra_count; i++) {
        check_extra(&walk, &kernel->spec->extra[i]);
    }
    for (uint32_t i = 0; i < kernel->spec->where_count; i++) {
        check_dimension(&walk, &kernel->spec->where[i].dim);
    }
    const uint64_t words = kernel_most_words(kernel);
    if (words > KEY_MAX_WORDS && diag->num_errors == errors) {
        diag_report(diag, DIAG_ERROR, "E_UNSUPPORTED", diag_mapping(kernel->spec),
                    "the key could be larger than %d words; state 'ndim' of tensors and 'length' of lists",
                    KEY_MAX_WORDS);
    }
    if (diag->num_errors != errors) {
        return false;
    }
    kernel->key_words = (uint32_t)words;
    kernel->check = kernel->spec->check >= SPEC_CHECK_CHEAP ? walk_whole(&walk, "check") : NULL;
    walk.key = true;
    kernel->key = walk_whole(&walk, "key_of");
    walk.any = true;
    kernel->key_any = walk_whole(&walk, "key_of_any");
    kernel->call = kernel->spec->outputs != NULL ? walk_call(&walk) : NULL;
    return (kernel->check == NULL || verified(&walk, kernel->check)) &&
           (kernel->call == NULL || verified(&walk, kernel->call)) && verified(&walk, kernel->key) &&
           verified(&walk, kernel->key_any);
}

Kernel *lower_kernel(Arena *arena, Diag *diag, const Spec *spec, uint32_t index, const char *prefix, KernelHost host)
{
    Kernel *kernel = kernel_new(arena, spec, index, prefix);
    kernel->host = host;
    return lower_key(kernel, diag) ? kernel : NULL;
}
