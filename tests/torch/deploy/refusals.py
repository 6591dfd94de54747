# SPDX-License-Identifier: MIT
"""What cannot be deployed: one line that says why, exit code 2, and no folder. And files that PyTorch saved: exported programs and
AOTInductor packages, which are deployed, damaged, and made for another machine."""

import contextlib
import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import torch

from wrapgen_torch.cli import main as wrapgen_torch

ROOT = Path(__file__).resolve().parents[3]
HEADER = "import torch\nfrom wrapgen_torch import Case\n"


def command(*arguments, **environment):
    """(exit code, what it wrote to stderr); a process of its own where the environment is another one."""
    if not environment:
        with contextlib.redirect_stderr(io.StringIO()) as said, contextlib.redirect_stdout(io.StringIO()):
            return wrapgen_torch(["deploy", "-q", *map(str, arguments)]), said.getvalue()
    inherited = {**os.environ, "PYTHONPATH": str(ROOT / "cmd"), "TORCH_LOGS": "-all", **environment}  # PyTorch logs where Triton is not there
    ended = subprocess.run([sys.executable, "-m", "wrapgen_torch", "deploy", "-q", *map(str, arguments)], env=inherited, capture_output=True,
                           text=True, check=False)  # fmt: skip
    return ended.returncode, ended.stderr


def _refused(scratch, path, *words, options=(), **environment):
    out = scratch / "refused"
    status, said = command(path, "--out", out, *options, **environment)
    assert status == 2, (status, said)
    assert said.count("\n") == 1 and said.startswith(f"{path}: error: "), f"not one line: {said}"
    for word in words:
        assert word in said, f"no '{word}' in: {said}"
    assert not out.exists()
    assert not list(scratch.glob(".refused*")), "something is left"


def program(text, *words, options=(), **environment):
    def test(scratch):
        path = scratch / "program.py"
        path.write_text(HEADER + text)
        _refused(scratch, path, *words, options=options, **environment)

    return test


def file(name, content, *words):
    def test(scratch):
        path = scratch / name
        if content is not None:
            path.write_bytes(content)
        _refused(scratch, path, *words)

    return test


def occupied(scratch):
    out = scratch / "occupied"
    out.mkdir()
    (out / "mine.c").write_text("int mine;")
    path = scratch / "program.py"
    path.write_text(HEADER)
    status, said = command(path, "--out", out)
    assert status == 2 and "exists" in said and said.count("\n") == 1, said
    assert [one.name for one in out.iterdir()] == ["mine.c"]


def _case(function, call="torch.ones(3)", more=""):
    return f"def f(x):\n    {function}\ndef case():\n    return Case(f, [('a', ({call},))]{more})\n"


def _of_two(parameters, first, second):
    return f"def f({parameters}):\n    return torch.ones(3) + 1\ndef case():\n    return Case(f, [('a', {first}), ('b', {second})])\n"


VARYING = """
class Doubled(torch.nn.Module):
    def forward(self, x):
        return x * 2
def case():
    return Case(Doubled(), [{calls}], dynamic_shapes=({{0: torch.export.Dim("rows")}},))
"""

CUSTOM = """
@torch.library.custom_op("planted::halved", mutates_args=())
def halved(x: torch.Tensor) -> torch.Tensor:
    return x / 2
halved.register_fake(torch.empty_like)
def case():
    return Case(lambda x: torch.ops.planted.halved(x + 1), [("a", (torch.ones(3),))])
"""

TESTS = [
    ("a custom operator", program(CUSTOM, "no C function for: 'planted::halved'")),
    ("no file", file("absent.py", None, "no such file")),
    ("another kind of file", file("model.onnx", b"", "neither a .pt2 file nor a PROGRAM.py")),
    ("a .pt2 that is not one", file("text.pt2", b"not a zip", "not a .pt2 file, or damaged")),
    ("a folder with something in it", occupied),
    ("no case()", program("", "no function case()")),
    ("a program that raises", program("\ndef case():\n    return 1 / 0\n", "line 5: the program raises ZeroDivisionError")),
    ("a call that raises", program("def f(x, y=None):\n    return x if y is None else x + y\ndef case():\n    return Case(f, [('a', (torch.ones(3),)), ('b', (torch.ones(3), torch.ones(3)))])\n", "call b passes 'y', and the first call does not")),
    ("a call of another size", program("def f(x):\n    return x * 2\ndef case():\n    return Case(f, [('a', (torch.ones(3),)), ('b', (torch.ones(4),))])\n", "call b: size(0) of 'x' is 4, and the model takes 3")),
    ("a call that PyTorch leaves out", program(VARYING.format(calls="('a', (torch.ones(5, 3),)), ('b', (torch.ones(1, 3),))"), "call b: size(0) of 'x' is 1, and the model takes 2 and more as rows")),
    ("a call with other strides", program(VARYING.format(calls="('a', (torch.ones(5, 3),)), ('b', (torch.ones(3, 4).t(),))"), "call b: stride(0) of 'x' is 1, and the model takes 3")),
    ("a call of another type", program(VARYING.format(calls="('a', (torch.ones(5, 3),)), ('b', (torch.ones(4, 3).double(),))"), "call b: the type of 'x' is float64, and the model takes float32")),
    ("no calls", program("def case():\n    return Case(lambda x: x, [])\n", "no calls")),
    ("another flag", program(_of_two("x, up", "(torch.ones(3), True)", "(torch.ones(3), False)"), "call b: 'up' is False, and the model is compiled for True")),
    ("a zero of the other sign", program("def f(x, zero):\n    return torch.atan2(torch.full_like(x, zero), x)\ndef case():\n    return Case(f, [('a', (-torch.ones(3), 0.0)), ('b', (-torch.ones(3), -0.0))])\n", "call b: 'zero' is -0.0, and the model is compiled for 0.0")),
    ("variants with other flags", program("def f(x, up):\n    return x + 1 if up else x\ndef case():\n    return [Case(f, [('a', (torch.ones(3), up))], name='f') for up in (True, False)]\n", "f: 'up' is True in one variant, 'up' is False in another", "give each entry point a name")),
    ("None for a tensor", program(_of_two("x, up", "(torch.ones(3), torch.ones(3))", "(torch.ones(3), None)"), "call b: 'up' is None, and the first call passes a tensor")),
    ("a dict with another key", program(_of_two("x", "({'y': torch.ones(3)},)", "({'z': torch.ones(3)},)"), "call b does not pass 'x['y']', and the first call does")),
    ("a number that varies", program("def case():\n    return Case(lambda x, n: x * n, [('a', (torch.ones(3), 2))], dynamic_shapes={'n': torch.export.Dim.DYNAMIC})\n", "'n' is a number that varies", "pass it as a tensor")),
    ("a result that varies", program("def f(x):\n    return x + 1, x.shape[0]\ndef case():\n    return Case(f, [('a', (torch.ones(3, 2),))], dynamic_shapes={'x': {0: torch.export.Dim('n')}})\n", "result 'out_1' is a number that varies")),
    ("a result that is another constant", program("seen = []\ndef f(x):\n    seen.append(1)\n    return x + 1, len(seen)\ndef case():\n    return Case(f, [('a', (torch.ones(3),))])\n", "call a returns 2, and the model is compiled for 1, as in the first call")),
    ("what torch.export refuses", program(_case("return x if x.sum() > 0 else -x"), "torch.export refuses the program")),
    ("complex numbers", program(_case("return x + 1j"), "'out' is complex")),
    ("a CPU that the compiler does not know", program(_case("return x + 1"), "does not know this CPU", options=["--cpu", "z80"])),
    ("no compiler", program(_case("return x + 1"), "C++ compiler", CXX="no-such-compiler", PATH="/nowhere")),
    ("no wrapgen", program(_case("return x + 1"), "wrapgen cannot be run", WRAPGEN="/no/wrapgen")),
]


# ---- what PyTorch saved ----


def _exported(scratch):
    torch.manual_seed(0)
    path = scratch / "saved.pt2"
    net = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3)).train()
    rows = torch.export.Dim("rows", min=2, max=32)
    exported = torch.export.export(net, (torch.randn(5, 4),), dynamic_shapes=({0: rows},))
    if not path.exists():
        torch.export.save(exported, path)
    return exported, path


def saved_program(scratch):
    from deploy import built, deployed, replayed, tested

    _, path = _exported(scratch)
    folder = built(deployed(path, scratch / "saved"))
    good, text = tested(folder)
    assert good, text
    replayed(folder)
    yaml = (folder / "graph.yaml").read_text()
    assert yaml.count("mutates_data: true") == 3 and "min: 2, max: 32" in yaml, yaml


def _small():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU()).eval()
    rows = torch.export.Dim("rows", min=2, max=32)
    return torch.export.export(net, (torch.randn(5, 4),), dynamic_shapes=({0: rows},))


def _package(scratch):
    path = scratch / "package.pt2"
    if not path.exists():
        torch._inductor.aoti_compile_and_package(_small(), package_path=str(path))
    return path


def saved_package(scratch):
    from deploy import built, deployed, replayed, tested

    folder = built(deployed(_package(scratch), scratch / "packaged"))
    good, text = tested(folder)
    assert good, text
    replayed(folder)
    yaml = (folder / "graph.yaml").read_text()
    assert "size: [s" in yaml and "min: 2, max: 32" in yaml and "does not say" in yaml, yaml


def _rewritten(path, new, change):
    """The archive with what change(name, data) returns."""
    with zipfile.ZipFile(path) as src, zipfile.ZipFile(new, "w") as dst:
        for info in src.infolist():
            dst.writestr(info.filename, change(info.filename, src.read(info)))
    return new


def elsewhere(old, other, *words):
    def test(scratch):
        path = _rewritten(_package(scratch), scratch / "elsewhere.pt2",
                          lambda name, data: data.replace(old, other) if name.endswith("wrapper_metadata.json") else data)  # fmt: skip
        _refused(scratch, path, *words)

    return test


def damaged(scratch):
    path = _package(scratch)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    for content in (data, data[: len(data) // 2]):
        new = scratch / "damaged.pt2"
        new.write_bytes(content)
        _refused(scratch, new, "damaged")


def separate_weights(scratch):
    _refused(scratch, _package(scratch), "weights", options=["--weights", "beside"])


def without_weights(scratch):
    """PyTorch's own loader ends the process when such a model is called, so this may not call it."""
    path, exported = scratch / "weightless.pt2", _small()
    torch._inductor.aoti_compile_and_package(exported, package_path=str(path), inductor_configs={"aot_inductor.package_constants_in_so": False})
    _refused(scratch, path, "its weights are not in the package", "--weights beside")


def weights_in_files(scratch):
    path = scratch / "files.pt2"
    with zipfile.ZipFile(_package(scratch)) as src, zipfile.ZipFile(path, "w") as dst:
        for info in src.infolist():
            dst.writestr(info.filename, src.read(info))
        dst.writestr(info.filename.split("/")[0] + "/data/aotinductor/model/weights_config.json", "{}")
    _refused(scratch, path, "its weights are in files of the package")


def other_source(scratch):
    """The package's own tests of its arguments are what the YAML is made of."""
    path = _rewritten(_package(scratch), scratch / "other.pt2",
                      lambda name, data: data.replace(b"check_input_0", b"check_another") if name.endswith("wrapper.cpp") else data)  # fmt: skip
    _refused(scratch, path, "does not say what its input 0 is")


SAVED = [
    ("an exported program", saved_program),
    ("an AOTInductor package", saved_package),
    ("a package for another machine", elsewhere(b'"x86_64"', b'"aarch64"', "compiled for aarch64")),
    ("a package for another device", elsewhere(b'"AOTI_DEVICE_KEY": "cpu"', b'"AOTI_DEVICE_KEY": "cuda"', "compiled for cuda")),
    ("a damaged package", damaged),
    ("a package, with weights in a separate file", separate_weights),
    ("a package without its weights", without_weights),
    ("a package with files of weights", weights_in_files),
    ("a package without its source", other_source),
]
