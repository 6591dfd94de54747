# SPDX-License-Identifier: MIT
"""The page for users: its program does what it says."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

_PACKAGES = Path(__file__).resolve().parents[3] / "cmd"


def test_page():
    page = (_PACKAGES / "wrapgen_torch" / "README.md").read_text()
    section = page.split("## In torch.compile\n")[1].split("\n## ")[0]
    (program,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "program.py").write_text(program)
        environment = {**os.environ, "PYTHONPATH": str(_PACKAGES)}
        command = [sys.executable, "-W", "ignore", "program.py"]
        ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        assert ran.stdout.startswith("1 hits, 0 misses\nhit   step (program.py): graph "), ran.stdout
