# SPDX-License-Identifier: MIT
"""The seam between a graph that was built and Python: what is compiled for it, and a callable out of that. All else in this
package does not know what calls the generated C.

That is an extension module over the host `torch`, in C and C++ (extension.py). For what it lacks, which wrapgen says by name
when it generates, it is the host in host/, whose verbs are Python: that does all that `check` does, and it is slow.
"""

import shutil
from dataclasses import dataclass

import torch
from torch._dynamo.eval_frame import innermost_fn

from ..errors import CaptureError
from ..extension import SUFFIX, build_extension, load_extension
from ..hosts import what_is_lacking
from ..library import Host, compile_graph, host_folder, load, stub
from ..program import Program
from .labels import explain
from .rebuilding import rebuilder_of
from .stand import NAME

TORCH, PYTHON = "torch", "python"  # the hosts


@dataclass
class Made:
    """What was compiled for a graph: the host it is for, and why that is not the fast one."""

    host: str
    why: str = ""


def compile_site(site, folder):
    """Compiles the wrapper of a Site into `folder`, which is empty; a Made."""
    text = site.described.yaml
    try:
        build_extension(text, folder, NAME)
        return Made(TORCH)
    except CaptureError as problem:
        why = what_is_lacking(problem)
        if why is None:
            raise
    for path in folder.iterdir():
        path.unlink()
    compile_graph(folder, text, stub([site.described]))
    shutil.copyfile(host_folder() / "libwg_python.so", folder / "libwg_python.so")
    return Made(PYTHON, why)


def callable_of(directory, entry, site):
    """What takes the list of a call's arguments and returns the program's outputs. Its `untraced`, if it has one, makes what is
    called with the arguments themselves while Dynamo traces nothing, as its argument is (entry.py)."""
    folder = directory.verified(entry)
    if entry.host == TORCH:
        module = _extension(folder, site)
        function = getattr(module, NAME)
    else:
        module, function = None, _slow(folder, site)

    def run(args):
        given = tuple(args)
        args.clear()
        try:
            return function(*given)
        except (ValueError, TypeError, RuntimeError) as problem:
            explain(problem, site.labels)
            raise

    run._boxed_call = True
    if module is not None:
        run.untraced = lambda otherwise: module.untraced(function, otherwise, lambda problem: explain(problem, site.labels))
    return run


def _extension(folder, site):
    module = load_extension(folder / f"{NAME}{SUFFIX}")
    subclasses = site.described.subclasses
    guarded = site.described.origin is not None  # by Dynamo: of a subclass it tests attributes and context before each call
    for symbol, (kind, _) in subclasses.types.items():
        module.bind_type(symbol, kind, guarded, rebuilder_of(kind))
    for symbol, (_, context) in subclasses.contexts.items():
        module.bind_context(symbol, context)
    module.bind(f"{NAME}_kernel", site.forward)
    if site.backward is not None:
        backward = site.backward

        def first(args):
            compiled = torch._dynamo.disable(backward())
            compiled = module.untraced(innermost_fn(compiled), compiled, None)
            module.bind(f"{NAME}_backward_kernel", compiled)
            return compiled(args)

        module.bind(f"{NAME}_backward_kernel", torch._dynamo.disable(first))
    return module


class _Installed(Program):
    """A Program whose graphs were compiled by a back end, and which keeps nothing of its calls."""

    def __init__(self, site, library):
        super().__init__(site.described, library)
        self._site = site
        self._compiled = {}

    def _run(self, graph_module, arguments):
        if graph_module not in self._compiled:
            trains_here = graph_module is self.traced.backward
            self._compiled[graph_module] = self._site.backward() if trains_here else self._site.forward
        return list(self._compiled[graph_module](list(arguments)))

    def __call__(self, *args):
        try:
            return self.start(args)[1]
        finally:
            self.last = None


def _slow(folder, site):
    host = Host.get(folder / "libwg_python.so")
    library = folder / "graph.so"
    subclasses = site.described.subclasses
    if subclasses.types:
        # Types and contexts are bound in the library itself, and the same file is only ever loaded once.
        private = host.temporary("graph-") / "graph.so"
        shutil.copyfile(library, private)
        library = private
    return _Installed(site, load(library, subclasses))
