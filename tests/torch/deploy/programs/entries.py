# SPDX-License-Identifier: MIT
"""An encoder and a decoder: two entry points of one program."""

import torch
from torch import nn

from wrapgen_torch import Case


def case():
    encode, decode = nn.Sequential(nn.Linear(8, 3), nn.Tanh()), nn.Linear(3, 8)
    x, code = torch.randn(4, 8), torch.randn(4, 3)
    rows = torch.export.Dim("rows", min=2)
    return [
        Case(encode, [("four", (x,))], name="encode", outputs=["code"], dynamic_shapes=({0: rows},)),
        Case(decode, [("four", (code,)), ("six", (torch.randn(6, 3),))], name="decode", outputs=["x"], dynamic_shapes=({0: rows},)),
    ]
