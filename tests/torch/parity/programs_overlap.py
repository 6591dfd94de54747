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


def columns_that_meet():
    """The first of the second four is the last of the first four, one row further down."""
    whole = torch.randn(8, 8)
    return whole[:4, :4], whole[3:7, 3:7]


overlapping("overlap_of_one_corner", lambda: (torch.randn(8, 8)[:4, :4], torch.randn(8, 8)[3:7, 3:7]), columns_that_meet)(update)


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
# Byte ranges that meet without a byte in common.


def even_and_odd():
    whole = torch.randn(6, 2)
    return whole[:, 0], whole[:, 1]


def columns(n):
    return lambda: tuple(torch.randn(6, n).unbind(1))


def both_halves_of_rows():
    whole = torch.randn(5, 8)
    return whole[:, :4], whole[:, 4:]


def every_third_of_another_dtype():
    whole = torch.zeros(12, dtype=torch.int64)
    return whole[::2], whole.view(torch.float32)[2::4]


def keys_and_values():
    cache = torch.randn(2, 3, 4, 5)
    return cache[:, 0], cache[:, 2]


def of_another_dtype():
    return torch.zeros(12, dtype=torch.int64)[::2], torch.zeros(24)[2::4]


def separate(*shape):
    return lambda: tuple(torch.randn(shape)[:, 0] for _ in range(2))


sharing("sharing_even_and_odd", lambda: (torch.randn(12)[::2], torch.randn(12)[::2]), even_and_odd)(update)
sharing("sharing_even_and_odd_in_the_epilogue", lambda: (torch.randn(12)[::2], torch.randn(12)[::2]), even_and_odd,
        keep_input_mutations=False)(update_both)  # fmt: skip
sharing("sharing_columns", lambda: (torch.randn(6, 2)[:, 0], torch.randn(6, 2)[:, 0]), columns(2))(update_both)
sharing("sharing_columns_among_many", lambda: tuple(torch.randn(6, 12)[:, 0] for _ in range(12)), columns(12))(many)
sharing("sharing_halves_of_rows", lambda: (torch.randn(5, 8)[:, :4], torch.randn(5, 8)[:, 4:]), both_halves_of_rows)(update)
sharing("sharing_between_dtypes", of_another_dtype, every_third_of_another_dtype)(lambda x, y: (x.add_(1), y.mul_(2), y * 2)[2])
sharing("sharing_a_cache", separate(2, 3, 4, 5), keys_and_values)(update)

sharing("sharing_what_is_only_read", apart, halves)(twice)
sharing("sharing_the_same_tensor_to_read", apart, lambda: (vector(6),) * 2)(twice)
sharing("sharing_without_elements", lambda: (torch.randn(0, 3), torch.randn(0, 3)), lambda: (torch.zeros(0, 3),) * 2)(update)
sharing("sharing_among_many", many_apart, lambda: tuple(vector(72).split(6)))(many)
sharing("sharing_that_is_traced", halves, halves)(update_both)
sharing("sharing_the_parts_of_a_subclass", lambda: (TwoTensor(vector(6), vector(6)), vector(6)),
        lambda: (TwoTensor(*(vector(6),) * 2), vector(6)))(lambda x, y: x * y)  # fmt: skip


# ---- reported to PyTorch ----
#
# pytorch#139789: what was compiled for tensors that are apart is called with some that are not. Two pull requests want guards for it:
# pytorch#185891 for any two tensors if one is written, and pytorch#184481 for the places of those that were merged. PyTorch 2.13
# has neither. Only with dynamic shapes, and only for tensors that shared a storage when they were traced, does it compile again.


def scale(x, y):
    x.mul_(2)
    return x + y


def separate_fours():
    return vector(4), vector(4)


def fours(n, first, second):
    """Two of four elements, of one storage of n."""

    def parts():
        whole = vector(n)
        return whole[first : first + 4], whole[second : second + 4]

    return parts


def reported(name, first, later, **options):
    for frontend in ("dynamo", "direct"):
        program(lambda: [first(), later()], name=f"{name}_{frontend}", frontend=frontend, full=True, **options)(scale)


meet = fours(8, 0, 2)
reported("overlap_139789", separate_fours, meet, stops="WG_E_OVERLAP", unsafe=True)
reported("overlap_139789_of_one_storage", fours(12, 0, 6), meet, stops="WG_E_OVERLAP", unsafe=True)
program(lambda: [separate_fours(), meet()], name="overlap_139789_dynamic", dynamic=True, full=True, stops="WG_E_OVERLAP", unsafe=True)(scale)
program(lambda: [fours(12, 0, 6)(), meet()], name="overlap_185891_dynamic", dynamic=True, full=True)(scale)
program(lambda: [meet(), fours(12, 0, 6)()], name="overlap_185891_no_more_dynamic", dynamic=True, full=True)(scale)

# Those that were merged are passed as their storage, from which the compiled program takes what lies where it lay.
moved = {"stops": "WG_E_OFFSET", "unsafe": True}
reported("overlap_185891_no_more", meet, fours(12, 0, 6), **moved)
reported("overlap_184481_by_more", meet, fours(12, 0, 1), **moved)
reported("overlap_184481_the_other_way", meet, fours(12, 2, 0), **moved)
reported("overlap_184481_further_on", meet, fours(12, 1, 3), **moved)
reported("overlap_184481_in_two_storages", meet, lambda: (meet()[0], meet()[1]), stops="WG_E_IDENTITY", unsafe=True)


# ---- beneath a subclass, when it is traced ----
#
# pytorch#114415: PyTorch merges arguments that share memory, but not with what a subclass consists of, and reads there what was.


def beneath():
    whole = vector(7)
    return whole[1:], TwoTensor(whole[:6], vector(6))


def next_to_it():
    whole = vector(12)
    return whole[6:], TwoTensor(whole[:6], vector(6))


program(beneath, name="beneath_a_subclass", refused="'x' is written and shares memory with what 't' consists of")(
    lambda x, t: (x.add_(2), t * 1)[1])  # fmt: skip
program(beneath, name="beneath_a_subclass_to_read")(lambda x, t: x * t)
program(next_to_it, name="next_to_a_part_of_a_subclass")(lambda x, t: (x.add_(2), t * 1)[1])


# ---- in training ----
#
# Of the base of merged arguments, a tangent with a stated size may be missing.


def parts_of_a_non_leaf():
    whole = torch.randn(6, requires_grad=True).clone()
    return whole[:4], whole[2:]


@program(parts_of_a_non_leaf)
def merged_in_training(x, y):
    x.mul_(3)
    return x * y
