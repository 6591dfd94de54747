# SPDX-License-Identifier: MIT
"""The seam between a graph that was built and Python: what is compiled for it, and a callable out of that. All else in this
package does not know what calls the generated C.

That is an extension module over the host `torch`, in C and C++ (extension.py).
"""

import re

import torch
from torch._dynamo.eval_frame import innermost_fn

from ..errors import CaptureError
from ..extension import SUFFIX, build_extension, load_extension
from .labels import explain
from .rebuilding import rebuilder_of
from .stand import NAME

# How wrapgen refuses what is right and what it does not generate. Any other error is a mistake of ours: in what was captured, in
# a template, in the host.
_REFUSED = re.compile(r"error: (.*) \[E_UNSUPPORTED\]")


def compile_site(site, folder):
    """Compiles the wrapper of a Site into `folder`, which is empty; the words of wrapgen where it refuses to, else None."""
    try:
        build_extension(site.described.yaml, folder, NAME)
    except CaptureError as problem:
        refused = _REFUSED.search(str(problem))
        if refused is None:
            raise
        return refused[1]
    return None


def callable_of(directory, entry, site):
    """What takes the list of a call's arguments and returns the program's outputs. Its `untraced` makes what is called with the
    arguments themselves, after those in `first`, while Dynamo traces nothing, as `otherwise` is (entry.py)."""
    folder = directory.verified(entry)
    module = _extension(folder, site)
    function = getattr(module, NAME)

    def run(args):
        given = tuple(args)
        args.clear()
        try:
            return function(*given)
        except (ValueError, TypeError, RuntimeError) as problem:
            explain(problem, site.labels)
            raise

    run._boxed_call = True
    run.untraced = lambda otherwise, first: module.untraced(function, otherwise, lambda problem: explain(problem, site.labels), first)
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
