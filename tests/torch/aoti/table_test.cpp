// SPDX-License-Identifier: MIT
//
// table_test.cpp - examples/aoti/table.cpp: what its functions say is compared with libtorch's own C++, and with what autocast
// does to a matrix product; and inference tensors, which only C++ can make.
#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <c10/core/InferenceMode.h>

#undef CHECK // libtorch has one of its own
#include "check.h"
#include "table.h"

static WgContext *ctx;

static WgTensor *borrowed(at::Tensor &t)
{
    return wg_aoti_tensor(reinterpret_cast<AtenTensorOpaque *>(&t));
}

static void views()
{
    at::Tensor x = at::zeros({4});
    at::Tensor view = x.slice(0, 1, 3);
    at::Tensor detached = view.detach();
    CHECK(!wg_is_view(ctx, borrowed(x)));
    CHECK(wg_is_view(ctx, borrowed(view)));
    CHECK_EQUAL(wg_is_view(ctx, borrowed(detached)), detached.is_view());
}

// Facts are as libtorch's C++ says; a sparse tensor is looked at the other way, and is not plain.
static void facts()
{
    at::Tensor x = at::zeros({2, 3}, at::kDouble).t();
    const WgFact right[] = {{WG_RULE_DTYPE, -1, WG_FLOAT64}, {WG_RULE_RANK, -1, 2},  {WG_RULE_SIZE, 0, x.size(0)},
                            {WG_RULE_SIZE, 1, x.size(1)},    {WG_RULE_STRIDE, 0, x.stride(0)}, {WG_RULE_STRIDE, 1, x.stride(1)}};
    CHECK(wg_matches(ctx, borrowed(x), right, 6));
    for (WgFact fact : right) {
        fact.expected++;
        CHECK(!wg_matches(ctx, borrowed(x), &fact, 1));
    }
    at::Tensor sparse = x.to_sparse();
    CHECK(!wg_matches(ctx, borrowed(sparse), right, 6));
    CHECK_EQUAL(wg_host_status(ctx), 0);
}

static void autocast()
{
    const at::Tensor a = at::ones({2, 2});
    const at::ScalarType plain = at::mm(a, a).scalar_type();
    at::autocast::set_autocast_enabled(at::kCPU, true);
    const at::ScalarType cast = at::mm(a, a).scalar_type();
    const uint32_t saved = wg_autocast_off(ctx);
    const at::ScalarType off = at::mm(a, a).scalar_type();
    wg_autocast_restore(ctx, saved);
    const at::ScalarType restored = at::mm(a, a).scalar_type();
    at::autocast::set_autocast_enabled(at::kCPU, false);
    CHECK(cast != plain);
    CHECK(off == plain);
    CHECK(restored == cast);
    wg_autocast_restore(ctx, wg_autocast_off(ctx));
    CHECK(at::mm(a, a).scalar_type() == plain);
}

static void modes()
{
    CHECK(!wg_view_replay(ctx));
    wg_set_view_replay(ctx, 1);
    CHECK(wg_view_replay(ctx));
    CHECK(c10::AutogradState::get_tls_state().get_view_replay_enabled());
    wg_set_view_replay(ctx, 0);
    CHECK(!c10::AutogradState::get_tls_state().get_view_replay_enabled());
    CHECK(!wg_deterministic(ctx));
    at::globalContext().setDeterministicAlgorithms(true, true);
    CHECK(wg_deterministic(ctx));
    at::globalContext().setDeterministicAlgorithms(false, false);
}

// They have no version: it reads as 0 and raising it does nothing, as torch.autograd.graph.increment_version leaves them alone.
static void inference()
{
    at::Tensor x;
    {
        const c10::InferenceMode guard(true);
        x = at::zeros({2});
    }
    CHECK(x.is_inference());
    CHECK_EQUAL(wg_version(ctx, borrowed(x)), 0);
    CHECK_EQUAL(wg_bump_version(ctx, borrowed(x)), WG_AOTI_OK);
    CHECK_EQUAL(wg_host_status(ctx), 0);
    CHECK(!wg_requires_grad(ctx, borrowed(x)));
}

int main()
{
    if (wg_context_create(&torch_table, &ctx) != WG_AOTI_OK) {
        return 2;
    }
    run("views", views);
    run("facts asked at once", facts);
    run("autocast", autocast);
    run("view replay and deterministic algorithms", modes);
    run("inference tensors", inference);
    wg_context_destroy(ctx);
    return finish();
}
