# SPDX-License-Identifier: MIT
"""A linear layer with tanh that trains: forward, saved values, backward.

The tangent comes in another memory layout than the backward was compiled for, so the wrapper brings it into that one.
"""

import torch
from wrapgen_torch import Case


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 2)

    def forward(self, x):
        return torch.tanh(self.linear(x))


def case():
    module = Layer()
    return Case(
        function=module,
        calls=[("first", (torch.randn(3, 4),)), ("second", (torch.randn(3, 4),))],
        outputs=["y"],
        tolerance={name: (2.4e-7, 2.4e-7) for name in ("y", "grad_linear_weight", "grad_linear_bias")},
    )
