/* SPDX-License-Identifier: MIT */
/* covers: wg_copy.c */
/*
 * Copies of rank 0 to 4 whose sizes are 0 to 2 (of rank 4: 2, but one), each with compact strides, with none,
 * transposed and with steps of two elements, of the same size or broadcast from 1; between elements of each width and
 * between two types. The memory is as long as the geometry says. Any rank up to 64 and any sizes and strides for
 * wg_copy_fits and wg_copy_repeats.
 */
#include "driver.h"

#include "wg_copy.c"

/* In wg_convert.c, which has a driver of its own. */
int32_t wg_dtype_size(int32_t dtype)
{
    return dtype == WG_COMPLEX128 ? 16
           : dtype == WG_FLOAT64  ? 8
           : dtype == WG_FLOAT32  ? 4
           : dtype == WG_FLOAT16  ? 2
                                  : 1;
}

/*@ requires n > 0 && dst_size > 0 && src_size > 0; */
static void row_is_there(int64_t n, char *dst, int64_t dst_step, int32_t dst_size, const char *src, int64_t src_step,
                         int32_t src_size)
{
    for (int64_t i = 0; i < n; i++) {
        for (int32_t byte = 0; byte < dst_size; byte++) {
            dst[i * dst_step + byte] = 0;
        }
        for (int32_t byte = 0; byte < src_size; byte++) {
            (void)src[i * src_step + byte];
            //@ assert \initialized(&src[i * src_step + byte]);
        }
    }
}

void wg_convert_row(int64_t n, int32_t dst_dtype, char *dst, int64_t dst_step, int32_t src_dtype, const char *src,
                    int64_t src_step)
{
    row_is_there(n, dst, dst_step, wg_dtype_size(dst_dtype), src, src_step, wg_dtype_size(src_dtype));
}

enum { RANK = 4 };

/* Fills the strides, and returns how many elements the memory has. */
static int64_t lay_out(const int64_t *sizes, int32_t rank, int kind, int64_t *strides)
{
    int64_t next = kind == 2 ? 2 : 1;
    for (int32_t i = 0; i < rank; i++) {
        const int32_t d = kind == 1 ? i : rank - 1 - i;
        strides[d] = next;
        next *= sizes[d];
    }
    return next;
}

static void copied(const int64_t *dst_sizes, const int64_t *src_sizes, int32_t rank, int kind, int32_t dst_dtype,
                   int32_t src_dtype)
{
    int64_t dst_strides[RANK];
    int64_t src_strides[RANK];
    const int64_t dst_bytes = lay_out(dst_sizes, rank, kind, dst_strides) * wg_dtype_size(dst_dtype);
    const int64_t src_bytes = lay_out(src_sizes, rank, kind == 1 ? 0 : kind, src_strides) * wg_dtype_size(src_dtype);
    char *const dst_data = malloc((size_t)dst_bytes + 1);
    char *const src_data = malloc((size_t)src_bytes + 1);
    memset(src_data, 1, (size_t)src_bytes);
    const WgCopySide dst = {dst_data, dst_sizes, kind == 3 ? NULL : dst_strides, rank, dst_dtype};
    const WgCopySide src = {src_data, src_sizes, kind == 3 ? NULL : src_strides, rank, src_dtype};
    wg_copy_strided(&dst, &src);
    free(dst_data);
    free(src_data);
}

static void of_sizes(const int64_t *sizes, int32_t rank, int32_t dst_dtype, int32_t src_dtype)
{
    int64_t broadcast[RANK];
    for (int32_t d = 0; d < rank; d++) {
        broadcast[d] = d % 2 == 0 ? 1 : sizes[d];
    }
    for (int kind = 0; kind < 4; kind++) {
        copied(sizes, sizes, rank, kind, dst_dtype, src_dtype);
        copied(sizes, broadcast, rank, kind, dst_dtype, src_dtype);
    }
}

static void of_types(const int64_t *sizes, int32_t rank)
{
    static const int32_t dtypes[] = {WG_UINT8, WG_FLOAT16, WG_FLOAT32, WG_FLOAT64, WG_COMPLEX128};
    for (int i = 0; i < 5; i++) {
        of_sizes(sizes, rank, dtypes[i], dtypes[i]);
    }
    of_sizes(sizes, rank, WG_FLOAT32, WG_FLOAT16);
}

static void any_geometry(void)
{
    int64_t sizes[2][64];
    int64_t strides[64];
    for (int i = 0; i < 64; i++) {
        sizes[0][i] = any_integer();
        sizes[1][i] = any_integer();
        strides[i] = any_integer();
    }
    const WgCopySide dst = {NULL, sizes[0], any_bool() ? strides : NULL, (int32_t)any_from(0, 64), WG_FLOAT32};
    const WgCopySide src = {NULL, sizes[1], NULL, (int32_t)any_from(0, 64), WG_FLOAT32};
    (void)wg_copy_fits(&dst, &src);
    (void)wg_copy_repeats(&dst);
}

/* From a row, to two rows, and with steps backwards on both sides. */
static void other_ways(void)
{
    static const int64_t sizes[] = {2, 3};
    static const int64_t steps[] = {3, -1};
    char dst_data[6];
    char src_data[3] = {1, 2, 3};
    WgCopySide dst = {dst_data, sizes, NULL, 2, WG_UINT8};
    WgCopySide src = {src_data, sizes + 1, NULL, 1, WG_UINT8};
    wg_copy_strided(&dst, &src);
    dst.data = dst_data + 2;
    dst.strides = steps;
    src.data = src_data + 2;
    src.strides = steps + 1;
    wg_copy_strided(&dst, &src);
}

void driver(void)
{
    int64_t sizes[RANK] = {0, 0, 0, 0};
    any_geometry();
    other_ways();
    of_types(sizes, 0);
    for (sizes[0] = 0; sizes[0] <= 2; sizes[0]++) {
        of_types(sizes, 1);
        for (sizes[1] = 0; sizes[1] <= 2; sizes[1]++) {
            of_types(sizes, 2);
            for (sizes[2] = 0; sizes[2] <= 2; sizes[2]++) {
                of_sizes(sizes, 3, WG_FLOAT32, WG_FLOAT32);
            }
        }
    }
    for (int32_t d = 0; d < RANK; d++) {
        for (int32_t i = 0; i < RANK; i++) {
            sizes[i] = i == d ? 3 : 2;
        }
        of_sizes(sizes, RANK, WG_UINT8, WG_UINT8);
        of_sizes(sizes, RANK, WG_FLOAT64, WG_FLOAT16);
    }
}
