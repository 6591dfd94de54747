# SPDX-License-Identifier: MIT
"""A captured graph as a function of a Python module over the host `torch` (extension.py): what Program is over the host in
host/, for check(host="torch")."""

import itertools
import tempfile

import torch

from .extension import build_extension, load_extension
from .library import WrapperError

_numbers = itertools.count()


class ModuleProgram:
    """Calling it is calling the generated wrapper with the graph's flat arguments."""

    last = None

    def __init__(self, described):
        self.described = described
        self.traced = described.traced
        name = f"checked{next(_numbers)}"
        with tempfile.TemporaryDirectory(prefix="wrapgen-torch-") as folder:
            module = load_extension(build_extension(described.yaml, folder, name))
        module.bind(f"{described.name}_kernel", _boxed(self.traced.forward))
        if self.traced.trains:
            module.bind(f"{described.name}_backward_kernel", _boxed(self.traced.backward))
        for symbol in module.__types__:
            module.bind_type(symbol, described.subclasses.types[symbol][0])
        for symbol in module.__contexts__:
            module.bind_context(symbol, described.subclasses.contexts[symbol][1])
        self._function = getattr(module, described.name)

    def __call__(self, *args):
        try:
            return list(self._function(*args))
        except (TypeError, ValueError, RuntimeError) as problem:
            if "[WG_E_" in str(problem):
                raise WrapperError(str(problem)) from None
            raise


def _boxed(graph):
    def run(args):
        given = list(args)
        args.clear()
        with torch.no_grad():
            results = graph(*given)
        return results if isinstance(results, (list, tuple)) else [results]

    return run
