/* SPDX-License-Identifier: 0BSD */
/* wg_aoti_dlpack.c - tensors come in from DLPack and go out to it. Everything is tested before anything is taken over.
 */
#include "wg_aoti_dlpack.h"

#include <stdlib.h>
#include <string.h>

#include "wg_aoti_inside.h"
#include "wg_dlpack_dtype.h"
#include "wg_geometry.h"

enum { DLPACK_RANK = 64 /* libtorch has no tensors with more dimensions */ };

/* ---- in ---- */

/* What libtorch calls the deleter of, through delete_taken(). */
typedef struct Taken {
    DLManagedTensorVersioned *versioned; /* one of these two */
    DLManagedTensor *unversioned;
    int is_ours; /* not while it is still to be known whether libtorch makes the tensor */
} Taken;

static void delete_taken(void *data, void *user)
{
    Taken *taken = user;
    (void)data;
    if (!taken->is_ours) {
        return;
    }
    if (taken->versioned != NULL && taken->versioned->deleter != NULL) {
        taken->versioned->deleter(taken->versioned);
    }
    if (taken->unversioned != NULL && taken->unversioned->deleter != NULL) {
        taken->unversioned->deleter(taken->unversioned);
    }
    free(taken);
}

/* The strides that are given, or compact ones. All elements must be countable in bytes. */
static int32_t read_layout(WgContext *ctx, const DLTensor *from, int64_t *strides, int64_t element_bytes)
{
    int64_t compact = 1;
    int64_t reach = 1;
    int has_elements = 1;
    for (int32_t i = from->ndim; i-- > 0;) {
        const int64_t size = from->shape[i];
        int64_t step = 0;
        strides[i] = from->strides != NULL ? from->strides[i] : compact;
        if (size < 0 || strides[i] < 0) {
            return wg_aoti_say(ctx, WG_AOTI_E_ARGUMENT,
                               "dimension %d has size %lld and stride %lld, and none is negative in libtorch", (int)i,
                               (long long)size, (long long)strides[i]);
        }
        has_elements = has_elements && size > 0;
        if (wg_ckd_mul(&compact, compact, size > 1 ? size : 1) ||
            wg_ckd_mul(&step, size > 1 ? size - 1 : 0, strides[i]) || wg_ckd_add(&reach, reach, step)) {
            return wg_aoti_say(ctx, WG_AOTI_E_ARGUMENT, "a tensor with more elements than can be counted");
        }
    }
    if (wg_ckd_mul(&reach, reach, element_bytes) || wg_ckd_mul(&compact, compact, element_bytes)) {
        return wg_aoti_say(ctx, WG_AOTI_E_ARGUMENT, "a tensor with more bytes than can be counted");
    }
    if (has_elements && from->data == NULL) {
        return wg_aoti_say(ctx, WG_AOTI_E_ARGUMENT, "a tensor with elements over a null pointer");
    }
    return WG_AOTI_OK;
}

static int32_t check_kind(WgContext *ctx, const DLTensor *from, int32_t *dtype)
{
    const DLDeviceType device = from->device.device_type;
    if (device != kDLCPU && device != kDLCUDAHost && device != kDLROCMHost) {
        return wg_aoti_say(ctx, WG_AOTI_E_ARGUMENT,
                           "memory of a device (DLPack's number for it is %d), and only the CPU's is taken",
                           (int)device);
    }
    *dtype = wg_dlpack_dtype_in(from->dtype);
    if (*dtype < 0) {
        return wg_aoti_say(ctx, WG_AOTI_E_DTYPE, "no dtype has such elements: DLPack's code %d, %d bits, %d lanes",
                           from->dtype.code, from->dtype.bits, from->dtype.lanes);
    }
    if (from->ndim < 0 || from->ndim > DLPACK_RANK || (from->ndim > 0 && from->shape == NULL)) {
        return wg_aoti_say(ctx, WG_AOTI_E_ARGUMENT, "a tensor with %d dimensions, or without sizes", (int)from->ndim);
    }
    return WG_AOTI_OK;
}

static int32_t take_in(WgContext *ctx, const DLTensor *from, Taken owner, WgTensor **out)
{
    static const int64_t none[1] = {
        0}; /* libtorch wants an address for the sizes of a tensor without dimensions, too */
    int64_t strides[DLPACK_RANK + 1];
    int32_t dtype = 0;
    struct AtenTensorOpaque *handle = NULL;
    int32_t status = check_kind(ctx, from, &dtype);
    if (status == WG_AOTI_OK) {
        status = read_layout(ctx, from, strides, (int64_t)aoti_torch_dtype_element_size(dtype));
    }
    if (status != WG_AOTI_OK) {
        return status;
    }
    Taken *taken = malloc(sizeof *taken);
    if (taken == NULL) {
        return wg_aoti_say(ctx, WG_AOTI_E_MEMORY, "out of memory");
    }
    *taken = owner;
    ctx->model_message = NULL; /* from here on libtorch's words count */
    /* libtorch calls no deleter for a null address, which a tensor without elements may have; any other one will do. */
    void *data = from->data == NULL ? (void *)taken : (char *)from->data + from->byte_offset;
    if (torch_from_blob(data, from->ndim, from->ndim > 0 ? from->shape : none, strides, 0, dtype, WG_CPU, -1, &handle,
                        aoti_torch_layout_strided(), NULL, 0, delete_taken, taken) != 0) {
        free(taken);
        return WG_AOTI_E_TORCH;
    }
    taken->is_ours = 1;
    *out = wg_aoti_tensor(handle);
    return WG_AOTI_OK;
}

int32_t wg_aoti_from_dlpack(WgContext *ctx, struct DLManagedTensorVersioned *managed, int is_written, WgTensor **out)
{
    *out = NULL;
    wg_error_clear(ctx);
    if (managed == NULL) {
        return wg_aoti_say(ctx, WG_AOTI_E_ARGUMENT, "a null pointer in place of a tensor of DLPack");
    }
    if (managed->version.major != DLPACK_MAJOR_VERSION) { /* nothing after the deleter is known then */
        return wg_aoti_say(ctx, WG_AOTI_E_ARGUMENT, "a tensor of DLPack %u.%u, and only version %d is known here",
                           (unsigned)managed->version.major, (unsigned)managed->version.minor, DLPACK_MAJOR_VERSION);
    }
    if (is_written && (managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0) {
        return wg_aoti_say(ctx, WG_AOTI_E_ARGUMENT, "memory that is read-only, and the model writes to it");
    }
    const Taken owner = {managed, NULL, 0};
    return take_in(ctx, &managed->dl_tensor, owner, out);
}

int32_t wg_aoti_from_dlpack_unversioned(WgContext *ctx, struct DLManagedTensor *managed, WgTensor **out)
{
    *out = NULL;
    wg_error_clear(ctx);
    if (managed == NULL) {
        return wg_aoti_say(ctx, WG_AOTI_E_ARGUMENT, "a null pointer in place of a tensor of DLPack");
    }
    const Taken owner = {NULL, managed, 0};
    return take_in(ctx, &managed->dl_tensor, owner, out);
}

/* ---- out ---- */

/* One of the two structs is used; sizes and strides are copies, since libtorch's may change. */
typedef struct Given {
    DLManagedTensorVersioned versioned;
    DLManagedTensor unversioned;
    WgTensor *tensor;
    int64_t numbers[];
} Given;

static void delete_given(Given *given)
{
    wg_release(NULL, given->tensor);
    free(given);
}

static void delete_given_versioned(DLManagedTensorVersioned *self)
{
    delete_given(self->manager_ctx);
}

static void delete_given_unversioned(DLManagedTensor *self)
{
    delete_given(self->manager_ctx);
}

static int32_t check_given(WgContext *ctx, WgTensor *t)
{
    const char *bad = NULL;
    if (wg_aoti_is_subclass(t) || !wg_is_plain(ctx, t)) {
        bad = "a tensor that is not a plain one, which DLPack does not have";
    } else if (wg_device(ctx, t) != WG_CPU * 256) {
        bad = "a tensor that is not on the CPU";
    } else if (wg_lazy(ctx, t) != 0) {
        bad = "a tensor that is lazily conjugated or negated, which DLPack cannot say";
    } else if (wg_requires_grad(ctx, t)) {
        bad = "a tensor that requires grad, and DLPack has no gradients: wg_detach() first";
    }
    const int32_t failed = wg_host_status(ctx);
    return bad != NULL ? wg_aoti_say(ctx, WG_AOTI_E_ARGUMENT, "%s", bad) : failed;
}

static int32_t give(WgContext *ctx, WgTensor *t, Given **out)
{
    WgGeometry geometry;
    *out = NULL;
    wg_error_clear(ctx);
    ctx->model_message = NULL;
    int32_t status = check_given(ctx, t);
    if (status == WG_AOTI_OK) {
        status = wg_aoti_geometry(t, &geometry);
    }
    if (status != WG_AOTI_OK) {
        return status;
    }
    const size_t rank = (size_t)geometry.rank;
    Given *given = calloc(1, sizeof *given + 2 * rank * sizeof(int64_t));
    if (given == NULL) {
        return wg_aoti_say(ctx, WG_AOTI_E_MEMORY, "out of memory");
    }
    status = wg_retain(ctx, t, &given->tensor);
    if (status != WG_AOTI_OK) {
        free(given);
        return status;
    }
    for (size_t i = 0; i < rank; i++) {
        given->numbers[i] = geometry.sizes[i];
        given->numbers[rank + i] = geometry.strides[i];
    }
    DLTensor *to = &given->versioned.dl_tensor;
    to->data = wg_data(ctx, t);
    to->device.device_type = kDLCPU;
    to->ndim = geometry.rank;
    to->dtype = wg_dlpack_dtype_out(wg_dtype(ctx, t));
    to->shape = given->numbers;
    to->strides = given->numbers + rank;
    *out = given;
    return WG_AOTI_OK;
}

int32_t wg_aoti_to_dlpack(WgContext *ctx, WgTensor *t, struct DLManagedTensorVersioned **out)
{
    Given *given = NULL;
    *out = NULL;
    const int32_t status = give(ctx, t, &given);
    if (status == WG_AOTI_OK) {
        given->versioned.version.major = DLPACK_MAJOR_VERSION;
        given->versioned.version.minor = DLPACK_MINOR_VERSION;
        given->versioned.manager_ctx = given;
        given->versioned.deleter = delete_given_versioned;
        *out = &given->versioned;
    }
    return status;
}

int32_t wg_aoti_to_dlpack_unversioned(WgContext *ctx, WgTensor *t, struct DLManagedTensor **out)
{
    Given *given = NULL;
    *out = NULL;
    const int32_t status = give(ctx, t, &given);
    if (status == WG_AOTI_OK) {
        given->unversioned.dl_tensor = given->versioned.dl_tensor;
        given->unversioned.manager_ctx = given;
        given->unversioned.deleter = delete_given_unversioned;
        *out = &given->unversioned;
    }
    return status;
}
