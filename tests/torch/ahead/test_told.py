# SPDX-License-Identifier: MIT
"""What a user does wrong ends a command with exit code 2 and one line: the program's file, the line in it, and what is wrong there."""

import contextlib
import io
import tempfile
from pathlib import Path

import torch
from wrapgen_torch import CaptureError, build, check
from wrapgen_torch.cli import main

HEADER = '"""A program."""\nimport torch\nfrom wrapgen_torch import Case\n'
CASE = "\ndef case():\n    return Case(function=f, calls=[('one', (torch.ones(3),))], grad_mode=False)\n"
COMMANDS = (
    lambda program, folder: [str(program)],
    lambda program, folder: ["build", str(program), "--out", str(folder / "built"), "--inner", "aot_eager", "-q"],
    lambda program, folder: ["deploy", str(program), "--out", str(folder / "deployed"), "-q"],
)


def _ends(command):
    """(exit code, what is said on stderr)"""
    with contextlib.redirect_stderr(io.StringIO()) as said, contextlib.redirect_stdout(io.StringIO()):
        return main(command), said.getvalue()


def _told(text, *words, commands=COMMANDS, files=()):
    for command in commands:
        with tempfile.TemporaryDirectory() as place:
            program = Path(place, "program.py")
            program.write_text(HEADER + text)
            for name, content in files:
                Path(place, name).write_text(content)
            status, said = _ends(command(program, Path(place)))
            assert status == 2, (status, said)
            assert said.count("\n") == 1 and said.startswith(f"{program}: error: "), f"not one line: {said}"
            for word in words:
                assert word in said, f"no '{word}' in: {said}"


def test_the_file():
    _told("def f(x:\n", "line 4: SyntaxError: ")
    _told("import no_such_module\n", "line 4: the program raises ModuleNotFoundError: No module named 'no_such_module'")
    _told("x = open('/no/such/file')\n", "line 4: the program raises FileNotFoundError")
    _told("def case():\n    return 1 / 0\n", "line 5: the program raises ZeroDivisionError: division by zero")
    _told("import neighbour\n", "neighbour.py, line 2: the program raises KeyError: 'it'", files=[("neighbour.py", "x = {}\nx['it']\n")])
    _told("f = torch.sin\n", "no function case()")


def test_the_calls():
    _told("def case():\n    return Case(function=torch.sin, calls=[('one', torch.ones(3))])\n", "call 'one': its arguments are a Tensor, not a tuple")
    _told("def case():\n    return Case(function=torch.sin, calls=[torch.ones(3)])\n", "a call is a pair (name, arguments), not Tensor")
    for made, words in ((torch.ones(3), "returns a Tensor"), ([torch.ones(3)], "returns a list with a Tensor")):
        for use in (lambda: check(torch.sin, lambda: made), lambda: build(torch.sin, lambda: made, "/no/such/folder")):  # noqa: B023
            try:
                use()
            except CaptureError as problem:
                assert words in str(problem) and "(x,) is the tuple of one" in str(problem), problem
            else:
                raise AssertionError(f"{made} was taken for arguments")


def test_arguments_that_nothing_makes():
    for made in ((torch.ones(3),), [(torch.ones(3),)], torch.ones(3)):
        for use in (lambda: check(torch.sin, made), lambda: build(torch.sin, made, "/no/such/folder")):  # noqa: B023
            try:
                use()
            except CaptureError as problem:
                assert f"make_inputs is a {type(made).__name__}, not a function" in str(problem), problem
            else:
                raise AssertionError(f"{made} was called")


def test_the_function():
    _told("def f(x):\n    return x.reshape(5)\n" + CASE, "line 5: ", commands=COMMANDS[:2])
    _told("def f(x):\n    raise ValueError('so')\n" + CASE, "line 5: ", commands=COMMANDS[:2])
    _told("def f(x):\n    return x if x.sum() > 0 else -x\n" + CASE, "line 5: ", commands=COMMANDS[:1])
    _told("def f(x):\n    return x if x.sum() > 0 else -x\n" + CASE, "torch.export", commands=COMMANDS[2:])


def test_neighbours():
    """Each program imports its own, though they have one name."""
    program = HEADER + "import neighbour\ndef f(x):\n    return x * neighbour.SCALE\n" + CASE
    with tempfile.TemporaryDirectory() as place:
        texts = []
        for scale in (3.0, 5.0):
            folder = Path(place, f"scaled_{scale:.0f}")
            folder.mkdir()
            (folder / "program.py").write_text(program)
            (folder / "neighbour.py").write_text(f"SCALE = {scale}\n")
            torch._dynamo.reset()
            status, said = _ends([str(folder / "program.py")])
            assert status == 0, said
            texts.append((folder / "expected.txt").read_text())
            for name in ("expected.txt", "graph.yaml"):
                assert "To regenerate:\n#   wrapgen-torch program.py\n" in (folder / name).read_text(), "the command is one that works there"
    assert "3" in texts[0] and "5" in texts[1] and texts[0].replace("scaled_3", "scaled_5") != texts[1], texts
