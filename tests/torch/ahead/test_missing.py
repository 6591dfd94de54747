# SPDX-License-Identifier: MIT
"""Graphs that no build made are built when torch.compile first meets them: now, or meanwhile for the next process; and the back end
that torch.compile finds by its name."""

import contextlib
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from unittest.mock import patch

import torch
from wrapgen_torch import FallbackWarning, backend, build
from wrapgen_torch.ahead import missing
from wrapgen_torch.ahead.backend import _registered, registered
from wrapgen_torch.environment import HERE

SCRIPT = """
import sys, torch
from wrapgen_torch import backend

def grown(x, w):
    x.mul_(2)
    return x @ w, x.view(-1)

found = backend(build_missing={how}, inner="aot_eager")
x, w = torch.ones(2, 3), torch.ones(3, 3, requires_grad=True)
product, view = torch.compile(grown, backend=found)(x, w)
product.sum().backward()
assert product.tolist() == [[6.0] * 3] * 2 and x.tolist() == [[2.0] * 3] * 2 and w.grad.tolist() == [[4.0] * 3] * 3
assert view._base is x
found.wait()
print([(row.hit, row.why) for row in found.report()])
"""


@contextlib.contextmanager
def _cache_of_processes():
    """A cache of graphs for a test alone; the host in it is that of all tests."""
    with tempfile.TemporaryDirectory() as folder:
        for one in Path(os.environ["WRAPGEN_CACHE"]).iterdir():
            if one.name != "graphs":
                (Path(folder) / one.name).symlink_to(one)
        with patch.dict(os.environ, {"WRAPGEN_CACHE": folder, "PYTHONPATH": str(HERE.parent)}):
            yield Path(folder)


@contextlib.contextmanager
def _cache():
    """The same for graphs of this process."""
    with tempfile.TemporaryDirectory() as folder, patch.object(missing, "cache_folder", lambda: Path(folder)):
        _registered.cache_clear()
        yield


def _run(how):
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", SCRIPT.replace("{how}", repr(how))], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def test_a_graph_is_built_at_its_first_call_and_found_by_the_next_process():
    with _cache_of_processes() as folder:
        assert _run(True) == "[(True, 'built now')]"
        assert _run(True) == "[(True, 'built when it was first met')]"
        (place,) = [one for one in (folder / "graphs").iterdir() if not one.name.startswith(".")]
        place.chmod(0o777)
        assert "everybody can write to" in _run(True)


def test_a_graph_is_built_in_the_background_for_the_next_process():
    with _cache_of_processes():
        assert "is being built in the background" in _run("background")
        assert _run("background") == "[(True, 'built when it was first met')]"


def test_a_compiler_that_fails_may_work_the_next_time():
    def grown(x):
        return x.mul_(2)

    def misses():
        torch._dynamo.reset()
        found = backend(build_missing=True, inner="aot_eager")
        x = torch.ones(2)
        assert torch.compile(grown, backend=found)(x) is not None and x.tolist() == [2, 2]
        return found.report().misses

    with _cache(), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with patch.dict(os.environ, {"CC": "false"}):
            assert misses() == 1
        assert [one.category for one in told] == [FallbackWarning] and "false ended with 1" in str(told[0].message)
        assert misses() == 0


def test_what_was_built_is_taken_before_what_is_missing():
    def sum_of(x):
        return x.sum()

    def products_of(x):
        return x.prod(), x * 2

    with _cache(), tempfile.TemporaryDirectory() as folder:
        build(sum_of, lambda: (torch.ones(2),), folder, inner="aot_eager")
        found = backend(folder, inner="aot_eager", build_missing=True)
        assert torch.compile(sum_of, backend=found)(torch.ones(2)) == 2
        assert [one.tolist() for one in torch.compile(products_of, backend=found)(torch.full((2,), 3.0))] == [9, [6, 6]]
        first, second = found.report()
        assert first.hit and first.why.startswith("graph ") and second.hit and second.why == "built now", str(found.report())


def _error(function):
    try:
        function()
    except (ValueError, torch._dynamo.exc.BackendCompilerFailed) as problem:
        return str(problem)
    return None


def test_the_back_end_that_torch_compile_finds_by_its_name():
    def doubled(x):
        return x * 2

    torch._dynamo.register_backend(registered, name="wrapgen")  # what the entry point of an installed package does
    x = torch.ones(3)
    with _cache(), tempfile.TemporaryDirectory() as folder:
        build(doubled, lambda: (torch.ones(3),), folder, inner="aot_eager")
        with patch.dict(os.environ, {"WRAPGEN_DIR": folder}):
            options = {"inner": "aot_eager", "fallback": "error"}
            assert torch.compile(doubled, backend="wrapgen", options=options)(x).tolist() == [2, 2, 2]
            torch._dynamo.reset()
            missed = _error(lambda: torch.compile(lambda x: (x * 3, x.sum()), backend="wrapgen", options=options)(x))
            assert "was built for another program" in missed, missed
        torch._dynamo.reset()
        assert torch.compile(lambda x: (x * 3, x.sum()), backend="wrapgen", options={"inner": "aot_eager"})(x)[0].tolist() == [3, 3, 3]
        for words, given in [("not 'inne'", {"options": {"inne": 1}}), ("has no modes", {"mode": "max-autotune"})]:
            torch._dynamo.reset()
            assert words in _error(lambda given=given: torch.compile(doubled, backend="wrapgen", **given)(x))


def test_a_back_end_without_a_directory_says_what_it_needs():
    assert "build_missing=True" in _error(backend)
    assert "'background'" in _error(lambda: backend(build_missing="later"))
