# SPDX-License-Identifier: MIT
"""What all AOTInductor models have is compiled once (interface.py): such a model has the functions of one that Inductor compiles whole,
and the same results."""

import contextlib
import os
import subprocess
import tempfile
from pathlib import Path
from unittest.mock import patch

import torch
from torch._inductor.exc import InductorError
from wrapgen_torch import interface
from wrapgen_torch.interface import compiled_once
from wrapgen_torch.upstream import AOTIModelContainerRunnerCpu

_THEIRS = "AOTInductor"  # begins the names of the functions that a model is called by


class _Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.arange(12.0).view(3, 4).sin())

    def forward(self, x):
        return torch.relu(x @ self.weight) - x.sum(), x.cos()


@contextlib.contextmanager
def _cache():
    """An empty cache, and what interfaces are in it."""
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, WRAPGEN_CACHE=folder):
        yield lambda: sorted(path.name for path in Path(folder).glob("interface-*.o"))


def _compiled(path, module=None, **options):
    """`path`, where the model of _Step then is."""
    module = module if module is not None else torch.export.export(_Step(), (torch.ones(2, 3),)).module()
    with torch.no_grad():
        torch._inductor.aot_compile(module, (torch.ones(2, 3),), options={"aot_inductor.output_path": str(path), **options})
    return str(path)


def _functions(library):
    """Those that others can call, by their names; and what it does not define itself but for PyTorch's and the system's libraries."""
    listed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in listed.splitlines() if line.split()[-1].startswith(_THEIRS)}


def test_a_model_has_what_inductor_gives_it():
    """The same functions, and the same results bit for bit, with weights inside and from outside."""
    with tempfile.TemporaryDirectory() as folder, _cache() as interfaces:
        whole = _compiled(Path(folder) / "whole.so")
        assert not interfaces(), "Inductor's own way"
        with compiled_once():
            apart = _compiled(Path(folder) / "apart.so")
        assert len(interfaces()) == 1
        assert _functions(whole) == _functions(apart) and len(_functions(whole)) > 20, _functions(apart)
        x = torch.tensor([[0.5, -1.0, 3.0], [2.0, 0.25, -4.0]])
        runners = [AOTIModelContainerRunnerCpu(one, 1) for one in (whole, apart)]
        results = [runner.run([x]) for runner in runners]
        assert all(torch.equal(*pair) for pair in zip(*results)) and torch.equal(results[1][0], _Step()(x)[0])
        weights = [runner.get_constant_names_to_original_fqns() for runner in runners]
        assert weights[0] == weights[1] and len(weights[0]) == 1, weights
        for runner in runners:
            runner.update_constant_buffer({name: torch.ones(3, 4) for name in weights[0]}, False, False)
        results = [runner.run([x]) for runner in runners]
        assert all(torch.equal(*pair) for pair in zip(*results)) and results[1][0][0, 0] == 2.5 - x.sum()


def test_it_is_compiled_once():
    """For each command; where another command, another interface or another CPU would make another object, there is another."""
    compiled = []

    def compile_nothing(command, folder):
        compiled.append(command)
        (Path(folder) / "interface.o").touch()

    with _cache() as interfaces, patch.object(interface, "run", compile_nothing):

        def made(*said, include="a.h"):
            return interface._object(["cc", *said, "-include", include], ["cc", *said])

        assert made("-O1") == made("-O1") == made("-O1", include="another_cache/a.h") and len(compiled) == 1
        assert made("-O0") != made("-O1")
        for name, other in (("features", lambda: ["another"]), ("compiler_version", lambda command: "another"), ("_MADE_HERE", "another")):
            before = interfaces()
            with patch.object(interface, name, other):
                assert Path(made("-O1")).name not in before, name
        assert len(interfaces()) == len(compiled) == 5, compiled


def test_what_the_compiler_says_is_shown():
    with tempfile.TemporaryDirectory() as folder, _cache(), compiled_once():
        with patch("wrapgen_torch.interface._MADE_HERE", "#error the interface is broken\n"):
            try:
                _compiled(Path(folder) / "one.so")
            except InductorError as problem:
                assert "the interface is broken" in str(problem), problem
            else:
                raise AssertionError("it was compiled")


def test_other_models_are_compiled_whole():
    """Sources that are packaged for cmake have all of it."""
    with tempfile.TemporaryDirectory() as folder, _cache() as interfaces, compiled_once():
        options = {"aot_inductor.package": True, "aot_inductor.package_cpp_only": True}
        _compiled(Path(folder), **options)
        sources = [path.read_text() for path in Path(folder).rglob("*.wrapper.cpp")]
        assert len(sources) == 1 and f"{_THEIRS}ModelContainerRun(" in sources[0] and not interfaces()
