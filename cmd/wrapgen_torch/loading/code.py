# SPDX-License-Identifier: MIT
"""The Python code that a graph was traced from. The graph is all that is left of it, so what was built is out of date where that code
is in the process, too, and is another.

The code of PyTorch and Python is not compared, since the index has their versions. Neither is code that cannot be found again: that of
`__main__`, and code that no name, attribute, decorator or closure of its module leads to. Of an object that load() is given, the code is
compared wherever it is from.
"""

import functools
import hashlib
import itertools
import sys
import sysconfig
import types
from pathlib import Path

import torch

_TORCH = str(Path(torch.__file__).parent)
_PYTHON, _INSTALLED = sysconfig.get_path("stdlib"), sysconfig.get_path("purelib")  # the latter is below the former
_HOLDERS = {property: ("fget", "fset", "fdel"), functools.partial: ("func",), functools.partialmethod: ("func",),
            functools.cached_property: ("func",), staticmethod: ("__func__",), classmethod: ("__func__",)}  # fmt: skip


def described(codes):
    """[module, name, digest] of those of the code objects that can be found again, in order."""
    found = set()
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        traced = {code for code in codes if code.co_filename == file}
        if traced and name != "__main__" and not _is_own(file):
            found.update((name, code.co_qualname, digest) for code, digest in _codes_of(module) if code in traced)
    return sorted(map(list, found))


def changed(entries):
    """The first function that is another than it was, by its full name, or None. A module that is not loaded, or is just being, says
    nothing: it may not have all of its functions yet."""
    for module, group in itertools.groupby(entries, key=lambda entry: entry[0]):
        if module in sys.modules and not getattr(getattr(sys.modules[module], "__spec__", None), "_initializing", False):
            there = {(code.co_qualname, digest) for code, digest in _codes_of(sys.modules[module])}
            for _, name, digest in group:
                if (name, digest) not in there:
                    return f"{module}.{name}"
    return None


def _is_own(file):
    return file.startswith(_TORCH) or (file.startswith(_PYTHON) and not file.startswith(_INSTALLED))


def _codes_of(module):
    """(code object, digest) of the functions of a module, which names, attributes, decorators and closures lead to, and of those within
    them."""
    namespace = vars(module)
    seen, waiting = set(), list(namespace.values())
    while waiting:
        value = waiting.pop()
        if id(value) not in seen:
            seen.add(id(value))
            if isinstance(value, types.FunctionType) and value.__globals__ is namespace:
                yield from _with_inner(value.__code__, _plain(value.__defaults__), _plain(value.__kwdefaults__))
            waiting += _held(value, module.__name__)


def _held(value, module):
    """What else may be a function of the module."""
    if isinstance(value, type):
        return list(vars(value).values()) if value.__module__ == module else []
    held = [getattr(value, name) for name in _HOLDERS.get(type(value), ())]
    if isinstance(value, types.FunctionType):
        held += [cell.cell_contents for cell in value.__closure__ or () if cell != _EMPTY]
    inner = getattr(value, "__dict__", None) if not isinstance(value, types.ModuleType) else None
    return [*held, inner["__wrapped__"]] if type(inner) is dict and "__wrapped__" in inner else held


_EMPTY = types.CellType()
_OF_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE
# What a class statement adds by itself, or another class of the same methods may have otherwise.
_UNREAD = {"__init__", "__repr__", "__str__", "extra_repr", "__doc__", "__module__", "__qualname__", "__dict__", "__weakref__", "__slotnames__",
           "__annotations__", "__annotate__", "__annotate_func__", "__annotations_cache__", "__firstlineno__", "__static_attributes__", "_abc_impl",
           "__abstractmethods__", "__orig_bases__", "__parameters__"}  # fmt: skip
BUILTIN = ("torch", "torch.nn.functional", "math", "operator", "builtins")  # where functions in C are looked for that have no module


def _with_inner(code, *more):
    """Functions within a function have the defaults that its code gives them."""
    yield code, hashlib.sha256(repr([_told(code), more]).encode()).hexdigest()[:16]
    for value in code.co_consts:
        if isinstance(value, types.CodeType):
            yield from _with_inner(value)


def looked_up(module, path):
    """What a module that is loaded has under a name, in parts; None if that is nothing."""
    value = sys.modules.get(module)
    for part in path:
        value = getattr(value, part, None)
    return value


def code_text(value):
    """What a function, class or module is, in words that are the same in another process: where it is found, or else what it computes.
    None of a class whose name finds it, and of anything that is not code."""
    if isinstance(value, types.ModuleType):
        return f"module {value.__name__}"
    if isinstance(value, types.CodeType):
        return _digest(_told(value))
    if isinstance(value, type):
        return class_text(value) or _name_of(value)
    if isinstance(value, types.FunctionType):
        return _name_of(value) if is_found(value) else f"{_name_of(value)} {_function_digest(value)}"
    if isinstance(value, types.BuiltinFunctionType):
        return next((f"{module}.{value.__name__}" for module in BUILTIN if looked_up(module, [value.__name__]) is value), None)
    return None


def class_text(kind):
    """What the methods of a class compute, if no name finds it: its own, and those of classes that it is derived from and that no name
    finds either. Two classes that one function makes have the same name. What variables of their closures hold is not in it. None of a
    class whose name finds it."""
    kinds = [one for one in kind.__mro__ if one.__flags__ & _OF_PYTHON and not is_found(one)]
    members = [(name, value) for one in kinds for name, value in vars(one).items() if name not in _UNREAD]
    return _digest([(name, _member_text(value)) for name, value in sorted(members, key=lambda member: member[0])]) if kinds else None


def _member_text(value):
    held = [getattr(value, name) for name in _HOLDERS.get(type(value), ())]
    if held:
        return [type(value).__name__, [_member_text(one) for one in held]]
    if isinstance(value, types.FunctionType):
        return _function_digest(value)
    return getattr(value, "__qualname__", type(value).__name__)  # what data is, Dynamo tests where the program reads it


def is_found(value):
    return value.__module__ != "__main__" and looked_up(value.__module__, value.__qualname__.split(".")) is value


def _name_of(value):
    return f"{value.__module__}.{value.__qualname__}"


def _function_digest(function):
    return _digest([_told(function.__code__), _plain(function.__defaults__), _plain(function.__kwdefaults__)])


def _digest(told):
    return hashlib.sha256(repr(told).encode()).hexdigest()[:16]


def _told(code):
    """All that a code object computes with, without the lines on which it stands."""
    constants = [_told(value) if isinstance(value, types.CodeType) else _constant(value) for value in code.co_consts]
    return [code.co_code.hex(), constants, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags]


def _constant(value):
    if isinstance(value, frozenset):
        return sorted(map(repr, value))
    return [type(value).__name__, [_constant(one) for one in value]] if isinstance(value, tuple) else repr(value)


def _plain(defaults):
    """The values of defaults that are plain, what those are that are code, and the types of others, which may be told by where they are."""
    values = defaults.items() if isinstance(defaults, dict) else enumerate(defaults or ())
    return [(key, repr(value) if isinstance(value, _VALUES) else code_text(value) or type(value).__name__) for key, value in values]


_VALUES = (type(None), bool, int, float, complex, str)
