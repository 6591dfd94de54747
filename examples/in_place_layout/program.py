# SPDX-License-Identifier: MIT
"""Inputs whose layout changes in place, and inputs that are returned.

`a` is only transposed, `b` is transposed and written, `c` is written, and returned along with a view of it.
Captured without Dynamo, which refuses an in-place view of an input.
"""

import torch
from wrapgen_torch import Case


def function(a, b, c):
    a.transpose_(0, 1)
    b.t_()
    b.mul_(2)
    c.add_(1)
    return a, b.sum(1), c, c[:, 1], a * 3


def case():
    return Case(
        function=function,
        calls=[("only", (torch.randn(3, 4), torch.randn(2, 5), torch.randn(4, 3)))],
        outputs=["a_again", "b_sums", "c_again", "c_column", "tripled"],
        frontend="direct",
    )
