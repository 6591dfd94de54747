/* SPDX-License-Identifier: MIT */
/*
 * test_convert.c - elements of every dtype converted to every other. Expected bits are PyTorch's, see
 * make_conversions.py; what its text leaves out (runs of elements, the header's rule for uint32) is calculated by hand
 * here.
 */
#include "check.h"
#include "wg_copy.h"

#include <math.h>
#include <string.h>

enum { ROOM = 1024 };

typedef struct Row {
    int32_t src;
    int32_t dst;
    const char *hex;
} Row;

static const Row sources[] = {
#define SOURCE(src, hex) {src, src, hex},
#define CONVERSION(src, dst, hex)
#define DECODE(dtype, digest)
#define ENCODE(dtype, digest)
#include "conversions.inc"
#undef SOURCE
#undef CONVERSION
};

static const Row conversions[] = {
#define SOURCE(src, hex)
#define CONVERSION(src, dst, hex) {src, dst, hex},
#include "conversions.inc"
#undef SOURCE
#undef CONVERSION
#undef DECODE
#undef ENCODE
};

typedef struct Digest {
    int32_t dtype;
    int encodes;
    uint64_t digest;
} Digest;

static const Digest digests[] = {
#define SOURCE(src, hex)
#define CONVERSION(src, dst, hex)
#define DECODE(dtype, digest) {dtype, 0, digest},
#define ENCODE(dtype, digest) {dtype, 1, digest},
#include "conversions.inc"
};

enum { NUM_DTYPES = sizeof sources / sizeof sources[0] };

static int digit(char hex)
{
    return hex >= 'a' ? hex - 'a' + 10 : hex - '0';
}

/* Bytes of the text; "xx" gives 0. */
static size_t parse_hex(const char *hex, unsigned char *bytes)
{
    size_t n = 0;
    for (; hex[2 * n] != '\0'; n++) {
        bytes[n] = hex[2 * n] == 'x' ? 0 : (unsigned char)(digit(hex[2 * n]) * 16 + digit(hex[2 * n + 1]));
    }
    return n;
}

/* Equal bits, or NaN where PyTorch has NaN: its payload is not specified. */
static int is_same_element(int32_t dtype, const unsigned char *found, const unsigned char *expected)
{
    const WgElement a = wg_element_load(dtype, found);
    const WgElement b = wg_element_load(dtype, expected);
    const int32_t part = wg_dtype_part(dtype);
    const size_t size = (size_t)wg_dtype_size(dtype);
    if (part >= 0) {
        return is_same_element(part, found, expected) && is_same_element(part, found + size / 2, expected + size / 2);
    }
    return memcmp(found, expected, size) == 0 || (isnan(a.real) && isnan(b.real));
}

static int check_row(const Row *row)
{
    unsigned char given[ROOM];
    unsigned char expected[ROOM];
    unsigned char found[ROOM];
    const Row *source = sources;
    while (source->src != row->src) {
        source++;
    }
    const int32_t src_size = wg_dtype_size(row->src);
    const int32_t dst_size = wg_dtype_size(row->dst);
    const int64_t n = (int64_t)parse_hex(source->hex, given) / src_size;
    int bad = parse_hex(row->hex, expected) != (size_t)(n * dst_size);
    wg_convert_row(n, row->dst, (char *)found, dst_size, row->src, (const char *)given, src_size);
    for (int64_t i = 0; i < n; i++) {
        const int is_open = row->hex[2 * i * dst_size] == 'x';
        if (!is_open && !is_same_element(row->dst, found + i * dst_size, expected + i * dst_size)) {
            printf("# dtype %d to %d, element %d\n", row->src, row->dst, (int)i);
            bad = 1;
        }
    }
    return !bad;
}

static void test_pairs(void)
{
    CHECK_EQUAL(NUM_DTYPES, 20);
    CHECK_EQUAL(sizeof conversions / sizeof conversions[0], 20 * 20);
    for (size_t i = 0; i < sizeof conversions / sizeof conversions[0]; i++) {
        CHECK(check_row(&conversions[i]));
    }
}

static uint64_t digest_add(uint64_t digest, const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        digest = (digest ^ bytes[i]) * UINT64_C(0x100000001B3);
    }
    return digest;
}

static uint64_t digest_decoded(int32_t dtype)
{
    uint64_t digest = UINT64_C(0xCBF29CE484222325);
    const int32_t size = wg_dtype_size(dtype);
    for (uint32_t i = 0; i < (size == 1 ? 256u : 65536u); i++) {
        const unsigned char pattern[2] = {(unsigned char)(i & 255), (unsigned char)(i >> 8)};
        float value = 0;
        wg_convert_row(1, WG_FLOAT32, (char *)&value, 4, dtype, (const char *)pattern, size);
        digest = isnan(value) ? digest : digest_add(digest, (const unsigned char *)&value, 4);
    }
    return digest;
}

static uint64_t digest_encoded(int32_t dtype)
{
    uint64_t digest = UINT64_C(0xCBF29CE484222325);
    const int32_t size = wg_dtype_size(dtype);
    uint32_t bits = 1;
    for (int i = 0; i < 200000; i++) {
        float value = 0;
        unsigned char result[2] = {0, 0};
        bits = 1664525u * bits + 1013904223u;
        memcpy(&value, &bits, sizeof value);
        value = isnan(value) ? 0.0f : value;
        wg_convert_row(1, dtype, (char *)result, size, WG_FLOAT32, (const char *)&value, 4);
        if (isnan(wg_element_load(dtype, result).real)) {
            memset(result, 0, sizeof result);
        }
        digest = digest_add(digest, result, (size_t)size);
    }
    return digest;
}

static void test_small_floats(void)
{
    CHECK_EQUAL(sizeof digests / sizeof digests[0], 12);
    for (size_t i = 0; i < sizeof digests / sizeof digests[0]; i++) {
        const Digest *row = &digests[i];
        CHECK((row->encodes ? digest_encoded(row->dtype) : digest_decoded(row->dtype)) == row->digest);
    }
}

/* float to uint32: through 64 bits, low half kept; INT64_MIN, whose low half is 0, for what 64 bits cannot hold. */
static void test_uint32_rule(void)
{
    const double given[] = {4294967295.9, 4294967296.0, 5e9, -1.0, -3e9, 1e19, -1e300, INFINITY, NAN};
    const uint32_t expected[] = {4294967295u, 0, 705032704u, 4294967295u, 1294967296u, 0, 0, 0, 0};
    uint32_t found[9];
    wg_convert_row(9, WG_UINT32, (char *)found, 4, WG_FLOAT64, (const char *)given, 8);
    for (int i = 0; i < 9; i++) {
        CHECK_EQUAL(found[i], expected[i]);
    }
}

/* Rows longer than a chunk, every step a different one: int16 counted by 3, backwards into every second float64. */
static void test_long_rows(void)
{
    int16_t given[3 * 200];
    double found[2 * 200];
    for (int i = 0; i < 600; i++) {
        given[i] = (int16_t)(i * 100 - 30000);
    }
    for (int64_t n = 1; n <= 200; n++) {
        int bad = 0;
        for (int i = 0; i < 400; i++) {
            found[i] = 0.5;
        }
        wg_convert_row(n, WG_FLOAT64, (char *)&found[2 * (n - 1)], -16, WG_INT16, (const char *)given, 6);
        for (int64_t i = 0; i < n; i++) {
            bad += found[2 * (n - 1 - i)] != (double)(3 * i * 100 - 30000);
        }
        for (int64_t i = 0; i < 200; i++) {
            bad += found[2 * i + 1] != 0.5 || (i >= n && found[2 * i] != 0.5);
        }
        CHECK_EQUAL(bad, 0);
    }
}

static void test_elements(void)
{
    uint64_t big = 0;
    _Bool flag = 0;
    float parts[2] = {0, 0};
    wg_element_store_integer(WG_UINT64, &big, -1);
    CHECK(big == UINT64_MAX);
    CHECK(wg_element_load(WG_UINT64, &big).real == 18446744073709551616.0);
    CHECK_EQUAL(wg_element_load(WG_UINT64, &big).integer, -1);
    wg_element_store(WG_BOOL, &flag, 0.0, 0.25);
    CHECK(flag);
    wg_element_store(WG_COMPLEX64, parts, 1.5, -2.5);
    CHECK(parts[0] == 1.5f && parts[1] == -2.5f);
    CHECK(wg_element_load(WG_COMPLEX64, parts).imaginary == -2.5);
}

/* Sizes and families as PyTorch's Tensor.element_size(), dtype.is_floating_point and dtype.is_complex give them. */
static void test_dtypes(void)
{
    const int32_t sizes[30] = {1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 0, 0, 0,
                               2, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1,  1, 2, 4, 8};
    for (int32_t i = 0; i < 30; i++) {
        CHECK_EQUAL(wg_dtype_size(i), sizes[i]);
        CHECK_EQUAL(wg_dtype_family(i) == WG_FAMILY_FLOAT, (i >= 5 && i <= 7) || i == 15 || (i >= 23 && i <= 26));
        CHECK_EQUAL(wg_dtype_family(i) == WG_FAMILY_COMPLEX, i >= 8 && i <= 10);
        CHECK_EQUAL(wg_dtype_family(i) == WG_FAMILY_NONE, sizes[i] == 0);
    }
    CHECK_EQUAL(wg_dtype_size(-1), 0);
    CHECK_EQUAL(wg_dtype_size(30), 0);
    CHECK_EQUAL(wg_dtype_size(INT32_MAX), 0);
    CHECK_EQUAL(wg_dtype_part(WG_COMPLEX32), WG_FLOAT16);
    CHECK_EQUAL(wg_dtype_complex(WG_BFLOAT16), -1);
}

int main(void)
{
    run("every dtype converts to every other as PyTorch does", test_pairs);
    run("floats of 8 and 16 bits decode and round as PyTorch's", test_small_floats);
    run("a float that uint32 cannot hold keeps the low bits of 64", test_uint32_rule);
    run("rows of any length and step convert, and nothing around them is touched", test_long_rows);
    run("single elements are stored and loaded", test_elements);
    run("sizes and families of dtypes are PyTorch's", test_dtypes);
    return finish();
}
