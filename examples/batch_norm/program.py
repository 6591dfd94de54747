# SPDX-License-Identifier: MIT
"""BatchNorm1d in training mode, without gradients: its running statistics are written in place.

Called twice on the same module. The statistics and the counter are inputs that the graph mutates itself, so the wrapper
only raises their versions.
"""

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
        tolerance={name: (2.4e-7, 1.2e-7) for name in ("y", "running_mean", "running_var")},
    )
