/* SPDX-License-Identifier: MIT */
/*
 * programs.hpp - the graphs of test_autograd.cpp: their compiled functions, over at::Tensor, their descriptions, and
 * the same programs in eager PyTorch. Included once by the program, hence the static state.
 */
#ifndef PROGRAMS_HPP
#define PROGRAMS_HPP

#include "graphs.h"
#include "operators.h"
#include "training_wrappers.h"
#include "wg_torch.hpp"
#include "wg_torch_autograd.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_add_batch_dim.h>
#include <ATen/ops/_efficientzerotensor.h>
#include <ATen/ops/_neg_view.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/full.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/tanh_backward.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/anomaly_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/forward_grad.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/autograd/variable.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

using at::Tensor;
using torch::autograd::variable_list;

static int num_wrong;
static int num_tests;
static int num_failed;
static std::map<std::string, std::string> texts;

#define EXPECT(condition) check(condition, #condition, __LINE__)

static void check(bool condition, const char *text, int line)
{
    if (!condition) {
        std::printf("line %d: %s\n", line, text);
        num_wrong++;
    }
}

static void run(const char *name, const std::function<void()> &test)
{
    num_wrong = 0;
    try {
        test();
    } catch (const std::exception &error) {
        std::printf("an exception: %s\n", error.what());
        num_wrong++;
    }
    num_tests++;
    num_failed += num_wrong != 0;
    std::printf("%s %d - %s\n", num_wrong == 0 ? "ok" : "not ok", num_tests, name);
}

/* ---- compiled functions ---- */

struct Special : std::runtime_error {
    using std::runtime_error::runtime_error;
};

static thread_local bool throws_forward;
static thread_local bool throws_backward;
static thread_local bool saves_argument; /* scale, instead of a copy: what it then writes was saved */

static Tensor given(const WgValue &value)
{
    return *WgTorchBorrowed(value.tensor);
}

/* Runs `body`, which returns the results; a compiled function in C++ ends like this. */
template <typename Body> static int32_t compiled(WgContext *ctx, WgValue *outs, size_t *num_outs, const Body &body)
{
    try {
        const variable_list made = body();
        for (size_t i = 0; i < made.size(); i++) {
            outs[i].tensor = wg_torch_give(made[i]);
        }
        *num_outs = made.size();
        return 0;
    } catch (...) {
        return wg_torch_caught(ctx);
    }
}

extern "C" int32_t net_kernel(WgContext *ctx, const WgValue *args, size_t, WgValue *outs, size_t *num_outs)
{
    return compiled(ctx, outs, num_outs, [&]() -> variable_list {
        EXPECT(!c10::GradMode::is_enabled());
        if (throws_forward) {
            throw Special("the forward is special");
        }
        const Tensor x = given(args[0]);
        const Tensor w = given(args[1]);
        const Tensor b = given(args[2]);
        const Tensor h = at::mm(x, w);
        const Tensor t = at::tanh(h);
        return {given(args[3]) + t.sum(0), t * b, h.t(), h, x, w, b, t};
    });
}

extern "C" int32_t net_backward_kernel(WgContext *ctx, const WgValue *args, size_t, WgValue *outs, size_t *num_outs)
{
    return compiled(ctx, outs, num_outs, [&]() -> variable_list {
        EXPECT(!c10::GradMode::is_enabled());
        if (throws_backward) {
            throw Special("the backward is special");
        }
        const Tensor dy = given(args[4]);
        const Tensor dh = at::tanh_backward(dy * given(args[2]), given(args[3])) + given(args[5]);
        return {Tensor(), at::mm(given(args[0]).t(), dh), (dy * given(args[3])).sum(0), Tensor()};
    });
}

extern "C" int32_t exponent_kernel(WgContext *ctx, const WgValue *args, size_t, WgValue *outs, size_t *num_outs)
{
    return compiled(ctx, outs, num_outs, [&]() -> variable_list {
        const Tensor y = at::exp(given(args[0]));
        return {y, y};
    });
}

extern "C" int32_t exponent_backward_kernel(WgContext *ctx, const WgValue *args, size_t, WgValue *outs,
                                            size_t *num_outs)
{
    return compiled(ctx, outs, num_outs, [&]() -> variable_list {
        EXPECT(!given(args[1]).is_neg());
        return {given(args[1]) * given(args[0])};
    });
}

/* What product_kernel made last. */
static std::optional<c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>> made_product;

extern "C" int32_t product_kernel(WgContext *ctx, const WgValue *args, size_t, WgValue *outs, size_t *num_outs)
{
    return compiled(ctx, outs, num_outs, [&]() -> variable_list {
        const Tensor y = given(args[0]) * given(args[1]);
        made_product.emplace(y.getIntrusivePtr());
        return {y, given(args[0]), y};
    });
}

extern "C" int32_t product_backward_kernel(WgContext *ctx, const WgValue *args, size_t, WgValue *outs, size_t *num_outs)
{
    return compiled(ctx, outs, num_outs, [&]() -> variable_list {
        return {Tensor(), given(args[2]) * given(args[0])};
    });
}

extern "C" int32_t scale_kernel(WgContext *ctx, const WgValue *args, size_t, WgValue *outs, size_t *num_outs)
{
    return compiled(ctx, outs, num_outs, [&]() -> variable_list {
        const Tensor written = given(args[0]) * given(args[1]);
        return {written, written * 2, saves_argument ? given(args[0]) : given(args[0]).clone(), given(args[1])};
    });
}

extern "C" int32_t scale_backward_kernel(WgContext *ctx, const WgValue *args, size_t, WgValue *outs, size_t *num_outs)
{
    return compiled(ctx, outs, num_outs, [&]() -> variable_list {
        const Tensor d = given(args[2]) + given(args[3]) * 2;
        return {d * given(args[1]), d * given(args[0])};
    });
}

/* ---- graphs ---- */

#define GRAPH(name)                                                                                                    \
    static int32_t name##_forward(WgContext *ctx, WgValue *args, size_t num_args, WgValue *outs, size_t num_outs,      \
                                  void *saved)                                                                         \
    {                                                                                                                  \
        return test_##name##_boxed(ctx, args, num_args, outs, num_outs, static_cast<test_##name##_saved *>(saved));    \
    }                                                                                                                  \
    static int32_t name##_backward(WgContext *ctx, void *saved, const WgValue *grads, size_t num_grads, WgValue *outs, \
                                   size_t num_outs)                                                                    \
    {                                                                                                                  \
        return test_##name##_backward_boxed(ctx, static_cast<test_##name##_saved *>(saved), grads, num_grads, outs,    \
                                            num_outs);                                                                 \
    }                                                                                                                  \
    static void name##_release(WgContext *ctx, void *saved)                                                            \
    {                                                                                                                  \
        test_##name##_saved_release(ctx, static_cast<test_##name##_saved *>(saved));                                   \
    }                                                                                                                  \
    static void name##_release_outputs(WgContext *ctx, WgValue *outs)                                                  \
    {                                                                                                                  \
        test_##name##_outputs_release(ctx, reinterpret_cast<test_##name##_outputs *>(outs));                           \
    }
GRAPH(net)
GRAPH(exponent)
GRAPH(product)
GRAPH(scale)

static const size_t net_hung[] = {0, 1, 3};
static const size_t net_gradients[] = {1, 2};
static const size_t first_hung[] = {0, 1};
static const size_t first_gradients[] = {0, 1};
static const size_t second_gradients[] = {1};

#define DESCRIBE(graph, inputs, outputs, returned, seen, num_seen, results, num_results, tensors_saved)                \
    static const WgTorchTraining graph = {.name = nullptr,                                                             \
                                          .forward = graph##_forward,                                                  \
                                          .backward = graph##_backward,                                                \
                                          .release = graph##_release,                                                  \
                                          .release_outputs = graph##_release_outputs,                                  \
                                          .num_inputs = inputs,                                                        \
                                          .num_outputs = outputs,                                                      \
                                          .num_returned = returned,                                                    \
                                          .hung = seen,                                                                \
                                          .num_hung = num_seen,                                                        \
                                          .asked = results,                                                            \
                                          .num_asked = num_results,                                                    \
                                          .gradients = results,                                                        \
                                          .num_gradients = num_results,                                                \
                                          .merged = nullptr,                                                           \
                                          .num_merged = 0,                                                             \
                                          .saved_size = sizeof(test_##graph##_saved),                                  \
                                          .tensors_at = offsetof(test_##graph##_saved, tensors),                       \
                                          .versions_at = offsetof(test_##graph##_saved, versions),                     \
                                          .num_tensors = tensors_saved,                                                \
                                          .opaque_at = 0,                                                              \
                                          .num_opaque = 0,                                                             \
                                          .donates = 0}
DESCRIBE(net, 4, 2, 4, net_hung, 3, net_gradients, 2, 3);
DESCRIBE(exponent, 1, 1, 1, first_hung, 1, first_gradients, 1, 1);
DESCRIBE(product, 2, 1, 1, first_hung, 1, second_gradients, 1, 2);
DESCRIBE(scale, 2, 1, 2, first_hung, 2, first_gradients, 2, 2);

static WgContext *new_context()
{
    WgContext *ctx = nullptr;
    if (wg_context_create(nullptr, &ctx) != WG_TORCH_OK) {
        throw std::runtime_error(wg_torch_build_problem());
    }
    return ctx;
}

static std::string error_text(const WgContext *ctx)
{
    char text[512];
    (void)wg_error_text(wg_error(ctx), text, sizeof text);
    return text;
}

/* Calls a graph; an error is thrown. */
static variable_list train(const WgTorchTraining &graph, const variable_list &inputs)
{
    WgContext *ctx = new_context();
    std::vector<WgValue> args;
    std::vector<WgValue> outs(graph.num_outputs);
    for (const Tensor &t : inputs) {
        args.push_back(wg_value_tensor(wg_torch_lend(t)));
    }
    const int32_t status = wg_torch_train(ctx, &graph, args.data(), args.size(), outs.data(), outs.size());
    const std::string text = status == WG_OK ? "" : error_text(ctx) + " (" + wg_torch_message(ctx) + ")";
    wg_context_destroy(ctx);
    if (status != WG_OK) {
        throw std::runtime_error(text);
    }
    variable_list made;
    for (const WgValue &out : outs) {
        made.push_back(wg_torch_take(out.tensor));
    }
    return made;
}

/* ---- the programs, and the same in eager PyTorch ---- */

static Tensor eighths(at::IntArrayRef sizes, int64_t first)
{
    int64_t n = 1;
    for (const int64_t size : sizes) {
        n *= size;
    }
    return (at::arange(first, first + n, at::TensorOptions().dtype(at::kFloat)) / 8).view(sizes).clone();
}

struct Net {
    Tensor x = eighths({2, 3}, -2);
    Tensor w = eighths({3, 4}, -5).requires_grad_();
    Tensor b = eighths({4}, 3).requires_grad_();
    Tensor c = eighths({4}, 8);
    Tensor y, z;

    void ours()
    {
        const variable_list made = train(net, {x, w, b, c});
        y = made[0];
        z = made[1];
    }
    void theirs()
    {
        const Tensor h = at::mm(x, w);
        const Tensor t = at::tanh(h);
        y = t * b;
        z = h.t();
        const at::NoGradGuard no_grad;
        c.copy_(c + t.sum(0));
    }
};

#endif /* PROGRAMS_HPP */
