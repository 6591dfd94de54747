# SPDX-License-Identifier: MIT
"""Which graph takes all calls of another: what Dynamo compiled later and tries first may leave nothing for an earlier graph."""

import itertools
import math
import re

import sympy

from .errors import CaptureError
from .layouts import layouts
from .variants import LAZY_BITS, Left, same, symbols_of

_FEW = 20000  # calls that are tried before it is not known whether a graph takes all calls of another


def covers(a, b):
    """Does `a`, as far as conditions and bounds of symbols tell, accept every call that `b` accepts?"""
    if a.inexact:
        return False
    bounds = {entry["name"]: entry for v in (a, b) for entry in v.symbols}
    meaning = {}  # symbol of a -> what b has there
    for source in {**a.when, **b.when}:  # what says nothing of a bit only takes tensors without it
        if any((bit in a.when.get(source, {})) != (bit in b.when.get(source, {})) for bit in LAZY_BITS):
            return False
    for source, conditions in a.when.items():
        others = b.when.get(source, {})
        for key, value in conditions.items():
            if key == "layout" and value in layouts(others.get("size", ()), others.get("stride", ())):
                continue
            if key not in others:
                return False
            pairs = zip(value, others[key]) if isinstance(value, list) else [(value, others[key])]
            if isinstance(value, list) and len(value) != len(others[key]):
                return False
            if not all(_takes(one, other, bounds, meaning) for one, other in pairs):
                return False
    return _implies(a, b, bounds, meaning)


def _implies(a, b, bounds, meaning):
    """Do the guards of `a` hold for all calls that `b` accepts? Where they are not the same and not about numbers, a few calls are
    tried; if none of them tells, it is not known."""
    symbols = sorted(symbols_of(" ".join(b.guards)) | {other for other in meaning.values() if isinstance(other, str)})
    renamed = [re.sub(r"[A-Za-z_]\w*", lambda word: _put(meaning.get(word[0], word[0])), guard) for guard in a.guards]
    renamed = [guard for guard in renamed if guard not in b.guards and not _always(guard, bounds)]
    if not renamed:
        return True
    values = [_values_of(bounds[symbol], len(symbols)) for symbol in symbols]
    for numbers in itertools.product(*values):
        call = dict(zip(symbols, numbers, strict=True))
        if _hold(b.guards, call) and not _hold(renamed, call):
            return False
    if symbols:
        raise Left(f"it is not known whether {a.name}, with guards, takes all calls of {b.name}")
    return True


def _always(guard, bounds):
    """Does it hold whatever its symbols are, as s0 <= s0 does? Equality of sympy's symbols is that of their names."""
    if "==" in guard or "!=" in guard:
        return False
    symbols = {name: sympy.Symbol(name, integer=True, nonnegative=stated.get("min", -1) >= 0 or None) for name, stated in bounds.items()}
    try:
        return eval(guard, {"min": sympy.Min, "max": sympy.Max}, symbols) == sympy.true  # noqa: S307
    except TypeError:
        return False  # a part of it depends on a symbol


def _put(value):
    return f"({value})" if isinstance(value, int) and value < 0 else str(value)


def _values_of(stated, num_symbols):
    """Some values of a symbol from its least on, and all of them if they are few."""
    count = int(_FEW ** (1 / num_symbols))
    multiple = stated.get("multiple_of", 1)
    first = -(-stated.get("min", -(count // 2)) // multiple) * multiple
    last = min(stated.get("max", math.inf), first + (count - 1) * multiple)
    return range(first, int(last) + 1, multiple)


def _hold(guards, call):
    return all(eval(guard, {"min": min, "max": max}, call) for guard in guards)  # noqa: S307


def _takes(one, other, bounds, meaning):
    if one not in bounds:
        return one == "any" or same(one, other)
    if meaning.setdefault(one, other) != other or other == "any":
        return False
    stated = bounds[one]
    lower = upper = other
    multiple = other
    if other in bounds:
        lower, upper = bounds[other].get("min", -math.inf), bounds[other].get("max", math.inf)
        multiple = bounds[other].get("multiple_of", 1)
    if not isinstance(lower, (int, float)):
        raise CaptureError(f"a condition of an unknown form, {other}")
    within = stated.get("min", -math.inf) <= lower and upper <= stated.get("max", math.inf)
    return within and multiple % stated.get("multiple_of", 1) == 0
