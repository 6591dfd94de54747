/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_views.cpp - the verbs that make views. Each is made by PyTorch's own operation, through its typed entry and
 * not by name, so autograd knows it and it shares its base's version counter.
 */
#include "wg_torch_inside.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_conj.h>
#include <ATen/ops/_neg_view.h>
#include <ATen/ops/_unsafe_view.h>
#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/view_as_real.h>
#include <torch/csrc/autograd/variable.h>

namespace
{

at::Tensor strided(const at::Tensor &base, const WgGeometry &geometry)
{
    TORCH_CHECK(geometry.rank >= 0, "a rank of ", geometry.rank);
    const size_t rank = static_cast<size_t>(geometry.rank);
    return base.as_strided({geometry.sizes, rank}, {geometry.strides, rank}, geometry.offset);
}

/* The whole storage as one flat tensor of `dtype`, at offset 0, and a view of base to autograd's version counter. */
at::Tensor flat(const at::Tensor &base, at::ScalarType dtype)
{
    const int64_t element = static_cast<int64_t>(base.element_size());
    const int64_t wanted = static_cast<int64_t>(c10::elementSize(dtype));
    const int64_t unit = element > wanted ? element : wanted; /* sizes are powers of two */
    const int64_t num_bytes = static_cast<int64_t>(base.storage().nbytes());
    return base.as_strided({num_bytes / unit * (unit / element)}, {1}, 0).view(dtype);
}

/* [`patch` of gen_alias_from_base] */
at::Tensor patched(const at::Tensor &base, at::Tensor view, bool requires_grad)
{
    if (base.requires_grad() && !requires_grad) {
        return view.detach();
    }
    if (!base.requires_grad() && requires_grad) {
        view.requires_grad_();
    }
    return view;
}

at::Tensor alias(const at::Tensor &base, const WgGeometry &geometry, at::ScalarType dtype, bool requires_grad)
{
    if (base.scalar_type() == dtype) {
        return patched(base, strided(base, geometry), requires_grad);
    }
    const size_t from = c10::elementSize(base.scalar_type());
    const size_t to = c10::elementSize(dtype);
    if (base.is_complex() && c10::isFloatingType(dtype) && from == 2 * to) {
        return patched(base, strided(at::view_as_real(base), geometry), requires_grad);
    }
    if (c10::isComplexType(dtype) && base.is_floating_point() && to == 2 * from) {
        return patched(base, strided(at::view_as_complex(base), geometry), requires_grad);
    }
    return strided(flat(base, dtype), geometry);
}

/* A view of `view` that reads the same memory as `like` does, lazily conjugated or negated where that is. */
at::Tensor as_lazy_as(const at::Tensor &like, at::Tensor view)
{
    view = view.is_conj() != like.is_conj() ? view.conj() : view;
    return view.is_neg() != like.is_neg() ? at::_neg_view(view) : view;
}

} // namespace

int32_t wg_alias_as(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, int32_t dtype, int requires_grad,
                    WgTensor **out)
{
    return wg_torch_make(
        ctx, out, [=] { return alias(*WgTorchBorrowed(base), *geometry, wg_torch_dtype(dtype), requires_grad != 0); });
}

int32_t wg_alias_like(WgContext *ctx, WgTensor *base, const WgTensor *target, int requires_grad, WgTensor **out)
{
    return wg_torch_make(ctx, out, [=] {
        const WgTorchBorrowed like(target);
        const WgGeometry geometry = {like->sizes().data(), like->strides().data(), like->storage_offset(),
                                     static_cast<int32_t>(like->dim())};
        return as_lazy_as(*like, alias(*WgTorchBorrowed(base), geometry, like->scalar_type(), requires_grad != 0));
    });
}

int32_t wg_view_dtype(WgContext *ctx, WgTensor *base, int32_t dtype, WgTensor **out)
{
    return wg_torch_make(ctx, out, [=] { return WgTorchBorrowed(base)->view(wg_torch_dtype(dtype)); });
}

int32_t wg_conj(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    return wg_torch_make(ctx, out, [=] { return at::_conj(*WgTorchBorrowed(base)); });
}

int32_t wg_neg_view(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    return wg_torch_make(ctx, out, [=] { return at::_neg_view(*WgTorchBorrowed(base)); });
}

int32_t wg_view_as_real(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    return wg_torch_make(ctx, out, [=] { return at::view_as_real(*WgTorchBorrowed(base)); });
}

int32_t wg_view_as_complex(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    return wg_torch_make(ctx, out, [=] { return at::view_as_complex(*WgTorchBorrowed(base)); });
}

int32_t wg_as_strided(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, WgTensor **out)
{
    return wg_torch_make(ctx, out, [=] { return strided(*WgTorchBorrowed(base), *geometry); });
}

int32_t wg_detach(WgContext *ctx, WgTensor *t, WgTensor **out)
{
    return wg_torch_make(ctx, out, [=] { return WgTorchBorrowed(t)->detach(); });
}

int32_t wg_unsafe_view(WgContext *ctx, WgTensor *t, WgTensor **out)
{
    return wg_torch_make(ctx, out, [=] {
        const WgTorchBorrowed from(t);
        if (from->layout() == c10::kJagged) {
            const c10::AutoGradMode without(false); /* as in PyTorch's node: it may require grad, by its context */
            return at::_unsafe_view_symint(*from, from->sym_sizes());
        }
        return at::_unsafe_view(*from, from->sizes());
    });
}

int32_t wg_view_base(WgContext *ctx, WgTensor *src, WgTensor **out)
{
    return wg_torch_make(ctx, out, [=] { return WgTorchBorrowed(src)->_base(); });
}

int32_t wg_patch_requires_grad(WgContext *ctx, const WgTensor *base, WgTensor **view, int requires_grad)
{
    WgTensor *made = nullptr;
    const int32_t status = wg_torch_make(
        ctx, &made, [=] { return patched(*WgTorchBorrowed(base), *WgTorchBorrowed(*view), requires_grad != 0); });
    if (status == WG_TORCH_OK) {
        wg_release(ctx, *view);
        *view = made;
    }
    return status;
}

/* A view that is protected more strictly stays so [propagate_creation_meta]. */
int32_t wg_mark_part(WgContext *ctx, WgTensor *view)
{
    using torch::autograd::CreationMeta;
    return wg_torch_attempt(ctx, [view] {
        torch::autograd::DifferentiableViewMeta *known =
            torch::autograd::impl::get_view_autograd_meta(*WgTorchBorrowed(view));
        if (known != nullptr && known->has_bw_view() && known->get_creation_meta() == CreationMeta::DEFAULT) {
            known->set_creation_meta(CreationMeta::MULTI_OUTPUT_NODE);
        }
    });
}

int32_t wg_set_requires_grad(WgContext *ctx, WgTensor *t, int requires_grad)
{
    return wg_torch_attempt(ctx, [=] {
        if (wg_torch_inside(ctx)->running != nullptr) {
            wg_torch_hang(wg_torch_inside(ctx)->running, t, requires_grad != 0);
        } else {
            WgTorchBorrowed(t)->requires_grad_(requires_grad != 0);
        }
    });
}
