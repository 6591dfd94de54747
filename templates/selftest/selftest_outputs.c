/* SPDX-License-Identifier: MIT */
/*
 * selftest_outputs - a kernel that states its outputs, called by its typed entry and by the boxed one around it: the
 * played variant gets the tensors that it is to fill and returns the others, right or wrong in one point.
 */
#include "selftest_call.h"

#include <string.h>

enum { FAILED_STATUS = 5004, FIRST_NUMBER = 1000 };

/* ---- the played variant ---- */

static bool is_by_copy(const SpecArg *arg)
{
    return kernel_is_container(arg->kind) && !kernel_is_by_address(arg);
}

static bool is_passed(const KernelPlay *play, const WgValue *args, uint32_t i)
{
    const KernelValue *value = &play->call->args[i];
    if (is_by_copy(value->arg)) {
        return memcmp(args[i].pointer, play->given[i].pointer, kernel_size(value->arg)) == 0;
    }
    return kernel_is_passed(value, play->given[i], args[i], i >= play->call->num_given);
}

/* A tensor to fill: new, and as stated. */
static bool is_made(const WgContext *ctx, const KernelOutput *due, const WgTensor *t)
{
    if (t == NULL || !t->live || t->object->id <= ctx->play->last_id) {
        return false;
    }
    const ViewGeometry *found = &t->object->geometry;
    return t->object->device == due->device && found->dtype == due->geometry.dtype &&
           view_same_shape(found, &due->geometry) && found->offset == 0 &&
           memcmp(found->strides, due->geometry.strides, (size_t)found->rank * sizeof found->strides[0]) == 0;
}

/* What the variant returns in place of that tensor. */
static WgTensor *returned_tensor(WgContext *ctx, const KernelPlay *play, uint32_t index)
{
    const KernelOutput *due = &play->outputs[index];
    ViewGeometry geometry = due->geometry;
    const bool wrong = index == play->target;
    if (!due->computed) {
        geometry.rank = 1;
        geometry.sizes[0] = geometry.strides[0] = 1;
    }
    if (wrong && play->fault == OUTPUT_MISSING) {
        return NULL;
    }
    if (wrong && play->fault == OUTPUT_DTYPE) {
        geometry.dtype = geometry.dtype == WG_INT16 ? WG_INT32 : WG_INT16;
    }
    if (wrong && play->fault == OUTPUT_RANK) {
        geometry.sizes[geometry.rank] = geometry.strides[geometry.rank] = 1;
        geometry.rank++;
    }
    if (wrong && play->fault == OUTPUT_SIZE) {
        geometry.sizes[play->dim]++;
    }
    if (wrong && play->fault == OUTPUT_STRIDE) {
        geometry.strides[play->dim]++;
    }
    WgTensor *t = mock_tensor(ctx, &geometry, 0, mock_bytes_needed(&geometry));
    t->object->plain = !wrong || play->fault != OUTPUT_SUBCLASS;
    return t;
}

static WgValue returned_number(SpecKind kind, uint32_t index)
{
    WgValue value;
    memset(&value, 0, sizeof value);
    if (kind == SPEC_FLOAT) {
        value.real = (double)index + 0.5;
    } else {
        value.integer = kind == SPEC_BOOLEAN ? 1 : FIRST_NUMBER + (int64_t)index;
    }
    return value;
}

int32_t kernel_play_outputs(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    KernelPlay *play = ctx->play;
    const SpecKernel *kernel = play->declared;
    uint32_t num_filled = 0;
    size_t n = 0;
    for (uint32_t i = 0; i < kernel->outputs_count; i++) {
        num_filled += kernel->outputs[i].allocate != NULL ? 1 : 0;
    }
    if (num_args != (size_t)kernel->args_count + num_filled || *num_outs < kernel->outputs_count - num_filled) {
        play->wrong = "another number of arguments, or room for fewer results";
        return FAILED_STATUS;
    }
    for (uint32_t i = 0; i < kernel->args_count; i++) {
        play->wrong = is_passed(play, args, i) ? play->wrong : kernel->args[i].name;
    }
    num_filled = kernel->args_count;
    for (uint32_t i = 0; i < kernel->outputs_count; i++) {
        const SpecKernelOutput *output = &kernel->outputs[i];
        if (output->allocate != NULL) {
            play->kept[i] = args[num_filled++];
            play->wrong = is_made(ctx, &play->outputs[i], play->kept[i].tensor) ? play->wrong : output->name;
        } else if (play->fault != OUTPUT_FAILS) {
            play->kept[i] = output->kind == SPEC_TENSOR ? wg_value_tensor(returned_tensor(ctx, play, i))
                                                        : returned_number(output->kind, i);
            play->wrong =
                output->kind != SPEC_TENSOR || outs[n].tensor == NULL ? play->wrong : "a result that is not null";
            outs[n++] = play->kept[i];
        }
    }
    n += play->fault == OUTPUT_ONE_MORE ? 1 : 0;
    if (play->fault == OUTPUT_ONE_LESS) { /* what is not counted is not the caller's */
        n--;
        for (uint32_t i = kernel->outputs_count; i-- > 0;) {
            if (kernel->outputs[i].allocate == NULL) {
                mock_drop(ctx, kernel->outputs[i].kind == SPEC_TENSOR ? outs[n].tensor : NULL);
                break;
            }
        }
    }
    *num_outs = play->fault == OUTPUT_SILENT ? *num_outs : n;
    return play->fault == OUTPUT_FAILS ? FAILED_STATUS : 0;
}

/* ---- what must come of it ---- */

/* Can that tensor be wrong so? What is not stated, or not tested, can not. */
static bool is_noticed(const SpecKernel *kernel, const KernelPlay *play)
{
    const KernelOutput *output = &play->outputs[play->target];
    const bool tests = kernel->check >= SPEC_CHECK_CHEAP;
    switch (play->fault) {
    case OUTPUT_MISSING:
        return true;
    case OUTPUT_SUBCLASS:
        return tests;
    case OUTPUT_DTYPE:
        return tests && kernel->outputs[play->target].dtype_code >= 0;
    case OUTPUT_RANK:
    case OUTPUT_SIZE:
        return output->computed;
    case OUTPUT_STRIDE:
        return output->strided && output->geometry.sizes[play->dim] != 1 && view_has_elements(&output->geometry);
    case OUTPUT_RIGHT:
    case OUTPUT_FAILS:
    case OUTPUT_ONE_LESS:
    case OUTPUT_ONE_MORE:
    case OUTPUT_SILENT:
    case NUM_OUTPUT_FAULTS:
        break;
    }
    return false;
}

static bool is_of_tensor(OutputFault fault)
{
    return fault >= OUTPUT_MISSING && fault <= OUTPUT_STRIDE;
}

/* Draws a fault that can be played, or none. */
static void draw_fault(KernelTest *test, KernelPlay *play)
{
    const SpecKernel *kernel = test->declared;
    Random random = random_from(test->calls[KERNEL_DISPATCH], 5);
    uint32_t num_returned = 0;
    for (uint32_t i = 0; i < kernel->outputs_count; i++) {
        num_returned += kernel->outputs[i].allocate == NULL ? 1 : 0;
    }
    play->fault = random_chance(&random, 40) ? OUTPUT_RIGHT : (OutputFault)random_below(&random, NUM_OUTPUT_FAULTS);
    play->target = kernel->outputs_count > 0 ? random_below(&random, kernel->outputs_count) : 0;
    if (play->fault == OUTPUT_ONE_LESS && num_returned == 0) {
        play->fault = OUTPUT_ONE_MORE;
    }
    if (!is_of_tensor(play->fault)) {
        return;
    }
    const SpecKernelOutput *declared = kernel->outputs_count > 0 ? &kernel->outputs[play->target] : NULL;
    const KernelOutput *output = &play->outputs[play->target];
    const bool dims = play->fault == OUTPUT_SIZE || play->fault == OUTPUT_STRIDE;
    if (declared == NULL || declared->allocate != NULL || declared->kind != SPEC_TENSOR ||
        (dims && (!output->computed || output->geometry.rank == 0)) ||
        (play->fault == OUTPUT_RANK && output->geometry.rank >= VIEW_RANK)) {
        play->fault = OUTPUT_RIGHT;
        return;
    }
    play->dim = dims ? random_below(&random, (uint32_t)output->geometry.rank) : 0;
    if (dims &&
        (play->fault == OUTPUT_SIZE ? output->geometry.sizes : output->geometry.strides)[play->dim] == INT64_MAX) {
        play->fault = OUTPUT_RIGHT;
    }
}

static KernelBreach due_of(const KernelTest *test, const KernelPlay *play)
{
    switch (play->fault) {
    case OUTPUT_FAILS:
        return (KernelBreach){.code = WG_E_COMPILED};
    case OUTPUT_ONE_LESS:
    case OUTPUT_ONE_MORE:
    case OUTPUT_SILENT:
        return (KernelBreach){.code = WG_E_OUTPUTS};
    default:
        break;
    }
    return is_noticed(test->declared, play)
               ? (KernelBreach){.code = WG_E_RESULT, .arg = test->declared->outputs[play->target].name}
               : (KernelBreach){.code = 0};
}

/* References to all that there is. */
static uint64_t num_references(const WgContext *ctx)
{
    uint64_t n = 0;
    for (size_t i = 0; i < ctx->num_objects; i++) {
        n += ctx->objects[i]->handles;
    }
    return n;
}

static bool is_delivered(const SpecKernel *kernel, const KernelPlay *play, const WgValue *outs)
{
    bool same = true;
    for (uint32_t i = 0; i < kernel->outputs_count; i++) {
        const bool tensor = kernel->outputs[i].kind == SPEC_TENSOR;
        same = same && (tensor ? outs[i].tensor == play->kept[i].tensor : outs[i].integer == play->kept[i].integer);
    }
    return same;
}

static bool is_zero(const SpecKernel *kernel, const WgValue *outs)
{
    bool zero = true;
    for (uint32_t i = 0; i < kernel->outputs_count; i++) {
        zero = zero && outs[i].integer == 0;
    }
    return zero;
}

/* ---- one call ---- */

typedef enum Way { TYPED, BOXED, NUM_WAYS } Way;

static int32_t enter(KernelTest *test, Way way, WgValue *outs, size_t *num_outs)
{
    static const WgSite stale = {"stale", NULL, NULL, WG_E_INTERNAL, WG_KIND_NONE};
    const uint32_t n = test->declared->outputs_count;
    memset(outs, 0, ((size_t)n + 1) * sizeof *outs);
    wg_fail(test->ctx, &stale, -1, wg_value_integer(0), wg_value_integer(0));
    *num_outs = n;
    return way == TYPED ? test->kernel->call(test->ctx, test->values, outs)
                        : test->kernel->dispatch(test->ctx, test_as_given(test), test->call->num_given, outs, num_outs);
}

/* Plays the call and compares what came of it; `variant` null: none accepts. */
static void play_once(KernelTest *test, Way way, KernelPlay *play, const SelftestVariant *variant, KernelBreach due)
{
    WgValue *outs = ARENA_ARRAY(&test->arena, WgValue, (size_t)test->declared->outputs_count + 1);
    size_t num_outs = 0;
    play->num_calls = 0;
    play->wrong = NULL;
    test_pass(test, play);
    play->given = test->values;
    play->last_id = test->ctx->last_id;
    const uint64_t before = num_references(test->ctx);
    const int32_t status = enter(test, way, outs, &num_outs);
    test_no_violation(test, KERNEL_DISPATCH);
    test_expect(test, KERNEL_DISPATCH, status == due.code, "status is %s, due is %s (fault %d of output %u)",
                wg_status_name(status), wg_status_name(due.code), (int)play->fault, (unsigned)play->target);
    test_expect(test, KERNEL_DISPATCH, due.code == 0 || test_is_noted(test, &due), "the error is not that of '%s'",
                due.arg != NULL ? due.arg : "the kernel");
    test_expect(test, KERNEL_DISPATCH, play->wrong == NULL, "the variant was called with another '%s'", play->wrong);
    test_expect(test, KERNEL_DISPATCH,
                variant == NULL ? play->num_calls == 0
                                : play->num_calls == 1 && strcmp(play->name, variant->symbol) == 0,
                "'%s' was called %u times", play->num_calls > 0 ? play->name : "nothing", (unsigned)play->num_calls);
    if (status == 0) {
        test_expect(test, KERNEL_DISPATCH, num_outs == test->declared->outputs_count, "the number of outputs is %u",
                    (unsigned)num_outs);
        test_expect(test, KERNEL_DISPATCH, is_delivered(test->declared, play, outs), "another output is delivered");
        test->kernel->release(test->ctx, outs);
        test_no_violation(test, KERNEL_DISPATCH);
        test_expect(test, KERNEL_DISPATCH, is_zero(test->declared, outs),
                    "an output is not null once it is given back");
    }
    test_expect(test, KERNEL_DISPATCH, is_zero(test->declared, outs) || status == 0, "an output of a call that failed");
    test_expect(test, KERNEL_DISPATCH, num_references(test->ctx) == before, "%d references are left",
                (int)(num_references(test->ctx) - before));
}

/* Without room for all outputs the boxed entry calls nothing. */
static void refuse_room(KernelTest *test)
{
    const KernelBreach due = {.code = WG_E_COUNT};
    WgValue *outs = ARENA_ARRAY(&test->arena, WgValue, test->declared->outputs_count);
    size_t num_outs = test->declared->outputs_count - 1;
    KernelPlay play = {.call = NULL};
    test_pass(test, &play);
    const int32_t status =
        test->kernel->dispatch(test->ctx, test_as_given(test), test->call->num_given, outs, &num_outs);
    test_expect(test, KERNEL_DISPATCH, status == due.code && play.num_calls == 0 && test_is_noted(test, &due),
                "with room for fewer outputs the status is %s", wg_status_name(status));
}

void test_outputs(KernelTest *test, const SelftestVariant *variant)
{
    const bool tests = test->declared->check >= SPEC_CHECK_CHEAP;
    const uint32_t n = test->declared->outputs_count;
    KernelPlay play = {.call = test->call, .declared = test->declared};
    KernelOutput *outputs = ARENA_ARRAY(&test->arena, KernelOutput, (size_t)n + 1);
    play.outputs = outputs;
    play.kept = ARENA_ARRAY(&test->arena, WgValue, (size_t)n + 1);
    KernelBreach due = {.code = WG_E_NO_VARIANT};
    if (variant == NULL) {
        due = tests && test->all.code != 0 ? test->all : due;
    } else {
        due = kernel_outputs(&test->arena, test->spec, test->declared, test->call, outputs);
        variant = due.code == 0 ? variant : NULL;
    }
    if (variant != NULL) {
        draw_fault(test, &play);
        due = due_of(test, &play);
    }
    if (n > 0) {
        refuse_room(test);
    }
    for (int way = 0; way < NUM_WAYS; way++) {
        play_once(test, (Way)way, &play, variant, due);
    }
}

/* Effects are the tensors that the call makes, in the order in which they are declared. */
static bool names_made(const KernelTest *test, uint32_t n)
{
    KernelBreach due = {.code = WG_E_HOST};
    for (uint32_t i = 0; i < test->declared->outputs_count && n > 0; i++) {
        if (test->declared->outputs[i].allocate != NULL && --n == 0) {
            due.arg = test->declared->outputs[i].name;
        }
    }
    return due.arg == NULL || (test_is_noted(test, &due) && wg_error(test->ctx)->found.integer == MOCK_INJECTED);
}

/* With the n-th read or effect failing the call fails, and nothing is left. */
bool test_outputs_failing(KernelTest *test, uint32_t n, bool effect)
{
    KernelPlay play = {.call = test->call, .declared = test->declared};
    WgValue *outs = ARENA_ARRAY(&test->arena, WgValue, (size_t)test->declared->outputs_count + 1);
    KernelOutput *outputs = ARENA_ARRAY(&test->arena, KernelOutput, (size_t)test->declared->outputs_count + 1);
    size_t num_outs = 0;
    play.outputs = outputs;
    play.kept = ARENA_ARRAY(&test->arena, WgValue, (size_t)test->declared->outputs_count + 1);
    if (kernel_outputs(&test->arena, test->spec, test->declared, test->call, outputs).code != 0) {
        return false;
    }
    test_pass(test, &play);
    play.given = test->values;
    play.last_id = test->ctx->last_id;
    *(effect ? &test->ctx->fail_effect_at : &test->ctx->fail_read_at) = n;
    const uint64_t before = num_references(test->ctx);
    const int32_t status = enter(test, TYPED, outs, &num_outs);
    const bool failed = (effect ? test->ctx->num_effects : test->ctx->num_reads) >= n;
    test_expect(test, KERNEL_VERB, !failed || (status == WG_E_HOST && is_zero(test->declared, outs)),
                "status of the typed call is %s where %s %u failed", wg_status_name(status), effect ? "effect" : "read",
                (unsigned)n);
    test_expect(test, KERNEL_VERB, !failed || !effect || names_made(test, n),
                "the error does not name the output that was not made, number %u", (unsigned)n);
    if (status == 0) {
        test->kernel->release(test->ctx, outs);
    }
    test_expect(test, KERNEL_VERB, num_references(test->ctx) == before, "references are left where %s %u failed",
                effect ? "effect" : "read", (unsigned)n);
    return failed;
}
