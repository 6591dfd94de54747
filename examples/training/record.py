# SPDX-License-Identifier: MIT
"""Writes losses.txt: what PyTorch's loss is every 25 steps of the training that main.c repeats in C.

    .venv/bin/python examples/training/record.py            # --check: write nothing, 1 when the file differs

The network is that of examples/mlp, the optimizer that of examples/mlp_step; data and first weights are formulas, small
fractions of powers of two, so that C has the same numbers. It is run in float32 and, with the same start, in float64:
how far these two are apart is how much the rounding of one float32 program matters here, and main.c takes its tolerance
from that.
"""

import sys
from pathlib import Path

import torch

STEPS = 300
EVERY = 25
FILE = Path(__file__).with_name("losses.txt")


def formula(count, factor, modulus, scale):
    """Entry i is ((factor * i) mod modulus - (modulus - 1) / 2) / scale."""
    return torch.tensor([((factor * i) % modulus - (modulus - 1) / 2) / scale for i in range(count)])


def losses(dtype):
    network = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1)).to(dtype)
    with torch.no_grad():
        network[0].weight.copy_(formula(16, 7, 11, 8).view(8, 2))
        network[0].bias.copy_(formula(8, 5, 7, 16))
        network[2].weight.copy_(formula(8, 3, 5, 8).view(1, 8))
        network[2].bias.zero_()
    # a grid of 4 by 4 points; the target is four times the product of the coordinates, which is exact in float32
    x = torch.tensor([[(i % 4 - 1.5) / 2, (i // 4 - 1.5) / 2] for i in range(16)], dtype=dtype)
    target = 4 * x[:, :1] * x[:, 1:]
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9)
    found = []
    for step in range(STEPS + 1):
        loss = torch.nn.functional.mse_loss(network(x), target)
        if step % EVERY == 0:
            found.append((step, loss.item()))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return found


def is_stale(rows):
    """Another CPU adds in another order: as main.c, eight times the distance between float32 and float64 is let pass."""
    lines = [line.split() for line in FILE.read_text().splitlines() if not line.startswith("#")]
    old = [(int(step), float.fromhex(single), float.fromhex(double)) for step, single, double, *_ in lines]
    allowed = 8 * max(abs(single - double) / double for _, single, double in old)
    same = [abs(new - was) <= allowed * was for row, other in zip(old, rows) for was, new in zip(row, other)]
    return [row[0] for row in old] != [row[0] for row in rows] or not all(same)


def main():
    torch.set_num_threads(1)
    rows = [(step, single, double) for (step, single), (_, double) in zip(losses(torch.float32), losses(torch.float64))]
    if "--check" in sys.argv[1:]:
        return int(is_stale(rows))
    lines = [
        f"# Recorded by examples/training/record.py from torch {torch.__version__.split('+')[0]}; do not edit.",
        "# step, loss in float32, loss in float64",
    ]
    lines += [f"{step} {single.hex()} {double.hex()}  # {single:.8f} {double:.8f}" for step, single, double in rows]
    FILE.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
