# SPDX-License-Identifier: MIT
"""`wrapgen-torch doctor`: what a build needs and what is there, one fact a line, and what to do about each that is missing. It compiles
small programs, since a compiler that is there may lack what it needs; it changes nothing, and makes no cache."""

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import warnings
from pathlib import Path

from .environment import ANY_TORCH, VERSIONS, cache_path, compiler, tries_any_torch, wrapgen
from .errors import first_line
from .progress import size_of

OLDEST_PYTHON = (3, 10)
_MINUTES = 60  # seconds after which something that should take one is stuck

_PROGRAMS = {
    "C": ("c", "-std=c11", '#include <stdint.h>\nint32_t probe(void) { return sizeof "probe"; }\n'),
    "C++": ("cpp", "-std=c++20", "#include <span>\n#include <vector>\nint probe(std::span<int> x) { return std::vector<int>(x.begin(), x.end())[0]; }\n"),
}


class Missing(Exception):
    """What is wrong, and what to do, as two texts."""


def main(arguments):
    parser = argparse.ArgumentParser(
        prog="wrapgen-torch doctor",
        description="Say what is installed, what is missing and what to do about it. The exit status is 0 only if a build would work.",
    )
    parser.parse_args(arguments)
    warnings.filterwarnings("ignore", module=r"torch\.")  # that there is no NumPy, which nothing here needs
    missing = 0
    for name, check, is_needed in _CHECKS:
        try:
            print(f"ok: {name}: {check()}", flush=True)
        except Missing as problem:
            what, todo = problem.args
            missing += is_needed
            print(f"{'missing' if is_needed else 'note'}: {name}: {what}; {todo}", flush=True)
    if missing:
        print(f"a build would not work: {missing} {'thing is' if missing == 1 else 'things are'} missing")
        return 1
    print("a build would work")
    return 0


def _python():
    found = sys.version_info[:2]
    if found < OLDEST_PYTHON:
        raise Missing(f"{sys.version.split()[0]} ({sys.executable}) is too old", f"use {'.'.join(map(str, OLDEST_PYTHON))} or later")
    return f"{sys.version.split()[0]} ({sys.executable})"


def _python_header():
    header = Path(sysconfig.get_paths()["include"]) / "Python.h"
    if not header.is_file():
        raise Missing(f"there is no {header}", f"install Python's headers, on Debian: apt install python{sys.version_info[0]}.{sys.version_info[1]}-dev")
    return str(header)


def _torch():
    known = ", ".join(VERSIONS)
    todo = f"pip install torch=={VERSIONS[0]}, on a machine without a GPU with --index-url https://download.pytorch.org/whl/cpu"
    try:
        import torch
    except ImportError as problem:
        raise Missing(f"cannot be imported ({first_line(problem)})", todo) from problem
    version = torch.__version__.split("+")[0]
    if version in VERSIONS:
        return f"{torch.__version__}, one of {known}"
    if tries_any_torch():
        return f"{torch.__version__}, none of {known}, tried all the same as {ANY_TORCH} is set"
    raise Missing(f"{torch.__version__} is none of {known}", todo)


def _compiler(language, variable, default, package):
    suffix, standard, program = _PROGRAMS[language]
    command = compiler(variable, default)
    install = f"install one, on Debian: apt install {package}; or set {variable} to the command of another"
    if shutil.which(command[0]) is None:
        raise Missing(f"{command[0]} is not in PATH", install)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / f"probe.{suffix}"
        source.write_text(program, encoding="utf-8")
        said = _run([*command, standard, "-shared", "-fPIC", "-o", source.with_suffix(".so"), source])
    if said is not None:
        raise Missing(f"{' '.join(command)} cannot compile {standard[5:]} to a shared library ({said})", install)
    return f"{' '.join(command)}, {_version_of(command)}"


def _version_of(command):
    return first_line(subprocess.run([*command, "--version"], capture_output=True, encoding="utf-8", errors="replace", check=False).stdout)


def _run(command):
    """None if it works, else a line that says why not."""
    try:
        result = subprocess.run([str(word) for word in command], capture_output=True, encoding="utf-8", errors="replace", timeout=_MINUTES, check=False)
    except (OSError, subprocess.TimeoutExpired) as problem:
        return first_line(problem)
    if result.returncode == 0:
        return None
    lines = result.stderr.splitlines() or [f"it ended with {result.returncode}"]
    return next((line for line in lines if "error" in line), lines[0]).strip()


def _tool():
    tool = wrapgen()
    todo = "run 'make' in the repository, or pip install ./cmd, or set WRAPGEN to its path"
    found = shutil.which(tool)
    if found is None:
        raise Missing(f"{tool} is not there" if "/" in tool else f"{tool} is not in PATH", todo)
    said = _run([found, "--version"])
    if said is not None:
        raise Missing(f"{found} does not run ({said})", todo)
    return f"{_version_of([found])} ({found})"


def _cache():
    folder = cache_path()
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as problem:
        raise Missing(f"{folder} cannot be written ({there}: {problem.strerror})", "set WRAPGEN_CACHE to a folder of yours") from problem
    return f"{folder}, {size_of(folder) if folder.is_dir() else 'not made yet'}"


def _host():
    """Asked last: it needs all that the other checks look at."""
    for check in (_python_header, _torch, _c, _cpp, _tool, _cache):
        try:
            check()
        except Missing as problem:
            raise Missing("cannot be built yet", "see what is missing above") from problem
    from .extension import built_host

    library = built_host()
    if library is None:
        raise Missing("is not compiled for this PyTorch, Python and compiler", "the first build does it, in half a minute, or wrapgen-torch prepare ahead of it")
    return str(library)


def _cmake():
    if shutil.which("cmake") is None:
        raise Missing("is not in PATH", "only the programs of 'wrapgen-torch deploy' need it, on Debian: apt install cmake")
    said = _run(["cmake", "--version"])
    if said is not None:
        raise Missing(f"does not run ({said})", "only the programs of 'wrapgen-torch deploy' need it")
    return _version_of(["cmake"])


def _c():
    return _compiler("C", "CC", "cc", "gcc")


def _cpp():
    return _compiler("C++", "CXX", "c++", "g++")


# What each fact is called, what finds it, and whether a build needs it.
_CHECKS = (
    ("Python", _python, True),
    ("Python.h", _python_header, True),
    ("PyTorch", _torch, True),
    ("C compiler", _c, True),
    ("C++ compiler", _cpp, True),
    ("wrapgen", _tool, True),
    ("cache", _cache, True),
    ("host torch", _host, False),
    ("cmake", _cmake, False),
)
