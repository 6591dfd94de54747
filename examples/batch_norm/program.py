# SPDX-License-Identifier: MIT
"""BatchNorm1d in training mode, called twice: the module's running statistics are inputs that the graph writes in place."""

import torch
from wrapgen_torch import Case


def case():
    module = torch.nn.BatchNorm1d(3).train()
    with torch.no_grad():
        module.weight.copy_(torch.tensor([1.0, 0.5, -2.0]))
        module.bias.copy_(torch.tensor([0.0, 1.0, -0.25]))
    return Case(
        function=module,
        calls=[("first", (torch.randn(4, 3),)), ("second", (torch.randn(4, 3) * 3 + 1,))],
        outputs=["y"],
        grad_mode=False,
        tolerance={"y": (1e-6, 1e-6), "running_mean": (2e-7, 1e-7), "running_var": (4e-7, 1e-7)},
    )
