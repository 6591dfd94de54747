#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes expected.inc: which of the values -4 to 5 of a, b and c each guard of graph.yaml accepts, as Python computes it.

Run it here as: make_expected.py < graph.yaml > expected.inc (any Python 3; developers only)

    EXPECTED(number of the graph, "0 or 1 for each a, b, c; c runs fastest")
"""
import re
import sys

print("/* Made by make_expected.py; not to be edited. */")
for number, guard in re.findall(r"name: g(\d+)\n.*\n.*\n +guards: \['(.*)'\]", sys.stdin.read()):
    code = compile(guard, guard, "eval")
    values = range(-4, 6)
    bits = "".join(
        str(int(eval(code, {"min": min, "max": max, "a": a, "b": b, "c": c})))
        for a in values for b in values for c in values
    )
    lines = [bits[at : at + 100] for at in range(0, len(bits), 100)]
    print(f"EXPECTED({number},")
    print("\n".join(f'         "{line}"' for line in lines) + ")")
