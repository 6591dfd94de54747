# SPDX-License-Identifier: MIT
"""Programs whose tensors are on a GPU: checked, built, loaded in a process that compiles nothing, and deployed, which is refused by name.

  cuda.py [WORD...]            the tests whose names contain one of the words
  cuda.py --load DEVICE DIR    what the process does that loads

The device is a parameter: where there is no GPU, the same tests run on the CPU, so that they themselves are known to work, and each test that
asks for a GPU is a skip that says why there is none. Only what ran on a GPU is known to work there. Among all suites, where SHARE_OF_PROGRAMS
is set, nothing is skipped: a line says that there is no GPU, and some of the tests run on the CPU.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(ROOT / "cmd"), str(HERE.parent / "shared")]
warnings.filterwarnings("ignore")

import torch  # noqa: E402

from share import is_taken, share  # noqa: E402

import wrapgen_torch  # noqa: E402 - whose parts are imported when they are used: what loads must not import the compiler


def lacking():
    """Why there is no GPU; None: there is one."""
    if torch.version.cuda is None:
        return "this PyTorch is built without CUDA"
    if not torch.cuda.is_available():
        return "PyTorch finds no CUDA GPU"
    return None


# ---- programs ----


class Programs:
    """Functions over tensors of one device, and what they are called with."""

    def __init__(self, device):
        self.device = torch.device(device)

    def _random(self, *shape, grad=False):
        generator = torch.Generator().manual_seed(sum(shape) + len(shape))
        return torch.randn(*shape, generator=generator).to(self.device).requires_grad_(grad)

    def written(self):
        """An argument is written to, a view of it and a new tensor come back."""

        def function(x, y):
            x.mul_(2).add_(y)
            return x.t(), x * y

        return function, lambda: (self._random(3, 4), self._random(3, 4))

    def trained(self):
        """A backward, with values that are saved for it."""

        def function(x, weight):
            return torch.tanh(x @ weight).sum(0)

        return function, lambda: (self._random(5, 4, grad=True), self._random(4, 3, grad=True))

    def made(self):
        """Tensors that the graph makes itself are on the device of its arguments."""

        def function(x):
            return x + torch.arange(x.shape[0], device=x.device)[:, None], torch.zeros_like(x)

        return function, lambda: (self._random(6, 2),)

    def both(self):
        """An argument on the CPU among the others."""

        def function(x, scale):
            return x * scale.to(x.device)

        return function, lambda: (self._random(4), torch.tensor(3.0))

    def all(self):
        return {name: getattr(self, name)() for name in ("written", "trained", "made", "both")}


def flat(values):
    return [one.detach().cpu() for one in torch.utils._pytree.tree_leaves(values) if isinstance(one, torch.Tensor)]


def played(function, inputs):
    """What a call returns and leaves in its arguments, with a backward where there is one; on the CPU, to be compared."""
    results = function(*inputs)
    leaves = [one for one in torch.utils._pytree.tree_leaves(results) if isinstance(one, torch.Tensor)]
    if any(one.requires_grad for one in leaves):
        sum(one.sum() for one in leaves).backward()
    gradients = [one.grad for one in inputs if isinstance(one, torch.Tensor) and one.grad is not None]
    devices = [str(one.device.type) for one in leaves]
    return devices, flat([results, inputs, gradients])


def same(found, wanted):
    assert found[0] == wanted[0], (found[0], wanted[0])
    assert len(found[1]) == len(wanted[1]) > 0
    for mine, theirs in zip(found[1], wanted[1]):
        torch.testing.assert_close(mine, theirs)


def another(device):
    """A tensor's device that is not this one."""
    return torch.device("cpu" if device.type != "cpu" else "meta")


# ---- tests: each gets the Programs of a device, and an empty folder ----


def checked(programs, _):
    for name, (function, make_inputs) in programs.all().items():
        result = wrapgen_torch.check(function, make_inputs, name=name)
        assert result.ok, result.report


def captured(programs, _):
    """The YAML says on which device an argument is."""
    function, make_inputs = programs.made()
    wanted = {"cpu": "device: cpu"}.get(programs.device.type, f"device: '{programs.device.type}:0'")
    text = str(wrapgen_torch.capture(function, *make_inputs()))
    assert wanted in text or wanted.replace("'", "") in text, text


def compiled(programs, folder):
    """Wrappers built ahead of time, under torch.compile. A tensor on another device is not what was built."""
    for name, (function, make_inputs) in programs.all().items():
        wanted = played(function, make_inputs())
        torch._dynamo.reset()
        assert not wrapgen_torch.build(function, make_inputs, folder / name).misses
        fast = torch.compile(function, backend=wrapgen_torch.backend(folder / name, fallback="error"))
        same(played(fast, make_inputs()), wanted)
    torch._dynamo.reset()
    fast = torch.compile(programs.made()[0], backend=wrapgen_torch.backend(folder / "made", fallback="error"))
    try:
        fast(torch.zeros(6, 2, device=another(programs.device)))
    except Exception as problem:  # noqa: BLE001 - Dynamo wraps a NotBuilt
        assert f"device of x is {another(programs.device)}, and {programs.device.type}" in str(problem), problem
    else:
        raise AssertionError("a tensor on another device is taken")


def loaded(programs, folder):
    """Called in a process that compiles nothing."""
    for name, (function, make_inputs) in programs.all().items():
        torch._dynamo.reset()
        wrapgen_torch.build(function, make_inputs, folder / name, load=True)
    ended = subprocess.run([sys.executable, __file__, "--load", str(programs.device), str(folder)], capture_output=True, text=True, check=False)
    assert ended.returncode == 0 and ended.stdout == "all hold\n", ended.stdout + ended.stderr


def load_all(device, folder):
    programs = Programs(device)
    for name, (function, make_inputs) in programs.all().items():
        fast = wrapgen_torch.load(folder / name).fn
        same(played(fast, make_inputs()), played(function, make_inputs()))
    assert not [name for name in sys.modules if name.startswith(("torch._dynamo", "torch._inductor"))]
    try:
        wrapgen_torch.load(folder / "made").fn(torch.zeros(6, 2, device=another(programs.device)))
    except wrapgen_torch.CallError as problem:
        assert "no graph was built for this call: tensor 'x' " in str(problem), problem
    else:
        raise AssertionError("a tensor on another device is taken")
    print("all hold")


def streams(programs, folder):
    """On a stream that is not the default one: results are complete when that stream is."""
    function, make_inputs = programs.written()
    wanted = played(function, make_inputs())
    torch._dynamo.reset()
    wrapgen_torch.build(function, make_inputs, folder / "streams")
    fast = torch.compile(function, backend=wrapgen_torch.backend(folder / "streams", fallback="error"))
    stream = torch.cuda.Stream() if programs.device.type == "cuda" else None
    with torch.cuda.stream(stream) if stream else contextlib.nullcontext():
        inputs = make_inputs()
        results = fast(*inputs)
    if stream:
        stream.synchronize()
    same(([one.device.type for one in results], flat([results, inputs])), wanted)


PROGRAM = """import torch
from wrapgen_torch import Case
def case():
    return Case(lambda x: x * 2, [("one", (torch.ones(3, device="{device}"),))])
"""


def deployed(programs, folder):
    """Models for the CPU alone are deployed; one for a GPU is refused in one line, and nothing is written."""
    path, out = folder / "program.py", folder / "deployed"
    path.write_text(PROGRAM.format(device=programs.device))
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "cmd")}
    ended = subprocess.run([sys.executable, "-m", "wrapgen_torch", "deploy", "-q", str(path), "--out", str(out)], env=environment, capture_output=True,
                           text=True, check=False)  # fmt: skip
    if programs.device.type == "cpu":
        assert ended.returncode == 0 and (out / "graph.yaml").is_file(), ended.stderr
        return
    assert ended.returncode == 2 and "only models for the CPU are deployed" in ended.stderr, ended.stderr
    assert ended.stderr.count("\n") == 1 and not out.exists()


TESTS = [checked, captured, compiled, loaded, streams, deployed]


def among_all(words):
    """Is it one of all the suites, and not called by its name?"""
    return share("SHARE_OF_PROGRAMS") > 1 and not words


def run(device, words, skipped_since=None):
    """Counts of passed, failed and skipped."""
    counts = [0, 0, 0]
    names = {f"{test.__name__} on {device}": test for test in TESTS}
    asked = [name for name in names if not words or any(word in name for word in words)]
    taken = [name for name in asked if is_taken(name, share("SHARE_OF_PROGRAMS"))] or asked[:1] if among_all(words) else asked
    for name, test in [(name, names[name]) for name in taken]:
        if skipped_since is not None:
            counts[2] += 1
            print(f"ok - {name} # SKIP {skipped_since}", flush=True)
            continue
        try:
            with tempfile.TemporaryDirectory(prefix="cuda-") as folder:
                test(Programs(device), Path(folder))
            problem = None
        except Exception:  # noqa: BLE001 - one test must not end the suite
            problem = traceback.format_exc()
        counts[problem is not None] += 1
        print(f"{'not ok' if problem else 'ok'} - {name}", flush=True)
        for line in (problem or "").splitlines()[-40:]:
            print(f"#   {line}", flush=True)
    return counts


def main(words):
    reason = lacking()
    if reason is not None and among_all(words):
        print(f"# none of these ran on a GPU: {reason}")
        counts = run("cpu", words)
    else:
        counts = run("cuda", words, reason)
    if reason is not None and not among_all(words):
        counts = [a + b for a, b in zip(counts, run("cpu", words))]
    print(f"{counts[0]} passed, {counts[1]} failed, {counts[2]} skipped")
    return 1 if counts[1] or (words and not any(counts)) else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--load"]:
        load_all(sys.argv[2], Path(sys.argv[3]))
    else:
        sys.exit(main(sys.argv[1:]))
