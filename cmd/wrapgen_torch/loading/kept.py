# SPDX-License-Identifier: MIT
"""Bytecode that Dynamo wrote, kept as data (ahead/keeping.py) and run after the graph: it puts together what is returned, and repeats what
else the program did.

Nothing is pickled or marshalled. A code object is a mapping of its fields, a constant is plain or is found by its name, and so is each
global: a module, or what a module has. Bytecode is of one version of Python, whose magic number is looked at before anything is made of it.
"""

import builtins
import dataclasses
import functools
import importlib
import importlib.util
import types

from ..errors import DirectoryError, first_line
from .dynamo import provided
from .frames import CONSTANTS, made_of

MAGIC = importlib.util.MAGIC_NUMBER.hex()
FIELDS = ("argcount", "posonlyargcount", "kwonlyargcount", "nlocals", "stacksize", "flags", "code", "consts", "names", "varnames", "filename", "name",
          "qualname", "firstlineno", "linetable", "exceptiontable", "freevars", "cellvars")  # fmt: skip
BYTES = {"code", "linetable", "exceptiontable"}
NAMES = {"names", "varnames", "freevars", "cellvars"}
NOT_LOADED = ("torch._dynamo", "torch._inductor", "torch._functorch")
GRAPH = "<graph>"  # the global under which the bytecode calls the graph: no name of a program's


def found(module, path):
    """What a program finds by that name; the module is imported."""
    try:
        return functools.reduce(getattr, path, _imported(module))
    except (ImportError, AttributeError) as problem:
        raise DirectoryError(f"{'.'.join([module, *path])} is not there, which the program that was built uses: {problem}") from None


def _imported(module):
    """The module. What it raises is the program's, and no fault of what was built."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise
    except Exception as problem:
        raise DirectoryError(f"{module} cannot be imported, which the program that was built uses: {type(problem).__name__}: {first_line(problem)}") from problem


def value_of(entry):
    """What an entry describes, a mapping of one kind to what says which."""
    ((kind, said),) = entry.items()
    return _VALUES[kind](said)


def _method(said):
    owner, name = said
    return getattr(value_of(owner), name)


def _dataclass(module, path, attributes):
    kind, name = found(module, path), f"{module}.{'.'.join(path)}"
    if not (isinstance(kind, type) and dataclasses.is_dataclass(kind)):
        raise DirectoryError(f"{name} is not a dataclass, as it was when it was built. Build it again")
    made = made_of(kind, [(attribute, value_of(value)) for attribute, value in attributes])
    new = next((field.name for field in dataclasses.fields(kind) if not hasattr(made, field.name)), None)
    if new is not None:
        raise DirectoryError(f"{name} has the field '{new}', which it did not have when it was built. Build it again")
    return made


_VALUES = {
    "constant": lambda said: said,
    "tuple": lambda said: tuple(map(value_of, said)),
    "list": lambda said: list(map(value_of, said)),
    "dict": lambda said: {value_of(key): value_of(one) for key, one in said},
    "dataclass": lambda said: _dataclass(*said),
    "set": lambda said: set(map(value_of, said)),
    "frozenset": lambda said: frozenset(map(value_of, said)),
    "bytes": bytes.fromhex,
    "complex": lambda said: complex(*said),
    "slice": lambda said: slice(*map(value_of, said)),
    "ellipsis": lambda _: ...,
    "named": lambda said: found(said[0], said[1:]),
    "module": lambda said: found(said, ()),
    "namespace": lambda said: vars(found(said, ())),
    "method": _method,
    "provided": provided,
    "builtins": lambda _: vars(builtins),
    "code": lambda said: code_of(said),
    **{name: read for name, (_, _, read) in CONSTANTS.items()},
}


def code_of(fields):
    """A code object. ValueError, TypeError or KeyError where the fields are not those of one."""
    values = dict(fields)
    values["consts"] = tuple(map(value_of, values["consts"]))
    values |= {name: bytes.fromhex(values[name]) for name in BYTES} | {name: tuple(values[name]) for name in NAMES}
    try:
        return types.CodeType(*(values[name] for name in FIELDS))
    except (SystemError, OverflowError) as problem:
        raise ValueError(str(problem)) from None


def left_code(entry, count):
    """What Dynamo leaves to Python, as a function of `count` cells and its arguments. It has the globals of its module, as in the program."""
    code, namespace = _own_code(entry), vars(found(entry["module"], ()))
    return lambda *frame: types.FunctionType(code, namespace, code.co_name, None, frame[:count])(*frame[count:])


def _own_code(entry):
    if entry["magic"] != MAGIC:
        raise DirectoryError(f"it has bytecode of another Python, of the kind {entry['magic']}, and this one has {MAGIC}. Build it again")
    return code_of(entry["code"])


def returned_by_code(entry, names, resumed):
    """(results of the graph, frame) -> what the program returns, whose other effects have then been, too."""
    code = _own_code(entry)
    order = [names.index(name) for name in code.co_varnames[: code.co_argcount]]
    cells = [names.index(name) if name in entry["cells"] else None for name in code.co_freevars]
    fixed = {name: resumed[value["resumed"]] if "resumed" in value else value_of(value) for name, value in entry["globals"].items()}
    fixed["__builtins__"] = vars(builtins)
    live = vars(found(entry["module"], ())) if entry["read"] or entry["written"] else {}
    unused = types.CellType()
    read, written = list(entry["read"]), list(entry["written"])

    def run(results, frame):
        namespace = {**fixed, **{name: live[name] for name in read if name in live}, GRAPH: lambda *_: results}
        function = types.FunctionType(code, namespace, code.co_name, None, tuple([unused if at is None else frame[at] for at in cells]))
        try:
            return function(*[frame[at] for at in order])
        finally:
            for name in written:
                if name in namespace:
                    live[name] = namespace[name]

    return run
