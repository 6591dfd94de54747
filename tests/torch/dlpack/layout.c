/* SPDX-License-Identifier: MIT */
/*
 * layout.c - the structs and numbers of DLPack as one declaration has them, a line each: compiled once with dlpack.h of
 * others (-DTHEIRS) and once with wg_dlpack_abi.h.
 */
#ifdef THEIRS
#include <dlpack/dlpack.h>
#else
#include "wg_dlpack_abi.h"
#endif

#include <stddef.h>
#include <stdio.h>

#define PLACE(type, member)                                                                                            \
    printf(#type "." #member " %zu %zu\n", offsetof(type, member), sizeof(((type *)NULL)->member));
#define NUMBER(name) printf(#name " %llu\n", (unsigned long long)name);

int main(void)
{
    PLACE(DLPackVersion, major)
    PLACE(DLPackVersion, minor)
    PLACE(DLDevice, device_type)
    PLACE(DLDevice, device_id)
    PLACE(DLDataType, code)
    PLACE(DLDataType, bits)
    PLACE(DLDataType, lanes)
    PLACE(DLTensor, data)
    PLACE(DLTensor, device)
    PLACE(DLTensor, ndim)
    PLACE(DLTensor, dtype)
    PLACE(DLTensor, shape)
    PLACE(DLTensor, strides)
    PLACE(DLTensor, byte_offset)
    PLACE(DLManagedTensor, dl_tensor)
    PLACE(DLManagedTensor, manager_ctx)
    PLACE(DLManagedTensor, deleter)
    PLACE(DLManagedTensorVersioned, version)
    PLACE(DLManagedTensorVersioned, manager_ctx)
    PLACE(DLManagedTensorVersioned, deleter)
    PLACE(DLManagedTensorVersioned, flags)
    PLACE(DLManagedTensorVersioned, dl_tensor)
    printf("%zu %zu %zu\n", sizeof(DLTensor), sizeof(DLManagedTensor), sizeof(DLManagedTensorVersioned));
    NUMBER(DLPACK_MAJOR_VERSION)
    NUMBER(DLPACK_FLAG_BITMASK_READ_ONLY)
    NUMBER(DLPACK_FLAG_BITMASK_IS_COPIED)
    NUMBER(kDLCPU)
    NUMBER(kDLCUDA)
    NUMBER(kDLCUDAHost)
    NUMBER(kDLROCM)
    NUMBER(kDLROCMHost)
    NUMBER(kDLOneAPI)
    NUMBER(kDLInt)
    NUMBER(kDLUInt)
    NUMBER(kDLFloat)
    NUMBER(kDLBfloat)
    NUMBER(kDLComplex)
    NUMBER(kDLBool)
    NUMBER(kDLFloat8_e4m3fn)
    NUMBER(kDLFloat8_e4m3fnuz)
    NUMBER(kDLFloat8_e5m2)
    NUMBER(kDLFloat8_e5m2fnuz)
    return 0;
}
