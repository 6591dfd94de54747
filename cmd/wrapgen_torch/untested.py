# SPDX-License-Identifier: MIT
"""What PyTorch tests before it runs a graph, about tensors and integers that the graph does not take.

A program may choose what it computes by the shape of a tensor, and compute it without that tensor. Dynamo then tests the
tensor and passes others; a wrapper cannot test what it is not given. So each such tensor is named, with what it was when the
graph was compiled and the guards about it. Python values that became constants (a flag, the eps of a norm) are in the
graph and are not named.

A kernel that chooses among several graphs is given them, so unpassed() writes them as if they were inputs.
"""

from dataclasses import dataclass, field

from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from .dtypes import dtype_name
from .errors import CaptureError
from .expressions import text_of
from .ragged import is_nested_int
from .trace import name_of


def _taken(traced):
    """The names of what the graph takes: with a subclass, all that it is made of."""
    result = set()
    for source, value in zip(traced.sources or (), traced.fakes):
        if source is not None:
            result |= _names_in(name_of(source), value)
    return result


def _names_in(name, value):
    """Of a subclass that is a view Dynamo looks at the base, too, which no kernel reads."""
    if not is_traceable_wrapper_subclass(value):
        return {name}
    parts = [*value.__tensor_flatten__()[0], *(["_base"] if value._is_view() else [])]
    return {name}.union(*(_names_in(f"{name}.{part}", getattr(value, part)) for part in parts))


def untested(graph, traced, symbols):
    """(one text for each tensor or integer that no argument of the graph named `graph` tells, the symbols in the texts)"""
    taken = _taken(traced)
    texts, named = [], set()
    for source, known in traced.tracked:
        facts = _facts(source, known, symbols, named) if source not in taken else None
        if facts:
            texts.append(
                f"graph {graph} is only for {facts}; it does not take {source}, so its wrapper cannot test that, and Dynamo does"
            )
    return list(dict.fromkeys(texts)), named


@dataclass
class Unpassed:
    """What Dynamo looked at and does not pass: entries as those of inputs, by source, and what they are about."""

    entries: dict = field(default_factory=dict)
    symbols: list = field(default_factory=list)  # declarations of those that no argument of the graph tells
    guards: list = field(default_factory=list)  # about those


def unpassed(traced, symbols, guards):
    """To be called after the graph, with its `guards`, is written, since it names the symbols that no argument tells."""
    taken = _taken(traced)
    looked_at = {source: known for source, known in traced.tracked if source not in taken}
    result = Unpassed()
    if not looked_at:
        return result
    num_told = len(symbols.declarations())
    for source, known in looked_at.items():
        try:
            if not any(map(is_nested_int, (*known.size, known.scalar))):
                result.entries[source] = _entry(source, known, symbols)
        except CaptureError:
            continue  # a guard about it is then one that no condition says
    result.symbols = symbols.declarations()[num_told:]
    result.guards = [guard for guard in symbols.guards(symbols.unnamed()) if guard not in guards]
    return result


def _entry(source, known, symbols):
    if known.dtype is None:
        return {"name": source, "kind": "int", "value": symbols.text(known.scalar, source)}
    return {
        "name": source,
        "dtype": dtype_name(known.dtype, source),
        "size": symbols.texts(known.size, source),
        "stride": symbols.texts(known.stride, source),
        "device": str(known.device),
        **{bit: True for bit in ("is_conj", "is_neg") if getattr(known, bit)},
    }


def _facts(source, known, symbols, named):
    values = (known.scalar,) if known.dtype is None else (*known.size, *known.stride, known.offset)
    own = set().union(*map(symbols.untested_in, values))
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
