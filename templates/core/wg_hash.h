/* SPDX-License-Identifier: 0BSD */
/*
 * wg_hash.h - the 64-bit hash of keys: XXH3 (XXH3_64bits, seed 0, default secret) of the words of a key as
 * little-endian bytes, written from the algorithm's published specification (github.com/Cyan4973/xxHash,
 * doc/xxhash_spec.md).
 *
 * Why XXH3: it is well known and well maintained, passes SMHasher, is fastest at the few hundred bytes of a key, and
 * exists in other languages, so a hash can be compared with one made elsewhere. Why not the library: generated code
 * should need nothing installed, its header is some 7,000 lines, and only whole words are hashed here, so the parts for
 * odd lengths are not needed. tests/unit/hash_test.c checks this file against the library's own results.
 *
 * Only words are read, never bytes of memory, so every machine gives the same hash.
 */
#ifndef WG_HASH_H
#define WG_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "wg_compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Eight bytes of the default secret, little-endian, from any offset up to 184. In words, since compilers fold an
 * element at a known offset, and not a loop over its bytes. */
static inline __attribute__((always_inline)) uint64_t wg_hash_secret(size_t offset)
{
    static const uint64_t secret[24] = {
        UINT64_C(0xbe4ba423396cfeb8), UINT64_C(0x1cad21f72c81017c), UINT64_C(0xdb979083e96dd4de),
        UINT64_C(0x1f67b3b7a4a44072), UINT64_C(0x78e5c0cc4ee679cb), UINT64_C(0x2172ffcc7dd05a82),
        UINT64_C(0x8e2443f7744608b8), UINT64_C(0x4c263a81e69035e0), UINT64_C(0xcb00c391bb52283c),
        UINT64_C(0xa32e531b8b65d088), UINT64_C(0x4ef90da297486471), UINT64_C(0xd8acdea946ef1938),
        UINT64_C(0x3f349ce33f76faa8), UINT64_C(0x1d4f0bc7c7bbdcf9), UINT64_C(0x3159b4cd4be0518a),
        UINT64_C(0x647378d9c97e9fc8), UINT64_C(0xc3ebd33483acc5ea), UINT64_C(0xeb6313faffa081c5),
        UINT64_C(0x49daf0b751dd0d17), UINT64_C(0x9e68d429265516d3), UINT64_C(0xfca1477d58be162b),
        UINT64_C(0xce31d07ad1b8f88f), UINT64_C(0x280416958f3acb45), UINT64_C(0x7e404bbbcafbd7af)};
    const size_t shift = 8 * (offset % 8);
    const uint64_t word = secret[offset / 8] >> shift;
    return shift == 0 ? word : word | secret[offset / 8 + 1] << (64 - shift);
}

#define WG_HASH_PRIME32_1 UINT64_C(0x9E3779B1)
#define WG_HASH_PRIME32_2 UINT64_C(0x85EBCA77)
#define WG_HASH_PRIME32_3 UINT64_C(0xC2B2AE3D)
#define WG_HASH_PRIME64_1 UINT64_C(0x9E3779B185EBCA87)
#define WG_HASH_PRIME64_2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define WG_HASH_PRIME64_3 UINT64_C(0x165667B19E3779F9)
#define WG_HASH_PRIME64_4 UINT64_C(0x85EBCA77C2B2AE63)
#define WG_HASH_PRIME64_5 UINT64_C(0x27D4EB2F165667C5)

/* Each word is read on its own, the way a key is written: reading two at once would wait for memory. */
static inline __attribute__((always_inline)) uint64_t wg_hash_mix(const uint64_t *words, size_t secret)
{
    uint64_t low = words[0] ^ wg_hash_secret(secret);
    uint64_t high = words[1] ^ wg_hash_secret(secret + 8);
    WG_OPAQUE(low);
    WG_OPAQUE(high);
    return wg_fold_product(low, high);
}

static inline uint64_t wg_hash_avalanche(uint64_t hash)
{
    hash ^= hash >> 37;
    hash *= UINT64_C(0x165667919E3779F9);
    return hash ^ hash >> 32;
}

/* Up to two words. */
static inline __attribute__((always_inline)) uint64_t wg_hash_tiny(const uint64_t *words, size_t n)
{
    if (n == 0) {
        uint64_t hash = wg_hash_secret(56) ^ wg_hash_secret(64);
        hash ^= hash >> 33;
        hash *= WG_HASH_PRIME64_2;
        hash ^= hash >> 29;
        hash *= WG_HASH_PRIME64_3;
        return hash ^ hash >> 32;
    }
    if (n == 1) {
        uint64_t hash = (words[0] << 32 | words[0] >> 32) ^ (wg_hash_secret(8) ^ wg_hash_secret(16));
        hash ^= (hash << 49 | hash >> 15) ^ (hash << 24 | hash >> 40);
        hash *= UINT64_C(0x9FB21C651E98DF25);
        hash ^= (hash >> 35) + 8;
        hash *= UINT64_C(0x9FB21C651E98DF25);
        return hash ^ hash >> 28;
    }
    const uint64_t low = words[0] ^ (wg_hash_secret(24) ^ wg_hash_secret(32));
    const uint64_t high = words[1] ^ (wg_hash_secret(40) ^ wg_hash_secret(48));
    return wg_hash_avalanche(16 + wg_reverse_bytes(low) + high + wg_fold_product(low, high));
}

/* The sum of a hash and a mix; opaque, or compilers move all additions after all products, which then do not fit the
 * registers. */
static inline __attribute__((always_inline)) uint64_t wg_hash_plus(uint64_t hash, const uint64_t *words, size_t secret)
{
    hash += wg_hash_mix(words, secret);
    WG_OPAQUE(hash);
    return hash;
}

/* 3 to 16 words. */
static inline __attribute__((always_inline)) uint64_t wg_hash_short(const uint64_t *words, size_t n)
{
    uint64_t hash = 8 * (uint64_t)n * WG_HASH_PRIME64_1;
    hash = wg_hash_plus(hash, words, 0);
    if (n > 4) {
        hash = wg_hash_plus(hash, words + 2, 32);
        if (n > 8) {
            hash = wg_hash_plus(hash, words + 4, 64);
            if (n > 12) {
                hash = wg_hash_plus(hash, words + 6, 96);
                hash = wg_hash_plus(hash, words + n - 8, 112);
            }
            hash = wg_hash_plus(hash, words + n - 6, 80);
        }
        hash = wg_hash_plus(hash, words + n - 4, 48);
    }
    hash = wg_hash_plus(hash, words + n - 2, 16);
    return wg_hash_avalanche(hash);
}

/* 17 to 30 words. */
static inline __attribute__((always_inline)) uint64_t wg_hash_middle(const uint64_t *words, size_t n)
{
    uint64_t hash = 8 * (uint64_t)n * WG_HASH_PRIME64_1;
    hash = wg_hash_plus(hash, words, 0);
    hash = wg_hash_plus(hash, words + 2, 16);
    hash = wg_hash_plus(hash, words + 4, 32);
    hash = wg_hash_plus(hash, words + 6, 48);
    hash = wg_hash_plus(hash, words + 8, 64);
    hash = wg_hash_plus(hash, words + 10, 80);
    hash = wg_hash_plus(hash, words + 12, 96);
    hash = wg_hash_plus(hash, words + 14, 112);
    hash = wg_hash_avalanche(hash);
    for (size_t i = 8; i < n / 2; i++) {
        hash = wg_hash_plus(hash, words + 2 * i, 16 * (i - 8) + 3);
    }
    return wg_hash_avalanche(wg_hash_plus(hash, words + n - 2, 119));
}

static inline uint64_t wg_hash_cross(uint64_t keyed)
{
    return (keyed & 0xFFFFFFFFU) * (keyed >> 32);
}

/* 31 words and more: stripes of eight words into eight lanes. Only the two lanes of a pair affect each other, so we go
 * pair by pair and the lanes stay in registers. */
static inline uint64_t wg_hash_long(const uint64_t *words, size_t n)
{
    static const uint64_t start[8] = {WG_HASH_PRIME32_3, WG_HASH_PRIME64_1, WG_HASH_PRIME64_2, WG_HASH_PRIME64_3,
                                      WG_HASH_PRIME64_4, WG_HASH_PRIME32_2, WG_HASH_PRIME64_5, WG_HASH_PRIME32_1};
    const size_t num_stripes = (n - 1) / 8; /* except the last, which covers the last eight words */
    uint64_t hash = 8 * (uint64_t)n * WG_HASH_PRIME64_1;
    for (size_t pair = 0; pair < 8; pair += 2) {
        const uint64_t *at = words + pair;
        uint64_t even = start[pair];
        uint64_t odd = start[pair + 1];
        for (size_t stripe = 0; stripe < num_stripes; stripe++, at += 8) {
            const size_t secret = 8 * (stripe % 16 + pair);
            even += at[1] + wg_hash_cross(at[0] ^ wg_hash_secret(secret));
            odd += at[0] + wg_hash_cross(at[1] ^ wg_hash_secret(secret + 8));
            if (stripe % 16 == 15) {
                even = (even ^ even >> 47 ^ wg_hash_secret(128 + 8 * pair)) * WG_HASH_PRIME32_1;
                odd = (odd ^ odd >> 47 ^ wg_hash_secret(136 + 8 * pair)) * WG_HASH_PRIME32_1;
            }
        }
        at = words + n - 8 + pair;
        even += at[1] + wg_hash_cross(at[0] ^ wg_hash_secret(121 + 8 * pair));
        odd += at[0] + wg_hash_cross(at[1] ^ wg_hash_secret(129 + 8 * pair));
        hash += wg_fold_product(even ^ wg_hash_secret(11 + 8 * pair), odd ^ wg_hash_secret(19 + 8 * pair));
    }
    return wg_hash_avalanche(hash);
}

/* For a number of words that the compiler knows: straight-line code for up to 30. */
static inline __attribute__((always_inline)) uint64_t wg_hash_known(const uint64_t *words, size_t n)
{
    if (n <= 2) {
        return wg_hash_tiny(words, n);
    }
    if (n <= 16) {
        return wg_hash_short(words, n);
    }
    return n <= 30 ? wg_hash_middle(words, n) : wg_hash_long(words, n);
}

static inline uint64_t wg_hash(const uint64_t *words, size_t n)
{
    return wg_hash_known(words, n);
}

#ifdef __cplusplus
}
#endif

#endif /* WG_HASH_H */
