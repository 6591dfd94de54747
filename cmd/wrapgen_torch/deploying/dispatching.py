# SPDX-License-Identifier: MIT
"""One YAML of several graphs: symbols that differ get different names, and graphs of one entry point become variants of a kernel."""

import re

from ..errors import CaptureError
from ..names import DEPLOYED
from .entries import rename


def joined(graphs):
    """The document of all graphs."""
    symbols, taken = {}, {entry["name"] for graph in graphs for entry in graph.graph["inputs"]}
    for graph in graphs:
        renamed = {}
        for symbol in graph.document.get("symbols", []):
            name = _free_name(symbol, symbols, taken)
            renamed[symbol["name"]] = name
            symbols[name] = {**symbol, "name": name}
        rename(graph.document, renamed)
    document = {"wrapgen": 1, "host": "aoti", "prefix": DEPLOYED}
    if symbols:
        document["symbols"] = list(symbols.values())
    document["graphs"] = [_with_check(graph.graph) for graph in graphs]
    kernels = [_kernel(name, own) for name, own in by_entry(graphs).items() if len(own) > 1]
    return {**document, **({"kernels": kernels} if kernels else {})}


def by_entry(graphs):
    result = {}
    for graph in graphs:
        result.setdefault(graph.entry, []).append(graph)
    return result


def _free_name(symbol, symbols, taken):
    """Its own name if that is free or means the same, else one with a number."""
    name, number = symbol["name"], 2
    while name in taken or name in symbols and {**symbols[name], "name": ""} != {**symbol, "name": ""}:
        name = f"{symbol['name']}_{number}"
        number += 1
    return name


def _with_check(graph):
    """Everything that can be tested is tested: compared with the model, the tests cost next to nothing."""
    where = list(graph).index("inputs")
    items = list(graph.items())
    return dict([*items[:where], ("check", "full"), *items[where:]])


def _kernel(name, graphs):
    constants = list(dict.fromkeys(graph.constants for graph in graphs))
    if len(constants) > 1:
        said = [", ".join(one) or "nothing" for one in constants]
        raise CaptureError(f"{name}: {said[0]} in one variant, {said[1]} in another, and a dispatcher sees only tensors: give each entry point a name")
    inputs = [graph.graph["inputs"] for graph in graphs]
    names = [[entry["name"] for entry in one] for one in inputs]
    if any(one != names[0] for one in names):
        raise CaptureError(f"{name}: its graphs take different arguments ({names[0]} and {next(one for one in names if one != names[0])})")
    variants = [{"graph": graph.name, "when": [_when(entry) for entry in graph.graph["inputs"]]} for graph in graphs]
    return {"name": name, "args": [{"name": one, "kind": "tensor", "subclass_ok": False} for one in names[0]], "variants": variants}


def _when(entry):
    size = [one if _is_plain(one) else "any" for one in map(str, entry["size"])]
    when = {"arg": entry["name"], "dtype": entry["dtype"], "device": entry["device"], "size": size}
    stride = list(map(str, entry["stride"]))
    if _is_contiguous(list(map(str, entry["size"])), stride):
        return {**when, "layout": "contiguous"}
    return {**when, "stride": [one if one.isdecimal() else "any" for one in stride]}


def _is_plain(text):
    return re.fullmatch(r"\d+|[A-Za-z_]\w*", text) is not None


def _is_contiguous(size, stride):
    """In the words of the YAML: the factors of a stride are the sizes after it."""
    number, names = 1, []
    for one, step in zip(reversed(size), reversed(stride), strict=True):
        factors = step.split("*")
        found = 1
        for factor in factors:
            found *= int(factor) if factor.isdecimal() else 1
        if found != number or sorted(factor for factor in factors if not factor.isdecimal()) != sorted(names):
            return False
        number *= int(one) if one.isdecimal() else 1
        names += [] if one.isdecimal() else [one]
    return True
