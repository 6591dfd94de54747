# SPDX-License-Identifier: MIT
"""A network of two layers that trains: tanh in between, the mean of the squared errors as its loss.

examples/training trains it, with the wrapper of examples/mlp_step, and compares the losses with PyTorch's.
"""

import torch
from wrapgen_torch import Case


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = torch.nn.Linear(2, 8)
        self.out = torch.nn.Linear(8, 1)

    def forward(self, x, target):
        y = self.out(torch.tanh(self.hidden(x)))
        return torch.nn.functional.mse_loss(y, target)


def case():
    module = Network()
    names = [name.replace(".", "_") for name, _ in module.named_parameters()]
    return Case(
        function=module,
        calls=[(name, (torch.randn(16, 2), torch.randn(16, 1))) for name in ("first", "second")],
        outputs=["loss"],
        tolerance={name: (1e-6, 1e-6) for name in ["loss", *(f"grad_{name}" for name in names)]},
    )
