# SPDX-License-Identifier: MIT
"""build(): the wrappers of all graphs of a program, compiled, in a directory."""

import contextlib
import copy
import itertools
import os
import tempfile
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import torch
from torch._dynamo.exc import BackendCompilerFailed, Unsupported, UserError
from torch._dynamo.utils import get_traced_code

from ..api import function_name
from ..errors import CaptureError, CaptureWarning, reason
from ..extension import TorchHost
from ..loading.whole import Whole, is_own
from ..trace import require_torch, traced_values
from .backend import Report, Row
from .models import Models
from .programs import describe_programs, refuse_before, refuse_inference_mode
from .recurrent import refusal, traced
from .seam import compile_site
from .stand import Stand, compiler_of
from .store import Writer


class Recorder:
    """A back end of torch.compile that does what `inner` does, and keeps what write() builds: the graphs of everything that runs
    under it."""

    __name__ = "wrapgen-recorder"

    def __init__(self, inner="inductor", folder=None):
        """With a `folder`, graphs are compiled there as models, too."""
        self._inner = inner
        self._compile = compiler_of(inner)
        self._folder = folder
        self._folders = itertools.count()  # Dynamo starts again where Inductor cannot compute with a float, and no site is kept
        self._sites = []

    def __call__(self, module, args):
        compiler = self._compile
        models = None
        if self._folder is not None:
            models = Models(self._folder / str(next(self._folders)))
            compiler = models.compile

        codes = tuple(get_traced_code() or ())

        def keep(site):
            self._sites.append(site)
            site.models, site.codes = models, codes
            try:
                site.values, site.unloaded = traced_values(), refusal(module)
            except Exception as problem:  # noqa: BLE001 - told by load(), which needs them
                site.unloaded = reason(problem)

        with Stand(keep).standing(args):
            return compiler(module, list(args))

    def write(self, directory, name, function=None):
        """The wrappers of all graphs, into `directory`; a Report. `name` is what the directory is said to be of. With `function`,
        also what load() needs."""
        with Writer(directory) as writer:
            entries = _compiled(writer.new, self._sites)
            refused = [site for site in self._sites if site.refusal is not None]
            for site in refused:
                warnings.warn(f"{site.code}: {site.refusal}", CaptureWarning, stacklevel=2)
            loads = (None, ()) if function is None else describe_programs(function, self._sites)
            writer.publish(name, str(self._inner), entries, [{"code": site.code, "why": site.refusal} for site in refused], *loads)
        return Report(Row(site.code, site.refusal is None, site.refusal or f"graph {site.digest[:16]}") for site in self._sites)


def build(function, make_inputs, directory, *, inner="inductor", dynamic=None, name=None, context=contextlib.nullcontext, load=False):
    """Runs `function` under torch.compile, and writes into `directory` a wrapper for every graph of it; returns a Report.

    function      a function, or an nn.Module, of which a copy runs. What else it changes is changed
    make_inputs   () -> tuple of arguments, or list of such tuples: calls, one after another. Each graph that these
                  calls compile is built
    inner         the back end that compiles the kernels, the same as for backend()
    dynamic       as in torch.compile
    context       a context manager to be in during the calls: torch.no_grad, an autocast
    load          for load(), too: graphs are also compiled by AOTInductor, which takes seconds each. What could not be called
                  without Dynamo is a CaptureError, and nothing is written

    A graph that cannot be written is a miss in the report, and a CaptureWarning.
    """
    require_torch()
    function = _original(function)
    if load:
        if inner != "inductor":
            raise ValueError(f"what load() calls is compiled by Inductor, not by {inner!r}")
        name = name or function_name(function)
        function = for_load(function)
        with tempfile.TemporaryDirectory(prefix="wrapgen-models-") as folder:
            recorder = Recorder(inner, Path(folder))
            _run(function, make_inputs(), recorder, dynamic, context, fullgraph=True)
            report = recorder.write(directory, name, function)
            torch._dynamo.reset()
            return report
    recorder = Recorder(inner)
    _run(function, make_inputs(), recorder, dynamic, context)
    torch._dynamo.reset()
    return recorder.write(directory, name or function_name(function))


def for_load(function):
    """What is compiled for it. CaptureError where load() could not call it, whatever it computes."""
    refuse_before(function)
    return Whole(function) if is_own(function) else function


def _run(function, calls, recorder, dynamic, context, fullgraph=False):
    ran = copy.deepcopy(function) if isinstance(function, torch.nn.Module) else function
    torch._dynamo.reset()
    compiled = torch.compile(ran, backend=recorder, dynamic=dynamic, fullgraph=fullgraph)
    with context(), traced() if fullgraph else contextlib.nullcontext():
        if fullgraph:
            refuse_inference_mode()
        for args in calls if isinstance(calls, list) else [calls]:
            try:
                compiled(*args)
            except BackendCompilerFailed as problem:  # Dynamo's word for whatever is raised while a graph is compiled
                if isinstance(problem.inner_exception, CaptureError):
                    raise problem.inner_exception from None
                raise
            except (Unsupported, UserError) as problem:
                if not fullgraph:
                    raise  # not for a graph break, which Dynamo makes then
                why = str(problem).split("\n\n", 1)[0]
                raise CaptureError(f"{function_name(function)} is not one graph: {why}") from problem


def _original(function):
    """Without torch.compile, if it is what that returned."""
    module = getattr(function, "_orig_mod", None)
    return module if module is not None else getattr(function, "_torchdynamo_orig_callable", function)


def _compiled(new, sites):
    """What the index says of the graphs of `sites`, whose wrappers are compiled below the folder `new`. A graph that wrapgen
    refuses is none of them, and its sites say so."""
    graphs = {}
    for site in sites:
        if site.described is not None:
            graphs.setdefault(site.digest, site)
    if graphs:
        TorchHost.get()  # where it cannot be compiled there is nothing to build, whatever the graph

    def one(digest):
        folder = new / digest
        folder.mkdir()
        return compile_site(graphs[digest], folder)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        refusals = dict(zip(graphs, pool.map(one, graphs), strict=True))
    for site in sites:
        if site.described is not None:
            site.refusal = refusals[site.digest]
    return [
        {"digest": digest, "facts": site.facts, "code": site.code, "folder": new / digest}
        for digest, site in graphs.items()
        if refusals[digest] is None
    ]
