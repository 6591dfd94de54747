# SPDX-License-Identifier: MIT
"""What all AOTInductor models have is compiled once (interface.py): such a model has the functions of one that Inductor compiles whole,
and the same results."""

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import patch

import torch
from torch._inductor.exc import InductorError
from wrapgen_torch import build, interface
from wrapgen_torch.deploying import cpu
from wrapgen_torch.deploying.compiling import compile_program
from wrapgen_torch.environment import locked
from wrapgen_torch.interface import compiled_once
from wrapgen_torch.upstream import AOTIModelContainerRunnerCpu, CppWrapperCpu, codecache

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


def _compiled(path, **options):
    """`path`, where the model of _Step then is."""
    module = torch.export.export(_Step(), (torch.ones(2, 3),)).module()
    with torch.no_grad():
        torch._inductor.aot_compile(module, (torch.ones(2, 3),), options={"aot_inductor.output_path": str(path), **options})
    return str(path)


def _functions(library):
    """Those that others can call, by their names."""
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

    none = {"CC": "/none"}  # a deployment needs a C++ compiler only
    with _cache() as interfaces, patch.object(interface, "run", compile_nothing), patch.dict(os.environ, none):

        def made(*said, include="a.h"):
            return interface._object(["cc", *said, "-include", include], ["cc", *said])

        assert made("-O1") == made("-O1") == made("-O1", include="another_cache/a.h") and len(compiled) == 1
        assert made("-O0") != made("-O1")
        others = [(interface, "features", lambda: ["another"]), (interface, "compiler_version", lambda command: "another"),
                  (interface, "_MADE_HERE", "another"), (torch.version, "git_version", "another")]  # fmt: skip
        for where, name, other in others:
            before = interfaces()
            with patch.object(where, name, other):
                assert Path(made("-O1")).name not in before, name
        assert len(interfaces()) == len(compiled) == 2 + len(others), compiled


def _double(x):
    return x * 2 + 1


def test_who_compiles_like_that():
    """A build for load(), and a deployment, whose object is compiled for its CPU and not for this one."""
    objects = patch.object(interface, "_object", wraps=interface._object)
    with tempfile.TemporaryDirectory() as folder, objects as called:
        build(_double, lambda: (torch.ones(2),), f"{folder}/built", load=True)
        assert called.call_count == 1, "a forward"
        program = torch.export.export(_Step(), (torch.ones(2, 3),))
        target = "x86-64-v2" if cpu.machine() == "x86_64" else "native"
        compile_program(program.module(), (torch.ones(2, 3),), program, folder, "step", target, True)
        command, said = called.call_args.args
        assert called.call_count == 2 and all(f"-march={target}" in words for words in (command, said)), command
        assert target == "native" or not [word for word in said if word.startswith("-mavx")], said


def test_builds_that_overlap():
    """One thread leaves while another compiles: what that compiles is whole, and so is the model of a third that is not inside.
    Afterwards Inductor is as it was."""
    theirs = CppWrapperCpu._write_aoti_interface_header, codecache.CppBuilder
    inside, left = threading.Event(), threading.Event()

    def first():
        with compiled_once():
            inside.wait(60)
        left.set()

    with tempfile.TemporaryDirectory() as folder, _cache() as interfaces, ThreadPoolExecutor(2) as pool:
        one = pool.submit(first)
        declared = patch.object(interface, "_declared", wraps=interface._declared)
        with patch.object(interface, "_can_keep", lambda: inside.set() or left.wait(60)), declared as called, compiled_once():
            apart = _compiled(Path(folder) / "apart.so")
            plain = pool.submit(_compiled, Path(folder) / "plain.so").result()
            one.result()
        assert len(interfaces()) == called.call_count == 1 and left.is_set(), "one of the two models only declares it"
        results = [AOTIModelContainerRunnerCpu(path, 1).run([torch.ones(2, 3)]) for path in (apart, plain)]
        assert all(torch.equal(*pair) for pair in zip(*results))
    assert (CppWrapperCpu._write_aoti_interface_header, codecache.CppBuilder) == theirs


def test_a_fork_holds_no_lock():
    with tempfile.TemporaryDirectory() as folder:
        lock = Path(folder) / "lock"
        with locked(lock, "is the first"):
            child = os.fork()
            if child == 0:
                time.sleep(60)
                os._exit(0)
        begin = time.monotonic()
        with locked(lock, "is the second"):
            waited = time.monotonic() - begin
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert waited < 30, waited


def test_what_the_compiler_says_is_shown():
    with tempfile.TemporaryDirectory() as folder, _cache(), compiled_once():
        with patch("wrapgen_torch.interface._MADE_HERE", "#error the interface is broken\n"):
            try:
                _compiled(Path(folder) / "one.so")
            except InductorError as problem:
                assert "the interface is broken" in str(problem), problem
            else:
                raise AssertionError("it was compiled")


def test_where_nothing_can_be_kept_models_are_compiled_whole():
    """A deployment needs no cache. The cache is below a file here."""
    with tempfile.NamedTemporaryFile() as file, tempfile.TemporaryDirectory() as folder, compiled_once():
        with patch.dict(os.environ, WRAPGEN_CACHE=f"{file.name}/cache"):
            assert len(_functions(_compiled(Path(folder) / "whole.so"))) > 20


def test_other_models_are_compiled_whole():
    """Sources that are packaged for cmake have all of it."""
    with tempfile.TemporaryDirectory() as folder, _cache() as interfaces, compiled_once():
        options = {"aot_inductor.package": True, "aot_inductor.package_cpp_only": True}
        _compiled(Path(folder), **options)
        sources = [path.read_text() for path in Path(folder).rglob("*.wrapper.cpp")]
        assert len(sources) == 1 and f"{_THEIRS}ModelContainerRun(" in sources[0] and not interfaces()
