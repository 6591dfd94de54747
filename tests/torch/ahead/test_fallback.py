# SPDX-License-Identifier: MIT
"""Graphs that were not built run under PyTorch's own wrapper as they would without us: settings that are off while we look at a graph do not
reach its calls."""

import tempfile
import warnings
from pathlib import Path

import torch
import torch._dynamo.compiled_autograd as compiled_autograd
from functorch.compile import aot_function, nop
from torch._dynamo.decorators import leaf_function
from wrapgen_torch import backend, build
from wrapgen_torch.ahead.callables import callable_in, compile_site
from wrapgen_torch.ahead.hook import Hook


def other(x):
    return x + 1


def product(x, w):
    return (x @ w).sin().sum()


def _arguments():
    torch.manual_seed(0)
    return torch.randn(4, 4), torch.randn(4, 4, requires_grad=True)


def _twice(first, second):
    """The gradient after two backwards of one call; each may keep the graph for another."""

    def run(function):
        x, w = _arguments()
        y = function(x, w)
        y.backward(retain_graph=first, create_graph=second)
        if first:
            y.backward()
        return w.grad.detach()

    return run


def test_a_graph_that_is_kept_for_another_backward():
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        build(other, lambda: (torch.ones(2),), folder, inner="aot_eager")
        for inner in ("aot_eager", "inductor"):
            for dynamic in (None, False, True):
                for run in (_twice(True, False), _twice(False, False)):
                    torch._dynamo.reset()
                    found = backend(folder, inner=inner)
                    compiled = torch.compile(product, backend=found, dynamic=dynamic)
                    for _ in range(2):
                        assert torch.allclose(run(compiled), run(product)), (inner, dynamic)
                    assert found.report().misses == 1 and found.report().hits == 0


@leaf_function
def _leaf(layer, x):
    return (layer(x),)


@_leaf.register_fake
def _(layer, x):
    return (layer(x),)


class _Leafy(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        return _leaf(self.layer, x)[0] * 2


def test_objects_that_dynamo_keeps_for_a_backward():
    """Since 2.14 PyTorch's autograd function hands them to the backward. They outlive their call, and another program is built as ever."""
    keeps = tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 14)
    module, (_, x) = _Leafy(), _arguments()
    for _ in range(2):
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch._dynamo.reset()
            report = build(module, lambda: (x,), folder, inner="aot_eager")
            assert report.hits == (not keeps) and ("objects that Dynamo keeps for the backward" in str(report)) == keeps, str(report)
            torch._dynamo.reset()
            torch.compile(module, backend=backend(folder, inner="aot_eager"))(x).sum().backward()
            report = build(product, _arguments, folder, inner="aot_eager")
            assert report.hits == 1 and report.misses == 0, str(report)


class _State:
    factor = 2.0


def hooked(x, w, state):
    y = x @ w
    y.register_hook(lambda gradient: gradient * state.factor)
    return y.sin().sum()


def test_hooks_of_a_backward():
    """Under compiled autograd they are traced, and the graph takes a BackwardState: a miss that says so. Without, Dynamo breaks the graph."""

    def traced():
        return compiled_autograd._enable(lambda module: torch.compile(module, backend="aot_eager"))

    def arguments():
        return *_arguments(), _State()

    for context, misses in ((traced, 1), (torch.enable_grad, 0)):
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch._dynamo.reset()
            report = build(hooked, arguments, folder, inner="aot_eager", context=context)
            assert report.misses == misses and all(row.hit or "BackwardState" in row.why for row in report), str(report)
            torch._dynamo.reset()
            compiled = torch.compile(hooked, backend=backend(folder, inner="aot_eager"))
            ours, theirs = arguments(), arguments()
            for _ in range(2):
                with context():
                    compiled(*ours).backward()
                hooked(*theirs).backward()
                assert torch.allclose(ours[1].grad, theirs[1].grad)


def test_a_graph_without_dynamo_that_another_compilation_traces():
    """Tracing runs PyTorch's own wrapper, and a call with memory runs ours, before and after."""

    made = []

    def choose(site):
        if made:
            return None  # of the graphs around it
        assert compile_site(site, Path(folder), passing=True) is None
        made.append(callable_in(Path(folder), site))
        return made[0]

    with tempfile.TemporaryDirectory() as folder, Hook(choose).installed():
        inside = aot_function(lambda x: x.sin().sin(), nop)
        x = torch.ones(5, requires_grad=True)
        inside(x)
        for grad in (False, True):
            y = torch.full((5,), 2.0, requires_grad=grad)
            assert torch.equal(aot_function(inside, nop)(y), y.sin().sin())
        inside(x).sum().backward()
    (expected,) = torch.autograd.grad(x.sin().sin().sum(), x)
    assert len(made) == 1 and torch.allclose(x.grad, expected)
