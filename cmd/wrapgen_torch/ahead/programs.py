# SPDX-License-Identifier: MIT
"""What load() needs of a function: for each graph that Dynamo compiled of it, what is tested of a call, where the inputs are,
what is returned, and the models. All of it is data. What cannot be that is a CaptureError that names it.
"""

import types

import torch
import torch.utils._pytree as pytree
from ..variants import sources_of
from ..deploying import cpu
from ..errors import CaptureError
from ..loading import code
from ..loading.code_text import is_found, method_text, module_of
from ..loading.frames import CONSTANTS
from ..loading.wrapped import Wrapped
from . import subclass_guards
from .bytecode import Built, Constant, Kept, Output, Read, path_of, read_frame
from .frames import InnerFrame, calls_graph, code_of, continuations, entries_of, in_one_line, resumes, written
from .guards import Guards
from .keeping import keep, keep_whole, signature_of
from .labels import NAME, code_name
from .opcodes import instructions


def describe_programs(made, sites, frames):
    """(what the index says of a Loadable, the folders of models to which it refers by number)."""
    plain, is_module = made.plain, made.method is not None
    writer = _Programs(plain, frames, sites, continuations(plain, frames))
    programs = writer.programs(plain, entries_of(plain.__code__))
    resumed = writer.resumed()
    writer.refuse_others()
    writer.refuse_nothing()
    wrapped = isinstance(made.function, Wrapped)
    closure, place, code_closure = _closure(plain, programs), _place_of(made.original), []
    if place is None:  # what is bound may have other functions and classes in its closure
        code_closure = [name for name in _code_closure(plain, programs) if name not in closure] if is_module else []
        _test_code([*closure, *code_closure], programs)
    for program in [*programs, *(program for one in resumed.values() for program in one.get("programs", ()))]:
        del program["of_code"]
    described = {"method": made.method, "method_text": method_text(plain), "wrapped": wrapped, "modes": made.modes,
                 "signature": signature_of(plain), "programs": programs, "resumed": resumed, "cpu": cpu.needs("native"), "closure": closure,
                 "code_closure": code_closure, "function": None if is_module else place, "code": code.described(writer.codes())}  # fmt: skip
    return described, writer.folders


class _Programs:
    """Describes what Dynamo compiled of the function and of its continuations."""

    def __init__(self, plain, frames, sites, found):
        self._plain, self._frames, self._found = plain, frames, found
        self._sites = _sites_by_id(self._plain, sites, frames)
        self._numbers = {code: frames.number_of(code) for code in found}
        self.folders = []
        self._codes = {self._plain.__code__, *(code for site in sites for code in site.codes)}

    def programs(self, function, entries):
        result = [self._program(function, entry) for entry in entries]
        if not result and function is self._plain:
            problem = self._frames.left.get(function.__code__)
            why = f": {in_one_line(problem)}" if problem is not None else ""
            raise CaptureError(f"{function.__name__}: nothing was compiled of it{why}")
        return result

    def resumed(self):
        """The number of each continuation -> its entry."""
        return {str(self._numbers[code]): self._continuation(code, one) for code, one in self._found.items()}

    def codes(self):
        """Those of the program that were traced. A continuation's is made of one of them."""
        return self._codes - self._found.keys()

    def refuse_others(self):
        """Graphs that no code in the cache calls."""
        if self._sites:
            raise CaptureError(f"{self._plain.__name__}: PyTorch has dropped {len(self._sites)} of its graphs; build fewer shapes at once")

    def refuse_nothing(self):
        """Without a graph all would run in Python."""
        if not self.folders:
            why = next((made.breaks for made in self._frames.compiled.values() if made.breaks is not None), "it does nothing with tensors")
            raise CaptureError(f"{self._plain.__name__}: nothing was compiled of it: {why}")

    def _continuation(self, code, one):
        described = {"name": one.name, "signature": signature_of(one.function), "closure": list(code.co_freevars)}
        if one.entries:
            programs = self.programs(one.function, one.entries)
            _test_code(described["closure"], programs)
            return described | {"programs": programs}
        return described | ({"left": keep_whole(code, one.function)} if code in self._frames.left else {})

    def _program(self, function, entry):
        site, made = self._sites.pop(str(entry.compile_id), None), self._frames.compiled[str(entry.compile_id)]
        self._codes |= set(made.codes)
        if site is not None:
            _refuse_site(site)
            self._codes |= subclass_guards.codes(site)
        if isinstance(made.tests, Exception):
            raise made.tests
        if made.breaks is not None and written(entry.code):  # they are written back when the bytecode ends
            raise CaptureError(f"{function.__name__} writes the global '{written(entry.code)[0]}' before a graph break: not loaded without Dynamo")
        resumed = {name: self._numbers[code_of(function.__globals__[name])] for name in resumes(entry.code)}
        if site is None:
            return _without_graph(function, entry.code, made, resumed)
        self.folders.append(site.models.folder)
        return _program(function, site, entry.code, made, resumed, len(self.folders) - 1)


def _place_of(function):
    """Where load() finds the function, with its closure; None if it does not, and then is given the closure."""
    return [function.__module__, *function.__qualname__.split(".")] if is_found(function) else None


def _closure(plain, programs):
    """The variables of its closure that are read. Others are code, and part of the program."""
    free = plain.__code__.co_freevars
    roots = {name for program in programs if "code" in program["returned"] for name in program["returned"]["code"]["cells"]}

    def look(value):
        if isinstance(value, list) and len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], list):
            roots.add(value[0])
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            look(inner)

    look([[program["tests"], program["inputs"], program["returned"]] for program in programs])
    return [name for name in free if name in roots]


def _code_closure(plain, programs):
    """The variables of its closure that are code."""
    return [name for name in plain.__code__.co_freevars if any(name in program["of_code"] for program in programs)]


def _test_code(closure, programs):
    """Variables that load() is given may hold functions and classes."""
    for program in programs:
        tests = [test for name in closure for test in program["of_code"].get(name, ())]
        wrong = next((test for test in tests if isinstance(test, str)), None)
        if wrong is not None:
            raise CaptureError(f"{wrong}: nothing would test that without Dynamo")
        program["tests"] += tests


def note_tests(site, made, manager, number_of):
    """Finds the tests of a call of a Compiled before it is called for the first time: the call may change what Dynamo saw. `site` is that
    of its graph, None if it has none."""
    try:
        made.tests = _tests(site, made, manager, number_of)
    except Exception as problem:  # noqa: BLE001 - raised where the program is described, if it is
        made.tests = problem


def _tests(site, made, manager, number_of):
    """(tests of a call, tests of the closure's variables that are bound)"""
    function = made.function
    names = [entry["name"] for entry in signature_of(function)]
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    values = {name: cell.cell_contents for name, cell in cells.items() if cell != types.CellType()}
    inputs = {}
    if site is not None and site.described is not None:
        inputs = dict(zip(sources_of(site.described), site.described.document["graphs"][0]["inputs"], strict=True))
    guards = Guards(function, names, cells, inputs, {**values, **made.values}, number_of, made.inference)
    return guards.tests(manager), guards.of_code


def _sites_by_id(plain, sites, frames):
    """compile id -> Site."""
    result = {}
    for site in sites:
        if site.refusal is not None:
            raise CaptureError(f"{site.code}: {site.refusal}")
        origin = site.described.origin
        refuse_other_code(plain, origin, frames)
        if str(origin.compile_id) in result:
            raise CaptureError(f"{plain.__name__}: AOTAutograd makes several graphs of it: not loaded without Dynamo")
        result[str(origin.compile_id)] = site
    return result


def refuse_other_code(plain, origin, frames):
    """A graph must be of the function, or of a continuation of it."""
    if origin is not None and (origin.code is plain.__code__ or origin.code in continuations(plain, frames)):
        return
    code = "a graph" if origin is None else code_name(origin.code)
    if entries_of(plain.__code__):
        raise InnerFrame(f"{plain.__name__} calls {code} where it has a graph break, and Dynamo compiles that by itself: not loaded without Dynamo")
    raise CaptureError(
        f"{plain.__name__}: its graph is of other code, {code}. Give build() that function, without its decorators; what they"
        " switch, such as torch.no_grad(), as context, and around the calls of what is loaded"
    )


def _refuse_site(site):
    if site.unloaded is not None:
        raise CaptureError(f"{site.code}: {site.unloaded}: not loaded without Dynamo")


def _program(function, site, made_code, made, resumed, number):
    described = site.described
    names = [entry["name"] for entry in signature_of(function)]
    frame = read_frame(made_code, names, function.__globals__, module_of(function))
    if len(frame.inputs) != len(described.input_names):
        raise CaptureError(f"{site.code}: Dynamo passes {len(frame.inputs)} inputs, and AOTAutograd gets {len(described.input_names)}")
    _refuse_shared(function, made, frame)
    tests, of_code = made.tests
    kept = isinstance(frame.returned, Kept)
    returned = {"code": keep(made_code, function, resumed)} if kept else _tree(frame.returned)
    compiled = _compiled(site)
    subclasses, versions = subclass_guards.described(site)
    return {
        "graph": site.digest,
        "models": number,
        "compiled": compiled,
        "tests": [*versions, *tests, *_not_negative(site, frame)],
        "of_code": of_code,
        "inputs": [path_of(read) for read in frame.inputs],
        "returned": returned,
        **subclasses,
    }


def _refuse_shared(function, made, frame):
    """Dynamo does not test that an argument is a tensor that the program also reads as a global, and gives it to the graph once."""
    codes = [code for code in (function.__code__, *made.codes) if code.co_filename == function.__code__.co_filename]
    names = {one.argval for code in codes for one in instructions(code) if one.opname == "LOAD_GLOBAL"}
    of_globals = {id(tensor): name for name in sorted(names) for tensor in _tensors_in(function.__globals__.get(name))}
    for argument in dict.fromkeys(read.name for read in frame.inputs if isinstance(read.name, str)):
        name = next((of_globals[id(tensor)] for tensor in _tensors_in(made.values.get(argument)) if id(tensor) in of_globals), None)
        if name is not None:
            raise CaptureError(f"a tensor is both in the argument '{argument}' and in the global '{name}', and nothing would test that without Dynamo")


def _tensors_in(value):
    if isinstance(value, torch.nn.Module):
        return [*value.parameters(), *value.buffers()]
    return [leaf for leaf in pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def _without_graph(function, made_code, made, resumed):
    """A frame that Dynamo compiled without a graph: all is in its bytecode."""
    if calls_graph(made_code):
        raise CaptureError(f"{function.__name__}: PyTorch compiled it once without a graph that was described: not loaded without Dynamo")
    tests, of_code = made.tests
    return {"tests": tests, "of_code": of_code, "inputs": [], "returned": {"code": keep(made_code, function, resumed)}}


def _compiled(site):
    models = site.models
    result = {f"{NAME}_kernel": models.forward.entry("forward.so")}
    if site.described.traced.trains:
        if models.backward is None:
            _compile_backward(site)
        result[f"{NAME}_backward_kernel"] = models.backward.entry("backward.so")
    return result


def _compile_backward(site):
    try:
        site.backward()
    except Exception as problem:
        raise CaptureError(f"{site.code}: {site.uncompiled}") from problem


def _not_negative(site, frame):
    """Tests of ints that a model gets as the size of a tensor."""
    models = [model for model in (site.models.forward, site.models.backward) if model is not None]
    symbols = set().union(*(model.not_negative for model in models))
    fakes = site.described.traced.fakes
    reads = [path_of(read) for read, fake in zip(frame.inputs, fakes, strict=True) if isinstance(fake, torch.SymInt) and fake.node.expr in symbols]
    return [{"test": "over_extents", "of": read, "reads": [read], "holds": "{0} >= 0"} for read in reads]


def _tree(value):
    """What is returned, as builder() of loading/frames.py reads it."""
    if isinstance(value, Output):
        return {"output": value.position}
    if isinstance(value, Read):
        return {"read": path_of(value)}
    if isinstance(value, Constant):
        return next(({name: store(value.value)} for name, (kind, store, _) in CONSTANTS.items() if type(value.value) is kind),
                    {"constant": value.value})  # fmt: skip
    assert isinstance(value, Built)
    items = [_tree(item) for item in value.items]
    if value.of is not None:
        return {value.kind: [*_name_of(value.of), value.keys, items]}
    return {value.kind: [list(pair) for pair in zip(value.keys, items, strict=True)] if value.kind == "dict" else items}


def _name_of(kind):
    """(module, name) of a class that load() can find."""
    module, name = kind.__module__, kind.__qualname__
    if not is_found(kind):
        raise CaptureError(f"it returns a {module}.{name}, which load() could not find: put the class into a module")
    return module, name
