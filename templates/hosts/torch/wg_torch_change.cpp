/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_change.cpp - the verbs that write into tensors, or make new ones other than views; and lifetime. Each is one
 * operation of PyTorch's C++, which autograd and version counters see.
 */
#include "wg_torch_inside.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/zeros.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>

at::ScalarType wg_torch_dtype(int32_t dtype)
{
    const int is_known = dtype >= 0 && dtype < static_cast<int32_t>(at::ScalarType::NumOptions) &&
                         dtype != static_cast<int32_t>(at::ScalarType::Undefined);
    TORCH_CHECK(is_known, "dtype ", dtype, " is unknown");
    return static_cast<at::ScalarType>(dtype);
}

/* "cpu" and "cpu:0" are not equal to PyTorch. */
at::Device wg_torch_device(int32_t device)
{
    const int32_t type = device >> 8;
    return at::Device(static_cast<at::DeviceType>(type),
                      static_cast<at::DeviceIndex>(type == WG_CPU || type == WG_META ? -1 : device & 255));
}

namespace
{

at::IntArrayRef list(const int64_t *elements, int32_t n)
{
    TORCH_CHECK(n >= 0, "a rank of ", n);
    return {elements, static_cast<size_t>(n)};
}

at::MemoryFormat format_of(int32_t memory_format)
{
    return memory_format == WG_CHANNELS_LAST      ? at::MemoryFormat::ChannelsLast
           : memory_format == WG_CHANNELS_LAST_3D ? at::MemoryFormat::ChannelsLast3d
                                                  : at::MemoryFormat::Contiguous;
}

at::TensorOptions options_of(int32_t dtype, int32_t device)
{
    return at::TensorOptions().dtype(wg_torch_dtype(dtype)).device(wg_torch_device(device));
}

} // namespace

/* ---- lifetime ---- */

int32_t wg_retain(WgContext *, WgTensor *t, WgTensor **owned)
{
    c10::raw::intrusive_ptr::incref(wg_torch_impl(t));
    *owned = t;
    return WG_TORCH_OK;
}

void wg_release(WgContext *, WgTensor *t)
{
    if (t != nullptr) {
        c10::raw::intrusive_ptr::decref(wg_torch_impl(t));
    }
}

void wg_release_run(WgContext *ctx, WgValue *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        WgTensor *t = values[i].tensor;
        values[i].tensor = nullptr;
        wg_release(ctx, t);
    }
}

/* ---- mutations ---- */

int32_t wg_copy_(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    return wg_torch_attempt(ctx, [=] { WgTorchBorrowed(dst)->copy_(*WgTorchBorrowed(src)); });
}

int32_t wg_copy_leaf_(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    return wg_torch_attempt(ctx, [=] { WgTorchBorrowed(dst)->detach().copy_(*WgTorchBorrowed(src)); });
}

/* In Python another dtype is an error; in C++ the operator takes the memory and goes on reading it as dst's dtype. */
int32_t wg_set_(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    const c10::TensorImpl &to = *wg_torch_impl(dst);
    const c10::TensorImpl &from = *wg_torch_impl(src);
    if (to.dtype() != from.dtype() || to.device() != from.device()) {
        return WG_TORCH_E_DTYPE;
    }
    return wg_torch_attempt(ctx, [=] {
        const at::NoGradGuard no_grad;
        WgTorchBorrowed(dst)->set_(*WgTorchBorrowed(src));
    });
}

int32_t wg_shallow_copy_data_(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    return wg_torch_attempt(ctx, [=] {
        const at::NoGradGuard no_grad;
        WgTorchBorrowed(dst)->set_data(*WgTorchBorrowed(src));
    });
}

int32_t wg_restride_like_(WgContext *ctx, WgTensor *dst, const WgTensor *like)
{
    return wg_torch_attempt(ctx, [=] {
        const c10::TensorImpl &wanted = *wg_torch_impl(like);
        WgTorchBorrowed(dst)->as_strided_(wanted.sizes(), wanted.strides(), wanted.storage_offset());
    });
}

int32_t wg_bump_version(WgContext *ctx, WgTensor *t)
{
    return wg_torch_attempt(ctx, [=] {
        if (!wg_torch_impl(t)->is_inference()) {
            wg_torch_impl(t)->bump_version();
        }
    });
}

/* ---- new tensors ---- */

int32_t wg_empty_strided(WgContext *ctx, const WgGeometry *geometry, int32_t dtype, int32_t device, WgTensor **out)
{
    return wg_torch_make(ctx, out, [=] {
        return at::empty_strided(list(geometry->sizes, geometry->rank), list(geometry->strides, geometry->rank),
                                 options_of(dtype, device));
    });
}

int32_t wg_zeros(WgContext *ctx, const int64_t *sizes, int32_t rank, int32_t dtype, int32_t device, WgTensor **out)
{
    return wg_torch_make(ctx, out, [=] { return at::zeros(list(sizes, rank), options_of(dtype, device)); });
}

int32_t wg_storage_base(WgContext *ctx, WgTensor *src, WgTensor **out)
{
    return wg_torch_make(ctx, out, [=] {
        const at::NoGradGuard no_grad;
        const WgTorchBorrowed from(src);
        return at::empty({0}, from->options()).set_(from->storage());
    });
}

/* Both are for gradients, which a compiled backward may read in memory: to PyTorch one that is lazily conjugated or
 * negated has its layout already. */
int32_t wg_contiguous(WgContext *ctx, WgTensor *t, int32_t memory_format, WgTensor **out)
{
    return wg_torch_make(ctx, out, [=] {
        return WgTorchBorrowed(t)->contiguous(format_of(memory_format)).resolve_conj().resolve_neg();
    });
}

int32_t wg_coerce_strides(WgContext *ctx, WgTensor *t, const WgGeometry *geometry, WgTensor **out)
{
    return wg_torch_make(ctx, out, [=] {
        const WgTorchBorrowed from(t);
        const at::IntArrayRef sizes = list(geometry->sizes, geometry->rank);
        const at::IntArrayRef strides = list(geometry->strides, geometry->rank);
        if (from->sizes() == sizes && from->strides() == strides && !from->is_conj() && !from->is_neg()) {
            return *from;
        }
        return at::empty_strided(sizes, strides, from->options()).copy_(*from);
    });
}

/* A collective that is only known by name here, since not every build of PyTorch has the operator. */
int32_t wg_wait(WgContext *ctx, WgTensor *t, WgTensor **waited)
{
    const WgTorchTable *table = ctx->table;
    *waited = t;
    if (!wg_is_plain(ctx, t)) {
        return table->wait == nullptr ? (int32_t)WG_TORCH_OK
                                      : wg_torch_ask(ctx, [=] { return table->wait(table->user, t, waited); });
    }
    const int32_t status = wg_torch_attempt(ctx, [=] {
        const auto found = c10::Dispatcher::singleton().findSchema({"_c10d_functional::wait_tensor", ""});
        if (found.has_value()) {
            (void)found->typed<at::Tensor(const at::Tensor &)>().call(*WgTorchBorrowed(t));
        }
    });
    *waited = status == WG_TORCH_OK ? t : nullptr;
    return status;
}
