# SPDX-License-Identifier: MIT
"""Programs that are built for load(), and called in a process that never imports torch._dynamo; and what build() refuses.

  load.py [NAME...]

Each program of programs*.py is built here and played under torch.compile and in eager mode. Then child.py plays what was
loaded, in another process: it must be equal bit for bit to torch.compile's, and to eager mode's within a tolerance, and each
wrong call must be refused with the right words.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from unittest.mock import patch

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[2] / "cmd"), str(HERE), str(HERE.parent / "shared")]
warnings.filterwarnings("ignore", module=r"torch\.")

import torch  # noqa: E402

torch.set_num_threads(1)
torch._logging.set_logs(all=50)

import codes  # noqa: E402
import damage  # noqa: E402
import equal  # noqa: E402
import opened  # noqa: E402
import placed  # noqa: E402
import pruned  # noqa: E402
import programs  # noqa: E402
import programs_breaks  # noqa: E402, F401
import programs_classes  # noqa: E402, F401
import programs_data  # noqa: E402, F401
import programs_functional  # noqa: E402, F401
import programs_globals  # noqa: E402, F401
import programs_kept  # noqa: E402, F401
import programs_modes  # noqa: E402, F401
import programs_recurrent  # noqa: E402, F401
import programs_shapes  # noqa: E402, F401
import programs_subclasses  # noqa: E402, F401
import programs_training  # noqa: E402, F401
import refusals  # noqa: E402
from runner import run_tests  # noqa: E402
from share import taken  # noqa: E402
from warm import Warm  # noqa: E402
from wrapgen_torch import CaptureError, CaptureWarning, build  # noqa: E402
from wrapgen_torch.ahead import models  # noqa: E402
from wrapgen_torch.ahead.recurrent import traced  # noqa: E402
from wrapgen_torch.upstream import V  # noqa: E402


@contextlib.contextmanager
def steps_in_python():
    """torch.compile also compiles the steps of optimizers, and load() does not."""
    with contextlib.ExitStack() as stack:
        for kind in (torch.optim.SGD, torch.optim.AdamW):
            stack.enter_context(patch.object(kind, "step", torch._dynamo.disable(kind.step)))
        yield


def play_through(case, children):
    with tempfile.TemporaryDirectory(prefix="load-") as folder:
        made = case.make()
        with case.around():
            report = build(made, case.calls, f"{folder}/built", load=True, dynamic=case.dynamic, context=case.context)
        assert report.misses == 0 and len(report) == case.graphs, str(report)
        torch._dynamo.reset()
        steps = steps_in_python() if case.optimizes else contextlib.nullcontext()
        with traced(), torch._dynamo.config.patch(nested_graph_breaks=case.nested), steps:
            compiled = programs.played(case, lambda function: torch.compile(function, dynamic=case.dynamic))
        eager = programs.played(case, lambda function: function)
        torch.save({"compiled": compiled, "eager": eager}, f"{folder}/expected.pt")
        children.run(case.name, folder)


PROGRAM = '''"""A sum."""
import torch
from wrapgen_torch import Case

def total(x, y):
    return x + y

def case():
    return Case(function=total, calls=[("only", (torch.ones(4), torch.ones(4)))], grad_mode=False)
'''
CALLS = """
import sys, torch
from wrapgen_torch import load
torch.set_num_threads(int(sys.argv[1]))
with torch.no_grad():
    print(load("built").fn(torch.arange(4.0), torch.ones(4)).tolist())
"""


def from_the_command_line():
    with tempfile.TemporaryDirectory(prefix="load-") as folder:
        Path(folder, "program.py").write_text(PROGRAM)
        environment = os.environ | {"PYTHONPATH": str(HERE.parents[2] / "cmd")}

        def run(*words):
            return subprocess.run([sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True)

        wrong = run("-m", "wrapgen_torch", "build", "program.py", "--out", "built", "--load", "--inner", "aot_eager")
        assert wrong.returncode == 2 and "compiled by Inductor, not by aot_eager" in wrong.stderr, wrong.stderr
        built = run("-m", "wrapgen_torch", "build", "program.py", "--out", "built", "--load")
        assert built.returncode == 0 and "built 1 of 1 graphs in " in built.stdout, built.stdout + built.stderr
        index = json.loads(Path(folder, "built", "index.json").read_text())
        (state,) = [test["state"] for test in index["load"]["programs"][0]["tests"] if test["test"] == "global_state"]
        called = run("-c", CALLS, str(json.loads(state)["num_threads"]))
        assert called.stdout == "[1.0, 2.0, 3.0, 4.0]\n", called.stdout + called.stderr


def a_model_that_computes_something_else():
    compile_inner = models.compile_fx_inner

    def compile_other(module, *args, **options):
        for node in module.graph.nodes:
            node.target = torch.ops.aten.sub.Tensor if V.aot_compilation and node.target is torch.ops.aten.add.Tensor else node.target
        return compile_inner(module, *args, **options)

    with tempfile.TemporaryDirectory(prefix="load-") as folder, patch.object(models, "compile_fx_inner", compile_other), warnings.catch_warnings():
        warnings.simplefilter("ignore", CaptureWarning)
        try:
            build(programs.add, lambda: (torch.ones(3), torch.ones(3)), f"{folder}/built", load=True)
        except CaptureError as problem:
            assert "differs from eager mode" in str(problem), problem
        else:
            raise AssertionError("it was built")


def an_error_of_the_program():
    """A model does not say what is wrong; eager mode does."""
    with tempfile.TemporaryDirectory(prefix="load-") as folder:
        try:
            build(torch.nn.Embedding(3, 2), lambda: (torch.tensor([5]),), f"{folder}/built", load=True)
        except IndexError as problem:
            assert "index out of range" in str(problem), problem
        else:
            raise AssertionError("it was built")


def main():
    children = Warm(HERE / "child.py")
    words = sys.argv[1:]
    tests = [(case.name, lambda case=case: play_through(case, children)) for case in taken(programs.CASES, words)]
    tests += [("from the command line", from_the_command_line), ("a model that computes something else", a_model_that_computes_something_else),
              ("an error of the program", an_error_of_the_program)]  # fmt: skip
    tests += codes.TESTS + damage.TESTS + equal.TESTS + opened.TESTS + placed.TESTS + pruned.TESTS + [(f"refused: {name}", test) for name, test in refusals.TESTS]
    try:
        return run_tests(tests, words, before=torch._dynamo.reset)
    finally:
        children.close()


if __name__ == "__main__":
    sys.exit(main())
