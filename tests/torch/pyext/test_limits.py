# SPDX-License-Identifier: MIT
"""limits(): what a graph or kernel takes, compared with what it does take."""

import itertools

from scenario import kernel_library, library, raises, test

import torch
from wrapgen_torch.extension import load_extension


@test
def limits_are_those_of_the_yaml():
    module = load_extension(kernel_library())
    row, square = module.limits("matmul")
    any_size = {"ranges": [(0, None, 1)], "symbol": None, "same": None}
    assert (row["name"], square["name"]) == ("matmul_row", "matmul_square")
    a, b, scale = row["arguments"].values()
    assert (a["kind"], a["optional"], a["dtypes"], a["ranks"]) == ("tensor", False, [torch.float32], [2])
    assert a["sizes"][0]["ranges"] == [(1, 1, 1)] and a["sizes"][1] == any_size, a
    assert b["sizes"][0]["same"] == ("a", 1), b
    assert scale == {"kind": "float", "optional": False, "values": []}, scale
    a, b, _ = square["arguments"].values()
    assert a["sizes"][1]["same"] == ("a", 0) and b["sizes"][0]["same"] == ("a", 0) and b["sizes"][1]["same"] == ("a", 0)
    (every_variant,) = module.limits("every")
    every = every_variant["arguments"]
    assert every["where"]["optional"] and every["to"]["kind"] == "dtype"
    assert row["whole"] and square["whole"] and not every_variant["whole"]
    (wide,) = module.limits("wide")
    assert wide["arguments"]["x"]["sizes"][1]["ranges"] == [(64, 64, 1)]
    assert module.limits.__text_signature__ == "($module, name, /)"


def within(variant, tensors):
    """Is each fact of the call in its row?"""
    for name, tensor in tensors.items():
        row = variant["arguments"][name]
        if tensor.dtype not in row["dtypes"] or tensor.dim() not in row["ranks"]:
            return False
        for size, limit in zip(tensor.shape, row["sizes"]):
            if not any((low is None or size >= low) and (high is None or size <= high) and size % step == 0 for low, high, step in limit["ranges"]):
                return False
            if limit["same"] is not None and size != tensors[limit["same"][0]].shape[limit["same"][1]]:
                return False
    return True


@test
def what_is_within_limits_is_taken():
    module = load_extension(kernel_library())
    for name in ("matmul_row", "matmul_square"):
        module.bind(name, lambda args: (args[0], 1, 1.0, True, None))
    counts = {True: 0, False: 0}
    shapes = [(), (3,), *itertools.product((0, 1, 2, 3), repeat=2), (1, 2, 2)]
    for a, b, dtype in itertools.product(shapes, shapes, (torch.float32, torch.float64)):
        tensors = {"a": torch.zeros(a), "b": torch.zeros(b, dtype=dtype)}
        says = any(within(variant, tensors) for variant in module.limits("matmul"))
        try:
            module.matmul(*tensors.values())
            taken = True
        except ValueError:
            taken = False
        assert taken == says, (a, b, dtype, taken)
        counts[taken] += 1
    assert counts[True] > 15 and counts[False] > 300, counts


@test
def limits_are_asked_for_by_a_name():
    module = load_extension(kernel_library())
    with raises(ValueError, "no graph and no kernel is called 'matmul_row'"):
        module.limits("matmul_row")
    with raises(TypeError, "limits() takes one argument, the name of a graph or kernel; 0 were given"):
        module.limits()
    with raises(TypeError):
        module.limits(3)
    assert not hasattr(load_extension(library()), "limits"), "they were not asked for"
