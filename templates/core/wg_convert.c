/* SPDX-License-Identifier: 0BSD */
/*
 * wg_convert.c - element types: their sizes and families, and rows of elements converted from any type to any other.
 *
 * Rows are converted in chunks, through bits and the widest number of the source's family: 64-bit integers, or doubles,
 * which hold every float exactly. So each type has one way in and one way out instead of a function for each pair.
 * wg_copy.h states the rules.
 */
#include "wg_copy.h"

#include <string.h>

enum { CHUNK = 64, NUM_DTYPES = 30 };

/* ---- element types ---- */

typedef struct Dtype {
    uint8_t size;
    uint8_t family;
} Dtype;

static const Dtype dtypes[NUM_DTYPES] = {
#define DTYPE(number, name, size, family) [number] = {size, WG_FAMILY_##family},
    WG_DTYPES(DTYPE)
#undef DTYPE
};

int32_t wg_dtype_family(int32_t dtype)
{
    return dtype < 0 || dtype >= NUM_DTYPES ? (int32_t)WG_FAMILY_NONE : (int32_t)dtypes[dtype].family;
}

int32_t wg_dtype_size(int32_t dtype)
{
    return dtype < 0 || dtype >= NUM_DTYPES ? 0 : dtypes[dtype].size;
}

int32_t wg_dtype_part(int32_t complex_dtype)
{
    return complex_dtype == WG_COMPLEX32    ? WG_FLOAT16
           : complex_dtype == WG_COMPLEX64  ? WG_FLOAT32
           : complex_dtype == WG_COMPLEX128 ? WG_FLOAT64
                                            : -1;
}

int32_t wg_dtype_complex(int32_t real_dtype)
{
    return real_dtype == WG_FLOAT16   ? WG_COMPLEX32
           : real_dtype == WG_FLOAT32 ? WG_COMPLEX64
           : real_dtype == WG_FLOAT64 ? WG_COMPLEX128
                                      : -1;
}

/* ---- floats of 8 and 16 bits ---- */

typedef enum Special {
    SPECIAL_IEEE,    /* exponent of ones: infinity and NaN */
    SPECIAL_FINITE,  /* no infinity; all ones is NaN; too large becomes the largest number */
    SPECIAL_UNSIGNED /* no infinity, no negative zero; only "negative zero" is NaN */
} Special;

typedef struct Format {
    int32_t exponent_bits;
    int32_t fraction_bits;
    int32_t bias;
    Special special;
} Format;

static const Format formats[NUM_DTYPES] = {
    [WG_FLOAT16] = {5, 10, 15, SPECIAL_IEEE},
    [WG_BFLOAT16] = {8, 7, 127, SPECIAL_IEEE},
    [WG_FLOAT8_E5M2] = {5, 2, 15, SPECIAL_IEEE},
    [WG_FLOAT8_E4M3FN] = {4, 3, 7, SPECIAL_FINITE},
    [WG_FLOAT8_E5M2FNUZ] = {5, 2, 16, SPECIAL_UNSIGNED},
    [WG_FLOAT8_E4M3FNUZ] = {4, 3, 8, SPECIAL_UNSIGNED},
};

static double double_from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits_from_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double float_from_bits(uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return (double)value;
}

static uint64_t bits_from_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* 2 to an exponent of a normal double; every small format is well inside that range. */
static double power_of_two(int32_t exponent)
{
    return double_from_bits((uint64_t)(exponent + 1023) << 52);
}

static double small_decode(const Format *format, uint64_t bits)
{
    const uint64_t fraction_mask = (UINT64_C(1) << format->fraction_bits) - 1;
    const uint64_t magnitude_mask = (UINT64_C(1) << (format->exponent_bits + format->fraction_bits)) - 1;
    const uint64_t magnitude = bits & magnitude_mask;
    const uint64_t exponent = magnitude >> format->fraction_bits;
    const uint64_t top_exponent = (UINT64_C(1) << format->exponent_bits) - 1;
    const uint64_t sign = (bits & (magnitude_mask + 1)) != 0 ? UINT64_C(1) << 63 : 0;
    const uint64_t quiet_nan = UINT64_C(0x7FF8) << 48;
    if ((format->special == SPECIAL_IEEE && exponent == top_exponent && (magnitude & fraction_mask) != 0) ||
        (format->special == SPECIAL_FINITE && magnitude == magnitude_mask)) {
        return double_from_bits(quiet_nan | sign);
    }
    if (format->special == SPECIAL_UNSIGNED && magnitude == 0 && sign != 0) {
        return double_from_bits(quiet_nan);
    }
    if (format->special == SPECIAL_IEEE && exponent == top_exponent) {
        return double_from_bits((UINT64_C(0x7FF0) << 48) | sign);
    }
    const uint64_t significand = exponent == 0 ? magnitude : (magnitude & fraction_mask) | (fraction_mask + 1);
    const int32_t unit = (exponent == 0 ? 1 : (int32_t)exponent) - format->bias - format->fraction_bits;
    return double_from_bits(bits_from_double((double)significand * power_of_two(unit)) | sign);
}

/* The magnitude's bits as if exponents had no upper end: rounding up runs into the next exponent by itself. */
static int64_t small_round(const Format *format, uint32_t float_magnitude)
{
    const int32_t float_exponent = (int32_t)(float_magnitude >> 23);
    const uint64_t significand = float_exponent == 0 ? float_magnitude : (float_magnitude & 0x7FFFFF) | 0x800000;
    /* value = significand * 2^unit; the highest bit that can be set has weight 2^(unit + 23) */
    const int32_t unit = (float_exponent == 0 ? 1 : float_exponent) - 127 - 23;
    const int32_t lowest = 1 - format->bias; /* exponent of subnormal numbers */
    const int32_t exponent = unit + 23 < lowest ? lowest : unit + 23;
    const int32_t drop = exponent - format->fraction_bits - unit; /* bits of the significand below the last place */
    uint64_t kept = 0;
    if (drop <= 0) {
        kept = significand << -drop;
    } else if (drop < 25) {
        const uint64_t half = UINT64_C(1) << (drop - 1);
        const uint64_t rest = significand & ((half << 1) - 1);
        kept = significand >> drop;
        kept += rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0;
    }
    return (int64_t)kept + (((int64_t)exponent + format->bias - 1) << format->fraction_bits);
}

static uint64_t small_encode(const Format *format, double value)
{
    const uint64_t bits = bits_from_float((float)value);
    const uint32_t magnitude = (uint32_t)(bits & 0x7FFFFFFF);
    const int64_t largest_magnitude = (INT64_C(1) << (format->exponent_bits + format->fraction_bits)) - 1;
    const uint64_t sign_bit = (uint64_t)largest_magnitude + 1;
    const uint64_t sign = (bits >> 31) != 0 ? sign_bit : 0;
    const int64_t infinity = largest_magnitude & ~((INT64_C(1) << format->fraction_bits) - 1);
    const int is_nan = magnitude > 0x7F800000;
    const int64_t rounded = magnitude < 0x7F800000 ? small_round(format, magnitude) : INT64_MAX;
    uint64_t result = 0;
    switch (format->special) {
    case SPECIAL_IEEE:
        result = (uint64_t)(rounded < infinity ? rounded : infinity);
        result |= is_nan ? UINT64_C(1) << (format->fraction_bits - 1) : 0;
        result |= sign;
        break;
    case SPECIAL_FINITE:
        result = (uint64_t)(rounded < largest_magnitude ? rounded : largest_magnitude - 1);
        result |= is_nan ? 1 : 0;
        result |= sign;
        break;
    case SPECIAL_UNSIGNED:
        result = rounded > largest_magnitude ? sign_bit : rounded == 0 ? 0 : (uint64_t)rounded | sign;
        break;
    }
    return result;
}

/* ---- chunks: up to CHUNK elements as bits, and as the widest numbers of a family ---- */

typedef struct Chunk {
    int64_t integers[CHUNK]; /* bool, integers; the bits of uint64 */
    double reals[CHUNK];
    double imaginaries[CHUNK];
} Chunk;

static uint64_t load_one(const char *from, int32_t size)
{
    uint8_t one = 0;
    uint16_t two = 0;
    uint32_t four = 0;
    uint64_t eight = 0;
    switch (size) { /* a constant size makes each memcpy one load */
    case 1:
        memcpy(&one, from, 1);
        return one;
    case 2:
        memcpy(&two, from, 2);
        return two;
    case 4:
        memcpy(&four, from, 4);
        return four;
    case 8:
        memcpy(&eight, from, 8);
        break;
    }
    return eight;
}

static void load_bits(const char *src, int64_t step, int64_t n, int32_t size, uint64_t *bits)
{
    for (int64_t i = 0; i < n; i++) {
        bits[i] = load_one(src + i * step, size);
    }
}

static void store_bits(char *dst, int64_t step, int64_t n, int32_t size, const uint64_t *bits)
{
    for (int64_t i = 0; i < n; i++) {
        char *to = dst + i * step;
        const uint8_t one = (uint8_t)bits[i];
        const uint16_t two = (uint16_t)bits[i];
        const uint32_t four = (uint32_t)bits[i];
        switch (size) {
        case 1:
            memcpy(to, &one, 1);
            break;
        case 2:
            memcpy(to, &two, 2);
            break;
        case 4:
            memcpy(to, &four, 4);
            break;
        case 8:
            memcpy(to, &bits[i], 8);
            break;
        }
    }
}

static void decode_floats(int32_t dtype, const uint64_t *bits, int64_t n, double *reals)
{
    if (dtype == WG_FLOAT64) {
        memcpy(reals, bits, (size_t)n * sizeof *reals);
    } else if (dtype == WG_FLOAT32) {
        for (int64_t i = 0; i < n; i++) {
            reals[i] = float_from_bits(bits[i]);
        }
    } else {
        for (int64_t i = 0; i < n; i++) {
            reals[i] = small_decode(&formats[dtype], bits[i]);
        }
    }
}

static void encode_floats(int32_t dtype, const double *reals, int64_t n, uint64_t *bits)
{
    if (dtype == WG_FLOAT64) {
        memcpy(bits, reals, (size_t)n * sizeof *bits);
    } else if (dtype == WG_FLOAT32) {
        for (int64_t i = 0; i < n; i++) {
            bits[i] = bits_from_float((float)reals[i]);
        }
    } else {
        for (int64_t i = 0; i < n; i++) {
            bits[i] = small_encode(&formats[dtype], reals[i]);
        }
    }
}

static void load_chunk(int32_t dtype, const char *src, int64_t step, int64_t n, Chunk *chunk)
{
    const int32_t size = dtypes[dtype].size;
    const int32_t part = wg_dtype_part(dtype);
    const int32_t unused_bits = 64 - 8 * size;
    uint64_t bits[CHUNK];
    switch ((WgFamily)dtypes[dtype].family) {
    case WG_FAMILY_NONE:
        break;
    case WG_FAMILY_BOOL:
    case WG_FAMILY_UNSIGNED:
        load_bits(src, step, n, size, bits);
        for (int64_t i = 0; i < n; i++) {
            chunk->integers[i] = dtype == WG_BOOL ? bits[i] != 0 : (int64_t)bits[i];
        }
        break;
    case WG_FAMILY_SIGNED:
        load_bits(src, step, n, size, bits);
        for (int64_t i = 0; i < n; i++) { /* shifting right keeps the sign with every compiler we build with */
            chunk->integers[i] = (int64_t)(bits[i] << unused_bits) >> unused_bits;
        }
        break;
    case WG_FAMILY_FLOAT:
        load_bits(src, step, n, size, bits);
        decode_floats(dtype, bits, n, chunk->reals);
        break;
    case WG_FAMILY_COMPLEX:
        load_bits(src, step, n, size / 2, bits);
        decode_floats(part, bits, n, chunk->reals);
        load_bits(src + size / 2, step, n, size / 2, bits);
        decode_floats(part, bits, n, chunk->imaginaries);
        break;
    }
}

/* NaN fails the comparisons with bounds anyway; it is named because Frama-C's Eva, which shows that no conversion here
 * overflows, does not conclude that. */
static uint64_t integer_from_real(int32_t dtype, double value)
{
    const double two_63 = 9223372036854775808.0;
    if (dtype == WG_INT32 || dtype == WG_INT16 || dtype == WG_INT8 || dtype == WG_UINT16) {
        return (uint64_t)(value == value && value > -2147483649.0 && value < 2147483648.0 ? (int64_t)value : INT32_MIN);
    }
    if (dtype == WG_UINT64 && value == value && value >= two_63) {
        return value < 2 * two_63 ? (uint64_t)value : 0;
    }
    return (uint64_t)(value == value && value >= -two_63 && value < two_63 ? (int64_t)value : INT64_MIN);
}

/* An integer as the real number that conversion to a float type starts from: for float32 and smaller it is rounded to
 * float32, as in PyTorch, and only once. When it has more bits than a double holds, its low bits are folded into one
 * that says "not exactly half", so that going through double rounds nothing; a plain cast to float rounds twice on some
 * machines (x87, valgrind). */
static double real_from_integer(int32_t src_dtype, int32_t part, int64_t integer)
{
    const int is_negative = src_dtype != WG_UINT64 && integer < 0;
    const uint64_t magnitude = is_negative ? UINT64_C(0) - (uint64_t)integer : (uint64_t)integer;
    const uint64_t low = magnitude & 0x7FF;
    const uint64_t folded = magnitude >> 53 == 0 ? magnitude : (magnitude - low) | (low != 0 ? 0x800 : 0);
    const double real = part == WG_FLOAT64 ? (double)magnitude : (double)(float)(double)folded;
    return is_negative ? -real : real;
}

/* Converts numbers of the source's family to the ones that dst_dtype is encoded from. */
static void convert_chunk(int32_t dst_dtype, int32_t src_dtype, int64_t n, Chunk *chunk, uint64_t *bits)
{
    const int32_t family = dtypes[src_dtype].family;
    const int32_t dst_family = dtypes[dst_dtype].family;
    const int from_real = family == WG_FAMILY_FLOAT || family == WG_FAMILY_COMPLEX;
    const int to_real = dst_family == WG_FAMILY_FLOAT || dst_family == WG_FAMILY_COMPLEX;
    const int32_t part = dst_family == WG_FAMILY_COMPLEX ? wg_dtype_part(dst_dtype) : dst_dtype;
    for (int64_t i = 0; i < n; i++) {
        if (to_real && !from_real) {
            chunk->reals[i] = real_from_integer(src_dtype, part, chunk->integers[i]);
        }
        if (family != WG_FAMILY_COMPLEX) {
            chunk->imaginaries[i] = 0.0;
        }
        if (dst_family == WG_FAMILY_BOOL) {
            bits[i] = from_real ? !(chunk->reals[i] == 0.0 && chunk->imaginaries[i] == 0.0) : chunk->integers[i] != 0;
        } else if (!to_real) {
            bits[i] = from_real ? integer_from_real(dst_dtype, chunk->reals[i]) : (uint64_t)chunk->integers[i];
        }
    }
}

static void store_chunk(int32_t dtype, int32_t src_dtype, char *dst, int64_t step, int64_t n, Chunk *chunk)
{
    const int32_t size = dtypes[dtype].size;
    uint64_t bits[CHUNK];
    convert_chunk(dtype, src_dtype, n, chunk, bits);
    switch ((WgFamily)dtypes[dtype].family) {
    case WG_FAMILY_NONE:
        break;
    case WG_FAMILY_BOOL:
    case WG_FAMILY_UNSIGNED:
    case WG_FAMILY_SIGNED:
        store_bits(dst, step, n, size, bits);
        break;
    case WG_FAMILY_FLOAT:
        encode_floats(dtype, chunk->reals, n, bits);
        store_bits(dst, step, n, size, bits);
        break;
    case WG_FAMILY_COMPLEX:
        encode_floats(wg_dtype_part(dtype), chunk->reals, n, bits);
        store_bits(dst, step, n, size / 2, bits);
        encode_floats(wg_dtype_part(dtype), chunk->imaginaries, n, bits);
        store_bits(dst + size / 2, step, n, size / 2, bits);
        break;
    }
}

/* ---- what the header declares ---- */

void wg_convert_row(int64_t n, int32_t dst_dtype, char *dst, int64_t dst_step, int32_t src_dtype, const char *src,
                    int64_t src_step)
{
    Chunk chunk;
    for (int64_t done = 0; done < n; done += CHUNK) {
        const int64_t part = wg_min(CHUNK, n - done);
        load_chunk(src_dtype, src + done * src_step, src_step, part, &chunk);
        store_chunk(dst_dtype, src_dtype, dst + done * dst_step, dst_step, part, &chunk);
    }
}

WgElement wg_element_load(int32_t dtype, const void *address)
{
    Chunk chunk;
    WgElement element = {0.0, 0.0, 0};
    load_chunk(dtype, address, 0, 1, &chunk);
    switch ((WgFamily)wg_dtype_family(dtype)) {
    case WG_FAMILY_NONE:
        break;
    case WG_FAMILY_BOOL:
    case WG_FAMILY_UNSIGNED:
    case WG_FAMILY_SIGNED:
        element.integer = chunk.integers[0];
        element.real = real_from_integer(dtype, WG_FLOAT64, element.integer);
        break;
    case WG_FAMILY_COMPLEX:
        element.imaginary = chunk.imaginaries[0];
        element.real = chunk.reals[0];
        break;
    case WG_FAMILY_FLOAT:
        element.real = chunk.reals[0];
        break;
    }
    return element;
}

void wg_element_store(int32_t dtype, void *address, double real, double imaginary)
{
    Chunk chunk;
    chunk.reals[0] = real;
    chunk.imaginaries[0] = imaginary;
    store_chunk(dtype, WG_COMPLEX128, address, 0, 1, &chunk);
}

void wg_element_store_integer(int32_t dtype, void *address, int64_t integer)
{
    Chunk chunk;
    chunk.integers[0] = integer;
    store_chunk(dtype, WG_INT64, address, 0, 1, &chunk);
}
