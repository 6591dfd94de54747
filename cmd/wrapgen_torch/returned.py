# SPDX-License-Identifier: MIT
"""Where, among the values that a graph returns, the ones are that the YAML names."""

from .blank import Blank
from .flat import positions
from .trace import base_name, merged_name
from .upstream import PlainTensorMeta, SubclassCreationMeta


def names_of_returns(program):
    """The names of the updated inputs, outputs and intermediate bases, in the order in which gradients belong to them; None for a
    value that has no name of its own."""
    traced, described = program.traced, program.described
    names = []
    for index in traced.meta.mutated_inp_runtime_indices:
        which = traced.inner[index]
        names.append(described.input_names[which] if isinstance(which, int) else merged_name(which, described.input_names))
    names += described.output_names + [None] * (len(traced.meta.output_info) - len(described.output_names))
    return names + [base_name(position) for position in range(traced.meta.num_intermediate_bases)]


def _entries(program):
    graph = program.document["graphs"][0]
    outputs = [entry for entry in graph["outputs"] if isinstance(entry, dict)]
    return {entry["name"]: entry for entry in [*outputs, *graph.get("intermediate_bases", [])]}


def _metas(program):
    """(name, PlainTensorMeta or SubclassCreationMeta, where it begins and where it ends) of each."""
    names = names_of_returns(program)
    metas = program.traced.outer_meta.subclass_fw_graph_out_meta or [PlainTensorMeta(i) for i in range(len(names))]
    starts = [len(program.traced.meta.tokens) + start for start in positions(metas, program.traced.returns)]
    return zip(names, metas, starts, starts[1:])


def returned_values(program):
    """(name, its entry or None, position among the returned values) of each plain one."""
    entries = _entries(program)
    for name, meta, at, _ in _metas(program):
        if name is not None and isinstance(meta, PlainTensorMeta):
            yield name, entries.get(name), at


def flat_returns(program):
    """(name, position among the returned values) of each part of a subclass."""
    for name, meta, at, end in _metas(program):
        if name is not None and isinstance(meta, SubclassCreationMeta):
            for position in range(at, end):
                yield name, position


def owners_returned(program, fresh):
    """The positions of parts that own a ragged size: which an argument tells or, with `fresh`, any."""
    document = program.document
    unbacked = set() if fresh else {symbol["name"] for symbol in document.get("symbols", ()) if symbol.get("unbacked")}
    entries = _entries(program)
    for name, meta, at, _ in _metas(program):
        if isinstance(meta, SubclassCreationMeta) and "subclass" in entries.get(name, {}):
            for leaf in _leaves(entries[name]["subclass"]):
                if leaf.get("owns", "") not in unbacked | {""}:
                    yield at
                at += 1 + len(leaf.get("symbol_args", ()))


def _leaves(tree):
    for inner in tree["inner"]:
        yield from _leaves(inner) if "inner" in inner else [inner]


def where_they_lie(program, values, args):
    """What a compiled function returns for `args`, with its views in the memory that they are views of: those from which a wrapper
    takes geometry must lie there. Values that differ from those of the good call stay as they are."""
    blanks = program.last.returned
    named = [entry["name"] for entry in program.document["graphs"][0]["inputs"] if isinstance(entry, dict)]
    memory = dict(zip(named, args)) if len(named) == len(args) else {}
    memory |= {name: values[position] for name, _, position in returned_values(program) if name not in memory and position < len(values)}
    changed = list(values)
    for name, entry, position in returned_values(program):
        base = memory.get(name if entry is None and name in named else (entry or {}).get("base"))
        is_same = position < len(values) and blanks[position].is_tensor and blanks[position].is_like(values[position])
        if is_same and Blank.of(base).is_tensor and _takes_geometry(program, name, entry):
            changed[position] = blanks[position].over(base)
    return changed


def _takes_geometry(program, name, entry):
    """Is the value a view by which another tensor gets its geometry: an alias without `view`, or new metadata alone?"""
    if entry is not None:
        return entry.get("type", "").startswith("alias_") and "view" not in entry and "as_strided" not in entry
    inputs = {entry["name"]: entry for entry in program.document["graphs"][0]["inputs"] if isinstance(entry, dict)}
    return bool(inputs.get(name, {}).get("mutates_metadata")) and not inputs[name].get("mutates_data")
