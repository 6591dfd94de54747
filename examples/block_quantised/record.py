# SPDX-License-Identifier: MIT
"""Writes recorded.txt: the same graphs computed by PyTorch, for 6 by 32 data in blocks of four.

    .venv/bin/python examples/block_quantised/record.py      # --check: write nothing, 1 when the file differs

--check computes from the recorded inputs, since PyTorch's random numbers differ in the last bits from CPU to CPU. What is
rounded to integers is exact then; the sums of `y` may be in another order.
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


def inputs():
    torch.manual_seed(7)
    start = torch.randn(6, 32)
    start[2, 8:12] = 0  # a block of zeros has the scale 1
    x = torch.randn(3, 32)
    return {"start": start, "x": x, "delta": torch.randn(6, 32) / 4}


def computed(start, x, delta):
    w = quantise(start)
    new = quantise(dequantise(*w) + delta)
    named = {"start": start, "x": x, "delta": delta}
    named.update(zip(("data", "scale", "zero_point"), w))
    named["y"] = x @ dequantise(*w).t()
    named.update(zip(("new_data", "new_scale", "new_zero_point"), new))
    return named


def text(name, tensor):
    values = [v.hex() if isinstance(v, float) else str(v) for v in tensor.flatten().tolist()]
    return f"{name} {tensor.size(0)} {tensor.size(1)} {' '.join(values)}"


def recorded():
    result = {}
    for line in FILE.read_text().splitlines():
        if not line.startswith("#"):
            name, rows, columns, *words = line.split()
            values = [float.fromhex(word) if "x" in word else int(word) for word in words]
            dtype = torch.float32 if isinstance(values[0], float) else torch.int8
            result[name] = torch.tensor(values, dtype=dtype).view(int(rows), int(columns))
    return result


def is_stale():
    old, fresh = recorded(), inputs()
    if not all(torch.allclose(old[name], value, rtol=1e-5, atol=1e-5) for name, value in fresh.items()):
        return True
    new = computed(*(old[name] for name in fresh))
    loose = {"y": (1e-5, 1e-5)}
    same = [torch.allclose(old[name], value, *loose.get(name, (0.0, 0.0))) for name, value in new.items()]
    return not all(same) or list(old) != list(new)


def main():
    torch.set_num_threads(1)
    if "--check" in sys.argv[1:]:
        return int(is_stale())
    lines = [
        f"# Recorded by examples/block_quantised/record.py from torch {torch.__version__.split('+')[0]}; do not edit.",
        "# name, rows, columns, values",
        *(text(name, tensor) for name, tensor in computed(**inputs()).items()),
    ]
    FILE.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
