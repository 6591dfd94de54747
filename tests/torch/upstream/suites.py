# SPDX-License-Identifier: MIT
"""PyTorch's test files as unittest sees them: they are of an older version than the PyTorch that is tested, and find stand-ins for
the names that it no longer has."""

import importlib
import os
import re
import sys
import unittest
import warnings
from pathlib import Path

import torch

FILES = (
    "functorch/test_aotdispatch.py",
    "dynamo/test_subclasses.py",
    "dynamo/test_aot_autograd.py",
    "dynamo/test_repros.py",
    "dynamo/test_hooks.py",
    "inductor/test_torchinductor.py",
    "test_nestedtensor.py",
)
LEFT_OUT = (
    "TestEagerFusionOpInfo",  # hundreds of operators each, one by one: ../databases has those
    "TestEagerFusionModuleInfo",
    "TestNestedTensorOpInfo",
    "TestNestedTensorDeviceType",  # nothing is compiled
    "TestNestedTensorAutograd",
    "TestNestedInt",
    "TestAOTExport",  # what is compiled is not called
)

_MISSING = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'")


class Missing:
    """What a test file imports and PyTorch no longer has. As a decorator it changes nothing, as a setting it is false; a test that
    uses it otherwise fails with and without wrapgen."""

    def __init__(self, name):
        self._name = name

    def __call__(self, *args, **options):
        if len(args) == 1 and not options and callable(args[0]):
            return args[0]
        raise AttributeError(f"PyTorch {torch.__version__} has no {self._name}")

    def __bool__(self):
        return False


def tests_of(folder):
    """name -> a function that returns a TestCase of one test, in the order of the files. `folder` is PyTorch's test/."""
    _prepare(folder)
    found = {}
    for file in FILES:
        for case in _cases(unittest.defaultTestLoader.loadTestsFromModule(_imported(folder, file))):
            kind, method = type(case), case._testMethodName
            if not kind.__name__.startswith(LEFT_OUT):
                found[f"{file} {kind.__name__}.{method}"] = lambda kind=kind, method=method: kind(method)
    return found


def _cases(suite):
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield from _cases(one)
        else:
            yield one


def _prepare(folder):
    warnings.filterwarnings("ignore")
    sys.modules["torchvision"] = None  # tests use it where it is: whether it is must not count
    sys.path.insert(0, str(folder))
    sys.path.insert(0, str(folder / "functorch"))  # not a package, since PyTorch has one of that name
    torch.set_num_threads(1)
    torch._logging.set_logs(all=50)


def _imported(folder, file):
    name = Path(file).stem if file.startswith("functorch/") else file.removesuffix(".py").replace(os.sep, ".")
    while True:
        try:
            return importlib.import_module(name)
        except ImportError as problem:
            missing = _MISSING.search(str(problem))
            if missing is None or not missing[2].startswith("torch"):
                raise
            sys.modules.pop(name, None)
            setattr(sys.modules[missing[2]], missing[1], Missing(f"{missing[2]}.{missing[1]}"))
