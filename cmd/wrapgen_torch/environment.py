# SPDX-License-Identifier: MIT
"""What is around this package: the tool, the compilers, and a cache of what they make."""

import contextlib
import fcntl
import functools
import os
import shlex
import subprocess
from pathlib import Path

from .errors import CaptureError
from .progress import ran, step
from .tool import INSTALLED

HERE = Path(__file__).resolve().parent
ANY_TORCH = "WRAPGEN_ANY_TORCH"
VERSIONS = ("2.13.0", "2.14.1", "2.15.0")  # of PyTorch, that the suites were run with


def wrapgen():
    """The tool: $WRAPGEN, the one that was installed with this package, the repository's build, or the one on the PATH. It is run in other
    folders, so a path is absolute."""
    built = HERE.parent.parent / "build" / "wrapgen"
    there = [str(path) for path in (INSTALLED, built) if path.exists()]
    tool = os.environ.get("WRAPGEN") or (there or ["wrapgen"])[0]
    return os.path.abspath(tool) if os.sep in tool else tool


def tries_any_torch():
    """Is a version of PyTorch to be tried for which no suite was run?"""
    return bool(os.environ.get(ANY_TORCH))


def compiler(variable="CC", default="cc"):
    """The words of a command, "ccache gcc", as the environment has it."""
    return shlex.split(os.environ.get(variable, "")) or [default]


def run(command, folder=None):
    """What the command prints. CaptureError with all of that if it fails, or with what names the program if there is none."""
    ran(command)
    words = [str(word) for word in command]
    try:
        result = subprocess.run(words, capture_output=True, encoding="utf-8", errors="replace", cwd=folder)
    except OSError as problem:
        named = "WRAPGEN names it" if words[0] == wrapgen() else "CC and CXX name the compilers"
        raise CaptureError(f"{words[0]} cannot be run ({problem.strerror}): {named}") from problem
    if result.returncode:
        raise CaptureError(f"{Path(str(command[0])).name} ended with {result.returncode}:\n{result.stderr}{result.stdout}")
    return result.stdout


@functools.cache
def compiler_version(*command):
    """What a compiler says of itself."""
    return run([*command, "--version"])


def cache_path():
    """Where objects are kept that are compiled once for each environment: $WRAPGEN_CACHE, else wrapgen/ below $XDG_CACHE_HOME or
    ~/.cache."""
    below = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wrapgen"
    return Path(os.environ.get("WRAPGEN_CACHE") or below)


def cache_folder():
    """The same, made if it is not there."""
    folder = cache_path()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextlib.contextmanager
def locked(file, doing):
    """No other process or thread holds the file meanwhile: one makes what the other finds. `doing`: "compiles the host"."""
    with open(file, "wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with step(f"waiting for another process, which {doing}"):
                fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(lock, fcntl.LOCK_UN)  # a process that was forked meanwhile has the file open, too


def features():
    """What this CPU has, as /proc/cpuinfo spells it; None where there is no /proc/cpuinfo to ask."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            lines = [line for line in file if line.startswith(("flags", "Features"))]
    except OSError:
        return None
    return lines[0].split(":")[1].split() if lines else []


def lacking(words):
    """Which of these features, spelled like that, this CPU lacks, sorted; none where there is none to ask."""
    found = features()
    return [] if found is None else sorted(set(words) - set(found))


def put_in_place(new, folder):
    """Renames `new` to `folder`, unless another process has put the same there. `new` is a folder after that: an empty one, or as it was."""
    try:
        os.rename(new, folder)
    except OSError:
        if not folder.is_dir():
            raise
        return
    new.mkdir()
