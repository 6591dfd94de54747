/* SPDX-License-Identifier: MIT */
/* sharing.c FOLDER - are weights of models that share a file in memory once, until the last of them is closed? Models
 * of programs/shared.py. */
#include "models.h"

#include <stdio.h>

extern WgModel read_1_model;
extern WgModel read_2_model;
extern WgModel score_model;
extern WgModel other_model;

static int num_failed;

static void check(int is_so, const char *what)
{
    if (!is_so) {
        printf("%s\n", what);
        num_failed++;
    }
}

int main(int argc, char **argv)
{
    WgContext *ctx = NULL;
    if (argc != 2 || wg_context_create(NULL, &ctx) != WG_OK) {
        return 2;
    }
    for (int i = 0; i < 2; i++) {
        check(models_open(ctx, argv[1], 1) == WG_OK, "models_open failed");
        check(read_1_model.weights != NULL, "read has no weights");
        check(read_1_model.weights == read_2_model.weights, "two variants have weights of their own");
        check(read_1_model.weights == score_model.weights, "two entry points have weights of their own");
        check(read_1_model.weights != other_model.weights, "another module has the same weights");
        wg_aoti_model_close(&read_1_model); /* the others still have them: models_close() frees them once */
        models_close();
    }
    wg_context_destroy(ctx);
    printf("%d failed\n", num_failed);
    return num_failed > 0;
}
