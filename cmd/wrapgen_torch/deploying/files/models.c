/* models.c - see models.h. Written by wrapgen-torch deploy; 0BSD, so it is yours. */
#include "models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

@objects @

    static const struct {
    WgModel *model;
    const char *description;
    const char *const *expects; /* what the wrappers were generated for */
} models[] = {@rows @};

enum { NUM_MODELS = sizeof models / sizeof models[0] };

static char *path_of(const char *folder, const char *name)
{
    char *path = malloc(strlen(folder) + strlen(name) + 2);
    if (path != NULL) {
        strcpy(path, folder);
        strcat(path, "/");
        strcat(path, name);
    }
    return path;
}

int32_t models_open(WgContext *ctx, const char *folder, size_t num_runners)
{
    int32_t status = WG_AOTI_OK;
    for (size_t i = 0; i < NUM_MODELS && status == WG_AOTI_OK; i++) {
        char *path = path_of(folder, models[i].description);
        status = path == NULL ? WG_AOTI_E_MEMORY
                              : wg_aoti_model_load(ctx, models[i].model, path, models[i].expects, num_runners);
        free(path);
    }
    if (status != WG_AOTI_OK) {
        models_close();
    }
    return status;
}

void models_close(void)
{
    for (size_t i = 0; i < NUM_MODELS; i++) {
        wg_aoti_model_close(models[i].model);
    }
}

int32_t models_read(WgContext *ctx, const char *folder, const char *name, WgAotiTensors **out)
{
    char *path = path_of(folder, name);
    *out = NULL;
    const int32_t status = path == NULL ? WG_AOTI_E_MEMORY : wg_aoti_tensors_read(ctx, path, out);
    free(path);
    return status;
}

/* What a wrapper refuses, it explains by itself; what a model, libtorch or a file does, the host. */
void models_explain(WgContext *ctx, const char *what)
{
    char text[512];
    const WgError *error = wg_error(ctx);
    const int refused = error->status != WG_OK;
    if (refused) {
        (void)wg_error_text(error, text, sizeof text);
    }
    const int says_more = !refused || error->status == WG_E_COMPILED || error->status == WG_E_HOST;
    fprintf(stderr, "%s: %s%s%s\n", what, refused ? text : "", refused && says_more ? "; " : "",
            says_more ? wg_aoti_message(ctx) : "");
}
