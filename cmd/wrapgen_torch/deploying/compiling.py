# SPDX-License-Identifier: MIT
"""AOTInductor models, and the descriptions that they are held to when they are loaded (templates/hosts/aoti/wg_aoti_files.h)."""

import contextlib
import ctypes
import os
import tempfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path

import torch

from ..dtypes import dtype_name
from ..environment import lacking
from ..errors import CaptureError, first_line
from . import cpu
from .lifting import state_of
from .reached import refuse_proxy
from .tensors import write_tensors


@dataclass
class Library:
    """A compiled model: NAME.so in a folder, and what its description says besides the facts of the graph."""

    name: str
    machine: str
    needs: list  # of the CPU
    weights: list = field(default_factory=list)  # lines "NAME NAME TYPE" of weights in a separate file


def compile_program(module, arguments, program, folder, name, target, inside):
    """`module` as a library in the folder; with inside=False its weights are in NAME.safetensors."""
    cpu.compiler()
    options = {"aot_inductor.package_constants_in_so": inside, **cpu.settings(target)}
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        path = Path(scratch).resolve() / f"{name}.so"
        try:
            with _quiet(), torch.no_grad():
                made = torch._inductor.aot_compile(module, tuple(arguments), options={**options, "aot_inductor.output_path": str(path)})
        except Exception as problem:
            raise CaptureError(f"{name}: AOTInductor cannot compile it: {first_line(problem)}") from problem
        refuse_proxy(name, Path(made).read_bytes(), [one.read_text(encoding="utf-8") for one in Path(scratch).rglob("*.json")])
        os.replace(made, Path(folder) / f"{name}.so")
    library = Library(name, cpu.machine(), cpu.needs(target))
    if not inside:
        _refuse_foreign(library)
        library.weights = _put_beside(program, folder, name)
    return library


@contextlib.contextmanager
def _quiet():
    """AOTInductor's generated code writes to stderr what its caller is told anyway."""
    torch._logging.set_logs(all=50)
    try:
        yield
    finally:
        torch._logging.set_logs()


def _refuse_foreign(library):
    """Only the library itself tells what its weights are called, and it has to run here for that."""
    words = lacking(library.needs)
    if words:
        raise CaptureError(f"with '--weights beside', this CPU must be able to run the model; it lacks {' '.join(words)}")


def _put_beside(program, folder, name):
    tensors, lines = {}, []
    for constant, original in _constants(Path(folder) / f"{name}.so"):
        if original not in program.state_dict and original not in program.constants:
            raise CaptureError(f"{name}: the compiler made the weight '{constant}' itself, so weights cannot be in a separate file")
        tensor = state_of(program, original).detach()
        if not tensor.is_contiguous():
            raise CaptureError(f"{name}: weight '{original}' is not contiguous, so weights cannot be in a separate file")
        tensors[original] = tensor
        lines.append(f"{constant} {original} {dtype_name(tensor.dtype, original)}{list(tensor.shape)}")
    write_tensors(Path(folder) / f"{name}.safetensors", tensors)
    return lines


def _constants(path):
    """(name, original name) of each weight, of the library itself."""
    library = ctypes.CDLL(str(path))
    container, count, result = ctypes.c_void_p(), ctypes.c_size_t(), []

    def call(function, *args):
        if getattr(library, f"AOTInductorModelContainer{function}")(*args):
            raise CaptureError(f"{path.name}: {function} failed")

    call("CreateWithDevice", ctypes.byref(container), ctypes.c_size_t(1), b"cpu", None)
    call("GetNumConstants", container, ctypes.byref(count))
    for i in range(count.value):
        words = []
        for function in ("GetConstantName", "GetConstantOriginalFQN"):
            text = ctypes.c_char_p()
            call(function, container, ctypes.c_size_t(i), ctypes.byref(text))
            words.append(text.value.decode())
        result.append(tuple(words))
    call("Delete", container)
    return result


def description(library, folder, expects):
    """The text of NAME.txt; `expects` are the lines that the wrappers were generated from."""
    data = (Path(folder) / f"{library.name}.so").read_bytes()
    lines = ["# What this model is; wg_aoti_model_load() holds it to this. Written by wrapgen-torch deploy.", "wrapgen model 1"]
    lines += [f"machine {library.machine}"]
    lines += [f"cpu {' '.join(library.needs)}"] if library.needs else []
    lines += [f"library {library.name}.so {len(data)} {zlib.crc32(data):08x}", "device cpu", f"# torch {torch.__version__}"]
    if library.weights:
        lines += [f"weights {library.name}.safetensors", *(f"weight {line}" for line in library.weights)]
    return "\n".join([*lines, *expects]) + "\n"
