# SPDX-License-Identifier: MIT
"""Whatever function of ours raises while a graph is built, that graph is a miss with the reason, or a warning says that it was not
compared; the other graphs of the program are built, and the program itself notices nothing. Which functions these are a build
shows: all that are called under those of _FOR_A_GRAPH, whose first ones PyTorch and Dynamo call. Each raises once, in one of its calls.

With SHARE=10, one function in RARER times ten is tried (../shared/share.py)."""

import collections
import dis
import functools
import sys
import tempfile
import threading
import warnings
import zlib
from pathlib import Path
from unittest.mock import patch

import torch
import wrapgen_torch
from share import is_taken, share
from torch.nested import nested_tensor_from_jagged
from wrapgen_torch import build
from wrapgen_torch.ahead import callables

RARER = 5  # one takes a second
_OURS = str(Path(wrapgen_torch.__file__).resolve().parent)
_FOR_A_GRAPH = {"create_aot_state", "aot_stage2_compile", "categorize", "compile_forward", "keeping", "make_inference_function",
                "make_autograd_function", "keep", "_proof", "proving", "compile_site"}  # fmt: skip
# What catches the errors of others, and would have to catch its own; and what the program itself runs through.
_CATCHES = {"Hook.reading", "Hook._site", "Recorder._switch", "Proof._prove", "Switch.__call__", "_once", "_noting_failure", "compile_yaml", "reason"}
_LEFT_OUT = _CATCHES | {"refusal"}  # that one load() alone tells


class Planted(Exception):
    pass


def training(x, y, z):
    x.add_(1)
    made = x * y
    torch._dynamo.graph_break()
    return made, made.view(-1)[1:], z * 2


def ragged(x, y, z):
    x.add_(1)
    made = x * 2, x.size(1)
    torch._dynamo.graph_break()
    return made[0], z * 2


def of_training():
    return torch.zeros(3, 4), torch.ones(3, 4, requires_grad=True), torch.ones(7)


def of_ragged():
    return nested_tensor_from_jagged(torch.zeros(6, 2), torch.tensor([0, 2, 3, 6])), None, torch.ones(7)


def _begins(frame):
    """Not so of a generator that goes on, or is closed: Python drops what is raised then."""
    begins_with = frame.f_code.co_code[frame.f_lasti : frame.f_lasti + 2]
    return begins_with == bytes((dis.opmap["RESUME"], 0))


class _Watching:
    """Calls `entered` with the name of each function of ours that is called for a graph: what that raises, the function raises."""

    def __init__(self, entered):
        self._entered = entered
        self._within = threading.local()

    def __call__(self, frame, event, _):
        code = frame.f_code
        if event not in ("call", "return") or not code.co_filename.startswith(_OURS):
            return
        depth = getattr(self._within, "depth", 0)
        if code.co_name in _FOR_A_GRAPH:
            self._within.depth = depth + (1 if event == "call" else -1)
        elif event == "call" and depth and _begins(frame) and code.co_qualname not in _LEFT_OUT and not code.co_filename.endswith("progress.py"):
            self._entered(f"{Path(code.co_filename).name} {code.co_qualname}")

    def __enter__(self):
        threading.setprofile(self)
        sys.setprofile(self)

    def __exit__(self, *_):
        sys.setprofile(None)
        threading.setprofile(None)


def _built(program, make_inputs, entered):
    """(the Report of a build, all that is said about it)"""
    args = make_inputs()
    with (
        tempfile.TemporaryDirectory() as folder,
        warnings.catch_warnings(record=True) as said,
        patch.object(callables, "build_extension", functools.partial(callables.build_extension, passing=True)),
    ):
        warnings.simplefilter("always")
        torch._dynamo.reset()
        with _Watching(entered):
            report = build(program, lambda: args, folder, inner="aot_eager")
    written = args[0].values() if args[0].is_nested else args[0]
    assert torch.equal(written, torch.ones_like(written)), "the program did not run once"
    return report, " ".join([str(report), *(str(one.message) for one in said)])


def _raising(name, number):
    """Raises in that call of the function of that name."""
    left = [number]

    def entered(called):
        if called == name:
            left[0] -= 1
            if left[0] == 0:
                raise Planted("planted here")

    return entered


def _plant_in_each(program, make_inputs):
    _built(program, make_inputs, lambda name: None)  # some is done once, as compiling the host, and later builds do without
    calls = collections.Counter()
    report, _ = _built(program, make_inputs, lambda name: calls.update([name]))
    assert report.hits == 2 and len(calls) > 200, (str(report), len(calls))
    tried = [name for name in calls if is_taken(name, share() * (RARER if share() > 1 else 1))]
    wrong = []
    for name in tried:
        number = 1 + zlib.crc32(name.encode()) % calls[name]
        try:
            report, said = _built(program, make_inputs, _raising(name, number))
            assert report.hits >= 1 and len(report) == 2, str(report)
            assert "planted here" in said, f"nothing is said: {said}"
        except BaseException as problem:
            wrong.append(f"{name}, call {number} of {calls[name]}: {type(problem).__name__}: {problem}")
    assert not wrong, "\n".join(wrong)


def test_a_graph_that_trains():
    _plant_in_each(training, of_training)


def test_a_graph_with_a_nested_int():
    _plant_in_each(ragged, of_ragged)
