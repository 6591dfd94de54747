# SPDX-License-Identifier: MIT
"""The Python code that a graph was traced from. The graph is all that is left of it, so what was built is out of date where that code
is in the process, too, and is another.

The code of PyTorch and Python is not compared, since the index has their versions. Neither is code that cannot be found again: that of
`__main__`, and code that no name, attribute, decorator or closure of its module leads to. Of an object that load() is given, the code is
compared wherever it is from.
"""

import itertools
import sys
import sysconfig
import types
from pathlib import Path

import torch

from .data import PLAIN
from .code_text import EMPTY, HOLDERS, bytecode, defaults_of, digest

# Folders, with a separator: torchvision lies next to torch.
_TORCH, _PYTHON, _INSTALLED = (f"{folder}/" for folder in (Path(torch.__file__).parent, sysconfig.get_path("stdlib"), sysconfig.get_path("purelib")))


def described(codes):
    """[module, name, digest] of those of the code objects that can be found again, in order."""
    found = set()
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        traced = {code for code in codes if code.co_filename == file}
        if traced and name != "__main__" and not _is_own(file):
            found.update((name, code.co_qualname, digest) for code, digest in codes_of(module) if code in traced)
    return sorted(map(list, found))


def changed(entries):
    """The first function that is another than it was, by its full name, or None. A module that is not loaded, or is just being, says
    nothing: it may not have all of its functions yet."""
    for module, group in itertools.groupby(entries, key=lambda entry: entry[0]):
        if module in sys.modules and not getattr(getattr(sys.modules[module], "__spec__", None), "_initializing", False):
            there = {(code.co_qualname, digest) for code, digest in codes_of(sys.modules[module])}
            for _, name, digest in group:
                if (name, digest) not in there:
                    return f"{module}.{name}"
    return None


def _is_own(file):
    """Packages may be installed below the folder of Python's own modules."""
    return file.startswith(_TORCH) or (file.startswith(_PYTHON) and not file.startswith(_INSTALLED))


def codes_of(module):
    """(code object, digest) of the functions of a module, which names, attributes, decorators and closures lead to, and of those within
    them."""
    namespace = vars(module)
    seen, waiting = set(), list(namespace.values())
    while waiting:
        value = waiting.pop()
        if id(value) not in seen:
            seen.add(id(value))
            if isinstance(value, types.FunctionType) and value.__globals__ is namespace:
                yield from _with_inner(value.__code__, *defaults_of(value))
            waiting += _held(value, namespace)


def _held(value, namespace):
    """What else may be a function of the module."""
    if isinstance(value, type):
        return list(vars(value).values()) if _is_made_in(value, namespace) else []
    if type(value) in (dict, list, tuple):  # a table of functions, as of what a tensor subclass does for each operation
        return [one for one in (value.values() if type(value) is dict else value) if type(one) not in PLAIN]
    held = [getattr(value, name) for name in HOLDERS.get(type(value), ())]
    if isinstance(value, types.FunctionType):
        held += [cell.cell_contents for cell in value.__closure__ or () if cell != EMPTY]
    inner = getattr(value, "__dict__", None) if not isinstance(value, types.ModuleType) else None
    return [*held, inner["__wrapped__"]] if type(inner) is dict and "__wrapped__" in inner else held


def _is_made_in(kind, namespace):
    """By its name, or by its methods: a class may say that it is of the module where it is to be imported from."""
    methods = (getattr(value, "__func__", value) for value in vars(kind).values())
    return kind.__module__ == namespace["__name__"] or any(getattr(method, "__globals__", None) is namespace for method in methods)


def _with_inner(code, *more):
    """Functions within a function have the defaults that its code gives them."""
    yield code, digest([bytecode(code), more])
    for value in code.co_consts:
        if isinstance(value, types.CodeType):
            yield from _with_inner(value)
