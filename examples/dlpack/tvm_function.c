/* SPDX-License-Identifier: 0BSD */
/*
 * tvm_function.c - the wrapper of graph.yaml as a function of TVM's FFI: blend(average, values) changes average in
 * place and returns the change. Arguments are borrowed for the call; what is returned belongs to TVM.
 */
#include <dlpack/dlpack.h>
#include <tvm/ffi/c_api.h>

#include "blend.h"
#include "wg_dlpack.h"

int __tvm_ffi_blend(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);

static int raise(const char *kind, const char *message)
{
    TVMFFIErrorSetRaisedFromCStr(kind, message);
    return -1;
}

/* Null unless the argument is a tensor. TVM's own keep their DLTensor after the object's header; its function that says
 * so is in C++. */
static const DLTensor *tensor_of(const TVMFFIAny *argument)
{
    if (argument->type_index == kTVMFFIDLTensorPtr) {
        return argument->v_ptr;
    }
    return argument->type_index == kTVMFFITensor ? (const DLTensor *)(const void *)(argument->v_obj + 1) : NULL;
}

static int raise_refusal(WgContext *ctx)
{
    char text[512];
    wg_dlpack_refusal_text(ctx, text, sizeof text);
    return raise("ValueError", text);
}

static int call(WgContext *ctx, const demo_blend_inputs *in, TVMFFIAny *result)
{
    demo_blend_outputs out;
    DLManagedTensorVersioned *managed = NULL;
    char text[512];
    if (demo_blend(ctx, in, &out) != WG_OK) {
        wg_error_text(wg_error(ctx), text, sizeof text);
        return raise("RuntimeError", text);
    }
    const int32_t status = wg_dlpack_to_versioned(ctx, out.change, &managed);
    demo_blend_outputs_release(ctx, &out);
    if (status != 0) {
        return raise_refusal(ctx);
    }
    result->type_index = kTVMFFITensor;
    return TVMFFITensorFromDLPackVersioned(managed, 0, 0, (TVMFFIObjectHandle *)&result->v_obj);
}

int __tvm_ffi_blend(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result)
{
    (void)self;
    const DLTensor *average = num_args == 2 ? tensor_of(&args[0]) : NULL;
    const DLTensor *values = num_args == 2 ? tensor_of(&args[1]) : NULL;
    WgContext *ctx = NULL;
    demo_blend_inputs in = {NULL, NULL};
    int status = -1;
    if (average == NULL || values == NULL) {
        return raise("TypeError", "blend takes two tensors");
    }
    if (wg_context_create(NULL, &ctx) != 0) {
        return raise("MemoryError", "blend has no memory");
    }
    if (wg_dlpack_borrow(ctx, average, 0, &in.average) != 0 || wg_dlpack_borrow(ctx, values, 1, &in.values) != 0) {
        status = raise_refusal(ctx);
    } else {
        status = call(ctx, &in, result);
    }
    wg_release(ctx, in.average);
    wg_release(ctx, in.values);
    wg_context_destroy(ctx);
    return status;
}
