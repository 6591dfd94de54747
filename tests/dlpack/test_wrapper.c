/* SPDX-License-Identifier: MIT */
/*
 * test_wrapper.c - a generated wrapper over memory of a program's that only DLPack describes: examples/dlpack, in C.
 */
#include "wg_dlpack_abi.h"

#include "blend.h"
#include "wg_dlpack.h"

#include "check.h"

#include <string.h>

static int num_deleted;

static void deleted(DLManagedTensorVersioned *self)
{
    (void)self;
    num_deleted++;
}

static DLManagedTensorVersioned managed(float *elements, int64_t *shape, int64_t *strides)
{
    DLManagedTensorVersioned made;
    memset(&made, 0, sizeof made);
    made.version.major = 1;
    made.deleter = deleted;
    made.dl_tensor.data = elements;
    made.dl_tensor.device.device_type = kDLCPU;
    made.dl_tensor.ndim = 2;
    made.dl_tensor.dtype.code = kDLFloat;
    made.dl_tensor.dtype.bits = 32;
    made.dl_tensor.dtype.lanes = 1;
    made.dl_tensor.shape = shape;
    made.dl_tensor.strides = strides;
    return made;
}

/* average is transposed in memory: element [i, j] at j * 4 + i. */
static void play(uint64_t flags, int32_t expected)
{
    float average[12];
    float values[12];
    int64_t shape[] = {4, 3};
    int64_t strides[] = {1, 4};
    for (int i = 0; i < 12; i++) {
        average[i] = (float)i;
        values[i] = (float)(100 + i);
    }
    WgContext *ctx = NULL;
    demo_blend_inputs in;
    demo_blend_outputs out;
    DLManagedTensorVersioned from[2] = {managed(average, shape, strides), managed(values, shape, NULL)};
    num_deleted = 0;
    from[0].flags = flags;
    CHECK_EQUAL(wg_context_create(NULL, &ctx), 0);
    CHECK_EQUAL(wg_dlpack_from_versioned(ctx, &from[0], &in.average), 0);
    CHECK_EQUAL(wg_dlpack_from_versioned(ctx, &from[1], &in.values), 0);
    CHECK_EQUAL(demo_blend(ctx, &in, &out), expected);
    if (expected == WG_OK) {
        DLManagedTensorVersioned *last = NULL;
        CHECK_EQUAL(wg_dlpack_to_versioned(ctx, out.last, &last), 0);
        demo_blend_outputs_release(ctx, &out);
        CHECK(last->dl_tensor.data == average + 3); /* the program's own memory */
        CHECK_EQUAL(last->dl_tensor.strides[1], 4);
        wg_release(ctx, in.average);
        CHECK_EQUAL(num_deleted, 0); /* what was handed out holds it */
        last->deleter(last);
        CHECK_EQUAL(num_deleted, 1);
    } else {
        char text[256];
        wg_error_text(wg_error(ctx), text, sizeof text);
        CHECK(strstr(text, "average") != NULL && strstr(text, "WG_NATIVE_E_READ_ONLY") != NULL);
        wg_release(ctx, in.average);
    }
    wg_release(ctx, in.values);
    CHECK_EQUAL(num_deleted, 2);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 3; j++) {
            const float old = (float)(j * 4 + i);
            const float wanted = expected == WG_OK ? old + 0.25f * ((float)(100 + i * 3 + j) - old) : old;
            CHECK(average[j * 4 + i] == wanted);
        }
    }
    wg_context_destroy(ctx);
}

static void in_place(void)
{
    play(0, WG_OK);
}

static void read_only(void)
{
    play(DLPACK_FLAG_BITMASK_READ_ONLY, WG_E_HOST);
}

int main(void)
{
    run("the caller's memory is written, and an alias of it handed out", in_place);
    run("read-only memory stays as it is, and the error names it", read_only);
    return finish();
}
