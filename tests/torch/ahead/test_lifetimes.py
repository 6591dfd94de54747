# SPDX-License-Identifier: MIT
"""Under torch.compile, with what was built: threads, forks, exceptions and what is alive afterwards."""

import contextlib
import gc
import os
import subprocess
import sys
import tempfile
import threading
import weakref
from pathlib import Path

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from wrapgen_torch import backend, build

HERE = Path(__file__).resolve().parent
_folders = []  # until the process ends: Dynamo may compile a program again, on another thread for instance
SECONDS = 60  # after which a thread is taken for one that waits for ever


def program(x, w):
    x.add_(1)
    return (x * w).sin(), x.view(2, 4)


def arguments(grad=True):
    return torch.arange(8.0), torch.ones(8, requires_grad=grad)


def both():
    return [arguments(False), arguments()]


def compiled(kernels=None):
    """The program with what was built for it, called once with gradients and once without; `kernels` is called by each kernel."""
    folder = tempfile.TemporaryDirectory()
    _folders.append(folder)
    build(program, both, folder.name, inner="aot_eager")
    torch._dynamo.reset()
    found = backend(folder.name, inner="aot_eager", fallback="error")
    run = torch.compile(program, backend=found)
    for args in both():
        run(*args)
    assert found.report().hits == 2
    return run


def call(run, grad=True):
    x, w = arguments(grad)
    y, view = run(x, w)
    assert torch.equal(y.detach(), (torch.arange(8.0) + 1).sin()) and view._base is x
    return y, w


def right(w):
    return torch.allclose(w.grad, (torch.arange(8.0) + 1) * (torch.arange(8.0) + 1).cos())


def together(*works):
    problems = []

    def run(work):
        try:
            work()
        except BaseException as problem:  # noqa: BLE001 - told in the thread that asked
            problems.append(problem)

    threads = [threading.Thread(target=run, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert not any(thread.is_alive() for thread in threads), "a thread waits for ever"
    assert not problems, problems[:2]


def test_arguments_end_when_the_caller_lets_go():
    """The results, and what a backward saves, are all that a call leaves."""
    run = compiled()
    x, w = arguments()
    memory = [StorageWeakRef(one.untyped_storage()) for one in (x, w)]
    y, view = run(x, w)
    memory.append(StorageWeakRef(y.untyped_storage()))
    object_of_x = weakref.ref(x)
    del x, view
    y.sum().backward()
    assert object_of_x() is None and right(w)
    del y, w
    assert all(one.expired() for one in memory)
    x, w = arguments(False)
    memory = [StorageWeakRef(one.untyped_storage()) for one in (x, w)]
    results = run(x, w)
    del x, w, results
    assert all(one.expired() for one in memory)


def test_eight_threads():
    run = compiled()

    def work(number):
        for i in range(50):
            y, w = call(run, grad=(number + i) % 2 == 0)
            if y.requires_grad:
                y.sum().backward()
                assert right(w)
            else:
                assert (number + i) % 2

    together(*(lambda number=number: work(number) for number in range(8)))


def test_backward_on_another_thread():
    run = compiled()
    calls = [call(run) for _ in range(4)]
    together(*(lambda y=y: y.sum().backward() for y, _ in calls))
    assert all(right(w) for _, w in calls)


def test_exceptions_keep_nothing():
    """Of a call with wrong arguments, for which another graph is compiled, and of a second backward."""
    run = compiled()
    memory = []

    def remember(*tensors):
        memory.extend(StorageWeakRef(one.untyped_storage()) for one in tensors)
        return tensors

    for _ in range(3):
        y, w = call(run)
        remember(y, w)
        y.sum().backward()
        with contextlib.suppress(RuntimeError):
            y.sum().backward()
            raise AssertionError("a second backward went well")
        x, w = remember(torch.ones(3), torch.ones(3, requires_grad=True))
        try:
            run(x, w)
        except Exception as problem:  # noqa: BLE001 - any will do
            assert "shape '[2, 4]' is invalid" in str(problem) or "NotBuilt" in repr(problem), problem
        else:
            raise AssertionError("three elements were viewed as 2 by 4")
        del x, y, w
    gc.collect()
    assert all(one.expired() for one in memory)


def _ends(act):
    """How a fork ends that acts: "right", "wrong", or what was raised there."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:  # whatever happens, the rest of the tests is not this process's
        try:
            said = "right" if act() else "wrong"
        except BaseException as problem:
            said = repr(problem)
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    with open(reading) as end:
        said = end.read()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return said


def test_after_a_fork():
    """PyTorch's builds for CUDA run no backward in a fork of a process in which something was compiled, with or without us."""

    def later(run):
        y, w = call(run)

        def act():
            y.sum().backward()
            mine, of_mine = call(run)
            mine.sum().backward()
            return right(w) and right(of_mine)

        return y, w, act

    *_, alone = later(torch.compile(program, backend="aot_eager"))
    y, w, ours = later(compiled())
    expected = _ends(alone)
    assert expected == "right" or torch.version.cuda is not None and "fork-based multiprocessing" in expected, expected
    assert _ends(ours) == expected
    y.sum().backward()
    assert right(w)


def test_the_interpreter_ends():
    """With a node alive. (PyTorch 2.13 itself aborts when a thread is in a compiled function then.)"""
    script = f"""
import sys
sys.path[:0] = {[str(HERE), str(HERE.parents[2] / "cmd")]!r}
import warnings; warnings.simplefilter("ignore")
import torch
from test_lifetimes import call, compiled
run = compiled()
torch.kept = [run, call(run)]
call(run)[0].sum().backward()
print("done")
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert (ended.returncode, ended.stdout) == (0, "done\n"), (ended.returncode, ended.stdout, ended.stderr[-2000:])
