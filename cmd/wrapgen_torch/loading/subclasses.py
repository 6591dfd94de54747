# SPDX-License-Identifier: MIT
"""Tensor subclasses in what is loaded: what Dynamo tests of one, and the classes and contexts that a wrapper needs.

A class is found by its name, and a context is made of data. What a wrapper asks of them it asks the class itself, as in torch.compile."""

import torch

from .kept import found, value_of

_keys = torch._C._dispatch_keys


def bind_subclasses(module, described):
    """Gives a module what its symbols mean. Attributes and contexts are tested before each call, so wrappers test the class alone."""
    if described is not None:
        for symbol, (name, *path) in described["types"].items():
            module.bind_type(symbol, found(name, path), True, None)
        for symbol, entry in described["contexts"].items():
            module.bind_context(symbol, value_of(entry))


class Match:
    """Tests the facts of a tensor whose class is tested before. Its keys say where it is, and what else changes what operations do: that it
    is conjugated, or was made under inference mode."""

    def __init__(self, test):
        self._dtype, self._requires_grad, self._keys = getattr(torch, test["dtype"]), test["requires_grad"], test["keys"]
        self._size, self._stride = test["size"], test["stride"]
        self._has_size, self._has_stride = _extents(self._size), _extents(self._stride)

    def __call__(self, value):
        return (
            value.dtype is self._dtype
            and value.requires_grad is self._requires_grad
            and self._has_size(value.size())
            and self._has_stride(value.stride())
            and _keys(value).raw_repr() == self._keys
        )

    def why_not(self, value):
        """What differs, in words, or None."""
        if value.dtype is not self._dtype:
            return f"is of {value.dtype}, not {self._dtype}"
        if value.requires_grad is not self._requires_grad:
            return f"has requires_grad {value.requires_grad}, not {self._requires_grad}"
        if not self._has_size(value.size()):
            return f"has the size {list(value.size())}, not {self._size}"
        if not self._has_stride(value.stride()):
            return f"has the stride {list(value.stride())}, not {self._stride}"
        same = _keys(value).raw_repr() == self._keys
        return None if same else "is a tensor of another kind than the one that was built: of another device, or made under inference mode"


def _extents(stated):
    """The test of sizes or strides; None in them is any number."""
    expected = tuple(stated)
    if None not in expected:
        return lambda found: found == expected
    return lambda found: len(found) == len(expected) and all(number is None or number == one for number, one in zip(expected, found))


class Flattens:
    """Tests the names of the attributes of a subclass, and its context, as Dynamo compares them."""

    def __init__(self, test):
        self._names, self._context = test["names"], value_of(test["context"])

    def __call__(self, value):
        names, context = value.__tensor_flatten__()
        return list(names) == self._names and bool(context == self._context)

    def why_not(self, value):
        names, context = value.__tensor_flatten__()
        if list(names) != self._names:
            return f"has the attributes {', '.join(names)}, not {', '.join(self._names)}"
        return None if context == self._context else f"has the context {context!r}, not {self._context!r}"


def said(kind):
    """(test, names) -> (value, frame -> bool; value -> what is wrong with it)"""

    def of(test, _):
        one = kind(test)
        return (lambda found, _: one(found)), one.why_not

    return of
