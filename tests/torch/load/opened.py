# SPDX-License-Identifier: MIT
"""What a script ends with whose load() cannot use its directory: the script's own lines, no line of wrapgen_torch, and one line that says
what differs and what to do."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import damage
from wrapgen_torch.ahead import store

CMD = Path(__file__).resolve().parents[3] / "cmd"
# Opens each directory as a script of its own would, and prints what Python prints of an uncaught exception.
SCRIPTS = """
import json, sys, traceback
for name, text in json.loads(sys.stdin.read()):
    print(f"[{name}]", file=sys.stderr)
    try:
        exec(compile(text, "script.py", "exec"), {"__name__": "__main__"})
    except Exception:
        kind, problem, trace = sys.exc_info()
        sys.excepthook(kind, problem, trace.tb_next)
"""
OPEN = "import {module}, wrapgen_torch\nwrapgen_torch.load({path!r})\n"


def _said(folder, scripts):
    """name of each script -> the lines on stderr."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(CMD), str(folder)))}
    made = subprocess.run([sys.executable, "-c", SCRIPTS], cwd=folder, env=environment, input=json.dumps(scripts), capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    parts = made.stderr.removeprefix("[").split("\n[")
    return {name: said.splitlines() for name, _, said in (part.partition("]\n") for part in parts)}


def _with(built, folder, change):
    """A copy of `built`, whose index says of itself what `change` makes of it."""
    shutil.copytree(built, folder)
    index = folder / store._INDEX
    index.write_bytes(store._index_text(change(json.loads(index.read_text()))))
    return folder


def _environment(**other):
    return lambda index: {**index, "environment": {**index["environment"], **other}}


def _cases(folder):
    """(name, directory, the module that is imported first, words that are said)"""
    built = folder / "built"
    (folder / "empty").mkdir()
    (folder / "file").write_text("")
    for key, words in (("package", "the source of wrapgen_torch is "), ("torch", "torch is "), ("python", "Python is "), ("format", "the format of the directory is ")):
        _with(built, folder / key, _environment(**{key: "another"}))
        yield key, key, "sys", (words, "and was another when it was built", "Build it again")
    yield "missing", "nowhere", "sys", ("nowhere is not there: build it first",)
    yield "empty", "empty", "sys", ("empty has no index.json: no build has ended there. Build it again",)
    yield "file", "file", "sys", ("file is a file, not a directory that a build wrote: build into another",)
    shutil.copytree(built, folder / "damaged")
    library = next((folder / "damaged").glob("graph-*/graph*.so"))
    library.write_bytes(library.read_bytes()[:-1])
    yield "damaged", "damaged", "sys", (library.name, "is not the file that was built. Remove ", "and build damaged again")
    _with(built, folder / "dynamo", lambda index: {key: value for key, value in index.items() if key not in ("load", "models")})
    yield "without load", "dynamo", "sys", ("dynamo was built for torch.compile alone: build it again with load=True",)
    (folder / "changed.py").write_text("def scaled(x, w, flag=True):\n    return x @ w\n")
    _with(built, folder / "source", lambda index: {**index, "load": {**index["load"], "code": [["changed", *code[1:]] for code in index["load"]["code"]]}})
    yield "source", "source", "changed", ("changed.scaled is not the function that source was built of: it has changed since. Build it again",)
    (folder / "broken.py").write_text("def scaled(x:\n")
    _with(built, folder / "import", lambda index: {**index, "load": {**index["load"], "closure": ["x"], "function": ["broken", "scaled"]}})
    yield "import", "import", "sys", ("broken cannot be imported, which the program that was built uses: SyntaxError",)


def scripts_that_open():
    with tempfile.TemporaryDirectory(prefix="opened-") as place:
        folder = Path(place)
        shutil.copytree(damage._built(), folder / "built")
        cases = list(_cases(folder))
        said = _said(folder, [(name, OPEN.format(module=module, path=path)) for name, path, module, _ in cases])
        for name, _, _, words in cases:
            head, *frames, last = said[name]
            assert head == "Traceback (most recent call last):" and frames == ['  File "script.py", line 2, in <module>'], f"{name}: {said[name]}"
            assert last.startswith("wrapgen_torch.DirectoryError: "), f"{name}: {last}"
            for word in words:
                assert word in last, f"{name}: no '{word}' in: {last}"


def a_script_alone():
    """As Python runs it, with the line of the script that is on the disk."""
    with tempfile.TemporaryDirectory(prefix="opened-") as place:
        Path(place, "script.py").write_text(OPEN.format(module="sys", path="nowhere"))
        environment = os.environ | {"PYTHONPATH": str(CMD)}
        ran = subprocess.run([sys.executable, "script.py"], cwd=place, env=environment, capture_output=True, text=True)
        assert ran.returncode == 1 and "wrapgen_torch.load('nowhere')" in ran.stderr and "loading" not in ran.stderr, ran.stderr
        assert ran.stderr.splitlines()[-1].startswith("wrapgen_torch.DirectoryError: nowhere is not there"), ran.stderr


TESTS = [("a directory that a script cannot open", scripts_that_open), ("a script alone", a_script_alone)]
