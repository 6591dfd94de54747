/* SPDX-License-Identifier: MIT */
/*
 * share.cpp TORCH.so AOTI.so [ROUNDS] - what the wrapper of x + y of four floats costs, without gradients and with
 * them, on the hosts torch and aoti, compared with C++ written by hand over at::Tensor, in one process, in turns. The
 * compiled function only makes an empty tensor, and its own time is taken off every row. Medians in microseconds, and
 * ratios to the hand-written row. The aoti host has no node: its row with gradients is the forward's wrapper alone.
 */
#include "share.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/variable.h>

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

using at::Tensor;

static Tensor kernel()
{
    return at::empty({4}, at::TensorOptions().dtype(at::kFloat));
}

static void *kernel_of_torch()
{
    return kernel().unsafeReleaseTensorImpl();
}

static void *kernel_of_aoti()
{
    return new Tensor(kernel());
}

/* ---- by hand ---- */

struct HandNode : torch::autograd::Node {
    torch::autograd::variable_list apply(torch::autograd::variable_list &&grads) override
    {
        return {grads[0], grads[0]};
    }
};

static bool fits(const Tensor &t)
{
    return t.scalar_type() == at::kFloat && t.dim() == 1 && t.size(0) == 4 && t.stride(0) == 1;
}

static Tensor by_hand(const Tensor &x, const Tensor &y)
{
    TORCH_CHECK(fits(x) && fits(y), "other arguments");
    return kernel();
}

static Tensor by_hand_trained(const Tensor &x, const Tensor &y)
{
    TORCH_CHECK(fits(x) && fits(y), "other arguments");
    Tensor made;
    {
        const at::NoGradGuard no_grad;
        made = kernel();
    }
    if (x.requires_grad() || y.requires_grad()) {
        auto node = c10::make_intrusive<HandNode>();
        node->set_next_edges({torch::autograd::impl::gradient_edge(x), torch::autograd::impl::gradient_edge(y)});
        torch::autograd::set_history(made, node);
    }
    return made;
}

/* ---- in turns ---- */

struct Row {
    const char *name;
    std::function<void()> call;
    std::vector<double> times;
};

static double median(std::vector<double> times)
{
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

static void take_turns(std::vector<Row> &rows, int rounds)
{
    constexpr int CALLS = 2000;
    for (int round = 0; round < rounds; round++) {
        for (Row &row : rows) {
            const auto begin = std::chrono::steady_clock::now();
            for (int i = 0; i < CALLS; i++) {
                row.call();
            }
            const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
            row.times.push_back(took.count() / CALLS);
        }
    }
}

struct Library {
    void *state;
    int (*add)(void *state);
    int (*train)(void *state);
};

static Library load(const char *path, ShareKernel made, void *x, void *y)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        std::fprintf(stderr, "%s\n", dlerror());
        std::exit(1);
    }
    const auto make = reinterpret_cast<void *(*)(ShareKernel, void *, void *)>(dlsym(library, "share_make"));
    return {make(made, x, y), reinterpret_cast<int (*)(void *)>(dlsym(library, "share_call_add")),
            reinterpret_cast<int (*)(void *)>(dlsym(library, "share_call_train"))};
}

static void must(int status)
{
    if (status != 0) {
        std::fprintf(stderr, "a wrapper returned %d\n", status);
        std::exit(1);
    }
}

static void report(const char *title, std::vector<Row> &rows, int rounds)
{
    take_turns(rows, rounds);
    const double empty = median(rows[0].times);
    const double hand = median(rows[1].times) - empty;
    std::printf("%-42s %8s %8s\n", title, "us", "ratio");
    for (size_t i = 1; i < rows.size(); i++) {
        const double share = median(rows[i].times) - empty;
        std::printf("    %-38s %8.3f %8.2f\n", rows[i].name, share, share / hand);
    }
}

int main(int argc, char **argv)
{
    const int rounds = argc > 3 ? std::atoi(argv[3]) : 101;
    Tensor x = kernel();
    Tensor y = kernel();
    const Library torch = load(argv[1], kernel_of_torch, x.unsafeGetTensorImpl(), y.unsafeGetTensorImpl());
    const Library aoti = load(argv[2], kernel_of_aoti, &x, &y);
    std::vector<Row> without = {
        {"the compiled function alone", [] { (void)kernel(); }, {}},
        {"by hand", [&] { (void)by_hand(x, y); }, {}},
        {"host torch", [&] { must(torch.add(torch.state)); }, {}},
        {"host aoti", [&] { must(aoti.add(aoti.state)); }, {}},
    };
    report("x + y of four floats", without, rounds);
    x.requires_grad_();
    y.requires_grad_();
    const auto of_x = torch::autograd::impl::gradient_edge(x); /* as in training, where the last call's are alive */
    const auto of_y = torch::autograd::impl::gradient_edge(y);
    std::vector<Row> with = {
        {"the compiled function alone", [] { (void)kernel(); }, {}},
        {"by hand", [&] { (void)by_hand_trained(x, y); }, {}},
        {"host torch, with its node", [&] { must(torch.train(torch.state)); }, {}},
        {"host aoti, the wrapper alone", [&] { must(aoti.train(aoti.state)); }, {}},
    };
    report("the same with gradients, forward", with, rounds);
    return 0;
}
