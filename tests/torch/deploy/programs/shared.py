# SPDX-License-Identifier: MIT
"""Two entry points of one module, one of them with two variants, and a module of its own whose weight has the same name."""

import torch
from torch import nn

from wrapgen_torch import Case


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(32, 8)
        self.layer = nn.Linear(8, 8)  # whose bias is small enough for Inductor to write it into the code
        self.scale = nn.Parameter(torch.tensor(1.5))
        self.norm = nn.LayerNorm(8)  # whose weights are all alike

    def read(self, tokens):
        return self.norm(torch.tanh(self.layer(self.table(tokens)))) * self.scale * torch.tensor([1.0, 2.0] * 4)

    def score(self, states):
        return states @ self.table.weight.T


def case():
    words, other = Words(), nn.Sequential()
    other.add_module("layer", nn.Linear(8, 8))
    return [
        Case(words.read, [("four", (torch.arange(4),))], name="read", outputs=["states"]),
        Case(words.read, [("six", (torch.arange(6) * 5,))], name="read", outputs=["states"]),
        Case(words.score, [("states", (torch.randn(3, 8),))], name="score", outputs=["scores"]),
        Case(other, [("two", (torch.randn(2, 8),))], name="other", outputs=["y"]),
    ]
