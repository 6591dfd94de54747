# SPDX-License-Identifier: MIT
"""Which suites were run with which PyTorch under which Python, and how they ended: results.txt, and the table that it makes in
cmd/wrapgen_torch/README.md; and the table there of what was built with one PyTorch and run with another, of ../pairs/pairs.txt.

  table.py --record [FOLDER...]    takes over how the suites ended whose logs are in these build folders (build/torch-2.14.1, build/torch-py3.12;
                                   without one, in all of them), and writes the tables
  table.py                         writes both tables

A line of results.txt is one run of a suite: PyTorch, Python, suite, passed, failed, skipped, commit. A newer run of the same replaces it.
"""

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
RESULTS = HERE / "results.txt"
PAGE = ROOT / "cmd/wrapgen_torch/README.md"
PAIRS = HERE.parent / "pairs/pairs.txt"
END = "<!-- end of the table -->\n"
_CLOSING = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped\n*\Z", re.M)
USUAL = re.search(r"^torch==(.*)$", (ROOT / "cmd/wrapgen_torch/requirements.txt").read_text(), re.M)[1]


def results(text=None):
    """(PyTorch, Python, suite) -> (passed, failed, skipped, commit)."""
    lines = [line.split() for line in (RESULTS.read_text() if text is None else text).splitlines() if line and not line.startswith("#")]
    return {tuple(words[:3]): (*map(int, words[3:6]), words[6]) for words in lines}


def _numbers(version):
    return tuple(map(int, version.split(".")))


def _cell(result):
    if result is None:
        return ""
    passed, failed, skipped, _ = result
    more = [f"{count} {word}" for count, word in ((failed, "failed"), (skipped, "skipped")) if count]
    return ", ".join([str(passed), *more])


def table(found):
    """Of results, in Markdown."""
    suites = sorted({suite for _, _, suite in found})
    rows = sorted({key[:2] for key in found}, key=lambda row: [*map(_numbers, row)])
    lines = [["PyTorch", "Python", *suites], ["---"] * (2 + len(suites))]
    lines += [[torch, python, *(_cell(found.get((torch, python, suite))) for suite in suites)] for torch, python in rows]
    return "".join(f"| {' | '.join(line)} |\n".replace("|  |", "| |").replace("|  |", "| |") for line in lines)


def pairs():
    """(built with, run with) -> what works."""
    lines = [line.split(" ", 2) for line in PAIRS.read_text().splitlines() if line and not line.startswith("#")]
    return {(built, run): works for built, run, works in lines}


def table_of_pairs(found):
    versions = sorted({built for built, _ in found}, key=_numbers)
    lines = [["built with", *(f"run with {run}" for run in versions)], ["---"] * (1 + len(versions))]
    lines += [[built, *(found[built, run].replace(" ", ", ") for run in versions)] for built in versions]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def page_with(text, name, made):
    """The page with `made` in place of the table that table.py makes of the file `name`."""
    begin = f"<!-- tests/torch/versions/table.py makes this table of {name} -->\n"
    before, rest = text.split(begin)
    return before + begin + made + END + rest.split(END, 1)[1]


def page():
    """As it should be."""
    return page_with(page_with(PAGE.read_text(), RESULTS.name, table(results())), PAIRS.name, table_of_pairs(pairs()))


def _recorded(folder):
    """What a build folder has, under the versions that its virtual environment has."""
    venv = ROOT / f".venv{folder.name.removeprefix('torch')}"
    python = re.search(r"^version = (\d+\.\d+)", (venv / "pyvenv.cfg").read_text(), re.M)[1]
    (said,) = venv.glob("lib/python*/site-packages/torch/version.py")
    torch = re.search(r"^__version__ = '([\d.]+)", said.read_text(), re.M)[1]
    commit = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    for log in sorted(folder.glob("tests/logs/torch-*.log")):
        closing = _CLOSING.search(log.read_text(errors="replace"))
        if closing:  # else it has not ended, or died
            yield (torch, python, log.stem.removeprefix("torch-")), (*map(int, closing.groups()), commit)


def main(arguments):
    found = results()
    if arguments[:1] == ["--record"]:
        folders = [Path(name).resolve() for name in arguments[1:]] or sorted(ROOT.glob("build/torch-*"))
        for folder in folders:
            found.update(_recorded(folder))
        head = [line for line in RESULTS.read_text().splitlines() if line.startswith("#")]
        ordered = sorted(found, key=lambda key: (_numbers(key[0]), _numbers(key[1]), key[2]))
        RESULTS.write_text("\n".join([*head, *(" ".join(map(str, (*key, *found[key]))) for key in ordered)]) + "\n")
    PAGE.write_text(page())


if __name__ == "__main__":
    main(sys.argv[1:])
