/* SPDX-License-Identifier: 0BSD */
/*
 * wg_native_random.c - generators of graphs with `rng: graphsafe`. The host keeps and hands out states; the compiled
 * function decides what numbers come from a state.
 */
#include "wg_native_inside.h"

/* Neighbouring seeds and counters give unrelated results (the finaliser of the SplitMix64 generator). */
static int64_t mixed(int64_t seed, int64_t counter)
{
    uint64_t x = (uint64_t)seed + ((uint64_t)counter + 1) * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (int64_t)((x ^ (x >> 31)) >> 1); /* not negative */
}

int32_t wg_generator_get(WgContext *ctx, const void *owner, int32_t index, int32_t device, void **generator)
{
    *generator = NULL;
    for (WgNativeGenerator *known = ctx->generators; known != NULL; known = known->next) {
        if (known->owner == owner && known->index == index) {
            *generator = known;
            return WG_NATIVE_OK;
        }
    }
    WgNativeGenerator *made = wg_native_allocate(ctx->allocator, sizeof *made);
    if (made == NULL) {
        return WG_NATIVE_E_MEMORY;
    }
    *made = (WgNativeGenerator){mixed(ctx->rng_seed, ctx->num_generators), 0, device, index, owner, ctx->generators};
    ctx->num_generators++;
    ctx->generators = made;
    *generator = made;
    return WG_NATIVE_OK;
}

int32_t wg_generator_state(WgContext *ctx, const void *generator, WgTensor **state)
{
    const WgNativeGenerator *from = generator;
    const int64_t sizes[1] = {2};
    const int32_t status = wg_native_empty(ctx, WG_INT64, 1, sizes, state);
    if (status == WG_NATIVE_OK) {
        wg_native_set_integer(*state, 0, from->seed);
        wg_native_set_integer(*state, 1, from->offset);
    }
    return status;
}

int32_t wg_generator_restore(WgContext *ctx, void *generator, const WgTensor *state)
{
    WgNativeGenerator *to = generator;
    (void)ctx;
    if (state == NULL || state->subclass != NULL || state->dtype != WG_INT64 || state->device != WG_CPU ||
        state->num_elements != 2 || wg_native_integer(state, 1) < 0) {
        return WG_NATIVE_E_VALUE;
    }
    to->seed = wg_native_integer(state, 0);
    to->offset = wg_native_integer(state, 1);
    return WG_NATIVE_OK;
}
