# SPDX-License-Identifier: MIT
"""What Dynamo tests before it runs a graph: the text of its guards, sorted by what a kernel's conditions can say of each."""

import ast
import math
import re
from dataclasses import dataclass, field

from .trace import name_of

_SOURCE = r"[LG](?:\[[^\[\]()]+\]|\.\w+)+"
_TENSOR = re.compile(rf"check_tensor\(({_SOURCE}), (.*), (torch\.\w+), device=(.*?), requires_grad=(\w+), size=.*\)")
_EQUAL = re.compile(rf"({_SOURCE}) == (.+)")
_NONE = re.compile(rf"({_SOURCE}) is None")
_TYPE = re.compile(rf"___check_type_id\(({_SOURCE}), \d+\), type=(.*)")
_IDENTITY = re.compile(r"___check_(?:obj|type)_id\((G.*), \d+\), type=.*")
_SAME_GLOBAL = re.compile(r"G\[\S+ is G\[\S+")
_GUARD = re.compile(r"[| ]*\+- [A-Z_]+: (.*?)(?:  +# .*)?")
SIZE = re.compile(rf"({_SOURCE})\.size\(\)\[(\d+)\]")
_MARK = re.compile(rf".*?({_SOURCE})(?:, '|\.)_dynamo_\w*indices.*")
# A guard over symbols. The graph states it itself if it is about what the graph takes; no graph states an offset.
_PROPERTY = r"\.(?:size|stride|storage_offset)\(\)"
_OVER_SYMBOLS = re.compile(_PROPERTY)
_READ = re.compile(rf"([LG](?:\[[^\[\]()]+\]|\.(?!\w+\(\))\w+)+)({_PROPERTY}(?:\[\d+\])?)?")
_LAZY = r"\b(?:Conjugate|Negative), "  # dispatch keys that conditions say
_OPERATORS = {"and", "or", "not", "Max", "Min", "Mod", "PythonMod", "FloorDiv"}
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


def guards_of(entry):
    """All guards as text. The tree has what `code_parts` leaves out: relations between two sources."""
    lines = [_GUARD.fullmatch(line) for line in str(entry.guard_manager).splitlines()]
    return [re.sub(r"__builtins_dict___\d+", "__builtins_dict__", line[1].strip()) for line in lines if line]


def read(described, parts):
    sources = sources_of(described)
    entries = described.document["graphs"][0]["inputs"]
    variant = Variant(described, dict(zip(sources, entries, strict=True)))
    variant.unpassed = described.traced.unpassed.entries
    told = variant.entries
    for part in parts:
        patterns = (_TENSOR, _EQUAL, _NONE, _TYPE, _IDENTITY)
        tensor, equal, none, kind, identity = (pattern.fullmatch(part) for pattern in patterns)
        if tensor and tensor[1] in told:
            _look(variant, part)
            kind = re.sub(_LAZY, "", tensor[2])
            variant.tensors[tensor[1]] = (kind, f"requires_grad={tensor[5]}")
        elif none:
            variant.values[none[1]] = None
        elif equal and _literal(equal[2]) is not None:
            variant.values[equal[1]] = _literal(equal[2])
        elif _MARK.fullmatch(part):
            variant.marks.setdefault(_MARK.fullmatch(part)[1], []).append(part)
        elif identity:
            variant.globals[identity[1]] = part
        elif kind and kind[1] in told or part.startswith("check_no_aliasing("):
            pass  # the kind is that of the argument; and tensors that are not the same are different ones
        elif _is_stated(told, part):
            _look(variant, part)
        else:
            variant.others.add(part)
    sizes = {source for source in told if SIZE.fullmatch(source) and SIZE.fullmatch(source)[1] in told}
    variant.looks = {source: looks for source, looks in variant.looks.items() if source not in sizes}
    variant.unpassed = {source: entry for source, entry in variant.unpassed.items() if source in variant.looks}
    return variant


def _look(variant, part):
    for found in _READ.finditer(part):
        for source in {*found.group(0, 1)} & variant.unpassed.keys():
            variant.looks.setdefault(source, set()).add(part)


def _is_stated(inputs, part):
    if _OVER_SYMBOLS.search(part):
        return all(_is_told(inputs, *read.group(0, 1, 2)) for read in _READ.finditer(part))
    return _SAME_GLOBAL.fullmatch(part) or _is_over(inputs, part)


def _is_told(inputs, whole, base, tested):
    return whole in inputs or base in inputs and not (tested or "").startswith(".storage_offset")


def _is_over(inputs, part):
    """Is it a guard over integers that are inputs? The graph states those itself."""
    text = re.sub(_SOURCE, lambda source: "0" if inputs.get(source[0], {}).get("kind") == "int" else source[0], part)
    return text != part and not set(re.findall(r"[A-Za-z_]\w*", text)) - _OPERATORS


def _literal(text):
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, (bool, int, float, str)) else None


def symbols_of(text):
    return set(re.findall(r"[A-Za-z_]\w*", text)) - _WORDS


def same(a, b):
    return type(a) is type(b) and a == b
