/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_state.cpp - modes of the thread, generators of random numbers, and what only the program's functions can do.
 */
#include "wg_torch_inside.hpp"

#include <ATen/Context.h>
#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/GradMode.h>

#include "wg_torch_private.hpp"

/* ---- modes ---- */

int wg_grad_mode(WgContext *)
{
    return c10::GradMode::is_enabled() ? 1 : 0;
}

void wg_set_grad_mode(WgContext *, int enabled)
{
    c10::GradMode::set_enabled(enabled != 0);
}

int wg_view_replay(WgContext *)
{
    return wg_torch_private_view_replay() ? 1 : 0;
}

void wg_set_view_replay(WgContext *, int enabled)
{
    wg_torch_private_set_view_replay(enabled != 0);
}

uint32_t wg_autocast_off(WgContext *)
{
    return wg_torch_private_autocast_off();
}

void wg_autocast_restore(WgContext *, uint32_t saved)
{
    wg_torch_private_autocast_restore(saved);
}

int wg_deterministic(WgContext *)
{
    return at::globalContext().deterministicAlgorithms() ? 1 : 0;
}

/* ---- random numbers ---- */

namespace
{

/* From the thread's own random state, as [initialize_rng_states] takes its seeds. */
uint64_t next_seed()
{
    auto *numbers =
        at::get_generator_or_default<at::CPUGeneratorImpl>(std::nullopt, at::detail::getDefaultCPUGenerator());
    const std::lock_guard<std::mutex> lock(numbers->mutex_);
    return numbers->random64();
}

at::Generator new_generator(int32_t device)
{
    at::Generator made = at::globalContext().defaultGenerator(wg_torch_device(device)).clone();
    made.set_current_seed(next_seed());
    return made;
}

c10::GeneratorImpl *find_generator(WgTorchContext &inside, const void *owner, int32_t index, int32_t device)
{
    for (const WgTorchGenerator &one : inside.generators) {
        if (one.owner == owner && one.index == index && one.device == device) {
            return one.generator.unsafeGetGeneratorImpl();
        }
    }
    inside.generators.push_back({owner, index, device, new_generator(device)});
    return inside.generators.back().generator.unsafeGetGeneratorImpl();
}

at::Generator generator_of(const void *generator)
{
    auto *impl = static_cast<c10::GeneratorImpl *>(const_cast<void *>(generator));
    return at::Generator(c10::intrusive_ptr<c10::GeneratorImpl>::reclaim_copy(impl));
}

} // namespace

int32_t wg_generator_get(WgContext *ctx, const void *owner, int32_t index, int32_t device, void **generator)
{
    *generator = nullptr;
    return wg_torch_attempt(ctx, [=] { *generator = find_generator(*wg_torch_inside(ctx), owner, index, device); });
}

int32_t wg_generator_state(WgContext *ctx, const void *generator, WgTensor **state)
{
    return wg_torch_make(ctx, state, [=] { return generator_of(generator).get_state(); });
}

int32_t wg_generator_restore(WgContext *ctx, void *generator, const WgTensor *state)
{
    if (state == nullptr) {
        return WG_TORCH_E_ARGUMENT;
    }
    return wg_torch_attempt(ctx, [=] { generator_of(generator).set_state(*WgTorchBorrowed(state)); });
}

int32_t wg_rng_get(WgContext *ctx, WgTensor **seed, WgTensor **offset)
{
    const WgTorchTable *table = ctx->table;
    *seed = nullptr;
    *offset = nullptr;
    return table->rng_get == nullptr ? (int32_t)WG_TORCH_E_TABLE : table->rng_get(table->user, seed, offset);
}

int32_t wg_rng_set(WgContext *ctx, const WgTensor *offset)
{
    const WgTorchTable *table = ctx->table;
    return table->rng_set == nullptr ? (int32_t)WG_TORCH_E_TABLE : table->rng_set(table->user, offset);
}

/* ---- what only Python knows ---- */

int32_t wg_attr(WgContext *ctx, const WgTensor *t, int32_t index, WgTensor **attr)
{
    const WgTorchTable *table = ctx->table;
    *attr = nullptr;
    return table->attr == nullptr ? (int32_t)WG_TORCH_E_TABLE
                                  : wg_torch_ask(ctx, [=] { return table->attr(table->user, t, index, attr); });
}

int32_t wg_rebuild(WgContext *ctx, const WgType *type, const void *type_context, WgTensor **attrs, size_t num_attrs,
                   const WgGeometry *outer, WgTensor **out)
{
    const WgTorchTable *table = ctx->table;
    *out = nullptr;
    if (table->rebuild != nullptr) {
        return wg_torch_ask(
            ctx, [=] { return table->rebuild(table->user, type, type_context, attrs, num_attrs, outer, out); });
    }
    for (size_t i = 0; i < num_attrs; i++) {
        wg_release(ctx, attrs[i]);
    }
    return WG_TORCH_E_TABLE;
}

int32_t wg_coerce_tangent(WgContext *ctx, WgTensor *t, const WgType *type, const void *type_context, WgTensor **out)
{
    const WgTorchTable *table = ctx->table;
    *out = nullptr;
    return table->coerce_tangent == nullptr
               ? (int32_t)WG_TORCH_OK
               : wg_torch_ask(ctx, [=] { return table->coerce_tangent(table->user, t, type, type_context, out); });
}

int32_t wg_mark_dynamic(WgContext *ctx, WgTensor *t, const int32_t *dimensions, size_t num_dimensions)
{
    const WgTorchTable *table = ctx->table;
    const int32_t rank = wg_rank(ctx, t);
    for (size_t i = 0; i < num_dimensions; i++) {
        if (dimensions[i] < 0 || dimensions[i] >= rank) {
            return WG_TORCH_E_DIMENSION;
        }
    }
    return table->mark_dynamic == nullptr
               ? (int32_t)WG_TORCH_OK
               : wg_torch_ask(ctx, [=] { return table->mark_dynamic(table->user, t, dimensions, num_dimensions); });
}
