# SPDX-License-Identifier: MIT
"""Objects that are data: what is in a configuration. Dynamo tests that such an object is the one that it saw, and makes what it reads
there part of the graph. In another process it is another object, which must have the same class and the same attributes."""

import ast

import torch

PLAIN = (type(None), bool, int, float, str)
COMPARED = (*PLAIN, bytes, torch.dtype, torch.layout, torch.memory_format, torch.device)  # by ==


class _Attributes:
    """The layout of an object that has only attributes."""


def is_data(value):
    """Has it nothing but attributes, and are these plain?"""
    return has_only_attributes(value) and _is_plain(vars(value), set())


def has_only_attributes(value):
    """And these in its __dict__."""
    if isinstance(value, (type, dict, list, tuple, set, frozenset)) or not hasattr(value, "__dict__"):
        return False
    if type(value).__basicsize__ != _Attributes.__basicsize__ or type(value).__itemsize__:
        return False  # a function, a partial: it has more, which C keeps
    return not any(getattr(kind, "__slots__", ()) for kind in type(value).__mro__)


def _is_plain(value, seen):
    """`seen`: containers by their ids. One that is in two places is more than its contents say."""
    if type(value) in (dict, list, tuple):
        if id(value) in seen and value != ():
            return False
        seen.add(id(value))
        return all(_is_plain(inner, seen) for inner in ([*value, *value.values()] if type(value) is dict else value))
    return type(value) in PLAIN and value == value and value not in (float("inf"), -float("inf"))


def is_same(one, other):
    """Equal, and of the same types: 1 and True and 1.0 are different, and so are 0.0 and -0.0."""
    if type(one) is not type(other):
        return False
    if type(one) is dict:
        return is_same([*one.items()], [*other.items()])
    if type(one) in (list, tuple):
        return len(one) == len(other) and all(map(is_same, one, other))
    if type(one) in (set, frozenset):
        return {(type(inner), repr(inner)) for inner in one} == {(type(inner), repr(inner)) for inner in other}
    if type(one) in (float, complex):
        return repr(one) == repr(other)  # -0.0 is another number than 0.0, and nan is the same
    return type(one) in COMPARED and one == other


class Same:
    """Tests an object against what the one was that Dynamo saw: at each call, since what it has may change."""

    def __init__(self, text):
        self._attributes = ast.literal_eval(text)

    def __call__(self, value):
        return is_data(value) and is_same(vars(value), self._attributes)

    def why_not(self, value):
        found = getattr(value, "__dict__", {})
        for name in [*self._attributes, *found]:
            if name not in found or name not in self._attributes:
                return f"{'has' if name in found else 'lacks'} the attribute '{name}'"
            if not is_same(found[name], self._attributes[name]):
                return f"has {found[name]!r} as its '{name}', not {self._attributes[name]!r}"
        return "has its attributes in another order, or one container in two places"
