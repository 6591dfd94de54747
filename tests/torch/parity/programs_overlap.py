# SPDX-License-Identifier: MIT
"""Inputs that share memory in a later call than the traced one, at `check: full`. No guard of PyTorch tests that, and its compiled
program then computes something else than eager mode."""

import torch
from program import program
from torch.testing._internal.two_tensor import TwoTensor


def vector(n=8):
    return torch.randn(n)


def overlapping(name, first, later, unsafe=True, **options):
    """Decorates a program that is traced with `first()` and must refuse `later()`. `unsafe`: PyTorch's answer is wrong."""
    return program(lambda: [first(), later()], name=name, frontend="direct", full=True, stops="WG_E_OVERLAP", unsafe=unsafe, **options)


def sharing(name, first, later, **options):
    """Decorates one that must take both."""
    return program(lambda: [first(), later()], name=name, frontend="direct", full=True, **options)


def apart():
    return vector(6), vector(6)


def halves(n=8, first=6):
    """Two of `first` elements, the first and the last ones of one storage."""
    whole = vector(n)
    return whole[:first], whole[n - first :]


def update(x, y):
    x.add_(1)
    return y * 2


def update_both(x, y):
    x.mul_(2)
    y.add_(1)
    return x + y


def twice(x, y):
    return x + y, x * 2


# ---- refused ----

overlapping("overlap_of_a_mutated_input", apart, halves)(update)
overlapping("overlap_in_the_epilogue", apart, halves, keep_input_mutations=False)(update)
overlapping("overlap_of_one_element", apart, lambda: halves(11))(update)
overlapping("overlap_of_two_mutated_inputs", apart, halves)(update_both)
overlapping("overlap_of_the_same_tensor", apart, lambda: (vector(6),) * 2)(update)


def matrix_and_column():
    whole = torch.randn(4, 4)
    return whole, whole.t()[1]


overlapping("overlap_across_strides", lambda: (torch.randn(4, 4), torch.randn(16)[::4]), matrix_and_column)(update)


def interleaved():
    whole = torch.randn(6, 2)
    return whole[:, 0], whole[:, 1]


overlapping("overlap_of_even_and_odd", lambda: (torch.randn(12)[::2], torch.randn(12)[::2]), interleaved, unsafe=False)(update)


def two_and_part():
    part = vector(6)
    return TwoTensor(vector(6), part), part


overlapping("overlap_with_a_part_of_a_subclass", lambda: (TwoTensor(vector(6), vector(6)), vector(6)), two_and_part)(
    lambda x, y: (x.add_(1), y * x)[1]
)


def many(*xs):
    for x in xs[:4]:
        x.add_(1)
    return torch.stack(xs).sum(0)


def many_apart():
    return tuple(vector(6) for _ in range(12))


def many_of_which_two_meet():
    xs = list(many_apart())
    xs[3], xs[11] = halves()
    return tuple(xs)


overlapping("overlap_among_many", many_apart, many_of_which_two_meet)(many)
overlapping("overlap_of_a_mutated_input_in_training", lambda: (*apart(), torch.randn(6, requires_grad=True)),
            lambda: (*halves(), torch.randn(6, requires_grad=True)))(lambda x, y, w: (x.add_(1), y * w)[1])  # fmt: skip

program(lambda: [apart(), halves()], name="overlap_through_dynamo", full=True, stops="WG_E_OVERLAP", unsafe=True)(update)

# ---- accepted ----

sharing("sharing_without_overlap", apart, lambda: halves(12))(update)
sharing("sharing_what_is_only_read", apart, halves)(twice)
sharing("sharing_the_same_tensor_to_read", apart, lambda: (vector(6),) * 2)(twice)
sharing("sharing_without_elements", lambda: (torch.randn(0, 3), torch.randn(0, 3)), lambda: (torch.zeros(0, 3),) * 2)(update)
sharing("sharing_among_many", many_apart, lambda: tuple(vector(72).split(6)))(many)
sharing("sharing_that_is_traced", halves, halves)(update_both)
sharing("sharing_the_parts_of_a_subclass", lambda: (TwoTensor(vector(6), vector(6)), vector(6)),
        lambda: (TwoTensor(*(vector(6),) * 2), vector(6)))(lambda x, y: x * y)  # fmt: skip
