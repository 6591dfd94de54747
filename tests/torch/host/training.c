/* SPDX-License-Identifier: MIT */
/*
 * training.c - a training graph's wrappers on real tensors, one line a fact, bits where there are values: for
 * comparison with what eager PyTorch's autograd says of the same program (training.py). At the end there must be no
 * tensor left.
 */
#include "training.h"

static void tell(const char *label, WgTensor *t)
{
    WgTensor *compact = NULL;
    int64_t n = 1;
    printf("%s: grad=%d version=%lld [", label, wg_requires_grad(ctx, t), (long long)wg_version(ctx, t));
    for (int32_t i = 0; i < wg_rank(ctx, t); i++) {
        printf("%s%lld:%lld", i == 0 ? "" : " ", (long long)wg_size(ctx, t, i), (long long)wg_stride(ctx, t, i));
        n *= wg_size(ctx, t, i);
    }
    printf("]");
    (void)wg_contiguous(ctx, t, WG_CONTIGUOUS, &compact);
    for (int64_t i = 0; i < n; i++) {
        uint32_t bits = 0;
        memcpy(&bits, (const float *)wg_data(ctx, compact) + i, sizeof bits);
        printf(" %08x", (unsigned)bits);
    }
    printf("\n");
    wg_release(ctx, compact);
}

static void must(int32_t status)
{
    char text[512];
    if (status != WG_OK) {
        (void)wg_error_text(wg_error(ctx), text, sizeof text);
        printf("failed: %s (%s)\n", text, host_message());
    }
}

/* A call of the forward with what belongs to it. */
typedef struct Forward {
    test_net_inputs in;
    test_net_outputs out;
    test_net_saved saved;
} Forward;

static Forward forward(test_net_inputs in)
{
    Forward made = {.in = in};
    must(test_net(ctx, &made.in, &made.out, &made.saved));
    return made;
}

static void end(Forward *forward)
{
    test_net_outputs_release(ctx, &forward->out);
    test_net_saved_release(ctx, &forward->saved);
    release_inputs(&forward->in);
}

static void backward(const Forward *forward, WgTensor *dy)
{
    test_net_gradients gradients;
    const test_net_tangents tangents = {dy, eighths(MAKE(9, 2, 4), 8)};
    const int32_t status = test_net_backward(ctx, &forward->saved, &tangents, &gradients);
    printf("backward: %d\n", status == WG_OK ? 0 : status == WG_E_VERSION ? 1 : status);
    if (status == WG_OK) {
        printf("grad mode in it: %d\n", grad_mode_inside);
        tell("gradient of w", gradients.w);
        tell("gradient of b", gradients.b);
    }
    test_net_gradients_release(ctx, &gradients);
    wg_release(ctx, tangents.h);
    wg_release(ctx, dy);
}

static WgTensor *plain_tangent(void)
{
    return eighths(MAKE(-4, 2, 4), 8);
}

static void values(void)
{
    Forward f = forward(make_inputs());
    printf("grad mode in the forward: %d\n", grad_mode_inside);
    tell("y", f.out.y);
    tell("z", f.out.z);
    tell("c", f.in.c);
    tell("w", f.in.w);
    backward(&f, plain_tangent());
    backward(&f, plain_tangent()); /* what was saved serves again */
    end(&f);
}

static void no_grad(void)
{
    wg_set_grad_mode(ctx, 0);
    Forward f = forward(make_inputs());
    printf("grad mode after it: %d\n", wg_grad_mode(ctx));
    tell("c", f.in.c);
    wg_set_grad_mode(ctx, 1);
    end(&f);
}

/* A tangent in another layout than the backward was compiled for. */
static void layouts(void)
{
    Forward f = forward(make_inputs());
    WgTensor *across = eighths(MAKE(-4, 4, 2), 8);
    WgTensor *turned = NULL;
    (void)wg_as_strided(ctx, across, GEOMETRY(LIST(2, 4), LIST(1, 2), 0), &turned);
    backward(&f, turned);
    wg_release(ctx, across);
    end(&f);
}

static void versions(void)
{
    Forward f = forward(make_inputs());
    WgTensor *ones = MAKE(1, 4);
    (void)wg_copy_leaf_(ctx, f.in.b, ones);
    backward(&f, plain_tangent());
    end(&f);
    f = forward(make_inputs());
    (void)wg_copy_(ctx, f.saved.unchecked[0], eighths(ones, 4)); /* the version of this one is not checked */
    backward(&f, plain_tangent());
    wg_release(ctx, ones);
    end(&f);
}

/* x is a view: what is saved of it is detached, and still shares its base's version, which is 1 then. */
static void views(void)
{
    test_net_inputs in = make_inputs();
    WgTensor *base = eighths(MAKE(-2, 3, 3), 9);
    wg_release(ctx, in.x);
    (void)wg_as_strided(ctx, base, GEOMETRY(LIST(2, 3), LIST(3, 1), 3), &in.x);
    WgTensor *row = NULL;
    WgTensor *ones = MAKE(1, 3);
    (void)wg_as_strided(ctx, base, GEOMETRY(LIST(3), LIST(1), 0), &row);
    (void)wg_copy_(ctx, row, ones);
    Forward f = forward(in);
    tell("x", f.in.x);
    tell("y", f.out.y);
    backward(&f, plain_tangent());
    (void)wg_copy_(ctx, row, ones);
    backward(&f, plain_tangent());
    wg_release(ctx, row);
    wg_release(ctx, ones);
    wg_release(ctx, base);
    end(&f);
}

typedef struct Scenario {
    const char *name;
    void (*play)(void);
} Scenario;

int main(void)
{
    static const Scenario scenarios[] = {
        {"values", values}, {"no_grad", no_grad}, {"layouts", layouts}, {"versions", versions}, {"views", views}};
    must(wg_context_create(host_table, &ctx));
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
        printf("-- %s\n", scenarios[i].name);
        scenarios[i].play();
        if (live_blobs != 0 || wg_host_status(ctx) != 0) {
            printf("%lld tensors are left\n", (long long)live_blobs);
        }
    }
    wg_context_destroy(ctx);
    return live_blobs != 0;
}
