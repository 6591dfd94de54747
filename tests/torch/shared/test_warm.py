# SPDX-License-Identifier: MIT
"""What can go wrong in a fork of warm.py, planted: each must be a failure that says what it was, and the next fork runs all the same."""

import contextlib
import tempfile
import time
from pathlib import Path

from warm import Warm

# What main() does, and the words that its failure has.
PLANTED = {
    "raises": ("raise ValueError('not what it was')", ["exit code 1", "ValueError: not what it was"]),
    "fails an assertion": ("print('not ok 1 - add')\nassert 1 == 2, 'one is not two'", ["exit code 1", "not ok 1 - add", "one is not two"]),
    "exits with another code": ("sys.exit(3)", ["exit code 3"]),
    "exits with words": ("sys.exit('that is all')", ["exit code 1", "that is all"]),
    "exits with 0 half-way": ("print('begun')\nsys.exit(0)\nprint('done')", ["main() has returned 0 times", "begun"]),
    "leaves without a word": ("os._exit(0)", ["main() has returned 0 times"]),
    "dies by a signal": ("print('begun')\nos.kill(os.getpid(), signal.SIGKILL)", ["exit code -9", "begun"]),
    "reads what is not its own": ("import ctypes\nprint('begun')\nctypes.string_at(0)", ["exit code -11", "begun", "Segmentation fault", "in string_at"]),
    "aborts after it has returned": ("import atexit\natexit.register(os.abort)", ["exit code -6"]),
    "never ends": ("print('begun')\nwhile True: pass", ["exit code -14", "begun"]),
    "never ends after it has returned": ("import atexit, time\natexit.register(time.sleep, 1000)", ["exit code -14"]),
    "closes its output half-way": ("print('begun')\nsys.stdout.close()\nprint('done')", ["exit code 1", "begun", "closed file"]),
    "loses its output": ("import atexit\natexit.register(os.truncate, os.readlink('/proc/self/fd/1'), 0)", ["main() has returned 0 times"]),
    "returns twice": ("if os.fork() != 0: os.wait()", ["main() has returned 2 times"]),
    "ends the process that forks": ("os.kill(os.getppid(), signal.SIGKILL)", ["has ended with -9"]),
}
CHILD = """
import os, signal, sys
SEEN = []
def main(*words):
    assert not SEEN and 'PLANTED' not in os.environ, 'something of another run'
    SEEN.append(words)
    os.environ['PLANTED'] = 'yes'
"""


@contextlib.contextmanager
def warm(body, seconds=1):
    with tempfile.TemporaryDirectory(prefix="warm-") as folder:
        program = Path(folder, "planted.py")
        program.write_text(CHILD + "".join(f"    {line}\n" for line in body.splitlines()))
        server = Warm(program, seconds)
        try:
            yield server
        finally:
            server.close()


def said(server, *words):
    try:
        return "printed: " + server.run(*words)
    except AssertionError as problem:
        return str(problem)


def test_what_is_printed_comes_back():
    with warm("print(*words)\nos.system('echo and by a process of its own')\nprint('last', file=sys.stderr, end='')") as server:
        for words in (("a b", "c"), ("ü",), ()):
            assert server.run(*words) == " ".join(words) + "\nand by a process of its own\nlast"


def test_nothing_is_seen_of_another_run():
    with warm("pass") as server:
        assert [said(server), said(server)] == ["printed: ", "printed: "]


def test_it_ends_in_time():
    begin = time.monotonic()
    with warm("while True: pass", seconds=1) as server:
        said(server)
    assert time.monotonic() - begin < 100


def _fails(body, words):
    def test():
        with warm(f"if words:\n    print('well')\n    return\n{body}") as server:
            found = said(server)
            assert all(word in found for word in words), found
            after = said(server, "and then")
            ended = "has ended" in found
            assert ("has ended" in after) if ended else after == "printed: well\n", after

    return test


def test_a_file_that_cannot_be_imported():
    with warm("pass\nraise SyntaxError at once") as server:
        assert "has ended with 1" in said(server)


for _name, (_body, _words) in PLANTED.items():
    globals()[f"test_a_fork_that_{_name.replace(' ', '_')}"] = _fails(_body, _words)
