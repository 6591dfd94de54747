/* SPDX-License-Identifier: 0BSD */
/*
 * wg_key_cache.h - keys as words: whether two are equal, their hash, and the table that finds the value of a key. It
 * needs no host, and says nothing about what the words mean (wg_key.h).
 *
 * `usual` is the number of words that every usual key of a kernel has, 0 if there is no such number. It is a constant
 * where generated code calls these functions, so that compilers unroll.
 */
#ifndef WG_KEY_CACHE_H
#define WG_KEY_CACHE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "wg_hash.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- keys ---- */

static inline __attribute__((always_inline)) int wg_key_two_same(const uint64_t *a, const uint64_t *b)
{
    return a[0] == b[0] && a[1] == b[1];
}

/* Compares word by word: reading a key that was just written in pieces other than it was written in, as memcmp does,
 * has to wait for memory. Straight-line code where n is known. */
static inline __attribute__((always_inline)) int wg_key_same(const uint64_t *a, const uint64_t *b, size_t n)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        if (!wg_key_two_same(a + i, b + i) || !wg_key_two_same(a + i + 2, b + i + 2) ||
            !wg_key_two_same(a + i + 4, b + i + 4) || !wg_key_two_same(a + i + 6, b + i + 6)) {
            return 0;
        }
    }
    if ((n & 4) != 0) {
        if (!wg_key_two_same(a + i, b + i) || !wg_key_two_same(a + i + 2, b + i + 2)) {
            return 0;
        }
        i += 4;
    }
    if ((n & 2) != 0) {
        if (!wg_key_two_same(a + i, b + i)) {
            return 0;
        }
        i += 2;
    }
    return (n & 1) == 0 || a[i] == b[i];
}

static inline __attribute__((always_inline)) int wg_key_equal(const uint64_t *a, size_t num_a, const uint64_t *b,
                                                              size_t num_b, size_t usual)
{
    if (num_a != num_b) {
        return 0;
    }
    if (usual > 0 && WG_USUALLY(num_a == usual)) {
        return wg_key_same(a, b, usual);
    }
    return wg_key_same(a, b, num_a);
}

static inline __attribute__((always_inline)) uint64_t wg_key_hash(const uint64_t *words, size_t num_words, size_t usual)
{
    return usual > 0 && WG_USUALLY(num_words == usual) ? wg_hash_known(words, usual) : wg_hash(words, num_words);
}

/* ---- the table ---- */

/*
 * A row of words for each entry: the hash of the key, the caller's value (an address; 0: the entry is free), the number
 * of words of the key, the number of the row that was found after this one, and the words. Probing is linear, and
 * nothing is ever removed.
 *
 * A program mostly asks for its keys in the order in which it asked before, so what followed the last row is compared
 * before anything is hashed.
 */
enum { WG_KEY_ROW_HASH, WG_KEY_ROW_VALUE, WG_KEY_ROW_COUNT, WG_KEY_ROW_FOLLOWER, WG_KEY_ROW_WORDS };

typedef struct WgKeyCache {
    uint64_t *rows;
    size_t row_words;
    size_t num_entries;
    size_t num_used;
    uint64_t *last; /* the row found or put last, or null */
    void *value;    /* the value for the last call; null: not found, or not known */
} WgKeyCache;

static inline void *wg_key_row_value(const uint64_t *row)
{
    return (void *)(uintptr_t)row[WG_KEY_ROW_VALUE];
}

static inline size_t wg_key_row_count(const uint64_t *row)
{
    return (size_t)row[WG_KEY_ROW_COUNT];
}

static inline void wg_key_cache_init(WgKeyCache *cache, uint64_t *rows, size_t row_words, size_t num_entries)
{
    for (size_t i = 0; i < num_entries; i++) {
        rows[i * row_words + WG_KEY_ROW_VALUE] = 0;
    }
    cache->rows = rows;
    cache->row_words = row_words;
    cache->num_entries = num_entries;
    cache->num_used = 0;
    cache->last = NULL;
    cache->value = NULL;
}

/* The slot of a hash in a table with that many entries; always below that number, and faster than a division. */
static inline size_t wg_key_place(uint64_t hash, size_t num_entries)
{
    return (size_t)((hash >> 32) * (uint64_t)num_entries >> 32);
}

static inline __attribute__((always_inline)) int wg_key_row_is(const uint64_t *row, const uint64_t *words,
                                                               size_t num_words, size_t usual)
{
    return wg_key_equal(row + WG_KEY_ROW_WORDS, wg_key_row_count(row), words, num_words, usual);
}

static inline uint64_t *wg_key_row_at(const WgKeyCache *cache, size_t number)
{
    return cache->rows + number * cache->row_words;
}

/* The number of the row with an equal key, or of the free one where it would go; that of entries when there is neither.
 */
static inline __attribute__((always_inline)) size_t wg_key_row(const WgKeyCache *cache, const uint64_t *words,
                                                               size_t num_words, uint64_t hash, size_t usual)
{
    size_t at = wg_key_place(hash, cache->num_entries);
    for (size_t tries = 0; tries < cache->num_entries; tries++) {
        const uint64_t *const row = wg_key_row_at(cache, at);
        if (row[WG_KEY_ROW_VALUE] == 0 ||
            (row[WG_KEY_ROW_HASH] == hash && wg_key_row_is(row, words, num_words, usual))) {
            return at;
        }
        at = at + 1 == cache->num_entries ? 0 : at + 1;
    }
    return cache->num_entries;
}

/* The same, where the last key need not be compared first: the value of an equal key, or null. */
static inline __attribute__((always_inline)) void *wg_key_cache_find_other(WgKeyCache *cache, const uint64_t *words,
                                                                           size_t num_words, size_t usual)
{
    uint64_t *const last = cache->last;
    const uint64_t next = last != NULL ? last[WG_KEY_ROW_FOLLOWER] : UINT64_MAX;
    if (next < cache->num_entries) {
        uint64_t *const follower = wg_key_row_at(cache, (size_t)next);
        if (wg_key_row_is(follower, words, num_words, usual)) {
            cache->last = follower;
            return wg_key_row_value(follower);
        }
    }
    const size_t at = wg_key_row(cache, words, num_words, wg_key_hash(words, num_words, usual), usual);
    if (at == cache->num_entries || wg_key_row_at(cache, at)[WG_KEY_ROW_VALUE] == 0) {
        return NULL;
    }
    cache->last = wg_key_row_at(cache, at);
    if (last != NULL) {
        last[WG_KEY_ROW_FOLLOWER] = at;
    }
    return wg_key_row_value(cache->last);
}

/* The value of an equal key, or null. The key found last is compared first. */
static inline __attribute__((always_inline)) void *wg_key_cache_find(WgKeyCache *cache, const uint64_t *words,
                                                                     size_t num_words, size_t usual)
{
    if (cache->last != NULL && wg_key_row_is(cache->last, words, num_words, usual)) {
        return wg_key_row_value(cache->last);
    }
    return wg_key_cache_find_other(cache, words, num_words, usual);
}

/* The value for a call, whose key was written over that of the last call: `same` if that changed no word. */
static inline __attribute__((always_inline)) void *wg_key_cache_find_call(WgKeyCache *cache, const uint64_t *words,
                                                                          size_t num_words, size_t usual,
                                                                          int32_t status, int same)
{
    if (status != 0) {
        cache->value = NULL;
    } else if (!same || cache->value == NULL) {
        cache->value = wg_key_cache_find_other(cache, words, num_words, usual);
    }
    return cache->value;
}

/* Stores a value that is not null. Returns 0, or -1 when the cache is full or the value is null. */
static inline int wg_key_cache_put(WgKeyCache *cache, const uint64_t *words, size_t num_words, void *value)
{
    const uint64_t hash = wg_hash(words, num_words);
    const size_t at = wg_key_row(cache, words, num_words, hash, 0);
    if (at == cache->num_entries || value == NULL) {
        return -1;
    }
    uint64_t *const row = wg_key_row_at(cache, at);
    cache->num_used += row[WG_KEY_ROW_VALUE] == 0;
    cache->value = NULL; /* the value that changes may be this one */
    row[WG_KEY_ROW_HASH] = hash;
    row[WG_KEY_ROW_VALUE] = (uint64_t)(uintptr_t)value;
    row[WG_KEY_ROW_COUNT] = num_words;
    row[WG_KEY_ROW_FOLLOWER] = UINT64_MAX; /* not known yet */
    memcpy(row + WG_KEY_ROW_WORDS, words, num_words * sizeof *words);
    cache->last = row;
    return 0;
}

#ifdef __cplusplus
}
#endif

#endif /* WG_KEY_CACHE_H */
