# SPDX-License-Identifier: MIT
"""What goes wrong with one graph is a miss of that graph, with its reason. The other graphs of the program are built and used.

The program has two graphs, and an error is planted in one of them, at each stage that it goes through: what is read of PyTorch, what
is written of that, the tool, the compiler, the linker, and then the use of what was built.
"""

import contextlib
import os
import tempfile
import warnings
from pathlib import Path
from unittest.mock import patch

import torch
from torch.nested import nested_tensor_from_jagged
from wrapgen_torch import CaptureError, CaptureWarning, FallbackWarning, NotBuilt, backend, build, environment, trace
from wrapgen_torch.ahead import building, callables, hook
from wrapgen_torch.extension import SUFFIX

_SIZE = 31  # of the graph that goes wrong; the other has another


def program(x, y):
    first = x * 2
    torch._dynamo.graph_break()
    return first, y * 3


def arguments():
    return torch.ones(5), torch.ones(_SIZE, requires_grad=True)


def _is_marked(value):
    """Has it to do with the graph that goes wrong?"""
    if isinstance(value, torch.Tensor):
        return tuple(value.shape) == (_SIZE,)
    if isinstance(value, (list, tuple)):
        return any(map(_is_marked, value))
    if isinstance(value, torch.fx.GraphModule):
        return any(_is_marked(node.meta.get("val")) for node in value.graph.nodes)
    if isinstance(value, (trace.Traced, hook.Site, trace.Watch)):
        inner = {trace.Traced: "fakes", hook.Site: "described", trace.Watch: "traced"}
        (name,) = [name for kind, name in inner.items() if isinstance(value, kind)]
        return _is_marked(getattr(value, name))
    if isinstance(value, (hook.Described, hook._Captured)):
        return _is_marked(value.traced)
    return f"[{_SIZE}]" in str(value)


@contextlib.contextmanager
def planted(owner, name, problem):
    """The function raises where its arguments are of the marked graph."""
    original = getattr(owner, name)

    def failing(*args, **options):
        if _is_marked(args):
            raise problem
        return original(*args, **options)

    with patch.object(owner, name, failing):
        yield


# What is called for each graph: (module or class, function). Each of them is a stage at which something may go wrong.
STAGES = [
    (trace.Geometry, "of"),
    (trace, "returned"),
    (trace.Watch, "_read_graph"),
    (trace.Watch, "_merging"),
    (trace.Watch, "settle"),
    (hook, "choose_names"),
    (hook, "_refuse_what_is_miscounted"),
    (hook, "describe_with_subclasses"),
    (hook, "facts_of"),
    (hook, "digest_of"),
    (callables, "build_extension"),
]
PROBLEMS = [CaptureError("planted here"), KeyError("planted here"), AssertionError("planted here"), RuntimeError("planted here\nsecond line")]


def _built(folder):
    """(the hits, the misses) of a build, whose misses are warned of."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        report = build(program, arguments, folder, inner="aot_eager")
    told = [str(one.message) for one in warned if one.category is CaptureWarning]
    misses = [row for row in report if not row.hit]
    assert len(told) == len(misses) and all(row.why in text for row, text in zip(misses, told)), told
    return [row for row in report if row.hit], misses


def _used(folder):
    """(hits, misses) under a back end over the directory. Values are right either way."""
    torch._dynamo.reset()
    found = backend(folder, inner="aot_eager")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        first, second = torch.compile(program, backend=found)(*arguments())
    assert first.tolist() == [2.0] * 5 and second.tolist() == [3.0] * _SIZE
    second.sum().backward()
    return found.report().hits, found.report().misses


def _one_missing(around, *words):
    with tempfile.TemporaryDirectory() as folder:
        with around:
            hits, misses = _built(folder)
        assert len(hits) == 1 and len(misses) == 1, (hits, misses)
        why = misses[0].why
        assert all(word in why for word in words) and "\n" not in why, why
        assert _used(folder) == (1, 1)


def test_an_error_at_each_stage_of_a_build():
    for number, (owner, name) in enumerate(STAGES):
        problem = PROBLEMS[number % len(PROBLEMS)]
        words = [] if isinstance(problem, CaptureError) else [type(problem).__name__]
        try:
            _one_missing(planted(owner, name, problem), "planted here", *words)
        except BaseException as found:
            found.add_note(f"at {name}, {problem!r}")
            raise


@contextlib.contextmanager
def _tool(then):
    """In place of wrapgen: for the marked graph, after it has written its files, it does what `then` says in the folder."""
    with tempfile.TemporaryDirectory() as folder:
        tool = Path(folder) / "wrapgen"
        marked = f'case "$*" in *--out*) if grep -q "\\[{_SIZE}\\]" graph.yaml; then {then}; fi ;; esac'
        tool.write_text(f'#!/bin/sh\n"{environment.wrapgen()}" "$@" || exit $?\n{marked}\n')
        tool.chmod(0o755)
        with patch.dict(os.environ, {"WRAPGEN": str(tool)}):
            yield


def test_errors_of_the_tool_and_the_compilers():
    for then, words in {
        "echo 'graph.yaml:1:1: error: no gradient for this [E_GRAD_INPUT]' >&2; exit 1": ("wrapgen ended with 1", "no gradient for this [E_GRAD_INPUT]"),
        "echo 'op/copy.mustache:1:1: error: no such name [E_TEMPLATE]' >&2; exit 1": ("wrapgen ended with 1", "no such name [E_TEMPLATE]"),
        "echo 'graph.yaml:1:1: error: not for this host [E_UNSUPPORTED]' >&2; exit 1": ("not for this host",),
        "echo 'out of memory' >&2; exit 3": ("wrapgen ended with 3: out of memory",),
        "kill -9 $$": ("wrapgen ended with -9",),
        "echo '#error planted in C' >> graph.c": ("ended with 1", "planted in C"),
        "rm graph.c": ("ended with 1", "graph.c"),
        f"mkdir graph{SUFFIX}.new": ("ended with 1", "cannot open output file", "directory"),
    }.items():
        try:
            _one_missing(_tool(then), *words)
        except BaseException as found:
            found.add_note(f"after {then}")
            raise


def test_a_library_that_is_no_module():
    """It is found out when it is to be used, at the latest."""
    with tempfile.TemporaryDirectory() as folder:
        with _tool("echo 'extern int planted; int planted;' | tee graph.c > graph_wrappers.c"):
            _built(folder)
        assert _used(folder) == (1, 1)


def test_an_error_where_what_was_built_is_used():
    with tempfile.TemporaryDirectory() as folder:
        hits, _ = _built(folder)
        assert len(hits) == 2 and _used(folder) == (2, 0)
        for owner, name in ((callables, "load_extension"), (hook, "describe_with_subclasses"), (trace.Watch, "_merging")):
            original = getattr(owner, name)
            calls = []

            def first(*args, original=original, calls=calls, **options):
                calls.append(1)
                if len(calls) == 1:
                    raise ImportError("planted here")
                return original(*args, **options)

            with patch.object(owner, name, first):
                assert _used(folder) == (1, 1), name
        with planted(hook, "describe_with_subclasses", KeyError("planted here")):
            torch._dynamo.reset()
            try:
                torch.compile(program, backend=backend(folder, inner="aot_eager", fallback="error"))(*arguments())
            except torch._dynamo.exc.BackendCompilerFailed as problem:
                assert isinstance(problem.inner_exception, NotBuilt) and "planted here" in str(problem), problem
            else:
                raise AssertionError("there was no wrapper, and it was not said")


def test_an_error_of_the_program_is_its_own():
    """It ends the build as it ends the program: here a sum with a ragged size, which PyTorch does not have, after a graph break."""

    def summed(x):
        n, y = x.size(1), x.sin()
        torch._dynamo.graph_break()
        return y, n * 2 + 1

    def raised(run):
        try:
            run()
        except AttributeError as problem:
            return str(problem)
        raise AssertionError("nothing is raised")

    def jagged():
        return (nested_tensor_from_jagged(torch.ones(6, 2), torch.tensor([0, 2, 3, 6])),)

    with tempfile.TemporaryDirectory() as folder:
        expected = raised(lambda: summed(*jagged()))
        assert raised(lambda: build(summed, jagged, folder, inner="aot_eager")) == expected and "NestedInt" in expected
        assert not list(Path(folder).iterdir())


def test_without_a_compiler_nothing_is_built():
    """What is wrong with every graph is said once, and what was there stays."""
    with tempfile.TemporaryDirectory() as folder:
        _built(folder)
        with patch.object(building.TorchHost, "get", lambda: (_ for _ in ()).throw(CaptureError("no compiler"))):
            try:
                build(program, arguments, folder, inner="aot_eager")
            except CaptureError as problem:
                assert str(problem) == "no compiler"
            else:
                raise AssertionError("it was built")
        assert _used(folder) == (2, 0)
