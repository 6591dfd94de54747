# SPDX-License-Identifier: MIT
"""Batch norm in training mode, which writes to its running statistics and counts its calls."""

import torch
from torch import nn

from wrapgen_torch import Case


def case():
    net = nn.Sequential(nn.Linear(6, 4), nn.BatchNorm1d(4))
    return Case(net.train(), [("first", (torch.randn(5, 6),)), ("second", (torch.randn(5, 6),))])
