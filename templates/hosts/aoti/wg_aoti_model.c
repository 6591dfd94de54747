/* SPDX-License-Identifier: 0BSD */
/*
 * wg_aoti_model.c - AOTInductor models: shared libraries that are called through the container functions of
 * torch/csrc/inductor/aoti_runtime/interface.h, found by name with dlsym, since every model has functions of those
 * names.
 *
 * A model takes the handles that it is given and returns handles that its caller owns. It runs without Python;
 * operators that it can only reach through a proxy executor (custom ones) fail, since it gets none.
 */
#include "wg_aoti_inside.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* POSIX promises that a function's address survives in a void *; C does not, so it is copied. */
int32_t wg_aoti_model_find(WgContext *ctx, const WgModel *model, const char *name, void *function, size_t size)
{
    void *address = dlsym(model->library, name);
    if (address == NULL) {
        ctx->model_message = dlerror();
        return WG_AOTI_E_LIBRARY;
    }
    memcpy(function, &address, size);
    return WG_AOTI_OK;
}

/* What the model says about its last failure. Older models have no function for that. */
static int32_t explain(WgContext *ctx, const WgModel *model, int32_t failed)
{
    const char *message = NULL;
    if (failed == 0) {
        return WG_AOTI_OK;
    }
    if (model->last_error != NULL && model->last_error(&message) == 0 && message != NULL && message[0] != '\0') {
        ctx->model_message = message;
    }
    return WG_AOTI_E_MODEL;
}

static int32_t open_container(WgContext *ctx, WgModel *model, const char *device, size_t num_runners,
                              const char *folder)
{
    int32_t (*create)(void **container, size_t num_models, const char *device_name, const char *binaries) = NULL;
    int32_t (*get_inputs)(void *container, size_t *n) = NULL;
    int32_t (*get_outputs)(void *container, size_t *n) = NULL;
    int32_t status =
        wg_aoti_model_find(ctx, model, "AOTInductorModelContainerCreateWithDevice", &create, sizeof create);
    if (status == WG_AOTI_OK) {
        status =
            wg_aoti_model_find(ctx, model, "AOTInductorModelContainerGetNumInputs", &get_inputs, sizeof get_inputs);
    }
    if (status == WG_AOTI_OK) {
        status =
            wg_aoti_model_find(ctx, model, "AOTInductorModelContainerGetNumOutputs", &get_outputs, sizeof get_outputs);
    }
    if (status == WG_AOTI_OK) {
        status = wg_aoti_model_find(ctx, model, "AOTInductorModelContainerRun", &model->run, sizeof model->run);
    }
    if (status == WG_AOTI_OK) {
        status =
            wg_aoti_model_find(ctx, model, "AOTInductorModelContainerDelete", &model->destroy, sizeof model->destroy);
    }
    if (status != WG_AOTI_OK) {
        return status;
    }
    (void)wg_aoti_model_find(ctx, model, "AOTInductorGetLastError", &model->last_error, sizeof model->last_error);
    ctx->model_message = NULL;
    int32_t failed = create(&model->container, num_runners, device, folder);
    failed = failed != 0 ? failed : get_inputs(model->container, &model->num_inputs);
    failed = failed != 0 ? failed : get_outputs(model->container, &model->num_outputs);
    return explain(ctx, model, failed);
}

int32_t wg_aoti_model_open(WgContext *ctx, WgModel *model, const char *path, const char *device, size_t num_runners,
                           const char *folder)
{
    memset(model, 0, sizeof *model);
    wg_error_clear(ctx);
    ctx->model_message = NULL;
    model->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (model->library == NULL) {
        ctx->model_message = dlerror();
        return WG_AOTI_E_LIBRARY;
    }
    const int32_t status = open_container(ctx, model, device, num_runners, folder);
    if (status != WG_AOTI_OK) { /* the library stays loaded: the message may lie in it */
        if (model->container != NULL) {
            (void)model->destroy(model->container);
        }
        memset(model, 0, sizeof *model);
    }
    return status;
}

void wg_aoti_model_close(WgModel *model)
{
    if (model->container != NULL) {
        (void)model->destroy(model->container);
        (void)dlclose(model->library);
    }
    wg_aoti_tensors_free(NULL, model->weights);
    memset(model, 0, sizeof *model);
}

static int32_t make_room(WgContext *ctx, size_t n)
{
    if (n <= ctx->handles_capacity) {
        return WG_AOTI_OK;
    }
    struct AtenTensorOpaque **handles = realloc(ctx->handles, n * sizeof *handles);
    if (handles == NULL) {
        return WG_AOTI_E_MEMORY;
    }
    ctx->handles = handles;
    ctx->handles_capacity = n;
    return WG_AOTI_OK;
}

/* Makes handles for the model to own; none on failure. */
static int32_t hand_over(const WgValue *args, size_t num_args, struct AtenTensorOpaque **inputs)
{
    int32_t status = WG_AOTI_OK;
    size_t n = 0;
    for (; n < num_args && status == WG_AOTI_OK; n++) {
        const WgTensor *t = args[n].tensor;
        inputs[n] = NULL;
        if (t == NULL || wg_aoti_is_subclass(t)) {
            status = WG_AOTI_E_ARGUMENT;
        } else {
            status = wg_aoti_status(aoti_torch_new_tensor_handle(wg_aoti_handle(t), &inputs[n]));
        }
    }
    for (size_t i = 0; i < n && status != WG_AOTI_OK; i++) {
        wg_release(NULL, wg_aoti_tensor(inputs[i]));
    }
    return status;
}

int32_t wg_call_model(WgContext *ctx, WgModel *model, const WgValue *args, size_t num_args, WgValue *outs,
                      size_t *num_outs)
{
    const size_t capacity = *num_outs;
    *num_outs = 0;
    ctx->model_message = NULL;
    if (model->container == NULL) {
        return WG_AOTI_E_CLOSED;
    }
    if (num_args != model->num_inputs || capacity < model->num_outputs) {
        return WG_AOTI_E_COUNT;
    }
    int32_t status = make_room(ctx, num_args + model->num_outputs);
    struct AtenTensorOpaque **inputs = ctx->handles;
    if (status == WG_AOTI_OK) {
        status = hand_over(args, num_args, inputs);
    }
    if (status != WG_AOTI_OK) {
        return status;
    }
    struct AtenTensorOpaque **outputs = inputs + num_args;
    for (size_t i = 0; i < model->num_outputs; i++) {
        outputs[i] = NULL;
    }
    const int32_t failed = model->run(model->container, inputs, num_args, outputs, model->num_outputs, NULL, NULL);
    if (failed != 0) {
        return explain(ctx, model, failed);
    }
    for (size_t i = 0; i < model->num_outputs; i++) {
        outs[i] = wg_value_tensor(wg_aoti_tensor(outputs[i]));
    }
    *num_outs = model->num_outputs;
    return WG_AOTI_OK;
}
