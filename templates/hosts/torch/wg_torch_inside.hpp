/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_inside.hpp - what the .cpp files of the torch host share among themselves; nothing else includes it.
 */
#ifndef WG_TORCH_INSIDE_HPP
#define WG_TORCH_INSIDE_HPP

#include <ATen/core/Generator.h>

#include <string>
#include <vector>

#include "wg_torch.hpp"

/* A call of wg_torch_train() that is under way (wg_torch_node.cpp). */
class WgTorchCall;

struct WgTorchGenerator {
    const void *owner;
    int32_t index;
    int32_t device;
    at::Generator generator;
};

/* What a context really is. */
struct WgTorchContext : WgContext {
    WgErrorSlot error;
    std::exception_ptr exception;
    std::string message;
    std::vector<WgTorchGenerator> generators;
    WgTorchCall *running; /* the innermost call, null when there is none */
};

inline WgTorchContext *wg_torch_inside(WgContext *ctx)
{
    return static_cast<WgTorchContext *>(ctx);
}

inline const WgTorchContext *wg_torch_inside(const WgContext *ctx)
{
    return static_cast<const WgTorchContext *>(ctx);
}

/* Hangs `t` on the node of the call, as the next of the values that the graph returns. Throws. */
void wg_torch_hang(WgTorchCall *call, WgTensor *t, bool requires_grad);

/* Runs `act`, which returns nothing; an exception becomes a status. */
template <typename Act> int32_t wg_torch_attempt(WgContext *ctx, const Act &act) noexcept
{
    try {
        act();
        return WG_TORCH_OK;
    } catch (...) {
        return wg_torch_caught(ctx);
    }
}

/* Runs a function of the program's (WgTorchTable), which returns a status and may throw. */
template <typename Act> int32_t wg_torch_ask(WgContext *ctx, const Act &act) noexcept
{
    try {
        return act();
    } catch (...) {
        return wg_torch_caught(ctx);
    }
}

/* Runs `make`, which returns a tensor: *out owns it, or is null. */
template <typename Make> int32_t wg_torch_make(WgContext *ctx, WgTensor **out, const Make &make) noexcept
{
    *out = nullptr;
    return wg_torch_attempt(ctx, [&] { *out = wg_torch_give(make()); });
}

/* Runs `read`; when it throws the context notes that, and the result is `otherwise`. Each `read` is called in one
 * place, and is a few instructions that calls of wrappers wait for, so nothing is gained by a function of its own. */
template <typename Result, typename Read>
[[gnu::always_inline]] inline Result wg_torch_read(WgContext *ctx, Result otherwise, const Read &read) noexcept
{
    try {
        return read();
    } catch (...) {
        const int32_t status = wg_torch_caught(ctx);
        ctx->pending = ctx->pending == 0 ? status : ctx->pending;
        return otherwise;
    }
}

/* A number of wg_core.h that PyTorch has, too. Throws for one that it lacks, which its own tables would be read past
 * the end for. */
at::ScalarType wg_torch_dtype(int32_t dtype);

at::Device wg_torch_device(int32_t device);

#endif /* WG_TORCH_INSIDE_HPP */
