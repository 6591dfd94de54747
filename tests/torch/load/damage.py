# SPDX-License-Identifier: MIT
"""A directory that build(load=True) wrote, damaged: each file of it removed, cut short, changed in one byte. What opens it must say which
file that is, load() at once and a back end when the graph is compiled, and never run what is damaged."""

import contextlib
import functools
import json
import os
import shutil
import tempfile
import warnings
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from unittest.mock import patch

import torch
from programs_kept import outputs
from refusals import described
from wrapgen_torch import DirectoryError, NotBuilt, backend, build, load
from wrapgen_torch.ahead import store
from wrapgen_torch.deploying import cpu
from wrapgen_torch.loading import frames, loaded

_INDEX = "index.json"
_KEPT = tempfile.TemporaryDirectory(prefix="damage-")


def scaled(x, w, flag=True):
    return x @ w * (2 if flag else 3)


def arguments():
    return torch.ones(2, 3), torch.ones(3, 2, requires_grad=True)


@functools.cache
def _built():
    folder = Path(_KEPT.name) / "built"
    build(scaled, arguments, folder, load=True)
    return folder


@contextlib.contextmanager
def _copied():
    with tempfile.TemporaryDirectory(prefix="damaged-") as folder:
        yield Path(shutil.copytree(_built(), folder, dirs_exist_ok=True))


def _runs(call):
    w = arguments()[1]
    y = call(torch.ones(2, 3), w)
    y.sum().backward()
    return y.tolist() == [[6, 6], [6, 6]] and w.grad.tolist() == [[4, 4]] * 3


def _loaded(folder):
    assert _runs(load(folder).fn)


def _under_dynamo(folder):
    torch._dynamo.reset()
    found = backend(folder, inner="aot_eager", fallback="error")
    assert _runs(torch.compile(scaled, backend=found)) and found.report().hits == 1


def _problem(use, folder):
    """What is said, or None if it works."""
    try:
        use(folder)
    except (DirectoryError, torch._dynamo.exc.BackendCompilerFailed) as problem:
        inner = getattr(problem, "inner_exception", problem)
        assert isinstance(inner, (DirectoryError, NotBuilt)), repr(inner)
        return str(inner)
    return None


def _removed(path):
    path.unlink()


def _cut(path):
    os.truncate(path, path.stat().st_size // 2)


def _emptied(path):
    os.truncate(path, 0)


def _changed(path):
    text = bytearray(path.read_bytes())
    text[len(text) // 2] ^= 1
    path.write_bytes(text)


def _replaced(path):
    path.unlink()
    path.mkdir()


DAMAGES = (_removed, _cut, _emptied, _changed, _replaced)


def damaged_files():
    index = json.loads((_built() / _INDEX).read_text())
    models = {entry["folder"] for entry in index["models"]}
    files = sorted(path.relative_to(_built()) for path in _built().rglob("*") if path.is_file() and path.name != ".lock")
    assert sorted(path.name for path in files) == [
        "backward.so", "forward.so", *sorted(next(iter(index["graphs"]))["files"]), _INDEX,
    ] and len(models) == 1, files  # fmt: skip
    for file in files:
        for damage in DAMAGES:
            with _copied() as folder:
                damage(folder / file)
                for use in (_loaded, _under_dynamo):
                    said = _problem(use, folder)
                    if use is _under_dynamo and file.parent.name in models:
                        assert said is None, f"{file} {damage.__name__}: {said}"  # it has no use for models
                    else:
                        assert said is not None and file.name in said, f"{file} {damage.__name__} under {use.__name__}: {said}"


def any_byte_of_the_index():
    """Each byte of the index by itself, and each length that it may be cut to: it is refused, or says that it is of another version."""
    here = store.environment()
    with _copied() as folder, patch.object(store, "environment", lambda: here):
        index = folder / _INDEX
        good = index.read_bytes()
        wrong = [bytes([*good[:at], good[at] ^ bit, *good[at + 1 :]]) for at in range(len(good)) for bit in (1, 0x80)]
        for text in [*wrong, *(good[:length] for length in range(0, len(good), 16)), good + b"\n"]:
            index.write_bytes(text)
            try:
                store.Directory(folder)
            except DirectoryError as problem:
                assert _INDEX in str(problem) or "was built for something else" in str(problem), problem
            else:
                raise AssertionError(f"it is taken: {text[:80]}")
        index.write_bytes(good)
        _loaded(folder)


def _forgeries(value, path=()):
    """Each key of it removed, and each value of other types: (path, the other value, what is then said)."""
    items = list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    for key, inner in items:
        for other in (None, True, 7, "text", [], {}, [1]):
            yield (*path, key), other, {**value, key: other} if isinstance(value, dict) else [*value[:key], other, *value[key + 1 :]]
        yield (*path, key), "removed", {k: v for k, v in items if k != key} if isinstance(value, dict) else value[:key] + value[key + 1 :]
        for place, other, made in _forgeries(inner, (*path, key)):
            yield place, other, {**value, key: made} if isinstance(value, dict) else [*value[:key], made, *value[key + 1 :]]


def forged_index():
    """What the index says for load(), with the right hash: load() takes it, or raises DirectoryError."""
    here = store.environment()
    with _copied() as folder, patch.object(store, "environment", lambda: here), patch.object(store, "_hash", functools.cache(store._hash)):
        index = json.loads((folder / _INDEX).read_text())
        refused = 0
        for path, other, made in _forgeries(index["load"]):
            (folder / _INDEX).write_bytes(store._index_text({**index, "load": made}))
            try:
                load(folder)
            except DirectoryError:
                refused += 1
            except Exception as problem:
                problem.add_note(f"{path} is {other}")
                raise
        assert refused > 200, refused


def _kept():
    """(the names of a frame, a program that keeps its bytecode): its graph is not compiled."""
    (program,) = described(outputs, (torch.randn(2, 3), torch.randn(3, 2)))["programs"]
    return ["x", "w"], program["returned"]


def forged_bytecode():
    """What the index says of bytecode: a function is made of it, or it is refused."""
    names, kept = _kept()
    frames.builder(kept, names)
    refused = 0
    for path, other, made in _forgeries(kept["code"]):
        try:
            frames.builder({"code": made}, names)
        except (*store.WRONG, DirectoryError):
            refused += 1
        except BaseException as problem:
            problem.add_note(f"{path} is {other}")
            raise
    assert refused > 500, refused


def bytecode_of_another_python():
    """It is refused before anything is made of it."""
    names, kept = _kept()
    for code in (kept["code"]["code"], {}):
        try:
            frames.builder({"code": {**kept["code"], "magic": "a60d0d0a", "code": code}}, names)
        except DirectoryError as problem:
            assert f"bytecode of another Python, of the kind a60d0d0a, and this one has {MAGIC_NUMBER.hex()}" in str(problem), problem
        else:
            raise AssertionError("it is taken")


def a_name_that_is_gone():
    """What the bytecode uses is found by its name when the directory is loaded."""
    names, kept = _kept()
    text = json.dumps(kept)
    assert text.count('"programs_kept"') > 0, text
    try:
        frames.builder(json.loads(text.replace('"programs_kept"', '"programs_that_are_gone"')), names)
    except DirectoryError as problem:
        assert "programs_that_are_gone is not there, which the program that was built uses" in str(problem), problem
    else:
        raise AssertionError("it is taken")


def another_version():
    """What another version writes is refused as such, whatever it looks like."""
    with _copied() as folder:
        index = folder / _INDEX
        environment = json.loads(index.read_text())["environment"]
        for other in ({"environment": {**environment, "format": 1}}, {"environment": {**environment, "format": "three"}, "parts": [1]}):
            index.write_text(json.dumps(other))
            for use in (_loaded, _under_dynamo):
                said = _problem(use, folder)
                assert f"the format of the directory is {store.FORMAT}, and was {other['environment']['format']} " in said, said


def _says_instead(folder, **changed):
    """The index as if the build had written this."""
    index = json.loads((folder / _INDEX).read_text())
    index["load"] |= changed
    (folder / _INDEX).write_bytes(store._index_text(index))


def another_cpu():
    """Models have instructions of the CPU for which they were compiled: they would be illegal on another. The back end has none."""
    with _copied() as folder:
        assert json.loads((folder / _INDEX).read_text())["load"]["cpu"] == cpu.needs("native")
        _says_instead(folder, cpu=["avx4096f"])
        assert "built for a CPU with avx4096f, which this one does not have" in _problem(_loaded, folder)
        _under_dynamo(folder)
        with patch.object(loaded, "lacking", lambda _: []):  # where the CPU is unknown
            _loaded(folder)


def only_for_torch_compile():
    with tempfile.TemporaryDirectory(prefix="damaged-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        build(scaled, arguments, folder, inner="aot_eager")
        assert "was built for torch.compile alone" in _problem(_loaded, folder)


TESTS = [(f"damage: {test.__name__}", test) for test in
         (damaged_files, any_byte_of_the_index, forged_index, forged_bytecode, bytecode_of_another_python, a_name_that_is_gone, another_version, another_cpu, only_for_torch_compile)]  # fmt: skip
