# SPDX-License-Identifier: MIT
"""wrapgen-torch doctor: what it says of this environment, and of ones in which something is missing: its exit status is 0 only where a
build would work."""

import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

_CMD = Path(__file__).resolve().parents[3] / "cmd"
_NAMES = ["Python", "Python.h", "PyTorch", "C compiler", "C++ compiler", "wrapgen", "cache", "host torch", "cmake"]


@contextlib.contextmanager
def _folder():
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def _doctor(*flags, path=None, **environment):
    """(exit status, {name: (word, text)}, the last line). `path`: comes before all else that Python imports."""
    program = "import sys; sys.path[:0] = [*sys.argv[1:]]; sys.argv[1:] = []; from wrapgen_torch.cli import main; sys.exit(main(['doctor']))"
    words = [sys.executable, *flags, "-c", program, *([str(path)] if path else []), str(_CMD)]
    ran = subprocess.run(words, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    assert ran.stderr == "", ran.stderr
    *facts, last = ran.stdout.splitlines()
    assert all(line.startswith(("ok: ", "missing: ", "note: ")) for line in facts), ran.stdout
    found = {name: (word, text) for word, name, text in (line.split(": ", 2) for line in facts)}
    assert list(found) == _NAMES, ran.stdout
    return ran.returncode, found, last


def _lacks(name, what, todo, *flags, alone=True, **options):
    """That thing is missing, nothing else that a build needs, and the exit status says so."""
    status, found, last = _doctor(*flags, **options)
    word, text = found[name]
    assert word == "missing" and what in text and todo in text, found
    missing = [one for one, (word, _) in found.items() if word == "missing"]
    assert not alone or missing == [name], found
    count = f"{len(missing)} {'thing is' if len(missing) == 1 else 'things are'} missing"
    assert status == 1 and last == f"a build would not work: {count}", (status, last)
    assert found["host torch"][0] == "note" and "see what is missing" in found["host torch"][1], found


def _tools(folder, *names):
    """A PATH with nothing but these commands."""
    for name in names:
        place = next(Path(one) / name for one in os.environ["PATH"].split(":") if (Path(one) / name).exists())
        (folder / name).symlink_to(place.resolve() if name not in ("cmake",) else place)
    return str(folder)


def test_doctor_without_numpy():
    with _folder() as folder:
        (folder / "numpy.py").write_text("raise ModuleNotFoundError(\"No module named 'numpy'\", name='numpy')\n")
        _, found, _ = _doctor(path=folder)  # which says nothing on stderr
        assert found["PyTorch"][0] == "ok", found


def test_doctor_where_nothing_is_missing():
    from wrapgen_torch.extension import TorchHost, built_host

    import torch

    library = TorchHost.get().library
    status, found, last = _doctor()
    assert status == 0 and last == "a build would work", found
    assert found["PyTorch"][1].startswith(f"{torch.__version__}, one of "), found
    assert sys.executable in found["Python"][1], found
    assert found["cache"][1].startswith(f"{os.environ['WRAPGEN_CACHE']}, "), found
    assert found["host torch"] == ("ok", str(library)) and built_host() == library, found


def test_doctor_of_an_empty_cache():
    with _folder() as folder:
        status, found, _ = _doctor(WRAPGEN_CACHE=str(folder / "deep" / "cache"))
        assert status == 0 and "not made yet" in found["cache"][1], found
        assert found["host torch"][0] == "note" and "the first build does it" in found["host torch"][1], found
        assert list(folder.iterdir()) == [], "it made something"


def test_doctor_of_an_incomplete_host():
    """In a cache of its own: other suites link with what is in theirs, at the same time."""
    from wrapgen_torch.extension import TorchHost

    left_out = Path(TorchHost.get().objects[0])
    with _folder() as folder:
        for one in left_out.parent.iterdir():
            if one != left_out:
                (folder / one.name).symlink_to(one)
        status, found, _ = _doctor(WRAPGEN_CACHE=str(folder))
        assert status == 0 and found["host torch"][0] == "note", found
        (folder / left_out.name).symlink_to(left_out)
        _, found, _ = _doctor(WRAPGEN_CACHE=str(folder))
        assert found["host torch"][0] == "ok", found


def test_doctor_without_compilers():
    with _folder() as folder:
        path = _tools(folder, "cc", "ld", "as")
        _lacks("C++ compiler", "c++ is not in PATH", "apt install g++", PATH=path, CXX="")
        _lacks("C compiler", "cc is not in PATH", "apt install gcc", PATH=str(folder / "none"), CC="", CXX="", alone=False)
        status, found, _ = _doctor(PATH=path, CXX="")
        assert found["cmake"][0] == "note" and "apt install cmake" in found["cmake"][1], found


def test_doctor_of_compilers_that_do_not_work():
    with _folder() as folder:
        old = folder / "old"
        old.write_text("#!/bin/sh\necho 'old: error: unrecognized option -std=c++20' >&2\nexit 1\n")
        old.chmod(0o755)
        _lacks("C++ compiler", f"{old} cannot compile c++20 to a shared library (old: error: unrecognized option -std=c++20)", "set CXX", CXX=str(old))
        _lacks("C compiler", f"{old} cannot compile c11", "set CC", CC=str(old))
        _lacks("C compiler", "no-such-compiler is not in PATH", "set CC", CC="no-such-compiler -O1")


def test_doctor_without_pytorch():
    _lacks("PyTorch", "cannot be imported (No module named 'torch')", "pip install torch==2.13.0", "-S")
    with _folder() as folder:
        (folder / "torch.py").write_text("raise ImportError('libcudart.so.13: cannot open shared object file')\n")
        _lacks("PyTorch", "cannot be imported (libcudart.so.13: cannot open shared object file)", "pip install torch", path=folder)


def test_doctor_of_another_version_of_pytorch():
    with _folder() as folder:
        (folder / "torch.py").write_text('__version__ = "2.12.1+cu128"\n')
        _lacks("PyTorch", "2.12.1+cu128 is none of 2.13.0, 2.14.1, 2.15.0", "pip install torch==2.13.0", path=folder)


def test_doctor_of_a_cache_that_cannot_be_written():
    with _folder() as folder:
        (folder / "file").write_text("")
        cache = folder / "file" / "cache"
        _lacks("cache", f"{cache} cannot be written ({folder / 'file'}: Not a directory)", "set WRAPGEN_CACHE", WRAPGEN_CACHE=str(cache))


def test_doctor_without_the_tool():
    with _folder() as folder:
        _lacks("wrapgen", f"{folder}/wrapgen is not there", "run 'make'", WRAPGEN=f"{folder}/wrapgen")
        (folder / "wrapgen").write_text("#!/bin/sh\necho 'wrapgen: error while loading libcyaml.so.1' >&2\nexit 127\n")
        (folder / "wrapgen").chmod(0o755)
        _lacks("wrapgen", "does not run (wrapgen: error while loading libcyaml.so.1)", "set WRAPGEN", WRAPGEN=f"{folder}/wrapgen")
