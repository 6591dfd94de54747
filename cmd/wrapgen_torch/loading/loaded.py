# SPDX-License-Identifier: MIT
"""load(): a function out of a directory, called without Dynamo: nothing is traced, and torch._dynamo is not imported."""

import sys
import types

import torch

from ..ahead.labels import explain
from ..ahead.store import Directory
from ..environment import lacking
from ..errors import CallError, DirectoryError
from ..extension import SUFFIX, load_extension
from .code import changed
from .code_text import looked_up, method_text
from .imports import import_modules
from .kept import found, left_code
from .frames import Places, is_there, reader, returned_by, text_of
from .signature import Signature
from .subclasses import bind_subclasses
from .tests import Surroundings, Tensors, rows_of, value_test
from .modes import Under, undecorated
from .wrapped import Wrapped

_NOT_THERE = (KeyError, IndexError, AttributeError, TypeError)  # what a read raises where a call has another structure


def load(directory):
    """What build(..., load=True) wrote into `directory`, as a Loaded. DirectoryError if it cannot be used here."""
    return Loaded(Directory(directory))


class Loaded:
    """`fn` is the function; it also has the program's own name."""

    def __init__(self, directory):
        described = directory.load
        if described is None:
            raise DirectoryError(f"{directory.path} was built for torch.compile alone: build it again with load=True")
        with directory.reading():
            _refuse_changed(directory)
            words = lacking(described["cpu"])
        if words:
            raise DirectoryError(f"{directory.path} was built for a CPU with {', '.join(map(str, words))}, which this one does not have. Build it here")
        self.name = directory.program
        with directory.reading():
            described = {**described, "resumed": _continuations(directory, described["resumed"])}
            _refuse_decorated(directory, described)
            function = _kind_of(described)(self.name, directory, described)
            self.fn = Under(function, described["modes"]) if described["modes"] else function
            _refuse_changed(directory)  # modules that are imported for it

    def __getattr__(self, name):
        if name == self.__dict__.get("name"):
            return self.fn
        raise AttributeError(f"there is only '{self.__dict__.get('name')}', which is also called 'fn'")


def _kind_of(described):
    if described["method"] is not None:
        return ModuleFunction
    return Closure if described["closure"] and described["function"] is None else Function


def _refuse_changed(directory):
    name = changed(directory.load["code"])
    if name is not None:
        raise DirectoryError(f"{name} is not the function that {directory.path} was built of: it has changed since. Build it again")


def _refuse_decorated(directory, described):
    """Of a function that is found by its name, whose module is loaded. A method is looked at when its module is bound."""
    module, *path = described["function"] or ("",)
    function = looked_up(module, path)
    if function is not None and undecorated(function)[1] != described["modes"]:
        raise DirectoryError(f"{module}.{'.'.join(path)} has other decorators than when {directory.path} was built. Build it again")


class Function:
    """A function, called as the one that was built is; one of its graphs runs. CallError if none was built for the call."""

    def __init__(self, name, directory, described, cells=None):
        """`cells` are those of the variables of its closure; None: of the function that is found by its name."""
        if cells is None:
            cells = _found_cells(described["function"], described["closure"])
        programs = _programs(directory, described["programs"], _names_of(described), cells, described["resumed"])
        self._become(name, described["signature"], programs, cells)

    def _become(self, name, entries, programs, bound=()):
        """`bound` are the first values of a frame; `entries` describe what else is in it, the arguments."""
        self.__name__ = name
        self._title = f"{name}()"
        self._bound = bound
        self._signature = Signature(name, entries)
        self._count = self._signature.count
        self._programs = tuple(programs)

    def __call__(self, *args, **kwargs):
        if len(args) != self._count or kwargs:
            args = self._signature.frame(args, kwargs)
        first = self._programs[0]
        try:
            result = first.call(*args)
        except (ValueError, TypeError, RuntimeError) as problem:
            explain(problem, first.labels)
            raise
        return result if result is not NotImplemented else self._other(args)

    def _other(self, args):
        """The call of another graph than the last one: that which takes it comes first from now on."""
        programs = self._programs
        for program in programs[1:]:
            try:
                result = program.call(*args)
            except (ValueError, TypeError, RuntimeError) as problem:
                explain(problem, program.labels)
                raise
            if result is not NotImplemented:
                self._programs = (program, *(other for other in programs if other is not program))
                return result
        raise CallError(_why_none(self._title, programs, (*self._bound, *args)))


def _programs(directory, entries, names, bound, resumed):
    with directory.reading():
        import_modules(entries)
    return [(_Program if "graph" in entry else _WithoutGraph)(directory, entry, names, bound, resumed) for entry in entries]


def _continuations(directory, entries):
    """What follows each graph break, by its number. It is called with the values of the frame; where it has a closure, it gets a tuple of
    cells first, and returns what is called so."""
    made = {int(number): _Continuation(int(number)) for number in entries}
    called = {number: one.of_cells if entries[str(number)]["closure"] else one for number, one in made.items()}
    for number, one in made.items():  # they may call each other
        one.read(directory, entries[str(number)], called)
    return called


class _Continuation(Function):
    """Dynamo tests which one it is, if it is an argument of another one, and reads its closure."""

    __closure__ = __defaults__ = __kwdefaults__ = None

    def __init__(self, number):
        self.number = number

    def read(self, directory, entry, resumed):
        names = _names_of(entry)
        if "programs" in entry:
            programs = _programs(directory, entry["programs"], names, (), resumed)
        else:
            programs = [_Left(directory, entry) if "left" in entry else _Unreached()]
        self._become(entry["name"], [{"name": name, "kind": "POSITIONAL_ONLY"} for name in names], programs)
        self._title = entry["name"]

    def of_cells(self, cells):
        return _WithCells(self, tuple(cells))


class _WithCells:
    __defaults__ = __kwdefaults__ = None

    def __init__(self, continuation, cells):
        self._continuation = continuation
        self.number, self.__closure__ = continuation.number, cells

    def __call__(self, *args):
        return self._continuation(*self.__closure__, *args)


def _names_of(described, more=()):
    """Of a frame: the variables of the closure and `more` of them, in their cells, then the arguments."""
    return [*described["closure"], *more, *(entry["name"] for entry in described["signature"])]


def _found_cells(place, names):
    if not names:
        return ()
    module, *path = place
    return _cells_of(undecorated(found(module, path))[0], names)


def _cells_of(function, names):
    """The cells of variables of a function's closure."""
    code = getattr(function, "__code__", None)
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True)) if code is not None else {}
    missing = [name for name in names if name not in cells]
    if missing:
        raise DirectoryError(f"{function!r} has no variable '{missing[0]}' in its closure, which that had that was built. Build it again")
    return tuple(cells[name] for name in names)


def _why_none(title, programs, frame):
    reasons = list(dict.fromkeys(program.why_not(frame) for program in programs))
    if len(reasons) == 1:
        return f"{title}: no graph was built for this call: {reasons[0]}"
    numbered = "".join(f"\n  {number}. {reason}" for number, reason in enumerate(reasons, 1))
    return f"{title}: none of the {len(programs)} graphs was built for this call:{numbered}"


class Closure:
    """A function with variables of a function around it, which are bound by name first."""

    def __init__(self, name, directory, described):
        self.__name__ = name
        self._made = (name, directory, described)

    def __call__(self, *args, **kwargs):
        names = self._made[2]["closure"]
        said = ", ".join(f"{name}=..." for name in names)
        raise TypeError(f"{self.__name__} has variables of its closure: bind them first, fn.bind({said})(...)")

    def bind(self, **variables):
        """A function of the arguments, in which the variables have these values, which are tested at every call, or are in these cells."""
        name, directory, described = self._made
        names = described["closure"]
        wrong = next(iter({*variables} ^ {*names}), None)
        if wrong is not None:
            what = f"'{wrong}' is not bound" if wrong in names else f"'{wrong}' is none of them"
            raise TypeError(f"{name} has the variables {', '.join(names)} in its closure: {what}")
        given = [variables[one] for one in names]
        return Function(name, directory, described, tuple(one if isinstance(one, types.CellType) else types.CellType(one) for one in given))


class ModuleFunction:
    """The forward of a module, whose parameters and buffers are bound by name first."""

    def __init__(self, name, directory, described):
        self.__name__ = name
        self._made = (name, directory, described)

    def __call__(self, *args, **kwargs):
        raise TypeError(f"{self.__name__} is of a module: bind one first, or its parameters and buffers by name: fn.bind(module)(...)")

    def bind(self, target):
        """A function of the other arguments.

        target  a module like the one that was built, which is tested at every call: its types, flags (training), attributes. Or
                a mapping from names, as in state_dict(), to tensors: it has no flags, so it counts as the module that was built
        """
        _refuse_changed(self._made[1])  # the module of Python that the target is of may have been imported since
        if isinstance(target, torch.nn.Module):
            return _OfModule(self._made, target)
        return _OfState(self._made, target)


class _OfModule(Function):
    def __init__(self, made, module):
        name, directory, described = made
        names, itself = _names_of(described, described["code_closure"]), described["signature"][0]["name"]
        module = Wrapped(module) if described["wrapped"] else module
        method, modes = undecorated(getattr(type(module), described["method"], None))
        if modes != described["modes"]:
            raise CallError(f"{name}: the method {described['method']} of {type(module).__name__} has other decorators than when it was built")
        if method_text(method) != described["method_text"]:  # one that reads nothing of its module has no other test
            raise CallError(f"{name}: the method {described['method']} of {type(module).__name__} is not the one that was built")
        bound = (*_cells_of(method, [*described["closure"], *described["code_closure"]]), module)
        own = [{"test": "dict_contains", "of": [itself, [["attr", "__dict__"]]], "key": described["method"], "there": False}]
        entries = [{**entry, "tests": [*entry["tests"], *own]} for entry in described["programs"]]
        programs = _programs(directory, entries, names, bound, described["resumed"])
        self._become(name, described["signature"][1:], programs, bound)


class _OfState(Function):
    def __init__(self, made, state):
        name, directory, described = made
        if described["closure"] or any("code" in entry["returned"] for entry in described["programs"]):
            raise CallError(f"{name} does more with its module than read tensors, so a mapping is not enough: bind a module")
        if any("subclasses" in entry for entry in described["programs"]):
            raise CallError(f"{name} was built with tensor subclasses, whose contexts are tested, too, so a mapping is not enough: bind a module")
        names = _names_of(described)
        roots = (names[0], *described["code_closure"])
        flags = [[test for test in entry["tests"] if _is_flag(test, roots)] for entry in described["programs"]]
        differing = [text_of(test["of"]) for some in flags for test in some if any(test not in others for others in flags)]
        if differing:
            raise CallError(f"{name} was built for modules that differ in {differing[0]}, which a mapping does not have: bind a module")
        entries = [_by_name(entry, roots, described["wrapped"]) for entry in described["programs"]]
        missing = sorted({name for entry in entries for name in entry["state"]} - set(state))
        if missing:
            raise CallError(f"{name}: there is no '{missing[0]}' in what is bound")
        programs = _programs(directory, entries, names, (state,), described["resumed"])
        self._become(name, described["signature"][1:], programs, (state,))


def _is_flag(test, roots):
    """A test of what a mapping of tensors does not have. `roots`: the module, and variables of its class."""
    if "of" not in test or test["of"][0] not in roots or test["test"] in ("tensor_match", "over_extents"):
        return False
    return test["test"] != "same_object" or not all(_is_of_tensor(test[side]) for side in ("of", "other"))


def _is_of_tensor(path):
    return any(step in (["attr", "_parameters"], ["attr", "_buffers"]) for step in path[1])


def _by_name(entry, roots, of_wrapped):
    """The program with its reads of the module's tensors as reads of a mapping; and without tests of the module. The names of a
    Wrapped are those of its part."""
    state = set()

    def named(value):
        if isinstance(value, list) and len(value) == 2 and value[0] == roots[0] and isinstance(value[1], list):
            keys = [key for kind, key in value[1] if kind == "item"][of_wrapped:]
            state.add(".".join(keys))
            return [roots[0], [["item", ".".join(keys)], *[step for step in value[1] if step[0] not in ("attr", "item")]]]
        if isinstance(value, list):
            return [named(one) for one in value]
        return {key: named(one) for key, one in value.items()} if isinstance(value, dict) else value

    tests = [test for test in entry["tests"] if not _is_flag(test, roots)]
    result = {**entry, "tests": named(tests), "inputs": named(entry["inputs"]), "returned": named(entry["returned"])}
    return {**result, "state": state}


class _Program:
    """One graph: what is tested of a call, where its inputs are, and what is made of its results. `call` takes what follows the
    values that are `bound`, and returns NotImplemented if the call is of another graph."""

    def __init__(self, directory, entry, names, bound, resumed):
        with directory.reading():
            self._read(directory, entry, names, bound, resumed)

    def _read(self, directory, entry, names, bound, resumed):
        folder = directory.verified(directory.find(entry["graph"]))
        models = directory.verified(directory.models[entry["models"]])
        self._module = load_extension(folder / f"graph{SUFFIX}")
        for compiled, model in entry["compiled"].items():
            self._module.bind_model(compiled, str(models / model["file"]), model["arguments"], model["results"])
        bind_subclasses(self._module, entry.get("subclasses"))
        self._read_tests(entry, names)
        self.call = self._guarded(entry, names, bound, resumed)

    def _read_tests(self, entry, names):
        self.labels = {f"input_{position}": text_of(path) for position, path in enumerate(entry["inputs"])}
        self._around = Surroundings(entry["tests"])
        self._tensors = Tensors([test for test in entry["tests"] if test["test"] == "tensor_match" and is_there(test["of"])])
        self._values = values = [test for test in entry["tests"] if "of" in test and test["test"] != "tensor_match"]
        self._told = [value_test(test, names) for test in values if test["test"] != "over_extents"]
        self._extents = [value_test(test, names) for test in values if test["test"] == "over_extents"]
        self._read_tensors = [reader(path, names) for path in self._tensors.paths]
        self._read_inputs = [reader(path, names) for path in entry["inputs"]]

    def _guarded(self, entry, names, bound, resumed):
        values = self._values
        paths = [*(test["of"] for test in values), *(test["other"] for test in values if "other" in test)]
        places = Places(names, [*paths, *self._tensors.paths, *entry["inputs"]])
        rows = rows_of(values, places)
        tensors = (self._tensors.rows, tuple(map(places.add, self._tensors.paths)))
        inputs = tuple(map(places.add, entry["inputs"]))
        returned = returned_by(entry["returned"], names, resumed)
        return self._module.guarded(
            0, bound, len(names) - len(bound), places.constants, tuple(places.steps), rows, self._around.state, tensors, inputs, returned
        )

    def why_not(self, frame):
        """What of the call is not as it was when the graph was compiled."""
        around = self._around.why_not()
        if around is not None:
            return around
        try:
            wrong = _first_wrong(self._told, frame) or self._tensors.why_not([read(frame) for read in self._read_tensors])
            wrong = wrong or _first_wrong(self._extents, frame)
            if wrong is not None:
                return wrong
            inputs = [read(frame) for read in self._read_inputs]
        except _NOT_THERE as problem:
            return f"something is not there: {type(problem).__name__} {problem}"
        return self._why_not_graph(inputs)

    def _why_not_graph(self, inputs):
        if not self.call.graph_refused:  # it is not asked: it would run, and write its arguments
            return "all that it tests is as it was when it was built, and was not when it was called"
        try:
            self._module.graph(*inputs)
        except (ValueError, TypeError) as problem:
            explain(problem, self.labels)
            return " ".join([str(problem), *getattr(problem, "__notes__", ())])
        return "it is one of this graph after all: its arguments have changed since"


class _WithoutGraph(_Program):
    """A frame that Dynamo compiled to bytecode alone. Its tests are those that say what differs."""

    def _read(self, directory, entry, names, bound, resumed):
        self._read_tests(entry, names)
        self._bound = bound
        self._run = returned_by(entry["returned"], names, resumed)

    def call(self, *args):
        frame = (*self._bound, *args)
        return self._run(None, frame) if self.why_not(frame) is None else NotImplemented

    def _why_not_graph(self, _):
        return None


class _Left:
    """What Dynamo leaves to Python runs as it is."""

    labels = {}

    def __init__(self, directory, entry):
        with directory.reading():
            self.call = left_code(entry["left"], len(entry["closure"]))

    def why_not(self, _):
        return None


class _Unreached:
    """What follows a graph break in no call that was built."""

    labels = {}

    def call(self, *_):
        return NotImplemented

    def why_not(self, _):
        return "no call of the build came here"


def _first_wrong(told, frame):
    """What the first test that fails says, or None."""
    return next((say(frame) for hold, say in told if not hold(frame)), None)
