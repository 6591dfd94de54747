# SPDX-License-Identifier: MIT
"""Recorded calls, held to what the model's own graph says of its arguments: a folder whose own calls are refused must not be written.
PyTorch compiles a size that varies for 2 and more, unless it is told otherwise, and eager mode, which records, takes any."""

from ..errors import CaptureError


def refuse_calls_outside(graph):
    """CaptureError for a call of a Graph that the wrapper of its own model refuses."""
    for call in graph.calls:
        known = {}
        for entry in graph.graph["inputs"]:
            value = call.inputs[entry["name"]]
            _same(_named(graph, call, entry, "the type"), str(value.dtype).removeprefix("torch."), entry["dtype"])
            _same(_named(graph, call, entry, "the number of dimensions"), value.dim(), len(entry["size"]))
            for dim, stated in enumerate(entry["size"]):
                _size(_named(graph, call, entry, f"size({dim})"), value.size(dim), stated, graph.document, known)
        for entry in graph.graph["inputs"]:
            value = call.inputs[entry["name"]]
            for dim, stated in enumerate(entry["size"]):
                _same(_named(graph, call, entry, f"size({dim})"), value.size(dim), _number(stated, known), stated)
            for dim, stated in enumerate(entry.get("stride", ())):
                if value.size(dim) > 1 and value.numel() > 0:
                    _same(_named(graph, call, entry, f"stride({dim})"), value.stride(dim), _number(stated, known), stated)
        for guard in graph.graph.get("guards", ()):
            if not _number(guard, known):
                raise CaptureError(f"{graph.entry}, call {call.name}: the model is only for {guard}, and this call has {_shown(known)}")


def _named(graph, call, entry, what):
    return f"{graph.entry}, call {call.name}: {what} of '{entry['name']}'"


def _size(what, found, stated, document, known):
    symbol = next((one for one in document.get("symbols", ()) if one["name"] == stated), None)
    if symbol is None or stated in known:
        return
    known[stated] = found
    least, most, multiple = symbol.get("min", 0), symbol.get("max"), symbol.get("multiple_of", 1)
    if found < least or most is not None and found > most or found % multiple:
        takes = [f"{least} and more" if most is None else f"{least} to {most}", *([f"in multiples of {multiple}"] if multiple > 1 else [])]
        raise CaptureError(f"{what} is {found}, and the model takes {' '.join(takes)} as {stated}")


def _same(what, found, wanted, stated=None):
    if found != wanted:
        said = f" ({stated})" if isinstance(stated, str) else ""
        raise CaptureError(f"{what} is {found}, and the model takes {wanted}{said}")


def _number(expression, known):
    return eval(str(expression), {"__builtins__": {}, "min": min, "max": max}, known)  # noqa: S307 - made by the capture


def _shown(known):
    return ", ".join(f"{name} = {number}" for name, number in known.items())
