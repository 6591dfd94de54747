/* SPDX-License-Identifier: MIT */
/* covers: wg_compiler.h wg_add wg_sub wg_mul wg_floordiv wg_mod wg_pack wg_span wg_min wg_max wg_is_real */
/*
 * Any two integers, in parts by sign: what wg_floordiv and wg_mod do depends on the signs, and on -1 and 0. Also shown:
 * that a division by zero is told, and that a remainder never overflows otherwise.
 */
#include "driver.h"

static void divided(int64_t a, int64_t b)
{
    int overflow = 0;
    const int64_t quotient = wg_floordiv(a, b, &overflow);
    const int quotient_overflows = overflow;
    overflow = 0;
    const int64_t remainder = wg_mod(a, b, &overflow);
    if (b == 0) {
        //@ assert overflow == 1 && quotient_overflows == 1;
        return;
    }
    //@ assert overflow == 0;
    (void)remainder;
    (void)quotient;
}

static void of_divisor(int64_t b)
{
    divided(INT64_MIN, b);
    divided(any_from(INT64_MIN + 1, -1), b);
    divided(0, b);
    divided(any_from(1, INT64_MAX), b);
}

static void checked(int64_t a, int64_t b)
{
    int overflow = 0;
    int64_t result = 0;
    uint64_t product = 0;
    result = wg_add(a, b, &overflow);
    result = wg_sub(a, b, &overflow);
    result = wg_mul(a, b, &overflow);
    (void)wg_ckd_mul_unsigned(&product, (uint64_t)a, (uint64_t)b);
    result = wg_min(a, b);
    result = wg_max(a, b);
    (void)result;
}

static void pairs(void)
{
    int64_t sizes[2] = {any_integer(), any_integer()};
    int64_t strides[2] = {any_integer(), any_integer()};
    uint64_t words[2] = {any_bits(), any_bits()};
    WgPair changed = wg_pair(any_bits(), any_bits());
    const WgPair seen = wg_pair_pack(sizes, strides, words, &changed);
    (void)wg_pair_joined(wg_pair_or(seen, changed));
    (void)wg_reverse_bytes(any_bits());
    (void)wg_fold_product(any_bits(), any_bits());
}

/* Of members that are as large as a value, and of some that are not. */
static void packed(void)
{
    const int64_t wide[3] = {INT64_MIN, 5, INT64_MAX};
    const int32_t narrow[3] = {-1, 2, 3};
    WgValue values[3];
    for (size_t n = 0; n <= 3; n++) {
        wg_pack(values, narrow, sizeof *narrow, n);
        wg_pack(values, wide, sizeof *wide, n);
        //@ assert n == 0 || values[n - 1].integer == wide[n - 1];
    }
}

static void counters(void)
{
    int64_t counter = any_from(1, INT64_MAX - 1);
    wg_counter_raise(&counter);
    (void)wg_counter_read(&counter);
    (void)wg_counter_read_last(&counter);
    (void)wg_counter_lower(&counter);
}

void driver(void)
{
    of_divisor(any_from(INT64_MIN, -2));
    of_divisor(-1);
    of_divisor(0);
    of_divisor(1);
    of_divisor(any_from(2, INT64_MAX));
    checked(any_integer(), any_integer());
    checked(any_from(INT64_MIN, -1), any_from(INT64_MIN, -1));
    for (size_t first = 0; first <= 3; first++) {
        for (size_t last = first; last <= 4; last++) {
            const size_t span = wg_span(first, last, any_bits());
            //@ assert span <= last - first;
        }
    }
    (void)wg_is_real(any_real(), any_integer());
    pairs();
    packed();
    counters();
}
