# SPDX-License-Identifier: MIT
"""Workers of sweep.py that are forks: each program has an answer, whatever it does to its worker, and the others have theirs."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = """
import os, signal, sys, time
sys.path.insert(0, {shared!r})
import sweep
HERE = os.getpid()
DONE = {{
    "prints": lambda: print("not an answer"),
    "is killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "raises": lambda: 1 / 0,
    "leaves": lambda: os._exit(0),
    "is a fork": lambda: None if os.getppid() == HERE else 1 / 0,
}}
def tried(name):
    DONE[name]()
    return "equal", 1, []
entries = {{f"{{name}} {{number}}": lambda name=name: ((name,), {{}}) for name in DONE for number in range(3)}}
expected = {{f"{{name}} {{number}}": (status, words) for number in range(3) for name, status, words in
            [("is killed", "died", "exit status -9"), ("leaves", "died", "exit status 0"), ("raises", "failed", "ZeroDivisionError")]}}
sys.exit(sweep.main("swept", entries, expected, 0.1, tried=tried, forked=True))
"""


def test_forked_workers():
    with tempfile.TemporaryDirectory(prefix="sweep-") as folder:
        program = Path(folder, "program.py")
        program.write_text(PROGRAM.format(shared=str(Path(__file__).parent)))
        for jobs in ("1", "3"):  # with several, each inherits the ends of the others' pipes
            environment = {**os.environ, "BUILD": folder, "JOBS": jobs, "SHARE": "1"}
            ended = subprocess.run([sys.executable, program], capture_output=True, text=True, env=environment, timeout=120)
            assert ended.returncode == 0 and "16 passed, 0 failed" in ended.stdout, ended.stdout + ended.stderr
