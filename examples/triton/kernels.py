# SPDX-License-Identifier: 0BSD
"""A kernel in Triton: out = alpha * x + y, BLOCK elements for each program of the grid."""

import triton
import triton.language as tl


@triton.jit
def scale_add(x, y, out, n, alpha, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, alpha * tl.load(x + at, inside) + tl.load(y + at, inside), inside)
