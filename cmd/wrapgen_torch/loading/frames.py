# SPDX-License-Identifier: MIT
"""The arguments of a call, in the order of the function's parameters: a frame. Values are read out of frames by paths, and
what is returned is put together from what the graph returned and from a frame."""

import functools
import importlib
import operator
import re
import sys
import weakref

import torch

from ..errors import DirectoryError

def _in_torch(value):
    """The name that torch has for it."""
    return str(value).removeprefix("torch.")


# What is returned as it was, and is not JSON's: type -> (to JSON, from JSON). "constant" is for what JSON has.
CONSTANTS = {
    **{kind.__name__: (kind, _in_torch, functools.partial(getattr, torch)) for kind in (torch.dtype, torch.layout, torch.memory_format)},
    "device": (torch.device, str, torch.device),
    "size": (torch.Size, list, torch.Size),
}


class Absent(Exception):
    """A module that is not loaded in this process."""


def text_of(path):
    """A path as a program would write it."""
    root, steps = path
    text = root if isinstance(root, str) else root["module"]
    in_cell = bool(steps) and list(steps[0]) == ["attr", "cell_contents"]  # a variable of the closure
    for kind, key in steps[in_cell:]:
        shown = {"attr": f".{key}", "item": f"[{key!r}]", "dict_item": f"[{key!r}]", "key": f", key number {key}", "tensor": "", "referent": "()"}
        text += shown.get(kind, f".{kind}({key})")
    return re.sub(r"\.__class__\.__dict__\['(\w+)'\]", r".__class__.\1", text)


def _step(kind, key):
    if kind == "attr":
        return operator.attrgetter(key)
    if kind == "item":
        return operator.itemgetter(key)
    if kind == "dict_item":
        return lambda value: dict.__getitem__(value, key)
    if kind == "key":
        return lambda value: list(dict.keys(value) if isinstance(value, dict) else value)[key]
    if kind == "size":
        return lambda value: value.size(key)
    if kind == "stride":
        return lambda value: value.stride(key)
    if kind == "tensor":
        return _tensor_of
    if kind == "referent":
        return _referent_of
    raise ValueError(f"an unknown step, {kind}")


def _tensor_of(value):
    if type(value) is not float:
        raise TypeError(f"a float is expected, not {type(value).__name__}")
    return torch._as_tensor_fullprec(value)


def _referent_of(value):
    if type(value) is not weakref.ref:
        raise TypeError(f"a weak reference is expected, not {type(value).__name__}")
    return value()


def reader(path, names):
    """frame -> the value there; Absent if it is in a module that is not loaded, since nothing can have changed it."""
    root, steps = path
    steps = [_step(*step) for step in steps]
    if not isinstance(root, str):
        name = root["module"]

        def read_module(_):
            value = sys.modules.get(name)
            if value is None:
                raise Absent(name)
            for step in steps:
                value = step(value)
            return value

        return read_module
    at = names.index(root)
    if not steps:
        return lambda frame: frame[at]
    if len(steps) == 1:
        (only,) = steps
        return lambda frame: only(frame[at])

    def read(frame):
        value = frame[at]
        for step in steps:
            value = step(value)
        return value

    return read


def is_there(path):
    """Not in a module that is not loaded?"""
    root, _ = path
    return isinstance(root, str) or root["module"] in sys.modules


class Places:
    """Where the values of a call are, each of them once: those of the frame, then modules of Python, then what `steps` read: rows
    of guarded(), (place, kind, key). A place in a module that is not loaded is None."""

    def __init__(self, names, paths):
        roots = dict.fromkeys(root["module"] for root, _ in paths if not isinstance(root, str))
        found = [name for name in roots if name in sys.modules]
        self.constants = tuple(sys.modules[name] for name in found)
        self._places = {name: place for place, name in enumerate([*names, *(("module", name) for name in found)])}
        self._first = len(self._places)
        self.steps = []

    def add(self, path):
        root, steps = path
        at = self._places.get(root if isinstance(root, str) else ("module", root["module"]))
        for kind, key in steps if at is not None else ():
            if kind == "key":  # the keys of a dict are listed once for all
                at, kind = self._step(at, "keys", None), "item"
            at = self._step(at, kind, key)
        return at

    def _step(self, *row):
        if row not in self._places:
            self._places[row] = self._first + len(self.steps)
            self.steps.append(row)
        return self._places[row]


def returned_by(tree, names, resumed):
    """What guarded() makes the returned value with: the position of a result, or a function of all of them and the frame."""
    return tree["output"] if "output" in tree else builder(tree, names, resumed)


def builder(tree, names, resumed=None):
    """(results of the graph, frame) -> what the function returns. `resumed`: the continuations that its bytecode may call, by number."""
    ((kind, value),) = tree.items()
    if kind == "output":
        return lambda results, frame: results[value]
    if kind == "read":
        read = reader(value, names)
        return lambda results, frame: read(frame)
    if kind == "constant" or kind in CONSTANTS:
        constant = value if kind == "constant" else CONSTANTS[kind][2](value)
        return lambda results, frame: constant
    if kind == "tuple" and [entry for entry in value] == [{"output": position} for position in range(len(value))] and value:
        count = len(value)
        return lambda results, frame: results if len(results) == count else results[:count]
    if kind in ("tuple", "list"):
        items = [builder(item, names) for item in value]
        make = tuple if kind == "tuple" else list
        return lambda results, frame: make([item(results, frame) for item in items])
    if kind == "dict":
        pairs = [(key, builder(item, names)) for key, item in value]
        return lambda results, frame: {key: item(results, frame) for key, item in pairs}
    if kind in ("namedtuple", "dataclass"):
        return _object_builder(kind, value, names)
    if kind == "code":
        from .kept import returned_by_code

        return returned_by_code(value, names, resumed or {})
    raise ValueError(f"an unknown kind of result, {kind}")


def _object_builder(kind, value, names):
    module, name, fields, items = value
    made = functools.reduce(getattr, name.split("."), importlib.import_module(module))
    there = list(made._fields) if kind == "namedtuple" else list(made.__dataclass_fields__)
    if there != fields if kind == "namedtuple" else sorted(there) != sorted(fields):
        raise DirectoryError(f"{module}.{name} has the fields {', '.join(there)}, and had {', '.join(fields)} when it was built. Build it again")
    items = [builder(item, names) for item in items]
    if kind == "namedtuple":
        return lambda results, frame: made._make([item(results, frame) for item in items])

    return lambda results, frame: made_of(made, zip(fields, [item(results, frame) for item in items]))


def made_of(kind, attributes):
    """An object of a class with these attributes, pairs. No code of the class runs."""
    new = object.__new__(kind)
    for name, value in attributes:
        object.__setattr__(new, name, value)
    return new
