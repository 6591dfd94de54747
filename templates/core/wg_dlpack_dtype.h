/* SPDX-License-Identifier: 0BSD */
/* wg_dlpack_dtype.h - the dtypes that DLPack has, by both of their names: DLPack's code and bits, and WgDtype. */
#ifndef WG_DLPACK_DTYPE_H
#define WG_DLPACK_DTYPE_H

#include "wg_core.h"
#include "wg_dlpack_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ROW(code, bits, dtype): every WgDtype has one. */
#define WG_DLPACK_DTYPES(ROW)                                                                                          \
    ROW(kDLUInt, 8, WG_UINT8)                                                                                          \
    ROW(kDLUInt, 16, WG_UINT16)                                                                                        \
    ROW(kDLUInt, 32, WG_UINT32)                                                                                        \
    ROW(kDLUInt, 64, WG_UINT64)                                                                                        \
    ROW(kDLInt, 8, WG_INT8)                                                                                            \
    ROW(kDLInt, 16, WG_INT16)                                                                                          \
    ROW(kDLInt, 32, WG_INT32)                                                                                          \
    ROW(kDLInt, 64, WG_INT64)                                                                                          \
    ROW(kDLFloat, 16, WG_FLOAT16)                                                                                      \
    ROW(kDLFloat, 32, WG_FLOAT32)                                                                                      \
    ROW(kDLFloat, 64, WG_FLOAT64)                                                                                      \
    ROW(kDLBfloat, 16, WG_BFLOAT16)                                                                                    \
    ROW(kDLComplex, 32, WG_COMPLEX32)                                                                                  \
    ROW(kDLComplex, 64, WG_COMPLEX64)                                                                                  \
    ROW(kDLComplex, 128, WG_COMPLEX128)                                                                                \
    ROW(kDLBool, 8, WG_BOOL)                                                                                           \
    ROW(kDLFloat8_e4m3fn, 8, WG_FLOAT8_E4M3FN)                                                                         \
    ROW(kDLFloat8_e4m3fnuz, 8, WG_FLOAT8_E4M3FNUZ)                                                                     \
    ROW(kDLFloat8_e5m2, 8, WG_FLOAT8_E5M2)                                                                             \
    ROW(kDLFloat8_e5m2fnuz, 8, WG_FLOAT8_E5M2FNUZ)

/* A WgDtype; -1: there is none. */
static inline int32_t wg_dlpack_dtype_in(DLDataType from)
{
#define WG_DLPACK_ROW(number, width, dtype)                                                                            \
    if (from.code == (number) && from.bits == (width) && from.lanes == 1) {                                            \
        return dtype;                                                                                                  \
    }
    WG_DLPACK_DTYPES(WG_DLPACK_ROW)
#undef WG_DLPACK_ROW
    return -1;
}

/* All zero for a number that is not a WgDtype. */
static inline DLDataType wg_dlpack_dtype_out(int32_t dtype)
{
    DLDataType to = {0, 0, 0};
    switch (dtype) {
#define WG_DLPACK_ROW(number, width, dtype)                                                                            \
    case dtype:                                                                                                        \
        to.code = (number);                                                                                            \
        to.bits = (width);                                                                                             \
        to.lanes = 1;                                                                                                  \
        break;
        WG_DLPACK_DTYPES(WG_DLPACK_ROW)
#undef WG_DLPACK_ROW
    default:
        break;
    }
    return to;
}

#ifdef __cplusplus
}
#endif

#endif /* WG_DLPACK_DTYPE_H */
