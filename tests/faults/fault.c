/* SPDX-License-Identifier: MIT */
/* fault.c - run.sh puts it at the end of the runtime of self-tests, whose mock host it knows. */

/* Some other tensor that is alive; null, and what is not a tensor, stay what they are. */
WgTensor *wg_fault_other(WgContext *ctx, const void *tensor)
{
    const WgTensor *const t = tensor;
    bool known = false;
    for (size_t i = 0; t != NULL && !known && i < ctx->num_objects; i++) {
        known = ctx->objects[i] == t->object;
    }
    for (size_t i = ctx->num_objects; known && i-- > 0;) {
        MockObject *const object = ctx->objects[i];
        if (object != t->object && object->handles > 0) {
            WgTensor *other = ARENA_NEW(&ctx->arena, WgTensor);
            *other = (WgTensor){object, true};
            return other;
        }
    }
    return (WgTensor *)(uintptr_t)tensor;
}

int64_t wg_fault_number(WgContext *ctx, int64_t value)
{
    (void)ctx;
    return value + 1;
}

const char wg_fault_type = 0; /* only its address counts */
