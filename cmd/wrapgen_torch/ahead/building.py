# SPDX-License-Identifier: MIT
"""build(): the wrappers of all graphs of a program, compiled, in a directory."""

import contextlib
import copy
import itertools
import os
import shutil
import tempfile
import time
import types
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import torch

from ..api import function_name
from ..case import build_calls, made_by
from ..choice import Origin
from ..errors import CaptureError, CaptureWarning, reason, warn
from ..extension import TorchHost
from ..loading.modes import context_of, uncompiled, undecorated
from ..progress import shown, step
from ..upstream import BackendCompilerFailed, FailOnRecompileLimitHit, Unsupported, UserError, get_traced_code, require_torch
from .labels import code_name
from .loadable import loadable
from .report import Built, Row
from .frames import Frames, InnerFrame, in_one_line
from .models import Models
from .programs import describe_programs, note_tests, refuse_other_code
from .proving import Proof, Switch
from .recurrent import refusal, traced
from .callables import callable_in, compile_site
from .hook import Hook, compiler_of
from .store import Writer


class Recorder:
    """A back end of torch.compile that does what `inner` does, and keeps what write() builds: the graphs of everything that runs
    under it."""

    __name__ = "wrapgen-recorder"

    def __init__(self, inner="inductor", folder=None, verify=True, made=None):
        """With a `folder`, graphs are compiled there as models, and run as these. `verify`: each call is also made with what is built (proving.py).
        `made`: the Loadable that load() is to call."""
        self._inner = inner
        self._compile = compiler_of(inner)
        self._folder = folder
        self._folders = itertools.count()  # Dynamo starts again where Inductor cannot compute with a float, and no site is kept
        self._made = made
        self._frames = Frames(self._note)
        self._other = None  # that a graph is of other code
        self._sites = []
        self._begun = time.monotonic()
        self._wrappers = Wrappers() if verify else None

    def __call__(self, module, args):
        origin = Origin.current()
        if self._made is not None and is_of_optimizer(origin):
            return module  # it is not kept: what is called at a graph break runs in Python
        self._refuse_other(origin)
        compiler = self._compile
        models = None
        if self._folder is not None:
            models = Models(self._folder / str(next(self._folders)))
            compiler = models.compile

        codes = tuple(get_traced_code() or ())

        def keep(site):
            self._sites.append(site)
            sites.append(site)
            site.models, site.codes, site.unproved = models, codes, unproved
            try:
                site.unloaded = refusal(module)
            except Exception as problem:  # noqa: BLE001 - told by load(), which needs them
                site.unloaded = reason(problem)
            return self._switch(site)

        sites = []
        proof, unproved = self._proof(module, sites)
        of = code_name(codes[0]) if codes else "a graph"
        with step(f"graph {len(self._sites) + 1}, {of}: compiling its kernels with {self._inner}"), Hook(keep).installed(args):
            compiled = compiler(module, list(args))
        return proof.around(compiled) if proof else compiled

    def _refuse_other(self, origin):
        """Before kernels are compiled for nothing. The program may catch what is raised."""
        if self._made is None:
            return
        try:
            refuse_other_code(self._made.plain, origin, self._frames)
        except CaptureError as problem:
            self._other = problem
            raise

    def watching(self):
        """While the program runs."""
        return self._frames.watching() if self._made is not None else contextlib.nullcontext()

    def _note(self, compile_id, made, manager):
        found = [site for site in self._sites if site.described is not None and site.described.origin is not None]
        note_tests(next((site for site in found if str(site.described.origin.compile_id) == compile_id), None), made, manager, self._frames.number_of)

    def _proof(self, module, sites):
        """(a Proof or None, why there is none although it was wanted)"""
        try:
            return (Proof(module, sites) if self._wrappers is not None else None), None
        except Exception as problem:  # noqa: BLE001 - the graph is built all the same
            return None, reason(problem)

    def _switch(self, site):
        """What takes the place of the graph's wrapper while the program runs, or None."""
        try:
            return self._wrappers.switch(site) if self._wrappers is not None else None
        except Exception as problem:  # noqa: BLE001 - told as the graph's refusal
            site.described, site.refusal = None, reason(problem)
            return None

    def write(self, directory, name, made=None):
        """The wrappers of all graphs, into `directory`; a Built. `name` is what the directory is said to be of. With a Loadable, also what
        load() needs."""
        if self._other is not None:
            raise self._other
        with Writer(directory) as writer:
            entries = _compiled(writer.new, self._sites, self._wrappers or Wrappers())
            refused = [site for site in self._sites if site.refusal is not None]
            for site in refused:
                warn(f"{site.code}: {site.refusal}", CaptureWarning)
            for site in self._sites:
                if site.refusal is None and site.unproved is not None:
                    warn(f"{site.code}: not compared with eager mode: {site.unproved}", CaptureWarning)
            loads = (None, ()) if made is None else describe_programs(made, self._sites, self._frames)
            writer.publish(name, str(self._inner), entries, [{"code": site.code, "why": site.refusal} for site in refused], *loads)
        rows = [Row(site.code, site.refusal is None, site.refusal or f"graph {site.digest[:16]}") for site in self._sites]
        return Built(rows, Path(directory), time.monotonic() - self._begun)


def build(function, make_inputs, directory, *, inner="inductor", dynamic=None, name=None, context=contextlib.nullcontext, load=False,
          verify=True, progress=None):  # fmt: skip
    """Runs `function` under torch.compile, and writes into `directory` a wrapper for every graph of it; returns a Built, a Report.

    function      a function, or an nn.Module, which is copied before it runs. What else it changes is changed
    make_inputs   () -> tuple of arguments, or a Call, or list of these: calls, one after another. Each graph that these
                  calls compile is built
    inner         the back end that compiles the kernels, the same as for backend()
    dynamic       as in torch.compile
    context       a context manager to be in during calls that say none: torch.no_grad, an autocast
    load          for load(), too: AOTInductor compiles the graphs, and the calls of this build run what it made. What could not be called
                  without Dynamo is a CaptureError, and nothing is written
    verify        each call of a graph is also made with what was built of it and in eager mode, with copies of its arguments
    progress      what is done meanwhile is shown on stderr. None: on a terminal, in one line that is erased at the end, or in a notebook;
                  True: anywhere; "verbose": with each step and command; False: never

    A graph that cannot be written, or that differs from eager mode, is a miss in the report, and a CaptureWarning.
    """
    require_torch()
    with shown(progress):
        return _build(_original(function, load), make_inputs, directory, inner, dynamic, name, context, load, verify)


def _build(function, make_inputs, directory, inner, dynamic, name, context, load, verify):
    if load:
        if inner != "inductor":
            raise ValueError(f"what load() calls is compiled by Inductor, not by {inner!r}")
        name = name or function_name(function)
        made = loadable(function)
        return or_nested(lambda: _build_loaded(made, make_inputs, directory, inner, dynamic, name, context, verify))
    recorder = Recorder(inner, verify=verify)
    _run(function, made_by(make_inputs), recorder, dynamic, context)
    torch._dynamo.reset()
    return recorder.write(directory, name or function_name(function))


def _build_loaded(made, make_inputs, directory, inner, dynamic, name, context, verify):
    with tempfile.TemporaryDirectory(prefix="wrapgen-models-") as folder:
        recorder = Recorder(inner, Path(folder), verify, made)
        _run(made.function, made_by(make_inputs), recorder, dynamic, context, made)
        report = recorder.write(directory, name, made)
        torch._dynamo.reset()
        return report


def or_nested(made):
    """What made() returns. Where a graph break is in a function that the program calls, Dynamo goes on in there if it is told to."""
    try:
        return made()
    except InnerFrame:
        pass
    try:
        with torch._dynamo.config.patch(nested_graph_breaks=True):
            return made()
    except InnerFrame as problem:
        raise CaptureError(str(problem)) from None


def is_of_optimizer(origin):
    """Is it code of torch.optim?"""
    return origin is not None and origin.code.co_filename.startswith(str(Path(torch.optim.__file__).parent))


def _run(function, calls, recorder, dynamic, context, made=None):
    ran = _copied(function) if isinstance(function, torch.nn.Module) else function
    torch._dynamo.reset()
    compiled = torch.compile(made.called(ran) if made else ran, backend=recorder, dynamic=dynamic)
    modes = [context_of(mode) for mode in made.modes] if made else []
    with traced() if made else contextlib.nullcontext(), recorder.watching():
        for call in build_calls(calls):
            if call.training is not None:
                _set_training(ran, call.training)
            with contextlib.ExitStack() as around:
                for enter in (call.context or context, *modes):
                    around.enter_context(enter())
                _call(compiled, call, function_name(function), bool(made))


def _copied(module):
    """A deep copy. Its inference tensors are those of the module, whatever the mode is now."""
    made = {}
    with torch.inference_mode():
        for one in (*module.parameters(), *module.buffers()):
            if one.is_inference():
                made[id(one)] = copy.deepcopy(one)
    with torch.inference_mode(False):
        return copy.deepcopy(module, made)


def _set_training(function, training):
    if not isinstance(function, torch.nn.Module):
        raise CaptureError("a Call says whether a module trains, and there is none: change the mode of yours in the call's context")
    function.train(training)


def _call(compiled, call, name, load):
    try:
        compiled(*call.args, **call.kwargs)
    except BackendCompilerFailed as problem:  # Dynamo's word for whatever is raised while a graph is compiled
        if isinstance(problem.inner_exception, CaptureError):
            raise problem.inner_exception.with_traceback(None) from None
        raise
    except (Unsupported, UserError) as problem:
        if not load:
            raise
        raise CaptureError(f"Dynamo does not compile {name}: {in_one_line(problem)}") from problem
    except FailOnRecompileLimitHit as problem:
        raise CaptureError(f"{name}: PyTorch compiles it {torch._dynamo.config.recompile_limit} times and no more; build fewer calls at once") from problem


def _original(function, load):
    """Without torch.compile, if it is what that returned. load() also takes PyTorch's decorators around that."""
    if isinstance(function, types.MethodType):
        plain = uncompiled(function.__func__)
        return function if plain is function.__func__ else types.MethodType(plain, function.__self__)
    if hasattr(function, "_orig_mod"):
        return function._orig_mod
    plain = uncompiled(function)
    inner = undecorated(plain)[0] if load else plain
    if "_torchdynamo_orig_callable" in getattr(inner, "__dict__", {}):  # functools.wraps has copied it
        raise CaptureError(f"{function_name(function)} has a decorator around what torch.compile returned: build it without torch.compile")
    return plain


class Wrappers:
    """The wrappers of graphs, each compiled once, on a thread of its own."""

    def __init__(self):
        self._folder = Path(tempfile.mkdtemp(prefix="wrapgen-built-"))
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._pool = ThreadPoolExecutor(os.cpu_count())
        self._made = {}  # digest -> future of a refusal or None

    def start(self, site):
        """Sees to it that the wrapper of a Site is compiled; (the folder, a future of the refusal or None)."""
        folder = self._folder / site.digest
        if site.digest not in self._made:
            folder.mkdir()
            self._made[site.digest] = self._pool.submit(compile_site, site, folder)
        return folder, self._made[site.digest]

    def switch(self, site):
        """What takes the place of the wrapper of a Site while the program runs; None if there is nothing to compile."""
        if site.described is None:
            return None
        folder, refusal = self.start(site)
        made = []

        def ours():
            if not made:
                made.append(callable_in(folder, site))
            return made[0]

        site.switch = Switch(ours, site.theirs(), refusal)
        return site.switch


def _compiled(new, sites, wrappers):
    """What the index says of the graphs of `sites`, whose wrappers are put below the folder `new`. A graph that wrapgen refuses, or
    that was found to differ, is none of them, and its sites say so."""
    graphs = {}
    for site in sites:
        if site.described is not None:
            graphs.setdefault(site.digest, []).append(site)
    if graphs:
        TorchHost.get()  # where it cannot be compiled there is nothing to build, whatever the graph
    made = {digest: wrappers.start(those[0]) for digest, those in graphs.items()}
    with step("compiling wrappers", len(made)) as one:
        for _, refusal in made.values():
            refusal.result()
            one.advance()
    entries = []
    for digest, those in graphs.items():
        folder, refusal = made[digest]
        differs = next((site.disproved for site in those if site.disproved), None)
        uncompiled = next((site.uncompiled for site in those if site.uncompiled), None)
        why = refusal.result() or uncompiled or (differs and f"what was built of it differs from eager mode: {differs}")
        for site in those:
            site.refusal = why
        if why is None:
            shutil.copytree(folder, new / digest)
            entries.append({"digest": digest, "facts": those[0].facts, "code": those[0].code, "folder": new / digest})
    return entries
