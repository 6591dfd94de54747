/* SPDX-License-Identifier: MIT */
/*
 * test_training.c - the wrappers of training.yaml where something goes wrong: each failure has its code and names its
 * place, gives null and leaves no handle of the caller's behind. What is expected is said in the YAML and counted by
 * hand.
 */
#include "training.h"

#include "check.h"

static int64_t live_before;

#define BEGIN                                                                                                          \
    live_before = live_blobs;                                                                                          \
    test_net_inputs in = make_inputs();                                                                                \
    test_net_outputs out;                                                                                              \
    test_net_saved saved;                                                                                              \
    memset(&out, 0x55, sizeof out);                                                                                    \
    memset(&saved, 0x55, sizeof saved)
#define END                                                                                                            \
    release_inputs(&in);                                                                                               \
    CHECK_EQUAL(live_blobs, live_before)

enum { FORWARD_OPS = 9, BACKWARD_OPS = 7 /* calls of must_op() in training.h, counted */ };

static int names(const char *what)
{
    char text[512];
    (void)wg_error_text(wg_error(ctx), text, sizeof text);
    return strstr(text, what) != NULL;
}

static int is_empty(const test_net_outputs *out, const test_net_saved *saved)
{
    static const test_net_outputs no_outputs;
    static const test_net_saved nothing_saved;
    return memcmp(out, &no_outputs, sizeof *out) == 0 && memcmp(saved, &nothing_saved, sizeof *saved) == 0;
}

static void arguments(void)
{
    BEGIN;
    WgTensor *const whole = in.w;
    WgTensor *wrong = MAKE(0, 3, 5);
    in.w = wrong;
    CHECK_EQUAL(test_net(ctx, &in, &out, &saved), WG_E_SIZE);
    CHECK(names("w"));
    CHECK(is_empty(&out, &saved));
    in.w = NULL;
    CHECK_EQUAL(test_net(ctx, &in, &out, &saved), WG_E_NULL);
    in.w = whole;
    wg_release(ctx, wrong);
    CHECK_EQUAL(wg_version(ctx, in.c), 0);
    END;
}

static void forward_fails(void)
{
    BEGIN;
    for (fail_at = 0; fail_at < FORWARD_OPS; fail_at++) {
        ops_done = 0;
        memset(&out, 0x55, sizeof out);
        memset(&saved, 0x55, sizeof saved);
        CHECK_EQUAL(test_net(ctx, &in, &out, &saved), WG_E_COMPILED);
        CHECK(names("77"));
        CHECK(is_empty(&out, &saved));
    }
    fail_at = -1;
    returns_too_few = 1;
    CHECK_EQUAL(test_net(ctx, &in, &out, &saved), WG_E_OUTPUTS);
    returns_too_few = 0;
    CHECK(is_empty(&out, &saved));
    CHECK_EQUAL(wg_version(ctx, in.c), 0);
    CHECK(wg_grad_mode(ctx));
    ops_done = 0;
    CHECK_EQUAL(test_net(ctx, &in, &out, &saved), WG_OK);
    CHECK_EQUAL(ops_done, FORWARD_OPS);
    CHECK_EQUAL(wg_version(ctx, in.c), 1);
    test_net_outputs_release(ctx, &out);
    test_net_saved_release(ctx, &saved);
    END;
}

static void backward_fails(void)
{
    BEGIN;
    test_net_gradients gradients;
    test_net_tangents tangents = {MAKE(1, 2, 4), MAKE(2, 2, 4)};
    WgTensor *const of_h = tangents.h;
    WgTensor *wrong = MAKE(0, 9);
    CHECK_EQUAL(test_net(ctx, &in, &out, &saved), WG_OK);
    for (fail_at = 0; fail_at < BACKWARD_OPS; fail_at++) {
        ops_done = 0;
        memset(&gradients, 0x55, sizeof gradients);
        CHECK_EQUAL(test_net_backward(ctx, &saved, &tangents, &gradients), WG_E_COMPILED);
        CHECK(gradients.w == NULL && gradients.b == NULL);
    }
    fail_at = -1;
    drops_gradient = 1;
    CHECK_EQUAL(test_net_backward(ctx, &saved, &tangents, &gradients), WG_E_RESULT);
    CHECK(names("b"));
    CHECK(gradients.w == NULL && gradients.b == NULL);
    drops_gradient = 0;
    tangents.h = NULL; /* zeros stand in for it, as autograd makes them */
    CHECK_EQUAL(test_net_backward(ctx, &saved, &tangents, &gradients), WG_OK);
    test_net_gradients_release(ctx, &gradients);
    tangents.h = of_h;
    WgTensor *const of_y = tangents.y;
    tangents.y = wrong; /* of another shape: copying it into the layout that was traced is refused by libtorch */
    CHECK_EQUAL(test_net_backward(ctx, &saved, &tangents, &gradients), WG_E_HOST);
    CHECK(names("y") && gradients.w == NULL);
    tangents.y = of_y;
    CHECK(wg_grad_mode(ctx));
    ops_done = 0;
    CHECK_EQUAL(test_net_backward(ctx, &saved, &tangents, &gradients), WG_OK);
    CHECK_EQUAL(ops_done, BACKWARD_OPS);
    test_net_gradients_release(ctx, &gradients);
    wg_release(ctx, wrong);
    wg_release(ctx, tangents.y);
    wg_release(ctx, tangents.h);
    test_net_outputs_release(ctx, &out);
    test_net_saved_release(ctx, &saved);
    END;
}

/* Once what was saved is given back there is nothing to go backward from. */
static void released(void)
{
    BEGIN;
    test_net_gradients gradients;
    const test_net_tangents tangents = {MAKE(1, 2, 4), MAKE(2, 2, 4)};
    CHECK_EQUAL(test_net(ctx, &in, &out, &saved), WG_OK);
    CHECK_EQUAL(saved.versions[0], 0);
    CHECK(wg_same(ctx, saved.tensors[1], in.w));
    CHECK(!wg_same(ctx, saved.unchecked[0], out.y));
    test_net_outputs_release(ctx, &out);
    test_net_saved_release(ctx, &saved);
    CHECK_EQUAL(test_net_backward(ctx, &saved, &tangents, &gradients), WG_E_VERSION);
    wg_release(ctx, tangents.y);
    wg_release(ctx, tangents.h);
    END;
}

static int always(void *user)
{
    (void)user;
    return 1;
}

/* With deterministic algorithms on, where the backward was traced with them off. */
static void deterministic(void)
{
    static const WgAotiTable table = {.deterministic = always};
    WgContext *const usual = ctx;
    CHECK_EQUAL(wg_context_create(&table, &ctx), WG_AOTI_OK);
    BEGIN;
    test_net_gradients gradients;
    const test_net_tangents tangents = {MAKE(1, 2, 4), MAKE(2, 2, 4)};
    CHECK_EQUAL(test_net(ctx, &in, &out, &saved), WG_OK);
    CHECK_EQUAL(test_net_backward(ctx, &saved, &tangents, &gradients), WG_E_MODE);
    wg_release(ctx, tangents.y);
    wg_release(ctx, tangents.h);
    test_net_outputs_release(ctx, &out);
    test_net_saved_release(ctx, &saved);
    END;
    wg_context_destroy(ctx);
    ctx = usual;
}

int main(void)
{
    if (wg_context_create(NULL, &ctx) != WG_AOTI_OK) {
        return 2;
    }
    run("arguments that are not as stated", arguments);
    run("a compiled forward that fails at each of its operators", forward_fails);
    run("a compiled backward that does, and tangents that are wrong", backward_fails);
    run("what was saved is given back", released);
    run("deterministic algorithms", deterministic);
    wg_context_destroy(ctx);
    return finish();
}
