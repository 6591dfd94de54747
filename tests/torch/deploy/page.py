# SPDX-License-Identifier: MIT
"""The tutorial, cmd/wrapgen_torch/deploying/README.md, is played as it is written: blocks after a line "`NAME`:" become files, those
that begin with ```sh are executed, one after another, in an empty folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[3]


def play(folder):
    text = (ROOT / "cmd/wrapgen_torch/deploying/README.md").read_text()
    folder.mkdir()
    tools = folder / "tools"
    tools.mkdir()
    (tools / "wrapgen-torch").write_text(f'#!/bin/sh\nPYTHONPATH={ROOT}/cmd exec {sys.executable} -m wrapgen_torch "$@"\n')
    (tools / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    for tool in tools.iterdir():
        tool.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "LIBTORCH": torch.__path__[0]}
    num_played = 0
    for name, language, block in re.findall(r"(?:^`([^`\n]+)`:\n\n)?^```([\w+]+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        if name:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(block)
        elif language == "sh":
            ended = subprocess.run(["sh", "-e", "-c", block], cwd=folder, env=environment, capture_output=True, text=True, check=False)
            assert ended.returncode == 0, block + ended.stdout + ended.stderr
            num_played += 1
    assert num_played == text.count("```sh\n") > 0, num_played
