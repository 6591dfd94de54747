#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/unit/mutation_types.txt: what PyTorch says of every combination of an input's mutation flags.

Needs torch 2.13 (developers only; the tests read the table). Run it as: make_mutation_types.py > mutation_types.txt
One line a combination: the flags as 0 and 1 in the order of the heading, then
    NOT_MUTATED, MUTATED_IN_GRAPH, MUTATED_OUT_GRAPH   InputAliasInfo.mutation_type
    refused     it raises: a storage mutation that cannot stay in the graph
    impossible  the flags themselves are refused: mutates_storage_metadata without mutates_metadata
"""
import itertools

import torch
from torch._functorch._aot_autograd.schemas import InputAliasInfo

FLAGS = [
    "keep_input_mutations",
    "mutates_data",
    "mutates_metadata",
    "mutates_storage_metadata",
    "mutation_inductor_storage_resize",
    "mutations_hidden_from_autograd",
    "mutations_under_no_grad_or_inference_mode",
    "requires_grad",
]


def answer(flags):
    try:
        info = InputAliasInfo(is_leaf=True, **flags)
    except AssertionError:
        return "impossible"
    try:
        return info.mutation_type.name
    except AssertionError:
        return "refused"


def main():
    print("# made by make_mutation_types.py with torch", torch.__version__.split("+")[0])
    print("#", " ".join(FLAGS))
    for values in itertools.product([False, True], repeat=len(FLAGS)):
        print(" ".join(str(int(value)) for value in values), answer(dict(zip(FLAGS, values))))


if __name__ == "__main__":
    main()
