/* SPDX-License-Identifier: MIT */
/*
 * test_model.c - wg_call_model: a model of AOTInductor (model.py) as the compiled function of a wrapper (model.yaml).
 *
 *   test_model MODEL NO_MODEL
 */
#include "scenario.h"

#include "check.h"
#include "model.h"

WgModel test_mix_model;

static void says(const char *word)
{
    CHECK(strstr(wg_torch_message(ctx), word) != NULL);
    if (strstr(wg_torch_message(ctx), word) == NULL) {
        printf("# it says: %s\n", wg_torch_message(ctx));
    }
    wg_torch_say(ctx, "");
}

/* x is 0..5 in two rows, w is 10, 11, 12: y is 0 11 24 30 44 60, and the sum of x is 15. */
static void values(void)
{
    static const float expected[] = {0, 11, 24, 30, 44, 60};
    const int64_t before = live_blobs;
    WgTensor *x = MAKE(0, 2, 3);
    WgTensor *w = MAKE(10, 3);
    const test_mix_inputs in = {x, w};
    test_mix_outputs out;
    for (int call = 0; call < 2; call++) {
        memset(&out, 0, sizeof out);
        CHECK_EQUAL(test_mix(ctx, &in, &out), WG_OK);
        CHECK(out.y != NULL && memcmp(wg_data(ctx, out.y), expected, sizeof expected) == 0);
        CHECK(out.total != NULL && *(const float *)wg_data(ctx, out.total) == 15.0F);
        wg_release(ctx, out.y);
        wg_release(ctx, out.total);
    }
    wg_release(ctx, x);
    wg_release(ctx, w);
    CHECK_EQUAL(live_blobs, before);
}

/* What a wrapper never asks: the verb by itself. */
static void refusals(void)
{
    const int64_t before = live_blobs;
    WgTensor *x = MAKE(0, 2, 3);
    WgValue args[3] = {wg_value_tensor(x), wg_value_tensor(NULL), wg_value_tensor(x)};
    WgValue outs[2];
    size_t num_outs = 2;
    CHECK_EQUAL(wg_call_model(ctx, &test_mix_model, args, 3, outs, &num_outs), WG_TORCH_E_RAISED);
    CHECK_EQUAL((int64_t)num_outs, 0);
    says("the model takes 2 tensors, not 3");
    num_outs = 2;
    CHECK_EQUAL(wg_call_model(ctx, &test_mix_model, args, 2, outs, &num_outs), WG_TORCH_E_RAISED);
    says("a model takes no null");
    num_outs = 1;
    CHECK_EQUAL(wg_call_model(ctx, &test_mix_model, args, 2, outs, &num_outs), WG_TORCH_E_RAISED);
    says("the model returns 2 tensors, and the wrapper has room for 1");
    wg_release(ctx, x);
    CHECK_EQUAL(live_blobs, before);
}

static const char *no_model;

static void closed(void)
{
    WgModel model;
    WgTensor *x = MAKE(0, 2, 3);
    WgTensor *w = MAKE(10, 3);
    const test_mix_inputs in = {x, w};
    test_mix_outputs out;
    memset(&out, 0, sizeof out);
    CHECK_EQUAL(wg_torch_model_open(ctx, &model, no_model, "cpu", 1), WG_TORCH_E_RAISED);
    CHECK(model.runner == NULL);
    says("Error in dlopen");
    CHECK_EQUAL(wg_torch_model_open(ctx, &model, no_model, "cuda", 1), WG_TORCH_E_RAISED);
    says("'cuda'");
    wg_torch_model_close(&model);
    wg_torch_model_close(&test_mix_model);
    CHECK_EQUAL(test_mix(ctx, &in, &out), WG_E_COMPILED);
    says("the model is not open");
    CHECK(out.y == NULL && out.total == NULL);
    wg_release(ctx, x);
    wg_release(ctx, w);
}

int main(int argc, char **argv)
{
    if (argc != 3 || wg_context_create(host_table, &ctx) != WG_TORCH_OK || wg_context_reserve(ctx, 64) != WG_TORCH_OK) {
        return 2;
    }
    if (wg_torch_model_open(ctx, &test_mix_model, argv[1], "cpu", 1) != WG_TORCH_OK) {
        printf("# %s\n", wg_torch_message(ctx));
        return 2;
    }
    no_model = argv[2];
    run("values of a model", values);
    run("what a model refuses", refusals);
    run("a model that is closed, or none", closed);
    wg_context_destroy(ctx);
    return finish();
}
