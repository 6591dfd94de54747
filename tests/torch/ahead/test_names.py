# SPDX-License-Identifier: MIT
"""Every global name that a function of wrapgen_torch reads is one of its module, or Python's: what is wrong with one is otherwise found
out where an error is told, which seldom runs."""

import builtins
import dis
import importlib
import pkgutil
from pathlib import Path
from types import CodeType

import wrapgen_torch


def _codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def unknown_names(text, file, known):
    """(function, name) of each global name that its functions read and that is not in `known`."""
    functions = [code for code in _codes(compile(text, file, "exec")) if code.co_name != "<module>"]
    read = [(code.co_name, one.argval) for code in functions for one in dis.get_instructions(code) if one.opname == "LOAD_GLOBAL"]
    return [(function, name) for function, name in read if name not in known and not hasattr(builtins, name)]


def test_names_that_functions_read():
    seen = 0
    for found in pkgutil.walk_packages(wrapgen_torch.__path__, "wrapgen_torch."):
        if not found.name.endswith(".__main__"):  # runs the command when it is imported
            module = importlib.import_module(found.name)
            unknown = unknown_names(Path(module.__file__).read_text(), module.__file__, vars(module))
            assert not unknown, f"{found.name} has no such names: {unknown}"
            seen += 1
    assert seen > 70, seen
    assert unknown_names("def f():\n    try: g()\n    except Missing: len(())", "planted", {"g"}) == [("f", "Missing")]
