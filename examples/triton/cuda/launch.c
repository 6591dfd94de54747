/* SPDX-License-Identifier: 0BSD */
/*
 * launch.c - launches variants on a GPU, in the place of ../launch.c. The driver compiles the PTX that Triton made, for
 * whatever GPU is there, at the first launch of each variant. It manages the memory, too, so that the program and the
 * kernels read the same addresses.
 */
#include "launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

enum { MOST_VARIANTS = 16 };

const Image *last_image;
int64_t last_grid;

/* A variant that was loaded. */
typedef struct Loaded {
    const Image *image;
    CUfunction function;
} Loaded;

static Loaded loaded[MOST_VARIANTS];
static size_t num_loaded;
static const char *images_of;

static int is_done(CUresult result, const char *what)
{
    const char *text = NULL;
    if (result != 0) {
        (void)cuGetErrorString(result, &text);
        fprintf(stderr, "%s: %s\n", what, text != NULL ? text : "unknown error");
    }
    return result == 0;
}

/* ---- memory ---- */

static void *allocate(void *user, size_t num_bytes)
{
    CUdeviceptr pointer = 0;
    (void)user;
    return is_done(cuMemAllocManaged(&pointer, num_bytes, CU_MEM_ATTACH_GLOBAL), "cuMemAllocManaged")
               ? (void *)(uintptr_t)pointer
               : NULL;
}

static void give_back(void *user, void *pointer, size_t num_bytes)
{
    (void)user;
    (void)num_bytes;
    (void)cuMemFree_v2((CUdeviceptr)(uintptr_t)pointer);
}

int launch_start(const char *folder, const WgNativeAllocator **allocator)
{
    static const WgNativeAllocator managed = {allocate, give_back, NULL};
    CUdevice device = 0;
    CUcontext context = NULL;
    images_of = folder;
    *allocator = &managed;
    return is_done(cuInit(0), "cuInit") && is_done(cuDeviceGet(&device, 0), "cuDeviceGet") &&
           is_done(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain") &&
           is_done(cuCtxSetCurrent(context), "cuCtxSetCurrent");
}

/* ---- images ---- */

/* The file's text, which the caller frees; null: it cannot be read. */
static char *read_image(const Image *image)
{
    char path[1024];
    char *text = NULL;
    long length = 0;
    if (snprintf(path, sizeof path, "%s/images/%s.ptx", images_of, image->name) >= (int)sizeof path) {
        return NULL;
    }
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return NULL;
    }
    if (fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) > 0 && fseek(file, 0, SEEK_SET) == 0) {
        text = calloc((size_t)length + 1, 1);
    }
    if (text != NULL && fread(text, 1, (size_t)length, file) != (size_t)length) {
        free(text);
        text = NULL;
    }
    (void)fclose(file);
    return text;
}

static CUfunction load(const Image *image)
{
    CUmodule module = NULL;
    CUfunction function = NULL;
    char *text = read_image(image);
    const int is_loaded = text != NULL && is_done(cuModuleLoadData(&module, text), image->name) &&
                          is_done(cuModuleGetFunction(&function, module, "scale_add"), image->name);
    free(text);
    return is_loaded ? function : NULL;
}

static CUfunction function_of(const Image *image)
{
    for (size_t i = 0; i < num_loaded; i++) {
        if (loaded[i].image == image) {
            return loaded[i].function;
        }
    }
    const CUfunction function = num_loaded < MOST_VARIANTS ? load(image) : NULL;
    if (function != NULL) {
        loaded[num_loaded++] = (Loaded){image, function};
    }
    return function;
}

/* ---- a launch ---- */

/* Triton passes fp32 as a float, leaves out what is 1, and adds two addresses of scratch memory, which is not used
 * here. */
int32_t launch(const Image *image, const WgValue *args, size_t *num_outs)
{
    CUdeviceptr x = (CUdeviceptr)(uintptr_t)wg_data(NULL, args[0].tensor);
    CUdeviceptr y = (CUdeviceptr)(uintptr_t)wg_data(NULL, args[1].tensor);
    CUdeviceptr out = (CUdeviceptr)(uintptr_t)wg_data(NULL, args[4].tensor);
    int32_t n = (int32_t)args[0].tensor->sizes[0]; /* graph.yaml: at most 2^31 - 1 */
    float alpha = (float)args[2].real;
    CUdeviceptr scratch[2] = {0, 0};
    void *with_n[] = {&x, &y, &out, &n, &alpha, &scratch[0], &scratch[1]};
    void *without_n[] = {&x, &y, &out, &alpha, &scratch[0], &scratch[1]};
    const CUfunction function = function_of(image);
    *num_outs = 0;
    if (function == NULL) {
        return WG_E_HOST;
    }
    last_image = image;
    last_grid = (n + image->block - 1) / image->block;
    const CUresult result = cuLaunchKernel(function, (unsigned int)last_grid, 1, 1, (unsigned int)image->threads, 1, 1,
                                           0, NULL, image->takes_n ? with_n : without_n, NULL);
    return is_done(result, image->name) && is_done(cuCtxSynchronize(), image->name) ? WG_OK : WG_E_HOST;
}
