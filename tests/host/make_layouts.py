#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes layouts.inc: which memory formats PyTorch says that a geometry is in, and where contiguous() brings it.

    python3 tests/host/make_layouts.py > tests/host/layouts.inc      (measured with torch 2.13.0+cpu)

LAYOUT(rank, sizes, strides, format, whether it is in that format, strides of t.contiguous(memory_format=...))
"""
import random

import torch

FORMATS = {
    "WG_CONTIGUOUS": torch.contiguous_format,
    "WG_CHANNELS_LAST": torch.channels_last,
    "WG_CHANNELS_LAST_3D": torch.channels_last_3d,
}
RANKS = {"WG_CHANNELS_LAST": 4, "WG_CHANNELS_LAST_3D": 5}


def geometry(rank):
    sizes = [random.choice([0, 1, 1, 2, 3, 4]) if random.random() < 0.4 else random.randint(2, 4) for _ in range(rank)]
    plain, last = list(range(rank)), [0, *range(2, rank), 1]
    order = random.choice([plain, last if rank > 3 else plain, random.sample(plain, rank)])
    strides, step = [0] * rank, 1
    for d in reversed(order):
        strides[d] = step
        step *= max(sizes[d], 1)
    for d in range(rank):  # what leads nowhere, a gap, an expanded dimension
        if (sizes[d] == 1 and random.random() < 0.5) or random.random() < 0.08:
            strides[d] = random.choice([0, 1, 7, 2 * strides[d]])
    return sizes, strides


def text(numbers):
    return "LIST(" + ", ".join(map(str, list(numbers) + [0] * (5 - len(numbers)))) + ")"


random.seed(1)
print("/* Made by make_layouts.py with torch 2.13.0+cpu; not to be edited. */")
for _ in range(240):
    rank = random.choice([1, 2, 3, 4, 4, 4, 5, 5])
    sizes, strides = geometry(rank)
    t = torch.empty_strided(sizes, strides)
    for name, form in FORMATS.items():
        if RANKS.get(name, rank) == rank:
            made = t.contiguous(memory_format=form)
            print(f"LAYOUT({rank}, {text(sizes)}, {text(strides)}, {name}, {int(t.is_contiguous(memory_format=form))},")
            print(f"       {text(made.stride())})")
