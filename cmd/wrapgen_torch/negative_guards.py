# SPDX-License-Identifier: MIT
"""Calls whose sizes break one guard of a graph and keep those before it. The YAML's conditions are Python's, so Python says
which sizes do that."""

import random

import torch

from .blank import Blank

_DRAWS = 4000
_LARGEST = 80  # of a size that is tried


def calls_that_break_guards(document, args):
    """(what is wrong, words of the error, arguments) for each guard that some small sizes break."""
    graph = document["graphs"][0]
    if not graph.get("guards") or not all(_is_simple(entry) for entry in graph["inputs"]):
        return
    if "duplicates" in graph or "synthetic_bases" in graph:
        return
    symbols = [entry for entry in document["symbols"] if not entry.get("unbacked")]
    for number, guard in enumerate(graph["guards"]):
        values = _find(graph, symbols, number)
        if values is not None:
            changed = [_made_of(entry, value, values) for entry, value in zip(graph["inputs"], args, strict=True)]
            yield f"sizes {values}, for which '{guard}' does not hold", ("WG_E_GUARD", f"({guard})"), changed


def _is_simple(entry):
    return "subclass" not in entry and "wait" not in entry


def _find(graph, symbols, number):
    """Values of all symbols for which the guards before `number` hold and that one does not; None if there seem to be none."""
    draw = random.Random(number)
    guards = [compile(guard, guard, "eval") for guard in graph["guards"][: number + 1]]
    for _ in range(_DRAWS):
        values = {symbol["name"]: _draw(draw, symbol) for symbol in symbols}
        held = [_value(guard, values) for guard in guards]
        if all(held[:-1]) and not held[-1] and _can_be(graph, values):
            return values
    return None


def _draw(draw, symbol):
    step = symbol.get("multiple_of", 1)
    least = symbol.get("min", 0)
    most = min(symbol.get("max", _LARGEST), least + _LARGEST)
    return draw.randint(-(-least // step), max(most // step, -(-least // step))) * step


def _value(expression, values):
    return eval(expression, {"__builtins__": {}, "min": min, "max": max}, values)  # noqa: S307 - made by the capture


def _can_be(graph, values):
    """No tensor has a negative size or stride, and none is large."""
    numbers = [
        number for entry in graph["inputs"] for key in ("size", "stride") for number in _numbers(entry.get(key, ()), values)
    ]
    return all(0 <= number < 100000 for number in numbers)


def _numbers(texts, values):
    return [text if isinstance(text, int) else _value(text, values) for text in texts]


def _made_of(entry, value, values):
    if entry.get("kind") == "int":
        (number,) = _numbers([entry["value"]], values)
        return number
    if not isinstance(value, torch.Tensor) or "size" not in entry:
        return value
    blank = Blank.of(value)
    size = _numbers(entry["size"], values)
    stride = _numbers(entry["stride"], values) if "stride" in entry else torch.empty(size, device="meta").stride()
    return blank.but(size=tuple(size), stride=tuple(stride)).make()
