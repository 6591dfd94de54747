/* SPDX-License-Identifier: 0BSD */
/*
 * wg_aoti_call.c - calls operators through libtorch's dispatcher. An argument is 64 bits: a tensor is its own handle
 * and a list is an object, both taken by the call; an optional argument that is present is a pointer to 64 such bits.
 * The dispatcher takes everything off the stack before the operator runs, so an operator that fails leaves nothing
 * behind; only one that does not exist would, and every name here has existed since PyTorch 2.0 (test_host.c counts).
 */
#include "wg_aoti_inside.h"

/* The version that this was built for, in the format of TORCH_ABI_VERSION: 2.13.0. libtorch adapts arguments to it. */
static const uint64_t built_for = (UINT64_C(2) << 56) | (UINT64_C(13) << 48);

static void put(WgAotiCall *call, WgAotiKind kind, uint64_t bits)
{
    call->stack[call->count] = bits;
    call->kinds[call->count] = (int32_t)kind;
    call->count++;
}

void wg_aoti_put_tensor(WgAotiCall *call, const WgTensor *t)
{
    struct AtenTensorOpaque *handle = NULL;
    if (call->status == WG_AOTI_OK) {
        call->status = wg_aoti_status(aoti_torch_new_tensor_handle(wg_aoti_handle(t), &handle));
    }
    if (call->status == WG_AOTI_OK) {
        put(call, WG_AOTI_TENSOR, (uint64_t)(uintptr_t)handle);
    }
}

WgAotiCall wg_aoti_begin(const WgTensor *self)
{
    WgAotiCall call = {.count = 0};
    wg_aoti_put_tensor(&call, self);
    return call;
}

void wg_aoti_put_integer(WgAotiCall *call, int64_t integer)
{
    if (call->status == WG_AOTI_OK) {
        put(call, WG_AOTI_INTEGER, (uint64_t)integer);
    }
}

void wg_aoti_put_list(WgAotiCall *call, const int64_t *elements, int32_t n)
{
    struct StableListOpaque *list = NULL;
    if (call->status != WG_AOTI_OK) {
        return;
    }
    call->status = n < 0 ? WG_AOTI_E_ARGUMENT : wg_aoti_status(torch_new_list_reserve_size((size_t)n, &list));
    if (call->status != WG_AOTI_OK) {
        return;
    }
    put(call, WG_AOTI_LIST, (uint64_t)(uintptr_t)list);
    for (int32_t i = 0; i < n && call->status == WG_AOTI_OK; i++) {
        call->status = wg_aoti_status(torch_list_push_back(list, (uint64_t)elements[i]));
    }
}

void wg_aoti_put_optional(WgAotiCall *call, int64_t integer)
{
    uint64_t *bits = NULL;
    if (call->status == WG_AOTI_OK) {
        call->status = wg_aoti_status(torch_new_stable_ivalue(&bits));
    }
    if (call->status == WG_AOTI_OK) {
        *bits = (uint64_t)integer;
        put(call, WG_AOTI_OPTIONAL, (uint64_t)(uintptr_t)bits);
    }
}

void wg_aoti_put_geometry(WgAotiCall *call, const WgGeometry *geometry)
{
    wg_aoti_put_list(call, geometry->sizes, geometry->rank);
    wg_aoti_put_list(call, geometry->strides, geometry->rank);
    wg_aoti_put_optional(call, geometry->offset);
}

static void give_back(const WgAotiCall *call)
{
    for (int32_t i = 0; i < call->count; i++) {
        switch ((WgAotiKind)call->kinds[i]) {
        case WG_AOTI_INTEGER:
            break;
        case WG_AOTI_TENSOR:
            (void)aoti_torch_delete_tensor_object((struct AtenTensorOpaque *)(uintptr_t)call->stack[i]);
            break;
        case WG_AOTI_LIST:
            (void)torch_delete_list((struct StableListOpaque *)(uintptr_t)call->stack[i]);
            break;
        case WG_AOTI_OPTIONAL:
            (void)torch_delete_stable_ivalue((uint64_t *)(uintptr_t)call->stack[i]);
            break;
        }
    }
}

static int32_t run(WgAotiCall *call, const char *name, const char *overload)
{
    if (call->status != WG_AOTI_OK) {
        give_back(call);
        return call->status;
    }
    return wg_aoti_status(torch_call_dispatcher(name, overload, call->stack, built_for));
}

int32_t wg_aoti_run_tensor(WgAotiCall *call, const char *name, const char *overload, WgTensor **out)
{
    const int32_t status = run(call, name, overload);
    *out = status == WG_AOTI_OK ? wg_aoti_tensor((struct AtenTensorOpaque *)(uintptr_t)call->stack[0]) : NULL;
    return status;
}

int32_t wg_aoti_run_in_place(WgAotiCall *call, const char *name, const char *overload)
{
    WgTensor *self = NULL;
    const int32_t status = wg_aoti_run_tensor(call, name, overload, &self);
    wg_release(NULL, self);
    return status;
}

int32_t wg_aoti_run_nothing(WgAotiCall *call, const char *name)
{
    return run(call, name, "");
}

int32_t wg_aoti_run_integer(WgAotiCall *call, const char *name, int64_t *out)
{
    const int32_t status = run(call, name, "");
    *out = status == WG_AOTI_OK ? (int64_t)call->stack[0] : 0;
    return status;
}

/* A bool fills the first byte, whichever that is in the machine's byte order. */
int32_t wg_aoti_run_bool(WgAotiCall *call, const char *name, int *out)
{
    const int32_t status = run(call, name, "");
    *out = status == WG_AOTI_OK && call->stack[0] != 0;
    return status;
}
