/* SPDX-License-Identifier: MIT */
/*
 * test_raised.c - verbs in which PyTorch throws. First each verb that can be made to by its arguments; then, in the
 * wrappers of training.yaml, every call of a verb in turn (the linker puts __wrap_wg_... in place of each). Nothing is
 * left of any call that failed, and its error says what PyTorch said.
 */
#include "training.h"

#include "check.h"

static int64_t live_before;

/* ---- each verb by itself ---- */

/* A call that sets `out`, which must be null after it. */
#define REFUSED(call, word)                                                                                            \
    do {                                                                                                               \
        out = x;                                                                                                       \
        refused(call, word);                                                                                           \
        CHECK(out == NULL);                                                                                            \
    } while (0)

static void refused(int32_t status, const char *word)
{
    CHECK_EQUAL(status, WG_TORCH_E_RAISED);
    CHECK(strstr(wg_torch_message(ctx), word) != NULL);
    if (strstr(wg_torch_message(ctx), word) == NULL) {
        printf("# it says: %s\n", wg_torch_message(ctx));
    }
    wg_torch_say(ctx, "");
}

static void views(void)
{
    live_before = live_blobs;
    WgTensor *x = MAKE(0, 2, 3);
    WgTensor *out = NULL;
    REFUSED(wg_as_strided(ctx, x, GEOMETRY(LIST(9), LIST(1), 0), &out), "out of bounds");
    REFUSED(wg_as_strided(ctx, x, GEOMETRY(LIST(2), LIST(-1), 3), &out), "Negative");
    REFUSED(wg_alias_as(ctx, x, GEOMETRY(LIST(9), LIST(1), 0), WG_FLOAT32, 0, &out), "out of bounds");
    REFUSED(wg_alias_as(ctx, x, GEOMETRY(LIST(9), LIST(1), 0), WG_INT32, 0, &out), "out of bounds");
    REFUSED(wg_alias_as(ctx, x, GEOMETRY(LIST(1), LIST(1), 0), 999, 0, &out), "dtype 999 is unknown");
    REFUSED(wg_view_dtype(ctx, x, WG_FLOAT64, &out), "divisible by 2");
    REFUSED(wg_view_as_complex(ctx, x, &out), "size 2");
    REFUSED(wg_view_as_real(ctx, x, &out), "complex");
    REFUSED(wg_view_base(ctx, x, &out), "Can't get base");
    CHECK_EQUAL(use_count(x), 1);
    wg_release(ctx, x);
    CHECK_EQUAL(live_blobs, live_before);
}

static void changes(void)
{
    live_before = live_blobs;
    WgTensor *x = MAKE(0, 2, 3);
    WgTensor *five = MAKE(0, 5);
    WgTensor *integers = MAKE_OF(0, WG_INT64, 2, 3);
    WgTensor *out = x;
    refused(wg_copy_(ctx, x, five), "size");
    refused(wg_copy_leaf_(ctx, x, five), "size");
    refused(wg_restride_like_(ctx, five, x), "out of bounds");
    refused(wg_set_requires_grad(ctx, integers, 1), "floating point");
    CHECK_EQUAL(wg_set_(ctx, x, integers), WG_TORCH_E_DTYPE);
    REFUSED(wg_contiguous(ctx, x, WG_CHANNELS_LAST, &out), "rank 4");
    REFUSED(wg_coerce_strides(ctx, x, GEOMETRY(LIST(7, 3), LIST(3, 1), 0), &out), "size");
    REFUSED(wg_empty_strided(ctx, GEOMETRY(LIST(-2), LIST(1), 0), WG_FLOAT32, 0, &out), "negative");
    REFUSED(wg_zeros(ctx, LIST(2), 1, 999, 0, &out), "dtype 999");
    CHECK_EQUAL(wg_version(ctx, x), 0);
    CHECK_EQUAL(wg_host_status(ctx), 0);
    CHECK(use_count(x) == 1 && use_count(five) == 1 && use_count(integers) == 1);
    CHECK_EQUAL(wg_set_requires_grad(ctx, x, 1), WG_TORCH_OK);
    refused(wg_copy_(ctx, x, x), "leaf Variable");
    wg_release(ctx, x);
    wg_release(ctx, five);
    wg_release(ctx, integers);
    CHECK_EQUAL(live_blobs, live_before);
}

/* A sparse tensor is not plain and has no memory: reading its address fails, which is noted once. */
static void reads(void)
{
    static const WgSite site = {"graph", "x", "rule", WG_E_TYPE, WG_KIND_NONE};
    live_before = live_blobs;
    WgTensor *x = MAKE(0, 2, 2);
    WgTensor *sparse = NULL;
    CHECK_EQUAL(sparse_of(ctx, x, &sparse), WG_TORCH_OK);
    CHECK(wg_is_plain(ctx, x) && !wg_is_plain(ctx, sparse) && !wg_matches(ctx, sparse, NULL, 0));
    CHECK_EQUAL(wg_host_status(ctx), 0);
    CHECK(wg_data(ctx, sparse) == NULL);
    CHECK_EQUAL(wg_host_status(ctx), WG_TORCH_E_RAISED);
    CHECK_EQUAL(wg_host_status(ctx), 0);
    (void)wg_data(ctx, sparse);
    CHECK_EQUAL(wg_fail(ctx, &site, -1, wg_value_integer(0), wg_value_integer(0)), WG_E_TYPE);
    CHECK_EQUAL(wg_host_status(ctx), 0);
    CHECK_EQUAL(wg_size(ctx, x, 7), -1);
    CHECK_EQUAL(wg_host_status(ctx), WG_TORCH_E_RAISED);
    wg_release(ctx, sparse);
    wg_release(ctx, x);
    CHECK_EQUAL(live_blobs, live_before);
}

static int always_symbolic(void *user, const WgTensor *t, int32_t dimension, int of_stride, WgSymbol *symbol)
{
    (void)user, (void)t, (void)dimension, (void)of_stride;
    symbol->environment = 1;
    symbol->expression = 2;
    return 1;
}

/* A key has room for no symbol of a plain tensor, so a program that speaks of one is not listened to. */
static void symbols(void)
{
    static const WgTorchTable table = {.symbol = always_symbolic};
    WgContext *other = NULL;
    WgSymbol symbol = {0, 0};
    WgTensor *x = MAKE(0, 2, 2);
    WgTensor *sparse = NULL;
    CHECK_EQUAL(sparse_of(ctx, x, &sparse), WG_TORCH_OK);
    CHECK_EQUAL(wg_context_create(&table, &other), WG_TORCH_OK);
    CHECK(!wg_symbol(other, x, 0, 0, &symbol) && symbol.expression == 0);
    CHECK(wg_symbol(other, sparse, 0, 0, &symbol) && symbol.expression == 2);
    wg_context_destroy(other);
    wg_release(ctx, sparse);
    wg_release(ctx, x);
}

/* Every fact on its own: as it is, and with another number. What it is was said when the tensor was made. */
static void matches(void)
{
    live_before = live_blobs;
    WgTensor *x = MAKE(0, 2, 3);
    WgTensor *view = NULL;
    CHECK_EQUAL(wg_as_strided(ctx, x, GEOMETRY(LIST(2, 2), LIST(3, 1), 1), &view), WG_TORCH_OK);
    static const WgFact facts[] = {{WG_RULE_DTYPE, -1, WG_FLOAT32},
                                   {WG_RULE_RANK, -1, 2},
                                   {WG_RULE_SIZE, 0, 2},
                                   {WG_RULE_SIZE, 1, 2},
                                   {WG_RULE_STRIDE, 0, 3},
                                   {WG_RULE_STRIDE, 1, 1},
                                   {WG_RULE_OFFSET, -1, 1},
                                   {WG_RULE_DEVICE, -1, WG_CPU * 256},
                                   {WG_RULE_DEVICE_TYPE, -1, WG_CPU},
                                   {WG_RULE_ALIGNMENT, -1, 4}};
    const size_t n = sizeof facts / sizeof facts[0];
    CHECK(wg_matches(ctx, view, facts, n));
    CHECK(wg_matches(ctx, view, NULL, 0));
    for (size_t i = 0; i < n; i++) {
        WgFact other = facts[i];
        CHECK(wg_matches(ctx, view, &other, 1));
        other.expected = facts[i].rule == WG_RULE_ALIGNMENT ? 8 : facts[i].expected + 1; /* malloc's 16 bytes, and 4 */
        CHECK(!wg_matches(ctx, view, &other, 1));
    }
    static const WgFact beyond[] = {{WG_RULE_SIZE, 2, 2}, {WG_RULE_STRIDE, 2, 1}};
    CHECK(!wg_matches(ctx, view, &beyond[0], 1) && !wg_matches(ctx, view, &beyond[1], 1));
    wg_release(ctx, view);
    wg_release(ctx, x);
    CHECK_EQUAL(live_blobs, live_before);
}

/* ---- every call of a verb in the wrappers ---- */

static int64_t trip_at = -1; /* the call that throws, counted from 0; -1: none */
static int64_t num_calls;

static int trips(void)
{
    return num_calls++ == trip_at;
}

/* wg_requires_grad is not among them: generated code clears the context's error, and reads that were noted with it,
 * between that read and the compiled function, so a failure there would be lost. PyTorch's requires_grad() does not
 * throw. */
#define WRITES(verb, parameters, arguments)                                                                            \
    int32_t __real_wg_##verb parameters;                                                                               \
    int32_t __wrap_wg_##verb parameters;                                                                               \
    int32_t __wrap_wg_##verb parameters                                                                                \
    {                                                                                                                  \
        return trip_at >= 0 && trips() ? throw_in_verb(context) : __real_wg_##verb arguments;                          \
    }
#define READS(type, verb, parameters, arguments)                                                                       \
    type __real_wg_##verb parameters;                                                                                  \
    type __wrap_wg_##verb parameters;                                                                                  \
    type __wrap_wg_##verb parameters                                                                                   \
    {                                                                                                                  \
        if (trip_at >= 0 && trips()) {                                                                                 \
            throw_in_read(context);                                                                                    \
        }                                                                                                              \
        return __real_wg_##verb arguments;                                                                             \
    }
WRITES(copy_, (WgContext * context, WgTensor *dst, const WgTensor *src), (context, dst, src))
WRITES(copy_leaf_, (WgContext * context, WgTensor *dst, const WgTensor *src), (context, dst, src))
WRITES(detach, (WgContext * context, WgTensor *t, WgTensor **out), (context, t, out))
WRITES(set_requires_grad, (WgContext * context, WgTensor *t, int requires_grad), (context, t, requires_grad))
WRITES(alias_like, (WgContext * context, WgTensor *base, const WgTensor *target, int grad, WgTensor **out),
       (context, base, target, grad, out))
WRITES(zeros, (WgContext * context, const int64_t *sizes, int32_t rank, int32_t dtype, int32_t device, WgTensor **out),
       (context, sizes, rank, dtype, device, out))
WRITES(coerce_strides, (WgContext * context, WgTensor *t, const WgGeometry *geometry, WgTensor **out),
       (context, t, geometry, out))
WRITES(contiguous, (WgContext * context, WgTensor *t, int32_t format, WgTensor **out), (context, t, format, out))
READS(int, matches, (WgContext * context, const WgTensor *t, const WgFact *facts, size_t n), (context, t, facts, n))
READS(int64_t, version, (WgContext * context, const WgTensor *t), (context, t))
READS(int, is_view, (WgContext * context, const WgTensor *t), (context, t))

static int says(const char *what)
{
    char text[512];
    (void)wg_error_text(wg_error(ctx), text, sizeof text);
    return strstr(text, what) != NULL;
}

static void check_raised(int32_t status)
{
    CHECK_EQUAL(status, WG_E_HOST);
    CHECK(says("WG_TORCH_E_RAISED"));
    CHECK(strcmp(wg_torch_message(ctx), "PyTorch threw this") == 0);
    CHECK_EQUAL(wg_host_status(ctx), 0);
    CHECK(wg_grad_mode(ctx));
}

static void forward_trips(void)
{
    static const test_net_outputs no_outputs;
    static const test_net_saved nothing_saved;
    live_before = live_blobs;
    test_net_inputs in = make_inputs();
    test_net_outputs out;
    test_net_saved saved;
    int64_t num_tripped = 0;
    int32_t status = WG_E_HOST;
    while (status != WG_OK) {
        trip_at = num_tripped;
        num_calls = 0;
        status = test_net(ctx, &in, &out, &saved);
        trip_at = -1;
        if (status == WG_OK) {
            break;
        }
        check_raised(status);
        CHECK(memcmp(&out, &no_outputs, sizeof out) == 0 && memcmp(&saved, &nothing_saved, sizeof saved) == 0);
        CHECK(use_count(in.x) == 1 && use_count(in.w) == 1 && use_count(in.b) == 1 && use_count(in.c) == 1);
        num_tripped++;
    }
    CHECK(num_tripped >= 15); /* four arguments, two results, three versions, a view, three that are hung, ... */
    test_net_outputs_release(ctx, &out);
    test_net_saved_release(ctx, &saved);
    CHECK(use_count(in.x) == 1 && use_count(in.w) == 1);
    release_inputs(&in);
    CHECK_EQUAL(live_blobs, live_before);
}

static void backward_trips(void)
{
    live_before = live_blobs;
    test_net_inputs in = make_inputs();
    test_net_outputs out;
    test_net_saved saved;
    test_net_gradients gradients = {NULL, NULL};
    const test_net_tangents tangents = {MAKE(1, 2, 4), NULL};
    int64_t num_tripped = 0;
    CHECK_EQUAL(test_net(ctx, &in, &out, &saved), WG_OK);
    for (;;) {
        trip_at = num_tripped;
        num_calls = 0;
        const int32_t status = test_net_backward(ctx, &saved, &tangents, &gradients);
        trip_at = -1;
        if (status == WG_OK) {
            break;
        }
        check_raised(status);
        CHECK(gradients.w == NULL && gradients.b == NULL);
        CHECK_EQUAL(use_count(tangents.y), 1);
        num_tripped++;
    }
    CHECK(num_tripped >= 6); /* three versions, zeros, a layout for each tangent */
    test_net_gradients_release(ctx, &gradients);
    test_net_outputs_release(ctx, &out);
    test_net_saved_release(ctx, &saved);
    wg_release(ctx, tangents.y);
    release_inputs(&in);
    CHECK_EQUAL(live_blobs, live_before);
}

/* ---- what the program's functions do ---- */

static void table(void)
{
    WgTensor *x = MAKE(0, 2);
    WgTensor *seed = x;
    WgTensor *offset = x;
    WgTensor *out = x;
    WgTensor *attrs[] = {MAKE(0, 2)};
    static const WgType type = {"Pair", NULL};
    CHECK(!wg_is_type(ctx, x, &type) && !wg_has_context(ctx, x, &type));
    CHECK_EQUAL(wg_attr(ctx, x, 0, &out), WG_TORCH_E_TABLE);
    CHECK(out == NULL);
    CHECK_EQUAL(wg_rebuild(ctx, &type, NULL, attrs, 1, NULL, &out), WG_TORCH_E_TABLE); /* takes them all the same */
    CHECK_EQUAL(wg_rng_get(ctx, &seed, &offset), WG_TORCH_E_TABLE);
    CHECK(seed == NULL && offset == NULL);
    CHECK_EQUAL(wg_rng_set(ctx, x), WG_TORCH_E_TABLE);
    CHECK_EQUAL(wg_coerce_tangent(ctx, x, &type, NULL, &out), WG_TORCH_OK);
    CHECK(out == NULL);
    static const int32_t dims[] = {0, 1};
    CHECK_EQUAL(wg_mark_dynamic(ctx, x, dims, 1), WG_TORCH_OK);
    CHECK_EQUAL(wg_mark_dynamic(ctx, x, dims, 2), WG_TORCH_E_DIMENSION);
    CHECK_EQUAL(wg_wait(ctx, x, &out), WG_TORCH_OK);
    CHECK(out == x);
    wg_release(ctx, x);
    CHECK_EQUAL(live_blobs, 0);
}

/* Two generators of one wrapper differ, and one that is restored repeats itself. */
static void generators(void)
{
    static const char owner[] = "a wrapper";
    void *first = NULL;
    void *second = NULL;
    void *again = NULL;
    WgTensor *state = NULL;
    CHECK_EQUAL(wg_generator_get(ctx, owner, 0, WG_CPU * 256, &first), WG_TORCH_OK);
    CHECK_EQUAL(wg_generator_get(ctx, owner, 1, WG_CPU * 256, &second), WG_TORCH_OK);
    CHECK_EQUAL(wg_generator_get(ctx, owner, 0, WG_CPU * 256, &again), WG_TORCH_OK);
    CHECK(first == again && first != second);
    WgTensor *other = NULL;
    CHECK_EQUAL(wg_generator_state(ctx, first, &state), WG_TORCH_OK);
    CHECK_EQUAL(wg_generator_state(ctx, second, &other), WG_TORCH_OK);
    const size_t n = (size_t)wg_size(ctx, state, 0);
    CHECK(n > 0 && memcmp(wg_data(ctx, state), wg_data(ctx, other), n) != 0);
    wg_release(ctx, other);
    CHECK_EQUAL(wg_generator_restore(ctx, second, state), WG_TORCH_OK);
    CHECK_EQUAL(wg_generator_state(ctx, second, &other), WG_TORCH_OK);
    CHECK(memcmp(wg_data(ctx, state), wg_data(ctx, other), n) == 0);
    CHECK_EQUAL(wg_generator_restore(ctx, second, NULL), WG_TORCH_E_ARGUMENT);
    wg_release(ctx, other);
    wg_release(ctx, state);
}

static void modes(void)
{
    CHECK_EQUAL(wg_autocast_off(ctx), 0); /* it is off already */
    set_cpu_autocast(1);
    const uint32_t saved = wg_autocast_off(ctx);
    CHECK(saved != 0 && !cpu_autocast());
    CHECK_EQUAL(wg_autocast_off(ctx), 0);
    wg_autocast_restore(ctx, 0);
    CHECK(!cpu_autocast());
    wg_autocast_restore(ctx, saved);
    CHECK(cpu_autocast());
    set_cpu_autocast(0);
    CHECK(!wg_view_replay(ctx));
    wg_set_view_replay(ctx, 1);
    CHECK(wg_view_replay(ctx));
    wg_set_view_replay(ctx, 0);
    CHECK(!wg_deterministic(ctx));
}

static void codes(void)
{
    CHECK(strcmp(wg_host_code_name(WG_TORCH_E_RAISED), "WG_TORCH_E_RAISED") == 0);
    CHECK(wg_host_code_name(WG_TORCH_E_BASE) == NULL && wg_host_code_name(WG_TORCH_E_BUILD + 1) == NULL);
    CHECK(wg_torch_code_text(0) == NULL && wg_torch_code_text(WG_TORCH_E_MEMORY) != NULL);
    CHECK(wg_torch_build_problem() == NULL);
}

int main(void)
{
    if (wg_context_create(NULL, &ctx) != WG_TORCH_OK) {
        return 2;
    }
    run("views that cannot be made", views);
    run("changes that are refused", changes);
    run("reads that fail", reads);
    run("symbols of plain tensors", symbols);
    run("facts asked at once", matches);
    run("every call of a verb in a forward", forward_trips);
    run("every call of a verb in a backward", backward_trips);
    run("what the program gave no function for", table);
    run("generators", generators);
    run("modes", modes);
    run("codes", codes);
    wg_context_destroy(ctx);
    return finish();
}
