/* SPDX-License-Identifier: 0BSD */
/*
 * wg_copy.h - element types and strided copies over plain memory: no tensors, no context, no allocation.
 *
 * A host whose elements are in memory that this process can address builds its wg_copy_ on this. The table below is the
 * one place that knows the element types: a new one is a row here (and, for a small float, a row for its format in
 * wg_convert.c).
 *
 * Conversions are PyTorch's (measured with 2.13 on x86-64, where C leaves them open):
 *   - complex to real drops the imaginary part; complex to bool is true when either part is not zero;
 *   - anything to float16, bfloat16 or an 8-bit float is rounded to float32 first, then to nearest even. A value that
 *     is too large gives infinity where the format has one, the largest number in float8_e4m3fn, NaN in the two fnuz
 *     formats;
 *   - integer to integer keeps the low bits;
 *   - real to integer truncates towards zero and keeps the low bits: of 32 bits for int32, int16, uint16 and int8, of
 * 64 for the others. Values that do not fit, and NaN, become INT32_MIN or INT64_MIN. uint64 takes [2^63, 2^64) exactly
 * and is 0 above;
 *   - a bool is true when its byte is not zero, and is written as 0 or 1 (unless source and destination are both bool).
 */
#ifndef WG_COPY_H
#define WG_COPY_H

#include "wg_core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* number, name, bytes of an element, family */
#define WG_DTYPES(X)                                                                                                   \
    X(WG_UINT8, "uint8", 1, UNSIGNED)                                                                                  \
    X(WG_INT8, "int8", 1, SIGNED)                                                                                      \
    X(WG_INT16, "int16", 2, SIGNED)                                                                                    \
    X(WG_INT32, "int32", 4, SIGNED)                                                                                    \
    X(WG_INT64, "int64", 8, SIGNED)                                                                                    \
    X(WG_FLOAT16, "float16", 2, FLOAT)                                                                                 \
    X(WG_FLOAT32, "float32", 4, FLOAT)                                                                                 \
    X(WG_FLOAT64, "float64", 8, FLOAT)                                                                                 \
    X(WG_COMPLEX32, "complex32", 4, COMPLEX)                                                                           \
    X(WG_COMPLEX64, "complex64", 8, COMPLEX)                                                                           \
    X(WG_COMPLEX128, "complex128", 16, COMPLEX)                                                                        \
    X(WG_BOOL, "bool", 1, BOOL)                                                                                        \
    X(WG_BFLOAT16, "bfloat16", 2, FLOAT)                                                                               \
    X(WG_FLOAT8_E5M2, "float8_e5m2", 1, FLOAT)                                                                         \
    X(WG_FLOAT8_E4M3FN, "float8_e4m3fn", 1, FLOAT)                                                                     \
    X(WG_FLOAT8_E5M2FNUZ, "float8_e5m2fnuz", 1, FLOAT)                                                                 \
    X(WG_FLOAT8_E4M3FNUZ, "float8_e4m3fnuz", 1, FLOAT)                                                                 \
    X(WG_UINT16, "uint16", 2, UNSIGNED)                                                                                \
    X(WG_UINT32, "uint32", 4, UNSIGNED)                                                                                \
    X(WG_UINT64, "uint64", 8, UNSIGNED)

/* Device types: constant, name [c10::DeviceTypeName in lower case]. */
#define WG_DEVICE_TYPES(X)                                                                                             \
    X(WG_CPU, "cpu")                                                                                                   \
    X(WG_CUDA, "cuda")                                                                                                 \
    X(WG_HIP, "hip")                                                                                                   \
    X(WG_XLA, "xla")                                                                                                   \
    X(WG_XPU, "xpu")                                                                                                   \
    X(WG_MPS, "mps")                                                                                                   \
    X(WG_META, "meta")                                                                                                 \
    X(WG_HPU, "hpu")                                                                                                   \
    X(WG_PRIVATEUSE1, "privateuseone") /* what PyTorch calls an out-of-tree back end */

typedef enum WgFamily {
    WG_FAMILY_NONE = 0, /* not an element type */
    WG_FAMILY_BOOL,
    WG_FAMILY_UNSIGNED,
    WG_FAMILY_SIGNED,
    WG_FAMILY_FLOAT,
    WG_FAMILY_COMPLEX
} WgFamily;

/* Element types, in wg_convert.c. Any number is allowed: WG_FAMILY_NONE and 0 bytes for one that is not a WgDtype. */
int32_t wg_dtype_family(int32_t dtype);
int32_t wg_dtype_size(int32_t dtype);

/* The real type of a complex type's parts (complex64: float32), and the reverse; -1 when there is none (as for
 * bfloat16). */
int32_t wg_dtype_part(int32_t complex_dtype);
int32_t wg_dtype_complex(int32_t real_dtype);

/* One side of a copy. Strides are in elements; null means compact, row by row. Rank is not limited. */
typedef struct WgCopySide {
    void *data;
    const int64_t *sizes;
    const int64_t *strides;
    int32_t rank;
    int32_t dtype;
} WgCopySide;

/* 1 when src can be broadcast to dst: its dimensions, right-aligned, are dst's or 1, and it has no more of them. */
int wg_copy_fits(const WgCopySide *dst, const WgCopySide *src);

/* 1 when some dimension of size 2 or more has stride 0, so that an element would be written more than once; this is
 * PyTorch's test (at::has_internal_overlap). Windows that overlap in other ways pass, as they do there. */
int wg_copy_repeats(const WgCopySide *dst);

/*
 * dst[...] = src[...], converted and broadcast. The caller has made sure that the dtypes are known, that src fits, that
 * both geometries lie in memory and that the two do not overlap. Alignment does not matter.
 */
void wg_copy_strided(const WgCopySide *dst, const WgCopySide *src);

/* A row of n elements from src_dtype to dst_dtype; steps in bytes. They do not overlap. In wg_convert.c. */
void wg_convert_row(int64_t n, int32_t dst_dtype, char *dst, int64_t dst_step, int32_t src_dtype, const char *src,
                    int64_t src_step);

/* One element as numbers: `real` and `imaginary` of a complex, `integer` (the bits of a uint64) and `real` of an
 * integer or bool. For tests, printing and scalars; not for loops over elements. */
typedef struct WgElement {
    double real;
    double imaginary;
    int64_t integer;
} WgElement;

WgElement wg_element_load(int32_t dtype, const void *address);

/* Converts `real` (and `imaginary`) as a copy from float64 (complex128) would; wg_element_store_integer from int64. */
void wg_element_store(int32_t dtype, void *address, double real, double imaginary);
void wg_element_store_integer(int32_t dtype, void *address, int64_t integer);

#ifdef __cplusplus
}
#endif

#endif /* WG_COPY_H */
