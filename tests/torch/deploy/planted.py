# SPDX-License-Identifier: MIT
"""Something is wrong in a folder that was deployed; whoever loads its models, or compares its calls, must notice, and say it in one
line. Each test works on a copy of the decoder, whose weights are in a separate file."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

ROOT = Path(__file__).resolve().parents[3]


def _copy(folder, scratch):
    copy = scratch / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy, symlinks=True)
    return copy


def _run(folder, copy, program="main", *arguments):
    """The programs of the folder that was built, with the files of the copy."""
    ended = subprocess.run([folder / "build" / program, copy, *arguments], capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout, ended.stderr


def _refused(folder, copy, *words):
    status, _, said = _run(folder, copy)
    assert status == 1, (status, said)
    assert said.count("\n") == 1, f"not one line: {said}"
    for word in words:
        assert word in said, f"no '{word}' in: {said}"


def edited(name, pattern, text, *words):
    """A file of the folder with something in it replaced."""

    def test(folder, scratch):
        copy = _copy(folder, scratch)
        path = copy / name
        old = path.read_text()
        new = re.sub(pattern, text, old, count=1)
        assert old != new, f"nothing in {name} is {pattern}"
        path.write_text(new)
        _refused(folder, copy, *words)

    return test


def regenerated(pattern, text, *words):
    """The wrappers of a graph.yaml that says something else than the model, which is refused when it is loaded."""

    def test(folder, scratch):
        copy = _copy(folder, scratch)
        path = copy / "graph.yaml"
        old = path.read_text()
        new = re.sub(pattern, text, old, count=1)
        assert old != new, f"nothing in graph.yaml is {pattern}"
        path.write_text(new)
        tool = os.environ.get("WRAPGEN", ROOT / "build/wrapgen")
        subprocess.run([tool, "graph.yaml", "--out", "generated/wrappers.c", "--header", "generated/wrappers.h"], cwd=copy, check=True)
        program = (copy / "main.c").read_text().splitlines(keepends=True)
        names = re.findall(r"- \{name: (\w+)", new)
        kept = [line for line in program if not line.strip().startswith(".") or line.strip()[1:].split(" ")[0] in names]
        (copy / "main.c").write_text("".join(kept))
        build = [copy / "generated/wrappers.c", copy / "models.c", copy / "main.c", copy / "build" / "libmodels.a"]
        include = [f"-I{copy / part}" for part in (".", "generated", "wrapgen/core", "wrapgen/hosts/aoti")]
        link = [f"-L{torch.__path__[0]}/lib", f"-Wl,-rpath,{torch.__path__[0]}/lib", "-ltorch_cpu", "-lc10", "-Wl,--allow-shlib-undefined", "-lm"]
        subprocess.run(["cc", "-std=c11", f'-DMODELS_FOLDER="{copy}"', *include, "-o", copy / "build" / "main", *build, *link], check=True)
        _refused(copy, copy, *words)

    return test


def _weights(copy):
    return copy / "models" / "decoder.safetensors"


def changed_weights(folder, scratch):
    """Others of the same names and sizes are taken, and give other results."""
    copy = _copy(folder, scratch)
    assert _run(folder, copy, "compare", "decoder")[0] == 0
    weights = load_file(_weights(copy))
    weights["out.bias"] = weights["out.bias"] + 1
    save_file(weights, _weights(copy))
    status, told, _ = _run(folder, copy, "compare", "decoder")
    assert status == 1 and "out logits: DIFFERENT" in told, told
    logits = [re.search(r"first (\S+)", _run(folder, one)[1]).group(1) for one in (folder, copy)]
    assert abs(float(logits[1]) - float(logits[0]) - 1) < 1e-4, logits


def other_weights(change, *words):
    def test(folder, scratch):
        copy = _copy(folder, scratch)
        weights = load_file(_weights(copy))
        change(weights)
        save_file(weights, _weights(copy))
        _refused(folder, copy, *words)

    return test


def _without(weights):
    del weights["norm.bias"]


def _of_another_type(weights):
    weights["norm.bias"] = weights["norm.bias"].double()


def _of_another_size(weights):
    weights["out.weight"] = weights["out.weight"].reshape(16, 11)


def damaged_library(folder, scratch):
    copy = _copy(folder, scratch)
    path = copy / "models" / "decoder.so"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    _refused(folder, copy, "decoder.so", "or is damaged")
    path.write_bytes(data[:1000])
    _refused(folder, copy, "decoder.so", "or is damaged")
    path.unlink()
    _refused(folder, copy, "decoder.so", "No such file")


def cut_files(folder, scratch):
    """A file that ends too early; tests/torch/aoti/test_files.c has every length, and other bytes."""
    copy = _copy(folder, scratch)
    for path in (_weights(copy), copy / "data" / "decoder_word_0.safetensors"):
        data = path.read_bytes()
        for length in (0, 100, len(data) - 1):
            path.write_bytes(data[:length])
            _refused(folder, copy, path.name)
        path.write_bytes(data)
    assert _run(folder, copy)[0] == 0


def changed_result(folder, scratch):
    """A recorded number that is a little off, as it would be if the model were."""
    copy = _copy(folder, scratch)
    path = copy / "data" / "decoder_word_1.safetensors"
    for name in ("out logits", "after keys"):
        tensors = load_file(folder / "data" / path.name)
        tensors[name].view(-1)[9] += 1e-3
        save_file(tensors, path, metadata={f"tolerance {one}": "0.0001 1e-05" for one in tensors})
        status, told, _ = _run(folder, copy, "compare", "decoder")
        assert status == 1 and f"{name}: DIFFERENT" in told, told


def changed_argument(folder, scratch):
    """What the wrapper refuses in a call, it names."""
    copy = _copy(folder, scratch)
    path = copy / "data" / "decoder_word_0.safetensors"
    tensors = load_file(path)
    tensors["in token"] = tensors["in token"].int()
    save_file(tensors, path)
    _refused(folder, copy, "token", "dtype", "int64", "int32")


TESTS = [
    ("a dtype in the YAML", regenerated(r"(name: token, dtype: )int64", r"\1int32", "'input 0: token, int64[1]", "'input 0: token, int32[1]")),
    ("a size in the YAML", regenerated(r"(name: keys.*size: )\[2, 8, 8\](, stride: )\[64, 8, 1\]", r"\1[2, 9, 8]\2[72, 8, 1]", "[2, 8, 8]", "[2, 9, 8]")),
    ("arguments in another order", regenerated(r"(?s)(      - \{name: token.*?\n)(      - \{name: position.*?\n)", r"\2\1", "input 0: token", "input 0: position")),
    ("a write that the YAML leaves out", regenerated(r"(name: values.*), mutates_data: true", r"\1", "written in place", "for 'input 3: values")),
    ("an argument that the YAML lacks", regenerated(r"      - \{name: values.*\n", "", "input 3: values", "output 0")),
    ("changed weights", changed_weights),
    ("a weight that is not there", other_weights(_without, "no weight 'norm.bias'", "float32[16]")),
    ("a weight of another type", other_weights(_of_another_type, "'norm.bias' is float64[16]", "takes float32[16]")),
    ("a weight of another size", other_weights(_of_another_size, "'out.weight' is float32[16, 11]", "takes float32[11, 16]")),
    ("weights that are not there", edited("models/decoder.txt", r"weights decoder", "weights another", "another.safetensors", "No such file")),
    ("another machine", edited("models/decoder.txt", r"machine \w+", "machine pdp11", "compiled for pdp11", "this program for")),
    ("another CPU", edited("models/decoder.txt", r"cpu ", "cpu avx4096f ", "needs a CPU with avx4096f")),
    ("half of a word of the CPU", edited("models/decoder.txt", r"\ncpu .*", r"\ncpu av", "needs a CPU with av,")),
    ("another format", edited("models/decoder.txt", r"wrapgen model 1", "wrapgen model 2", "wrapgen model 1")),
    ("an output more", edited("models/decoder.txt", r"(output 0.*)", r"\1\noutput 1: more", "'output 1: more'", "'nothing more'")),
    ("a damaged library", damaged_library),
    ("files that end too early", cut_files),
    ("a recorded result", changed_result),
    ("an argument of another type", changed_argument),
]  # fmt: skip
