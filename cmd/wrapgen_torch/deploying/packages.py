# SPDX-License-Identifier: MIT
"""AOTInductor packages: models that are compiled already. A package says nothing of its arguments, but has the C++ that it was
compiled from, whose tests of the arguments do (check_input_0, which AOTInductor writes for every model). What that does not say is
refused: which results are views, and what a call writes to, is then found out by calling the model."""

import json
import re
import shutil
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import torch

from ..environment import lacking
from ..errors import CaptureError
from ..names import identifier, model_symbol
from . import cpu
from .entries import Graph, recorded_call
from .reached import refuse_proxy, refuse_without_weights

_FOLDER = re.compile(r"^[^/]+/data/aotinductor/([^/]+)/")


@dataclass
class _Package:
    path: Path
    model: str
    library: str  # its name in the archive
    metadata: dict
    name: str

    def compile(self, folder, _target, inside):
        from .compiling import Library

        if not inside:
            raise CaptureError("the package's weights are where it was compiled to have them; --weights is for what is compiled here")
        with zipfile.ZipFile(self.path) as archive, archive.open(self.library) as src:
            with open(Path(folder) / f"{self.name}.so", "wb") as dst:
                shutil.copyfileobj(src, dst)
        return Library(self.name, self.metadata.get("AOTI_MACHINE", ""), cpu.needs_of_isa(self.metadata.get("AOTI_CPU_ISA", "")))


def kind_of(path):
    """"package" or "program", of a .pt2 file."""
    try:
        with zipfile.ZipFile(path) as archive:
            bad = archive.testzip()
            names = archive.namelist()
    except (zipfile.BadZipFile, EOFError, zlib_error()) as problem:
        raise CaptureError(f"not a .pt2 file, or damaged: {problem}") from None
    if bad is not None:
        raise CaptureError(f"damaged: the checksum of '{bad}' is wrong")
    if any("/models/" in name and name.endswith(".json") for name in names):
        return "program"
    if any(_FOLDER.match(name) for name in names):
        return "package"
    raise CaptureError("neither what torch.export.save wrote nor an AOTInductor package")


def zlib_error():
    import zlib

    return zlib.error


def of_package(path):
    """Its graphs; each model of a package is an entry point."""
    graphs = []
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        for model in sorted({found.group(1) for found in map(_FOLDER.match, names) if found}):
            own = [name for name in names if (found := _FOLDER.match(name)) and found.group(1) == model]
            name = identifier(path.stem if model == "model" else model)
            graphs.append(_of_model(path, archive, model, own, name))
    return graphs


def _of_model(path, archive, model, own, name):
    def only(ending):
        found = [one for one in own if one.endswith(ending)]
        if len(found) != 1:
            raise CaptureError(f"{model}: {len(found)} files of the package end with {ending}, not one")
        return found[0]

    if any("/weights" in one or one.endswith(".blob") for one in own):
        raise CaptureError(f"{model}: its weights are in files of the package, which AOTInductor reads only through its C++ loader")
    library = only(".so")
    metadata = json.loads(archive.read(only(".wrapper_metadata.json")))
    _refuse_elsewhere(metadata)
    source = archive.read(only(".wrapper.cpp")).decode()
    _refuse_lacking(archive, own, library, source, name)
    graph, symbols = _facts(source, name)
    document = {"wrapgen": 1, "host": "aoti", **({"symbols": symbols} if symbols else {}), "graphs": [graph]}
    call = _made_up_call(path, model, graph, symbols)
    return Graph(name, name, document, [call], _Package(path, model, library, metadata, name), NOT_SAID)


def _refuse_lacking(archive, own, library, source, name):
    """Before the model is called: a call of a model that lacks something ends the process."""
    refuse_proxy(name, archive.read(library), [archive.read(one).decode() for one in own if one.endswith(".json")])
    with tempfile.TemporaryDirectory() as scratch:
        refuse_without_weights(name, archive.extract(library, scratch), source)


NOT_SAID = (
    "Read from an AOTInductor package, which does not say, and so this file does not:",
    "  - names of arguments, beyond the compiler's own",
    "  - which results share memory with an argument or each other",
    "What is written to was seen in one call with made-up arguments. Deploy the exported program instead, if you have it.",
)


def _refuse_elsewhere(metadata):
    made = f"{metadata.get('AOTI_MACHINE')} on {metadata.get('AOTI_PLATFORM')}"
    if metadata.get("AOTI_DEVICE_KEY") != "cpu":
        raise CaptureError(f"compiled for {metadata.get('AOTI_DEVICE_KEY')}, and only models for the CPU are deployed")
    if metadata.get("AOTI_MACHINE") != cpu.machine():
        raise CaptureError(f"compiled for {made}, and this machine is {cpu.machine()}: deploy it there, since its results are recorded by running it")
    words = lacking(cpu.needs_of_isa(metadata.get("AOTI_CPU_ISA", "")))
    if words:
        raise CaptureError(f"compiled for a CPU with {' '.join(words)}, which this one lacks")


# ---- the model's own tests of its arguments ----


def _facts(source, name):
    counts = re.search(r": AOTInductorModelBase\((\d+),\s*(\d+),", source)
    if counts is None:
        raise CaptureError(f"{name}: the package's C++ is not that of PyTorch {torch.__version__}")
    inputs, outputs = map(int, counts.groups())
    symbols = _symbols(source)
    ranges, entries = {}, []
    for i in range(inputs):
        body = re.search(rf"static void check_input_{i}\(.*?\n}}\n", source, re.DOTALL)
        if body is None:
            raise CaptureError(f"{name}: the package does not say what its input {i} is")
        entries.append(_input(body.group(), i, source, symbols, ranges, name))
    declared = [{"name": one, **bounds} for one, bounds in ranges.items()]
    graph = {"name": name, "mode": "inference", "compiled": model_symbol(name), "convention": "aoti", "inputs": entries,
             "outputs": [{"name": "out" if outputs == 1 else f"out_{i}", "type": "non_alias"} for i in range(outputs)]}  # fmt: skip
    return graph, declared


def _symbols(source):
    """{(argument, dim): symbol}, of run_impl, which reads each symbol from one size."""
    return {(arg, int(dim)): symbol for symbol, arg, dim in re.findall(r"int64_t (s\d+) = (\w+)_size\[(\d+)\];", source)}


def _input(body, i, source, symbols, ranges, name):
    arg = re.search(r"ConstantHandle (\w+) = ", body).group(1)
    dtype = re.search(r"aoti_torch_dtype_(\w+)\(\)", body).group(1)
    size = _dims(body, arg, "size", lambda dim: _symbol(body, arg, dim, i, symbols, ranges, name))
    stride = _dims(body, arg, "stride", lambda dim: None)
    if None in stride:
        stride = _contiguous(size, stride, arg, name, i)
    return {"name": f"in_{i}", "dtype": dtype, "size": size, "stride": stride, "device": "cpu"}


def _dims(body, arg, of, otherwise):
    fixed = {int(dim): value for value, dim in re.findall(rf"if \((\d+) != {arg}_{of}\[(\d+)\]\)", body)}
    varying = {int(dim) for dim in re.findall(rf"{arg}_{of}\[(\d+)\] [<>]", body)}
    other = {int(dim) for dim in re.findall(rf"int64_t s\d+ = {arg}_{of}\[(\d+)\];", body)}
    last = max([-1, *fixed, *varying, *other, *_rank(body, arg)])
    return [fixed[dim] if dim in fixed else otherwise(dim) for dim in range(last + 1)]


def _rank(body, arg):
    return {int(dim) for dim in re.findall(rf"{arg}_(?:size|stride)\[(\d+)\]", body)}


def _symbol(body, arg, dim, i, symbols, ranges, name):
    symbol = symbols.get((arg, dim))
    if symbol is None:
        raise CaptureError(f"{name}: size {dim} of input {i} varies, and the package does not say with what; deploy the exported program instead")
    low = re.search(rf"{arg}_size\[{dim}\] < (\d+)\)", body)
    high = re.search(rf"{arg}_size\[{dim}\] > (\d+)\)", body)
    ranges[symbol] = {} if low is None else {"min": int(low.group(1))}
    ranges[symbol] |= {} if high is None else {"max": int(high.group(1))}
    return symbol


def _contiguous(size, stride, arg, name, i):
    """Nothing checks dynamic strides, so a package is refused unless they are those of a contiguous tensor."""
    text, result = [], []
    for dim in reversed(range(len(size))):
        result.insert(0, "*".join(text) or "1")
        text += [size[dim]] if size[dim] != "1" else []
    for dim, one in enumerate(stride):
        if one is not None and result[dim].isdecimal() and result[dim] != one:
            raise CaptureError(f"{name}: input {i} is not contiguous, and the package does not say how; deploy the exported program instead")
    return result


# ---- a call ----


def _made_up_call(path, model, graph, symbols):
    lengths = {one["name"]: max(one.get("min", 0), min(3, one.get("max", 3))) for one in symbols}
    values = {entry["name"]: _made_up(entry, lengths) for entry in graph["inputs"]}
    before = {name: value.clone() for name, value in values.items()}
    runner = torch._C._aoti.AOTIModelPackageLoader(str(path), model, False, 1, -1)
    results = runner.boxed_run(list(values.values()))
    for entry in graph["inputs"]:
        if not torch.equal(before[entry["name"]], values[entry["name"]]):
            entry["mutates_data"] = True
    outputs = {entry["name"]: value.clone() for entry, value in zip(graph["outputs"], results, strict=True)}
    return recorded_call("made_up", graph, before, values, outputs, {})


def _made_up(entry, lengths):
    """Floats from -1 to 1; whole numbers and flags are 0, which is an index everywhere."""
    size = [lengths[one] if one in lengths else int(one) for one in entry["size"]]
    dtype = getattr(torch, entry["dtype"])
    generator = torch.Generator().manual_seed(len(size) + 1)
    value = torch.rand(size, generator=generator) * 2 - 1 if dtype.is_floating_point else torch.zeros(size)
    stride = [eval(one, {"__builtins__": {}}, dict(lengths)) for one in entry["stride"]]  # noqa: S307 - products made above
    return torch.empty_strided(size, stride, dtype=dtype).copy_(value)
