/* SPDX-License-Identifier: 0BSD */
/* clang-format off */
/*
 * wg_key.h - what generated kernels (keys and dispatchers) share. Included behind the host's header: what is here may
 * use its verbs. Graphs do not need it.
 *
 * A key is a row of 64-bit words, one component an argument, in order; which components there are follows from the
 * kernel's description, so that no two calls that differ in what the key holds have the same words, and none is the
 * beginning of another. As bytes, words are little-endian.
 *
 *   tensor           a head, then its dimensions:
 *                      bits 0..3    1
 *                      bit  4       1: more than 2^31 - 1 elements, or not known (index_dtype: auto)
 *                      bits 8..15   dtype
 *                      bits 16..23  rank, at most 16
 *                      bits 24..31  device type; 255 when devices are no part of the key
 *                      bits 32..47  with static shapes: the dims that are marked static, a bit each
 *                      bits 32..63  without: two bits for each dim: 0, 1, 2 "anything else", 3 "a word follows"
 *                    with static shapes: a word for each size, then for each stride; without: a word for each dim of 3
 *   a size, stride   itself; 2^63 for the stride of a dim of size 1, which has no effect; where it is symbolic 2^63 + 1,
 *                    then the environment, then the expression
 *   int, float, bool nothing: its type is known; when constexpr a word: two's complement, the bits of a double (one NaN
 *                    for all), 0 or 1
 *   string           its number of bytes, then the bytes, eight a word, the first one lowest, zeros behind the last
 *   dtype, device    a word: its number; type * 256 + index
 *   null             nothing
 *   tuple, record    the components of its items, in order of declaration
 *   list             its number of items, then their components
 *   nullable         a word 0 for null; else what it would be otherwise, behind a word 1 unless it is a tensor
 *   extra            a size or stride as above; 2^63 + 2 where there is none: the tensor is null or has too few dims, or
 *                    the list is too short
 *   key_extra        a word each: capability, distributed, user, in the order of the kernel's list
 */
/* clang-format on */
#ifndef WG_KEY_H
#define WG_KEY_H

#include <string.h>

#include "wg_core.h"
#include "wg_hash.h"
#include "wg_key_text.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WG_KEY_MAX_RANK = 16,
    WG_KEY_MAX_ITEMS = 63,
    WG_KEY_MAX_BYTES = 504, /* of a string */
    WG_KEY_STATIC = 1,      /* of a WgKeyTensor's flags: static shapes */
    WG_KEY_ZERO_ONE = 2,    /* sizes 0 and 1 have buckets of their own */
    WG_KEY_AUTO = 4,        /* whether 32-bit indices do is part of the key */
    WG_KEY_DEVICE = 8
};

#define WG_KEY_NO_STRIDE UINT64_C(0x8000000000000000)
#define WG_KEY_SYMBOL    UINT64_C(0x8000000000000001)
#define WG_KEY_ABSENT    UINT64_C(0x8000000000000002)

/* An int32_t out of an array of values; what does not fit becomes -1, which no bool, dtype or device is. */
static inline int32_t wg_narrow(int64_t integer)
{
    return integer < INT32_MIN || integer > INT32_MAX ? -1 : (int32_t)integer;
}

/* Is that number in a set of numbers from 0 to 63? */
static inline int wg_among(int64_t number, uint64_t set)
{
    return number >= 0 && number < 64 && (set >> number & 1) != 0;
}

/* A number of items, as an integer of the set above or beyond it. */
static inline int64_t wg_items(size_t count)
{
    return count > INT32_MAX ? INT32_MAX : (int64_t)count;
}

/* ---- parts of a head ---- */

static inline uint64_t wg_key_head(WgContext *ctx, const WgTensor *t)
{
    return 1 | (uint64_t)(uint32_t)wg_dtype(ctx, t) << 8 | (uint64_t)(uint32_t)wg_rank(ctx, t) << 16 |
           UINT64_C(255) << 24;
}

static inline uint64_t wg_key_head_on(WgContext *ctx, const WgTensor *t)
{
    return 1 | (uint64_t)(uint32_t)wg_dtype(ctx, t) << 8 | (uint64_t)(uint32_t)wg_rank(ctx, t) << 16 |
           ((uint64_t)(uint32_t)wg_device(ctx, t) >> 8 & 255) << 24;
}

static inline uint64_t wg_key_bucket(int64_t size, int32_t dimension)
{
    return (uint64_t)(size < 2 ? size : 2) << (32 + 2 * dimension);
}

/* Elements so far, times a size; stays huge once it is. */
static inline uint64_t wg_key_times(uint64_t count, int64_t size)
{
    uint64_t product = 0;
    return __builtin_mul_overflow(count, (uint64_t)size, &product) ? UINT64_MAX : product;
}

static inline uint64_t wg_key_wide(uint64_t count)
{
    return count > INT32_MAX ? 16 : 0;
}

static inline uint64_t wg_key_stride(WgContext *ctx, const WgTensor *t, int32_t dimension)
{
    return wg_size(ctx, t, dimension) == 1 ? WG_KEY_NO_STRIDE : (uint64_t)wg_stride(ctx, t, dimension);
}

/* ---- what may carry symbolic dims: everything that is not exactly a plain tensor ---- */

static inline uint64_t *wg_key_safe_size(WgContext *ctx, const WgTensor *t, int32_t dimension, uint64_t *next)
{
    WgSymbol symbol;
    if (wg_symbol(ctx, t, dimension, 0, &symbol)) {
        next[0] = WG_KEY_SYMBOL;
        next[1] = symbol.environment;
        next[2] = symbol.expression;
        return next + 3;
    }
    *next = (uint64_t)wg_size(ctx, t, dimension);
    return next + 1;
}

/* Of a dim whose size is symbolic the stride counts: it may be more than 1. */
static inline uint64_t *wg_key_safe_stride(WgContext *ctx, const WgTensor *t, int32_t dimension, uint64_t *next)
{
    WgSymbol symbol;
    if (!wg_symbol(ctx, t, dimension, 0, &symbol) && wg_size(ctx, t, dimension) == 1) {
        *next = WG_KEY_NO_STRIDE;
        return next + 1;
    }
    if (wg_symbol(ctx, t, dimension, 1, &symbol)) {
        next[0] = WG_KEY_SYMBOL;
        next[1] = symbol.environment;
        next[2] = symbol.expression;
        return next + 3;
    }
    *next = (uint64_t)wg_stride(ctx, t, dimension);
    return next + 1;
}

/* How many elements; UINT64_MAX when a size is symbolic. */
static inline uint64_t wg_key_elements(WgContext *ctx, const WgTensor *t)
{
    const int32_t rank = wg_rank(ctx, t);
    const int plain = wg_is_plain(ctx, t);
    uint64_t count = 1;
    WgSymbol symbol;
    for (int32_t d = 0; d < rank; d++) {
        if (!plain && wg_symbol(ctx, t, d, 0, &symbol)) {
            return UINT64_MAX;
        }
        count = wg_key_times(count, wg_size(ctx, t, d));
    }
    return count;
}

/* The component of any tensor: `flags` as above, `static_dims` a bit each. Where the rank is not known when code is
 * generated, and for what is not plain. */
static inline uint64_t *wg_key_any(WgContext *ctx, const WgTensor *t, uint32_t flags, uint32_t static_dims,
                                   uint64_t *next)
{
    const int32_t rank = wg_rank(ctx, t);
    const int plain = wg_is_plain(ctx, t);
    uint64_t head = (flags & WG_KEY_DEVICE) != 0 ? wg_key_head_on(ctx, t) : wg_key_head(ctx, t);
    uint64_t *at = next + 1;
    WgSymbol symbol;
    if ((flags & WG_KEY_STATIC) != 0) {
        for (int32_t d = 0; d < rank; d++) {
            at = plain ? (*at = (uint64_t)wg_size(ctx, t, d), at + 1) : wg_key_safe_size(ctx, t, d, at);
        }
        for (int32_t d = 0; d < rank; d++) {
            at = plain ? (*at = wg_key_stride(ctx, t, d), at + 1) : wg_key_safe_stride(ctx, t, d, at);
        }
        *next = head | (uint64_t)static_dims << 32;
        return at;
    }
    for (int32_t d = 0; d < rank; d++) {
        if ((static_dims >> d & 1) != 0 || (!plain && wg_symbol(ctx, t, d, 0, &symbol))) {
            head |= UINT64_C(3) << (32 + 2 * d);
            at = plain ? (*at = (uint64_t)wg_size(ctx, t, d), at + 1) : wg_key_safe_size(ctx, t, d, at);
        } else {
            head |= wg_key_bucket((flags & WG_KEY_ZERO_ONE) != 0 ? wg_size(ctx, t, d) : 2, d);
        }
    }
    *next = head | ((flags & WG_KEY_AUTO) != 0 ? wg_key_wide(wg_key_elements(ctx, t)) : 0);
    return at;
}

/* ---- values ---- */

static inline uint64_t wg_key_real(double real)
{
    uint64_t bits = 0;
    memcpy(&bits, &real, sizeof bits);
    return real != real ? UINT64_C(0x7FF8000000000000) : bits;
}

/* Bytes of a string, at most one more than a key holds. */
static inline size_t wg_key_bytes(const char *text)
{
    size_t n = 0;
    while (n <= WG_KEY_MAX_BYTES && text[n] != '\0') {
        n++;
    }
    return n;
}

static inline uint64_t *wg_key_text(const char *text, uint64_t *next)
{
    const size_t n = wg_key_bytes(text);
    *next++ = n;
    for (size_t i = 0; i < n; i += 8) {
        uint64_t word = 0;
        for (size_t byte = 0; byte < 8 && i + byte < n; byte++) {
            word |= (uint64_t)(unsigned char)text[i + byte] << (8 * byte);
        }
        *next++ = word;
    }
    return next;
}

#ifdef __cplusplus
}
#endif

#endif /* WG_KEY_H */
