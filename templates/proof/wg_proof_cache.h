/* SPDX-License-Identifier: 0BSD */
/* clang-format off */
/*
 * wg_proof_cache.h - words of keys, and the table that finds a key; see wg_proof.h. The real table is safe because no entry
 * has more words than its row has room for, which intervals do not keep apart from the words of other entries. Here a caller
 * has to see to that, and to the rows being there; any value that was put may be found, or none. The driver `hash` of
 * tests/prove/core calls the real ones, within the bounds that it states.
 */
#ifndef WG_PROOF_CACHE_H
#define WG_PROOF_CACHE_H

#define wg_key_equal           wg_proof_real_key_equal
#define wg_key_hash            wg_proof_real_key_hash
#define wg_key_cache_find      wg_proof_real_key_cache_find
#define wg_key_cache_find_call wg_proof_real_key_cache_find_call
#define wg_key_cache_put       wg_proof_real_key_cache_put
#include "wg_key_cache.h"
#undef wg_key_equal
#undef wg_key_hash
#undef wg_key_cache_find
#undef wg_key_cache_find_call
#undef wg_key_cache_put

/* So many words can be written; then they hold anything. */
/*@ requires n == 0 || \valid(words + (0 .. n - 1));
  @ assigns words[0 .. n - 1] \from n;
  @ ensures n == 0 || \initialized(words + (0 .. n - 1)); */
void wg_proof_words(uint64_t *words, size_t n);

/* So many words are there, and were written. */
/*@ requires n == 0 || \valid_read(words + (0 .. n - 1));
  @ requires n == 0 || \initialized(words + (0 .. n - 1));
  @ assigns \nothing; */
void wg_proof_words_of(const uint64_t *words, size_t n);

/* All that is told of a row but its words: it has room for them, and for no key with more words. */
/*@ requires WG_KEY_ROW_WORDS + num_words <= row_words;
  @ assigns \nothing; */
void wg_proof_row_holds(size_t row_words, size_t num_words);

/*@ requires \valid(cache) && \initialized(cache); */
static inline void wg_proof_rows(WgKeyCache *cache)
{
    wg_proof_words(cache->rows, cache->num_entries * cache->row_words);
}

static inline int wg_key_equal(const uint64_t *a, size_t num_a, const uint64_t *b, size_t num_b, size_t usual)
{
    (void)usual;
    wg_proof_words_of(a, num_a);
    wg_proof_words_of(b, num_b);
    return num_a == num_b ? wg_proof_may() : 0;
}

static inline uint64_t wg_key_hash(const uint64_t *words, size_t num_words, size_t usual)
{
    (void)usual;
    wg_proof_words_of(words, num_words);
    return wg_proof_bits();
}

static inline void *wg_key_cache_find(WgKeyCache *cache, const uint64_t *words, size_t num_words, size_t usual)
{
    (void)usual;
    wg_proof_rows(cache);
    wg_proof_words_of(words, num_words);
    return wg_proof_or_null(&wg_proof_opaque);
}

static inline void *wg_key_cache_find_call(WgKeyCache *cache, const uint64_t *words, size_t num_words, size_t usual,
                                           int32_t status, int same)
{
    (void)same;
    cache->value = status == 0 ? wg_key_cache_find(cache, words, num_words, usual) : NULL;
    return cache->value;
}

static inline int wg_key_cache_put(WgKeyCache *cache, const uint64_t *words, size_t num_words, void *value)
{
    wg_proof_rows(cache);
    wg_proof_words_of(words, num_words);
    wg_proof_row_holds(cache->row_words, num_words);
    cache->value = NULL;
    return value != NULL && wg_proof_may() ? 0 : -1;
}

#endif /* WG_PROOF_CACHE_H */
