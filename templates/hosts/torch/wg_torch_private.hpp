/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_private.hpp - what this host takes from PyTorch that no public header promises: it may change with any
 * version. wg_torch_private.cpp is the only file that knows how these are done, and it refuses to be compiled for, or
 * loaded into, an untested version.
 */
#ifndef WG_TORCH_PRIVATE_HPP
#define WG_TORCH_PRIVATE_HPP

#include <cstdint>

/* Which of autocast's keys were not excluded before they all were, a bit each; and back. */
uint32_t wg_torch_private_autocast_off();
void wg_torch_private_autocast_restore(uint32_t saved);

bool wg_torch_private_view_replay();
void wg_torch_private_set_view_replay(bool enabled);

/* The version of PyTorch that is loaded, as TORCH_ABI_VERSION has it: a byte each for major, minor and patch. */
uint64_t wg_torch_private_loaded();
uint64_t wg_torch_private_built_for();

#endif /* WG_TORCH_PRIVATE_HPP */
