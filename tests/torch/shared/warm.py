# SPDX-License-Identifier: MIT
"""Processes that find PyTorch imported. Importing it takes seconds, which a test that needs a process of its own is spared by a fork
of one that has imported it and done nothing else.

  server = Warm("child.py")     starts a process that imports the file, and nothing is called yet
  server.run("add", folder)     main("add", folder) of that file in a fork of it: (exit code, all that was printed)

Whatever main() imports or sets stays in its fork, so no run sees anything of another."""

import json
import os
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path


class Warm:
    def __init__(self, program):
        command = [sys.executable, __file__, str(program)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, *words):
        with tempfile.NamedTemporaryFile("r", prefix="warm-") as printed:
            self._process.stdin.write(json.dumps([printed.name, *words]) + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
            assert answer, "the process that imports for the others has ended"
            return int(answer), printed.read()

    def close(self):
        self._process.stdin.close()
        self._process.wait()


def _call(main, file, words):
    """In the fork: the exit code."""
    number = os.open(file, os.O_WRONLY | os.O_APPEND)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(number, 1)
    os.dup2(number, 2)
    try:
        main(*words)
    except Exception:  # noqa: BLE001 - the parent is told
        traceback.print_exc()
        return 1
    return 0


def _serve(program):
    sys.path.insert(0, str(Path(program).parent))
    main = __import__(Path(program).stem).main
    for line in iter(sys.stdin.readline, ""):
        file, *words = json.loads(line)
        child = os.fork()
        if child == 0:
            return _call(main, file, words)  # and then this interpreter ends as others do, which is part of the test
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(_serve(sys.argv[1]))
