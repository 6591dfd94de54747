# SPDX-License-Identifier: MIT
"""Tensor subclasses in what load() calls: Dynamo's guards of them as data, and the classes and contexts that a wrapper needs.

Dynamo tests of a subclass that it is a tensor of that class, of that dtype and geometry, that its attributes have the same names and its
context is equal, and of each attribute what it tests of any tensor. A class is found by its name, and a context is data: what cannot be
that is refused. What an operation on the class does is in the graph, so its code is compared like that of the program.
"""

import ast
import dataclasses
import enum
import sys
import types

import torch
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from ..errors import CaptureError
from ..loading.code import codes_of
from ..loading.code_text import is_found
from ..loading.data import has_only_attributes
from ..loading.frames import text_of
from ..loading.kept import value_of
from .entries import entry_of
from .made_tests import of_class

METADATA = "___check_metadata_"  # the guard of a context, which does not say whose; that of the names does
NAMES = ".__tensor_flatten__()[0]"
_KEYS = {"CPU", "BackendSelect", "Python", "ADInplaceOrView", "AutogradCPU", "PythonTLSSnapshot"}
_PARTS = {  # of what a context may have beyond what a guard compares
    list: lambda entry, value: {"list": list(map(entry, value))},
    dict: lambda entry, value: {"dict": [[entry(key), entry(one)] for key, one in value.items()]},
}


def context_entry(context, where):
    """The entry of a context, with all that it has. value_of() makes a copy of it, which is equal as Dynamo compares them."""

    def refuse(value):
        raise CaptureError(f"{where} has the context {context!r}, and {value!r} is not data: not loaded without Dynamo")

    def entry(value):
        return entry_of(value, more)

    def more(value):
        kind = type(value)
        if kind in _PARTS:
            return _PARTS[kind](entry, value)
        if isinstance(value, enum.Enum) and is_found(kind) and kind.__members__.get(value.name) is value:
            return {"named": [kind.__module__, *kind.__qualname__.split("."), value.name]}
        if dataclasses.is_dataclass(value) and is_found(kind) and has_only_attributes(value):
            return {"dataclass": [kind.__module__, kind.__qualname__.split("."), [[name, entry(one)] for name, one in vars(value).items()]]}
        return refuse(value)

    found = entry(context)
    return found if value_of(found) == context else refuse(context)


class SubclassGuards:
    """Of Guards: the guards of a tensor subclass."""

    _contexts = 0  # those that were tested, less those that were met

    def _subclass_match(self, guard, parts):
        root, steps = self._path(guard.kind, parts["source"])
        value = self._value(root, steps)
        kind, keys = type(value), set(parts["keys"].split(", "))
        if not is_traceable_wrapper_subclass(value) or keys != _KEYS:
            self._refuse(guard, f"the type {parts['type']}")
        if not is_found(kind):
            self._refuse(guard, f"load() could not find the class {parts['type']}: put it into a module")
        if hasattr(kind, "__metadata_guard__"):
            self._refuse(guard, f"{parts['type']} compares its contexts itself")
        size, stride = (ast.literal_eval(parts[name]) for name in ("size", "stride"))
        facts = {"dtype": parts["dtype"], "requires_grad": parts["requires_grad"] == "True", "keys": torch._C._dispatch_keys(value).raw_repr()}
        return [of_class(root, steps, kind), {"test": "subclass_match", "of": [root, steps], "size": size, "stride": stride, **facts}]

    def _flattens(self, guard, parts):
        root, steps = self._path(guard.kind, parts["source"].removesuffix(NAMES))
        names, context = self._value(root, steps).__tensor_flatten__()
        self._contexts -= 1
        return {"test": "flattens_to", "of": [root, steps], "names": list(names), "context": context_entry(context, text_of([root, steps]))}

    def _refuse_other_contexts(self):
        if self._contexts:
            self._refuse("the context of a tensor subclass", "it does not say whose")


def described(site):
    """What the index says of a graph's subclasses, and the tests of their packages; ({}, []) without any."""
    subclasses = site.described.subclasses
    if subclasses is None or not subclasses.types:
        return {}, []
    for symbol, (kind, _) in subclasses.types.items():
        if not is_found(kind):
            raise CaptureError(f"{site.code}: load() could not find {kind.__module__}.{kind.__qualname__}, a tensor subclass: put it into a module")
    named = {symbol: [kind.__module__, *kind.__qualname__.split(".")] for symbol, (kind, _) in subclasses.types.items()}
    contexts = {symbol: context_entry(context, symbol) for symbol, (_, context) in subclasses.contexts.items()}
    return {"subclasses": {"types": named, "contexts": contexts}}, [_of_version(name) for name in _packages(subclasses)]


def _classes(subclasses):
    """Those that are not PyTorch's own."""
    kinds = [base for kind, _ in subclasses.types.values() for base in kind.__mro__]
    return [kind for kind in dict.fromkeys(kinds) if kind.__module__ != "builtins" and kind.__module__.partition(".")[0] != "torch"]


def _packages(subclasses):
    """Of the same, the packages that say which version they are."""
    names = dict.fromkeys(kind.__module__.partition(".")[0] for kind in _classes(subclasses))
    return [name for name in names if type(getattr(sys.modules[name], "__version__", None)) is str]


def _of_version(name):
    return {"test": "equals_match", "of": [{"module": name}, [["attr", "__version__"]]], "value": {"constant": sys.modules[name].__version__}}


def codes(site):
    """The code of the modules that define what the graph's subclasses do. A class may say that it is of another one."""
    subclasses = site.described.subclasses
    kinds = _classes(subclasses) if subclasses is not None else ()
    methods = [getattr(value, "__func__", value) for kind in kinds for value in vars(kind).values()]
    modules = {method.__module__ for method in methods if isinstance(method, types.FunctionType)}
    return {code for name in modules if name in sys.modules for code, _ in codes_of(sys.modules[name])}
