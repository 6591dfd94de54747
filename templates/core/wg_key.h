/* SPDX-License-Identifier: 0BSD */
/* clang-format off */
/*
 * wg_key.h - what generated kernels (keys and dispatchers) share. Include it after the host's header, whose verbs it
 * may use. Graphs do not need it.
 *
 * A key is a row of 64-bit words, one component per argument, in order. The kernel's description determines the
 * components, so calls that differ in anything the key holds have different words, and no key is a prefix of another.
 * As bytes, words are little-endian.
 *
 *   tensor           a head, then its dimensions:
 *                      bits 0..3    1
 *                      bit  4       1: more than 2^31 - 1 elements, or not known (index_dtype: auto)
 *                      bit  5       1: with static shapes, dimensions that do not fit one word each
 *                      bit  6, 7    1: lazily conjugated, lazily negated; where arguments may be (`lazy_ok`)
 *                      bits 8..15   dtype
 *                      bits 16..23  rank, at most 16
 *                      bits 24..31  device type; 255 when devices are not part of the key
 *                      bits 32..47  with static shapes: the dims that are marked static, a bit each
 *                      bits 32..63  without: two bits for each dim: 0, 1, 2 "anything else", 3 "a word follows"
 *                    with static shapes: a word for each dim, size + 2^32 * stride, 2^32 - 1 for the stride of a dim of
 *                    size 1, which has no effect; and only where that cannot be, since a size, or a stride that counts,
 *                    is symbolic or not from 0 to 2^31 - 1: bit 5, each size, then each stride
 *                    without static shapes: the size of each dim of 3
 *                  before all this, where one of the call's tensors comes again (`same_in_key`): 2 + 256 * the number of
 *                  that tensor, from 0, among those of the call that are not the same as one before them
 *   a size, stride   itself; 2^63 for the stride of a dim of size 1; where it is symbolic 2^63 + 1, then the environment, then
 *                    the expression
 *   int, float, bool nothing: its type is known; when constexpr a word: two's complement, the bits of a double (one NaN
 *                    for all), 0 or 1
 *   string           its number of bytes, then the bytes, eight a word, the first one lowest, zeros after the last
 *   dtype, device    a word: its number; type * 256 + index
 *   null             nothing
 *   tuple, record    the components of its items, in order of declaration
 *   list             its number of items, then their components
 *   nullable         a word 0 for null; else what it would be otherwise, after a word 1 unless it is a tensor
 *   extra            a size or stride as above; 2^63 + 2 where there is none: the tensor is null or has too few dims, or
 *                    the list is too short
 *                    an expression: 1, then its value, two's complement; 0, 0 where one of its numbers is not there, for
 *                    these reasons; else, where one of them is symbolic, 2, then each of them: a size as above, any
 *                    other as it is
 *   key_extra        a word each: capability, distributed, user, in the order of the kernel's list
 */
/* clang-format on */
#ifndef WG_KEY_H
#define WG_KEY_H

#include <string.h>

#include "wg_core.h"
#include "wg_key_cache.h"
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
    WG_KEY_AUTO = 4,        /* whether 32-bit indices suffice is part of the key */
    WG_KEY_DEVICE = 8,
    WG_KEY_MANY = 16, /* of a head: bits 4 and 5 */
    WG_KEY_WIDE = 32,
    WG_KEY_LAZY = 192, /* of a head, and of flags: bits 6 and 7 */
    WG_KEY_AGAIN = 2   /* of what is before a head: bits 0 to 3 */
};

#define WG_KEY_NO_STRIDE UINT64_C(0x8000000000000000)
#define WG_KEY_SYMBOL    UINT64_C(0x8000000000000001)
#define WG_KEY_ABSENT    UINT64_C(0x8000000000000002)

/* An int32_t out of an array of values; one that does not fit becomes -1, which is never a bool, dtype or device. */
static inline int32_t wg_narrow(int64_t integer)
{
    return integer < INT32_MIN || integer > INT32_MAX ? -1 : (int32_t)integer;
}

/* Is the number in a set of numbers from 0 to 63? */
static inline int wg_among(int64_t number, uint64_t set)
{
    return number >= 0 && number < 64 && (set >> number & 1) != 0;
}

/* A number of items, as a member of the set above or a number beyond it. */
static inline int64_t wg_items(size_t count)
{
    return count > INT32_MAX ? INT32_MAX : (int64_t)count;
}

/* ---- writing ---- */

/* Appends a word and compares it with what was there, for callers that write a key over the last call's. */
static inline uint64_t *wg_key_put(uint64_t *next, uint64_t word, uint64_t *differs)
{
    *differs |= *next ^ word;
    *next = word;
    return next + 1;
}

/* ---- parts of a head ---- */

static inline uint64_t wg_key_type(WgContext *ctx, const WgTensor *t)
{
    return (uint64_t)(uint32_t)wg_dtype(ctx, t) << 8;
}

/* The same, plus the device's type. */
static inline uint64_t wg_key_type_on(WgContext *ctx, const WgTensor *t)
{
    return wg_key_type(ctx, t) | ((uint64_t)(uint32_t)wg_device(ctx, t) & 0xFF00) << 16;
}

/* WgLazy, as its bits of a head. */
static inline uint32_t wg_key_lazy(int32_t lazy)
{
    return (uint32_t)lazy << 6;
}

/* The bucket of a dim, put before those of higher dims. */
static inline uint64_t wg_key_bucket(int64_t size, uint64_t higher)
{
    return 4 * higher + (uint64_t)(size < 2 ? size : 2);
}

/* Multiplies the number of elements so far by a size. Returns whether that exceeds 63 bits. */
static inline int wg_key_times(int64_t *count, int64_t size)
{
    return wg_ckd_mul(count, *count, size);
}

static inline uint64_t wg_key_many(int64_t count)
{
    return count > INT32_MAX ? WG_KEY_MANY : 0;
}

/* ---- tensors of a call that are the same ---- */

/* The number of the tensor among those found before it, a list that ends with null; -1 for one that is not there, which
 * then is the next, so the list has room for all and the null. */
static inline int64_t wg_key_find(WgContext *ctx, const WgTensor *t, const WgTensor **tensors)
{
    int64_t i = 0;
    for (; tensors[i] != NULL; i++) {
        if (wg_same(ctx, t, tensors[i])) {
            return i;
        }
    }
    tensors[i] = t;
    return -1;
}

/* Does the tensor differ from the n before it? Notes it as the next. Where compilers know n, as in a key of single
 * tensors, they compare without a loop and without a list in memory. */
static inline __attribute__((always_inline)) int wg_key_apart(WgContext *ctx, const WgTensor *t,
                                                              const WgTensor **tensors, size_t n)
{
    tensors[n] = t;
#ifdef WG_UNROLL
    if (WG_IS_KNOWN(n)) {
        WG_UNROLL
        for (size_t i = 0; i < n; i++) {
            if (wg_same(ctx, t, tensors[i])) {
                return 0;
            }
        }
        return 1;
    }
#endif
    for (size_t i = 0; i < n; i++) {
        if (wg_same(ctx, t, tensors[i])) {
            return 0;
        }
    }
    return 1;
}

/* What comes before the head of a tensor that was found. */
static inline uint64_t *wg_key_again(int64_t found, uint64_t *next)
{
    if (found < 0) {
        return next;
    }
    *next = WG_KEY_AGAIN | (uint64_t)found << 8;
    return next + 1;
}

/* ---- dimensions of plain tensors, with static shapes: a word each ---- */

/* The words of two dims. The result has a bit above 30 set unless everything fits (a stride that has no effect may set
 * it too; wg_key_any then decides). In a size that fits, only the lower half can be 1. */
static inline WgPair wg_key_two(const int64_t *sizes, const int64_t *strides, uint64_t *words, WgPair *changed)
{
    return wg_pair_pack(sizes, strides, words, changed);
}

static inline WgPair wg_key_one(const int64_t *sizes, const int64_t *strides, uint64_t *words, WgPair *changed)
{
    const uint64_t size = (uint64_t)*sizes;
    const uint64_t stride = (uint64_t)*strides;
    const uint64_t packed = size | (size == 1 ? UINT64_C(0xFFFFFFFF) : stride) << 32;
    *changed = wg_pair_or(*changed, wg_pair(*words ^ packed, 0));
    *words = packed;
    return wg_pair(size | stride, 0);
}

static inline WgPair wg_key_dims(const int64_t *sizes, const int64_t *strides, int32_t rank, uint64_t *words,
                                 WgPair *changed)
{
    WgPair seen = wg_pair(0, 0);
    int32_t d = 0;
    for (; d + 1 < rank; d += 2) {
        seen = wg_pair_or(seen, wg_key_two(sizes + d, strides + d, words + d, changed));
    }
    return d < rank ? wg_pair_or(seen, wg_key_one(sizes + d, strides + d, words + d, changed)) : seen;
}

static inline int wg_key_fits(WgPair seen)
{
    return wg_pair_joined(seen) >> 31 == 0;
}

/* ---- plain tensors of a rank that is not known before the call, without static shapes ---- */

/* Follows the rest of the head; null when there are more elements than 63 bits can count. */
static inline uint64_t *wg_key_buckets(const int64_t *sizes, int32_t rank, uint32_t flags, uint32_t static_dims,
                                       uint64_t head, uint64_t *next, uint64_t *differs)
{
    uint64_t *at = next + 1;
    int64_t count = 1;
    for (int32_t d = 0; d < rank; d++) {
        if ((static_dims >> d & 1) != 0) {
            head |= UINT64_C(3) << (32 + 2 * d);
            at = wg_key_put(at, (uint64_t)sizes[d], differs);
        } else {
            head |= wg_key_bucket((flags & WG_KEY_ZERO_ONE) != 0 ? sizes[d] : 2, 0) << (32 + 2 * d);
        }
        if ((flags & WG_KEY_AUTO) != 0 && wg_key_times(&count, sizes[d])) {
            return NULL;
        }
    }
    (void)wg_key_put(next, head | wg_key_many(count), differs);
    return at;
}

/* ---- what may carry symbolic dims: everything that is not exactly a plain tensor ---- */

static inline uint64_t wg_key_stride(WgContext *ctx, const WgTensor *t, int32_t dimension)
{
    return wg_size(ctx, t, dimension) == 1 ? WG_KEY_NO_STRIDE : (uint64_t)wg_stride(ctx, t, dimension);
}

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

static inline int wg_key_symbolic(WgContext *ctx, const WgTensor *t, int32_t dimension)
{
    WgSymbol symbol;
    return wg_symbol(ctx, t, dimension, 0, &symbol) != 0;
}

/* The stride of a dim with a symbolic size counts: the size may be more than 1. */
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

/* The number of elements; UINT64_MAX when a size is symbolic or 63 bits cannot count them. */
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
        if (wg_ckd_mul_unsigned(&count, count, (uint64_t)wg_size(ctx, t, d))) {
            count = UINT64_MAX; /* and stays so, unless a size is 0 */
        }
    }
    return count;
}

/* Does each dim fit a word? */
static inline int wg_key_all_fit(WgContext *ctx, const WgTensor *t)
{
    const int32_t rank = wg_rank(ctx, t);
    WgSymbol symbol;
    for (int32_t d = 0; d < rank; d++) {
        const uint64_t size = (uint64_t)wg_size(ctx, t, d);
        if (wg_symbol(ctx, t, d, 0, &symbol) || size >> 31 != 0) {
            return 0;
        }
        if (size != 1 && (wg_symbol(ctx, t, d, 1, &symbol) || (uint64_t)wg_stride(ctx, t, d) >> 31 != 0)) {
            return 0;
        }
    }
    return 1;
}

static inline uint64_t *wg_key_any_static(WgContext *ctx, const WgTensor *t, uint64_t head, uint64_t *next)
{
    const int32_t rank = wg_rank(ctx, t);
    WgPair changed = wg_pair(0, 0);
    if (wg_key_all_fit(ctx, t)) {
        *next++ = head;
        for (int32_t d = 0; d < rank; d++) {
            const int64_t size = wg_size(ctx, t, d);
            const int64_t stride = wg_stride(ctx, t, d);
            (void)wg_key_one(&size, &stride, next++, &changed);
        }
        return next;
    }
    *next++ = head | WG_KEY_WIDE;
    for (int32_t d = 0; d < rank; d++) {
        next = wg_key_safe_size(ctx, t, d, next);
    }
    for (int32_t d = 0; d < rank; d++) {
        next = wg_key_safe_stride(ctx, t, d, next);
    }
    return next;
}

/* The component of any tensor. `key_of` uses it for tensors that are not plain, and for the few plain ones that are too
 * large for its fast paths. `flags` are as above, with wg_key_lazy() of the tensor; `static_dims` has a bit for each
 * dim. */
static __attribute__((noinline, unused)) uint64_t *wg_key_any(WgContext *ctx, const WgTensor *t, uint32_t flags,
                                                              uint32_t static_dims, uint64_t *next)
{
    const int32_t rank = wg_rank(ctx, t);
    const uint64_t type =
        (flags & WG_KEY_DEVICE) != 0 ? wg_key_type_on(ctx, t) : wg_key_type(ctx, t) | UINT64_C(255) << 24;
    uint64_t head = 1 | type | (flags & WG_KEY_LAZY) | (uint64_t)(uint32_t)rank << 16;
    uint64_t *at = next + 1;
    WgSymbol symbol;
    if ((flags & WG_KEY_STATIC) != 0) {
        return wg_key_any_static(ctx, t, head | (uint64_t)static_dims << 32, next);
    }
    for (int32_t d = 0; d < rank; d++) {
        if ((static_dims >> d & 1) != 0 || wg_symbol(ctx, t, d, 0, &symbol)) {
            head |= UINT64_C(3) << (32 + 2 * d);
            at = wg_key_safe_size(ctx, t, d, at);
        } else {
            head |= wg_key_bucket((flags & WG_KEY_ZERO_ONE) != 0 ? wg_size(ctx, t, d) : 2, 0) << (32 + 2 * d);
        }
    }
    *next = head | ((flags & WG_KEY_AUTO) != 0 && wg_key_elements(ctx, t) > INT32_MAX ? WG_KEY_MANY : 0);
    return at;
}

/* ---- values ---- */

static inline uint64_t wg_key_real(double real)
{
    uint64_t bits = 0;
    memcpy(&bits, &real, sizeof bits);
    return real != real ? UINT64_C(0x7FF8000000000000) : bits;
}

/* The number of bytes of a string, at most one more than a key holds. */
static inline size_t wg_key_bytes(const char *text)
{
    size_t n = 0;
    while (n <= WG_KEY_MAX_BYTES && text[n] != '\0') {
        n++;
    }
    return n;
}

static inline uint64_t *wg_key_text(const char *text, uint64_t *next, uint64_t *differs)
{
    const size_t n = wg_key_bytes(text);
    next = wg_key_put(next, n, differs);
    for (size_t i = 0; i < n; i += 8) {
        uint64_t word = 0;
        for (size_t byte = 0; byte < 8 && i + byte < n; byte++) {
            word |= (uint64_t)(unsigned char)text[i + byte] << (8 * byte);
        }
        next = wg_key_put(next, word, differs);
    }
    return next;
}

#ifdef __cplusplus
}
#endif

#endif /* WG_KEY_H */
