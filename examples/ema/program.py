# SPDX-License-Identifier: MIT
"""An exponential moving average of parameters, for a back end that keeps no mutation in the graph.

The graph returns the new values and the wrapper's epilogue writes them, past autograd where a leaf requires grad.
"""

import torch
from wrapgen_torch import Case


def function(model, average, steps):
    with torch.no_grad():
        for value, mean in zip(model, average):
            mean.mul_(0.75).add_(value, alpha=0.25)
        steps.add_(1)
        return average[0].sum()


def case():
    model = [torch.randn(2, 2, requires_grad=True), torch.randn(3, requires_grad=True)]
    average = [torch.randn(2, 2, requires_grad=True), torch.randn(3)]
    steps = torch.tensor(41)
    return Case(
        function=function,
        calls=[("first", (model, average, steps)), ("second", (model, average, steps))],
        outputs=["total"],
        keep_input_mutations=False,
        tolerance={"total": (2.4e-7, 1.2e-7)},
    )
