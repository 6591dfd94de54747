/* SPDX-License-Identifier: 0BSD */
/*
 * wg_dlpack_abi.h - the structs of DLPack 1.x in memory, by the specification (dmlc.github.io/dlpack): names, order and
 * types of the members, and the numbers of devices, element types and flags that hosts know. Debian's libdlpack-dev is
 * 0.6, which lacks DLManagedTensorVersioned, so hosts need no header of others.
 *
 * For hosts that take and give such structs, and for programs that do so without dlpack.h; where dlpack.h was included
 * first, this file declares nothing.
 */
#ifndef WG_DLPACK_ABI_H
#define WG_DLPACK_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifndef DLPACK_VERSION
#ifndef DLPACK_MAJOR_VERSION

#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 1 /* has the numbers of 8-bit floats */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct DLPackVersion {
    uint32_t major;
    uint32_t minor;
} DLPackVersion;

typedef enum DLDeviceType {
    kDLCPU = 1,
    kDLCUDA = 2,
    kDLCUDAHost = 3,
    kDLROCM = 10,
    kDLROCMHost = 11,
    kDLOneAPI = 14
} DLDeviceType;

typedef struct DLDevice {
    DLDeviceType device_type;
    int32_t device_id;
} DLDevice;

typedef enum DLDataTypeCode {
    kDLInt = 0,
    kDLUInt = 1,
    kDLFloat = 2,
    kDLBfloat = 4,
    kDLComplex = 5,
    kDLBool = 6,
    kDLFloat8_e4m3fn = 10,
    kDLFloat8_e4m3fnuz = 11,
    kDLFloat8_e5m2 = 12,
    kDLFloat8_e5m2fnuz = 13
} DLDataTypeCode;

typedef struct DLDataType {
    uint8_t code;
    uint8_t bits;
    uint16_t lanes; /* elements in one; 1 unless they are vectors */
} DLDataType;

typedef struct DLTensor {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape;
    int64_t *strides; /* elements; before 1.2 null means compact, row by row */
    uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
    DLTensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self); /* may be null */
} DLManagedTensor;

#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)

typedef struct DLManagedTensorVersioned {
    DLPackVersion version;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self); /* may be null */
    uint64_t flags;
    DLTensor dl_tensor;
} DLManagedTensorVersioned;

#ifdef __cplusplus
}
#endif

#endif
#endif

#endif /* WG_DLPACK_ABI_H */
