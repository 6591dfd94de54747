/* SPDX-License-Identifier: MIT */
/* covers: wg_convert.c */
/* split: wg_convert.c: const int32_t float_exponent = (int32_t)(float_magnitude >> 23); : float_exponent */
/*
 * Rows of 0, 2 and 65 elements (so in one chunk and in two) of each type, with any bits, to each type, packed and with
 * steps of two elements, in memory that is as long as that. And single elements of each type.
 */
#include "driver.h"

#include "wg_convert.c"

/* Of so many pairs of types one is tried: a planted fault is found with fewer. */
#ifdef PLANTED
enum { EVERY = 6 };
#else
enum { EVERY = 1 };
#endif

static const int32_t known[] = {
#define KNOWN(number, name, size, family) number,
    WG_DTYPES(KNOWN)
#undef KNOWN
};

enum { NUM_KNOWN = sizeof known / sizeof known[0], WORDS = 65 * 4 };

static void row(int64_t n, int64_t apart, int32_t dst_dtype, int32_t src_dtype)
{
    const int64_t dst_step = wg_dtype_size(dst_dtype) * apart;
    const int64_t src_step = wg_dtype_size(src_dtype) * apart;
    uint64_t words[WORDS];
    char *const dst = malloc((size_t)(n * dst_step) + 1);
    char *const src = malloc((size_t)(n * src_step) + 1);
    any_words(words, WORDS);
    memcpy(src, words, (size_t)(n * src_step));
    wg_convert_row(n, dst_dtype, dst, dst_step, src_dtype, src, src_step);
    free(dst);
    free(src);
}

static void element(int32_t dtype)
{
    uint64_t words[2];
    any_words(words, 2);
    char *const address = malloc((size_t)wg_dtype_size(dtype) + 1);
    memcpy(address, words, (size_t)wg_dtype_size(dtype));
    (void)wg_element_load(dtype, address);
    wg_element_store(dtype, address, any_real(), any_real());
    wg_element_store_integer(dtype, address, any_integer());
    free(address);
}

void driver(void)
{
    const int32_t any = (int32_t)any_from(INT32_MIN, INT32_MAX);
    (void)wg_dtype_family(any);
    (void)wg_dtype_size(any);
    (void)wg_dtype_part(any);
    (void)wg_dtype_complex(any);
    //@ loop unroll 30;
    for (int i = 0; i < NUM_KNOWN; i++) {
        //@ loop unroll 30;
        for (int k = i % EVERY; k < NUM_KNOWN; k += EVERY) {
            row(2, 1 + k % 2, known[i], known[k]);
        }
        element(known[i]);
    }
    row(65, 1, WG_FLOAT64, WG_INT32);
    row(0, 1, WG_FLOAT32, WG_INT32);
}
