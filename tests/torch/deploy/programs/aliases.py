# SPDX-License-Identifier: MIT
"""Results that share memory with an argument, and one that is the argument."""

import torch

from wrapgen_torch import Case


def viewed(x):
    return {"columns": x.t(), "half": x[1:], "other": x * 2}


def counted(x):
    x.add_(1)
    return x


def written(x, y):
    row = x[1]
    row.add_(y)
    return {"row": row, "columns": x.t(), "other": y * 2}


def case():
    return [
        Case(viewed, [("three", (torch.randn(3, 4),)), ("again", (torch.randn(3, 4),))], name="viewed"),
        Case(counted, [("three", (torch.randn(3, 4),))], name="counted"),
        Case(written, [("three", (torch.randn(3, 4), torch.randn(4)))], name="written"),
    ]
