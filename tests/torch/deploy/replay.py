# SPDX-License-Identifier: MIT
"""replay.py FOLDER - makes the recorded calls of a folder through its models.py, with Python's standard library alone, and compares what
they return and leave in their arguments with what is recorded there."""

import json
import math
import sys
import types
from pathlib import Path

folder = Path(sys.argv[1])
sys.path.insert(0, str(folder))

import models  # noqa: E402

NUMBERS = {"uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "bool"}


def limits(path):
    data = path.read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    return header.get("__metadata__", {})


def flat(value):
    return [number for one in value for number in flat(one)] if isinstance(value, list) else [value]


def same(name, found, wanted, tolerance):
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype), f"{name}: {found} is not {wanted}"
    if found.dtype not in NUMBERS:
        return 0
    relative, absolute = map(float, tolerance.get(f"tolerance {name}", "0 0").split())
    for one, other in zip(flat(found.tolist()), flat(wanted.tolist()), strict=True):
        near = one == other or (math.isnan(one) and math.isnan(other)) or abs(one - other) <= absolute + relative * abs(other)
        assert near, f"{name}: {one} is not {other}"
    return 1


def built(pattern, tensors):
    """An argument as the program's function takes it."""
    if isinstance(pattern, str):
        return tensors[f"in {pattern}"]
    if isinstance(pattern, models.Fields):
        return types.SimpleNamespace(**{name: built(one, tensors) for name, one in pattern.items()})
    if isinstance(pattern, dict):
        return {key: built(pattern[key], tensors) for key in reversed(list(pattern))}
    return [built(one, tensors) for one in pattern]


def entry_of(path):
    fitting = [entry for entry in models.ENTRIES if path.stem.startswith(f"{entry.name}_")]
    return max(fitting, key=lambda entry: len(entry.name))


def replay(net, path):
    entry, recorded, given = entry_of(path), net.read(f"data/{path.name}"), net.read(f"data/{path.name}")
    args = {name: built(pattern, given) for name, pattern in entry.takes if not isinstance(pattern, models.Fixed)}
    results = net[entry.name](**args)
    wanted = {name: tensor for name, tensor in recorded.items() if name.startswith("out ")}
    assert len(results) == len(wanted), (results, wanted)
    tolerance, num_compared = limits(path), 0
    for found, (name, tensor) in zip(results, [(f"out {one}", wanted[f"out {one}"]) for one in entry.outputs], strict=True):
        num_compared += same(name, found, tensor, tolerance)
    for name in entry.inputs:
        left = f"after {name}" if name in entry.written else f"in {name}"
        num_compared += same(left, given[f"in {name}"], recorded[left], tolerance)
    return num_compared


with models.Models() as net:
    files = sorted((folder / "data").iterdir())
    compared = [replay(net, path) for path in files]
    assert files and all(compared), compared
assert not {"torch", "numpy"} & set(sys.modules)
print(f"replayed {len(files)}")
