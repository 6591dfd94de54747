# SPDX-License-Identifier: MIT
"""The bytecode that Dynamo wrote for a function, described as data for loading/kept.py, which runs it. What it uses is a plain constant or is
found by its name; all else is a CaptureError that names it."""

import builtins
import contextlib
import dis
import enum
import inspect
import reprlib
import sys
import types

import torch

from ..errors import CaptureError
from ..loading.code_text import BUILTIN, looked_up, module_of
from ..loading.dynamo import PROVIDED
from ..loading.kept import BYTES, FIELDS, GRAPH, MAGIC, NAMES, NOT_LOADED
from .entries import entry_of
from .frames import COMPILED
from .opcodes import DYNAMO, instructions
from .pruning import without_inputs

_OF_CELLS = ("LOAD_DEREF", "STORE_DEREF", "LOAD_CLOSURE")
_VARIADIC = 0x04 | 0x08


def keep(code, function, resumed=()):
    """What says it all of `code`, which Dynamo wrote for `function`. `resumed`: the name of a continuation -> its number."""
    return _Keeper(without_inputs(code), function, dict(resumed)).entry()


def keep_whole(code, function):
    """What says it all of a continuation that Dynamo leaves to Python, `code` of the program."""
    return _Keeper(code, function, {}).whole()


def signature_of(function):
    """The parameters of a function of Python, for loading/signature.py."""
    return [_parameter(function, one) for one in inspect.signature(function, follow_wrapped=False).parameters.values()]


def _parameter(function, parameter):
    entry = {"name": parameter.name, "kind": parameter.kind.name}
    if parameter.default is inspect.Parameter.empty:
        return entry
    with contextlib.suppress(Exception):  # a list, a tensor, an object whose code raises: it must be given in each call
        entry["default"] = _Keeper(function.__code__, function, {}).value(parameter.default, f"the default of {parameter.name}")
    return entry | {"optional": True}


class _Keeper:
    def __init__(self, code, function, resumed):
        self._code = code
        self._resumed = resumed
        self._function = function
        self._name = function.__name__
        self._module = module_of(function)
        self._globals = function.__globals__

    def _refuse(self, why):
        raise CaptureError(f"{self._name} does more than call its graph, and it is not loaded without Dynamo: {why}")

    def entry(self):
        used = instructions(self._code)
        self._refuse_unprovided(used)
        reads = dict.fromkeys(one.argval for one in used if one.opname in ("LOAD_GLOBAL", "LOAD_NAME"))
        written = list(dict.fromkeys(one.argval for one in used if one.opname == "STORE_GLOBAL"))
        for one in used:
            if one.opname in ("DELETE_GLOBAL", "IMPORT_NAME", "LOAD_NAME") or one.opname.endswith("_DEREF") and one.opname not in _OF_CELLS:
                self._refuse_instruction(one)
        fixed, own, renamed = self._sorted(reads)
        if (own or written) and self._module in ("__main__", None):
            whose = "a program that is run as such" if self._module else "code that is in no module"
            self._refuse(f"it uses the global '{[*own, *written][0]}' of {whose}: put it into a module")
        return {
            "magic": MAGIC, "code": self._described(self._code, renamed), "module": self._module, "globals": fixed, "read": own, "written": written,
            "cells": [name for name in self._code.co_freevars if any(one.argval == name and one.opname in _OF_CELLS for one in used)],
        }  # fmt: skip

    def whole(self):
        """It runs with the globals of its module, whatever it reads there."""
        if self._module in ("__main__", None):
            self._refuse("what follows a graph break runs in Python, and it is code of a program that is run as such: put it into a module")
        self._refuse_unprovided(instructions(self._code))
        return {"magic": MAGIC, "code": self._described(self._code, {}), "module": self._module}

    def _refuse_instruction(self, one):
        if one.opname.endswith("_DEREF") and one.argval not in self._code.co_freevars:
            return
        what = f"it deletes '{one.argval}' of its closure" if one.opname.endswith("_DEREF") else f"it does {one.opname} of {one.argval}"
        self._refuse(what)

    # ---- globals ----

    def _sorted(self, reads):
        """(name -> what it is, those of the function's module, which are read at each call, name -> the name that it gets)."""
        fixed, own, renamed = {}, [], {}
        for name in reads:
            if name.startswith(COMPILED):
                if GRAPH in renamed.values():
                    self._refuse("it calls two graphs")
                renamed[name] = GRAPH
            elif name not in self._globals:
                if not hasattr(builtins, name):
                    self._refuse(f"it reads the global '{name}', which is not there")
            elif DYNAMO.fullmatch(name):
                renamed[name] = f"<global {len(renamed)}>"
                fixed[renamed[name]] = self._global(name, self._globals[name])
            elif self._module in ("__main__", None):
                fixed[name] = self.value(self._globals[name], f"the global '{name}'")
            else:
                own.append(name)
        return fixed, own, renamed

    def _global(self, name, value):
        if name in self._resumed:
            return {"resumed": self._resumed[name]}
        if value is vars(builtins):
            return {"builtins": None}
        return self.value(value, f"the global '{name}'")

    def _refuse_unprovided(self, used):
        """Of torch._dynamo it may use what loading/dynamo.py has."""
        holders, holding = {}, None  # locals that are such a module; the module on top of the stack
        for one in used:
            if one.opname == "LOAD_GLOBAL":
                value = self._globals.get(one.argval)
                holding = value.__name__ if isinstance(value, types.ModuleType) and value.__name__ in PROVIDED else None
            elif one.opname == "LOAD_FAST":
                holding = holders.get(one.argval)
            elif one.opname == "STORE_FAST":
                holders[one.argval] = holding
            elif one.opname in ("LOAD_ATTR", "LOAD_METHOD"):
                if f"torch.{one.argval}" in NOT_LOADED:
                    self._refuse(f"it uses torch.{one.argval}")
                if holding is not None and one.argval not in PROVIDED[holding]:
                    self._refuse(f"it calls {holding}.{one.argval}")
                holding = None
            elif one.opname != "COPY":
                holding = None

    # ---- values ----

    def value(self, value, what):
        """The entry of a value that the bytecode uses as `what`."""
        return entry_of(value, lambda one: {"code": self._described(one, {})} if type(one) is types.CodeType else self._named(one, what))

    def _named(self, value, what):
        if isinstance(value, types.ModuleType):
            return self._of_module(value, what)
        if isinstance(value, dict) and _is_module_of(value.get("__name__"), value):
            self._refuse_main(value["__name__"], what)
            return {"namespace": value["__name__"]}
        for module, path in _places(value):
            if looked_up(module, path) is value:
                self._refuse_main(module, what)
                return {"named": [module, *path]}
        owner = getattr(value, "__self__", None)
        if isinstance(owner, type) and isinstance(value, (types.MethodType, types.BuiltinMethodType)):
            return {"method": [self._named(owner, what), value.__name__]}
        return self._refuse(f"it uses {what}, {_shown(value)}, which no name finds")

    def _of_module(self, module, what):
        name = module.__name__
        if name in PROVIDED:
            return {"provided": name}
        if sys.modules.get(name) is not module:
            self._refuse(f"it uses {what}, the module {name}, which no name finds")
        self._refuse_main(name, what)
        return {"module": name}

    def _refuse_main(self, module, what):
        if module == "__main__":
            self._refuse(f"it uses {what} of a program that is run as such: put it into a module")
        if module.startswith(NOT_LOADED):
            self._refuse(f"it uses {what}, of {module}")

    # ---- code ----

    def _described(self, code, renamed):
        """The fields of a code object. Of constants and names those that it uses are kept; arguments are given by position alone."""
        outer = code is self._code
        constants = {one.arg for one in dis.get_instructions(code) if one.opcode in dis.hasconst}
        fields = {name: getattr(code, f"co_{name}") for name in FIELDS}
        if outer:
            fields |= {"argcount": code.co_argcount + code.co_kwonlyargcount + bin(code.co_flags & _VARIADIC).count("1"), "posonlyargcount": 0,
                       "kwonlyargcount": 0, "flags": code.co_flags & ~_VARIADIC}  # fmt: skip
        fields["consts"] = [self.value(one, f"the constant {_shown(one)}") if i in constants else {"constant": None} for i, one in enumerate(code.co_consts)]
        fields["names"] = [renamed.get(name, name) for name in code.co_names]
        fields["filename"] = code.co_filename.replace("\\", "/").rsplit("/", 1)[-1]
        return fields | {name: fields[name].hex() for name in BYTES} | {name: list(fields[name]) for name in NAMES}


def _places(value):
    """(module, path) where it may be found."""
    if isinstance(value, enum.Enum) and isinstance(value.name, str):  # a combination of flags has none
        yield type(value).__module__, [*type(value).__qualname__.split("."), value.name]
    owner = getattr(value, "__objclass__", None)
    if isinstance(owner, type):
        yield owner.__module__, [*owner.__qualname__.split("."), value.__name__]
    if isinstance(value, (torch.memory_format, torch.layout)):
        yield "torch", repr(value).split(".")[1:]
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if isinstance(name, str) and isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
        for module in (getattr(value, "__module__", None), *BUILTIN):
            if isinstance(module, str):
                yield module, name.split(".")
    if isinstance(value, types.BuiltinFunctionType):  # torch.relu says that it is _VariableFunctionsClass.relu
        yield from ((module, [value.__name__]) for module in BUILTIN)


def _is_module_of(name, namespace):
    return isinstance(name, str) and name in sys.modules and vars(sys.modules[name]) is namespace


def _shown(value):
    text = reprlib.repr(value) if isinstance(value, (list, dict, set, torch.Tensor)) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
