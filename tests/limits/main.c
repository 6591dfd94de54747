/* SPDX-License-Identifier: MIT */
/*
 * main [CALLS] - random calls of everything in graph.yaml. Where the table of limits says that a call is outside of all
 * variants it must be refused; where it says that one is within a variant that is whole, it must be taken. Calls are
 * drawn near the limits, and each variant that is whole must be met and missed often.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limits.h"
#include "wg_copy.h"
#include "wg_native.h"
#include "wrappers.h"

enum { MOST = 4, TAKEN = 77 };

static const char *chosen; /* the variant that was called */

#define VARIANT(name)                                                                                                  \
    int32_t name(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)                \
    {                                                                                                                  \
        (void)ctx;                                                                                                     \
        (void)args;                                                                                                    \
        (void)num_args;                                                                                                \
        (void)outs;                                                                                                    \
        (void)num_outs;                                                                                                \
        chosen = #name;                                                                                                \
        return TAKEN;                                                                                                  \
    }
VARIANT(called)
VARIANT(compared_twice)
VARIANT(matmul_small)
VARIANT(matmul_equal)
VARIANT(reduce_1)
VARIANT(reduce_masked)
VARIANT(reduce_many)

typedef int32_t Boxed(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t num_outs);
typedef int32_t Dispatcher(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs);

static const struct {
    const char *name;
    Boxed *graph;
    Dispatcher *kernel;
    int is_whole; /* the table says all that is tested */
} functions[] = {
    {"fixed", demo_fixed_boxed, NULL, 1},       {"bounded", demo_bounded_boxed, NULL, 1},
    {"computed", demo_computed_boxed, NULL, 0}, {"strided", demo_strided_boxed, NULL, 0},
    {"empty", demo_empty_boxed, NULL, 0},       {"guarded", demo_guarded_boxed, NULL, 0},
    {"free", demo_free_boxed, NULL, 1},         {"matmul", NULL, demo_matmul, 1},
    {"reduce", NULL, demo_reduce, 1},           {"compared", NULL, demo_compared, 0},
};

/* ---- a call ---- */

typedef struct Drawn {
    int32_t is_null;
    int32_t dtype;
    int32_t rank;
    int64_t sizes[8];
    int64_t value;
} Drawn;

static uint64_t state = 1;
static int is_careful; /* this call shall be within the limits */

static uint64_t draw(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

/* Once in n times, in calls that need not be within the limits. */
static int strays(uint64_t n)
{
    return draw(n) == 0 && !is_careful;
}

/* A bit of the mask, or any number below `below`. */
static int32_t draw_bit(uint64_t mask, uint64_t below)
{
    for (int tries = 0; tries < 1000 && mask != 0 && !strays(1000); tries++) {
        const uint64_t bit = draw(below);
        if ((mask >> bit & 1) != 0) {
            return (int32_t)bit;
        }
    }
    return (int32_t)draw(below);
}

/* Within a range, at its edges, or a little beyond. */
static int64_t draw_number(const WgLimitNumber *number, const Drawn *drawn, int64_t least)
{
    if (number == NULL || strays(10)) {
        return least + (int64_t)draw(70);
    }
    if (number->as_argument >= 0 && !strays(8)) {
        const Drawn *other = &drawn[number->as_argument];
        return number->as_dimension < 0 ? other->value : other->sizes[number->as_dimension];
    }
    if (number->num_ranges == 0) {
        return least;
    }
    const WgLimitRange *range = &number->ranges[draw(number->num_ranges)];
    const int64_t min = range->min < -100 ? -3 : range->min;
    const int64_t max = range->max > min + 200 ? min + 200 : range->max;
    int64_t found = min + (int64_t)draw((uint64_t)(max - min) + 1);
    found -= !strays(8) ? ((found % range->multiple) + range->multiple) % range->multiple : 0;
    found = strays(6) ? (draw(2) == 0 ? max + 1 : min - 1) : found;
    return found < least ? least : found;
}

static void draw_call(const WgLimitVariant *near, Drawn *drawn)
{
    static const int32_t dtypes[] = {WG_FLOAT32, WG_FLOAT16, WG_FLOAT64, WG_INT64, WG_INT32, WG_BOOL, WG_UINT8};
    is_careful = draw(2) == 0;
    for (uint32_t i = 0; i < near->num_arguments; i++) {
        const WgLimitArgument *argument = &near->arguments[i];
        Drawn *one = &drawn[i];
        memset(one, 0, sizeof *one);
        one->is_null = argument->may_be_null ? draw(2) == 0 : strays(12);
        if (strcmp(argument->kind, "tensor") != 0) {
            const int is_bool = strcmp(argument->kind, "bool") == 0;
            one->is_null = 0;
            one->value = draw_number(argument->num_numbers > 0 ? argument->numbers : NULL, drawn, -5);
            one->value = is_bool ? one->value & 1 : one->value;
            continue;
        }
        one->rank = draw_bit(argument->ranks, 6);
        do {
            one->dtype = strays(4) ? dtypes[draw(7)] : draw_bit(argument->dtypes, 30);
        } while (wg_dtype_name(one->dtype)[0] == '?');
        for (int32_t d = 0; d < one->rank; d++) {
            one->sizes[d] = draw_number((uint32_t)d < argument->num_numbers ? &argument->numbers[d] : NULL, drawn, 0);
        }
    }
}

/* ---- what the table says ---- */

static int has_number(const WgLimitNumber *number, const Drawn *drawn, int64_t value)
{
    int found = 0;
    for (uint32_t i = 0; i < number->num_ranges; i++) {
        const WgLimitRange *range = &number->ranges[i];
        found = found || (value >= range->min && value <= range->max && value % range->multiple == 0);
    }
    if (number->as_argument >= 0) {
        const Drawn *other = &drawn[number->as_argument];
        found = found && value == (number->as_dimension < 0 ? other->value : other->sizes[number->as_dimension]);
    }
    return found;
}

static int is_within(const WgLimitVariant *variant, const Drawn *drawn)
{
    int within = 1;
    for (uint32_t i = 0; i < variant->num_arguments && within; i++) {
        const WgLimitArgument *argument = &variant->arguments[i];
        const Drawn *one = &drawn[i];
        if (strcmp(argument->kind, "tensor") != 0) {
            within = argument->num_numbers == 0 || has_number(argument->numbers, drawn, one->value);
            continue;
        }
        if (one->is_null) {
            within = argument->may_be_null;
            continue;
        }
        within = (argument->dtypes >> one->dtype & 1) != 0 && (argument->ranks >> one->rank & 1) != 0;
        for (int32_t d = 0; d < one->rank && within; d++) {
            within = (uint32_t)d >= argument->num_numbers || has_number(&argument->numbers[d], drawn, one->sizes[d]);
        }
    }
    return within;
}

/* ---- and what is taken ---- */

/* Contiguous, at addresses of its own that nothing reads. */
static WgTensor *tensor_of(WgContext *ctx, const Drawn *one, uintptr_t index)
{
    int64_t strides[8];
    int64_t n = 1;
    WgTensor *t = NULL;
    int has_elements = 1;
    for (int32_t d = one->rank; d-- > 0;) {
        strides[d] = n;
        n *= one->sizes[d] > 1 ? one->sizes[d] : 1;
        has_elements = has_elements && one->sizes[d] > 0;
    }
    const WgGeometry geometry = {one->sizes, strides, 0, one->rank};
    const int64_t num_bytes = has_elements ? n * (int64_t)wg_dtype_size(one->dtype) : 0;
    void *data = num_bytes == 0 ? NULL : (void *)((index + 1) << 44);
    if (wg_native_borrow(ctx, data, num_bytes, &geometry, one->dtype, WG_CPU * 256, NULL, NULL, &t) != WG_OK) {
        fprintf(stderr, "no tensor\n");
        exit(2);
    }
    return t;
}

/* The variant that took it, or null. */
static const char *take(WgContext *ctx, const WgLimits *limits, size_t function, const Drawn *drawn)
{
    const uint32_t n = limits->variants[0].num_arguments;
    WgValue args[MOST];
    WgValue outs[1] = {{NULL}};
    size_t num_outs = 1;
    for (uint32_t i = 0; i < n; i++) {
        const int is_tensor = strcmp(limits->variants[0].arguments[i].kind, "tensor") == 0;
        args[i].integer = drawn[i].value;
        if (is_tensor) {
            args[i] = wg_value_tensor(drawn[i].is_null ? NULL : tensor_of(ctx, &drawn[i], i));
        }
    }
    chosen = NULL;
    if (functions[function].graph != NULL) {
        (void)functions[function].graph(ctx, args, n, outs, 1);
    } else {
        (void)functions[function].kernel(ctx, args, n, outs, &num_outs);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (strcmp(limits->variants[0].arguments[i].kind, "tensor") == 0) {
            wg_release(ctx, args[i].tensor);
        }
    }
    return chosen;
}

typedef struct Count {
    unsigned taken;
    unsigned refused;
    unsigned wrong;
} Count;

/* For a graph, or a kernel's variants together. */
static Count compare(WgContext *ctx, const WgLimits *limits, size_t function, unsigned num_calls)
{
    Count count = {0, 0, 0};
    Drawn drawn[MOST];
    for (unsigned i = 0; i < num_calls; i++) {
        int within = 0;
        int whole = 0;
        draw_call(&limits->variants[draw(limits->num_variants)], drawn);
        for (uint32_t v = 0; v < limits->num_variants; v++) {
            const int one = is_within(&limits->variants[v], drawn);
            within = within || one;
            whole = whole || (one && limits->variants[v].is_whole);
        }
        const char *taken = take(ctx, limits, function, drawn);
        int agrees = (taken != NULL || !whole) && (taken == NULL || within);
        for (uint32_t v = 0; v < limits->num_variants && taken != NULL && limits->is_kernel; v++) {
            const int is_it = strcmp(limits->variants[v].name, taken) == 0;
            agrees = agrees && (!is_it || is_within(&limits->variants[v], drawn));
        }
        count.taken += taken != NULL;
        count.refused += taken == NULL;
        count.wrong += !agrees;
        if (!agrees && count.wrong == 1) {
            char text[512];
            (void)wg_error_text(wg_error(ctx), text, sizeof text);
            printf("# %s by the table, but: %s\n", within ? "within" : "outside", taken != NULL ? taken : text);
        }
    }
    return count;
}

int main(int argc, char **argv)
{
    const unsigned num_calls = argc > 1 ? (unsigned)atoi(argv[1]) : 20000;
    WgContext *ctx = NULL;
    unsigned num_failed = 0;
    unsigned num_passed = 0;
    if (wg_context_create(NULL, &ctx) != WG_OK) {
        return 2;
    }
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        const WgLimits *limits = &demo_limits[i];
        const Count count = compare(ctx, limits, i, num_calls);
        int is_whole = 1;
        for (uint32_t v = 0; v < limits->num_variants; v++) {
            is_whole = is_whole && limits->variants[v].is_whole;
        }
        const int good = strcmp(limits->name, functions[i].name) == 0 && count.wrong == 0 &&
                         is_whole == functions[i].is_whole && (count.taken >= num_calls / 4 || !is_whole) &&
                         count.refused >= num_calls / 100;
        printf("%s - %s: %u calls taken, %u refused, %u not as the table says\n", good ? "ok" : "not ok",
               functions[i].name, count.taken, count.refused, count.wrong);
        num_passed += (unsigned)good;
        num_failed += (unsigned)!good;
    }
    wg_context_destroy(ctx);
    printf("%u passed, %u failed, 0 skipped\n", num_passed, num_failed);
    return num_failed != 0;
}
