# SPDX-License-Identifier: MIT
"""One net, compiled for a single row and for many: a dispatcher chooses by the size."""

import torch
from torch import nn

from wrapgen_torch import Case


def case():
    net = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 3)).eval()
    rows = torch.export.Dim("rows", min=2, max=1024)
    return [
        Case(net, [("one", (torch.randn(1, 8),))], name="net"),
        Case(net, [("five", (torch.randn(5, 8),)), ("two", (torch.randn(2, 8),))], name="net", dynamic_shapes=({0: rows},)),
    ]
