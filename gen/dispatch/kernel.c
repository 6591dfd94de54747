/* SPDX-License-Identifier: MIT */
/*
 * kernel - the arguments of a kernel as a tree: names of members and types, and conditions as sets.
 */
#include "kernel.h"

#include <inttypes.h>
#include <string.h>

#include "../algebra/geometry.h"
#include "../facts/derive.h"

/* ---- what the rules have accepted ---- */

Condition kernel_condition(Arena *arena, const Spec *spec, const char *text, int64_t min)
{
    const Condition domain = condition_interval(arena, min, INT64_MAX);
    Condition condition;
    const char *error = NULL;
    size_t at = 0;
    const Spec *lookup = spec;
    if (text == NULL || !condition_parse(arena, text, derive_find_symbol, &lookup, &condition, &error, &at)) {
        return domain;
    }
    Condition result = condition_intersect(arena, &condition, &domain);
    if (condition.is_symbol) {
        const SpecSymbol *symbol = &spec->symbols[condition.symbol];
        Condition bounds = domain;
        bounds.ranges[0] = condition_range(symbol->has_min && symbol->min_value > min ? symbol->min_value : min,
                                           symbol->has_max ? symbol->max_value : INT64_MAX, symbol->multiple_of_value);
        result = bounds;
        result.is_symbol = true;
        result.symbol = condition.symbol;
    }
    return result;
}

uint64_t kernel_dtypes(Arena *arena, const char *text)
{
    uint64_t mask = 0;
    if (text == NULL) {
        for (int32_t dtype = 0; dtype < 64; dtype++) {
            mask |= str_equal(dtype_text(dtype), "?") ? 0 : UINT64_C(1) << dtype;
        }
        return mask;
    }
    for (const char *at = text; *at != '\0';) {
        const size_t length = strcspn(at, "|");
        const int32_t dtype = dtype_parse(arena_copy(arena, at, length));
        mask |= dtype < 0 ? 0 : UINT64_C(1) << dtype;
        at += length + (at[length] == '|' ? 1 : 0);
    }
    return mask;
}

const char *kernel_callee(const Kernel *kernel, const SpecVariant *variant)
{
    return variant->graph != NULL ? arena_printf(kernel->arena, "%s%s_boxed", kernel->prefix, variant->graph)
                                  : variant->symbol;
}

void kernel_dump(const Kernel *kernel, Str *out)
{
    str_printf(out, "kernel %s: %" PRIu32 " args  ; %s\n", kernel->symbol, kernel->num_args, kernel->path);
    for (uint32_t i = 0; i < kernel->spec->variants_count; i++) {
        const SpecVariant *variant = &kernel->spec->variants[i];
        str_printf(out, "  variant %" PRIu32 ": %s%s\n", i, kernel_callee(kernel, variant),
                   variant->graph != NULL ? ", a wrapper" : "");
    }
    if (kernel->check != NULL) {
        plan_dump(kernel->check, LAYER_COUNT, out);
    }
    if (kernel->call != NULL) {
        plan_dump(kernel->call, LAYER_COUNT, out);
    }
    plan_dump(kernel->key, LAYER_COUNT, out);
}

/* ---- the tree ---- */

typedef struct Builder {
    Kernel *kernel;
    Table names; /* of types and suffixes that are taken */
} Builder;

/* Two paths may give the same identifier ("a_b" and "a.b"); the later one then gets a number. */
static const char *free_suffix(Builder *builder, const char *dotted)
{
    Arena *arena = builder->kernel->arena;
    Str text = str_new(arena);
    for (const char *next = dotted; *next != '\0'; next++) {
        if (*next == '[') {
            str_puts(&text, "_item");
        } else if (*next != ']') {
            str_putc(&text, *next == '.' ? '_' : *next);
        }
    }
    const char *base = str_text(&text);
    const char *name = base;
    for (uint32_t i = 2; table_add(&builder->names, name, strlen(name), 0, 0) != NULL; i++) {
        name = arena_printf(arena, "%s_%" PRIu32, base, i);
    }
    return name;
}

static const char *value_type(const Kernel *kernel, const KernelArg *arg)
{
    const char *c_type = kind_specs[arg->kind].c_type;
    return c_type != NULL ? c_type : arena_printf(kernel->arena, "%s_args_%s ", kernel->symbol, arg->suffix);
}

static void build(Builder *builder, KernelArg *arg, const SpecArg *spec, const char *name, const char *dotted,
                  const char *path);

static void build_items(Builder *builder, KernelArg *arg, const char *dotted, const char *path)
{
    Arena *arena = builder->kernel->arena;
    const SpecArg *spec = arg->spec;
    if (arg->kind == SPEC_LIST) {
        arg->num_items = 1;
        arg->items = ARENA_NEW(arena, KernelArg);
        build(builder, arg->items, spec->of, "items", arena_printf(arena, "%s[]", dotted),
              arena_printf(arena, "%s.of", path));
        return;
    }
    arg->num_items = spec->items_count;
    arg->items = ARENA_ARRAY(arena, KernelArg, (size_t)spec->items_count + 1);
    for (uint32_t i = 0; i < spec->items_count; i++) {
        const char *number = arena_printf(arena, "%" PRIu32, i);
        const bool named = arg->kind == SPEC_RECORD;
        const char *member = named ? spec->items[i].name : arena_printf(arena, "item%s", number);
        build(builder, &arg->items[i], &spec->items[i], member,
              arena_printf(arena, "%s.%s", dotted, named ? spec->items[i].name : number),
              arena_printf(arena, "%s.items[%s]", path, number));
    }
}

static void build(Builder *builder, KernelArg *arg, const SpecArg *spec, const char *name, const char *dotted,
                  const char *path)
{
    const Kernel *kernel = builder->kernel;
    *arg = (KernelArg){.spec = spec, .kind = spec->kind, .name = name, .dotted = dotted, .path = path};
    arg->suffix = free_suffix(builder, dotted);
    arg->c_type = value_type(kernel, arg);
    arg->by_address = spec_is(spec->nullable) && !kind_is_pointer(spec->kind);
    if (arg->kind == SPEC_TENSOR) {
        arg->dtypes = kernel_dtypes(kernel->arena, spec->dtype);
        arg->ndim = kernel_condition(kernel->arena, kernel->file, spec->ndim, 0);
    }
    if (arg->kind == SPEC_LIST) {
        arg->length = kernel_condition(kernel->arena, kernel->file, spec->length, 0);
    }
    if (kind_is_container(arg->kind)) {
        build_items(builder, arg, dotted, path);
    }
}

const KernelArg *kernel_arg(const Kernel *kernel, const char *dotted)
{
    const KernelArg *items = kernel->args;
    uint32_t num_items = kernel->num_args;
    const KernelArg *found = NULL;
    bool named = true;
    for (const char *at = dotted; at != NULL;) {
        const size_t length = strcspn(at, ".");
        const char *step = arena_copy(kernel->arena, at, length);
        int64_t index = -1;
        if (!named) {
            (void)expr_parse_integer(step, &index);
            index = found->kind == SPEC_LIST ? 0 : index;
        }
        const KernelArg *next = NULL;
        for (uint32_t i = 0; i < num_items; i++) {
            next = (named ? str_equal(items[i].name, step) : (int64_t)i == index) ? &items[i] : next;
        }
        if (next == NULL) {
            return NULL;
        }
        found = next;
        items = found->items;
        num_items = found->num_items;
        named = found->kind == SPEC_RECORD;
        at = at[length] == '.' ? at + length + 1 : NULL;
    }
    return found;
}

Kernel *kernel_new(Arena *arena, const Spec *spec, uint32_t index, const char *prefix)
{
    Kernel *kernel = ARENA_NEW(arena, Kernel);
    Builder builder = {.kernel = kernel};
    table_init(&builder.names, arena);
    kernel->arena = arena;
    kernel->file = spec;
    kernel->spec = &spec->kernels[index];
    kernel->index = index;
    kernel->prefix = prefix;
    kernel->symbol = arena_printf(arena, "%s%s", prefix, kernel->spec->name);
    kernel->path = spec->places_by_name ? arena_printf(arena, "kernels[%s]", kernel->spec->name)
                                        : arena_printf(arena, "kernels[%" PRIu32 "]", index);
    kernel->num_args = kernel->spec->args_count;
    kernel->args = ARENA_ARRAY(arena, KernelArg, (size_t)kernel->num_args + 1);
    for (uint32_t i = 0; i < kernel->num_args; i++) {
        const SpecArg *arg = &kernel->spec->args[i];
        build(&builder, &kernel->args[i], arg, arg->name, arg->name,
              arena_printf(arena, "%s.args[%" PRIu32 "]", kernel->path, i));
    }
    return kernel;
}
