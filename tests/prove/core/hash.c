/* SPDX-License-Identifier: MIT */
/* covers: wg_hash.h wg_key_cache.h */
/* options: -eva-slevel 20 */
/*
 * Any words: 0 to 40 of them and 129 (where wg_hash_long mixes its lanes), each in an array of just that length. A
 * cache of 0 to 3 entries takes keys of 0 to 4 words until it is full, and is asked for keys of other lengths, too,
 * with and without a usual one. Its memory was written before, if only with anything: as the place of a key is any, Eva
 * does not know which rows are.
 */
#include "driver.h"
#include "wg_key_cache.h"

enum { WORDS = 4, ROW = WG_KEY_ROW_WORDS + WORDS, MOST = 3 };

static void hashed(size_t n)
{
    uint64_t *const words = malloc((n + (n == 0 ? 1 : 0)) * sizeof *words);
    any_words(words, n);
    (void)wg_hash(words, n);
    free(words);
}

static void compared(size_t n)
{
    uint64_t *const a = malloc(n * sizeof *a);
    uint64_t *const b = malloc(n * sizeof *b);
    any_words(a, n);
    any_words(b, n);
    (void)wg_key_equal(a, n, b, n, 0);
    (void)wg_key_equal(a, n, b, n, n);
    free(a);
    free(b);
}

static void *asked(WgKeyCache *cache, size_t n, size_t usual)
{
    uint64_t *const words = malloc((n + (n == 0 ? 1 : 0)) * sizeof *words);
    any_words(words, n);
    (void)wg_key_cache_find_call(cache, words, n, usual, any_bool(), any_bool());
    void *const found = wg_key_cache_find(cache, words, n, usual);
    free(words);
    return found;
}

static void cached(size_t num_entries)
{
    static char value;
    WgKeyCache cache;
    uint64_t *const rows = malloc((num_entries * ROW + 1) * sizeof *rows);
    any_words(rows, num_entries * ROW + 1);
    wg_key_cache_init(&cache, rows, ROW, num_entries);
    (void)asked(&cache, 2, 0);
    for (size_t i = 0; i < num_entries + 2; i++) {
        for (size_t n = 0; n <= WORDS; n += 2) {
            uint64_t *const words = malloc((n + 1) * sizeof *words);
            any_words(words, n);
            (void)wg_key_cache_put(&cache, words, n, any_bool() ? &value : NULL);
            free(words);
        }
        (void)asked(&cache, WORDS, WORDS);
        (void)asked(&cache, WORDS + 1, 0);
    }
    (void)asked(&cache, 0, WORDS);
    free(rows);
}

void driver(void)
{
    for (size_t n = 0; n <= 40; n++) {
        hashed(n);
    }
    hashed(129);
    for (size_t n = 1; n <= 16; n++) {
        compared(n);
    }
    for (size_t num_entries = 0; num_entries <= MOST; num_entries++) {
        cached(num_entries);
    }
}
