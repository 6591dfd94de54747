# SPDX-License-Identifier: MIT
"""What takes long says what it does: on a terminal, elsewhere, loudly and quietly; and a build ends with what it built."""

import contextlib
import io
import os
import pty
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from unittest.mock import patch

from wrapgen_torch import progress

_CMD = Path(__file__).resolve().parents[3] / "cmd"
_ERASE = "\r\033[K"
_PROGRAM = '''"""A product."""
import torch
from wrapgen_torch import Case

print("the program's own line")

def product(x, y):
    return x * y

def case():
    return Case(function=product, calls=[("only", (torch.ones(4), torch.ones(4)))], grad_mode=False, fullgraph=False)
'''
_LIBRARY = """
import sys, torch, wrapgen_torch
wrapgen_torch.build(lambda x: x + 1, lambda: (torch.ones(2),), "other", inner="aot_eager", progress=eval(sys.argv[1]))
"""


def _run(folder, *words, terminal=False):
    """(stdout, stderr) of Python with these arguments. `terminal`: stderr is one."""
    environment = {**os.environ, "PYTHONPATH": str(_CMD), "TERM": "xterm"}
    reader, writer = pty.openpty() if terminal else os.pipe()
    read = []

    def read_all():
        with contextlib.suppress(OSError):  # how a terminal ends
            while part := os.read(reader, 65536):
                read.append(part)

    thread = threading.Thread(target=read_all)
    thread.start()
    ran = subprocess.Popen([sys.executable, "-W", "ignore", *words], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=writer, text=True)
    os.close(writer)
    printed = ran.stdout.read()
    thread.join()
    os.close(reader)
    said = re.sub(r"[IWE]\d{4} [^\n]*torch/[^\n]*\n", "", b"".join(read).decode())  # PyTorch's own log: 2.14 misses Triton
    assert ran.wait() == 0, printed + said
    return printed, said


def _built(folder, *words, terminal=False):
    Path(folder, "program.py").write_text(_PROGRAM)
    return _run(folder, "-m", "wrapgen_torch", "build", "program.py", "--inner", "aot_eager", "--out", "built", *words, terminal=terminal)


def test_a_build_ends_with_what_was_built():
    with tempfile.TemporaryDirectory() as folder:
        printed, said = _built(folder)
        files = [path for path in Path(folder, "built").rglob("*") if path.is_file() and path.name != ".lock"]
        size = sum(path.stat().st_size for path in files)
        found = re.search(r"^built 1 of 1 graphs in \d+ s: built, (\d+) files, ([\d.]+) MB\nbuilt +product \(program.py\): graph [0-9a-f]{16}\n"
                          r"next: torch\.compile\(function, backend=wrapgen_torch\.backend\('built'\)\)\n", printed, re.MULTILINE)  # fmt: skip
        assert found and int(found[1]) == len(files) and abs(float(found[2]) * 1e6 - size) <= 5e4, printed + repr((len(files), size))
        lines = said.splitlines()
        assert lines and all(line.startswith("wrapgen-torch: ") for line in lines) and "\033" not in said, said


def test_a_terminal_has_one_line_that_is_erased():
    with tempfile.TemporaryDirectory() as folder:
        _, said = _built(folder, terminal=True)
        assert f"{_ERASE}wrapgen-torch: importing PyTorch, " in said, said
        assert re.search(r"graph 1, product \(program.py\): compiling its kernels with aot_eager, \d+ s|comparing a call of product", said), said
        assert "\n" not in said and said.endswith(_ERASE), said


def test_quiet_and_verbose():
    with tempfile.TemporaryDirectory() as folder:
        printed, said = _built(folder, "-q")
        assert said == "" and "built" not in printed, said + printed
        printed, said = _built(folder, "-v")
        assert re.search(r"^wrapgen-torch: \$ .*wrapgen .*--host torch", said, re.MULTILINE), said
        assert re.search(r"^wrapgen-torch: compiling wrappers: 1 of 1, \d+ s: done$", said, re.MULTILINE), said


def test_verbose_says_a_step_once():
    """Not again as what is done meanwhile, until that takes long."""
    stream = io.StringIO()
    with patch.object(progress, "_REDRAWN", 0.001), patch.object(sys, "stderr", stream):
        with progress.shown(progress.VERBOSE), progress.step("one"):
            time.sleep(0.05)
            with progress.step("two"):
                time.sleep(0.05)
    lines = [re.sub(r", \d+ s", "", line) for line in stream.getvalue().splitlines()]
    assert lines == [f"wrapgen-torch: {words}" for words in ("one", "two", "two: done", "one: done")], stream.getvalue()


def test_a_library_call_says_nothing_in_a_log():
    with tempfile.TemporaryDirectory() as folder:
        assert _run(folder, "-c", _LIBRARY, "None") == ("", "")
        assert "wrapgen-torch: graph 1, " in _run(folder, "-c", _LIBRARY, "True")[1]
        assert f"{_ERASE}wrapgen-torch: " in _run(folder, "-c", _LIBRARY, "None", terminal=True)[1]  # which step it shows depends on their times
        silent = _run(folder, "-c", _LIBRARY, "False", terminal=True)
        assert silent == ("", ""), silent


class _Terminal(io.StringIO):
    def isatty(self):
        return True


def _screen(text):
    """What a terminal shows in the end, and what it has shown at any time of its last line."""
    lines, shown = [""], []
    for part in re.findall(r"\r\033\[K|\n|[^\r\n]+", text):
        if part == _ERASE:
            lines[-1] = ""
        elif part == "\n":
            lines.append("")
        else:
            lines[-1] += part
            shown.append(lines[-1])
    return lines, shown


def test_others_may_write_to_the_terminal():
    """A line of theirs begins on a line of its own, and what they have not ended is not erased."""
    terminal = _Terminal()
    with patch.dict(os.environ, {"TERM": "xterm"}), patch.object(sys, "stderr", terminal), progress.shown(), progress.step("waiting"):
        time.sleep(3 * progress._REDRAWN)
        print("theirs", file=sys.stderr)
        time.sleep(3 * progress._REDRAWN)
        print("begun", end="", file=sys.stderr)
        time.sleep(3 * progress._REDRAWN)
        print(", ended", file=sys.stderr)
        time.sleep(3 * progress._REDRAWN)
    lines, shown = _screen(terminal.getvalue())
    assert lines == ["theirs", "begun, ended", ""], lines
    assert sum(one.startswith("wrapgen-torch: waiting, ") for one in shown) >= 3, shown
    assert not progress._displays and sys.stderr is not terminal


def test_plain_lines_are_few():
    log = io.StringIO()
    with patch.object(sys, "stderr", log), patch.object(progress, "_PAUSE", 0.5), progress.shown(True):
        begun = time.monotonic()
        while time.monotonic() - begun < 1.7:
            with progress.step("many", 1000) as one:
                one.advance()
                time.sleep(0.01)
    lines = log.getvalue().splitlines()
    assert 1 <= len(lines) <= 4 and lines[0].startswith("wrapgen-torch: many: "), lines


def _said_unasked():
    log = io.StringIO()
    with patch.object(sys, "stderr", log), progress.shown(), progress.step("many", 3):
        pass
    return log.getvalue()


def test_notebooks_are_told():
    """Where stderr is not a terminal a program says nothing unasked. A person reads what a notebook says, though that is not a terminal either."""
    assert _said_unasked() == ""
    with patch.object(sys, "ps1", "In : ", create=True):
        assert _said_unasked() == "wrapgen-torch: many: 0 of 3, 0 s\n"


def test_steps_of_threads_are_shown_together():
    log, inner, outer = io.StringIO(), threading.Event(), threading.Event()

    def other():
        with progress.step("theirs", 7) as one:
            one.advance()
            inner.set()
            outer.wait()

    with patch.object(sys, "stderr", log), patch.object(progress, "_PAUSE", 0), progress.shown(True), progress.step("around"):
        with progress.step("ours"):
            thread = threading.Thread(target=other)
            thread.start()
            inner.wait()
            time.sleep(3 * progress._REDRAWN)
            outer.set()
            thread.join()
    assert re.search(r"^wrapgen-torch: ours, 0 s; theirs: 1 of 7, 0 s$", log.getvalue(), re.MULTILINE), log.getvalue()


def test_what_is_asked_for_is_known():
    try:
        with progress.shown("loud"):
            pass
    except ValueError as problem:
        assert "'verbose', not 'loud'" in str(problem), problem
    else:
        raise AssertionError("it is shown")
