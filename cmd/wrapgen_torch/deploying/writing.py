# SPDX-License-Identifier: MIT
"""Writes the folder: what is compiled, recorded and generated, and around it the C and CMake of files/. It is written under a temporary
name and renamed, so the folder is complete or does not exist."""

import json
import os
import re
import shutil
import tempfile
from pathlib import Path

import torch

from ..errors import CaptureError
from ..environment import run, wrapgen
from ..names import Names
from ..progress import step
from ..yaml_text import SCHEMA, schema_line, to_yaml
from .bounds import refuse_calls_outside
from .compiling import description, put_weights
from .dispatching import by_entry, joined
from .python import arguments_of, row_of
from .tensors import write_tensors

FILES = Path(__file__).resolve().parent / "files"
OPTIONS = ["-Wno-uncovered", "-Wno-host-program"]  # a dispatcher is for the sizes that were asked for; a model needs no table


def write_folder(graphs, out, title, target="native", inside=True):
    out = Path(out)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise CaptureError(f"{out} exists: it is not replaced, since what is in it may have been changed; remove it or choose another --out")
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as scratch:
        folder = Path(scratch) / "new"
        folder.mkdir()
        _fill(folder, graphs, title, target, inside)
        os.chmod(folder, 0o755)
        os.rename(folder, out)


def _fill(folder, graphs, title, target, inside):
    document = joined(graphs)
    for graph in graphs:
        refuse_calls_outside(graph)
    notes = [note for graph in graphs for note in graph.notes]
    header = [schema_line(), title, "Written by wrapgen-torch deploy.", *notes]
    (folder / "graph.yaml").write_text(to_yaml(document, header), encoding="utf-8")
    (folder / SCHEMA).write_text(run([wrapgen(), "--print-schema"], folder), encoding="utf-8")
    expects = _generate(folder)
    (folder / "models").mkdir()
    libraries = []
    with step("compiling models with AOTInductor", len(graphs)) as one:
        for graph in graphs:
            libraries.append(graph.source.compile(folder / "models", target, inside))
            one.advance()
    put_weights(libraries, folder / "models")
    for library in libraries:
        text = description(library, folder / "models", expects[library.name])
        (folder / "models" / f"{library.name}.txt").write_text(text, encoding="utf-8")
    (folder / "data").mkdir()
    files = {entry: _put_calls(folder, entry, own) for entry, own in by_entry(graphs).items()}
    _put_program(folder, graphs, files, title)


def _generate(folder):
    """The wrappers and what they are compiled with. Returns the lines that they expect of each graph's model."""
    (folder / "generated").mkdir()
    generated = folder / "generated"
    run([wrapgen(), "graph.yaml", "--out", "generated/wrappers.c", "--header", "generated/wrappers.h", "--emit-limits", "generated/limits.h", *OPTIONS], folder)
    run([wrapgen(), "--print-templates", "parts"], folder)
    for part in ("core", "hosts/aoti"):
        src, dst = folder / "parts" / part, folder / "wrapgen" / part
        dst.mkdir(parents=True)
        for file in sorted(src.iterdir()):
            if file.suffix in (".c", ".h"):
                shutil.copyfile(file, dst / file.name)
    shutil.copyfile(folder / "parts" / "LICENSE", folder / "wrapgen" / "LICENSE")
    shutil.rmtree(folder / "parts")
    source = (generated / "wrappers.c").read_text(encoding="utf-8")
    tables = re.findall(r"^const char \*const model_(\w+)_expects\[\] = \{\n(.*?)^    NULL,$", source, re.DOTALL | re.MULTILINE)
    return {name: [json.loads(line.strip().rstrip(",")) for line in rows.splitlines()] for name, rows in tables}


def _put_calls(folder, entry, graphs):
    """The recorded calls as files; their names."""
    taken, files = Names(), []
    for graph in graphs:
        for call in graph.calls:
            name = f"data/{taken.take(f'{entry}_{call.name}')}.safetensors"
            tensors = {f"in {one}": value for one, value in call.inputs.items()}
            tensors |= {f"after {one}": value for one, value in call.after.items()}
            tensors |= {f"out {one}": value for one, value in call.outputs.items()}
            limits = {f"tolerance {one}": f"{relative:g} {absolute:g}" for one, (relative, absolute) in call.tolerance.items()}
            write_tensors(folder / name, tensors, limits)
            files.append(name)
    return files


# ---- C ----


def _put_program(folder, graphs, files, title):
    entries = by_entry(graphs)
    first = next(iter(entries))
    values = {
        "title": title,
        "project": first,
        "torch": torch.__version__.split("+")[0],
        "options": " ".join(OPTIONS),
        "entry": first,
        "data": files[first][0],
        "call": _call(first, entries[first]),
        "list": "\n".join(f"- `{name}`: {_signature(own[0].graph)}" for name, own in entries.items()),
    }
    models = {
        "objects": "\n".join(f"WgModel {graph.graph['compiled']};" for graph in graphs),
        "rows": "\n".join(f'    {{&{graph.graph["compiled"]}, "models/{graph.name}.txt", model_{graph.name}_expects}},' for graph in graphs),
    }
    compare = {"entries": "\n\n".join(_entry(name, own, files[name]) for name, own in entries.items()),
               "rows": "\n".join(_row(name, own, files[name]) for name, own in entries.items())}  # fmt: skip
    handles = {"releases": "\n".join(_release(graph.name) for graph in graphs)}
    python = {"entries": "\n".join(row_of(name, own, _signature(own[0].graph)) for name, own in entries.items()),
              "arguments": ", ".join(arguments_of(entries[first][0]))}  # fmt: skip
    for file, own in (("main.c", {}), ("models.c", models), ("models.h", {}), ("models.hpp", handles), ("models.py", python), ("python.c", {}), ("compare.c", compare),
                      ("CMakeLists.txt", {"entries": " ".join(entries)}), ("README.md", {})):  # fmt: skip
        (folder / file).write_text(fill((FILES / f"{file}.in").read_text(encoding="utf-8"), values | own), encoding="utf-8")


def _release(name):
    return f"inline void release(WgContext *ctx, model_{name}_outputs *outputs) {{ model_{name}_outputs_release(ctx, outputs); }}"


def fill(text, values):
    return re.sub(r"@(\w+)@", lambda found: values[found.group(1)], text)


def _signature(graph):
    taken = ", ".join(f"{entry['name']} {entry['dtype']}[{', '.join(map(str, entry['size']))}]" for entry in graph["inputs"])
    given = ", ".join(entry["name"] for entry in graph["outputs"])
    return f"takes {taken or 'nothing'}; returns {given or 'nothing'}"


def _call(name, graphs):
    """The body of main.c's call()."""
    inputs = [entry["name"] for entry in graphs[0].graph["inputs"]]
    outputs = [entry["name"] for entry in graphs[0].graph["outputs"]]
    find = [f'wg_aoti_tensors_find(data, "in {one}")' for one in inputs]
    if len(graphs) > 1:
        lines = ["const WgValue in[] = {", *(f"    wg_value_tensor({one})," for one in find), "};"]
        lines += [f"WgValue out[{len(outputs)}];", f"size_t num_outs = {len(outputs)};"]
        lines += [f"const int32_t status = model_{name}(ctx, in, {len(inputs)}, out, &num_outs); /* chooses among {len(graphs)} models */"]
        shown = [f'show(ctx, "{one}", out[{i}].tensor);\nwg_release(ctx, out[{i}].tensor);' for i, one in enumerate(outputs)]
    else:
        lines = [f"const model_{name}_inputs in = {{", *(f"    .{one} = {text}," for one, text in zip(inputs, find, strict=True)), "};"]
        lines += [f"model_{name}_outputs out;", f"const int32_t status = model_{name}(ctx, &in, &out);"]
        shown = [f'show(ctx, "{one}", out.{one});' for one in outputs] + [f"model_{name}_outputs_release(ctx, &out);"]
    lines += ["if (status == WG_OK) {", *("    " + line for one in shown for line in one.splitlines()), "}", "return status;"]
    return "\n".join("    " + line for line in lines)


def _entry(name, graphs, files):
    graph = graphs[0].graph
    written = {entry["name"] for one in graphs for entry in one.graph["inputs"] if entry.get("mutates_data")}
    rows = [f'    {{"in {one}", {json.dumps(f"after {one}") if one in written else "NULL"}}},' for one in (entry["name"] for entry in graph["inputs"])]
    outputs = ", ".join(json.dumps(f"out {entry['name']}") for entry in graph["outputs"])
    lines = [f"static const Input {name}_inputs[] = {{", *(rows or ["    {NULL, NULL},"]), "};"]
    lines += [f"static const char *const {name}_outputs[] = {{{outputs or 'NULL'}}};"]
    lines += [f"static const char *const {name}_files[] = {{", *(f"    {json.dumps(file)}," for file in files), "};"]
    if len(graphs) > 1:
        lines += ["", f"static int32_t {name}_call(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t num_outs)",
                  "{", f"    return model_{name}(ctx, args, num_args, outs, &num_outs);", "}"]  # fmt: skip
    return "\n".join(lines)


def _row(name, graphs, files):
    graph = graphs[0].graph
    call = f"{name}_call" if len(graphs) > 1 else f"model_{name}_boxed"
    return (f'    {{"{name}", {call}, {name}_inputs, {len(graph["inputs"])}, {name}_outputs, {len(graph["outputs"])}, '
            f"{name}_files, {len(files)}}},")  # fmt: skip
