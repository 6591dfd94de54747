# SPDX-License-Identifier: MIT
"""AOTInductor models, and the descriptions that they are held to when they are loaded (templates/hosts/aoti/wg_aoti_files.h)."""

import contextlib
import ctypes
import os
import tempfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import torch
from torch.export.graph_signature import InputKind

from ..dtypes import dtype_name
from ..environment import lacking
from ..errors import CaptureError, first_line
from ..interface import compiled_once
from ..upstream import GraphLowering, inductor_config
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
    tensors: dict = field(default_factory=dict)  # these weights, by their names in the module
    file: str = ""  # where they are


def compile_program(module, arguments, program, folder, name, target, inside):
    """`module` as a library in the folder; with inside=False its weights are still to be put into a file."""
    cpu.compiler()
    options = {"aot_inductor.package_constants_in_so": inside, **cpu.settings(target)}
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        path = Path(scratch).resolve() / f"{name}.so"
        try:
            with _quiet(), torch.no_grad(), compiled_once(), contextlib.nullcontext() if inside else _kept_apart(program):
                made = torch._inductor.aot_compile(module, tuple(arguments), options={**options, "aot_inductor.output_path": str(path)})
        except Exception as problem:
            raise CaptureError(f"{name}: AOTInductor cannot compile it: {first_line(problem)}") from problem
        refuse_proxy(name, Path(made).read_bytes(), [one.read_text(encoding="utf-8") for one in Path(scratch).rglob("*.json")])
        os.replace(made, Path(folder) / f"{name}.so")
    library = Library(name, cpu.machine(), cpu.needs(target))
    if not inside:
        _refuse_foreign(library)
        _find_weights(library, module, program, folder)
    return library


def put_weights(libraries, folder):
    """Writes the weights that are not inside. Libraries share a file where what they have under one name is one weight, so
    that entry points of one module, and variants of one entry point, have them once."""
    groups = []
    for library in libraries:
        if library.tensors:
            group = next((one for one in groups if _agree(one, library.tensors)), None)
            if group is None:
                groups.append(group := {"tensors": {}, "libraries": []})
            group["tensors"].update(library.tensors)
            group["libraries"].append(library)
    taken = {library.name for library in libraries}
    for group in groups:
        first, *others = group["libraries"]
        name = "weights" if others and "weights" not in taken else first.name
        taken.add(name)
        write_tensors(Path(folder) / f"{name}.safetensors", group["tensors"])
        for library in group["libraries"]:
            library.file = f"{name}.safetensors"


def _agree(group, tensors):
    """At least one weight is in both, and none is another one there."""
    common = group["tensors"].keys() & tensors.keys()
    return bool(common) and all(_same(group["tensors"][name], tensors[name]) for name in common)


def _same(a, b):
    """Bit for bit: a NaN is itself, and 0.0 is not -0.0."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return a.data_ptr() == b.data_ptr() or torch.equal(a.reshape(-1).view(torch.uint8), b.reshape(-1).view(torch.uint8))


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


@contextlib.contextmanager
def _kept_apart(program):
    """Inductor writes numbers and vectors of up to eight elements into its code. A weight there would stay when the file is replaced;
    tensors that the program makes itself may."""
    original = GraphLowering.get_attr
    made = {spec.target for spec in program.graph_signature.input_specs if spec.kind is InputKind.CONSTANT_TENSOR}

    def get_attr(self, target, args, kwargs):
        with inductor_config.patch(always_keep_tensor_constants=target not in made and not target.startswith("_tensor_constant")):
            return original(self, target, args, kwargs)

    with mock.patch.object(GraphLowering, "get_attr", get_attr):
        yield


def _refuse_hidden(library, module, program):
    """A weight that the model reads and the library does not name is somewhere in the code."""
    named = {tensor.data_ptr() for tensor in library.tensors.values()}
    for node in module.graph.find_nodes(op="get_attr"):
        weight = program.state_dict.get(node.target)
        if node.users and weight is not None and weight.numel() > 0 and weight.data_ptr() not in named:
            raise CaptureError(f"{library.name}: the compiler put the weight '{node.target}' into its code, so weights cannot be in a separate file")


def _find_weights(library, module, program, folder):
    name = library.name
    for constant, original in _constants(Path(folder) / f"{name}.so"):
        if original not in program.state_dict and original not in program.constants:
            raise CaptureError(f"{name}: the compiler made the weight '{constant}' itself, so weights cannot be in a separate file")
        tensor = state_of(program, original).detach()
        if not tensor.is_contiguous():
            raise CaptureError(f"{name}: weight '{original}' is not contiguous, so weights cannot be in a separate file")
        library.tensors[original] = tensor
        library.weights.append(f"{constant} {original} {dtype_name(tensor.dtype, original)}{list(tensor.shape)}")
    _refuse_hidden(library, module, program)


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
        lines += [f"weights {library.file}", *(f"weight {line}" for line in library.weights)]
    return "\n".join([*lines, *expects]) + "\n"
