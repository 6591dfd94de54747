# SPDX-License-Identifier: MIT
"""A small vision transformer."""

import torch
from torch import nn

from wrapgen_torch import Case


class Vit(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 16, 4, stride=4)
        self.places = nn.Parameter(torch.randn(1, 17, 16))
        self.word = nn.Parameter(torch.randn(1, 1, 16))
        self.layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
        self.head = nn.Linear(16, 5)

    def forward(self, image):
        x = self.patches(image).flatten(2).transpose(1, 2)
        x = torch.cat([self.word.expand(x.shape[0], -1, -1), x], 1) + self.places
        return self.head(self.layer(x)[:, 0])


def case():
    return Case(Vit().eval(), [("two", (torch.randn(2, 3, 16, 16),))], outputs=["classes"])
