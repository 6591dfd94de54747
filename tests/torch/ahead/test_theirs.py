# SPDX-License-Identifier: MIT
"""A build replaces and removes what a build wrote, and nothing else: what somebody put into the directory stays, whatever it is called,
and where it is in the way the build ends with its name, before anything is changed."""

import hashlib
import json
import os
import shutil
import tempfile
import warnings
from pathlib import Path

import torch
from wrapgen_torch import DirectoryError, backend, build
from wrapgen_torch.ahead import store


def first(x):
    return x + 1


def second(x):
    return x + 1, x + 2


def _build(function, folder):
    build(function, lambda: (torch.ones(3),), folder, inner="aot_eager")


def _content(folder):
    """Everything in there, but the lock: path -> bytes, the target of a link, or None of a folder."""
    def of(path):
        return os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None

    return {str(path.relative_to(folder)): of(path) for path in sorted(Path(folder).rglob("*")) if path.name != ".lock"}


def _hits(function, folder):
    torch._dynamo.reset()
    found = backend(folder, inner="aot_eager")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.compile(function, backend=found)(torch.ones(3))
    return found.report().hits


def _graph(folder):
    (place,) = Path(folder).glob("graph-*")
    return place


def _in_the_way(function, folder, name):
    before = _content(folder)
    try:
        _build(function, folder)
    except DirectoryError as problem:
        assert str(Path(folder) / name) in str(problem) and "in the way" in str(problem), problem
    else:
        raise AssertionError(f"{name} was taken for a build's")
    assert _content(folder) == before


def test_what_is_not_in_the_way_stays():
    with tempfile.TemporaryDirectory() as folder:
        theirs = {"graph-paper/notes.txt": "mine", "graph-0123456789abcdef/a.yaml": "mine", "graph-file": "mine", "index.html": "mine",
                  "graph-nested/in/it": "mine", "models/x.pt": "mine"}  # fmt: skip
        for name, text in theirs.items():
            (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / name).write_text(text)
        (Path(folder) / "graph-link").symlink_to("graph-paper")
        (Path(folder) / "graph-empty").mkdir()
        before = _content(folder)
        for function in (first, second, second):
            _build(function, folder)
            assert before.items() <= _content(folder).items()
            assert len(list(Path(folder).glob("graph-*"))) == 7 and _hits(function, folder) == 1  # what was built before is gone


def test_an_index_of_somebody_elses():
    for make in (lambda path: path.write_text('{"pages": ["mine"]}\n'), lambda path: path.write_text("mine"), lambda path: path.write_text(""),
                 lambda path: path.mkdir(), lambda path: path.symlink_to("elsewhere.json"), os.mkfifo):  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder) / "index.json")
            _in_the_way(first, folder, "index.json")


def test_an_index_that_was_changed():
    with tempfile.TemporaryDirectory() as folder:
        _build(first, folder)
        index = Path(folder) / "index.json"
        text = index.read_text()
        index.write_text(text.replace('"program": "first"', '"program": "mine!"'))
        _in_the_way(second, folder, "index.json")
        index.write_text(text)
        _build(second, folder)


def test_a_folder_that_was_changed():
    """Where it would be replaced it is in the way; where it would only be removed it stays."""
    for change in (lambda place: (place / "graph.yaml").write_text("mine"), lambda place: (place / "notes.txt").write_text("mine"),
                   lambda place: (place / "notes").mkdir(), lambda place: (place / "link").symlink_to("graph.yaml")):  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            _build(first, folder)
            place = _graph(folder)
            change(place)
            _in_the_way(first, folder, place.name)
            kept = {name: value for name, value in _content(folder).items() if name.startswith(place.name)}
            _build(second, folder)
            assert kept.items() <= _content(folder).items() and _hits(second, folder) == 1


def test_a_folder_of_which_files_are_missing():
    """Nothing is lost with the rest."""
    with tempfile.TemporaryDirectory() as folder:
        _build(first, folder)
        (_graph(folder) / "graph.yaml").unlink()
        _build(first, folder)
        assert (_graph(folder) / "graph.yaml").exists()
        (_graph(folder) / "graph.yaml").unlink()
        _build(second, folder)
        assert len(list(Path(folder).glob("graph-*"))) == 1 and _hits(second, folder) == 1


def test_what_a_build_left_that_was_killed():
    """Its folders have the names that their content gives them, and no index knows them."""
    with tempfile.TemporaryDirectory() as folder:
        _build(first, folder)
        (Path(folder) / "index.json").unlink()
        _build(second, folder)
        assert len(list(Path(folder).glob("graph-*"))) == 1 and _hits(second, folder) == 1


def test_a_lock_that_is_something_else():
    for make in (os.mkfifo, lambda path: path.mkdir(), lambda path: path.symlink_to("elsewhere")):
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder) / ".lock")
            _in_the_way(first, folder, ".lock")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / ".lock").write_text("mine")
        _build(first, folder)
        assert (Path(folder) / ".lock").read_text() == "mine"


def test_what_everybody_can_write():
    """It is not opened, and not built into; a build takes the right from what it writes, whatever the umask."""
    before = os.umask(0)
    try:
        with tempfile.TemporaryDirectory() as parent:
            folder = Path(parent) / "built"
            folder.mkdir(0o755)
            _build(first, folder)
            place = _graph(folder)
            assert all(not path.stat().st_mode & 0o002 for path in [folder, folder / "index.json", place, *place.iterdir()])
            for path in (folder, folder / "index.json", place, *sorted(place.glob("*.so"))):
                mode = path.stat().st_mode
                path.chmod(mode | 0o002)
                said = _refusal(folder)
                assert f"everybody can write to {path}" in said and f"chmod o-w {path}" in said, said
                path.chmod(mode)
            folder.chmod(0o1777)  # as /tmp: names belong to those who made them
            assert _hits(first, folder) == 1
            folder.chmod(0o777)
            try:
                _build(second, folder)
            except DirectoryError as problem:
                assert "everybody can write" in str(problem), problem
            else:
                raise AssertionError("it was built")
    finally:
        os.umask(before)


def _refusal(folder):
    torch._dynamo.reset()
    try:
        found = backend(folder, inner="aot_eager")
    except DirectoryError as problem:
        return str(problem)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.compile(first, backend=found)(torch.ones(3))
    (row,) = found.report()
    return row.why


def test_names_are_hashes_of_content():
    """So that a folder by itself tells that a build wrote it: by hand, from what is in it."""
    with tempfile.TemporaryDirectory() as folder:
        _build(first, folder)
        place = _graph(folder)
        files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(place.iterdir())}
        assert place.name == f"graph-{hashlib.sha256(json.dumps(files).encode()).hexdigest()[:16]}"
        twin = Path(folder) / "graph-twin"
        shutil.copytree(place, twin)
        assert store._is_ours(place, {}) and not store._is_ours(twin, {})
