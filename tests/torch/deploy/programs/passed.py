# SPDX-License-Identifier: MIT
"""What is passed and returned besides tensors: a dict whose keys come in any order, a flag, None and a number; a method, and a module that
returns a dict with None in it."""

import torch
from torch import nn

from wrapgen_torch import Case


def combined(batch, scale, doubled, mask=None):
    total = batch["x"] * scale - batch["y"]
    total = total * 2 if doubled else total
    return {"total": total if mask is None else total * mask, "mask": mask, "scale": scale}


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x, labels=None):
        logits = self.layer(x)
        return {"loss": None if labels is None else nn.functional.cross_entropy(logits, labels), "logits": logits}

    def counted(self, x):
        self.calls += 1
        return self.layer(x) + self.calls


def case():
    x, y, rows = torch.randn(3, 4), torch.randn(3, 4), torch.export.Dim("rows", min=2, max=64)
    net = Classifier()
    varying = {"batch": {"x": {0: rows}, "y": {0: rows}}}
    calls = [("first", ({"x": x, "y": y}, 3, True, None)), ("turned", ({"y": y[:2], "x": x[:2]}, 3, True, None))]
    return [
        Case(combined, calls, name="combined", dynamic_shapes=varying),
        Case(net, [("three", (x, None))], name="classify"),
        Case(net, [("three", (x, torch.tensor([0, 1, 1])))], name="train"),
        Case(net.counted, [("three", (x,)), ("again", (x,))], name="counted"),
    ]
