# SPDX-License-Identifier: MIT
"""The command `wrapgen-torch init`: a first project of a program of the user's. It has the graph.yaml that was captured, a kernel to be filled
in, a main.c that calls the wrapper with the recorded arguments and compares with what PyTorch computed, and the Makefile of `wrapgen init`."""

import argparse
import math
import re
import shlex
import sys
import tempfile
import textwrap
import warnings
from pathlib import Path

from .environment import HERE, run, wrapgen
from .errors import CaptureError
from .told import told_of
from .yaml_text import SCHEMA, schema_line, to_yaml

_TYPES = {"float32": "float", "float64": "double", "bool": "uint8_t", "uint8": "uint8_t",
          **{f"int{bits}": f"int{bits}_t" for bits in (8, 16, 32, 64)}}  # fmt: skip
_MOST = 1 << 16  # elements that are written into main.c
_ABOUT = {
    "graph.yaml": "describes the captured graph",
    SCHEMA: "explains graph.yaml to an editor",
    "kernel.c": "the compiled function, to be filled in",
    "main.c": "calls its wrapper, compares with PyTorch",
    "Makefile": "generates the wrapper, builds, runs",
}


def main(arguments):
    parser = argparse.ArgumentParser(
        prog="wrapgen-torch init",
        description="Write a first C project of a PyTorch program: its graph as YAML, a kernel to be filled in, and a program that calls it.",
    )
    parser.add_argument("program", metavar="PROGRAM.py", help="a file with a function case(), which says what to compile and call")
    parser.add_argument("--out", required=True, metavar="DIR", help="the folder that is written")
    options = parser.parse_args(arguments)
    warnings.filterwarnings("ignore", module=r"torch\.")
    folder = Path(options.out)
    try:
        with told_of(options.program):
            files = _files_of(Path(options.program), options.out)
        _put(folder, files)
    except (CaptureError, OSError) as error:
        print(f"{options.program}: error: {error}", file=sys.stderr)
        return 2
    for name, about in _ABOUT.items():
        print(f"{folder / name!s:<24}  {about}")
    tool = "" if wrapgen() == "wrapgen" else f" WRAPGEN={shlex.quote(str(Path(wrapgen()).resolve()))}"
    make = f"make -C {shlex.quote(str(folder))}"
    print(f"\nTest the wrapper; then fill in kernel.c, and compare it with PyTorch:\n  {make} test{tool}\n  {make}{tool}")
    return 0


def _put(folder, files):
    """Writes all of them, or none: a file that exists and differs is the user's."""
    for name, text in files.items():
        path = folder / name
        if path.exists() and path.read_text(encoding="utf-8") != text:
            raise CaptureError(f"{path} exists and differs; nothing is written: choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def _files_of(program, out):
    import torch

    from .case import load_case
    from .describe import describe
    from .recording import record_case

    torch.manual_seed(0)
    case = load_case(program)
    case.name = _named(program.stem if case.name == program.resolve().parent.name else case.name)
    case.backward = False  # of a graph that trains, which is refused
    captured = record_case(case, [])
    _refuse(case, captured)
    header = [schema_line(), *case.description.splitlines(), "", f"Captured from torch {torch.__version__.split('+')[0]}; yours from here on. By",
              f"  wrapgen-torch init {program.name} --out {out}"]  # fmt: skip
    notes = [f"{note}." for note in captured.traced.untested]
    graph = to_yaml(describe(case, captured), [*header, *notes])
    return {"graph.yaml": graph, "main.c": _main_of(case, captured, program.name), **_made_of(graph)}


def _named(text):
    """A C identifier."""
    name = re.sub(r"\W", "_", text, flags=re.ASCII)
    return f"graph_{name}" if name[:1].isdigit() else name


def _refuse(case, captured):
    if captured.traced.trains:
        raise CaptureError("its graph trains, and a first project has no backward: case() returns Case(..., grad_mode=False)")
    before, after = captured.calls[0].before, captured.calls[0].after
    for snapshot in (before, after):
        for name, value in {**snapshot.inputs, **snapshot.outputs}.items():
            if value is None:
                raise CaptureError(f"'{name}' is None: a first project has only tensors and numbers")
            if _is_tensor(value) and _dtype(value) not in _TYPES:
                raise CaptureError(f"'{name}' is of {_dtype(value)}, for which C has no type: a first project has only integers, float32 and float64")
    shared = [record.storage for record in before.inputs.values() if _is_tensor(record)]
    if len(set(shared)) < len(shared):
        raise CaptureError("arguments of its first call share memory, which a first project does not: give each memory of its own")
    if sum(storage.values.numel() for storage in before.storages.values()) > _MOST:
        raise CaptureError(f"the first call of case() has more than {_MOST} elements, and main.c would have them all: give it smaller arguments")


def _made_of(graph):
    """What the tool makes: the Makefile and the schema of `wrapgen init`, and a kernel for this graph."""
    with tempfile.TemporaryDirectory(prefix="wrapgen-init-") as place:
        folder = Path(place)
        run([wrapgen(), "init", folder / "first"])
        (folder / "graph.yaml").write_text(graph, encoding="utf-8")
        run([wrapgen(), "graph.yaml", "--header", "wrappers.h", "--emit-kernel-stub", "kernel.c"], folder)
        made = {name: folder / "first" / name for name in ("Makefile", SCHEMA)} | {"kernel.c": folder / "kernel.c"}
        return {name: path.read_text(encoding="utf-8") for name, path in made.items()}


# ---- main.c ----


def _main_of(case, captured, program):
    from .deploying.writing import fill

    call = captured.calls[0]
    before, after = call.before, call.after
    written = [(name, value) for name, value in after.inputs.items() if _is_tensor(value) and _values(before, before.inputs[name]) != _values(after, value)]
    compared = [*((f"args[{captured.input_names.index(name)}]", name, value) for name, value in written),
                *((f"outs[{i}]", name, after.outputs[name]) for i, name in enumerate(captured.output_names))]  # fmt: skip
    owned = [f"outs[{i}]" for i, name in enumerate(captured.output_names) if _is_tensor(after.outputs[name])]
    owned += [f"args[{i}]" for i, name in enumerate(captured.input_names) if _is_tensor(before.inputs[name])]
    arrays = {f"static {_c_type(storage.values)} storage_{number}": storage.values for number, storage in before.storages.items()}
    expected = {f"static const {_c_type(value)} expected_{i}": _shown(after, value) for i, (_, _, value) in enumerate(compared) if _is_tensor(value)}
    values = {
        "call": call.name,
        "program": program,
        "entry": f"{case.prefix}{case.name}_boxed",
        "inputs": str(len(captured.input_names)),
        "outputs": str(len(captured.output_names)),
        "num_args": str(len(captured.input_names) or 1),
        "num_outs": str(len(captured.output_names) or 1),
        "storages": _lines(_array(declaration, values) for declaration, values in arrays.items()),
        "arguments": _lines(_argument(i, name, before.inputs[name], before) for i, name in enumerate(captured.input_names)),
        "expected": _lines(_array(declaration, values) for declaration, values in expected.items()),
        "compared": _lines(_comparison(case, i, *one) for i, one in enumerate(compared)),
        "released": _lines(f"    wg_release(ctx, {place}.tensor);" for place in owned),
    }
    return fill((HERE / "files" / "main.c.in").read_text(encoding="utf-8"), values)


def _lines(texts):
    return "\n".join(texts)


def _is_tensor(value):
    return hasattr(value, "stride")


def _dtype(value):
    return str(value.dtype).removeprefix("torch.")


def _c_type(value):
    return _TYPES[_dtype(value)]


def _shown(snapshot, record):
    """The elements of a recorded tensor, in the order of its dimensions."""
    return snapshot.storages[record.storage].values.as_strided(record.size, record.stride, record.offset).reshape(-1)


def _values(snapshot, record):
    return repr(_shown(snapshot, record).tolist())


def _array(declaration, values):
    text = ", ".join(map(_number, values.tolist())) or "0"
    return "\n".join([f"{declaration}[] = {{", *textwrap.wrap(text, 120, initial_indent="    ", subsequent_indent="    "), "};"])


def _number(value):
    """A constant of C, to the last bit."""
    if isinstance(value, float):
        if math.isfinite(value):
            return repr(value)
        return "NAN" if math.isnan(value) else "INFINITY" if value > 0 else "-INFINITY"
    return "INT64_MIN" if value == -(1 << 63) else str(int(value))


def _argument(i, name, value, snapshot):
    if not _is_tensor(value):
        made = f"wg_value_real({_number(value)})" if isinstance(value, float) else f"wg_value_integer({_number(value)})"
        return f"    args[{i}] = {made}; /* {name} */"
    sizes, strides = (", ".join(map(str, numbers)) or "0" for numbers in (value.size, value.stride))
    geometry = f"&(WgGeometry){{(const int64_t[]){{{sizes}}}, (const int64_t[]){{{strides}}}, {value.offset}, {len(value.size)}}}"
    empty = snapshot.storages[value.storage].values.numel() == 0
    memory = f"storage_{value.storage}, {0 if empty else f'sizeof storage_{value.storage}'}"
    borrow = f"wg_native_borrow(ctx, {memory}, {geometry}, WG_{_dtype(value).upper()}, WG_CPU, NULL, NULL, &args[{i}].tensor)"
    return f"    /* {name} */\n    if ({borrow} != WG_OK) {{\n        return fail(ctx);\n    }}"


def _comparison(case, i, place, name, value):
    if not _is_tensor(value):
        field = "real" if isinstance(value, float) else "integer"
        return f'    if ({place}.{field} != {_number(value)}) {{\n        printf("{name} differs from PyTorch\'s\\n");\n        differ = 1;\n    }}'
    relative, absolute = (max(given, least) for given, least in zip(case.tolerance.get(name, (0.0, 0.0)), (1e-5, 1e-6), strict=True))
    return f'    differ |= compare(ctx, "{name}", {place}.tensor, expected_{i}, {math.prod(value.size)}, sizeof expected_{i}[0], {relative:g}, {absolute:g});'
