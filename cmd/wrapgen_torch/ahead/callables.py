# SPDX-License-Identifier: MIT
"""Callables out of graphs: what is compiled for one, and what Python calls then. All else in this
package does not know what calls the generated C.

That is an extension module over the host `torch`, in C and C++ (extension.py).
"""

import re

import torch

from ..errors import CaptureError, first_line, reason
from ..extension import SUFFIX, build_extension, load_extension
from ..upstream import FakeTensor, FunctionalTensor, functorch_config, innermost_fn
from .labels import explain
from .rebuilding import rebuilder_of
from .hook import NAME

# The first error in what wrapgen, a compiler or a linker has printed, which says it without that word; how wrapgen refuses what is right
# is said without its code.
_FIRST = re.compile(r"(?:error|\bld(?:\.\w+)?): (?!warning|error)(.*)")
_REFUSED = " [E_UNSUPPORTED]"


def compile_site(site, folder, passing=False):
    """Compiles the wrapper of a Site into `folder`, which is empty; a line that says why there is none, else None. Whatever is wrong
    with one graph, a mistake of ours included, the others are built all the same. `passing`: as in build_extension()."""
    try:
        text = site.described.yaml
    except Exception as problem:  # noqa: BLE001 - told as the graph's refusal
        return _in_one_line(problem)
    return compile_yaml(text, folder, passing)


def compile_yaml(text, folder, passing=False):
    """The same of a graph's description."""
    try:
        build_extension(text, folder, NAME, passing=passing)
    except Exception as problem:  # noqa: BLE001 - told as the graph's refusal
        found = _FIRST.search(str(problem)) if isinstance(problem, CaptureError) else None
        if found is None:
            return _in_one_line(problem)
        ended = first_line(problem).removesuffix(":")
        return found[1].removesuffix(_REFUSED) if found[1].endswith(_REFUSED) else f"{ended}: {found[1]}"
    return None


def _in_one_line(problem):
    return " ".join(reason(problem).split())


def callable_of(directory, entry, site):
    """The same of a graph in a directory that was built, if its files are those that were built."""
    return callable_in(directory.verified(entry), site)


def callable_in(folder, site):
    """What takes the list of a call's arguments and returns the program's outputs, out of what compile_site() made. Its `untraced`
    makes what is called with the arguments themselves, after those in `first`, while Dynamo traces nothing, as `otherwise` is
    (entry.py)."""
    module = _extension(folder, site)
    function = getattr(module, NAME)
    theirs = site.theirs() if site.described.origin is None and site.theirs is not None else None

    def run(args):
        if theirs is not None and _is_traced(args):
            with functorch_config.patch(check_custom_op_aliasing=False):  # a mode of PyTorch's first call, which tracing cannot go through
                return theirs(args)
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


def _is_traced(args):
    """Without Dynamo, which calls no graph while it traces, another compilation may trace through one: that is PyTorch's own way."""
    return torch._C._len_torch_dispatch_stack() > 0 and any(isinstance(arg, (FakeTensor, FunctionalTensor)) for arg in args)


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
