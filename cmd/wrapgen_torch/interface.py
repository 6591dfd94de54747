# SPDX-License-Identifier: MIT
"""What all AOTInductor models have, compiled once in an environment.

Inductor writes the functions that a model is called by (its aoti_runtime/interface.cpp) into the source of each model, and the compiler
makes them, and what they need of model_container.h, for each: more than half of the time that it takes for a small graph. Here the source
of a model only declares its base class, whose members one object has that is kept in the cache and linked with every model. It has the
same functions, compiled with the same command.
"""

import contextlib
import os
import shlex
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import patch

from .environment import cache_folder, compiler_version, features, locked, run
from .extension import key_of
from .progress import step
from .upstream import CppBuilder, CppWrapperCpu, codecache, cpp_wrapper_cpu, inductor_config

_MEMBERS = "template class AOTInductorModelBase<AOTInductorModel>;"
_MADE_HERE, _ELSEWHERE = (f"namespace torch::aot_inductor {{ {word}{_MEMBERS} }}\n" for word in ("", "extern "))
_DEVICE = "#include <torch/csrc/inductor/aoti_include/cpu.h>\n"  # as the source of a model begins
_SUFFIX = ".wrapper.cpp"  # of the source of a model


def _interface():
    return Path(cpp_wrapper_cpu.__file__).parent / "aoti_runtime" / "interface.cpp"


def _declared():
    """What takes the place of the interface: what it includes, and that the members of the base class are elsewhere."""
    lines = _interface().read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if line.startswith("#include")) + _ELSEWHERE


def _is_usual(wrapper):
    """Is it a model for the CPU, in a library of its own? Anything else keeps what Inductor writes."""
    options = inductor_config.aot_inductor
    return type(wrapper) is CppWrapperCpu and options.dynamic_linkage and not options.package_cpp_only


@contextlib.contextmanager
def compiled_once():
    """Models that Inductor compiles meanwhile, in this thread or another, are made like that."""
    write_interface = CppWrapperCpu._write_aoti_interface_header

    def declare(wrapper):
        if not _is_usual(wrapper):
            return write_interface(wrapper)
        header = wrapper.header
        return getattr(header, "splice_aot", header.splice)(_declared())  # since 2.14 a header tells models from functions

    with (
        ThreadPoolExecutor(1) as pool,
        patch.object(CppWrapperCpu, "_write_aoti_interface_header", declare),
        patch.object(codecache, "CppBuilder", _builder(pool)),
    ):
        yield


def _builder(pool):
    """Inductor's CppBuilder. It links an object of a model with the interface, which is compiled while the model is, unless it is there."""
    interfaces = {}  # by the object of a model

    class Builder(CppBuilder):
        def __init__(self, name, sources, BuildOption, output_dir=""):
            if isinstance(sources, list):
                sources = [*sources, *{interfaces[one].result() for one in sources if one in interfaces}]
            super().__init__(name, sources, BuildOption, output_dir)
            if isinstance(sources, str) and sources.endswith(_SUFFIX) and _ELSEWHERE in Path(sources).read_text(encoding="utf-8"):
                interfaces[self.get_target_file_path()] = pool.submit(_object, *_command(BuildOption))

    return Builder


def _command(option):
    """What compiles interface.cpp to interface.o, in whatever folder it is run, and that without the header that Inductor has compiled: it
    says the same, wherever that header is kept."""
    words = shlex.split(CppBuilder("interface", "interface.cpp", option).get_command_line())
    header = words.index("-include") if "-include" in words else len(words)
    return words, [*words[:header], *words[header + 2 :]]


def _object(command, said):
    """The path of the object; it is made if it is not in the cache. It is for CPUs that have what this one has."""
    cache = cache_folder()
    text = _DEVICE + _interface().read_text(encoding="utf-8") + _MADE_HERE
    made = cache / f"interface-{key_of([], chr(0).join([text, *said, compiler_version(command[0]), *sorted(features() or ())]))}.o"
    with locked(cache / "interface.lock", "compiles what models have in common"):
        if not made.exists():
            with step("compiling what models have in common, once in this environment"), tempfile.TemporaryDirectory(prefix="new-", dir=cache) as new:
                (Path(new) / "interface.cpp").write_text(text, encoding="utf-8")
                run(command, new)
                os.replace(Path(new) / "interface.o", made)
    return str(made)
