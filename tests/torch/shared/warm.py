# SPDX-License-Identifier: MIT
"""Processes that find PyTorch imported. Importing it takes seconds, which a test that needs a process of its own is spared by a fork
of one that has imported it and done nothing else.

  server = Warm("child.py")     starts a process that imports the file, and nothing is called yet
  server.run("add", folder)     main("add", folder) of that file in a fork of it: all that was printed

A fork in which main() does not return, or which then does not end with 0, is an AssertionError with what it printed. Whatever main()
imports or sets stays in its fork, so no run sees anything of another. test_warm.py plants what can go wrong."""

import contextlib
import faulthandler
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

_RETURNED = "main() has returned\n"  # ends what a fork prints: one that exits half-way with 0 has not done what it was asked


class Warm:
    def __init__(self, program, seconds=600):
        """No fork may take more seconds than that."""
        command = [sys.executable, __file__, str(program), str(seconds)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, *words):
        with tempfile.NamedTemporaryFile("r", prefix="warm-", errors="replace") as printed:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.write(json.dumps([printed.name, *words]) + "\n")
                self._process.stdin.flush()
            answer = self._process.stdout.readline()
            text = printed.read()
        assert answer, f"the process that imports for the others has ended with {self._process.wait()}"
        assert answer == "0\n", f"exit code {answer}{text}"
        returned = text.count(_RETURNED)
        assert returned == 1, f"exit code 0, but main() has returned {returned} times\n{text}"
        return text.replace(_RETURNED, "")

    def close(self):
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()


def _call(main, file, words, seconds):
    """In the fork: the exit code."""
    number = os.open(file, os.O_WRONLY | os.O_APPEND)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(number, 1)
    os.dup2(number, 2)
    sys.stdout.reconfigure(line_buffering=True)  # what was printed before a signal is there
    faulthandler.enable()
    signal.alarm(seconds)
    try:
        main(*words)
    except Exception:  # noqa: BLE001 - the parent is told
        traceback.print_exc()
        return 1
    os.write(number, _RETURNED.encode())
    return 0


def _serve(program, seconds):
    sys.path.insert(0, str(Path(program).parent))
    main = __import__(Path(program).stem).main
    for line in iter(sys.stdin.readline, ""):
        file, *words = json.loads(line)
        child = os.fork()
        if child == 0:
            return _call(main, file, words, int(seconds))  # and then this interpreter ends as others do, which is part of the test
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(_serve(*sys.argv[1:]))
