// SPDX-License-Identifier: MIT
//
// table.cpp - WgAotiTable over libtorch's C++: what its C ABI has no functions for. Random numbers are not here: PyTorch passes
// them to compiled functions on CUDA only.
#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/Tensor.h>
#include <c10/core/AutogradState.h>

#include "table.h"

namespace {

// A handle is a pointer to a tensor (torch/csrc/inductor/aoti_torch/utils.h).
int is_view(void *, AtenTensorOpaque *t)
{
    return reinterpret_cast<at::Tensor *>(t)->is_view();
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

} // namespace

const WgAotiTable torch_table = {nullptr,     is_view,         autocast_off,  autocast_restore,
                                 view_replay, set_view_replay, deterministic, nullptr, nullptr};
