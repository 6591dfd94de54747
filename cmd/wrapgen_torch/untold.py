# SPDX-License-Identifier: MIT
"""What PyTorch tests before it runs a graph, about tensors and integers that the graph does not take.

A program may choose what it computes by the shape of a tensor, and compute it without that tensor. Dynamo then tests the
tensor and passes others; a wrapper cannot test what it is not given. So each such tensor is named, with what it was when the
graph was compiled and the guards about it. Python values that became constants (a flag, the eps of a norm) are in the
graph and are not named.
"""

from .errors import CaptureError
from .expressions import text_of
from .trace import name_of


def untold(graph, traced, symbols):
    """(one text for each tensor or integer that no argument of the graph named `graph` tells, the symbols in the texts)"""
    taken = {name_of(source) for source in traced.sources or () if source is not None}
    texts, named = [], set()
    for source, known in traced.tracked:
        facts = _facts(source, known, symbols, named) if source not in taken else None
        if facts:
            texts.append(
                f"graph {graph} is only for {facts}; it does not take {source}, so its wrapper cannot test that, and Dynamo does"
            )
    return list(dict.fromkeys(texts)), named


def _facts(source, known, symbols, named):
    values = (known.scalar,) if known.dtype is None else (*known.size, *known.stride, known.offset)
    own = set().union(*map(symbols.untold_in, values))
    named |= own
    guards = dict.fromkeys(_words(fact, symbols) for fact in symbols.guards_about(own))
    if known.dtype is None:
        return " and ".join(guards)
    sizes = ", ".join(_size(symbols, size) for size in known.size)
    where = f" where {' and '.join(guards)}" if guards else ""
    return f"{source} of {str(known.dtype).removeprefix('torch.')}[{sizes}]{where}"


def _size(symbols, size):
    """A number, what is known about it in the notation of conditions, or an expression of what arguments tell."""
    try:
        return str(symbols.known(size))
    except CaptureError:
        return "any"


def _words(fact, symbols):
    try:
        return text_of(fact, symbols.source_of, "")
    except CaptureError:
        return str(fact)
