/* SPDX-License-Identifier: MIT */
/* operators.cpp - see operators.h. */
#include "operators.h"
#include "wg_torch_inside.hpp"

#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <ATen/ops/from_blob.h>

int32_t call_operator(WgContext *ctx, const char *name, const char *overload, const WgTensor *a, const WgTensor *b,
                      WgTensor **made)
{
    return wg_torch_make(ctx, made, [=] {
        torch::jit::Stack stack;
        stack.emplace_back(*WgTorchBorrowed(a));
        if (b != nullptr) {
            stack.emplace_back(*WgTorchBorrowed(b));
        }
        c10::Dispatcher::singleton().findSchemaOrThrow(name, overload).callBoxed(stack);
        return stack.at(0).toTensor();
    });
}

int32_t tensor_over(WgContext *ctx, void *data, int32_t rank, const int64_t *sizes, const int64_t *strides,
                    int32_t dtype, void (*forget)(void *data), WgTensor **made)
{
    return wg_torch_make(ctx, made, [=] {
        const size_t n = static_cast<size_t>(rank);
        return at::from_blob(data, {sizes, n}, {strides, n}, forget, at::TensorOptions().dtype(wg_torch_dtype(dtype)));
    });
}

int32_t sparse_of(WgContext *ctx, const WgTensor *t, WgTensor **made)
{
    return wg_torch_make(ctx, made, [=] { return WgTorchBorrowed(t)->to_sparse(); });
}

int32_t throw_in_verb(WgContext *ctx)
{
    return wg_torch_attempt(ctx, [] { TORCH_CHECK(false, "PyTorch threw this"); });
}

void throw_in_read(WgContext *ctx)
{
    (void)wg_torch_read(ctx, 0, []() -> int { TORCH_CHECK(false, "PyTorch threw this"); });
}

int64_t use_count(const WgTensor *t)
{
    return static_cast<int64_t>(WgTorchBorrowed(t)->use_count());
}

int cpu_autocast(void)
{
    return at::autocast::is_autocast_enabled(at::kCPU) ? 1 : 0;
}

void set_cpu_autocast(int enabled)
{
    at::autocast::set_autocast_enabled(at::kCPU, enabled != 0);
}
