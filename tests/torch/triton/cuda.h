/* SPDX-License-Identifier: MIT */
/* cuda.h - as much of CUDA's header as what triton.tools.link writes is compiled with. */
#ifndef CUDA_H
#define CUDA_H

#include <stdint.h>

typedef enum CUresult { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1 } CUresult;
typedef struct CUstream_st *CUstream;
typedef unsigned long long CUdeviceptr;

#endif /* CUDA_H */
