# SPDX-License-Identifier: MIT
"""A step of torch.optim.SGD with momentum over the parameters of examples/mlp, which are mutated in place.

examples/training trains that network with it, and compares the losses with PyTorch's.
"""

import torch
from wrapgen_torch import Case

SIZES = {"hidden_weight": (8, 2), "hidden_bias": (8,), "out_weight": (1, 8), "out_bias": (1,)}


def case():
    parameters = {name: torch.nn.Parameter(torch.randn(size)) for name, size in SIZES.items()}
    optimizer = torch.optim.SGD(parameters.values(), lr=0.1, momentum=0.9)
    for parameter in parameters.values():
        parameter.grad = torch.randn_like(parameter)
    optimizer.step()  # eager: makes the momentum buffers

    def step():
        optimizer.step()

    tensors = dict(parameters)
    for name, parameter in parameters.items():
        tensors[f"{name}_grad"] = parameter.grad
        tensors[f"{name}_momentum"] = optimizer.state[parameter]["momentum_buffer"]
    return Case(
        function=step,
        calls=[("second_step", ()), ("third_step", ())],
        tensors=tensors,
        fullgraph=False,  # torch.optim's own wrapper breaks the graph before the step begins
        tolerance={name: (1.2e-7, 1.2e-7) for name in tensors if not name.endswith("_grad")},
    )
