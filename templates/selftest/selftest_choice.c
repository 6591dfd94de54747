/* SPDX-License-Identifier: MIT */
/* selftest_choice - what a dispatcher makes of one call: which variant, with what, and the error where there is none.
 */
#include "selftest_call.h"

#include <string.h>

/* What played functions return, so that it is seen to come through. */
enum { PLAYED_STATUS = 5003, NUM_OUTS = 3 };

int32_t kernel_play(WgContext *ctx, const char *name, const WgValue *args, size_t num_args, WgValue *outs,
                    size_t *num_outs)
{
    KernelPlay *play = ctx->play;
    play->num_calls++;
    play->name = name;
    if (play->outputs != NULL) {
        return kernel_play_outputs(ctx, args, num_args, outs, num_outs);
    }
    if (play->call == NULL) {
        return play->status;
    }
    if (num_args != play->num_args) {
        play->wrong = "another number of arguments";
        return play->status;
    }
    for (size_t i = 0; i < num_args; i++) {
        if (!kernel_is_passed(&play->call->args[i], play->given[i], args[i], i >= play->call->num_given)) {
            play->wrong = play->call->args[i].arg->name;
        }
    }
    if (outs != play->outs || num_outs != play->num_outs) {
        play->wrong = "another place for results";
    }
    return play->status;
}

WgValue *test_as_given(KernelTest *test)
{
    enum { GARBAGE = 0x5A };
    const size_t room = test->declared->args_count;
    WgValue *values = ARENA_ARRAY(&test->arena, WgValue, room + 1);
    memset(values, GARBAGE, (room + 1) * sizeof *values);
    memcpy(values, test->values, test->call->num_given * sizeof *values);
    return values;
}

void test_unbox(KernelTest *test)
{
    const uint32_t n = test->declared->args_count;
    WgValue *members = ARENA_ARRAY(&test->arena, WgValue, (size_t)n + 1);
    test->calls[KERNEL_STRUCTS]++;
    test_pass(test, NULL);
    const int32_t status =
        test->kernel->unbox(test->ctx, test_as_given(test), test->call->num_given, test->values, members);
    test_expect(test, KERNEL_STRUCTS, status == 0, "status is %s", wg_status_name(status));
    for (uint32_t i = 0; i < n && status == 0; i++) {
        const KernelValue *value = &test->call->args[i];
        const bool by_copy = kernel_is_container(value->arg->kind) && !kernel_is_by_address(value->arg);
        test_expect(test, KERNEL_STRUCTS,
                    by_copy ? members[i].integer != 0
                            : kernel_is_passed(value, test->values[i], members[i], i >= test->call->num_given),
                    "'%s' is another value in the struct", value->arg->name);
    }
}

/* ---- the dispatcher ---- */

/* All of it, however long the user's names are. */
static const char *explained(KernelTest *test, const WgValue *values)
{
    const size_t length = test->kernel->explain(test->ctx, values, NULL, 0);
    char *text = arena_alloc(&test->arena, length + 1);
    (void)test->kernel->explain(test->ctx, values, text, length + 1);
    return text;
}

static const char *error_text(KernelTest *test)
{
    const size_t length = wg_error_text(wg_error(test->ctx), NULL, 0);
    char *text = arena_alloc(&test->arena, length + 1);
    (void)wg_error_text(wg_error(test->ctx), text, length + 1);
    return text;
}

/* The error of a miss says what the explanation does. */
static void test_reason(KernelTest *test)
{
    const char *begin = "no variant accepts; ";
    const char *text = error_text(test); /* first: an explanation may note an error of its own */
    const char *explanation = explained(test, test->values);
    const char *reason = strstr(explanation, begin);
    test_expect(test, KERNEL_EXPLAIN, reason != NULL && strstr(text, reason + strlen(begin)) != NULL,
                "the error says '%.200s', the explanation '%.200s'", text, explanation);
}

static void test_miss(KernelTest *test, int32_t status, const KernelPlay *play)
{
    const bool tests = test->declared->check >= SPEC_CHECK_CHEAP;
    const KernelBreach miss = {.code = WG_E_NO_VARIANT};
    const KernelBreach *due = tests && test->all.code != 0 ? &test->all : &miss;
    test_expect(test, KERNEL_DISPATCH, play->num_calls == 0, "'%s' was called though no variant accepts", play->name);
    test_expect(test, KERNEL_DISPATCH, status == due->code, "status is %s, due is %s", wg_status_name(status),
                wg_status_name(due->code));
    test_expect(test, KERNEL_DISPATCH, test_is_noted(test, due), "the error is not that of '%s'",
                due->arg != NULL ? due->arg : "the kernel");
    if (due == &miss) {
        test_reason(test);
    }
}

static void test_function(KernelTest *test, const SelftestVariant *variant)
{
    WgValue outs[NUM_OUTS];
    size_t num_outs = NUM_OUTS;
    KernelPlay play = {.call = test->call, .num_args = test->declared->args_count, .outs = outs, .num_outs = &num_outs};
    play.status = test->calls[KERNEL_DISPATCH] % 2 == 0 ? 0 : PLAYED_STATUS;
    test_pass(test, &play);
    play.given = test->values;
    const int32_t status =
        test->kernel->dispatch(test->ctx, test_as_given(test), test->call->num_given, outs, &num_outs);
    test_no_violation(test, KERNEL_DISPATCH);
    if (variant == NULL) {
        test_miss(test, status, &play);
        return;
    }
    test_expect(test, KERNEL_DISPATCH, play.num_calls == 1 && strcmp(play.name, variant->symbol) == 0,
                "'%s' was called %u times, due is '%s'", play.num_calls > 0 ? play.name : "nothing",
                (unsigned)play.num_calls, variant->symbol);
    test_expect(test, KERNEL_DISPATCH, play.wrong == NULL, "'%s' was called with another '%s'", variant->symbol,
                play.wrong);
    test_expect(test, KERNEL_DISPATCH, status == play.status, "status is %d, '%s' returned %d", (int)status,
                variant->symbol, (int)play.status);
}

/* The arguments that the variant's graph gets: those that it names, else all. */
static WgValue *picked(KernelTest *test, const SpecVariant *declared, size_t *n)
{
    const SpecKernel *kernel = test->declared;
    *n = declared->args.text_count;
    if (declared->args.text == NULL) {
        *n = kernel->args_count;
        return test->values;
    }
    WgValue *values = ARENA_ARRAY(&test->arena, WgValue, *n + 1);
    for (size_t i = 0; i < *n; i++) {
        for (uint32_t k = 0; k < kernel->args_count; k++) {
            if (strcmp(kernel->args[k].name, declared->args.text[i]) == 0) {
                values[i] = test->values[k];
            }
        }
    }
    return values;
}

/* A wrapper that is called through the dispatcher does what it does when it is called by itself. Its compiled function
 * fails: what it does with results is for the test of its graph. */
static void test_wrapper(KernelTest *test, const SelftestVariant *variant, const SpecVariant *declared)
{
    size_t num_args = 0;
    KernelPlay direct = {.status = PLAYED_STATUS};
    KernelPlay through = {.status = PLAYED_STATUS};
    WgValue *outs = ARENA_ARRAY(&test->arena, WgValue, variant->num_outs + 1);
    size_t num_outs = variant->num_outs;
    test_pass(test, &direct);
    WgValue *args = picked(test, declared, &num_args); /* only now: each pass makes the values anew */
    const int32_t due = variant->boxed(test->ctx, args, num_args, outs, variant->num_outs, NULL, NULL, 0);
    const WgSite *site = wg_error(test->ctx)->site;
    const size_t num_events = test->ctx->num_events;
    test_pass(test, &through);
    const int32_t status =
        test->kernel->dispatch(test->ctx, test_as_given(test), test->call->num_given, outs, &num_outs);
    test_no_violation(test, KERNEL_DISPATCH);
    test_expect(test, KERNEL_DISPATCH,
                status == due && wg_error(test->ctx)->site == site && test->ctx->num_events == num_events,
                "status is %s, that of '%s' alone is %s", wg_status_name(status), variant->symbol, wg_status_name(due));
    test_expect(test, KERNEL_DISPATCH, through.num_calls == direct.num_calls,
                "%u compiled functions were called, not %u", (unsigned)through.num_calls, (unsigned)direct.num_calls);
    if (variant->num_outs > 0) {
        const KernelBreach no_room = {.code = WG_E_COUNT};
        num_outs = variant->num_outs - 1;
        test_pass(test, &through);
        const int32_t refused =
            test->kernel->dispatch(test->ctx, test_as_given(test), test->call->num_given, outs, &num_outs);
        test_expect(test, KERNEL_DISPATCH, refused == WG_E_COUNT && test_is_noted(test, &no_room),
                    "with room for fewer results the status is %s", wg_status_name(refused));
    }
}

/* ---- the choice ---- */

static void test_explain(KernelTest *test, int32_t chosen)
{
    const char *accepts =
        chosen < 0 ? "" : arena_printf(&test->arena, "'%s' accepts", test->kernel->variants[chosen].symbol);
    test->calls[KERNEL_EXPLAIN]++;
    const char *text = explained(test, test->values);
    const bool says =
        chosen < 0 ? strstr(text, "' accepts") == NULL && strstr(text, "found") != NULL : strstr(text, accepts) != NULL;
    test_expect(test, KERNEL_EXPLAIN, says, "the explanation is of another choice: %.200s", text);
}

void test_choice(KernelTest *test)
{
    const bool full = test->declared->check == SPEC_CHECK_FULL;
    const bool refused = test->all.code != 0;
    const bool either = refused && test->first.code == 0 && !full;
    const int32_t match = kernel_match(&test->arena, test->spec, test->declared, test->call);
    const int32_t due = refused && !either ? -1 : match;
    test->calls[KERNEL_CHOICE]++;
    test_pass(test, NULL);
    const int32_t found = test->kernel->select(test->ctx, test->values);
    test_no_violation(test, KERNEL_CHOICE);
    test_expect(test, KERNEL_CHOICE, found == due || (either && found == -1), "variant %d is chosen, due is %d",
                (int)found, (int)due);
    test_expect(test, KERNEL_CHOICE, !full || !refused || test_is_noted(test, &test->all),
                "the error is not that of '%s'", test->all.arg);
    if (!refused) {
        test_explain(test, found);
    }
    if (found >= (int32_t)test->declared->variants_count || test->failed[KERNEL_CHOICE]) {
        return;
    }
    const SelftestVariant *variant = found >= 0 ? &test->kernel->variants[found] : NULL;
    test->calls[KERNEL_DISPATCH]++;
    if (variant != NULL && variant->boxed != NULL) {
        test_wrapper(test, variant, &test->declared->variants[found]);
    } else if (test->kernel->call != NULL) {
        test_outputs(test, variant);
    } else {
        test_function(test, variant);
    }
}

/* ---- wrong calls of a right call's arguments ---- */

/* The same through both boxed entries. */
static void refuse(KernelTest *test, const WgValue *values, size_t num_values, KernelBreach due, const char *what)
{
    WgValue outs[NUM_OUTS];
    size_t num_outs = NUM_OUTS;
    KernelPlay play = {.status = 0};
    test->calls[KERNEL_FAULT]++;
    test->ctx->play = &play;
    if (test->kernel->dispatch != NULL) {
        wg_error_clear(test->ctx);
        const int32_t status = test->kernel->dispatch(test->ctx, values, num_values, outs, &num_outs);
        test_expect(test, KERNEL_FAULT, status == due.code && play.num_calls == 0 && test_is_noted(test, &due),
                    "%s: status of the dispatcher is %s, due is %s", what, wg_status_name(status),
                    wg_status_name(due.code));
    }
    wg_error_clear(test->ctx);
    const int32_t status = test_key_boxed(test, values, num_values, &test->boxed);
    test_expect(test, KERNEL_FAULT, status == due.code && test->boxed.n == 0 && test_is_noted(test, &due),
                "%s: status of the key is %s, due is %s", what, wg_status_name(status), wg_status_name(due.code));
}

static void refuse_key(KernelTest *test, const WgValue *values, const int64_t *extra, const char *what)
{
    const KernelBreach due = {.code = WG_E_NULL};
    test->calls[KERNEL_FAULT]++;
    wg_error_clear(test->ctx);
    const int32_t status = test_key_of(test, values, extra, &test->found);
    test_expect(test, KERNEL_FAULT, status == WG_E_NULL && test->found.n == 0 && test_is_noted(test, &due),
                "%s: status of the key is %s", what, wg_status_name(status));
}

/* The choice and its explanation of null arguments. */
static void refuse_choice(KernelTest *test)
{
    const KernelBreach due = {.code = WG_E_NULL};
    wg_error_clear(test->ctx);
    const int32_t found = test->kernel->select(test->ctx, NULL);
    test_expect(test, KERNEL_FAULT, found == -1 && test_is_noted(test, &due), "no arguments: variant %d is chosen",
                (int)found);
    const char *text = explained(test, NULL);
    test_expect(test, KERNEL_FAULT, strstr(text, "null") != NULL, "no arguments: explained as '%.200s'", text);
}

static void test_counts(KernelTest *test)
{
    const SpecKernel *declared = test->declared;
    const KernelBreach count = {.code = WG_E_COUNT};
    const uint32_t n = declared->args_count;
    const uint32_t required = kernel_num_required(declared);
    test_pass(test, NULL);
    refuse(test, test->values, (size_t)n + 1, count, "too many values");
    if (required > 0) {
        refuse(test, test->values, required - 1, count, "too few values");
        refuse(test, NULL, n, count, "no values");
    }
    refuse_key(test, NULL, test->call->extra, "no arguments");
    if (test->kernel->select != NULL) {
        refuse_choice(test);
    }
    if (declared->key_extra.text_count > 0) {
        refuse_key(test, test->values, NULL, "nothing but the arguments");
    }
    for (uint32_t i = 0; i < n; i++) {
        const SpecArg *arg = &declared->args[i];
        if (kernel_is_container(arg->kind) && !kernel_is_by_address(arg)) {
            void *was = test->values[i].pointer;
            test->values[i].pointer = NULL;
            refuse(test, test->values, n, (KernelBreach){.code = WG_E_NULL, .arg = arg->name},
                   "a struct that is a null pointer");
            test->values[i].pointer = was;
        }
    }
}

/* With the n-th read failing, a dispatcher over functions says so: it calls none, and takes it for no miss. A wrapper
 * reads by itself, and its own test is about that. */
static bool fail_read_of_dispatcher(KernelTest *test, uint32_t n)
{
    WgValue outs[NUM_OUTS];
    size_t num_outs = NUM_OUTS;
    KernelPlay play = {.call = test->call, .num_args = test->declared->args_count, .outs = outs, .num_outs = &num_outs};
    test_pass(test, &play);
    const int32_t found = test->kernel->select(test->ctx, test->values);
    if (found >= 0 && test->kernel->variants[found].boxed != NULL) {
        return false;
    }
    if (test->kernel->call != NULL) {
        return found >= 0 && test_outputs_failing(test, n, false);
    }
    test_pass(test, &play);
    play.given = test->values;
    test->ctx->fail_read_at = n;
    const int32_t status =
        test->kernel->dispatch(test->ctx, test_as_given(test), test->call->num_given, outs, &num_outs);
    const bool failed = test->ctx->num_reads >= n;
    test_expect(test, KERNEL_VERB, !failed || (status == WG_E_HOST && play.num_calls == 0),
                "status of the dispatcher is %s where read %u failed, and %u functions were called",
                wg_status_name(status), (unsigned)n, (unsigned)play.num_calls);
    return failed;
}

/* The n-th tensor that the call makes is not made. */
static void fail_effects(KernelTest *test)
{
    test_pass(test, NULL);
    const int32_t found = test->kernel->call == NULL ? -1 : test->kernel->select(test->ctx, test->values);
    bool more = found >= 0 && test->kernel->variants[found].boxed == NULL;
    for (uint32_t n = 1; more; n++) {
        test->calls[KERNEL_VERB]++;
        more = test_outputs_failing(test, n, true);
    }
}

/* The n-th read fails, for each n that there is; what was read is then not relied on. */
static void fail_reads(KernelTest *test)
{
    bool more = true;
    for (uint32_t n = 1; more; n++) {
        more = false;
        test->calls[KERNEL_VERB]++;
        if (test->kernel->select != NULL) {
            test_pass(test, NULL);
            test->ctx->fail_read_at = n;
            const int32_t found = test->kernel->select(test->ctx, test->values);
            const bool failed = test->ctx->num_reads >= n;
            test_expect(test, KERNEL_VERB, !failed || found == -1, "variant %d is chosen though read %u failed",
                        (int)found, (unsigned)n);
            test_expect(test, KERNEL_VERB, wg_host_status(test->ctx) == 0,
                        "read %u failed, which is left to the next call", (unsigned)n);
            more = fail_read_of_dispatcher(test, n) || failed;
        }
        test_pass(test, NULL);
        test->ctx->fail_read_at = n;
        const int32_t status = test_key_of(test, test->values, test->call->extra, &test->found);
        const bool failed = test->ctx->num_reads >= n;
        test_expect(test, KERNEL_VERB, status == (failed ? WG_E_HOST : 0), "status of the key is %s where read %u %s",
                    wg_status_name(status), (unsigned)n, failed ? "failed" : "is one too many");
        more = more || failed;
    }
}

void test_faults(KernelTest *test)
{
    arena_reset(&test->arena);
    bool bounds = false;
    if (kernel_breach(test->spec, test->declared, test->call, true).code != 0 ||
        kernel_key_breach(&test->arena, test->spec, test->declared, test->call, &bounds).code != 0) {
        return;
    }
    if (test->declared->check >= SPEC_CHECK_COUNT) {
        test_counts(test);
    }
    fail_reads(test);
    fail_effects(test);
}
