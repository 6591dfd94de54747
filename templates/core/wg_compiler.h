/* SPDX-License-Identifier: 0BSD */
/*
 * wg_compiler.h - what this code asks of a compiler beyond C11, and plain C for a compiler that lacks it. No other file
 * of the core or of the host `native` names a compiler.
 *
 * gcc and clang have all of it. With WG_PLAIN_C defined they use the plain forms, too, which is how those are tested.
 * Attributes are not here: a compiler that does not know one ignores it, and nothing depends on it.
 */
#ifndef WG_COMPILER_H
#define WG_COMPILER_H

#include <stdint.h>

#if defined(__GNUC__) && !defined(__TINYC__) && !defined(WG_PLAIN_C)
#define WG_HAS_BUILTINS 1
#else
#define WG_HAS_BUILTINS 0
#endif

/*
 * alignas, by C's own name. Structs of arguments and results are also arrays of WgValue, so each member takes a value's
 * room, also where pointers are smaller or integers less aligned. What tcc has in <stdalign.h> takes no type.
 */
#ifdef __TINYC__
#define alignas _Alignas
#elif !defined(__cplusplus)
#include <stdalign.h>
#endif

#if WG_HAS_BUILTINS
#define WG_USUALLY(condition) __builtin_expect(!!(condition), 1)
#define WG_ASSUME(condition)  ((condition) ? (void)0 : __builtin_unreachable())
/* The compiler knows nothing about the value of a 64-bit variable after this. */
#define WG_OPAQUE(variable)   __asm__("" : "+r"(variable))
/* Where it is defined: before a loop whose number of turns WG_IS_KNOWN. Up to 16 turns become straight-line code. */
#define WG_IS_KNOWN(integer)  __builtin_constant_p(integer)
#if defined(__clang__)
#define WG_UNROLL _Pragma("clang loop unroll_count(16)")
#elif __GNUC__ >= 8
#define WG_UNROLL _Pragma("GCC unroll 16")
#endif
#else
#define WG_USUALLY(condition) (condition)
#define WG_ASSUME(condition)  ((void)0)
#define WG_OPAQUE(variable)   ((void)0)
#endif

/*
 * Checked arithmetic, as in C23's <stdckdint.h>: each returns whether the exact result does not fit. *result has its
 * lower 64 bits either way.
 */
static inline int wg_ckd_add(int64_t *result, int64_t a, int64_t b)
{
#if WG_HAS_BUILTINS
    return __builtin_add_overflow(a, b, result);
#else
    *result = (int64_t)((uint64_t)a + (uint64_t)b);
    return b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b;
#endif
}

static inline int wg_ckd_sub(int64_t *result, int64_t a, int64_t b)
{
#if WG_HAS_BUILTINS
    return __builtin_sub_overflow(a, b, result);
#else
    *result = (int64_t)((uint64_t)a - (uint64_t)b);
    return b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b;
#endif
}

static inline int wg_ckd_mul_unsigned(uint64_t *result, uint64_t a, uint64_t b)
{
#if WG_HAS_BUILTINS
    return __builtin_mul_overflow(a, b, result);
#else
    *result = a * b;
    return b != 0 && a > UINT64_MAX / b;
#endif
}

static inline int wg_ckd_mul(int64_t *result, int64_t a, int64_t b)
{
#if WG_HAS_BUILTINS
    return __builtin_mul_overflow(a, b, result);
#else
    const uint64_t most = (uint64_t)INT64_MAX + ((a < 0) != (b < 0) ? 1 : 0);
    const uint64_t size_a = a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
    const uint64_t size_b = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    uint64_t product = 0;
    *result = (int64_t)((uint64_t)a * (uint64_t)b);
    return wg_ckd_mul_unsigned(&product, size_a, size_b) || product > most;
#endif
}

static inline uint64_t wg_reverse_bytes(uint64_t word)
{
#if WG_HAS_BUILTINS
    return __builtin_bswap64(word);
#else
    word = (word & UINT64_C(0x00FF00FF00FF00FF)) << 8 | (word >> 8 & UINT64_C(0x00FF00FF00FF00FF));
    word = (word & UINT64_C(0x0000FFFF0000FFFF)) << 16 | (word >> 16 & UINT64_C(0x0000FFFF0000FFFF));
    return word << 32 | word >> 32;
#endif
}

/*
 * The exclusive or of both halves of the 128-bit product.
 */
static inline uint64_t wg_fold_product(uint64_t a, uint64_t b)
{
#if WG_HAS_BUILTINS && defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 Wide;
    const Wide product = (Wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    const uint64_t low = (a & 0xFFFFFFFFU) * (b & 0xFFFFFFFFU);
    const uint64_t cross = (a >> 32) * (b & 0xFFFFFFFFU) + (low >> 32);
    const uint64_t other = (a & 0xFFFFFFFFU) * (b >> 32) + (cross & 0xFFFFFFFFU);
    const uint64_t high = (a >> 32) * (b >> 32) + (cross >> 32) + (other >> 32);
    return ((other << 32) | (low & 0xFFFFFFFFU)) ^ high;
#endif
}

/*
 * Two 64-bit numbers at a time, in a register where the machine has such registers; elsewhere gcc warns that vectors
 * are passed in another way.
 */
#if WG_HAS_BUILTINS && (defined(__SSE2__) || defined(__ARM_NEON))
#define WG_HAS_VECTORS 1
#else
#define WG_HAS_VECTORS 0
#endif

#if WG_HAS_VECTORS
typedef uint64_t WgPair __attribute__((vector_size(16), aligned(8)));
typedef uint32_t WgPairHalves __attribute__((vector_size(16), aligned(8)));
#else
typedef struct WgPair {
    uint64_t first;
    uint64_t second;
} WgPair;
#endif

static inline WgPair wg_pair(uint64_t first, uint64_t second)
{
    const WgPair pair = {first, second};
    return pair;
}

static inline WgPair wg_pair_or(WgPair a, WgPair b)
{
#if WG_HAS_VECTORS
    return a | b;
#else
    return wg_pair(a.first | b.first, a.second | b.second);
#endif
}

static inline uint64_t wg_pair_joined(WgPair pair)
{
#if WG_HAS_VECTORS
    return pair[0] | pair[1];
#else
    return pair.first | pair.second;
#endif
}

/* Packs two sizes and strides into two words: the size below, the stride above it, all ones for the stride of a size
 * whose lower half is 1. Returns what would not fit, and adds to *changed what differs from the words before. */
static inline WgPair wg_pair_pack(const int64_t *sizes, const int64_t *strides, uint64_t *words, WgPair *changed)
{
#if WG_HAS_VECTORS
    const WgPairHalves one = {1, 1, 1, 1};
    const WgPair size = *(const WgPair *)sizes;
    const WgPair stride = *(const WgPair *)strides;
    const WgPair ones = (WgPair)((WgPairHalves)size == one);
    const WgPair packed = size | (stride | ones) << 32;
    *changed |= *(const WgPair *)words ^ packed;
    *(WgPair *)words = packed;
    return size | stride;
#else
    uint64_t seen[2];
    uint64_t change[2];
    for (int i = 0; i < 2; i++) {
        const uint64_t size = (uint64_t)sizes[i];
        const uint64_t stride = (uint64_t)strides[i];
        const uint64_t packed = size | ((uint32_t)size == 1 ? UINT64_C(0xFFFFFFFF) : stride) << 32;
        seen[i] = size | stride;
        change[i] = words[i] ^ packed;
        words[i] = packed;
    }
    *changed = wg_pair_or(*changed, wg_pair(change[0], change[1]));
    return wg_pair(seen[0], seen[1]);
#endif
}

/*
 * Counters that threads share: references and versions of the host `native`. Lowering returns what was there before.
 * Without atomic operations there are none, unless a program says with WG_SINGLE_THREADED that one thread makes all
 * calls.
 */
#ifdef WG_SINGLE_THREADED
#define WG_HAS_COUNTERS 1
static inline int64_t wg_counter_read(const int64_t *counter)
{
    return *counter;
}

static inline int64_t wg_counter_read_last(const int64_t *counter)
{
    return *counter;
}

static inline void wg_counter_raise(int64_t *counter)
{
    *counter += 1;
}

static inline int64_t wg_counter_lower(int64_t *counter)
{
    return (*counter)--;
}
#elif defined(__GNUC__) && !defined(__TINYC__)
#define WG_HAS_COUNTERS 1
static inline int64_t wg_counter_read(const int64_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

/* Who reads 1 sees all that other holders did before they let go. */
static inline int64_t wg_counter_read_last(const int64_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_ACQUIRE);
}

static inline void wg_counter_raise(int64_t *counter)
{
    __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static inline int64_t wg_counter_lower(int64_t *counter)
{
    return __atomic_fetch_sub(counter, 1, __ATOMIC_ACQ_REL);
}
#else
#define WG_HAS_COUNTERS 0
#endif

#endif
