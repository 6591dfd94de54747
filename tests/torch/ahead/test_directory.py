# SPDX-License-Identifier: MIT
"""The directory: built for something else, half written, changed, built by two at once, used where nothing can be built."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from unittest.mock import patch

import torch
import torch._dynamo.exc
from wrapgen_torch import CaptureError, CaptureWarning, DirectoryError, backend, build, environment
from wrapgen_torch.ahead.building import Recorder
from wrapgen_torch.ahead.store import Writer

HERE = Path(__file__).resolve().parent
PROGRAM = """
import sys, warnings
sys.path.insert(0, {cmd!r})
import torch
from wrapgen_torch import backend, build

def product(x, y):
    return x * y, x.view(2, 4)

def arguments():
    return torch.arange(8.0, requires_grad=True), torch.ones(8)
"""


def product(x, y):
    return x * y, x.view(2, 4)


def arguments():
    return torch.arange(8.0, requires_grad=True), torch.ones(8)


def built():
    folder = tempfile.TemporaryDirectory()
    build(product, arguments, folder.name, inner="aot_eager")
    return folder


def refused(folder, *words):
    try:
        backend(folder, inner="aot_eager")
    except DirectoryError as problem:
        assert all(word in str(problem) for word in words), str(problem)
    else:
        raise AssertionError("the directory was taken")


def run_in(folder):
    torch._dynamo.reset()
    found = backend(folder, inner="aot_eager")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = torch.compile(product, backend=found)(*arguments())
    assert torch.equal(results[0], torch.arange(8.0)) and results[1].shape == (2, 4)
    return found.report()


def test_no_directory():
    refused("/nowhere", "is not there", "build it first")
    with tempfile.TemporaryDirectory() as empty:
        refused(empty, "no build has ended there")
        (Path(empty) / "file").touch()
        refused(f"{empty}/file", "file is a file, not a directory that a build wrote")
        for there in ("file", "file/below"):
            try:
                Writer(Path(empty, there)).__enter__()
            except DirectoryError as problem:
                assert f"{there} cannot be made" in str(problem), problem
            else:
                raise AssertionError(f"{there} is built into")


def test_built_for_something_else():
    """Each fact of the surroundings by itself is enough, and is the one that is named."""
    named = {"format": "the format", "torch": "torch is", "python": "Python is", "machine": "the machine is", "package": "the source of wrapgen_torch"}
    with built() as folder:
        index = Path(folder) / "index.json"
        text = index.read_text()
        good = json.loads(text)
        assert good["environment"].keys() == named.keys()
        for key, words in named.items():
            index.write_text(json.dumps({**good, "environment": {**good["environment"], key: "another"}}))
            refused(folder, words, "and was another when it was built", "Build it again")
            without = {name: value for name, value in good["environment"].items() if name != key}
            index.write_text(json.dumps({**good, "environment": without}))
            refused(folder, words, "not stated")
        index.write_text(text)
        assert run_in(folder).hits == 1


def test_half_an_index():
    with built() as folder:
        index = Path(folder) / "index.json"
        text = index.read_text()
        for broken in (text[: len(text) // 2], "", "[]", "{}"):
            index.write_text(broken)
            refused(folder, "is not what a build writes")


def test_changed_files():
    """A library that is not the one that was built is never loaded."""
    for change in (lambda path: path.write_bytes(path.read_bytes()[:-1]), lambda path: path.unlink()):
        with built() as folder:
            (library,) = Path(folder).glob("graph-*/graph*.so")
            change(library)
            (row,) = run_in(folder)
            assert not row.hit and library.name in row.why, str(row)
            if library.exists():
                assert "Remove" in row.why, row.why  # it may be somebody's
                shutil.rmtree(library.parent)
            build(product, arguments, folder, inner="aot_eager")  # puts it right
            assert run_in(folder).hits == 1


def test_a_build_that_was_cut_short():
    """One that dies while it compiles leaves what was there before."""
    with built() as folder, tempfile.TemporaryDirectory() as fresh:
        died = PROGRAM + "import os, wrapgen_torch.ahead.building as b\nb.compile_site = lambda *_: os._exit(9)\n"
        for where in (folder, fresh):
            text = died + f"build(lambda x, y: x - y, arguments, {where!r}, inner='aot_eager')\n"
            assert _start(text).wait() == 9
        assert run_in(folder).hits == 1
        refused(fresh, "no build has ended there")


def test_two_builders_at_once():
    with tempfile.TemporaryDirectory() as folder:
        go = Path(folder) / "go"
        text = PROGRAM + f"import os, time\nwhile not os.path.exists({str(go)!r}): time.sleep(0.01)\n"
        text += "".join(f"build(product, arguments, {folder + '/built'!r}, inner='aot_eager')\n" for _ in range(3))
        builders = [_start(text) for _ in range(2)]
        time.sleep(1)
        go.touch()
        assert [one.wait() for one in builders] == [0, 0]
        left = sorted(path.name.split("-")[0] for path in (Path(folder) / "built").iterdir())
        assert left == [".lock", "graph", "index.json"], left
        assert run_in(folder + "/built").hits == 1


def test_built_again():
    """What a build no longer names is gone; a back end that was opened before says so."""
    with built() as folder:
        opened = backend(folder, inner="aot_eager")
        build(lambda x: x + 1, lambda: (torch.ones(3),), folder, inner="aot_eager")
        torch._dynamo.reset()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.compile(product, backend=opened)(*arguments())
        (row,) = opened.report()
        assert not row.hit and "was built again" in row.why, str(row)
        assert len(list(Path(folder).glob("graph-*"))) == 1


def test_messages_have_the_programs_names():
    from wrapgen_torch.ahead import backend as used

    folder, made, real = built(), [], used.callable_of
    used.callable_of = lambda *args: made.append(real(*args)) or made[-1]
    try:
        run_in(folder.name)
    finally:
        used.callable_of = real
    for wrong, kind, words in (
        ([torch.ones(5, requires_grad=True), torch.ones(8)], ValueError, ("'x'", "expected 8, found 5")),
        ([torch.ones(8, requires_grad=True), torch.ones(8).double()], ValueError, ("'y'", "expected float32, found float64")),
        ([torch.ones(8, requires_grad=True), None], TypeError, ("argument 'y' must be torch.Tensor",)),
    ):
        try:
            made[0](wrong)
        except kind as problem:
            assert all(word in str(problem) for word in words) and "input_" not in str(problem), problem
        else:
            raise AssertionError("the call was taken")


def test_without_compiler_and_generator():
    """A second process, in which nothing can be compiled or generated, and no cache has the host."""
    with built() as folder, tempfile.TemporaryDirectory() as cache:
        text = PROGRAM + f"found = backend({folder!r}, inner='aot_eager', fallback='error')\n"
        text += "y, view = torch.compile(product, backend=found)(*arguments())\ny.sum().backward()\n"
        text += "assert y.tolist() == list(range(8)) and found.report().hits == 1, found.report()\n"
        nothing = {"CC": "/bin/false", "CXX": "/bin/false", "WRAPGEN": "/bin/false", "WRAPGEN_CACHE": cache}
        assert _start(text, **nothing).wait() == 0


@contextlib.contextmanager
def tool_that_says(text):
    """In place of wrapgen: it fails with these words where it is to write a wrapper."""
    with tempfile.TemporaryDirectory() as folder:
        tool = Path(folder) / "wrapgen"
        tool.write_text(f'#!/bin/sh\ncase "$*" in *--out*) echo "{text}" >&2; exit 1 ;; esac\nexec "{environment.wrapgen()}" "$@"\n')
        tool.chmod(0o755)
        with patch.dict(os.environ, {"WRAPGEN": str(tool)}):
            yield


def test_what_wrapgen_refuses():
    """A graph that wrapgen does not generate is a miss that says why, and runs under PyTorch's own wrapper."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with tool_that_says("graph.yaml:1:1: error: --emit-python does not cover a thing yet [E_UNSUPPORTED]"):
            (made,) = build(product, arguments, folder, inner="aot_eager")
        words = "--emit-python does not cover a thing yet"
        assert not made.hit and made.why == words, str(made)
        assert any(one.category is CaptureWarning and words in str(one.message) for one in warned)
        (row,) = run_in(folder)
        assert not row.hit, str(row)


def test_wrapgen_is_named():
    """By a path from the folder of the program; one that leads nowhere is told."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with patch.dict(os.environ, {"WRAPGEN": os.path.relpath(environment.wrapgen())}):
            (made,) = build(product, arguments, f"{folder}/found", inner="aot_eager")
        assert made.hit, str(made)
        with patch.dict(os.environ, {"WRAPGEN": "no/such/wrapgen"}):
            (made,) = build(product, arguments, f"{folder}/lost", inner="aot_eager")
        words = f"{os.getcwd()}/no/such/wrapgen cannot be run (No such file or directory): WRAPGEN names it"
        assert not made.hit and made.why == words, str(made)
        assert any(one.category is CaptureWarning and words in str(one.message) for one in warned)


def test_caches_of_pytorch():
    """Inductor, twice, with PyTorch's caches in a fresh folder: the second process takes the kernels from them. What torch.compile itself
    has put there before, whole graphs with PyTorch's wrappers, takes the place of nothing."""
    with tempfile.TemporaryDirectory() as folder:
        plain = PROGRAM + "y, view = torch.compile(product)(*arguments())\ny.sum().backward()\n"
        text = PROGRAM + f"report = build(product, arguments, {folder + '/built'!r})\nassert report.hits == 1, report\n"
        use = PROGRAM + "from torch._dynamo.utils import counters\n"
        use += f"found = backend({folder + '/built'!r}, fallback='error')\n"
        use += "y, view = torch.compile(product, backend=found)(*arguments())\n"
        use += "assert y.tolist() == list(range(8)) and view._base is not None\n"
        use += "assert found.report().hits == 1, found.report()\n"
        use += "assert counters['inductor']['fxgraph_cache_hit'] > 0, counters\n"
        for one in (plain, text, use, use):
            assert _start(one, TORCHINDUCTOR_CACHE_DIR=folder + "/cache", **_caches_on).wait() == 0


_caches_on = {"TORCHINDUCTOR_FX_GRAPH_CACHE": "1", "TORCHINDUCTOR_AUTOGRAD_CACHE": "1"}


_programs = tempfile.TemporaryDirectory()


def _start(text, **environment):
    """A process; dynamic libraries and settings are this one's."""
    text = text.replace("{cmd!r}", repr(str(HERE.parents[2] / "cmd")))
    quiet = "import warnings; warnings.simplefilter('ignore')\n"
    program = Path(_programs.name) / f"{len(os.listdir(_programs.name))}.py"
    program.write_text(quiet + text)
    return subprocess.Popen([sys.executable, str(program)], env={**os.environ, **environment})


def test_a_refusal_within_dynamo_is_a_capture_error():
    """What build() refuses while Dynamo compiles is raised as it is, and another problem of the back end as Dynamo says it."""
    for problem, kind in ((CaptureError("not done"), CaptureError), (KeyError("other"), torch._dynamo.exc.BackendCompilerFailed)):

        def refuse(*_, problem=problem):
            raise problem

        with tempfile.TemporaryDirectory() as folder, patch.object(Recorder, "__call__", refuse):
            try:
                build(lambda x: x + 1, lambda: (torch.ones(2),), folder, inner="aot_eager")
            except Exception as found:  # noqa: BLE001 - whatever it is
                assert type(found) is kind and str(problem.args[0]) in str(found), found
            else:
                raise AssertionError("it is not refused")
