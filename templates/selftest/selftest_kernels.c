/* SPDX-License-Identifier: MIT */
/*
 * selftest_kernels - calls of one kernel, for each variant those that get it and all of their neighbours, and what
 * must come of each: see kernel_call.h. What is compared of one call is in selftest_choice.c and selftest_keys.c.
 */
#include "selftest_call.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../core/wg_compiler.h"

/* ---- one call ---- */

static void print_value(const KernelValue *value)
{
    const ViewGeometry *geometry = &value->geometry;
    if (value->null) {
        printf("null");
    } else if (value->arg->kind == SPEC_TENSOR) {
        printf("%s[", wg_dtype_name(geometry->dtype));
        for (int32_t d = 0; d < geometry->rank; d++) {
            printf("%s%s%" PRId64 ":%s%" PRId64, d > 0 ? " " : "", (value->symbolic_sizes >> d & 1) != 0 ? "s" : "",
                   geometry->sizes[d], (value->symbolic_strides >> d & 1) != 0 ? "s" : "", geometry->strides[d]);
        }
        printf("] device %d address %" PRIu64 "%s lazy %d object %" PRIu32, (int)value->device, value->address,
               value->plain ? "" : " subclass", (int)value->lazy, value->object);
    } else if (value->arg->kind == SPEC_FLOAT) {
        printf("%g", value->real);
    } else if (value->arg->kind == SPEC_STRING) {
        printf("'%.60s'", value->text);
    } else if (!kernel_is_container(value->arg->kind)) {
        printf("%" PRId64, value->integer);
    } else {
        for (uint32_t i = 0; i < value->num_items; i++) {
            printf("%s", i > 0 ? "; " : "(");
            print_value(&value->items[i]);
        }
        printf(value->num_items > 0 ? ")" : "()");
    }
}

static void print_call(const KernelTest *test, const KernelCall *call)
{
    for (uint32_t i = 0; i < test->declared->args_count; i++) {
        printf("#   %s%s = ", test->declared->args[i].name, i < call->num_given ? "" : " (left out)");
        print_value(&call->args[i]);
        printf("\n");
    }
}

void test_expect(KernelTest *test, KernelGroup group, bool good, const char *format, ...)
{
    va_list arguments;
    if (good || test->failed[group]) {
        return;
    }
    test->failed[group] = true;
    va_start(arguments, format);
    printf("# %s: %s\n", test->kernel->symbol, arena_vprintf(&test->arena, format, arguments));
    va_end(arguments);
    print_call(test, test->call);
    fflush(stdout);
}

void test_pass(KernelTest *test, KernelPlay *play)
{
    mock_reset(test->ctx);
    test->ctx->play = play;
    test->ctx->cpu = test->call->cpu;
    test->values = kernel_pass(test->ctx, test->declared, test->call);
}

void test_no_violation(KernelTest *test, KernelGroup group)
{
    test_expect(test, group, test->ctx->violation == NULL, "%s", test->ctx->violation);
}

bool test_is_noted(const KernelTest *test, const KernelBreach *breach)
{
    const WgError *error = wg_error(test->ctx);
    const WgSite *site = error->site;
    const size_t length = breach->arg != NULL ? strlen(breach->arg) : 0;
    if (site == NULL || site->code != breach->code || strcmp(site->graph, test->declared->name) != 0) {
        return false;
    }
    if (breach->has_values && (error->expected.integer != breach->expected || error->found.integer != breach->found)) {
        return false;
    }
    return breach->arg == NULL || (site->argument != NULL && strncmp(site->argument, breach->arg, length) == 0 &&
                                   strchr(".[", site->argument[length]) != NULL);
}

/* Compares what comes of it; below `check: cheap` a call that declarations forbid is not made. */
static void compare(void *user, const KernelCall *made)
{
    KernelTest *test = user;
    arena_reset(&test->arena);
    const KernelCall *call = kernel_united(&test->arena, test->declared, made);
    const bool tests = test->declared->check >= SPEC_CHECK_CHEAP;
    test->call = call;
    test->all = kernel_breach(test->spec, test->declared, call, true);
    test->first = kernel_breach(test->spec, test->declared, call, false);
    if ((!tests && test->all.code != 0) || !kernel_is_possible(test->declared, call)) {
        return;
    }
    test->num_accepted += test->all.code == 0 ? 1 : 0;
    test_unbox(test);
    if (test->kernel->select != NULL) {
        test_choice(test);
    }
    test_key(test);
}

/* ---- calls ---- */

/* Calls that get a variant, if they can be made up; *found is one. */
static bool aim(KernelTest *test, KernelDraw *draw, uint32_t index, KernelCall *found)
{
    enum { TRIES = 400 };
    const SpecVariant *variant = &test->declared->variants[index];
    for (int i = 0; i < TRIES; i++) {
        *found = kernel_draw_call(draw);
        kernel_steer(draw, variant, found);
        kernel_unite(draw->arena, test->declared, found);
        if (kernel_is_possible(test->declared, found) &&
            kernel_breach(test->spec, test->declared, found, true).code == 0 &&
            kernel_match(draw->arena, test->spec, test->declared, found) == (int32_t)index) {
            return true;
        }
    }
    return false;
}

/* Calls between two variants: what one asks, then what the other does. */
static void mix(KernelTest *test, KernelDraw *draw, uint32_t index)
{
    enum { TIMES = 4 };
    const uint32_t n = test->declared->variants_count;
    for (int i = 0; i < TIMES; i++) {
        KernelCall call = kernel_draw_call(draw);
        kernel_steer(draw, &test->declared->variants[random_below(&draw->random, n)], &call);
        kernel_steer(draw, &test->declared->variants[index], &call);
        compare(test, &call);
    }
}

/* Each tensor as the one before it: another tensor with the same facts, and that tensor itself. */
static void join(KernelTest *test, KernelDraw *draw, const KernelCall *call)
{
    uint32_t n = 0;
    KernelValue **tensors = kernel_tensors(draw->arena, test->declared, call, &n);
    for (uint32_t i = 1; i < n; i++) {
        const KernelValue was = *tensors[i];
        const KernelValue before = *tensors[i - 1];
        kernel_make_same(tensors[i - 1], tensors[i]);
        tensors[i]->object = tensors[i - 1]->object = 0;
        test_base(test, call);
        compare(test, call);
        tensors[i]->object = tensors[i - 1]->object = KERNEL_OBJECTS - 1;
        compare(test, call);
        *tensors[i] = was;
        *tensors[i - 1] = before;
    }
}

/* Each symbol at its bounds and next to them, everywhere at once. */
static void bind(KernelTest *test, KernelDraw *draw, uint32_t index)
{
    for (uint32_t i = 0; i < test->spec->symbols_count; i++) {
        const SpecSymbol *symbol = &test->spec->symbols[i];
        const int64_t ends[] = {symbol->has_min ? symbol->min_value : 0, symbol->has_max ? symbol->max_value : 0};
        for (int end = 0; end < 2; end++) {
            for (int64_t distance = -1; distance <= 1; distance++) {
                KernelCall call = kernel_draw_call(draw);
                if (!wg_ckd_add(&draw->symbols[i], ends[end], distance) && draw->symbols[i] >= 0) {
                    kernel_steer(draw, &test->declared->variants[index], &call);
                    compare(test, &call);
                }
            }
        }
    }
}

/* The same for the numbers that outputs are computed from, each in turn. */
static void bind_numbers(KernelTest *test, const KernelCall *found)
{
    KernelCall all = *found;
    KernelCall *call = &all;
    all.num_given = test->declared->args_count; /* what is left out could only have its default */
    for (uint32_t i = 0; i < test->declared->where_count; i++) {
        const SpecNumber *number = &test->declared->where[i];
        const SpecSymbol *symbol = &test->spec->symbols[number->symbol_index];
        const int64_t ends[] = {symbol->has_min ? symbol->min_value : 0, symbol->has_max ? symbol->max_value : 0};
        KernelValue *value = kernel_find(test->declared, call, number->arg);
        const bool size = number->of == SPEC_NUMBER_SIZE;
        if (value == NULL || (!size && number->of != SPEC_NUMBER_VALUE)) {
            continue;
        }
        int64_t *at = size ? &value->geometry.sizes[strtol(number->dim.text, NULL, 10)] : &value->integer;
        const int64_t was = *at;
        for (int end = 0; end < 2; end++) {
            for (int64_t distance = -1; distance <= 1; distance++) {
                if (!wg_ckd_add(at, ends[end], distance) && (!size || *at >= 0)) {
                    compare(test, call);
                }
            }
        }
        *at = was;
    }
}

/* Neighbours of that many variants are looked at in full; of more, some in each round. */
enum { MOST_NEIGHBOURS = 48 };

static void test_variant(KernelTest *test, uint32_t index, uint64_t round)
{
    const uint32_t n = test->declared->variants_count;
    const uint32_t every = 1 + n / MOST_NEIGHBOURS;
    Arena arena;
    KernelCall call;
    arena_init(&arena);
    KernelDraw draw = kernel_draw_from(&arena, test->spec, test->declared, round * UINT64_C(0x10001) + index);
    draw.tells_lazy = test->ctx->tables.tells_lazy;
    if (aim(test, &draw, index, &call)) {
        test->hit[index] = true;
        join(test, &draw, &call);
        test_base(test, &call);
        compare(test, &call);
        bind_numbers(test, &call);
        if ((index + round) % every == 0) {
            kernel_each_change(&draw, &test->declared->variants[index], &call, compare, test);
            test->call = &call;
            test_faults(test);
        }
    }
    mix(test, &draw, index);
    bind(test, &draw, index);
    arena_release(&arena);
}

/* Calls that aim at nothing; without variants, that is all there is. */
static void test_any(KernelTest *test, uint64_t round)
{
    enum { TIMES = 40, PURPOSE = 77 };
    Arena arena;
    arena_init(&arena);
    KernelDraw draw = kernel_draw_from(&arena, test->spec, test->declared, round * UINT64_C(0x10001) + PURPOSE);
    draw.tells_lazy = test->ctx->tables.tells_lazy;
    for (int i = 0; i < TIMES; i++) {
        KernelCall call = kernel_draw_call(&draw);
        compare(test, &call);
        if (i == 0) {
            join(test, &draw, &call);
            test_base(test, &call);
            kernel_each_change(&draw, NULL, &call, compare, test);
            test->call = &call;
            test_faults(test);
        }
    }
    arena_release(&arena);
}

/* ---- the kernel ---- */

static const char *const group_texts[] = {
#define X(name, text) text,
    KERNEL_GROUPS(X)
#undef X
};

static void test_sizes(KernelTest *test)
{
    const SpecKernel *declared = test->declared;
    for (uint32_t i = 0; i < declared->args_count; i++) {
        const size_t due = kernel_size(&declared->args[i]);
        test->calls[KERNEL_STRUCTS]++;
        if (test->kernel->sizes[i] != due && !test->failed[KERNEL_STRUCTS]) {
            test->failed[KERNEL_STRUCTS] = true;
            printf("# %s: '%s' has %zu bytes, due are %zu\n", test->kernel->symbol, declared->args[i].name,
                   test->kernel->sizes[i], due);
        }
    }
}

/* Is there an argument with a rank that the mock host cannot hold? */
static bool is_too_deep(const KernelTest *test, const SpecArg *args, uint32_t num_args)
{
    for (uint32_t i = 0; i < num_args; i++) {
        bool held = args[i].kind != SPEC_TENSOR || args[i].ndim == NULL;
        for (int32_t rank = 0; !held && rank <= VIEW_RANK; rank++) {
            held = kernel_integer_holds(test->spec, args[i].ndim, rank, NULL);
        }
        if (!held || is_too_deep(test, args[i].items, args[i].items_count)) {
            return true;
        }
    }
    return false;
}

static void report_nothing(const KernelTest *test, SelftestReport *to, uint32_t num_hit)
{
    const SpecKernel *declared = test->declared;
    if (test->failed[KERNEL_STRUCTS]) {
        return; /* no calls were made */
    }
    if (test->num_accepted == 0 && is_too_deep(test, declared->args, declared->args_count)) {
        selftest_not_covered(to, test->kernel->symbol, "a tensor has more dimensions than the mock host can hold");
    } else if (test->num_accepted == 0) {
        selftest_fail(to, test->kernel->symbol, "no call could be made up that its declarations allow");
    } else if (num_hit == 0 && declared->variants_count > 0) {
        selftest_fail(to, test->kernel->symbol, "no call could be made up that chooses a variant");
    }
}

static void report(const KernelTest *test, SelftestReport *to)
{
    const char *symbol = test->kernel->symbol;
    const uint32_t n = test->declared->variants_count;
    uint32_t num_hit = 0;
    for (int group = 0; group < KERNEL_GROUP_COUNT; group++) {
        if (test->calls[group] > 0) {
            selftest_line(to, !test->failed[group], symbol, group_texts[group], test->calls[group]);
        }
    }
    if (kernel_outputs_gap(test->declared) != NULL) {
        selftest_not_covered(to, symbol, kernel_outputs_gap(test->declared));
    }
    for (uint32_t i = 0; i < n; i++) {
        num_hit += test->hit[i] ? 1 : 0;
        if (!test->hit[i]) {
            selftest_not_covered(to, symbol,
                                 arena_printf(to->arena,
                                              "no call could be made up that chooses variant %" PRIu32 ", '%s'", i,
                                              test->kernel->variants[i].symbol));
        }
    }
    report_nothing(test, to, num_hit);
}

static bool give_scratch(WgContext *ctx, const SelftestKernel *kernel, uint32_t num_variants)
{
    size_t size = 0;
    for (uint32_t i = 0; i < num_variants; i++) {
        size = kernel->variants[i].scratch > size ? kernel->variants[i].scratch : size;
    }
    free(ctx->scratch);
    ctx->scratch = calloc(size + 1, sizeof *ctx->scratch);
    ctx->scratch_size = size;
    return ctx->scratch != NULL;
}

void selftest_kernel(SelftestReport *to, WgContext *ctx, const SelftestKernel *kernel, uint32_t rounds)
{
    KernelTest test = {.kernel = kernel, .spec = kernel->spec, .ctx = ctx};
    Arena memory;
    arena_init(&memory);
    arena_init(&test.arena);
    test.declared = &kernel->spec->kernels[kernel->index];
    const uint32_t n = test.declared->variants_count;
    test.hit = ARENA_ARRAY(&memory, bool, (size_t)n + 1);
    test_open(&test, &memory);
    if (!give_scratch(ctx, kernel, n)) {
        selftest_skip(to, kernel->symbol, "out of memory");
        return;
    }
    test_sizes(&test);
    for (uint32_t round = 1; !test.failed[KERNEL_STRUCTS] && round <= rounds; round++) {
        test_any(&test, round);
        for (uint32_t i = 0; i < n; i++) {
            test_variant(&test, i, round);
        }
    }
    report(&test, to);
    arena_release(&test.arena);
    arena_release(&memory);
}
