# SPDX-License-Identifier: MIT
"""What all AOTInductor models have, compiled once in an environment.

Inductor writes the functions that a model is called by (its aoti_runtime/interface.cpp) into the source of each model, and the compiler
makes them, and what they need of model_container.h, for each: more than half of the time that it takes for a small graph. Here the source
of a model only declares its base class, whose members one object has that is kept in the cache and linked with every model. It has the
same functions, compiled with the same command.
"""

import contextlib
import hashlib
import os
import shlex
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import patch

import torch

from .environment import cache_folder, compiler_version, features, locked, run
from .progress import step
from .upstream import CppBuilder, CppWrapperCpu, codecache, cpp_wrapper_cpu, inductor_config

_MEMBERS = "template class AOTInductorModelBase<AOTInductorModel>;"
_MADE_HERE, _ELSEWHERE = (f"namespace torch::aot_inductor {{ {word}{_MEMBERS} }}\n" for word in ("", "extern "))
_DEVICE = "#include <torch/csrc/inductor/aoti_include/cpu.h>\n"  # as the source of a model begins
_SUFFIX = ".wrapper.cpp"  # of the source of a model
_write_interface = CppWrapperCpu._write_aoti_interface_header


def _interface():
    return Path(cpp_wrapper_cpu.__file__).parent / "aoti_runtime" / "interface.cpp"


def _declared():
    """What takes the place of the interface: what it includes, and that the members of the base class are elsewhere."""
    lines = _interface().read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if line.startswith("#include")) + _ELSEWHERE


# ---- in Inductor ----

_changing = threading.Lock()
_inside = []  # the threads that are in compiled_once(), each as often as it is
_patches = contextlib.ExitStack()  # in place while there is one: another thread's must not go with the first that leaves


@contextlib.contextmanager
def compiled_once():
    """Models that Inductor compiles meanwhile in this thread are made like that."""
    me = threading.get_ident()
    with _changing:
        if not _inside:
            _patches.enter_context(patch.object(CppWrapperCpu, "_write_aoti_interface_header", _write))
            _patches.enter_context(patch.object(codecache, "CppBuilder", _Builder))
        _inside.append(me)
    try:
        yield
    finally:
        with _changing:
            _inside.remove(me)
            if not _inside:
                _patches.close()


def _write(wrapper):
    if threading.get_ident() in _inside and _is_usual(wrapper):
        wrapper.header.splice_aot(_declared())
    else:
        _write_interface(wrapper)


def _is_usual(wrapper):
    """Is it a model for the CPU, in a library of its own, and is there a place to keep the object? Anything else keeps what Inductor
    writes."""
    options = inductor_config.aot_inductor
    return type(wrapper) is CppWrapperCpu and options.dynamic_linkage and not options.package_cpp_only and _can_keep()


def _can_keep():
    with contextlib.suppress(OSError):
        return os.access(cache_folder(), os.W_OK)
    return False


class _Builder(CppBuilder):
    """It links the object of a model whose source only declares the base class with the interface, which is compiled while the model is,
    unless it is there."""

    _interfaces = {}  # by the object of a model

    def __init__(self, name, sources, BuildOption, output_dir=""):
        if isinstance(sources, list):
            sources = [*sources, *(self._interfaces.pop(one).result() for one in sources if one in self._interfaces)]
        super().__init__(name, sources, BuildOption, output_dir)
        if isinstance(sources, str) and sources.endswith(_SUFFIX) and _ELSEWHERE in Path(sources).read_text(encoding="utf-8"):
            pool = ThreadPoolExecutor(1)
            self._interfaces[self.get_target_file_path()] = pool.submit(_object, *_command(BuildOption))
            pool.shutdown(wait=False)


# ---- the object ----


def _command(option):
    """What compiles interface.cpp to interface.o, in whatever folder it is run, and that without the header that Inductor has compiled: it
    says the same, wherever that header is kept."""
    words = shlex.split(CppBuilder("interface", "interface.cpp", option).get_command_line())
    header = words.index("-include") if "-include" in words else len(words)
    return words, [*words[:header], *words[header + 2 :]]


def _key(text, said, compiler):
    """Of all that the object depends on. Headers of a PyTorch that is built where it is installed may change under one version."""
    theirs = Path(torch.__file__).resolve().parent
    headers = sorted((theirs / "include" / "torch" / "csrc" / "inductor" / "aoti_runtime").glob("*.h"))
    words = (text, *said, compiler_version(compiler), *sorted(features() or ()), torch.__version__, torch.version.git_version, str(theirs))
    return hashlib.sha256(b"\0".join([*map(str.encode, words), *(one.read_bytes() for one in headers)])).hexdigest()[:24]


def _object(command, said):
    """The path of the object; it is made if it is not in the cache. It is for CPUs that have what this one has."""
    cache = cache_folder()
    text = _DEVICE + _interface().read_text(encoding="utf-8") + _MADE_HERE
    made = cache / f"interface-{_key(text, said, command[0])}.o"
    if not made.exists():
        with locked(cache / "interface.lock", "compiles what models have in common"):
            if not made.exists():
                _compile(text, command, made, cache)
    return str(made)


def _compile(text, command, made, cache):
    with step("compiling what models have in common, once in this environment"), tempfile.TemporaryDirectory(prefix="new-", dir=cache) as new:
        (Path(new) / "interface.cpp").write_text(text, encoding="utf-8")
        run(command, new)
        os.replace(Path(new) / "interface.o", made)
