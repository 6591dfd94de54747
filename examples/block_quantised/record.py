# SPDX-License-Identifier: MIT
"""Writes recorded.txt: the same graphs computed by PyTorch, for 6 by 32 data in blocks of four.

    .venv/bin/python examples/block_quantised/record.py      # --check: write nothing, 1 when the file differs
"""

import sys
from pathlib import Path

import torch

BLOCK = 4
FILE = Path(__file__).with_name("recorded.txt")


def quantise(x):
    blocks = x.unflatten(1, (-1, BLOCK))
    zero = torch.zeros(())
    low = torch.minimum(blocks.amin(2), zero)
    high = torch.maximum(blocks.amax(2), zero)
    scale = torch.where(high > low, (high - low) / 255.0, torch.ones(()))
    zero_point = (-128.0 - low / scale).round().clamp(-128, 127)
    data = ((blocks / scale.unsqueeze(2)).round() + zero_point.unsqueeze(2)).clamp(-128, 127)
    return data.flatten(1).to(torch.int8), scale, zero_point.to(torch.int8)


def dequantise(data, scale, zero_point):
    whole = data.unflatten(1, (-1, BLOCK)).to(torch.int32) - zero_point.unsqueeze(2).to(torch.int32)
    return (whole.to(torch.float32) * scale.unsqueeze(2)).flatten(1)


def text(name, tensor):
    values = [v.hex() if isinstance(v, float) else str(v) for v in tensor.flatten().tolist()]
    return f"{name} {tensor.size(0)} {tensor.size(1)} {' '.join(values)}"


def main():
    torch.set_num_threads(1)
    torch.manual_seed(7)
    start = torch.randn(6, 32)
    start[2, 8:12] = 0  # a block of zeros has the scale 1
    x = torch.randn(3, 32)
    delta = torch.randn(6, 32) / 4
    w = quantise(start)
    new = quantise(dequantise(*w) + delta)
    named = {"start": start, "x": x, "delta": delta}
    named.update(zip(("data", "scale", "zero_point"), w))
    named["y"] = x @ dequantise(*w).t()
    named.update(zip(("new_data", "new_scale", "new_zero_point"), new))
    lines = [
        f"# Recorded by examples/block_quantised/record.py from torch {torch.__version__.split('+')[0]}; do not edit.",
        "# name, rows, columns, values",
        *(text(name, tensor) for name, tensor in named.items()),
    ]
    content = "\n".join(lines) + "\n"
    if "--check" in sys.argv[1:]:
        return 0 if FILE.exists() and FILE.read_text() == content else 1
    FILE.write_text(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
