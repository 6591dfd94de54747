# SPDX-License-Identifier: MIT
"""What functions and classes are, in words that are the same in another process: where a name finds them, or else what they compute.

Two classes that one function makes have one name, and so have a class of one script and that of another. The words for such a class are
made of its members and of the names of its bases; those for such a function of its bytecode, its defaults, and what of its closure is code.
Data is in neither, since Dynamo tests where a program reads it; but it has no tests for an object that a program makes itself, so the
words for a class that is called have plain data, too, also that of closures.
"""

import enum
import functools
import hashlib
import sys
import types

import torch

HOLDERS = {property: ("fget", "fset", "fdel"), functools.partial: ("func", "args", "keywords"), functools.partialmethod: ("func",),
           functools.cached_property: ("func",), staticmethod: ("__func__",), classmethod: ("__func__",), types.MethodType: ("__func__",)}  # fmt: skip
EMPTY = types.CellType()
BUILTIN = ("torch", "torch.nn.functional", "math", "operator", "builtins")  # where functions in C are looked for that have no module
_OF_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE
_PLAIN = (type(None), bool, int, float, complex, str, bytes, range, slice, torch.dtype, torch.device, torch.layout, torch.memory_format)
# Members that Python gives to any class, and those that change no graph; the constructor may, where the program calls it.
_NO_MATTER = {"__repr__", "__str__", "extra_repr", "__doc__", "__module__", "__qualname__", "__dict__", "__weakref__", "__slotnames__",
              "__annotations__", "__annotate__", "__annotate_func__", "__annotations_cache__", "__firstlineno__", "__static_attributes__",
              "_abc_impl", "__abstractmethods__", "__orig_bases__", "__parameters__"}  # fmt: skip


def looked_up(module, path):
    """What a module that is loaded has under a name, in parts; None if that is nothing."""
    value = sys.modules.get(module)
    for part in path:
        value = getattr(value, part, None)
    return value


def is_found(value):
    """Does its name find a function or class? What a script defines is not there in another process."""
    return value.__module__ != "__main__" and looked_up(value.__module__, value.__qualname__.split(".")) is value


def code_text(value):
    """The words for a function, class or module that a program may call; None if it is none of these."""
    return _Words().of(value)


def class_text(kind):
    """The words for the class of an object that a program is given; None if its name finds it."""
    return _Words().of_class(kind, called=False)


def method_text(function):
    """The words for a method, without its closure. None if it is not a function of Python."""
    return _Words().of_function(function, closure=False) if isinstance(function, types.FunctionType) else None


def digest(told):
    return hashlib.sha256(repr(told).encode()).hexdigest()[:16]


def bytecode(code):
    """All that a code object computes with, without the lines on which it stands."""
    constants = [bytecode(value) if isinstance(value, types.CodeType) else _constant(value) for value in code.co_consts]
    return [code.co_code.hex(), constants, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags]


def defaults_of(function):
    """The values of defaults that are plain, the words for those that are code, and the types of others, which may be told by where
    they are."""
    words = _Words()
    return [[(key, words.of_data(value)) for key, value in pairs] for pairs in _pairs_of_defaults(function)]


def _pairs_of_defaults(function):
    return list(enumerate(function.__defaults__ or ())), sorted((function.__kwdefaults__ or {}).items())


def _constant(value):
    if isinstance(value, frozenset):
        return sorted(map(repr, value))
    return [type(value).__name__, [_constant(one) for one in value]] if isinstance(value, tuple) else repr(value)


def name_of(value):
    """The full name of a class or function; Python's own have no module in it."""
    return value.__qualname__ if value.__module__ == "builtins" else f"{value.__module__}.{value.__qualname__}"


def module_of(function):
    """The name of the module whose globals a function has, which is another than `__module__` says where functools.wraps made it one."""
    namespace = function.__globals__
    name = namespace.get("__name__")
    return name if isinstance(name, str) and name in sys.modules and vars(sys.modules[name]) is namespace else None


def module_of_builtin(value):
    """Where a function in C is found that has no module, or None."""
    return next((module for module in BUILTIN if looked_up(module, [value.__name__]) is value), None)


def node_text(node):
    """The words for how pytree takes objects of a class apart and puts them together; "" if these are functions of PyTorch's that have
    nothing bound in them. ValueError if something is bound that has no words."""
    functions = [node.flatten_fn, node.unflatten_fn]
    own = [one for one in functions if not (is_found(one) and one.__module__.partition(".")[0] == "torch" and not one.__closure__)]
    words = _AllWords()
    return " ".join(words.of_function(one) if isinstance(one, types.FunctionType) else repr(words.of_data(one)) for one in own)


class _Words:
    """Of one value and what that leads to; each function and class on the way once."""

    def __init__(self):
        self._seen = {}
        self._within_called = 0  # classes that are called, whose methods' closures are read without tests

    def of(self, value):
        if isinstance(value, types.ModuleType):
            return f"module {value.__name__}"
        if isinstance(value, type):
            return self.of_class(value) or name_of(value)
        if isinstance(value, types.FunctionType):
            return name_of(value) if is_found(value) else self._once(value, self.of_function)
        return _in_c(value)

    def of_class(self, kind, called=True):
        """None if its name finds it, and those that it is derived from."""
        kinds = [one for one in kind.__mro__ if one.__flags__ & _OF_PYTHON and not is_found(one)]
        return self._once(kind, lambda _: self._of_classes(kind, kinds, called)) if kinds else None

    def of_function(self, function, closure=True):
        cells = [cell.cell_contents for cell in function.__closure__ or () if cell != EMPTY] if closure else []
        defaults = [[(key, self.of_data(value)) for key, value in pairs] for pairs in _pairs_of_defaults(function)]
        told_of = self.of_data if self._within_called else self.of
        told = [function.__globals__.get("__name__"), bytecode(function.__code__), defaults, [told_of(value) for value in cells]]
        return f"{name_of(function)} {digest(told)}"

    def of_data(self, value):
        """Of a default, or of an attribute of a class."""
        held = [getattr(value, name) for name in HOLDERS.get(type(value), ())]
        if held:
            return [type(value).__name__, [self.of_data(one) for one in held]]
        if type(value) in (tuple, list):
            return [type(value).__name__, [self.of_data(one) for one in value]]
        if isinstance(value, enum.Enum):
            return f"{self.of(type(value))}.{value.name}"
        if type(value) is dict:
            return ["dict", [[self.of_data(key), self.of_data(one)] for key, one in value.items()]]
        return repr(value) if type(value) in _PLAIN else self.of(value) or self._of_other(value)

    def _of_other(self, value):
        return type(value).__name__

    def _of_classes(self, kind, kinds, called):
        ignored = _NO_MATTER if called else {"__init__", *_NO_MATTER}
        members = [(name_of(one), name, value) for one in kinds for name, value in sorted(vars(one).items()) if name not in ignored]
        self._within_called += called
        told = [(*names, self.of_data(value) if called or type(value) not in _PLAIN else type(value).__name__) for *names, value in members]
        self._within_called -= called
        return f"{name_of(kind)} {digest([[name_of(one) for one in kind.__mro__], told])}"

    def _once(self, value, words):
        """What leads to itself is told by when it was met."""
        if id(value) not in self._seen:
            self._seen[id(value)] = f"number {len(self._seen)}"
            self._seen[id(value)] = words(value)
        return self._seen[id(value)]


class _AllWords(_Words):
    """Data that is bound counts, too. ValueError for what has no words."""

    def __init__(self):
        super().__init__()
        self._within_called = 1

    def of_data(self, value):
        return self._of_other(value) if isinstance(value, types.MethodType) else super().of_data(value)

    def _of_other(self, value):
        raise ValueError(f"nothing would test what a {type(value).__name__} has bound")


def _in_c(value):
    """The words for a function in C or an operator of PyTorch's, None for anything else."""
    if isinstance(value, types.BuiltinFunctionType):
        owner = value.__self__
        owner = module_of_builtin(value) or (owner.__name__ if isinstance(owner, (type, types.ModuleType)) else None)
        return None if owner is None else f"{owner}.{value.__name__}"
    if type(value).__module__ == "torch._ops":
        return f"{type(value).__name__} {value}"
    return None
