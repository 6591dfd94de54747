/* SPDX-License-Identifier: MIT */
/*
 * driver.c - a libcuda.so.1 without a GPU, for scale_add alone. A module is the PTX it was loaded from, which says what
 * parameters the kernel takes and with how many threads it is launched. A launch reads its parameters as that says, and
 * does on the CPU what examples/triton/kernels.py says of the elements that its grid reaches. It prints a line for each
 * module and each launch to standard error.
 */
#include "driver.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INVALID_VALUE = 1, INVALID_PTX = 218, MOST_PARAMETERS = 16, MOST_MODULES = 16 };

struct CUmod_st {
    char name[64];
    char types[MOST_PARAMETERS][8]; /* of its parameters: u64, u32, f32 */
    size_t num_parameters;
    unsigned int threads;
};

/* A module has one function, so it is that, too. */
static struct CUmod_st modules[MOST_MODULES];
static size_t num_modules;
static int is_initialised;

CUresult cuInit(unsigned int flags)
{
    is_initialised = flags == 0;
    return flags == 0 ? 0 : INVALID_VALUE;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    *device = ordinal;
    return is_initialised && ordinal == 0 ? 0 : INVALID_VALUE;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    *context = (CUcontext)(uintptr_t)16;
    return device == 0 ? 0 : INVALID_VALUE;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    return context != NULL ? 0 : INVALID_VALUE;
}

CUresult cuCtxSynchronize(void)
{
    return 0;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    *text = error == INVALID_PTX ? "invalid PTX" : "invalid argument";
    return 0;
}

CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t num_bytes, unsigned int flags)
{
    void *memory =
        flags == CU_MEM_ATTACH_GLOBAL && num_bytes > 0 ? aligned_alloc(256, (num_bytes + 255) / 256 * 256) : NULL;
    *pointer = (CUdeviceptr)(uintptr_t)memory;
    return memory != NULL ? 0 : INVALID_VALUE;
}

CUresult cuMemFree_v2(CUdeviceptr pointer)
{
    free((void *)(uintptr_t)pointer);
    return 0;
}

/* ---- modules ---- */

static CUresult read_parameters(struct CUmod_st *module, const char *at, const char *end)
{
    while ((at = strstr(at, ".param .")) != NULL && at < end) {
        at += strlen(".param .");
        if (module->num_parameters == MOST_PARAMETERS ||
            sscanf(at, "%7[a-z0-9]", module->types[module->num_parameters]) != 1) {
            return INVALID_PTX;
        }
        module->num_parameters++;
    }
    return 0;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    const char *entry = strstr(image, ".visible .entry ");
    const char *end = entry == NULL ? NULL : strchr(entry, ')');
    if (end == NULL || num_modules == MOST_MODULES) {
        return INVALID_PTX;
    }
    struct CUmod_st *made = &modules[num_modules++];
    *made = (struct CUmod_st){.num_parameters = 0};
    if (sscanf(entry, ".visible .entry %63[a-z_0-9](", made->name) != 1 ||
        sscanf(end, ") .reqntid %u", &made->threads) != 1) {
        return INVALID_PTX;
    }
    *module = made;
    fprintf(stderr, "loaded %s\n", made->name);
    return read_parameters(made, entry, end);
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    *function = (CUfunction)module;
    return strcmp(name, module->name) == 0 ? 0 : INVALID_VALUE;
}

/* ---- launches ---- */

/* What scale_add is given. */
typedef struct Given {
    const float *x;
    const float *y;
    float *out;
    int32_t n; /* 1, if it was compiled for that and does not take it */
    float alpha;
} Given;

/* Addresses, a number or none, a factor, and two addresses of scratch memory. */
static int read_given(const struct CUmod_st *module, void **parameters, Given *given)
{
    CUdeviceptr addresses[MOST_PARAMETERS];
    size_t num_addresses = 0;
    int num_factors = 0;
    given->n = 1;
    for (size_t i = 0; i < module->num_parameters; i++) {
        const char *type = module->types[i];
        if (strcmp(type, "u64") == 0) {
            memcpy(&addresses[num_addresses++], parameters[i], sizeof addresses[0]);
        } else if (strcmp(type, "u32") == 0) {
            memcpy(&given->n, parameters[i], sizeof given->n);
        } else if (strcmp(type, "f32") == 0) {
            memcpy(&given->alpha, parameters[i], sizeof given->alpha);
            num_factors++;
        }
    }
    if (num_addresses != 5 || num_factors != 1 || addresses[3] != 0 || addresses[4] != 0) {
        return 0;
    }
    given->x = (const float *)(uintptr_t)addresses[0];
    given->y = (const float *)(uintptr_t)addresses[1];
    given->out = (float *)(uintptr_t)addresses[2];
    return 1;
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                        CUstream stream, void **parameters, void **extra)
{
    const struct CUmod_st *module = (const struct CUmod_st *)function;
    Given given = {NULL, NULL, NULL, 0, 0.0F};
    if (!read_given(module, parameters, &given) || block_x != module->threads ||
        grid_y * grid_z * block_y * block_z != 1 || shared_bytes != 0 || stream != NULL || extra != NULL) {
        return INVALID_VALUE;
    }
    const int64_t block = module->threads == 64 ? 256 : 1024; /* BLOCK of the variants with two and with four warps */
    for (int64_t i = 0; i < given.n && i < grid_x * block; i++) {
        given.out[i] = given.alpha * given.x[i] + given.y[i];
    }
    fprintf(stderr, "launched %s<<<%u, %u>>> with %zu parameters\n", module->name, grid_x, block_x,
            module->num_parameters);
    return 0;
}
