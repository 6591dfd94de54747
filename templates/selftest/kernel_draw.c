/* SPDX-License-Identifier: MIT */
/*
 * kernel_draw - arguments of a call: any that are not refused, and ones that satisfy the conditions of a variant. What
 * comes of a call is decided by the matcher, so nothing is lost but time where a draw misses what it aims at.
 */
#include "kernel_call.h"

#include <stdlib.h>
#include <string.h>

#include "../core/wg_compiler.h"

KernelDraw kernel_draw_from(Arena *arena, const Spec *spec, const SpecKernel *kernel, uint64_t seed)
{
    enum { PURPOSE = 31 };
    KernelDraw draw = {.arena = arena, .spec = spec, .kernel = kernel, .random = random_from(seed, PURPOSE)};
    draw.symbols = ARENA_ARRAY(arena, int64_t, (size_t)spec->symbols_count + 1);
    return draw;
}

static int64_t small(KernelDraw *draw)
{
    static const int64_t sizes[] = {0, 1, 1, 2, 2, 3, 4, 5, 8, 16};
    return sizes[random_below(&draw->random, sizeof sizes / sizeof sizes[0])];
}

/* So many steps up; where that leaves 64 bits, none. */
static int64_t stepped(int64_t value, int64_t step, uint32_t times)
{
    int64_t way = 0;
    int64_t result = 0;
    return wg_ckd_mul(&way, step, (int64_t)times) || wg_ckd_add(&result, value, way) ? value : result;
}

/* The first multiple from there on. */
static int64_t first_multiple(int64_t from, int64_t multiple)
{
    const int64_t below = from - from % multiple;
    return below < from ? stepped(below, multiple, 1) : below;
}

/* The last multiple up to there. */
static int64_t last_multiple(int64_t to, int64_t multiple)
{
    const int64_t above = to - to % multiple;
    int64_t result = 0;
    return above > to && !wg_ckd_sub(&result, above, multiple) ? result : above;
}

static int64_t symbol_value(KernelDraw *draw, const SpecSymbol *symbol)
{
    const int64_t first = first_multiple(symbol->has_min ? symbol->min_value : 0, symbol->multiple_of_value);
    const int64_t value = stepped(first, symbol->multiple_of_value, random_below(&draw->random, 4));
    return symbol->has_max && value > symbol->max_value ? first : value;
}

/* An integer that satisfies the text; `otherwise` where the text asks nothing. */
static int64_t satisfying(KernelDraw *draw, const char *text, int64_t otherwise)
{
    enum { MOST = 8 };
    KernelRange ranges[MOST];
    uint32_t n = 0;
    const int32_t symbol = kernel_symbol(draw->spec, text);
    if (kernel_is_any(text)) {
        return otherwise;
    }
    if (symbol >= 0) {
        return draw->symbols[symbol];
    }
    while (text != NULL && n < MOST) {
        text = kernel_next_range(text, &ranges[n++]);
    }
    const KernelRange *range = &ranges[random_below(&draw->random, n)];
    int64_t value = range->has_min ? range->min : range->has_max ? range->max : 0;
    if (range->has_min && range->has_max && range->max > range->min && random_chance(&draw->random, 50)) {
        const uint64_t span = (uint64_t)range->max - (uint64_t)range->min;
        value += (int64_t)(random_next(&draw->random) % (span < 64 ? span + 1 : 64));
    }
    if (range->multiple > 0) {
        value = range->has_min ? first_multiple(value, range->multiple) : last_multiple(value, range->multiple);
        value = range->has_max ? value : stepped(value, range->multiple, random_below(&draw->random, 3));
    }
    return value;
}

/* ---- any value ---- */

static int32_t draw_rank(KernelDraw *draw, const SpecArg *arg)
{
    int32_t least = 0;
    for (uint32_t i = 0; i < arg->static_dims.text_count; i++) {
        const int32_t dim = (int32_t)strtol(arg->static_dims.text[i], NULL, 10);
        least = dim >= least ? dim + 1 : least;
    }
    int64_t rank = least + (int32_t)random_below(&draw->random, 4);
    for (int tries = 0; arg->ndim != NULL && tries < 8; tries++) {
        rank = satisfying(draw, arg->ndim, rank);
        if (rank >= least && rank <= VIEW_RANK) {
            break;
        }
    }
    return (int32_t)(rank < 0 ? 0 : rank > VIEW_RANK ? VIEW_RANK : rank);
}

static int32_t draw_dtype(KernelDraw *draw, const char *text)
{
    static const int32_t usual[] = {WG_FLOAT16, WG_FLOAT32, WG_BFLOAT16, WG_INT64, WG_BOOL, WG_UINT8};
    for (int tries = 0; tries < 8; tries++) {
        const int32_t dtype = usual[random_below(&draw->random, sizeof usual / sizeof usual[0])];
        if (text == NULL || kernel_dtype_holds(text, dtype)) {
            return dtype;
        }
    }
    return kernel_first_dtype(text);
}

static int32_t draw_device(KernelDraw *draw)
{
    return random_chance(&draw->random, 60) ? 0 : 256 * WG_CUDA + (int32_t)random_below(&draw->random, 2);
}

static void draw_tensor(KernelDraw *draw, const SpecArg *arg, KernelValue *value)
{
    enum { PAGE = 4096, LINE = 64, ALL_DIMS = (1 << VIEW_RANK) - 1 };
    Random *random = &draw->random;
    ViewGeometry *geometry = &value->geometry;
    geometry->rank = draw_rank(draw, arg);
    geometry->dtype = draw_dtype(draw, arg->dtype);
    for (int32_t d = 0; d < VIEW_RANK; d++) {
        geometry->sizes[d] = small(draw);
        geometry->strides[d] = small(draw);
    }
    if (random_chance(random, 60)) {
        view_make_contiguous(geometry);
    }
    geometry->offset = random_chance(random, 60) ? 0 : small(draw);
    value->device = draw_device(draw);
    value->plain = arg->subclass_ok == SPEC_FALSE || random_chance(random, 80);
    if (!value->plain && random_chance(random, 50)) {
        value->symbolic_sizes = (uint32_t)random_next(random) & ALL_DIMS;
        value->symbolic_strides = (uint32_t)random_next(random) & ALL_DIMS;
    }
    if (draw->tells_lazy && spec_is(arg->lazy_ok) && random_chance(random, 30)) {
        value->lazy = (int32_t)random_below(random, 4);
    }
    value->address = PAGE * (uint64_t)(1 + random_below(random, 4));
    value->address += random_chance(random, 60) ? LINE * (uint64_t)random_below(random, 8) : random_below(random, 99);
    if (draw->kernel->index_dtype == SPEC_INDEX_INT32 && !kernel_is_few(value)) {
        value->plain = true;
    }
}

static void draw_items(KernelDraw *draw, const SpecArg *arg, KernelValue *value)
{
    enum { SPARE = 4, USUAL = 4 };
    const bool list = arg->kind == SPEC_LIST;
    int64_t n = list ? random_below(&draw->random, USUAL) : arg->items_count;
    for (int tries = 0; list && arg->length != NULL && tries < 8; tries++) {
        n = satisfying(draw, arg->length, n);
        if (n >= 0 && n <= KERNEL_MOST_ITEMS) {
            break;
        }
    }
    value->num_items = (uint32_t)(n < 0 ? 0 : n > KERNEL_MOST_ITEMS ? KERNEL_MOST_ITEMS : n);
    value->items = ARENA_ARRAY(draw->arena, KernelValue, (size_t)value->num_items + (list ? SPARE : 1));
    for (uint32_t i = 0; i < value->num_items + (list ? SPARE : 0); i++) {
        kernel_draw_value(draw, list ? arg->of : &arg->items[i], &value->items[i]);
    }
}

void kernel_draw_value(KernelDraw *draw, const SpecArg *arg, KernelValue *value)
{
    static const char *const texts[] = {"fast", "", "a longer string", "exactly8"};
    static const double reals[] = {0.0, -0.0, 1.5, -2.5, 1e300};
    static const int64_t integers[] = {0, 1, 2, -1, -7, 4, 40, INT64_MAX};
    Random *random = &draw->random;
    *value = (KernelValue){.arg = arg, .plain = true, .text = texts[random_below(random, 4)]};
    value->null = arg->kind == SPEC_ALWAYS_NULL || (spec_is(arg->nullable) && random_chance(random, 30));
    value->real = reals[random_below(random, 5)];
    value->integer = integers[random_below(random, 8)];
    if (arg->kind == SPEC_BOOLEAN) {
        value->integer = random_below(random, 2);
    } else if (arg->kind == SPEC_DTYPE) {
        value->integer = draw_dtype(draw, NULL);
    } else if (arg->kind == SPEC_DEVICE) {
        value->integer = draw_device(draw);
    } else if (arg->kind == SPEC_TENSOR) {
        draw_tensor(draw, arg, value);
    } else if (kernel_is_container(arg->kind)) {
        draw_items(draw, arg, value);
    }
}

void kernel_leave_out(const SpecKernel *kernel, KernelCall *call, uint32_t given)
{
    call->num_given = given;
    for (uint32_t i = given; i < kernel->args_count; i++) {
        const SpecArg *arg = &kernel->args[i];
        call->args[i].null = true;
        if (arg->default_value != NULL) {
            kernel_set_literal(&call->args[i], arg->default_value);
        }
    }
}

KernelCall kernel_draw_call(KernelDraw *draw)
{
    const SpecKernel *kernel = draw->kernel;
    KernelCall call = {.num_given = kernel->args_count};
    call.args = ARENA_ARRAY(draw->arena, KernelValue, (size_t)kernel->args_count + 1);
    for (uint32_t i = 0; i < draw->spec->symbols_count; i++) {
        draw->symbols[i] = symbol_value(draw, &draw->spec->symbols[i]);
    }
    for (uint32_t i = 0; i < kernel->args_count; i++) {
        kernel_draw_value(draw, &kernel->args[i], &call.args[i]);
    }
    for (int i = 0; i < KERNEL_NUM_EXTRA; i++) {
        call.extra[i] = (int64_t)random_below(&draw->random, 3) - 1;
    }
    for (uint32_t i = 0; i < kernel->variants_count; i++) { /* a machine that suits some of the variants */
        call.cpu |= random_chance(&draw->random, 50) ? kernel_cpu(&kernel->variants[i]) : 0;
    }
    const uint32_t required = kernel_num_required(kernel);
    if (random_chance(&draw->random, 20)) {
        kernel_leave_out(kernel, &call, required + random_below(&draw->random, kernel->args_count - required + 1));
    }
    kernel_draw_same(draw, &call);
    return call;
}

/* ---- towards a variant ---- */

static void steer_dims(KernelDraw *draw, const SpecNames *texts, ViewGeometry *geometry, int64_t *dims)
{
    if (texts->text == NULL || texts->text_count > VIEW_RANK) {
        return;
    }
    geometry->rank = (int32_t)texts->text_count;
    for (int32_t d = 0; d < geometry->rank; d++) {
        dims[d] = satisfying(draw, texts->text[d], dims[d]);
    }
}

static void make_channels_last(ViewGeometry *geometry)
{
    static const int32_t order[] = {1, 3, 2, 0};
    int64_t inside = 1;
    for (int i = 0; i < 4 && kernel_can_be_dense(geometry); i++) {
        geometry->strides[order[i]] = inside;
        inside *= geometry->sizes[order[i]] > 0 ? geometry->sizes[order[i]] : 1;
    }
}

bool kernel_can_be_dense(const ViewGeometry *geometry)
{
    int64_t count = 1;
    bool can = true;
    for (int32_t d = 0; d < geometry->rank; d++) {
        const int64_t size = geometry->sizes[d] > 0 ? geometry->sizes[d] : 1;
        can = can && !wg_ckd_mul(&count, count, size);
    }
    return can;
}

void kernel_make_contiguous(ViewGeometry *geometry)
{
    if (kernel_can_be_dense(geometry)) {
        view_make_contiguous(geometry);
    }
}

/* A dtype of numbers that can be conjugated, if the argument may have one. */
static int32_t conjugated(const SpecArg *arg, int32_t dtype)
{
    static const int32_t complex[] = {WG_COMPLEX64, WG_COMPLEX128, WG_COMPLEX32};
    for (size_t i = 0; !kernel_is_complex(dtype) && i < sizeof complex / sizeof complex[0]; i++) {
        dtype = arg->dtype == NULL || kernel_dtype_holds(arg->dtype, complex[i]) ? complex[i] : dtype;
    }
    return dtype;
}

static void steer_tensor(KernelDraw *draw, const SpecWhen *when, KernelValue *value)
{
    ViewGeometry *geometry = &value->geometry;
    if (when->dtype != NULL) {
        geometry->dtype = draw_dtype(draw, when->dtype);
    }
    if (when->ndim != NULL) {
        const int64_t rank = satisfying(draw, when->ndim, geometry->rank);
        geometry->rank = rank >= 0 && rank <= VIEW_RANK ? (int32_t)rank : geometry->rank;
    }
    if (when->storage_offset != NULL) {
        geometry->offset = satisfying(draw, when->storage_offset, geometry->offset);
    }
    steer_dims(draw, &when->size, geometry, geometry->sizes);
    if (when->layout == SPEC_LAYOUT_CHANNELS_LAST) {
        geometry->rank = 4;
        make_channels_last(geometry);
    } else if (when->layout == SPEC_LAYOUT_CONTIGUOUS) {
        kernel_make_contiguous(geometry);
    }
    steer_dims(draw, &when->stride, geometry, geometry->strides);
    if (when->device != NULL) {
        value->device = kernel_device(when->device);
    }
    if (spec_is(when->is_conj)) {
        value->lazy |= WG_LAZY_CONJ;
        geometry->dtype = conjugated(value->arg, geometry->dtype);
    }
    if (spec_is(when->is_neg)) {
        value->lazy |= WG_LAZY_NEG;
    }
    if (when->align.text != NULL) {
        const uint64_t align = strtoull(when->align.text, NULL, 10);
        value->address = align * (1 + value->address / align);
    }
}

static void steer(KernelDraw *draw, const SpecWhen *when, KernelValue *value)
{
    const SpecArg *arg = value->arg;
    value->null = when->is_null == SPEC_TRUE;
    if (value->null) {
        return;
    }
    if (arg->kind == SPEC_TENSOR) {
        steer_tensor(draw, when, value);
    }
    if (when->length != NULL) {
        const int64_t length = satisfying(draw, when->length, value->num_items);
        KernelValue longer;
        SpecArg exactly = *arg;
        char *text = arena_printf(draw->arena, "%lld", (long long)length);
        exactly.length = text;
        kernel_draw_value(draw, &exactly, &longer);
        value->items = longer.items;
        value->num_items = longer.num_items;
    }
    if (when->value != NULL && arg->kind == SPEC_INT) {
        value->integer = satisfying(draw, when->value, value->integer);
    } else if (when->value != NULL && arg->kind == SPEC_DTYPE) {
        value->integer = draw_dtype(draw, when->value);
    } else if (when->value != NULL) {
        kernel_set_literal(value, when->value);
    }
}

/* Down a path: what is above is there, and long enough. */
static KernelValue *reach(KernelDraw *draw, KernelCall *call, const char *path)
{
    for (const char *dot = strchr(path, '.'); dot != NULL; dot = strchr(dot + 1, '.')) {
        KernelValue *above = kernel_find(draw->kernel, call, arena_copy(draw->arena, path, (size_t)(dot - path)));
        if (above == NULL) {
            return NULL;
        }
        const uint32_t at = (uint32_t)strtoul(dot + 1, NULL, 10);
        above->null = false;
        if (above->arg->kind == SPEC_LIST && at >= above->num_items) {
            SpecWhen when = {.length = arena_printf(draw->arena, "%u", (unsigned)at + 1)};
            steer(draw, &when, above);
        }
    }
    return kernel_find(draw->kernel, call, path);
}

/* The argument that a path begins with is not left out. */
static void give(const SpecKernel *kernel, KernelCall *call, const char *path)
{
    const size_t length = strcspn(path, ".");
    for (uint32_t i = call->num_given; i < kernel->args_count; i++) {
        if (strlen(kernel->args[i].name) == length && strncmp(kernel->args[i].name, path, length) == 0) {
            call->num_given = i + 1;
        }
    }
}

/* Values with which the guards hold, if some are found: near the usual ones, or near what bounds allow. */
static void steer_symbols(KernelDraw *draw, const SpecVariant *variant)
{
    enum { TRIES = 300 };
    const uint32_t n = draw->spec->symbols_count;
    for (int i = 0; i < TRIES && !kernel_guards_hold(variant, draw->symbols, NULL); i++) {
        for (uint32_t k = 0; k < n; k++) {
            const int64_t value = symbol_value(draw, &draw->spec->symbols[k]);
            const int64_t steps = draw->spec->symbols[k].multiple_of_value;
            draw->symbols[k] =
                random_chance(&draw->random, 50) ? value : stepped(value, steps, random_below(&draw->random, 40));
        }
    }
}

/* Which tensors are one, as an entry says it, once all of them were reached. */
static void steer_same(KernelDraw *draw, KernelCall *call, const SpecWhen *when, bool reached)
{
    const char *const paths[] = {when->same_as, when->not_same_as};
    for (int i = 0; i < 2; i++) {
        KernelValue *other = paths[i] != NULL ? reach(draw, call, paths[i]) : NULL;
        KernelValue *value = other != NULL ? kernel_find(draw->kernel, call, when->arg) : NULL;
        if (reached && value != NULL) {
            value->null = false;
            other->null = false;
            kernel_set_same(draw->arena, draw->kernel, call, other, value, i == 0);
            give(draw->kernel, call, paths[i]);
        }
    }
}

void kernel_steer(KernelDraw *draw, const SpecVariant *variant, KernelCall *call)
{
    enum { LENGTHS, SAME, REST, NUM_PASSES }; /* a new length is a new list, and one tensor has one set of facts */
    steer_symbols(draw, variant);
    call->cpu |= kernel_cpu(variant);
    for (uint32_t i = 0; i < draw->kernel->args_count; i++) {
        call->args[i].lazy = 0; /* unless a condition says otherwise */
    }
    for (int pass = LENGTHS; pass < NUM_PASSES; pass++) {
        for (uint32_t i = 0; i < spec_conditions_count(draw->kernel, variant); i++) {
            const SpecWhen *when = spec_condition(draw->kernel, variant, i);
            KernelValue *value = reach(draw, call, when->arg);
            if (value != NULL && pass != SAME && (when->length != NULL) == (pass == LENGTHS)) {
                steer(draw, when, value);
                kernel_spread(draw->arena, draw->kernel, call, value);
            }
            if (pass != REST) {
                steer_same(draw, call, when, pass == SAME);
            }
            give(draw->kernel, call, when->arg);
        }
    }
}
