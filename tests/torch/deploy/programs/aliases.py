# SPDX-License-Identifier: MIT
"""Results that share memory with an argument, and one that is the argument."""

import torch

from wrapgen_torch import Case


def viewed(x):
    return {"columns": x.t(), "half": x[1:], "other": x * 2}


def counted(x):
    x.add_(1)
    return x


def case():
    return [
        Case(viewed, [("three", (torch.randn(3, 4),)), ("again", (torch.randn(3, 4),))], name="viewed"),
        Case(counted, [("three", (torch.randn(3, 4),))], name="counted"),
    ]
