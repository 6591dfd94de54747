/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_model.cpp - AOTInductor models: what `convention: aoti` calls, and what a Python module binds as a compiled
 * function. PyTorch's own runner opens the library and runs it, operators included that it reaches through its proxy
 * executor; no Python is needed.
 */
#include "wg_torch_inside.hpp"

#include <ATen/DynamicLibrary.h>
#include <torch/csrc/inductor/aoti_runner/model_container_runner_cpu.h>

#include <cstring>
#include <memory>

namespace
{

/* The runner does not ask how many inputs there are, and a model reads beyond those that it is given. */
class Runner : public torch::inductor::AOTIModelContainerRunnerCpu
{
  public:
    Runner(const char *path, size_t num_runners)
        : AOTIModelContainerRunnerCpu(path, num_runners), num_inputs(count("AOTInductorModelContainerGetNumInputs")),
          num_outputs(count("AOTInductorModelContainerGetNumOutputs"))
    {
    }

    const size_t num_inputs;
    const size_t num_outputs;

  private:
    size_t count(const char *name)
    {
        int32_t (*get)(void *container, size_t *n) = nullptr;
        void *address = model_so_->sym(name);
        std::memcpy(&get, &address, sizeof get);
        size_t n = 0;
        TORCH_CHECK(get(container_handle_, &n) == 0, name, " failed");
        return n;
    }
};

Runner *runner_of(const WgModel *model)
{
    return static_cast<Runner *>(model->runner);
}

} // namespace

int32_t wg_torch_model_open(WgContext *ctx, WgModel *model, const char *path, const char *device, size_t num_runners)
{
    std::memset(model, 0, sizeof *model);
    return wg_torch_attempt(ctx, [&] {
        TORCH_CHECK(std::strcmp(device, "cpu") == 0, "models for the device '", device, "' are not called here");
        auto opened = std::make_unique<Runner>(path, num_runners);
        model->num_inputs = opened->num_inputs;
        model->num_outputs = opened->num_outputs;
        model->runner = opened.release();
    });
}

void wg_torch_model_close(WgModel *model)
{
    delete runner_of(model);
    std::memset(model, 0, sizeof *model);
}

std::vector<at::Tensor> wg_torch_run_model(const WgModel *model, std::vector<at::Tensor> &&inputs)
{
    TORCH_CHECK(model->runner != nullptr, "the model is not open");
    TORCH_CHECK(inputs.size() == model->num_inputs, "the model takes ", model->num_inputs, " tensors, not ",
                inputs.size());
    for (const at::Tensor &input : inputs) {
        TORCH_CHECK(input.defined(), "a model takes no null");
    }
    return runner_of(model)->boxed_run(std::move(inputs));
}

int32_t wg_call_model(WgContext *ctx, WgModel *model, const WgValue *args, size_t num_args, WgValue *outs,
                      size_t *num_outs)
{
    const size_t capacity = *num_outs;
    *num_outs = 0;
    return wg_torch_attempt(ctx, [&] {
        TORCH_CHECK(model->num_outputs <= capacity, "the model returns ", model->num_outputs,
                    " tensors, and the wrapper has room for ", capacity);
        std::vector<at::Tensor> inputs;
        inputs.reserve(num_args);
        for (size_t i = 0; i < num_args; i++) {
            inputs.push_back(args[i].tensor == nullptr ? at::Tensor() : *WgTorchBorrowed(args[i].tensor));
        }
        std::vector<at::Tensor> results = wg_torch_run_model(model, std::move(inputs));
        for (size_t i = 0; i < results.size(); i++) {
            outs[i] = wg_value_tensor(wg_torch_give(std::move(results[i])));
        }
        *num_outs = results.size();
    });
}
