# SPDX-License-Identifier: MIT
"""What load() needs of a function: for each graph that Dynamo compiled of it, what is tested of a call, where the inputs are,
what is returned, and the models. All of it is data. What cannot be that is a CaptureError that names it.
"""

import inspect
import sys
import types

import torch
from torch._dynamo.eval_frame import _debug_get_cache_entry_list

from ..variants import sources_of
from ..deploying import cpu
from ..errors import CaptureError
from ..loading import code
from ..loading.frames import CONSTANTS, signature_of
from ..loading.tests import hooks_of, without_hooks
from ..loading.wrapped import Wrapped
from .bytecode import Built, Constant, Kept, Output, Read, read_frame
from .guards import Guards, path_of
from .keeping import keep
from .hook import NAME


def refuse_inference_mode():
    """A call of what is loaded is refused under it, so nothing could be called as it was built."""
    if torch.is_inference_mode_enabled():
        raise CaptureError("inference mode is on: build for load() without it, under torch.no_grad() if you like")


def refuse_before(function):
    """What is known to be wrong before anything runs."""
    refuse_inference_mode()
    if isinstance(function, torch.nn.Module):
        if "forward" in vars(function):
            raise CaptureError("the module's forward is an attribute of its own: not loaded without Dynamo, which runs that of its class")
        for name, module in [*function.named_modules(), (None, None)]:
            hooks = hooks_of(module)
            if hooks is not None:
                of = "all modules have" if module is None else f"the module {name} has" if name else "the module has"
                raise CaptureError(f"{of} {hooks}, which would not run: not loaded without Dynamo")
    elif not inspect.isfunction(function):
        raise CaptureError(f"load() is for functions and modules, not for a {type(function).__name__}")


def describe_programs(function, sites):
    """(what the index says of the function, the folders of models to which it refers by number)."""
    is_module = isinstance(function, torch.nn.Module)
    plain = plain_of(function)
    signature = signature_of(plain)
    by_id = _sites_by_id(plain, sites)
    programs, folders = [], []
    for entry in _debug_get_cache_entry_list(plain.__code__):
        site = by_id.pop(str(entry.compile_id), None)
        if site is None:
            raise CaptureError(f"{plain.__name__}: PyTorch compiled it once without a graph that was described: not loaded without Dynamo")
        programs.append(_program(function, site, entry, len(folders)))
        folders.append(site.models.folder)
    if by_id:
        raise CaptureError(f"{plain.__name__}: PyTorch has dropped {len(by_id)} of its graphs; build fewer shapes at once")
    if not programs:
        raise CaptureError(f"{plain.__name__}: nothing was compiled of it")
    wrapped = isinstance(function, Wrapped)
    closure, place = _closure(plain, programs), None if is_module else _place_of(plain)
    if closure and place is None and not is_module:
        _test_code(closure, programs)
    for program in programs:
        del program["of_code"]
    described = {"module": is_module, "wrapped": wrapped, "signature": signature, "programs": programs, "cpu": cpu.needs("native"),
                 "closure": closure, "function": place,
                 "code": code.described({one for site in sites for one in site.codes})}  # fmt: skip
    return described, folders


def plain_of(function):
    """The function of Python that Dynamo compiles."""
    return type(function).forward if isinstance(function, torch.nn.Module) else function


def _place_of(function):
    """Where load() finds the function, with its closure; None if it does not, and then is given the closure."""
    module, path = function.__module__, function.__qualname__.split(".")
    value = sys.modules.get(module)
    for part in path:
        value = getattr(value, part, None)
    return [module, *path] if value is function and module != "__main__" else None


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


def _test_code(closure, programs):
    """Variables that load() is given may hold functions and classes."""
    for program in programs:
        tests = [test for name in closure for test in program["of_code"].get(name, ())]
        wrong = next((test for test in tests if isinstance(test, str)), None)
        if wrong is not None:
            raise CaptureError(f"{wrong}: nothing would test that without Dynamo")
        program["tests"] += tests


def note_tests(function, site):
    """Finds the tests of a call before the graph is called for the first time: the call may change what Dynamo saw."""
    plain = plain_of(function)
    try:
        origin = site.described.origin
        (entry,) = [one for one in _debug_get_cache_entry_list(plain.__code__) if str(one.compile_id) == str(origin.compile_id)]
        site.tests = _tests(function, site, entry)
    except Exception as problem:  # noqa: BLE001 - raised where the program is described, if it is
        site.tests = problem


def _tests(function, site, entry):
    """(tests of a call, tests of the closure's variables that are bound)"""
    plain = plain_of(function)
    names = [entry["name"] for entry in signature_of(plain)]
    cells = dict(zip(plain.__code__.co_freevars, plain.__closure__ or (), strict=True))
    values = {name: cell.cell_contents for name, cell in cells.items() if cell != types.CellType()}
    described = site.described
    inputs = dict(zip(sources_of(described), described.document["graphs"][0]["inputs"], strict=True))
    guards = Guards(plain, names, cells, inputs, {**values, **site.values})
    return guards.tests(entry.guard_manager), guards.of_code


def _sites_by_id(plain, sites):
    result = {}
    for site in sites:
        if site.refusal is not None:
            raise CaptureError(f"{site.code}: {site.refusal}")
        origin = site.described.origin
        if origin is None or origin.code is not plain.__code__:
            raise CaptureError(
                f"{plain.__name__}: its graph is of other code, {site.code}. Give build() that function, without its decorators; what they"
                " switch, such as torch.no_grad(), as context, and around the calls of what is loaded"
            )
        if str(origin.compile_id) in result:
            raise CaptureError(f"{plain.__name__}: AOTAutograd makes several graphs of it: not loaded without Dynamo")
        result[str(origin.compile_id)] = site
    return result


def _program(function, site, entry, number):
    described, plain = site.described, plain_of(function)
    names = [entry["name"] for entry in signature_of(plain)]
    if described.subclasses is not None and described.subclasses.types:
        raise CaptureError(f"{site.code}: it takes or returns tensor subclasses: not loaded without Dynamo")
    if site.unloaded is not None:
        raise CaptureError(f"{site.code}: {site.unloaded}: not loaded without Dynamo")
    frame = read_frame(entry.code, names, plain.__globals__)
    if len(frame.inputs) != len(described.input_names):
        raise CaptureError(f"{site.code}: Dynamo passes {len(frame.inputs)} inputs, and AOTAutograd gets {len(described.input_names)}")
    if isinstance(site.tests, Exception):
        raise site.tests
    tests, of_code = _tests(function, site, entry) if site.tests is None else site.tests
    kept = isinstance(frame.returned, Kept)
    returned = {"code": keep(entry.code, plain)} if kept else _tree(frame.returned)
    compiled = _compiled(site)
    return {
        "graph": site.digest,
        "models": number,
        "compiled": compiled,
        "tests": [*tests, *_not_negative(site, frame)],
        "of_code": of_code,
        "inputs": [path_of(read) for read in frame.inputs],
        "returned": returned,
    }


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
    found = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if module == "__main__" or found is not kind:
        raise CaptureError(f"it returns a {module}.{name}, which load() could not find: put the class into a module")
    return module, name
