/* SPDX-License-Identifier: MIT */
/*
 * The verbs of a skeleton, written for plain tensors: run.sh puts each function in the place of the one of its name.
 * The structure is what a tensor then consists of; the modes of a context are those that the skeleton begins with.
 */
struct WgTensor {
    int64_t references;
    int64_t sizes[8];
    int64_t strides[8];
    int32_t rank;
    int32_t dtype;
    void *data;
};

int32_t wg_rank(WgContext *ctx, const WgTensor *t)
{
    (void)ctx;
    return t->rank;
}

int64_t wg_size(WgContext *ctx, const WgTensor *t, int32_t dimension)
{
    (void)ctx;
    return t->sizes[dimension];
}

int64_t wg_stride(WgContext *ctx, const WgTensor *t, int32_t dimension)
{
    (void)ctx;
    return t->strides[dimension];
}

int64_t wg_offset(WgContext *ctx, const WgTensor *t)
{
    (void)ctx;
    (void)t;
    return 0;
}

int32_t wg_dtype(WgContext *ctx, const WgTensor *t)
{
    (void)ctx;
    return t->dtype;
}

void *wg_data(WgContext *ctx, const WgTensor *t)
{
    (void)ctx;
    return t->data;
}

int wg_is_plain(WgContext *ctx, const WgTensor *t)
{
    (void)ctx;
    (void)t;
    return 1;
}

int wg_same(WgContext *ctx, const WgTensor *a, const WgTensor *b)
{
    (void)ctx;
    return a == b;
}

int32_t wg_empty_strided(WgContext *ctx, const WgGeometry *geometry, int32_t dtype, int32_t device, WgTensor **out)
{
    int64_t elements = 1;
    (void)ctx;
    (void)device;
    *out = NULL;
    for (int32_t i = 0; i < geometry->rank; i++) {
        if (geometry->sizes[i] < 0) {
            return WG_MINE_E_NOT_WRITTEN;
        }
    }
    *out = geometry->rank <= 8 ? calloc(1, sizeof **out) : NULL;
    if (*out == NULL) {
        return WG_MINE_E_NOT_WRITTEN;
    }
    (*out)->references = 1;
    (*out)->rank = geometry->rank;
    (*out)->dtype = dtype;
    for (int32_t i = 0; i < geometry->rank; i++) {
        (*out)->sizes[i] = geometry->sizes[i];
        (*out)->strides[i] = geometry->strides[i];
        elements += geometry->sizes[i] > 0 ? (geometry->sizes[i] - 1) * geometry->strides[i] : 0;
    }
    (*out)->data = malloc((size_t)elements * 16);
    if ((*out)->data == NULL) {
        free(*out);
        *out = NULL;
        return WG_MINE_E_NOT_WRITTEN;
    }
    return 0;
}

int wg_grad_mode(WgContext *ctx)
{
    return ctx->grad_mode;
}

void wg_set_grad_mode(WgContext *ctx, int enabled)
{
    ctx->grad_mode = enabled;
}

int32_t wg_retain(WgContext *ctx, WgTensor *t, WgTensor **owned)
{
    (void)ctx;
    t->references++;
    *owned = t;
    return 0;
}

void wg_release(WgContext *ctx, WgTensor *t)
{
    (void)ctx;
    if (t != NULL && --t->references == 0) {
        free(t->data);
        free(t);
    }
}

void wg_release_run(WgContext *ctx, WgValue *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        wg_release(ctx, values[i].tensor);
        values[i].tensor = NULL;
    }
}
