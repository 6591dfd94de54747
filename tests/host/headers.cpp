/* SPDX-License-Identifier: MIT */
/*
 * headers.cpp - the core header, and those of the native host, seen from C++17. Expected values by hand, those of floor
 * division as Python gives them.
 */
#include "wg_core.h"

#include "wg_copy.h"
#include "wg_native.h"

#include <cstdio>

static_assert(sizeof(WgValue) == 8, "a value is eight bytes");
static_assert(WG_FLOAT8_E4M3FNUZ == 26 && WG_UINT64 == 29, "numbers of ScalarType");

static bool integers_are_right()
{
    int overflow = 0;
    const bool right = wg_floordiv(-7, 2, &overflow) == -4 && wg_floordiv(7, -2, &overflow) == -4 &&
                       wg_floordiv(-8, 2, &overflow) == -4 && wg_add(2, 3, &overflow) == 5 &&
                       wg_max(-1, wg_min(4, 3)) == 3 && overflow == 0;
    wg_mul(INT64_MAX, 2, &overflow);
    return right && overflow == 1;
}

static bool host_is_usable()
{
    WgContext *ctx = nullptr;
    WgTensor *t = nullptr;
    const int64_t sizes[] = {2, 3};
    if (wg_context_create(nullptr, &ctx) != 0 || wg_native_zeros(ctx, WG_FLOAT32, 2, sizes, &t) != 0) {
        return false;
    }
    const bool right = wg_size(ctx, t, 1) == 3 && wg_value_tensor(t).tensor == t && wg_value_real(0.5).real == 0.5 &&
                       wg_dtype_size(wg_dtype(ctx, t)) == 4;
    wg_release(ctx, t);
    wg_context_destroy(ctx);
    return right;
}

int main()
{
    if (!integers_are_right() || !host_is_usable()) {
        std::puts("wrong");
        return 1;
    }
    return 0;
}
