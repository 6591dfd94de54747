# SPDX-License-Identifier: MIT
"""A linear layer over weights of eight bits, with a scale for each row."""

import torch

from wrapgen_torch import Case


class Quantised(torch.nn.Module):
    def __init__(self):
        super().__init__()
        weight = torch.randn(8, 6)
        self.register_buffer("scale", weight.abs().amax(1) / 127)
        self.register_buffer("bits", (weight / self.scale[:, None]).round().to(torch.int8))

    def forward(self, x):
        steps = x.abs().amax(1, keepdim=True) / 127
        whole = (x / steps).round().to(torch.int8)
        return (whole.to(torch.int32) @ self.bits.to(torch.int32).t()) * steps * self.scale


def case():
    return Case(Quantised(), [("three", (torch.randn(3, 6),))])
