/* SPDX-License-Identifier: 0BSD */
/* clang-format off */
/*
 * wg_proof_key.h - parts of keys with as many words as a tensor has dimensions, or a string has bytes; see wg_proof.h. An
 * analyser that follows the loops of the real ones has to keep each rank apart. These read all that the real functions
 * may read, need room for the most words that these may write, and end after any number of words that these may have
 * written. A driver of tests/prove/core calls the real ones, within the bounds that it states.
 */
#ifndef WG_PROOF_KEY_H
#define WG_PROOF_KEY_H

#define wg_among       wg_proof_real_among
#define wg_key_bytes   wg_proof_real_key_bytes
#define wg_key_any     wg_proof_real_key_any
#define wg_key_buckets wg_proof_real_key_buckets
#define wg_key_dims    wg_proof_real_key_dims
#define wg_key_text    wg_proof_real_key_text
#include "wg_key.h"
#undef wg_among
#undef wg_key_bytes
#undef wg_key_any
#undef wg_key_buckets
#undef wg_key_dims
#undef wg_key_text

/*@ requires rank == 0 || \valid_read(values + (0 .. rank - 1));
  @ requires rank == 0 || \initialized(values + (0 .. rank - 1));
  @ assigns \nothing; */
void wg_proof_of_dimensions(const int64_t *values, int32_t rank);

/*@ requires 0 <= rank <= WG_KEY_MAX_RANK; // a head has so many bits
  @ assigns \nothing; */
void wg_proof_key_rank(int32_t rank);

/* The greatest of a set that is not empty. */
static inline int64_t wg_proof_greatest(uint64_t set)
{
    int64_t greatest = 0;
    for (uint64_t rest = set; rest > 1; rest >>= 1) {
        greatest++;
    }
    return greatest;
}

/* A comparison, so that the analyser learns what it says of the number, which is read again: as any other, where a verb
 * tells it. */
#define wg_among(number, set) (wg_proof_real_among(number, set) && (number) <= wg_proof_greatest(set))

/* A size takes a word, and with static shapes a stride one more; one that is symbolic three. */
static inline uint64_t *wg_key_any(WgContext *ctx, const WgTensor *t, uint32_t flags, uint32_t static_dims, uint64_t *next)
{
    const int32_t rank = wg_rank(ctx, t);
    const size_t most = 1 + ((flags & WG_KEY_STATIC) != 0 ? 2 : 1) * (wg_is_plain(ctx, t) ? 1 : 3) * (size_t)rank;
    (void)static_dims;
    wg_proof_key_rank(rank);
    wg_proof_words(next, most);
    return next + wg_proof_from(1, (int64_t)most);
}

static inline uint64_t *wg_key_buckets(const int64_t *sizes, int32_t rank, uint32_t flags, uint32_t static_dims,
                                       uint64_t head, uint64_t *next, uint64_t *differs)
{
    (void)flags, (void)static_dims, (void)head;
    wg_proof_key_rank(rank);
    wg_proof_of_dimensions(sizes, rank);
    wg_proof_words(next, 1 + (size_t)rank);
    *differs |= wg_proof_bits();
    return wg_proof_may() ? next + wg_proof_from(1, 1 + (int64_t)rank) : NULL;
}

static inline WgPair wg_key_dims(const int64_t *sizes, const int64_t *strides, int32_t rank, uint64_t *words, WgPair *changed)
{
    wg_proof_key_rank(rank);
    wg_proof_of_dimensions(sizes, rank);
    wg_proof_of_dimensions(strides, rank);
    wg_proof_words(words, (size_t)rank);
    *changed = wg_pair(wg_proof_bits(), wg_proof_bits());
    return wg_pair(wg_proof_bits(), wg_proof_bits());
}

/*@ requires valid_read_string(text);
  @ assigns \result \from text;
  @ ensures 0 <= \result <= WG_KEY_MAX_BYTES + 1; */
size_t wg_key_bytes(const char *text);

/* The caller has tested that the string has at most WG_KEY_MAX_BYTES bytes. */
static inline uint64_t *wg_key_text(const char *text, uint64_t *next, uint64_t *differs)
{
    const size_t most = 1 + (WG_KEY_MAX_BYTES + 7) / 8;
    wg_proof_text_of(text);
    wg_proof_words(next, most);
    *differs |= wg_proof_bits();
    return next + wg_proof_from(1, (int64_t)most);
}

#endif /* WG_PROOF_KEY_H */
