# SPDX-License-Identifier: MIT
"""check()'s last comparison: the program as build() and backend() run it (the kernels of the inner back end inside wrapgen's wrappers)
against eager mode.

A wrapper trusts that the compiled graph does what the traced one does. Inductor drops views that do nothing, returns one tensor
twice or an argument itself, and writes in another order; no comparison of traced graphs can show what comes of that. The
program is called anew, and each call is looked at closely (probes.py). Where the outcome differs from eager mode, the program is
also run with PyTorch's own wrappers around the same kernels: what they do, too, is PyTorch's own difference.
"""

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import torch

from .ahead.entry import direct
from .ahead.callables import callable_in, compile_site
from .ahead.hook import Hook, compiler_of
from .probes import LATER, Probes
from .running import compare_runs, exception_lines, run_calls
from .upstream import inductor_config

# A compiled program counts other writes than eager mode and makes other chains of views; what a program notices of either is probed.
_IGNORED = {"version", "is_view", "base", "protection", "bytes"}


@dataclass
class Outcome:
    """Lines: what differs from eager mode for wrapgen's wrappers alone; what does for PyTorch's own, too; graphs that build() refuses;
    why PyTorch's own compiled program fails."""

    different: list = field(default_factory=list)
    inherited: list = field(default_factory=list)
    refused: list = field(default_factory=list)
    uncompiled: list = field(default_factory=list)


def compare_with_inner(function, make_inputs, inner, dynamic, tolerance, options):
    """An Outcome. `options` are those of run_calls()."""
    compiler = compiler_of(inner)
    outcome = Outcome()

    def run(wrap):
        return run_calls(function, make_inputs, wrap, probes=Probes, **options)

    def compiled_by(choose):
        def backend(module, args):
            with Hook(choose).installed(args):
                compiled = compiler(module, list(args))
            return direct(compiled)

        return lambda program, _: torch.compile(program, backend=backend, dynamic=dynamic)

    # Inductor has a random generator of its own, with other numbers than eager mode's.
    with tempfile.TemporaryDirectory(prefix="wrapgen-inner-") as folder, inductor_config.patch(fallback_random=True):
        eager = run(lambda program, _: program)
        ours = run(compiled_by(_builder(Path(folder), outcome.refused)))
        lines = _first(_against(ours, eager, tolerance))
        ours.release()
        if lines and not outcome.refused:
            theirs = run(compiled_by(lambda site: None))
            if theirs.exception is not None and eager.exception is None:
                outcome.uncompiled = exception_lines("PyTorch's own compiled program fails", theirs.exception)
            shared = set(_against(theirs, eager, tolerance))
            outcome.inherited = [line for line in lines if line in shared]
            outcome.different = [line for line in lines if line not in shared]
            theirs.release()
        eager.release()
    return outcome


def _builder(folder, refused):
    """Site -> a callable of what is built of it; None where that is refused."""
    made = []

    def choose(site):
        made.append(folder / str(len(made)))
        made[-1].mkdir()
        why = site.refusal or compile_site(site, made[-1], passing=True)
        if why is not None:
            refused.append(f"{site.code}: {why}")
            return None
        return callable_in(made[-1], site)

    return choose


def _first(lines):
    """Without what only follows from the others."""
    return [line for line in lines if LATER not in line] or lines


def _against(run, eager, tolerance):
    lines = compare_runs(run, eager, False, _IGNORED, tolerance, rounding=True)
    if (run.exception is None) != (eager.exception is None):
        who = "the compiled program raised" if eager.exception is None else "eager mode alone raised"
        lines += exception_lines(who, run.exception or eager.exception)
    return lines
