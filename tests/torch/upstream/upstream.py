# SPDX-License-Identifier: MIT
"""PyTorch's own test suites, with a wrapper of ours at every graph that AOTAutograd compiles (first_sight.py). Each test runs twice,
in forks of this process that know nothing of each other: with PyTorch alone, and so. It is

  equal        both pass, and each graph has a wrapper of ours       uncompiled   both pass, and there is no graph
  refused      both pass, and wrapgen has refused a graph by name    different    PyTorch alone passes
  broken       a graph could not be built for another reason         absent       PyTorch alone does not pass

  upstream.py FOLDER [NAME...]    FOLDER is PyTorch's test/ (fetch.py); tests whose name contains one of the words
  upstream.py --found             what the last run found that is refused, different or broken, in the form of outcomes.txt

outcomes.txt has what is expected of those, and why. With SHARE=10, among all suites, one test in RARER times ten is tried.
"""

import contextlib
import json
import os
import re
import resource
import signal
import sys
import time
import traceback
import unittest
from pathlib import Path
from unittest.mock import patch

import expecttest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[2] / "cmd"), str(HERE.parent / "shared")]
sys.setrecursionlimit(1000)

import planted  # noqa: E402
import suites  # noqa: E402
from first_sight import FirstSight, as_built  # noqa: E402

from sweep import main  # noqa: E402

BUILD = Path(os.environ.get("BUILD", HERE.parents[2] / "build")) / "upstream"
RARER = 8
_SHOWN = 400
SECONDS = 200  # of a processor that a test may take with PyTorch alone, and half of what it may take with wrappers
WAITING = 500  # by the clock
_ENDS = {"errors": "fails", "failures": "fails", "skipped": "is skipped", "expectedFailures": "fails, as is expected there",
         "unexpectedSuccesses": "passes, which is not expected there"}  # fmt: skip


def tried(make, seconds=SECONDS):
    """A test that is tried, for main(): (status, number of graphs, lines)."""
    alone = _in_a_fork(lambda: _run(make, as_built(), None), seconds)
    if alone["end"] != "passes":
        return "absent", 0, [f"with PyTorch alone it {alone['end']}", *alone["lines"]]
    sight = FirstSight(BUILD / "graphs")

    def with_ours():
        return {**_run(make, sight.installed(), alone["texts"]), "graphs": [sight.built, sight.refused, sight.broken]}

    ours = _in_a_fork(with_ours, 2 * seconds)
    built, refused, broken = ours.get("graphs", (0, [], []))
    graphs = built + len(refused) + len(broken)
    if broken:
        return "broken", graphs, _lines(broken)
    if ours["end"] != "passes":
        return "different", graphs, [f"it {ours['end']}", *ours["lines"], *(f"refused: {why}" for why in refused)]
    if refused:
        return "refused", graphs, sorted(set(refused))
    return ("equal" if graphs else "uncompiled"), graphs, []


def _lines(texts):
    return [line for text in texts for line in text.splitlines()]


def _run(make, around, texts):
    """How a test ends: {"end": a word, "lines": what it says, "texts": what it holds to a text}."""
    result, expects = unittest.TestResult(), _Texts(texts)
    with around, patch.object(expecttest.TestCase, "assertExpectedInline", expects.check):
        unittest.TestSuite([make()]).run(result)  # a suite, since some classes set up something for all of their tests
    for name, word in _ENDS.items():
        for one in getattr(result, name):
            return {"end": word, "lines": _what_was_said(one[1] if isinstance(one, tuple) else "")}
    return {"end": "passes", "lines": [], "texts": expects.found}


class _Texts:
    """Texts are graphs, most of all, and each version of PyTorch writes them in another way. So they must be those that PyTorch alone
    has, and not those in the test."""

    def __init__(self, wanted):
        self._wanted = wanted
        self.found = []

    @property
    def check(self):
        def assert_expected_inline(case, actual, expect, skip=0):
            number = len(self.found)
            self.found.append(actual)
            if self._wanted is not None:
                case.assertEqual(actual, self._wanted[number] if number < len(self._wanted) else None)

        return assert_expected_inline


def _what_was_said(text):
    """The exception of a traceback, which may be long, as a line."""
    text = re.split(r"\n+To execute this test, run|\n+Set TORCHDYNAMO_VERBOSE|\n+To suppress this error", text)[0]
    lines = text.splitlines()
    places = [number for number, line in enumerate(lines) if line.startswith("  File ")]
    said = lines[places[-1] + 1 :] if places else lines
    while said and said[0].startswith("    "):
        said = said[1:]
    whole = " ".join(" ".join(said or lines).split())
    return [whole if len(whole) <= 2 * _SHOWN else f"{whole[:_SHOWN]} ... {whole[-_SHOWN:]}"]


def _in_a_fork(run, seconds):
    """What `run` returns in a process of its own, or how that died. `seconds`: of a processor that it may take."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(receive)
        os.setsid()
        _limit(seconds)
        try:
            answer = run()
        except BaseException as problem:  # noqa: BLE001 - a line of the table
            answer = {"end": "does not end as a test does", "lines": traceback.format_exception_only(problem)}
        with os.fdopen(send, "w") as file:
            file.write(json.dumps(answer))
        sys.stderr.flush()
        os._exit(0)
    os.close(send)
    with os.fdopen(receive) as file:
        text = file.read()
    _, status = os.waitpid(child, 0)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # what it has started and left
    if text:
        return json.loads(text)
    number = os.waitstatus_to_exitcode(status)
    return {"end": f"dies ({signal.Signals(-number).name if number < 0 else number})", "lines": []}


def _limit(seconds):
    """Ends this process when it has taken so long of a processor, or waits too long."""
    for one in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(one, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(WAITING)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def expected(names):
    """name -> (status, words that the report has), from outcomes.txt."""
    found, section = {}, None
    for number, line in enumerate((HERE / "outcomes.txt").read_text().splitlines(), 1):
        if line.startswith("== "):
            status, _, words = line[3:].partition(": ")
            section = (status, words)
        elif line and not line.startswith("#"):
            assert section and line in names and line not in found, f"outcomes.txt:{number}: no such test, or twice: {line}"
            found[line] = section
    return found


def found_last():
    """What the last run found, in the form of outcomes.txt."""
    sections = {}
    for line in (BUILD.parent / "torch" / "upstream.jsonl").read_text().splitlines():
        answer = json.loads(line)
        if answer["status"] in ("refused", "different", "broken"):
            words = " | ".join(answer["lines"])
            sections.setdefault(f"== {answer['status']}: {words}", []).append(answer["name"])
    return "\n\n".join("\n".join([words, *sorted(names)]) for words, names in sorted(sections.items()))


def _warm():
    """What PyTorch does once in a process, so that each fork need not."""
    import torch
    from wrapgen_torch.extension import TorchHost

    TorchHost.get()  # it may take longer to compile than a test may
    model = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.Softmax(1))
    for back_end in ("eager", "aot_eager", "inductor"):
        torch.compile(model, backend=back_end)(torch.ones(16, 16, requires_grad=True)).sum().backward()
        torch._dynamo.reset()


if __name__ == "__main__":
    if sys.argv[1:] == ["--found"]:
        sys.exit(print(found_last()))
    folder = Path(sys.argv.pop(1))
    (BUILD / "graphs").mkdir(parents=True, exist_ok=True)
    begin = time.process_time()
    made = suites.tests_of(folder)
    _warm()
    planted.check(tried)
    print(f"# {len(made)} tests, imported in {time.process_time() - begin:.0f} s")
    entries = {name: lambda make=make: ((make,), {}) for name, make in made.items()}
    sys.exit(main("upstream", entries, expected(entries), least=0.2, tried=tried, rarer=RARER, forked=True))
