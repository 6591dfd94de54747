# SPDX-License-Identifier: MIT
"""Dispatchers over graphs: the graphs that PyTorch compiled of one code object, as the variants of a kernel.

At run time Dynamo tests the guards of one compiled graph after the other, the one used last first. What those guards say
of a graph's own inputs is in its YAML; what they say of Python values (`flag == True`, `bias is None`), and of tensors and
integers that Dynamo only looked at, becomes a condition on a further argument. The arguments of the kernel are the inputs
of all its graphs and what else tells them apart. A guard that no condition can say, or a graph that a dispatcher cannot
call, is a note instead of a kernel.
"""

import re
import sys
from dataclasses import dataclass

from .covers import covers
from .guard_text import SIZE, guards_in
from .layouts import layouts
from .names import Names, from_source
from .upstream import CompileContext, InstructionTranslator, _debug_get_cache_entry_list
from .variants import LAZY_BITS, Left, read, same, sources_of, symbols_of


_PLAIN = {"Tensor", "Parameter", "Buffer"}  # PyTorch's words for what is not a subclass


@dataclass
class Origin:
    """Where PyTorch found a graph: the code that Dynamo traced, and which of its compilations this is."""

    code: object
    compile_id: object

    @staticmethod
    def current():
        try:
            return Origin(InstructionTranslator.current_tx().output.root_tx.f_code, CompileContext.current_compile_id())
        except AttributeError:
            return None  # without Dynamo

    def frame(self):
        """The innermost frame of the code that Dynamo made and that calls this."""
        frame = sys._getframe()
        while _place(frame.f_code) != _place(self.code):
            frame = frame.f_back
        return frame


def _place(code):
    return code.co_filename, code.co_firstlineno, code.co_name


@dataclass
class Choice:
    """A kernel. `symbols`: declarations of those in its conditions that no graph has."""

    document: dict
    variants: list
    sources: list
    symbols: list

    def arguments(self, described, flat, frame):
        """The kernel's arguments in a call for which Dynamo chose `described` with the inputs `flat`. `frame` is that of the
        function that was compiled, whose variables Dynamo's guards are about."""
        given = dict(zip(sources_of(described), flat, strict=True))
        return [given[source] if source in given else _evaluated(source, frame) for source in self.sources]


def _evaluated(source, frame):
    """None if there is no such thing, as the size of a tensor that is None."""
    try:
        return eval(source, {"L": frame.f_locals, "G": frame.f_globals})  # noqa: S307
    except (AttributeError, IndexError, KeyError, TypeError):
        return None


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
        except Left as reason:
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
    _refuse_subclasses(variants, sources)
    kinds = {source: _kind(source, variants) for source in sources}
    argument_names = _argument_names(sources, variants)
    for variant in variants:
        for source in sources:
            conditions = _conditions(source, variant)
            if conditions:
                variant.when[source] = conditions
        variant.guards = _guards(variant, sources)
        _refuse_to_guess(variant)
    kept, notes = [], []
    for variant in variants:
        by = next((earlier.name for earlier in kept if covers(earlier, variant)), None)
        if by is not None:
            notes.append(f"graph {variant.name} is never chosen again: PyTorch now tries {by} first, which takes all its calls")
            outdone.append(variant.described)
        else:
            kept.append(variant)
    if len(kept) < 2:
        return None, notes
    for variant in kept[:-1]:
        if variant.inexact:
            raise Left(f"no condition says that {variant.inexact}, by which PyTorch chooses {variant.name}")
    document = {
        "name": names.take(f"{group[0].name}_choice"),
        "args": [_argument(source, kinds[source], argument_names[source], kept) for source in sources],
        "variants": [_entry(variant, sources, argument_names) for variant in kept],
    }
    named = symbols_of(str(document["variants"]))
    symbols = [entry for variant in kept for entry in variant.described.traced.unpassed.symbols if entry["name"] in named]
    return Choice(document, [variant.described for variant in kept], sources, symbols), notes


def _in_order(group):
    """The graphs as Dynamo tries them, with the guards of each."""
    by_id = {str(described.origin.compile_id): described for described in group}
    entries = _debug_get_cache_entry_list(group[0].origin.code)
    variants = []
    for entry in entries:
        described = by_id.pop(str(entry.compile_id), None)
        if described is None:
            raise Left("PyTorch also compiled the same code without a graph that was described")
        variants.append(read(described, guards_in(entry.guard_manager)))
    if by_id:
        raise Left(f"PyTorch has dropped {', '.join(described.name for described in by_id.values())}")
    return variants


def _refuse_uncallable(variants):
    first, seen = variants[0], {}
    for variant in variants:
        graph = variant.described.document["graphs"][0]
        if graph["mode"] == "training":
            raise Left(f"{variant.name} trains, and a dispatcher returns only outputs")
        if any("subclass" in entry for entry in graph["inputs"]):
            raise Left(f"{variant.name} takes a tensor subclass")
        for source, facts in variant.tensors.items():
            others, name = seen.setdefault(("tensor", source), (facts, variant.name))
            for word, other in zip(facts, others):
                if word != other:
                    raise Left(f"PyTorch tells them apart by {source}: {word} in {variant.name}, {other} in {name}")
        for source, marks in variant.marks.items():
            if marks != seen.setdefault(("marks", source), marks):
                raise Left(f"PyTorch tells them apart by the marks (mark_dynamic) of {source}")
        differing = [text for name, text in variant.globals.items() if seen.setdefault(("global", name), text) != text]
        differing += sorted(variant.others ^ first.others)
        if differing:
            raise Left(f"PyTorch tells them apart by {differing[0]}")
        if _output_kinds(variant) != _output_kinds(first):
            raise Left(f"{first.name} and {variant.name} do not return the same number of values of the same kinds")


def _output_kinds(variant):
    entries = variant.described.document["graphs"][0]["outputs"]
    return [entry.get("kind", "tensor") for entry in entries if isinstance(entry, dict)]


def _sources(variants):
    """The inputs of all graphs, then the Python values that tell some of them apart, and what Dynamo only looked at."""
    result = dict.fromkeys(source for variant in variants for source in variant.inputs)
    for variant in variants:
        for source, value in variant.values.items():
            if not all(source in other.values and same(other.values[source], value) for other in variants):
                result[source] = None
        for source, looks in variant.looks.items():
            if any(other.looks.get(source) != looks for other in variants):
                result[source] = None
    return list(result)


def _refuse_subclasses(variants, sources):
    for variant in variants:
        for source in variant.unpassed.keys() & set(sources):
            kind = variant.tensors.get(source, ("Tensor,",))[0].split(",")[0]
            if kind not in _PLAIN:
                raise Left(f"{variant.name} is chosen by {source}, a tensor subclass, {kind}")


def _kind(source, variants):
    kinds = {entry.get("kind", "tensor") for entry in (variant.entries.get(source) for variant in variants) if entry}
    words = {bool: "bool", int: "int", float: "float", str: "string"}
    kinds |= {words[type(v.values[source])] for v in variants if v.values.get(source) is not None}
    if len(kinds) > 1:
        raise Left(f"{source} is of kind {' or '.join(sorted(kinds))}")
    nullable = any(source in variant.values and variant.values[source] is None for variant in variants)
    if nullable and kinds != {"tensor"} and any(source in variant.inputs for variant in variants):
        raise Left(f"{source} is a number or None")
    if not kinds:
        raise Left(f"{source} is None, or is not looked at")
    return kinds.pop()


def _argument_names(sources, variants):
    """An input keeps its name; a name must not stand for something else in another graph."""
    taken = Names()
    result = {source: taken.take(from_source(source)) for source in sources}
    of_name = {name: source for source, name in result.items()}
    for variant in variants:
        for source, entry in variant.inputs.items():
            if of_name.get(entry["name"], source) != source:
                raise Left(f"'{entry['name']}' is not the same in all graphs")
    return result


def _conditions(source, variant):
    """What Dynamo tests of `source` before it chooses the graph, as an entry of `when` without its `arg`."""
    entry = variant.entries.get(source)
    if source in variant.values:
        value = variant.values[source]
        return {"is_null": True} if value is None else {"value": repr(value) if isinstance(value, float) else value}
    if entry is None:
        size = SIZE.fullmatch(source)
        sizes = variant.entries.get(size[1], {}).get("size", ()) if size else ()
        value = _plain(sizes[int(size[2])]) if size and int(size[2]) < len(sizes) else None
        return {"value": value} if value is not None else {}
    if "value" in entry:
        return _said(variant, entry, {"value": entry["value"]})
    if entry.get("kind", "tensor") != "tensor":
        return {}
    facts = {key: entry[key] for key in ("dtype", "size", "stride", "device", *LAZY_BITS) if key in entry}
    words = layouts(facts.get("size", ()), facts.get("stride", ()))
    if words and any(_plain(stride) is None for stride in facts["stride"]):
        # A stride such as s0*4: the layout says the same.
        del facts["stride"]
        return {**_said(variant, entry, facts), "layout": words[0]}
    return _said(variant, entry, facts)


def _guards(variant, sources):
    """Those of the graph, and those about what Dynamo only looked at, if it is an argument of the kernel."""
    unpassed = variant.described.traced.unpassed
    given = symbols_of(" ".join(str(variant.unpassed[source]) for source in sources if source in variant.unpassed))
    absent = {entry["name"] for entry in unpassed.symbols} - given
    about = [guard for guard in unpassed.guards if not symbols_of(guard) & absent]
    return variant.described.document["graphs"][0].get("guards", []) + about


def _refuse_to_guess(variant):
    """A guard is a condition if each of its symbols is, by itself, a size or an integer in `when`."""
    bound = {value for conditions in variant.when.values() for value in (*conditions.get("size", ()), conditions.get("value"))}
    for guard in variant.guards:
        if not symbols_of(guard) <= bound:
            variant.inexact = guard
    if variant.inexact in variant.guards:
        variant.guards = []


def _said(variant, entry, facts):
    """The facts as conditions; an expression is one that no condition can say."""
    result = {}
    for key, value in facts.items():
        if key in ("dtype", "device", *LAZY_BITS):
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
        if any(bit in variant.entries.get(source, {}) for bit in LAZY_BITS for variant in variants):
            entry["lazy_ok"] = True
    absent = any(source not in variant.entries for variant in variants)
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
