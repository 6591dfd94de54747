# SPDX-License-Identifier: MIT
"""Entry points with the names that files have most often, which are also those of what is written around them."""

import torch

from wrapgen_torch import Case


def case():
    return [Case(torch.nn.Linear(4, 3), [("rows", (torch.randn(2, 4),))], name=name, outputs=["y"]) for name in ("model", "main", "compare")]
