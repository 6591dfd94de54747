/* SPDX-License-Identifier: 0BSD */
/*
 * driver.h - what cuda/launch.c calls of CUDA's driver (libcuda.so.1), as NVIDIA's "CUDA Driver API" documents it, so
 * that neither its headers nor its toolkit has to be installed.
 */
#ifndef DRIVER_H
#define DRIVER_H

#include <stddef.h>

typedef int CUresult; /* CUDA_SUCCESS: 0 */
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream; /* null: the default stream */

enum { CU_MEM_ATTACH_GLOBAL = 1 };

CUresult cuInit(unsigned int flags);
CUresult cuDeviceGet(CUdevice *device, int ordinal);
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxSynchronize(void);
CUresult cuGetErrorString(CUresult error, const char **text);

CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t num_bytes, unsigned int flags);
CUresult cuMemFree_v2(CUdeviceptr pointer);

/* image: PTX that ends with a zero, or a cubin. */
CUresult cuModuleLoadData(CUmodule *module, const void *image);
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);

/* parameters: the address of each parameter of the kernel. extra: null. */
CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                        CUstream stream, void **parameters, void **extra);

#endif /* DRIVER_H */
