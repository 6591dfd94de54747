// SPDX-License-Identifier: MIT
//
// table.cpp - WgAotiTable over libtorch's C++: what its C ABI has no functions for, and what it has only slow ones for. Random
// numbers are not here: PyTorch passes them to compiled functions on CUDA only.
#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/Tensor.h>
#include <c10/core/AutogradState.h>

#include "table.h"

namespace {

// A handle is a pointer to a tensor (torch/csrc/inductor/aoti_torch/utils.h).
at::Tensor &tensor(AtenTensorOpaque *t)
{
    return *reinterpret_cast<at::Tensor *>(t);
}

int is_view(void *, AtenTensorOpaque *t)
{
    return tensor(t).is_view();
}

constexpr at::DeviceType devices[] = {at::kCPU, at::kCUDA, at::kXPU, at::kMPS};

// Bit i: autocast was on for devices[i].
uint32_t autocast_off(void *)
{
    uint32_t saved = 0;
    for (uint32_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        if (at::autocast::is_autocast_enabled(devices[i])) {
            at::autocast::set_autocast_enabled(devices[i], false);
            saved |= UINT32_C(1) << i;
        }
    }
    return saved;
}

void autocast_restore(void *, uint32_t saved)
{
    for (uint32_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        if ((saved >> i & 1) != 0) {
            at::autocast::set_autocast_enabled(devices[i], true);
        }
    }
}

int view_replay(void *)
{
    return c10::AutogradState::get_tls_state().get_view_replay_enabled();
}

void set_view_replay(void *, int enabled)
{
    c10::AutogradState::get_tls_state().set_view_replay_enabled(enabled != 0);
}

int deterministic(void *)
{
    return at::globalContext().deterministicAlgorithms();
}

// What has no strides, or symbolic ones, throws.
int32_t look(void *, AtenTensorOpaque *t, WgAotiLook *found)
{
    try {
        const at::Tensor &self = tensor(t);
        *found = {self.dim(), self.sizes().data(), self.strides().data(), static_cast<int32_t>(self.scalar_type()),
                  static_cast<int32_t>(self.layout()),
                  1 + (self.is_conj() ? WG_LAZY_CONJ : 0) + (self.is_neg() ? WG_LAZY_NEG : 0)};
        return 0;
    } catch (...) {
        return 1;
    }
}

int requires_grad(void *, AtenTensorOpaque *t)
{
    return tensor(t).requires_grad();
}

int64_t version(void *, AtenTensorOpaque *t)
{
    return tensor(t).is_inference() ? 0 : tensor(t)._version();
}

// As torch.autograd.graph.increment_version does.
int32_t bump_version(void *, AtenTensorOpaque *t)
{
    if (!tensor(t).is_inference()) {
        tensor(t).unsafeGetTensorImpl()->bump_version();
    }
    return 0;
}

const void *storage(void *, AtenTensorOpaque *t)
{
    return tensor(t).has_storage() ? tensor(t).storage().unsafeGetStorageImpl() : nullptr;
}

// A new handle of what `make` returns; no exception leaves for C.
template <typename Make> int32_t give(AtenTensorOpaque **ret_new, Make make)
{
    try {
        *ret_new = reinterpret_cast<AtenTensorOpaque *>(new at::Tensor(make()));
        return 0;
    } catch (...) {
        return 1;
    }
}

int32_t detach(void *, AtenTensorOpaque *t, AtenTensorOpaque **ret_new)
{
    return give(ret_new, [t] { return tensor(t).detach(); });
}

int32_t as_strided(void *, AtenTensorOpaque *t, int64_t rank, const int64_t *sizes, const int64_t *strides, int64_t offset,
                   AtenTensorOpaque **ret_new)
{
    const size_t n = static_cast<size_t>(rank);
    return give(ret_new, [&] { return tensor(t).as_strided({sizes, n}, {strides, n}, offset); });
}

} // namespace

const WgAotiTable torch_table = {nullptr,         is_view,       autocast_off, autocast_restore, view_replay,  set_view_replay,
                                 deterministic,   nullptr,       nullptr,      look,             requires_grad, version,
                                 bump_version,    storage,       detach,       as_strided};
