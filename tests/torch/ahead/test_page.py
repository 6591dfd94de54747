# SPDX-License-Identifier: MIT
"""The pages for users: their programs do what they say.

Of the tutorial every block is used, in order, in one folder: Python goes into the file that its first line names, commands are run, and
what they print is the text after them, where numbers and hashes may differ from machine to machine."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

_PACKAGES = Path(__file__).resolve().parents[3] / "cmd"
_PAGES = _PACKAGES / "wrapgen_torch"


def _run(command, folder):
    environment = {**os.environ, "PYTHONPATH": str(_PACKAGES)}
    ran = subprocess.run([sys.executable, "-W", "ignore", *command], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def _comparable(text):
    text = re.sub(r"(\d+ min )?\d+ s:", "TIME:", re.sub(r"\d+\.\d+", "NUMBER", text))
    return re.sub(r"\b[0-9a-f]{16}\b", "HASH", text)


def test_tutorial():
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", (_PAGES / "README.md").read_text(), re.DOTALL | re.MULTILINE)
    printed, losses = None, []
    with tempfile.TemporaryDirectory() as folder:
        for language, text in blocks:
            if language == "python":
                name = re.match(r"# (\w+\.py)\n", text)[1]
                (Path(folder) / name).write_text(text)
            elif language == "sh":
                (command,) = text.splitlines()
                assert command.startswith("python "), command
                printed = _run(command.split()[1:], folder)
                losses += re.findall(r"^loss (.*)$", printed, re.MULTILINE)
            else:
                assert language == "text", language
                assert _comparable(printed) == _comparable(text), printed
    assert len(losses) == 3 and len(set(losses)) == 1, losses  # to the last digit: the same program, however it is called


def test_reference():
    section = (_PAGES / "REFERENCE.md").read_text().split("## In torch.compile\n")[1].split("\n## ")[0]
    (program,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "program.py").write_text(program)
        printed = _run(["program.py"], folder)
        assert printed.startswith("1 hits, 0 misses\nhit   step (program.py): graph "), printed
