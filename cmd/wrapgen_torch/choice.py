# SPDX-License-Identifier: MIT
"""Dispatchers over graphs: the graphs that PyTorch compiled of one code object, as the variants of a kernel.

At run time Dynamo tests the guards of one compiled graph after the other, the one used last first. What those guards say
of a graph's own inputs is in its YAML; what they say of Python values (`flag == True`, `bias is None`) becomes a condition
on a further argument. The arguments of the kernel are the inputs of all its graphs and those values. A guard that no
condition can say, or a graph that a dispatcher cannot call, is a note instead of a kernel.
"""

import ast
import itertools
import math
import re
from dataclasses import dataclass, field

import torch
from torch._dynamo.eval_frame import _debug_get_cache_entry_list
from torch._guards import CompileContext

from .errors import CaptureError
from .names import Names, from_source
from .trace import name_of

_SOURCE = r"[LG](?:\[[^\[\]()]+\]|\.\w+)+"
_TENSOR = re.compile(rf"check_tensor\(({_SOURCE}), (.*), (torch\.\w+), device=(.*?), requires_grad=(\w+), size=.*\)")
_EQUAL = re.compile(rf"({_SOURCE}) == (.+)")
_NONE = re.compile(rf"({_SOURCE}) is None")
_TYPE = re.compile(rf"___check_type_id\(({_SOURCE}), \d+\), type=(.*)")
_IDENTITY = re.compile(r"___check_(?:obj|type)_id\((G.*), \d+\), type=.*")
_SAME_GLOBAL = re.compile(r"G\[\S+ is G\[\S+")
_GUARD = re.compile(r"[| ]*\+- [A-Z_]+: (.*?)(?:  +# .*)?")
_SIZE = re.compile(rf"({_SOURCE})\.size\(\)\[(\d+)\]")
_MARK = re.compile(rf".*?({_SOURCE})(?:, '|\.)_dynamo_\w*indices.*")
# A guard over symbols. The graph states it itself if it is about what the graph takes; no graph states an offset.
_PROPERTY = r"\.(?:size|stride|storage_offset)\(\)"
_OVER_SYMBOLS = re.compile(_PROPERTY)
_READ = re.compile(rf"([LG](?:\[[^\[\]()]+\]|\.(?!\w+\(\))\w+)+)({_PROPERTY}(?:\[\d+\])?)?")
_OPERATORS = {"and", "or", "not", "Max", "Min", "Mod", "PythonMod", "FloorDiv"}
_WORDS = {"and", "or", "not", "min", "max"}
_FEW = 20000  # calls that are tried before it is not known whether a graph takes all calls of another
_ORDERS = {"contiguous": None, "channels_last": (0, 2, 3, 1)}  # dims of each layout, the outermost first
_TRIED = (11, 7, 3, 5, 2)


class _Left(Exception):
    """Why there is no kernel."""


@dataclass
class Origin:
    """Where PyTorch found a graph: the code that Dynamo traced, and which of its compilations this is."""

    code: object
    compile_id: object

    @staticmethod
    def current():
        from torch._dynamo.symbolic_convert import InstructionTranslator

        try:
            return Origin(InstructionTranslator.current_tx().output.root_tx.f_code, CompileContext.current_compile_id())
        except AttributeError:
            return None  # without Dynamo


@dataclass
class Choice:
    """A kernel. `known` has, for each variant, what Dynamo found out about the sources that are not its inputs."""

    document: dict
    variants: list
    sources: list
    known: list

    def arguments(self, described, flat):
        """The kernel's arguments in a call for which Dynamo chose `described` with the inputs `flat`."""
        given = dict(zip(sources_of(described), flat, strict=True))
        known = self.known[self.variants.index(described)]
        return [self._argument(source, given, known) for source in self.sources]

    @staticmethod
    def _argument(source, given, known):
        if source in given:
            return given[source]
        size = _SIZE.fullmatch(source)
        of, dim = (given.get(size[1]), int(size[2])) if size else (None, 0)
        return of.size(dim) if isinstance(of, torch.Tensor) and dim < of.dim() else known.get(source)


@dataclass
class _Variant:
    described: object
    inputs: dict  # source -> entry of the document
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


def choices(graphs):
    """(kernels as Choice, notes, graphs that are never chosen again) for the Described `graphs`, in the order in which they
    were compiled."""
    groups = {}
    for described in graphs:
        if described.origin is not None:
            groups.setdefault(id(described.origin.code), []).append(described)
    names = Names()
    for described in graphs:
        names.take(described.name)
    found, notes, outdone = [], [], []
    for group in groups.values():
        if len(group) < 2:
            continue
        together = ", ".join(described.name for described in group)
        try:
            choice, left = _choice(group, names, outdone)
        except _Left as reason:
            notes.append(f"no kernel chooses among {together}: {reason}")
            continue
        notes += left
        if choice is not None:
            found.append(choice)
    return found, notes, outdone


def _choice(group, names, outdone):
    variants = _in_order(group)
    _refuse_uncallable(variants)
    sources = _sources(variants)
    kinds = {source: _kind(source, variants) for source in sources}
    argument_names = _argument_names(sources, variants)
    for variant in variants:
        for source in sources:
            conditions = _conditions(source, variant)
            if conditions:
                variant.when[source] = conditions
        _refuse_to_guess(variant)
    kept, notes = [], []
    for variant in variants:
        by = next((earlier.name for earlier in kept if _covers(earlier, variant)), None)
        if by is not None:
            notes.append(f"graph {variant.name} is never chosen again: PyTorch now tries {by} first, which takes all its calls")
            outdone.append(variant.described)
        else:
            kept.append(variant)
    if len(kept) < 2:
        return None, notes
    for variant in kept[:-1]:
        if variant.inexact:
            raise _Left(f"no condition says that {variant.inexact}, by which PyTorch chooses {variant.name}")
    document = {
        "name": names.take(f"{group[0].name}_choice"),
        "args": [_argument(source, kinds[source], argument_names[source], kept) for source in sources],
        "variants": [_entry(variant, sources, argument_names) for variant in kept],
    }
    known = [variant.values for variant in kept]
    return Choice(document, [variant.described for variant in kept], sources, known), notes


def _in_order(group):
    """The graphs as Dynamo tries them, with the guards of each."""
    by_id = {str(described.origin.compile_id): described for described in group}
    entries = _debug_get_cache_entry_list(group[0].origin.code)
    variants = []
    for entry in entries:
        described = by_id.pop(str(entry.compile_id), None)
        if described is None:
            raise _Left("PyTorch also compiled the same code without a graph that was described")
        variants.append(_read(described, _guards(entry)))
    if by_id:
        raise _Left(f"PyTorch has dropped {', '.join(described.name for described in by_id.values())}")
    return variants


def _guards(entry):
    """All guards as text. The tree has what `code_parts` leaves out: relations between two sources."""
    lines = [_GUARD.fullmatch(line) for line in str(entry.guard_manager).splitlines()]
    return [re.sub(r"__builtins_dict___\d+", "__builtins_dict__", line[1].strip()) for line in lines if line]


def _read(described, parts):
    sources = sources_of(described)
    entries = described.document["graphs"][0]["inputs"]
    variant = _Variant(described, dict(zip(sources, entries, strict=True)))
    variant.guards = described.document["graphs"][0].get("guards", [])
    for part in parts:
        patterns = (_TENSOR, _EQUAL, _NONE, _TYPE, _IDENTITY)
        tensor, equal, none, kind, identity = (pattern.fullmatch(part) for pattern in patterns)
        if tensor and tensor[1] in variant.inputs:
            variant.tensors[tensor[1]] = (tensor[2], f"requires_grad={tensor[5]}")
        elif none:
            variant.values[none[1]] = None
        elif equal and _literal(equal[2]) is not None:
            variant.values[equal[1]] = _literal(equal[2])
        elif _MARK.fullmatch(part):
            variant.marks.setdefault(_MARK.fullmatch(part)[1], []).append(part)
        elif identity:
            variant.globals[identity[1]] = part
        elif not (kind and kind[1] in variant.inputs) and not _is_stated(variant.inputs, part):
            variant.others.add(part)
    return variant


def _is_stated(inputs, part):
    if part.startswith("check_no_aliasing("):
        return True  # that they are different tensors
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


def _refuse_uncallable(variants):
    first = variants[0]
    for variant in variants:
        graph = variant.described.document["graphs"][0]
        if graph["mode"] == "training":
            raise _Left(f"{variant.name} trains, and a dispatcher returns only outputs")
        if any("subclass" in entry for entry in graph["inputs"]):
            raise _Left(f"{variant.name} takes a tensor subclass")
        for source, facts in variant.tensors.items():
            for word, other in zip(facts, first.tensors.get(source, facts)):
                if word != other:
                    raise _Left(f"PyTorch tells them apart by {source}: {word} in {variant.name}, {other} in {first.name}")
        for source, marks in variant.marks.items():
            if marks != first.marks.get(source, marks):
                raise _Left(f"PyTorch tells them apart by the marks (mark_dynamic) of {source}")
        differing = [text for name, text in variant.globals.items() if first.globals.get(name, text) != text]
        differing += sorted(variant.others ^ first.others)
        if differing:
            raise _Left(f"PyTorch tells them apart by {differing[0]}")
        if _output_kinds(variant) != _output_kinds(first):
            raise _Left(f"{first.name} and {variant.name} do not return the same number of values of the same kinds")


def _output_kinds(variant):
    entries = variant.described.document["graphs"][0]["outputs"]
    return [entry.get("kind", "tensor") for entry in entries if isinstance(entry, dict)]


def _sources(variants):
    """The inputs of all graphs, then the Python values that tell some of them apart."""
    result = dict.fromkeys(source for variant in variants for source in variant.inputs)
    for variant in variants:
        for source, value in variant.values.items():
            same = all(source in other.values and _same(other.values[source], value) for other in variants)
            if not same:
                result[source] = None
    return list(result)


def _same(a, b):
    return type(a) is type(b) and a == b


def _kind(source, variants):
    kinds = {entry.get("kind", "tensor") for entry in (variant.inputs.get(source) for variant in variants) if entry}
    words = {bool: "bool", int: "int", float: "float", str: "string"}
    kinds |= {words[type(v.values[source])] for v in variants if v.values.get(source) is not None}
    if len(kinds) > 1:
        raise _Left(f"{source} is of kind {' or '.join(sorted(kinds))}")
    nullable = any(source in variant.values and variant.values[source] is None for variant in variants)
    if nullable and kinds != {"tensor"} and any(source in variant.inputs for variant in variants):
        raise _Left(f"{source} is a number or None")
    if not kinds:
        raise _Left(f"{source} is None, or is not looked at")
    return kinds.pop()


def _argument_names(sources, variants):
    """An input keeps its name; a name must not stand for something else in another graph."""
    taken = Names()
    result = {source: taken.take(from_source(source)) for source in sources}
    of_name = {name: source for source, name in result.items()}
    for variant in variants:
        for source, entry in variant.inputs.items():
            if of_name.get(entry["name"], source) != source:
                raise _Left(f"'{entry['name']}' is not the same in all graphs")
    return result


def _conditions(source, variant):
    """What Dynamo tests of `source` before it chooses the graph, as an entry of `when` without its `arg`."""
    entry = variant.inputs.get(source)
    if source in variant.values:
        value = variant.values[source]
        return {"is_null": True} if value is None else {"value": repr(value) if isinstance(value, float) else value}
    if entry is None:
        size = _SIZE.fullmatch(source)
        sizes = variant.inputs.get(size[1], {}).get("size", ()) if size else ()
        value = _plain(sizes[int(size[2])]) if size and int(size[2]) < len(sizes) else None
        return {"value": value} if value is not None else {}
    if "value" in entry:
        return _said(variant, entry, {"value": entry["value"]})
    if entry.get("kind", "tensor") != "tensor":
        return {}
    facts = {key: entry[key] for key in ("dtype", "size", "stride", "device") if key in entry}
    layouts = _layouts(facts.get("size", ()), facts.get("stride", ()))
    if layouts and any(_plain(stride) is None for stride in facts["stride"]):
        # A stride such as s0*4: the layout says the same.
        del facts["stride"]
        return {**_said(variant, entry, facts), "layout": layouts[0]}
    return _said(variant, entry, facts)


def _layouts(sizes, strides):
    """The layouts that always have these strides: with a few sizes of each symbol."""
    symbols = sorted({word for text in (*sizes, *strides) for word in re.findall(r"[A-Za-z_]\w*", str(text))})
    found = list(_ORDERS)
    for number in range(len(_TRIED)):
        values = {symbol: _TRIED[(number + position) % len(_TRIED)] for position, symbol in enumerate(symbols)}
        try:
            size, stride = ([eval(str(text), {}, values) for text in texts] for texts in (sizes, strides))  # noqa: S307
        except (SyntaxError, NameError):
            return []
        found = [layout for layout in found if _has_strides(size, stride, _ORDERS[layout])]
    return found


def _has_strides(sizes, strides, order):
    """Is it dense, if the dims have this order in memory, the outermost first? The stride of a dim of size 1 is not used."""
    order = range(len(sizes)) if order is None else order
    step, dense = 1, len(order) == len(sizes) == len(strides)
    for dim in reversed(order) if dense else ():
        dense = dense and (strides[dim] == step or sizes[dim] == 1)
        step *= sizes[dim]
    return dense


def _refuse_to_guess(variant):
    """A guard is a condition if each of its symbols is, by itself, a size or an integer in `when`."""
    bound = {value for conditions in variant.when.values() for value in (*conditions.get("size", ()), conditions.get("value"))}
    for guard in variant.guards:
        if not _symbols_of(guard) <= bound:
            variant.inexact = guard
    if variant.inexact in variant.guards:
        variant.guards = []


def _symbols_of(text):
    return set(re.findall(r"[A-Za-z_]\w*", text)) - _WORDS


def _said(variant, entry, facts):
    """The facts as conditions; an expression is one that no condition can say."""
    result = {}
    for key, value in facts.items():
        if key in ("dtype", "device"):
            result[key] = value
            continue
        values = value if isinstance(value, list) else [value]
        plain = ["any" if _plain(one) is None else one for one in values]
        if plain != values:
            variant.inexact = f"{key} of '{entry['name']}' is {', '.join(str(one) for one in values if _plain(one) is None)}"
        result[key] = plain if isinstance(value, list) else plain[0]
    return result


def _plain(value):
    return value if isinstance(value, int) or re.fullmatch(r"\w+", value) else None


def _argument(source, kind, name, variants):
    entry = {"name": name, "kind": kind}
    if kind == "tensor":
        entry["subclass_ok"] = False
    absent = any(source not in variant.inputs for variant in variants)
    if kind == "tensor" and absent or any(variant.values.get(source, source) is None for variant in variants):
        entry["nullable"] = True
    return entry


def _entry(variant, sources, names):
    entry = {"graph": variant.name}
    if list(variant.inputs) != sources:
        entry["args"] = [names[source] for source in variant.inputs]
    entry["when"] = [{"arg": names[source], **variant.when[source]} for source in sources if source in variant.when]
    if variant.guards:
        entry["guards"] = variant.guards
    return entry


# ---- which graph takes all calls of another ----


def _covers(a, b):
    """Does `a`, as far as conditions and bounds of symbols tell, accept every call that `b` accepts?"""
    if a.inexact:
        return False
    bounds = {entry["name"]: entry for v in (a, b) for entry in v.described.document.get("symbols", ())}
    meaning = {}  # symbol of a -> what b has there
    for source, conditions in a.when.items():
        others = b.when.get(source, {})
        for key, value in conditions.items():
            if key == "layout" and value in _layouts(others.get("size", ()), others.get("stride", ())):
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
    symbols = sorted(_symbols_of(" ".join(b.guards)) | {other for other in meaning.values() if isinstance(other, str)})
    renamed = [re.sub(r"[A-Za-z_]\w*", lambda word: _put(meaning.get(word[0], word[0])), guard) for guard in a.guards]
    if set(renamed) <= set(b.guards):
        return True
    values = [_values_of(bounds[symbol], len(symbols)) for symbol in symbols]
    for numbers in itertools.product(*values):
        call = dict(zip(symbols, numbers, strict=True))
        if _hold(b.guards, call) and not _hold(renamed, call):
            return False
    if symbols:
        raise _Left(f"it is not known whether {a.name}, with guards, takes all calls of {b.name}")
    return True


def _put(value):
    return f"({value})" if isinstance(value, int) and value < 0 else str(value)


def _values_of(stated, num_symbols):
    """Some values of a symbol from its least on, and all of them if they are few."""
    count = int(_FEW ** (1 / num_symbols))
    multiple = stated.get("multiple_of", 1)
    first = -(-stated.get("min", 0) // multiple) * multiple
    last = min(stated.get("max", math.inf), first + (count - 1) * multiple)
    return range(first, int(last) + 1, multiple)


def _hold(guards, call):
    return all(eval(guard, {"min": min, "max": max}, call) for guard in guards)  # noqa: S307


def _takes(one, other, bounds, meaning):
    if one not in bounds:
        return one == "any" or _same(one, other)
    if meaning.setdefault(one, other) != other or other == "any":
        return False
    stated = bounds[one]
    lower = upper = other
    multiple = other
    if other in bounds:
        lower, upper = bounds[other].get("min", 0), bounds[other].get("max", math.inf)
        multiple = bounds[other].get("multiple_of", 1)
    if not isinstance(lower, int):
        raise CaptureError(f"a condition of an unknown form, {other}")
    within = stated.get("min", 0) <= lower and upper <= stated.get("max", math.inf)
    return within and multiple % stated.get("multiple_of", 1) == 0
