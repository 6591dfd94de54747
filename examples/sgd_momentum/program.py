# SPDX-License-Identifier: MIT
"""A step of torch.optim.SGD with momentum and weight decay over two real parameters.

The parameters are leaves that require grad, written under no_grad; momentum buffers and gradients are plain inputs.
"""

import torch
from wrapgen_torch import Case


def case():
    weight = torch.nn.Parameter(torch.randn(2, 3))
    bias = torch.nn.Parameter(torch.randn(2))
    parameters = {"weight": weight, "bias": bias}
    optimizer = torch.optim.SGD([weight, bias], lr=0.1, momentum=0.9, weight_decay=0.01)
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
        tolerance={name: (1.2e-7, 6e-8) for name in tensors if not name.endswith("_grad")},
    )
