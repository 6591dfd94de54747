# SPDX-License-Identifier: MIT
"""compile.py ROUNDS JSON [NAME...] - whole calls of programs under torch.compile, with PyTorch's own wrappers and with those that
were built ahead of time, in eager mode, and as load() gives them: in turns, in one process, on the same arguments.

The kernels are the same: Inductor's, or with INNER=aot_eager PyTorch's operations, which load() does not have. A call with
gradients is a forward and a backward of all results. "Graphs" are the models alone that load() calls, one for the forward and
one for the backward, called by PyTorch's own binding for Python. Times are first quartiles of batches.
"""

import json
import os
import statistics
import sys
import tempfile
import time
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "cmd"))

import torch  # noqa: E402
from picture import write_svg  # noqa: E402
import torch.nn as nn  # noqa: E402
from torch.testing._internal.two_tensor import TwoTensor  # noqa: E402
from wrapgen_torch import CaptureError, backend, build, load  # noqa: E402
from wrapgen_torch.ahead.building import Recorder  # noqa: E402

torch.set_num_threads(1)
torch._logging.set_logs(all=50)
INNER = os.environ.get("INNER", "inductor")
_BATCH_SECONDS = 0.002


def vector(n=4, grad=False):
    return torch.randn(n, requires_grad=grad)


class Layers(nn.Module):
    """Linear layers, each with two parameters."""

    def __init__(self, layers, width):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x


class Norms(nn.Module):
    """Layer norms, each with two parameters."""

    def __init__(self, layers, width):
        super().__init__()
        self.layers = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def count(x, total):
    total.add_(1)
    return x + total


def views(x, y):
    return x.view(2, 2), y.view(2, 2), x[1:], y[:2]


def add(x, y):
    return x + y


def pair():
    return TwoTensor(vector(), vector())


# name -> (program, arguments, with a backward)
PROGRAMS = {
    "add": lambda: (add, (vector(), vector()), False),
    "add, gradients": lambda: (add, (vector(grad=True), vector(grad=True)), True),
    "a buffer written": lambda: (count, (vector(), vector()), False),
    "views as outputs": lambda: (views, (vector(), vector()), False),
    "MLP of 40 parameters, gradients": lambda: (Layers(20, 8), (torch.randn(2, 8),), True),
    "MLP of 40 parameters": lambda: (Layers(20, 8).requires_grad_(False), (torch.randn(2, 8),), False),
    "100 parameters, gradients": lambda: (Norms(50, 8), (torch.randn(2, 8),), True),
    "TwoTensor": lambda: (add, (pair(), pair()), False),
}


def call_of(function, args, backward):
    """What is timed: a call, and its backward."""
    if not backward:
        return lambda: function(*args)
    ones = torch.ones_like(function(*args))
    return lambda: function(*args).backward(ones)


def loaded(function, args, backward, folder):
    """Calls of what was built without Dynamo, and of its models alone; none where build() refuses."""
    if INNER != "inductor":
        return {}
    try:
        build(function, lambda: args, folder, load=True)
    except CaptureError:
        return {}
    called = load(folder).fn
    if isinstance(function, nn.Module):
        called = called.bind(function)
    whole = call_of(called, args, backward)
    return {"graphs": models_of(called._programs[0], whole, folder), "loaded": whole}


def models_of(program, whole, folder):
    """Calls the models with what they get in a call of the whole."""
    (described,) = json.loads(Path(folder, "index.json").read_text())["load"]["programs"]
    (models,) = json.loads(Path(folder, "index.json").read_text())["models"]
    given = []

    def recording(runner, model):
        def run(args):
            inputs = [args[position] for position in model["arguments"]]
            given.append((runner.run, inputs))
            made = runner.run(inputs)
            return [made[position] for position in model["results"]]

        return run

    for name, model in described["compiled"].items():
        runner = torch._C._aoti.AOTIModelContainerRunnerCpu(str(Path(folder, models["folder"], model["file"])), 1)
        program._module.bind(name, recording(runner, model))
    given.clear()
    whole()
    for name, model in described["compiled"].items():
        path = str(Path(folder, models["folder"], model["file"]))
        program._module.bind_model(name, path, model["arguments"], model["results"])

    def graphs():
        for run, inputs in given:
            run(inputs)

    return graphs


class Timed:
    """A contestant: its batches, each of which takes about as long."""

    def __init__(self, call):
        self._call = call
        begin, self._n = time.perf_counter(), 0
        for _ in range(3):
            call()
        while time.perf_counter() - begin < _BATCH_SECONDS * 4:
            call()
            self._n += 1
        self._n = max(self._n // 4, 1)
        self.times = []

    def batch(self):
        begin = time.perf_counter()
        for _ in range(self._n):
            self._call()
        self.times.append((time.perf_counter() - begin) / self._n * 1e6)

    @property
    def microseconds(self):
        return statistics.quantiles(self.times, n=4)[0] if len(self.times) > 1 else self.times[0]


def measure(name, rounds):
    function, args, backward = PROGRAMS[name]()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        without = loaded(function, args, backward, other)
        recorder = Recorder(INNER)
        torch._dynamo.reset()
        call_of(torch.compile(function, backend=recorder), args, backward)()
        begin = time.perf_counter()
        recorder.write(folder, name)
        built = time.perf_counter() - begin
        # Both compiled versions of one function at once: Dynamo keeps an entry for each back end.
        torch._dynamo.reset()
        found = backend(folder, inner=INNER, fallback="error")
        calls = {
            "eager": call_of(function, args, backward),
            "torch.compile": call_of(torch.compile(function, backend=INNER), args, backward),
            "built": call_of(torch.compile(function, backend=found), args, backward),
        }
        calls |= without
        timed = {which: Timed(call) for which, call in calls.items()}
        for _ in range(rounds):
            for one in timed.values():
                one.batch()
        assert found.report().hits == 1, found.report()
    return {which: one.microseconds for which, one in timed.items()} | {"seconds to build": built}


def main():
    rounds, out, *words = sys.argv[1:]
    result = {}
    print(f"{'whole call, microseconds':34} {'eager':>8} {'torch.compile':>14} {'built':>8} {'ratio':>7} {'graphs':>8} {'loaded':>8} {'ratio':>7}"
          "  seconds to build")  # fmt: skip
    for name in PROGRAMS:
        if words and not any(word in name for word in words):
            continue
        row = result[name] = measure(name, int(rounds))
        ratio = row["torch.compile"] / row["built"]
        without = f"{row['graphs']:8.1f} {row['loaded']:8.1f} {row['torch.compile'] / row['loaded']:6.1f}x" if "loaded" in row else f"{'-':>8} {'-':>8} {'-':>7}"
        print(f"{name:34} {row['eager']:8.1f} {row['torch.compile']:14.1f} {row['built']:8.1f} {ratio:6.2f}x {without}  {row['seconds to build']:.1f}",
              flush=True)  # fmt: skip
    Path(out).write_text(json.dumps(result, indent=1) + "\n")
    times = {name: {who: row[who] for who in ("torch.compile", "eager", "built")} for name, row in result.items()}
    if times:
        write_svg(Path(out).with_suffix(".svg"), times, "us")


if __name__ == "__main__":
    main()
