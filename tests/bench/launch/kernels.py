# SPDX-License-Identifier: MIT
"""Kernels of two and of sixteen tensors, which sum all but the last into the last."""

import triton
import triton.language as tl


@triton.jit
def two(x0, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x0 + at, inside), inside)


@triton.jit
def sixteen(x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    low = tl.load(x0 + at, inside) + tl.load(x1 + at, inside) + tl.load(x2 + at, inside) + tl.load(x3 + at, inside)
    middle = tl.load(x4 + at, inside) + tl.load(x5 + at, inside) + tl.load(x6 + at, inside) + tl.load(x7 + at, inside)
    high = tl.load(x8 + at, inside) + tl.load(x9 + at, inside) + tl.load(x10 + at, inside) + tl.load(x11 + at, inside)
    rest = tl.load(x12 + at, inside) + tl.load(x13 + at, inside) + tl.load(x14 + at, inside)
    tl.store(out + at, low + middle + high + rest, inside)
