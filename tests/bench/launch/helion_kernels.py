# SPDX-License-Identifier: MIT
"""The kernels of kernels.py in Helion, with one configuration each, so that nothing is tuned."""

import helion
import helion.language as hl
import torch

CONFIG = helion.Config(block_sizes=[1024], num_warps=4)
T = torch.Tensor


@helion.kernel(config=CONFIG, static_shapes=True)
def two(x0: T, out: T) -> None:
    for tile in hl.tile(x0.size(0)):
        out[tile] = x0[tile]


@helion.kernel(config=CONFIG, static_shapes=True)
def sixteen(x0: T, x1: T, x2: T, x3: T, x4: T, x5: T, x6: T, x7: T, x8: T, x9: T, x10: T, x11: T, x12: T, x13: T, x14: T, out: T) -> None:
    for tile in hl.tile(x0.size(0)):
        low = x0[tile] + x1[tile] + x2[tile] + x3[tile] + x4[tile] + x5[tile] + x6[tile] + x7[tile]
        out[tile] = low + x8[tile] + x9[tile] + x10[tile] + x11[tile] + x12[tile] + x13[tile] + x14[tile]
