# SPDX-License-Identifier: MIT
"""Whole models of transformers and timm, in inference and in training, through build(load=True) and load(): what is loaded is played in a
process in which nothing was compiled, and must be equal to torch.compile bit for bit, and to eager mode within a tolerance.

  load_models.py --played [NAME...]         models whose name contains one of the words
  load_models.py --described [NAME...]      only what load() needs to know of each, in seconds: nothing is compiled or played

outcomes.txt lists the models that are not equal, with the reason; any other that is not equal is a failure. Each model has a process of
its own: transformers registers the models of a process, and Dynamo tests how many there are.
"""

import contextlib
import sys
import tempfile
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[2] / "cmd"), str(HERE), str(HERE.parent / "load"), str(HERE.parent / "shared")]
warnings.filterwarnings("ignore")

import sweep  # noqa: E402
import torch  # noqa: E402
from configurations import models, played  # noqa: E402 - before what imports torchvision

from child import Child  # noqa: E402
from share import share  # noqa: E402
from wrapgen_torch import Call, CaptureError, build  # noqa: E402

TOLERANCE = {"rtol": 1e-3, "atol": 1e-4}  # as between eager mode and torch.compile


def differing(name, found, expected, exact):
    """The first of the values that differs, as text; None if there is none."""
    if len(found) != len(expected):
        return f"{len(found)} values, {name} has {len(expected)}"
    for number, (mine, theirs) in enumerate(zip(found, expected)):
        if (mine.dtype, mine.shape) != (theirs.dtype, theirs.shape):
            return f"value {number} is of another dtype or size than in {name}"
        same = torch.equal(mine, theirs) if exact else torch.allclose(mine, theirs, **TOLERANCE, equal_nan=True)
        if not same:
            return f"value {number} of {len(found)} differs from {name} by {(mine.double() - theirs.double()).abs().max()}"
    return None


def not_compiled(name):
    """Why torch.compile does not compile it as a whole; None if it does."""
    torch._dynamo.reset()
    try:
        played(name, lambda module: torch.compile(module, backend="eager", fullgraph=True))
    except Exception as problem:  # noqa: BLE001 - a line of the table
        return str(problem).strip().splitlines()[0]
    return None


def described(name):
    import refusals

    make, training = models()[name]
    made = make()
    with made.mode():
        calls = [Call(*one) for one in made.calls()]
    try:
        with torch.set_grad_enabled(training), made.mode():
            programs = refusals.described(made.called(), *calls)["programs"]
    except CaptureError as problem:
        return refused(name, problem)
    lacks = [f"its {part} are empty" for part in ("tests", "inputs", "returned") if not all(program[part] for program in programs if "graph" in program)]
    lacks += [f"{len(programs)} graphs for {len(calls)} calls"] if len(programs) != len(calls) else []
    return ("different" if lacks else "described"), len(programs), lacks


def refused(name, problem):
    why = not_compiled(name)
    return ("uncompiled", 0, [why]) if why else ("refused", 0, str(problem).splitlines())


def tried(name):
    from wrapgen_torch.ahead.recurrent import traced

    make, training = models()[name]
    with tempfile.TemporaryDirectory(prefix="load-models-") as folder, contextlib.closing(Child(name, folder)) as child:
        made = make()
        try:
            with torch.set_grad_enabled(training), made.mode():
                report = build(made.called(), lambda: [Call(*one) for one in made.calls()], f"{folder}/built", load=True)
        except CaptureError as problem:
            return refused(name, problem)
        torch._dynamo.reset()
        with traced():
            compiled = played(name, torch.compile)
        found = child.values()
        told = [differing("eager mode", found, played(name, lambda module: module), False), differing("torch.compile", found, compiled, True)]
        return ("different" if any(told) else "equal"), len(report), [text for text in told if text]


def outcomes():
    """name -> (status, words of the report), as outcomes.txt has them."""
    result, status, words = {}, None, None
    for line in (HERE / "outcomes.txt").read_text().splitlines():
        if line.startswith("== "):
            status, _, words = line[3:].partition(": ")
        elif line and not line.startswith("#"):
            result[line] = (status, words)
    return result


if __name__ == "__main__":
    torch.set_num_threads(1)
    sweep.PER_WORKER = 1
    sweep.SECONDS = 600
    entries = {name: (lambda name=name: ((name,), {})) for name in models()}
    if "--described" in sys.argv:
        sys.exit(sweep.main("load_models_described", entries, outcomes(), least=0, tried=described, rarer=2, forked=True))
    sys.exit(sweep.main("load_models", entries, outcomes(), least=0.9 if share() == 1 else 0, tried=tried, rarer=5, forked=True))
