/* SPDX-License-Identifier: MIT */
/* kernel_match - which variant a call must get, and why it is refused: the words of schema/SPEC.md, one by one. */
#include "evaluate.h"
#include "kernel_call.h"
#include "keys.h"

#include <stdlib.h>
#include <string.h>

#include "../core/wg_compiler.h"
#include "../core/wg_cpu.h"

KernelValue *kernel_find(const SpecKernel *kernel, const KernelCall *call, const char *path)
{
    size_t length = strcspn(path, ".");
    KernelValue *value = NULL;
    for (uint32_t i = 0; i < kernel->args_count && value == NULL; i++) {
        const char *name = kernel->args[i].name;
        value = strlen(name) == length && strncmp(name, path, length) == 0 ? &call->args[i] : NULL;
    }
    while (value != NULL && path[length] == '.') {
        const uint32_t n = value->null ? 0 : value->num_items;
        uint32_t at = (uint32_t)strtoul(path + length + 1, NULL, 10);
        const bool named = value->arg->kind == SPEC_RECORD;
        path += length + 1;
        length = strcspn(path, ".");
        for (uint32_t i = 0; named && i < n; i++) {
            const char *name = value->arg->items[i].name;
            at = strlen(name) == length && strncmp(name, path, length) == 0 ? i : at;
        }
        value = at < n ? &value->items[at] : NULL;
    }
    return value;
}

/* ---- declarations ---- */

static KernelBreach breach_with(int32_t code, int64_t expected, int64_t found)
{
    return (KernelBreach){.code = code, .has_values = true, .expected = expected, .found = found};
}

/* The least rank or length that is allowed: an error names one of them. */
static int64_t least_integer(const Spec *spec, const char *text, int64_t least, int64_t most)
{
    int64_t n = least;
    while (text != NULL && n < most && !kernel_integer_holds(spec, text, n, NULL)) {
        n++;
    }
    return n;
}

static KernelBreach breach_of_rank(const Spec *spec, const SpecArg *arg, int32_t rank, bool all)
{
    int64_t least = 0;
    for (uint32_t i = 0; all && i < arg->static_dims.text_count; i++) {
        const int64_t dim = strtoll(arg->static_dims.text[i], NULL, 10);
        least = dim >= least ? dim + 1 : least;
    }
    if ((arg->ndim != NULL && !kernel_integer_holds(spec, arg->ndim, rank, NULL)) || rank < least ||
        (all && rank > KERNEL_MOST_RANK)) {
        return breach_with(WG_E_RANK, least_integer(spec, arg->ndim, least, KERNEL_MOST_RANK), rank);
    }
    return (KernelBreach){.code = 0};
}

static KernelBreach breach_of_tensor(const Spec *spec, const SpecKernel *kernel, const KernelValue *value, bool all)
{
    const SpecArg *arg = value->arg;
    if (arg->subclass_ok == SPEC_FALSE && !value->plain) {
        return (KernelBreach){.code = WG_E_TYPE};
    }
    if (value->lazy != 0 && !spec_is(arg->lazy_ok)) {
        return breach_with(WG_E_LAZY, 0, value->lazy);
    }
    if (arg->dtype != NULL && !kernel_dtype_holds(arg->dtype, value->geometry.dtype)) {
        return breach_with(WG_E_DTYPE, kernel_first_dtype(arg->dtype), value->geometry.dtype);
    }
    const KernelBreach rank = breach_of_rank(spec, arg, value->geometry.rank, all);
    const bool many = all && kernel->index_dtype == SPEC_INDEX_INT32 && !kernel_is_few(value);
    return rank.code != 0 || !many ? rank : (KernelBreach){.code = WG_E_SIZE};
}

static KernelBreach breach_of_limits(const KernelValue *value)
{
    const int64_t n = value->integer;
    switch (value->arg->kind) {
    case SPEC_BOOLEAN:
        return n == 0 || n == 1 ? (KernelBreach){.code = 0} : breach_with(WG_E_VALUE, 0, n);
    case SPEC_DTYPE:
        return kernel_is_dtype(n) ? (KernelBreach){.code = 0} : breach_with(WG_E_DTYPE, 0, n);
    case SPEC_DEVICE:
        return n >= 0 ? (KernelBreach){.code = 0} : breach_with(WG_E_DEVICE, 0, n);
    case SPEC_STRING:
        return strlen(value->text) <= KERNEL_MOST_BYTES
                   ? (KernelBreach){.code = 0}
                   : breach_with(WG_E_VALUE, KERNEL_MOST_BYTES, (int64_t)strlen(value->text));
    case SPEC_KIND_UNSET:
    case SPEC_OPAQUE:
    case SPEC_NONE:
    case SPEC_TENSOR:
    case SPEC_INT:
    case SPEC_FLOAT:
    case SPEC_ALWAYS_NULL:
    case SPEC_LIST:
    case SPEC_TUPLE:
    case SPEC_RECORD:
        break;
    }
    return (KernelBreach){.code = 0};
}

static bool is_length(const Spec *spec, const KernelValue *value, bool all)
{
    return (value->arg->length == NULL || kernel_integer_holds(spec, value->arg->length, value->num_items, NULL)) &&
           (!all || value->arg->kind != SPEC_LIST || value->num_items <= KERNEL_MOST_ITEMS);
}

/* Are items of the list tested before conditions are, so that it is known what comes of a wrong one? */
static bool is_short_list(const SpecArg *arg)
{
    enum { SHORT = 64 };
    const char *text = arg->length;
    bool is_short = text != NULL && ((*text >= '0' && *text <= '9') || *text == '.' || *text == '%');
    while (is_short && text != NULL) {
        KernelRange range;
        text = kernel_next_range(text, &range);
        is_short = range.has_max && range.max <= SHORT;
    }
    return is_short;
}

/* The first thing that is wrong, without the argument's name. */
static KernelBreach breach_of(const Spec *spec, const SpecKernel *kernel, const KernelValue *value, bool all, int depth)
{
    const SpecArg *arg = value->arg;
    if (arg->kind == SPEC_ALWAYS_NULL) {
        return (KernelBreach){.code = all && !value->null ? WG_E_VALUE : 0};
    }
    if (value->null) {
        return (KernelBreach){.code = spec_is(arg->nullable) ? 0 : WG_E_NULL};
    }
    if (arg->kind == SPEC_TENSOR) {
        return breach_of_tensor(spec, kernel, value, all);
    }
    if (!is_length(spec, value, all)) {
        return breach_with(WG_E_COUNT, least_integer(spec, arg->length, 0, KERNEL_MOST_ITEMS), value->num_items);
    }
    KernelBreach breach = all ? breach_of_limits(value) : (KernelBreach){.code = 0};
    const bool looks = all || (depth == 0 && (arg->kind != SPEC_LIST || is_short_list(arg)));
    for (uint32_t i = 0; looks && breach.code == 0 && i < value->num_items; i++) {
        breach = breach_of(spec, kernel, &value->items[i], all, depth + 1);
    }
    return breach;
}

KernelBreach kernel_breach(const Spec *spec, const SpecKernel *kernel, const KernelCall *call, bool all)
{
    for (uint32_t i = 0; i < kernel->args_count; i++) {
        KernelBreach breach = breach_of(spec, kernel, &call->args[i], all, 0);
        if (breach.code != 0) {
            breach.arg = kernel->args[i].name;
            return breach;
        }
    }
    return (KernelBreach){.code = 0};
}

bool kernel_is_possible(const SpecKernel *kernel, const KernelCall *call)
{
    bool possible = true;
    for (uint32_t i = 0; i < kernel->args_count; i++) {
        const KernelValue *value = &call->args[i];
        const bool conj = kernel->args[i].kind == SPEC_TENSOR && (value->lazy & WG_LAZY_CONJ) != 0;
        possible = possible && (!conj || !spec_is(kernel->args[i].lazy_ok) || kernel_is_complex(value->geometry.dtype));
    }
    return possible;
}

/* ---- conditions ---- */

typedef struct Match {
    const Spec *spec;
    const SpecKernel *kernel;
    const KernelCall *call;
    const KernelValue *value;
    KernelBound bound;
} Match;

static bool dims_hold(Match *m, const SpecNames *texts, bool strides)
{
    const ViewGeometry *geometry = &m->value->geometry;
    bool holds = geometry->rank == (int32_t)texts->text_count;
    for (int32_t d = 0; holds && d < geometry->rank; d++) {
        if (!strides) {
            holds = kernel_integer_holds(m->spec, texts->text[d], geometry->sizes[d], &m->bound);
        } else if (geometry->sizes[d] != 1) {
            holds = kernel_integer_holds(m->spec, texts->text[d], geometry->strides[d], &m->bound);
        }
    }
    return holds;
}

/* Dims from the innermost on: each stride is the number of elements inside, unless the size is 1. */
static bool is_dense(const ViewGeometry *geometry, const int32_t *order)
{
    bool dense = true;
    int64_t inside = 1;
    for (int32_t i = 0; i < geometry->rank; i++) {
        const int32_t d = order[i];
        dense = dense && (geometry->sizes[d] == 1 || geometry->strides[d] == inside);
        if (wg_ckd_mul(&inside, inside, geometry->sizes[d])) {
            inside = -1; /* no stride */
        }
    }
    return dense;
}

static bool layout_holds(const ViewGeometry *geometry, SpecLayout layout)
{
    static const int32_t last[] = {1, 3, 2, 0};
    int32_t order[VIEW_RANK];
    if (layout == SPEC_LAYOUT_CHANNELS_LAST) {
        return geometry->rank == 4 && is_dense(geometry, last);
    }
    for (int32_t i = 0; i < geometry->rank; i++) {
        order[i] = geometry->rank - 1 - i;
    }
    return !view_has_elements(geometry) || is_dense(geometry, order);
}

/* 0.0 is not -0.0, and NaN is NaN. */
static bool same_real(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

static bool value_holds(Match *m, const char *text)
{
    const KernelValue *value = m->value;
    switch (value->arg->kind) {
    case SPEC_INT:
        return kernel_integer_holds(m->spec, text, value->integer, &m->bound);
    case SPEC_FLOAT:
        return same_real(value->real, strtod(text, NULL));
    case SPEC_BOOLEAN:
        return (value->integer != 0) == (strcmp(text, "true") == 0);
    case SPEC_STRING:
        return strcmp(value->text, text) == 0;
    case SPEC_DTYPE:
        return kernel_dtype_holds(text, value->integer);
    case SPEC_DEVICE:
        return kernel_device_holds(text, value->integer);
    case SPEC_KIND_UNSET:
    case SPEC_OPAQUE:
    case SPEC_NONE:
    case SPEC_TENSOR:
    case SPEC_ALWAYS_NULL:
    case SPEC_TUPLE:
    case SPEC_LIST:
    case SPEC_RECORD:
        break;
    }
    return false;
}

bool kernel_guards_hold(const SpecVariant *variant, const int64_t *values, const bool *bound)
{
    const Symbols symbols = {values, bound};
    for (uint32_t i = 0; i < variant->guards.text_count; i++) {
        int64_t holds = 0;
        if (!evaluate(&symbols, variant->guards.expr[i], &holds) || holds == 0) {
            return false;
        }
    }
    return true;
}

static bool align_holds(const KernelValue *value, const char *text)
{
    const uint64_t address = view_has_elements(&value->geometry) ? value->address : 0;
    return address % strtoull(text, NULL, 10) == 0;
}

/* Both are there, and they are one tensor, or are not. */
static bool same_holds(const Match *m, const char *path, bool same)
{
    const KernelValue *other = path != NULL ? kernel_find(m->kernel, m->call, path) : NULL;
    return path == NULL || (other != NULL && !other->null && kernel_is_same(m->value, other) == same);
}

/* What one key says of a value that is there. One that is not listed does not compile, and then nothing would look at
 * it. */
static bool key_holds(Match *m, const SpecWhen *when, SpecWhenKey key)
{
    const KernelValue *value = m->value;
    const ViewGeometry *geometry = &value->geometry;
    switch (key) {
    case SpecWhen_dtype:
        return when->dtype == NULL || kernel_dtype_holds(when->dtype, geometry->dtype);
    case SpecWhen_ndim:
        return when->ndim == NULL || kernel_integer_holds(m->spec, when->ndim, geometry->rank, &m->bound);
    case SpecWhen_storage_offset:
        return when->storage_offset == NULL ||
               kernel_integer_holds(m->spec, when->storage_offset, geometry->offset, &m->bound);
    case SpecWhen_size:
        return when->size.text == NULL || dims_hold(m, &when->size, false);
    case SpecWhen_stride:
        return when->stride.text == NULL || dims_hold(m, &when->stride, true);
    case SpecWhen_align:
        return when->align.text == NULL || align_holds(value, when->align.text);
    case SpecWhen_device:
        return when->device == NULL || kernel_device_holds(when->device, value->device);
    case SpecWhen_layout:
        return when->layout == SPEC_LAYOUT_UNSET || layout_holds(geometry, when->layout);
    case SpecWhen_value:
        return when->value == NULL || value_holds(m, when->value);
    case SpecWhen_length:
        return when->length == NULL || kernel_integer_holds(m->spec, when->length, value->num_items, &m->bound);
    case SpecWhen_same_as:
        return same_holds(m, when->same_as, true);
    case SpecWhen_not_same_as:
        return same_holds(m, when->not_same_as, false);
    case SpecWhen_is_null:
        return !spec_is(when->is_null);
    case SpecWhen_arg: /* kernel_find */
    case SpecWhen_is_conj:
    case SpecWhen_is_neg: /* lazy_holds */
    case SpecWhen_END:
        break;
    }
    return true;
}

static bool when_holds(Match *m, const SpecWhen *when)
{
    const KernelValue *value = m->value;
    bool holds = value != NULL;
    if (value == NULL || value->null) {
        return value != NULL && spec_is(when->is_null);
    }
    for (int key = 0; holds && key < SpecWhen_END; key++) {
        holds = key_holds(m, when, (SpecWhenKey)key);
    }
    return holds;
}

/* Each bit of an argument is as some condition says, or clear. */
static bool lazy_holds(const SpecKernel *kernel, const SpecVariant *variant, const KernelValue *value)
{
    int32_t stated = 0;
    for (uint32_t i = 0; i < spec_conditions_count(kernel, variant); i++) {
        const SpecWhen *when = spec_condition(kernel, variant, i);
        if (strcmp(when->arg, value->arg->name) == 0) {
            stated |= (spec_is(when->is_conj) ? WG_LAZY_CONJ : 0) | (spec_is(when->is_neg) ? WG_LAZY_NEG : 0);
        }
    }
    return value->null || value->lazy == stated;
}

uint64_t kernel_cpu(const SpecVariant *variant)
{
    static const char *const words[] = {
#define WORD(NAME, word) word,
        WG_CPU_FEATURES(WORD)
#undef WORD
    };
    uint64_t features = 0;
    for (uint32_t i = 0; i < variant->cpu.text_count; i++) {
        for (size_t k = 0; k < WG_CPU_COUNT; k++) {
            features |= (uint64_t)(strcmp(words[k], variant->cpu.text[i]) == 0) << k;
        }
    }
    return features;
}

bool kernel_variant_holds(Arena *arena, const Spec *spec, const SpecKernel *kernel, const SpecVariant *variant,
                          const KernelCall *call)
{
    Match m = {.spec = spec, .kernel = kernel, .call = call};
    m.bound.is_bound = ARENA_ARRAY(arena, bool, (size_t)spec->symbols_count + 1);
    m.bound.value = ARENA_ARRAY(arena, int64_t, (size_t)spec->symbols_count + 1);
    for (uint32_t i = 0; i < spec_conditions_count(kernel, variant); i++) {
        const SpecWhen *when = spec_condition(kernel, variant, i);
        m.value = kernel_find(kernel, call, when->arg);
        if (!when_holds(&m, when)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < kernel->args_count; i++) {
        if (spec_is(kernel->args[i].lazy_ok) && !lazy_holds(kernel, variant, &call->args[i])) {
            return false;
        }
    }
    return (kernel_cpu(variant) & ~call->cpu) == 0 && kernel_guards_hold(variant, m.bound.value, m.bound.is_bound);
}

int32_t kernel_match(Arena *arena, const Spec *spec, const SpecKernel *kernel, const KernelCall *call)
{
    for (uint32_t i = 0; i < kernel->variants_count; i++) {
        if (kernel_variant_holds(arena, spec, kernel, &kernel->variants[i], call)) {
            return (int32_t)i;
        }
    }
    return -1;
}
