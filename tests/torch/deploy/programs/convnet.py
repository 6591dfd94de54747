# SPDX-License-Identifier: MIT
"""A convolutional net for any number of images."""

import torch
from torch import nn

from wrapgen_torch import Case


def case():
    net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(128, 5))
    images = torch.export.Dim("images", min=2, max=64)
    calls = [("three", (torch.randn(3, 3, 8, 8),)), ("ten", (torch.randn(10, 3, 8, 8),))]
    return Case(net.eval(), calls, dynamic_shapes=({0: images},))
