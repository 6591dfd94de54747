# SPDX-License-Identifier: MIT
"""Views in a graph that trains, with its backward.

Every way in which AOTAutograd returns an alias of an intermediate: its base added to the graph's outputs, a base added
earlier, a base that is an output itself, and the unsafe view of a lone alias.
"""

import torch
from wrapgen_torch import Case


def function(x):
    hidden = x * 2
    shown = x + 1
    lone = x * 3
    return x.t(), hidden.t(), hidden[1], shown, shown.view(-1), lone.view(2, 8), x.detach()


def case():
    return Case(
        function=function,
        calls=[("only", (torch.randn(4, 4, requires_grad=True),))],
        outputs=["x_transposed", "hidden_transposed", "hidden_row", "shown", "shown_flat", "lone_view", "x_detached"],
    )
