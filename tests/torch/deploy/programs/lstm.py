# SPDX-License-Identifier: MIT
"""An LSTM whose state goes in and comes out."""

import torch

from wrapgen_torch import Case


def case():
    net = torch.nn.LSTM(6, 8, batch_first=True)
    x, state = torch.randn(2, 5, 6), (torch.randn(1, 2, 8), torch.randn(1, 2, 8))
    return Case(net.eval(), [("five", (x, state))], outputs=["y", "h", "c"])
