# SPDX-License-Identifier: MIT
"""What is deployed: graphs, each one compiled model with its calls, and the entry points that the graphs are of. Several graphs of one
entry point are variants, chosen by a dispatcher."""

import contextlib
import copy
import io
from dataclasses import dataclass

import torch
import torch.utils._pytree as pytree
from torch.export.graph_signature import InputKind
from torch.fx.experimental.proxy_tensor import make_fx

from ..case import load_cases
from ..errors import CaptureError, first_line
from ..exported import exported, shared_by
from ..names import Names, identifier
from .lifting import lifted_module, state_of, written_by
from .passed import Passed, as_module, leaves_of, names_of, owner_of, result_names, tensor_results, tensors_of
from .python import takes_of


@dataclass
class Call:
    """One recorded call: tensors by name, before it and after it. `tolerance`: (relative, absolute) by name."""

    name: str
    inputs: dict
    after: dict
    outputs: dict
    tolerance: dict


@dataclass
class Graph:
    """One model. `source` compiles it: compile(folder, target, inside) -> Library."""

    name: str
    entry: str
    document: dict  # the YAML, of this graph alone
    calls: list
    source: object
    notes: tuple = ()
    constants: tuple = ()  # what is passed besides tensors, and is part of the model
    takes: tuple = ()  # (name, pattern) of each argument in Python, as python.py writes them; none: the inputs themselves

    @property
    def graph(self):
        return self.document["graphs"][0]


@dataclass
class _Exported:
    """What is compiled of an exported program."""

    program: object
    module: object
    arguments: list
    name: str

    def compile(self, folder, target, inside):
        from .compiling import compile_program

        return compile_program(self.module, self.arguments, self.program, folder, self.name, target, inside)


def of_cases(path):
    """The graphs of a program file."""
    torch.manual_seed(0)
    cases = load_cases(path)
    names = [identifier(case.name or path.stem) for case in cases]
    taken = Names()
    graphs = []
    for case, entry in zip(cases, names, strict=True):
        name = taken.take(entry if names.count(entry) == 1 else f"{entry}_{1 + sum(one.entry == entry for one in graphs)}")
        if not case.calls:
            raise CaptureError(f"{entry}: the Case has no calls: the first one is exported, and all are recorded")
        graphs.append(_of_case(case, name, entry))
    return graphs


def _of_case(case, name, entry):
    if any(isinstance(leaf, torch.Tensor) and leaf.device.type != "cpu" for leaf in pytree.tree_leaves(case.calls)):
        raise CaptureError(f"{name}: an argument is not on the CPU, and only models for the CPU are deployed")
    functional, written, found = _read(_export(case, name), name, case.outputs)
    _name_symbols(found.document, _dims(case))
    state = [state_of(functional, one) for one in written]
    args = case.calls[0][1]
    passed = Passed(name, names_of(case.function), args)
    source = _Exported(functional, lifted_module(functional, written), [*tensors_of(args), *(one.detach() for one in state)], name)
    recorded = _record(case, _Recording(functional, found.document["graphs"][0], passed, written))
    takes = takes_of(entry, names_of(case.function), args, [one["name"] for one in found.document["graphs"][0]["inputs"]])
    return Graph(name, entry, found.document, recorded, source, tuple(passed.notes(functional)), passed.constants(), tuple(takes))


def _read(program, name, outputs=None):
    """The functional program, what it writes to, and its YAML. Without grad mode: parameters would ask for a backward."""
    with torch.no_grad():
        try:
            functional = program.run_decompositions({})
        except Exception as problem:
            raise CaptureError(f"{name}: torch.export cannot make the program functional: {first_line(problem)}") from problem
        written = written_by(functional)
        names = outputs or result_names(functional)
        return functional, written, exported(functional, name, aoti=True, lifted=written, outputs=names, shared=shared_by(program))


def _export(case, name):
    args = tuple(case.calls[0][1])
    module, args = _traced(case, args) if case.trains else (as_module(case.function), args)
    try:
        with torch.no_grad(), contextlib.redirect_stderr(io.StringIO()):  # it prints the graph up to where it failed
            return torch.export.export(module, copy.deepcopy(args), dynamic_shapes=_shapes(case, args))
    except Exception as problem:
        raise CaptureError(f"{name}: torch.export refuses the program: {first_line(problem)}") from problem


def _shapes(case, args):
    """The sizes that vary, as torch.export wants them: given by name, there is an entry for each argument."""
    if case.trains:
        return None
    names = names_of(case.function)[: len(args)]
    if not isinstance(case.dynamic_shapes, dict) or case.dynamic_shapes.keys() - set(names) or len(names) < len(args):
        return case.dynamic_shapes
    return {name: case.dynamic_shapes.get(name) for name in names}


def _traced(case, args):
    """A training step as operations alone, its backward among them, and its flat arguments."""
    if case.dynamic_shapes is not None:
        raise CaptureError("a step that trains is traced for one size; dynamic_shapes cannot be given")
    twins = copy.deepcopy(args)
    flat, spec = pytree.tree_flatten(twins)
    graph = make_fx(lambda *leaves: pytree.tree_leaves(case.function(*pytree.tree_unflatten(list(leaves), spec))))(*flat)
    places = graph.graph.find_nodes(op="placeholder")
    taken = Names()
    for place, (name, _) in zip(places, case.named_arguments(args), strict=True):
        place.target = place.name = taken.take(name)
    graph.recompile()
    return graph, tuple(leaf.detach() for leaf in pytree.tree_leaves(copy.deepcopy(args)))


# ---- symbols are named as the program names its dims ----


def _dims(case):
    """The names of the dims that vary, for each tensor that is passed: {dim: name}."""
    if case.dynamic_shapes is None:
        return []
    args = tuple(case.calls[0][1])
    shapes = _shapes(case, args)
    shapes = tuple(shapes.values()) if isinstance(shapes, dict) else tuple(shapes)
    if len(shapes) == 1 and len(args) != 1 and isinstance(shapes[0], (tuple, list)):
        shapes = tuple(shapes[0])  # of *args
    places = {pytree.keystr(path): shape for path, shape in pytree.tree_flatten_with_path(shapes, is_leaf=_is_shape)[0]}
    return [_named_dims(_shape_at(place, places)) for place, leaf in leaves_of(args).items() if isinstance(leaf, torch.Tensor)]


def _shape_at(place, places):
    """That of a tensor, which is a mapping, or a sequence with an entry for each dim."""
    return places[place] if place in places else [places[one] for one in places if one.startswith(f"{place}[")]


def _is_shape(value):
    return value is None or isinstance(value, dict) and all(isinstance(key, int) for key in value)


def _named_dims(shape):
    pairs = shape.items() if isinstance(shape, dict) else enumerate(shape) if isinstance(shape, (tuple, list)) else ()
    return {dim: identifier(one.__name__) for dim, one in pairs if isinstance(getattr(one, "__name__", None), str)}


def _name_symbols(document, dims):
    graph = document["graphs"][0]
    symbols = [symbol["name"] for symbol in document.get("symbols", [])]
    taken = {entry["name"] for entry in graph["inputs"]} | set(symbols)
    renamed = {}
    for entry, named in zip(graph["inputs"], dims, strict=False):
        for dim, name in named.items():
            symbol = entry["size"][dim] if dim < len(entry["size"]) else None
            if symbol in symbols and symbol not in renamed and name not in taken:
                renamed[symbol] = name
                taken.add(name)
    rename(document, renamed)


def rename(document, names):
    """Symbols of a document of one graph by other names."""
    import re

    if not names:
        return
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, names)) + r")\b")

    def renamed(value, key=None):
        if isinstance(value, dict):
            return {one: renamed(item, one) for one, item in value.items()}
        if isinstance(value, list):
            return [renamed(item, key) for item in value]
        named = key in ("name", "dtype", "device", "type", "base", "op", "compiled", "mode", "convention", "check", "kind")
        return value if named or not isinstance(value, str) else pattern.sub(lambda found: names[found.group()], value)

    for symbol in document.get("symbols", []):
        symbol["name"] = names.get(symbol["name"], symbol["name"])
    document["graphs"] = [renamed(graph) for graph in document["graphs"]]


# ---- what the program computes, in eager mode ----

# Relative to each number, and to the largest one of the tensor, since sums of large numbers may be small.
TOLERANCES = {torch.float64: (1e-7, 1e-9), torch.float32: (1e-4, 1e-5), torch.bfloat16: (2e-2, 1e-2), torch.float16: (2e-3, 1e-3)}


@dataclass
class _Recording:
    """What calls are recorded by. `written`: names of the state that the model takes as arguments."""

    program: object
    graph: dict
    passed: object
    written: list


def _record(case, recording):
    """The calls one after another, on a copy of the program and of all arguments: what calls share, their copies do."""
    function = case.function
    if isinstance(function, torch.nn.Module) or owner_of(function) is not None:
        function = copy.deepcopy(function)
    owner = owner_of(function) or function
    state = dict(owner.named_parameters()) | dict(owner.named_buffers()) if isinstance(owner, torch.nn.Module) else {}
    written = [state[name] for name in recording.written]
    return [_record_call(case, recording, function, written, name, tuple(args)) for name, args in copy.deepcopy(case.calls)]


def _record_call(case, recording, function, state, name, args):
    graph = recording.graph
    where = f"{graph['name']}, call {name}"
    inputs = recording.passed.tensors(name, args) + state
    names = [entry["name"] for entry in graph["inputs"]]
    before = {one: value.detach().clone() for one, value in zip(names, inputs, strict=True)}
    try:
        with torch.set_grad_enabled(case.trains):
            results = function(*args)
    except Exception as problem:
        raise CaptureError(f"{where}: the program raises {type(problem).__name__}: {first_line(problem)}") from problem
    results = tensor_results(recording.program, results, where)
    after = {one: value.detach().clone() for one, value in zip(names, inputs, strict=True)}
    outputs = {entry["name"]: value.detach().clone() for entry, value in zip(graph["outputs"], results, strict=True)}
    return recorded_call(name, graph, before, after, outputs, case.tolerance)


def recorded_call(name, graph, before, after, outputs, tolerance):
    after = {entry["name"]: after[entry["name"]] for entry in graph["inputs"] if entry.get("mutates_data")}
    for one, value in (before | after | outputs).items():
        if value.is_complex():
            raise CaptureError(f"{graph['name']}: '{one}' is complex, which recorded data cannot hold")
    limits = {f"after {one}": _tolerance(tolerance, one, value) for one, value in after.items()}
    limits |= {f"out {one}": _tolerance(tolerance, one, value) for one, value in outputs.items()}
    return Call(identifier(str(name)), before, after, outputs, {one: limit for one, limit in limits.items() if limit})


def _tolerance(given, name, value):
    if name in given or value.dtype not in TOLERANCES:
        return given.get(name)
    relative, of_largest = TOLERANCES[value.dtype]
    finite = value[value.isfinite()].abs().double()
    return relative, of_largest * max(finite.max().item() if finite.numel() else 0.0, 1e-6)


# ---- what torch.export saved ----


def of_program(program, name):
    """The graph of an exported program, with the call of its example inputs."""
    functional, written, found = _read(program, name)
    if functional.example_inputs is None:
        raise CaptureError("the exported program has no example inputs, so no call can be recorded: deploy its PROGRAM.py instead")
    args, kwargs = functional.example_inputs
    kinds = [spec for spec in functional.graph_signature.input_specs if spec.kind is InputKind.USER_INPUT]
    flat = pytree.tree_leaves((args, kwargs))
    if len(kinds) != len(flat):
        raise CaptureError("the exported program's example inputs are not its arguments")
    flat = [leaf for leaf in flat if isinstance(leaf, torch.Tensor)]
    state = [state_of(functional, one).detach() for one in written]
    module = lifted_module(functional, written)
    graph = found.document["graphs"][0]
    values = [value.detach().clone() for value in [*flat, *state]]
    names = [entry["name"] for entry in graph["inputs"]]
    before = {one: value.clone() for one, value in zip(names, values, strict=True)}
    with torch.no_grad():
        results = pytree.tree_leaves(module(*values))
    after = dict(zip(names, values, strict=True))
    outputs = {entry["name"]: value.detach().clone() for entry, value in zip(graph["outputs"], results, strict=True)}
    call = recorded_call("example", graph, before, after, outputs, {})
    source = _Exported(functional, lifted_module(functional, written), [*flat, *state], name)
    return Graph(name, name, found.document, [call], source)
