# SPDX-License-Identifier: MIT
"""`wrapgen-torch deploy`: each program of programs/ becomes a C program, which cmake builds and ctest runs where there is no Python,
and which is called from Python (replay.py, from_python.py).

  deploy.py [NAME...]

When SHARE is set (as among all suites), three of the models are deployed: two always, and one that PART says. What was recorded is compared with
eager PyTorch here, through another reader of safetensors; that a wrong model, description, weight or recorded value is noticed is
tested by planting one (planted.py), and so is bad input (refusals.py).
"""

import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(ROOT / "cmd"), str(HERE), str(HERE.parent / "shared")]
warnings.filterwarnings("ignore")

import torch  # noqa: E402
from runner import run_tests  # noqa: E402
from torch.utils._pytree import tree_leaves  # noqa: E402

from wrapgen_torch.case import load_cases  # noqa: E402
from wrapgen_torch.cli import main as wrapgen_torch  # noqa: E402
from wrapgen_torch.names import identifier  # noqa: E402

LIBTORCH = torch.__path__[0]
ALWAYS = ("decoder", "shared")  # things are planted into the first
OPTIONS = {"decoder": ["--weights", "beside"], "shared": ["--weights", "beside"], "quantised": ["--cpu", "x86-64-v3"]}


def deployed(program, folder, *options):
    assert wrapgen_torch(["deploy", str(program), "--out", str(folder), *options]) == 0
    return folder


def run(*command, cwd=None, bare=False):
    """(ended well, what it wrote). `bare`: in an environment without anything."""
    environment = {"PATH": "/usr/bin:/bin"} if bare else None
    ended = subprocess.run([str(word) for word in command], cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    return ended.returncode == 0, ended.stdout + ended.stderr


def built(folder):
    flags = "-O0 -Wall -Wextra -Wpedantic -Werror"
    for command in (["cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={LIBTORCH}", f"-DCMAKE_C_FLAGS={flags}",
                     "-DCMAKE_BUILD_TYPE=Debug"], ["cmake", "--build", folder / "build", "-j2"]):  # fmt: skip
        good, text = run(*command)
        assert good, text
    return folder


def tested(folder):
    return run(shutil.which("ctest"), "--test-dir", folder / "build", "--output-on-failure", bare=True)


def play(name, folder):
    program = HERE / "programs" / f"{name}.py"
    built(deployed(program, folder, *OPTIONS.get(name, [])))
    good, text = tested(folder)
    assert good, text
    for built_program in ("main", "compare"):
        good, text = run("ldd", folder / "build" / built_program)
        assert good and "libtorch_cpu" in text and not re.search(r"^\s*lib\w*python", text, re.MULTILINE), text
    (folder / "build" / "handles.cpp").write_text('#include "models.hpp"\n')
    good, text = run(*_CXX, "-fsyntax-only", *_includes(folder), folder / "build" / "handles.cpp")
    assert good, text
    good, text = run(folder / "build" / "main", bare=True)
    assert good and re.search(r"^\w+: \[", text), text
    replayed(folder)
    from_python("calls", folder, program)
    eager_agrees(program, folder)
    tool = os.environ.get("WRAPGEN", ROOT / "build/wrapgen")
    good, text = run(tool, "graph.yaml", "--out", "generated/wrappers.c", "--header", "generated/wrappers.h", "--emit-limits", "generated/limits.h",
                     "-Wno-uncovered", "--check", cwd=folder)
    assert good, text
    good, schema = run(tool, "--print-schema")
    assert good and (folder / "graph.schema.json").read_text() == schema
    assert (folder / "graph.yaml").read_text().startswith("# yaml-language-server: $schema=graph.schema.json\n")


def replayed(folder):
    """The recorded calls through models.py, where there is no PyTorch for Python."""
    good, text = run(sys.executable, "-I", "-S", HERE / "replay.py", folder, bare=True)
    assert good and re.fullmatch(r"replayed \d+\n", text), text


def from_python(*words):
    good, text = run(sys.executable, HERE / "from_python.py", *words)
    assert good and text == "all hold\n", text


_CXX = [*shlex.split(os.environ.get("CXX") or "c++"), "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]


def _includes(folder):
    return [f"-I{folder / one}" for one in ("", "generated", "wrapgen/core", "wrapgen/hosts/aoti")] + ['-DMODELS_FOLDER="."']


def handles(folder, scratch):
    """models.hpp as C++ uses it: nothing leaks but what the compiled model itself keeps."""
    good, text = run(*_CXX, "-g", "-fsanitize=address,undefined", *_includes(folder), HERE / "handles.cpp", folder / "build" / "libmodels.a",
                     f"-L{LIBTORCH}/lib", "-ltorch_cpu", "-lc10", "-ldl", "-lm", "-pthread", "-Wl,--allow-shlib-undefined",
                     "-Wl,--disable-new-dtags", f"-Wl,-rpath,{LIBTORCH}/lib", "-o", scratch / "handles")  # fmt: skip
    assert good, text
    ended = subprocess.run([scratch / "handles", folder], env=_leaks(scratch), capture_output=True, text=True, check=False)
    assert ended.returncode == 0 and ended.stdout == "0 failed\n", ended.stdout + ended.stderr


_CC = [*shlex.split(os.environ.get("CC") or "cc"), "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def shared_weights(folder, scratch):
    """Each weight is on disk once, and in memory; other weights in the file are those of all of its models."""
    from safetensors.torch import load_file, save_file

    models = folder / "models"
    files = {path.name: load_file(path) for path in models.glob("*.safetensors")}
    assert {name: sorted(tensors) for name, tensors in files.items()} == {
        "weights.safetensors": ["layer.bias", "layer.weight", "norm.bias", "norm.weight", "scale", "table.weight"], "other.safetensors": ["layer.bias", "layer.weight"]}  # fmt: skip
    named = {path.stem: re.findall(r"^weights (.*)$", path.read_text(), re.MULTILINE) for path in models.glob("*.txt")}
    assert named == {"read_1": ["weights.safetensors"], "read_2": ["weights.safetensors"], "score": ["weights.safetensors"], "other": ["other.safetensors"]}
    good, text = run(*_CC, "-g", "-fsanitize=address,undefined", *_includes(folder), HERE / "sharing.c", folder / "build" / "libmodels.a",
                     f"-L{LIBTORCH}/lib", "-ltorch_cpu", "-lc10", "-lstdc++", "-ldl", "-lm", "-pthread", "-Wl,--allow-shlib-undefined",
                     "-Wl,--disable-new-dtags", f"-Wl,-rpath,{LIBTORCH}/lib", "-o", scratch / "sharing")  # fmt: skip
    assert good, text
    ended = subprocess.run([scratch / "sharing", folder], env=_leaks(scratch), capture_output=True, text=True, check=False)
    assert ended.returncode == 0 and ended.stdout == "0 failed\n", ended.stdout + ended.stderr
    zeros = {name: torch.zeros_like(value) for name, value in files["weights.safetensors"].items()}
    save_file(zeros, models / "weights.safetensors")
    good, text = tested(folder)
    save_file(files["weights.safetensors"], models / "weights.safetensors")
    assert not good and {one for one in ("read", "score", "other") if re.search(rf"^\s*\d+ - {one} \(Failed\)", text, re.MULTILINE)} == {"read", "score"}, text


def _leaks(scratch):
    kept = scratch / "kept"
    kept.write_text("leak:_GLOBAL__sub_I_\n")  # constants of the model's library
    return {**os.environ, "LSAN_OPTIONS": f"suppressions={kept}:print_suppressions=0"}


def of_another_cpu(folder):
    """What was compiled for CPUs with AVX2 needs that, and nothing that only some of these have."""
    (line,) = re.findall(r"^cpu (.*)$", (folder / "models" / "quantised.txt").read_text(), re.MULTILINE)
    assert {"avx2", "fma", "bmi2"} <= set(line.split()) and "avx512" not in line, line
    good, text = run("objdump", "-d", folder / "models" / "quantised.so")
    assert good and "%ymm" in text and "%zmm" not in text, text[:200]


def eager_agrees(program, folder):
    """The recorded results, computed again: from the recorded inputs, by the program that the file makes now."""
    from safetensors.torch import load_file

    torch.manual_seed(0)
    cases = load_cases(program)
    num_compared = 0
    for case in cases:
        entry = case.name or program.stem
        for call, args in case.calls:
            recorded = load_file(folder / "data" / f"{entry}_{call}.safetensors")
            with torch.set_grad_enabled(case.trains):
                results = [leaf for leaf in tree_leaves(case.function(*args)) if isinstance(leaf, torch.Tensor)]
            names = [name for name in recorded if name.startswith("out ")]
            assert len(names) == len(results), names
            after = [name for name in recorded if name.startswith("after ")]
            state = {f"after {identifier(key)}": value for key, value in _state(case, args)}
            for name, value in [*zip(names, results), *((one, state[one]) for one in after)]:
                torch.testing.assert_close(recorded[name], value.detach(), rtol=1e-5, atol=1e-6)
                num_compared += 1
    assert num_compared > 0
    assert len(list((folder / "data").iterdir())) == sum(len(case.calls) for case in cases)


def _state(case, args):
    owner = getattr(case.function, "__self__", case.function)
    if isinstance(owner, torch.nn.Module):
        return [*owner.named_parameters(), *owner.named_buffers()]
    return case.named_arguments(args)


def chosen():
    every = sorted(path.stem for path in (HERE / "programs").glob("*.py"))
    if not os.environ.get("SHARE"):
        return every
    others = [name for name in every if name not in ALWAYS]
    return [*ALWAYS, others[int(os.environ.get("PART", "0")) % len(others)]]


def main():
    import page
    import planted
    import refusals

    with tempfile.TemporaryDirectory(prefix="deploy-") as scratch:
        folders = {name: Path(scratch) / name for name in chosen()}
        tests = [(name, lambda name=name: play(name, folders[name])) for name in folders]
        tests += [("handles in C++", lambda: handles(folders["decoder"], Path(scratch)))]
        tests += [("models.py", lambda: from_python("decoder", folders["decoder"]))]
        tests += [(f"planted: {name}", lambda test=test: test(folders["decoder"], Path(scratch))) for name, test in planted.TESTS]
        tests += [(f"refused: {name}", lambda test=test: test(Path(scratch))) for name, test in refusals.TESTS]
        if "shared" in folders:
            tests += [("weights on disk and in memory once", lambda: shared_weights(folders["shared"], Path(scratch)))]
        if "aliases" in folders:
            tests += [("models.py: results over arguments", lambda: from_python("aliases", folders["aliases"]))]
        if "shared" in folders:
            tests += [("models.py: limits", lambda: from_python("limits", folders["shared"]))]
        if "quantised" in folders and platform.machine() == "x86_64":
            tests += [("quantised, for another CPU", lambda: of_another_cpu(folders["quantised"]))]
        if not os.environ.get("SHARE"):
            tests += [(f"saved: {name}", lambda test=test: test(Path(scratch))) for name, test in refusals.SAVED]
            tests += [("the page", lambda: page.play(Path(scratch) / "page"))]
        return run_tests(tests, sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
