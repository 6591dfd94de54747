# SPDX-License-Identifier: MIT
#
# overhead.py N - nanoseconds a call of the wrapper that PyTorch itself generates for the graph of overhead.yaml, around a
# compiled function that only hands over tensors that are there; N calls, one number a line on standard output.
import sys
import time
import warnings

import torch
from functorch.compile import make_boxed_func
from torch._functorch.aot_autograd import aot_module_simplified

warnings.filterwarnings("ignore")


def step(x, state, w):
    state.mul_(0.5)
    return x * 2, state[1:3], w


def compiler(graph, example_inputs):
    kept = []

    def compiled(*args):
        if not kept:
            kept.extend(graph(*args))
        return list(kept)

    return make_boxed_func(compiled)


def main():
    n = int(sys.argv[1])
    x, state, w = torch.ones(4, 3), torch.ones(4), torch.ones(2)

    class Step(torch.nn.Module):
        def forward(self, x, state, w):
            return step(x, state, w)

    with torch.no_grad():
        module = torch.fx.symbolic_trace(Step())
        wrapper = aot_module_simplified(module, (x, state, w), fw_compiler=compiler, inference_compiler=compiler,
                                        keep_inference_input_mutations=True)
        version = state._version
        y, tail, same = wrapper(x, state, w)
        assert same is w and tail.data_ptr() == state.data_ptr() + 4 and state._version > version
        for _ in range(1000):
            wrapper(x, state, w)
        begin = time.perf_counter_ns()
        for _ in range(n):
            wrapper(x, state, w)
        print((time.perf_counter_ns() - begin) / n)


main()
