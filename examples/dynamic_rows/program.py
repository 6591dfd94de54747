# SPDX-License-Identifier: MIT
"""One graph for any number of rows, called with three sizes.

The symbol is in the sizes of inputs, outputs and views, and one more input is the size itself, as PyTorch passes it.
"""

import torch
from wrapgen_torch import Case


def function(x, total):
    total.add_(x.sum(0))
    doubled = x * 2
    return x.t(), x[1:-1], x.view(-1), x.view(-1, 2, 3).transpose(0, 1), doubled


def case():
    total = torch.zeros(6)
    calls = []
    for rows in (5, 4, 9):
        x = torch.randn(rows, 6)
        torch._dynamo.mark_dynamic(x, 0, min=4, max=64)
        calls.append((f"rows_{rows}", (x, total)))
    return Case(
        function=function,
        calls=calls,
        outputs=["transposed", "middle", "flat", "pairs", "doubled"],
        tolerance={"total": (2.4e-7, 2.4e-7)},
    )
