/* models.h - the compiled models of this folder. Written by wrapgen-torch deploy; 0BSD, so it is yours. */
#ifndef MODELS_H
#define MODELS_H

#include "wg_aoti.h"
#include "wg_aoti_files.h"
#include "wrappers.h"

/* Opens all of them; each is held to its description first (models/NAME.txt). `folder` is the one that has graph.yaml.
 * Returns a status; models_explain() says more. The models are for the whole process, and `num_runners` is how many
 * threads, each with a context of its own, may call one of them at once. */
int32_t models_open(WgContext *ctx, const char *folder, size_t num_runners);
void models_close(void);

/* The tensors of a file in the folder: "data/step_0.safetensors". Returns a status. */
int32_t models_read(WgContext *ctx, const char *folder, const char *name, WgAotiTensors **out);

/* Writes to stderr why the last call with this context failed: one line. */
void models_explain(WgContext *ctx, const char *what);

#endif /* MODELS_H */
