# SPDX-License-Identifier: MIT
"""The modules of Python in which a program reads: inputs of graphs, results, and what is tested. They are imported when it is loaded, since
what is there may change afterwards. The compiler's are not, and what bytecode uses it imports itself."""

import importlib
import importlib.util
import json
import sys

from ..errors import DirectoryError
from .kept import NOT_LOADED, found


def import_modules(entries):
    """Those of a function's programs. One that only tests read may be missing, since then nothing can have changed it; DirectoryError if
    it is needed, or if it tells the programs apart."""
    tested = [_tests_by_module(entry["tests"]) for entry in entries]
    for entry, tests in zip(entries, tested, strict=True):
        needed = tests if "code" in entry["returned"] else {}
        for name in dict.fromkeys([*_modules_in([entry["inputs"], entry["returned"]]), *needed]):
            found(name, ())
    for name in dict.fromkeys(name for tests in tested for name in tests):
        if _is_there(name):
            found(name, ())
        elif any(tests.get(name) != tested[0].get(name) for tests in tested):
            raise DirectoryError(f"{name} is not there, in which the program that was built reads what tells its graphs apart")


def _tests_by_module(tests):
    """name of a module -> the tests that read there, as text."""
    result = {}
    for test in tests:
        for name in _modules_in([test[key] for key in ("of", "other", "reads") if key in test]):
            if not name.startswith(NOT_LOADED):
                result.setdefault(name, []).append(json.dumps(test, sort_keys=True))
    return result


def _modules_in(value):
    if isinstance(value, dict) and list(value) == ["module"]:
        yield value["module"]
    elif isinstance(value, list) or isinstance(value, dict) and "code" not in value:
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _modules_in(inner)


def _is_there(name):
    try:
        return name in sys.modules or importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False
