# SPDX-License-Identifier: MIT
"""Tensors with one stated fact made wrong, and what the wrapper's error says of them."""

import torch


class NotPlain(torch.Tensor):
    """A subclass that nothing expects, and that no tangent's coercion knows."""

    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def of(blank):
        return torch.Tensor._make_subclass(NotPlain, blank.make())


def wrong_facts(entry, blank, lazy=False):
    """((rule, dimension) or (rule,), a Blank that breaks this rule alone) for each fact that `entry` states. `lazy`: of an argument,
    for which leaving out is_conj and is_neg is stating that it is neither."""
    if "dtype" in entry:
        yield ("dtype",), blank.but(dtype=torch.int16 if blank.dtype != torch.int16 else torch.int32)
    if "size" in entry:
        yield ("rank",), blank.but(size=(1, *blank.size), stride=(1, *blank.stride))
    for dimension in range(len(entry.get("size", ()))):
        yield ("size", dimension), blank.but(size=_plus(blank.size, dimension))
    for dimension in range(len(entry.get("stride", ()))):
        if blank.size[dimension] != 1 and 0 not in blank.size:  # else it leads nowhere
            yield ("stride", dimension), blank.but(stride=_plus(blank.stride, dimension))
    for word, of in (("is_conj", blank.dtype.is_complex), ("is_neg", blank.dtype.is_floating_point or blank.dtype.is_complex)):
        if lazy and of:
            yield ("lazy",), blank.but(**{word: not getattr(blank, word)})
    if "storage_offset" in entry:
        yield ("offset",), blank.but(offset=blank.offset + 1)


def input_words(fact):
    """Of the error about an input that breaks this rule."""
    return (f"WG_E_{fact[0].upper()}", *_dimension(fact))


def result_words(fact):
    """Of the error about a returned value that breaks it."""
    return (f"({fact[0]})", "WG_E_RESULT", *_dimension(fact))


def _dimension(fact):
    return (f"of dimension {fact[1]}",) if len(fact) > 1 else ()


def _plus(numbers, position):
    return tuple(number + (i == position) for i, number in enumerate(numbers))
