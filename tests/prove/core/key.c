/* SPDX-License-Identifier: MIT */
/* covers: wg_among wg_key_any wg_key_any_static wg_key_all_fit wg_key_elements wg_key_safe_size wg_key_safe_stride */
/* covers: wg_key_buckets wg_key_dims wg_key_one wg_key_two wg_key_text wg_key_bytes */
/* covers: wg_key_put wg_key_type wg_key_type_on */
/*
 * What templates/proof/wg_proof_key.h says about these. Each has room for exactly as many words as are counted there:
 * tensors of 0 to 3 or 16 dimensions, plain or not, of any size and stride, which may be symbolic where a tensor is not
 * plain, with any flags; and texts of up to 40 bytes, which are counted up to one more than a key has.
 */
#include "driver.h"

struct WgTensor {
    int32_t rank;
    int32_t is_plain;
};

static int32_t wg_rank(WgContext *ctx, const WgTensor *t)
{
    (void)ctx;
    return t->rank;
}

static int wg_is_plain(WgContext *ctx, const WgTensor *t)
{
    (void)ctx;
    return t->is_plain;
}

/*@ assigns \result \from *t; */
int32_t wg_dtype(WgContext *ctx, const WgTensor *t);

/*@ assigns \result \from *t; */
int32_t wg_device(WgContext *ctx, const WgTensor *t);

/*@ requires 0 <= dimension < t->rank;
  @ assigns \result \from *t, dimension; */
int64_t wg_size(WgContext *ctx, const WgTensor *t, int32_t dimension);

/*@ requires 0 <= dimension < t->rank;
  @ assigns \result \from *t, dimension; */
int64_t wg_stride(WgContext *ctx, const WgTensor *t, int32_t dimension);

/* It writes the symbol in any case, as Eva would join the two ways that this returns. */
/*@ requires 0 <= dimension < t->rank; */
static int wg_symbol(WgContext *ctx, const WgTensor *t, int32_t dimension, int of_stride, WgSymbol *symbol)
{
    (void)ctx, (void)dimension, (void)of_stride;
    symbol->environment = any_bits();
    symbol->expression = any_bits();
    return !t->is_plain && any_bool();
}

#include "wg_key.h"

static uint64_t *any_array(size_t n)
{
    uint64_t *const words = malloc((n + (n == 0 ? 1 : 0)) * sizeof *words);
    any_words(words, n);
    return words;
}

static void of_any(int32_t rank, int32_t is_plain, uint32_t flags)
{
    const WgTensor tensor = {rank, is_plain};
    const int64_t most = 1 + ((flags & WG_KEY_STATIC) != 0 ? 2 : 1) * (is_plain ? 1 : 3) * (int64_t)rank;
    uint64_t *const words = any_array((size_t)most);
    const int64_t written = wg_key_any(NULL, &tensor, flags, (uint32_t)any_bits(), words) - words;
    //@ assert 1 <= written <= most;
    free(words);
}

static void of_dimensions(int32_t rank)
{
    uint64_t *const sizes = any_array((size_t)rank);
    uint64_t *const strides = any_array((size_t)rank);
    uint64_t *const words = any_array((size_t)rank);
    WgPair changed = wg_pair(any_bits(), any_bits());
    (void)wg_key_dims((const int64_t *)sizes, (const int64_t *)strides, rank, words, &changed);
    free(words);
    free(strides);
    free(sizes);
}

static void of_buckets(int32_t rank, uint32_t flags)
{
    uint64_t *const sizes = any_array((size_t)rank);
    uint64_t *const words = any_array(1 + (size_t)rank);
    uint64_t differs = any_bits();
    const uint64_t *const end =
        wg_key_buckets((const int64_t *)sizes, rank, flags, (uint32_t)any_bits(), any_bits(), words, &differs);
    if (end != NULL) {
        const int64_t written = end - words;
        //@ assert 1 <= written <= 1 + rank;
    }
    free(words);
    free(sizes);
}

static void of_text(size_t n, int64_t least, int64_t greatest)
{
    char *const text = malloc(n + 1);
    uint64_t *const words = any_array(1 + (n + 7) / 8);
    uint64_t differs = any_bits();
    for (size_t i = 0; i < n; i++) {
        text[i] = (char)any_from(least, greatest);
    }
    text[n] = '\0';
    const size_t written = (size_t)(wg_key_text(text, words, &differs) - words);
    //@ assert written == 1 + (n + 7) / 8;
    free(words);
    free(text);
}

/* A longer one than a key holds is read no further than that takes. */
static void of_bytes(size_t n)
{
    uint64_t *const words = any_array(n / 8 + 1);
    char *const text = (char *)words;
    text[n] = '\0';
    const size_t bytes = wg_key_bytes(text);
    //@ assert bytes <= WG_KEY_MAX_BYTES + 1;
    free(words);
}

void driver(void)
{
    static const int32_t ranks[] = {0, 1, 2, 3, WG_KEY_MAX_RANK};
    static const size_t lengths[] = {0, 1, 7, 8, 9, 40};
    (void)wg_among(any_integer(), any_bits());
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        of_dimensions(ranks[i]);
        of_buckets(ranks[i], 2 * (uint32_t)any_from(0, 7));
        for (int32_t is_plain = 0; is_plain <= 1; is_plain++) {
            of_any(ranks[i], is_plain, 2 * (uint32_t)any_from(0, 7));
            of_any(ranks[i], is_plain, WG_KEY_STATIC + 2 * (uint32_t)any_from(0, 7));
        }
    }
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        of_text(lengths[i], 1, 127);
        of_text(lengths[i], -128, -1);
        of_bytes(lengths[i]);
    }
    of_bytes(WG_KEY_MAX_BYTES);
    of_bytes(WG_KEY_MAX_BYTES + 1);
}
