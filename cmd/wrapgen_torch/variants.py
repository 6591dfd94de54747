# SPDX-License-Identifier: MIT
"""What Dynamo tests before it runs a graph: its guards, sorted by what a kernel's conditions can say of each."""

import ast
import math
import re
from dataclasses import dataclass, field

from .guard_text import SIZE, is_place, is_stated, places_in
from .trace import name_of

_SAME_GLOBAL = re.compile(r"G\[\S+ is G\[\S+")
_BUILTINS = re.compile(r"__builtins_dict___\d+")  # Dynamo numbers it
_LAZY = r"\b(?:Conjugate|Negative), "  # dispatch keys that conditions say
LAZY_BITS = ("is_conj", "is_neg")
_WORDS = {"and", "or", "not", "min", "max"}


class Left(Exception):
    """Why there is no kernel."""


@dataclass
class Variant:
    described: object
    inputs: dict  # source -> entry of the document
    unpassed: dict = field(default_factory=dict)  # source -> entry of what Dynamo looked at and does not pass
    looks: dict = field(default_factory=dict)  # such a source -> the guards about it
    tensors: dict = field(default_factory=dict)  # source -> what no condition can say
    marks: dict = field(default_factory=dict)  # source -> guards on its marks (mark_dynamic)
    values: dict = field(default_factory=dict)  # source -> literal
    globals: dict = field(default_factory=dict)  # what each global is; one that no other graph uses tells nothing apart
    others: set = field(default_factory=set)  # all other guards
    when: dict = field(default_factory=dict)  # source -> conditions
    guards: list = field(default_factory=list)  # over symbols of `when`
    inexact: str | None = None  # what neither says

    @property
    def name(self):
        return self.described.name

    @property
    def entries(self):
        """Of everything that Dynamo knows to be a tensor, or a symbolic integer."""
        return {**self.unpassed, **self.inputs}

    @property
    def symbols(self):
        return [*self.described.document.get("symbols", ()), *self.described.traced.unpassed.symbols]


def sources_of(described):
    """What each input of the graph is in the program, in Dynamo's words."""
    traced = described.traced
    result = []
    for position, descriptor in enumerate(traced.descriptors):
        source = traced.sources[position] if traced.sources is not None else None
        if source is None:
            result.append(f"lifted {getattr(descriptor, 'target', position)}")
        else:
            result.append(name_of(source))
    return result


def read(described, guards):
    sources = sources_of(described)
    entries = described.document["graphs"][0]["inputs"]
    variant = Variant(described, dict(zip(sources, entries, strict=True)))
    variant.unpassed = described.traced.unpassed.entries
    told = variant.entries
    for guard in guards:
        _read_guard(variant, told, guard)
    sizes = {source for source in told if SIZE.fullmatch(source) and SIZE.fullmatch(source)[1] in told}
    variant.looks = {source: looks for source, looks in variant.looks.items() if source not in sizes}
    variant.unpassed = {source: entry for source, entry in variant.unpassed.items() if source in variant.looks}
    return variant


def _read_guard(variant, told, guard):
    parts = guard.parts or {}
    source = parts.get("source") or ""
    text = _BUILTINS.sub("__builtins_dict__", guard.text)
    if guard.kind == "TENSOR_MATCH" and source in told:
        _look(variant, text)
        kind = f"{parts['type']}, DispatchKeySet({re.sub(_LAZY, '', parts['keys'])})"
        variant.tensors[source] = (kind, f"requires_grad={parts['requires_grad']}")
    elif "value" in parts and is_place(source) and _is_literal(parts["value"]):
        variant.values[source] = ast.literal_eval(parts["value"])
    elif guard.kind == "DIMENSION_DYNAMIC_MARKING_GUARD" and parts:
        variant.marks.setdefault(source, []).append(text)
    elif guard.kind in ("ID_MATCH", "TYPE_MATCH") and source.startswith("G"):
        variant.globals[_BUILTINS.sub("__builtins_dict__", source)] = text
    elif guard.kind == "TYPE_MATCH" and source in told or guard.kind == "NO_TENSOR_ALIASING":
        pass  # the kind is that of the argument; and tensors that are not the same are different ones
    elif is_stated(told, text) or _SAME_GLOBAL.fullmatch(text):
        _look(variant, text)
    elif not guard.kind.endswith("GuardManager"):
        variant.others.add(text)


def _look(variant, text):
    for place, read in places_in(text):
        for source in {place, place + (read or "")} & variant.unpassed.keys():
            variant.looks.setdefault(source, set()).add(text)


def _is_literal(text):
    """Is it one that a condition can have?"""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return False
    return value is None or isinstance(value, (bool, int, str)) or isinstance(value, float) and math.isfinite(value)


def symbols_of(text):
    return set(re.findall(r"[A-Za-z_]\w*", text)) - _WORDS


def same(a, b):
    return type(a) is type(b) and a == b
