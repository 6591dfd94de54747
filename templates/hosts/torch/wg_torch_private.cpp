/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_private.cpp - see wg_torch_private.hpp. For another version of PyTorch: read what this file and
 * wg_torch_node.cpp use of torch/csrc/autograd in that version, run tests/torch/cpp with it, and add it below.
 */
#include "wg_torch_private.hpp"

#include <c10/core/AutogradState.h>
#include <c10/core/DispatchKeySet.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/headeronly/version.h>

#if !defined(WG_TORCH_ANY_VERSION) && (TORCH_VERSION_MAJOR != 2 || TORCH_VERSION_MINOR < 13 || TORCH_VERSION_MINOR > 15)
#error "the torch host was tested with PyTorch 2.13 to 2.15; -DWG_TORCH_ANY_VERSION tries this one"
#endif

uint32_t wg_torch_private_autocast_off()
{
    const c10::DispatchKeySet excluded = c10::impl::tls_local_dispatch_key_set().excluded_;
    uint32_t saved = 0;
    uint32_t bit = 1;
    if (excluded.has_all(c10::autocast_dispatch_keyset)) {
        return 0;
    }
    for (const c10::DispatchKey key : c10::autocast_dispatch_keyset) {
        if (!excluded.has(key)) {
            c10::impl::tls_set_dispatch_key_excluded(key, true);
            saved |= bit;
        }
        bit <<= 1;
    }
    return saved;
}

void wg_torch_private_autocast_restore(uint32_t saved)
{
    uint32_t bit = 1;
    if (saved == 0) {
        return;
    }
    for (const c10::DispatchKey key : c10::autocast_dispatch_keyset) {
        if ((saved & bit) != 0) {
            c10::impl::tls_set_dispatch_key_excluded(key, false);
        }
        bit <<= 1;
    }
}

bool wg_torch_private_view_replay()
{
    return c10::AutogradState::get_tls_state().get_view_replay_enabled();
}

void wg_torch_private_set_view_replay(bool enabled)
{
    c10::AutogradState::get_tls_state().set_view_replay_enabled(enabled);
}

uint64_t wg_torch_private_loaded()
{
    return aoti_torch_abi_version();
}

uint64_t wg_torch_private_built_for()
{
    return TORCH_ABI_VERSION;
}
