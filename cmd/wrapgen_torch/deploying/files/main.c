/*
 * main.c [FOLDER] - opens the models, calls @entry@ once, and prints what it returns: where your own program begins.
 * Written by wrapgen-torch deploy; 0BSD, so it is yours.
 */
#include <stdio.h>

#include "models.h"

static void show(WgContext *ctx, const char *name, WgTensor *t)
{
    printf("%s: [", name);
    for (int32_t i = 0; i < wg_rank(ctx, t); i++) {
        printf("%s%lld", i > 0 ? ", " : "", (long long)wg_size(ctx, t, i));
    }
    const int is_float = wg_dtype(ctx, t) == WG_FLOAT32 && wg_data(ctx, t) != NULL;
    printf(is_float ? "], first %g\n" : "]\n", is_float ? (double)*(const float *)wg_data(ctx, t) : 0);
}

static int32_t call(WgContext *ctx, const WgAotiTensors *data)
{
    @call @
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : MODELS_FOLDER;
    WgContext *ctx = NULL;
    WgAotiTensors *data = NULL;
    int32_t status = wg_context_create(NULL, &ctx);
    if (status != WG_OK) {
        return 1;
    }
    status = models_open(ctx, folder, 1);
    if (status == WG_OK) {
        /* A recorded call's inputs. Tensors over your own memory: wg_aoti_borrow(). */
        status = models_read(ctx, folder, "@data@", &data);
    }
    if (status == WG_OK) {
        status = call(ctx, data);
    }
    if (status != WG_OK) {
        models_explain(ctx, "@entry@");
    }
    wg_aoti_tensors_free(ctx, data);
    models_close();
    wg_context_destroy(ctx);
    return status != WG_OK;
}
