# SPDX-License-Identifier: MIT
"""Views of inputs, of views, and of an intermediate, in inference.

Views of inputs are replayed on the caller's tensors; views of the intermediate come from the graph as they are and
share its storage.
"""

import torch
from wrapgen_torch import Case


def function(x, z):
    y = x * 2 + 1
    return (
        x.t(),
        x[1:, ::2],
        x.detach(),
        x.view(-1, 2, 2).transpose(1, 2)[:, 1],
        x.diagonal(),
        x.unfold(1, 2, 2),
        x.split(2)[1],
        x.unsqueeze(0).expand(2, 4, 4),
        x.view(torch.int32),
        torch.view_as_real(z),
        torch.view_as_real(z)[..., 1],
        y,
        y.t(),
        y[2],
    )


def case():
    outputs = (
        "transposed strided detached columns diagonal windows second_half expanded bits real_pairs imaginary "
        "y y_transposed y_row"
    ).split()
    return Case(
        function=function,
        calls=[("only", (torch.randn(4, 4), torch.randn(3, dtype=torch.complex64)))],
        outputs=outputs,
    )
