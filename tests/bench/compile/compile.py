# SPDX-License-Identifier: MIT
"""compile.py ROUNDS JSON [NAME...] - whole calls of programs under torch.compile, with PyTorch's own wrappers and with those that
were built ahead of time, in eager mode, and as load() gives them: in turns, in one process, on the same arguments.

The kernels are the same: Inductor's, or with INNER=aot_eager PyTorch's operations, which load() does not have. A call with
gradients is a forward and a backward of all results. "Graphs" are the models alone that load() calls, one for the forward and
one for the backward, called by PyTorch's own binding for Python, without autograd's engine. Times are of the thread's processor
time, so that what else runs on the machine is not in them, and first quartiles of batches.

"Engine" is the least that autograd takes of a call with gradients, whoever runs the graph: backward(), and its engine, which is given
the gradients of all arguments that want one by a node that does nothing else, and adds each to what is there. "Floor" is graphs and
engine: what a loaded call would take with nothing of ours in it.

"Share" is what AOTAutograd's wrappers take of a call of torch.compile, and ours of one with what was built (share.py); "classes" is
what the classes of tensor subclasses take of either, to make results in their own Python (of a DTensor ours has less made). "Bound" is
what torch.compile would take if that share were nothing; the ratio next to it divides that by the time measured with ours.
QUICK=1 measures few programs, and load() for fewer (programs.py).
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
from programs import PROGRAMS  # noqa: E402
from share import Share  # noqa: E402
import torch.nn as nn  # noqa: E402
from torch._functorch import config as functorch_config  # noqa: E402
from wrapgen_torch import CaptureError, backend, build, load  # noqa: E402
from wrapgen_torch.ahead.building import Recorder  # noqa: E402

torch.set_num_threads(1)
torch._logging.set_logs(all=50)
QUICK = "QUICK" in os.environ
_BATCH_SECONDS = 0.002


def call_of(function, args, backward):
    """What is timed: a call, and its backward."""
    if not backward:
        return lambda: function(*args)
    ones = torch.ones_like(function(*args))
    return lambda: function(*args).backward(ones)


def loaded(program, function, args, folder):
    """Calls of what was built without Dynamo, and of its models alone; none where build() refuses."""
    backward = program.backward
    if program.inner != "inductor" or QUICK and program.quick != "loaded":
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
    index = json.loads(Path(folder, "index.json").read_text())
    (described,), (models,) = index["load"]["programs"], index["models"]
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


def engine_of(function, args):
    """{part: (call, sign)} of what autograd takes to deliver a gradient to each argument and parameter that wants one: backward() of
    one of them, and the engine for all instead of for one."""
    given = [*args, *(function.parameters() if isinstance(function, nn.Module) else ())]
    leaves = [torch.zeros_like(one, requires_grad=True) for one in given if isinstance(one, torch.Tensor) and one.requires_grad]
    gradients = [torch.ones_like(one) for one in leaves]
    run = torch.autograd.Variable._execution_engine.run_backward

    def to_first(n):
        tensors, theirs = tuple(leaves[:n]), tuple(gradients[:n])
        return lambda: run(tensors, theirs, False, False, (), allow_unreachable=True, accumulate_grad=True)

    return {"backward": (lambda: leaves[0].backward(gradients[0]), 1), "all": (to_first(len(leaves)), 1), "one": (to_first(1), -1)}


class Timed:
    """A contestant: its batches, which take about the same time each."""

    def __init__(self, call):
        self._call = call
        begin, self._n = time.thread_time(), 0
        for _ in range(3):
            call()
        while time.thread_time() - begin < _BATCH_SECONDS * 4:
            call()
            self._n += 1
        self._n = max(self._n // 4, 1)
        self.times = []

    def batch(self):
        self._call()  # Dynamo looks at the graph of the last call first, which is another contestant's
        begin = time.thread_time()
        for _ in range(self._n):
            self._call()
        self.times.append((time.thread_time() - begin) / self._n * 1e6)

    @property
    def microseconds(self):
        return statistics.quantiles(self.times, n=4)[0] if len(self.times) > 1 else self.times[0]


def shares(program, function, args, folder):
    """{"share": {part: call, sign}} of PyTorch's wrapper, of ours as "our share", and of the classes of subclasses as "classes";
    none where one graph is not all."""
    result = {}
    for name, over in (("share", None), ("our share", folder)):
        share = Share(program.inner)
        compiler = share.inner if over is None else backend(over, inner=share.inner, fallback="error")
        torch._dynamo.reset()
        with functorch_config.patch(donated_buffer=False, enable_autograd_cache=False):  # a backward is called again and again
            call_of(torch.compile(function, backend=share.around(compiler)), args, program.backward)()
            calls = share.calls()
        if calls is None:
            return {}
        result[name] = calls
        classes = share.rebuilding() if over is None else None
        if classes is not None:
            result["classes"] = classes
    return result


def in_turns(rounds, calls):
    """{name: microseconds}"""
    timed = {which: Timed(call) for which, call in calls.items()}
    for _ in range(rounds):
        for one in timed.values():
            one.batch()
    return {which: one.microseconds for which, one in timed.items()}


def measure(name, rounds):
    program = PROGRAMS[name]
    function, args = program.make()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        without = loaded(program, function, args, other)
        recorder = Recorder(program.inner)
        torch._dynamo.reset()
        call_of(torch.compile(function, backend=recorder), args, program.backward)()
        begin = time.perf_counter()
        recorder.write(folder, name)
        built = time.perf_counter() - begin
        parts = shares(program, function, args, folder)
        if program.backward:
            parts["engine"] = engine_of(function, args)
        torch._dynamo.reset()
        found = backend(folder, inner=program.inner, fallback="error")
        # Both compiled versions of one function at once: Dynamo keeps an entry for each back end.
        calls = {
            "eager": call_of(function, args, program.backward),
            "torch.compile": call_of(torch.compile(function, backend=program.inner), args, program.backward),
            "built": call_of(torch.compile(function, backend=found), args, program.backward),
        }
        calls |= without
        calls |= {(which, part): call for which, those in parts.items() for part, (call, _) in those.items()}
        with functorch_config.patch(donated_buffer=False):  # is asked again in each backward; all is compiled by now
            times = in_turns(rounds, calls)
        assert found.report().misses == 0, found.report()
    row = {which: times[which] for which in calls if isinstance(which, str)} | {"seconds to build": built}
    for which, those in parts.items():
        row[which] = sum(sign * times[which, part] for part, (_, sign) in those.items())
    if "share" in parts:
        row["bound"] = row["torch.compile"] - row["share"]
    if "graphs" in row:
        row["floor"] = row["graphs"] + row.get("engine", 0)
    return row


HEAD = (f"{'whole call, microseconds':32} {'eager':>8} {'torch.compile':>13} {'built':>8} {'ratio':>7} {'share':>8} {'ours':>8} {'ratio':>7}"
        f" {'classes':>8} {'bound':>8} {'of it':>6} {'graphs':>8} {'engine':>8} {'floor':>8} {'loaded':>8} {'ratio':>7}  seconds to build")  # fmt: skip


def line_of(name, row):
    def number(value, width, digits=1, after=""):
        return f"{'-' if value is None else f'{value:.{digits}f}{after}':>{width}}"

    def ratio(over, under):
        return row[over] / row[under] if over in row and under in row and row[under] > 0 else None

    words = [f"{name:32}", number(row["eager"], 8), number(row["torch.compile"], 13), number(row["built"], 8),
             number(ratio("torch.compile", "built"), 7, 2, "x"), number(row.get("share"), 8), number(row.get("our share"), 8),
             number(ratio("share", "our share"), 7, 1, "x"), number(row.get("classes"), 8), number(row.get("bound"), 8), number(ratio("bound", "built"), 6, 2),
             number(row.get("graphs"), 8), number(row.get("engine"), 8), number(row.get("floor"), 8), number(row.get("loaded"), 8), number(ratio("torch.compile", "loaded"), 7, 1, "x"),
             f" {row['seconds to build']:.1f}"]  # fmt: skip
    return " ".join(words)


def _read(out):
    """What was measured before: with names, those rows are measured anew, and the others stay."""
    return json.loads(Path(out).read_text(encoding="utf-8")) if Path(out).exists() else {}


def _write(out, result):
    """After each row, since a run takes long; in the order of the table."""
    in_order = {name: result[name] for name in PROGRAMS if name in result}
    Path(out).write_text(json.dumps(in_order, indent=1) + "\n", encoding="utf-8")


def main():
    rounds, out, *words = sys.argv[1:]
    result = _read(out) if words else {}
    print(HEAD)
    for name, program in PROGRAMS.items():
        if not any(word in name for word in words) if words else QUICK and not program.quick:
            continue
        try:
            row = result[name] = measure(name, int(rounds))
        except ImportError as problem:
            print(f"{name:32} not measured: {problem}")
            continue
        print(line_of(name, row), flush=True)
        _write(out, result)
    times = {name: {who: row[who] for who in ("torch.compile", "eager", "built", "bound", "loaded") if who in row} for name, row in result.items()}
    if times:
        write_svg(Path(out).with_suffix(".svg"), times, "us")


if __name__ == "__main__":
    main()
