# SPDX-License-Identifier: MIT
"""The table of models.py: what each entry point is called with from Python. Its arguments are those of the program's function, as the
first call passes them, and after them the state that the model takes."""

import ast

import torch
import torch.utils._pytree as pytree

from ..errors import CaptureError
from ..names import Names


def takes_of(entry, function_names, args, inputs):
    """(name, pattern) of each argument, as text of Python. `inputs`: the names of the C function's, tensors first and then the state."""
    rest, taken, takes = list(inputs), Names(), []
    for i, value in enumerate(args):
        first = len(rest)
        pattern = _pattern(entry, value, rest)
        own = inputs[len(inputs) - first] if isinstance(value, torch.Tensor) else f"argument_{i}"
        takes.append((taken.take(function_names[i] if i < len(function_names) else own), pattern))
    return [*takes, *((taken.take(name), repr(name)) for name in rest)]


def _pattern(entry, value, rest):
    """Takes the names of the tensors in `value` out of the front of `rest`."""
    if isinstance(value, torch.Tensor):
        return repr(rest.pop(0))
    pairs = pytree.tree_flatten_with_path(value, is_leaf=lambda one: one is not value)[0]
    if len(pairs) == 1 and not pairs[0][0]:
        return f"Fixed({repr(value)!r})"
    if not pairs:
        return "{}" if isinstance(value, dict) else "()"
    keys = [path[0] for path, _ in pairs]
    children = [_pattern(entry, child, rest) for _, child in pairs]
    if isinstance(keys[0], pytree.SequenceKey):
        return f"({', '.join(children)},)"
    if isinstance(keys[0], pytree.MappingKey):
        return f"{{{', '.join(f'{_key(entry, one.key)}: {child}' for one, child in zip(keys, children, strict=True))}}}"
    return f"Fields({', '.join(f'{one.name}={child}' for one, child in zip(keys, children, strict=True))})"


def _key(entry, key):
    try:
        if ast.literal_eval(repr(key)) == key:
            return repr(key)
    except (ValueError, SyntaxError):
        pass
    raise CaptureError(f"{entry}: a dict is passed that has {key!r} for a key; only texts and numbers can be written down")


def row_of(name, graphs, signature):
    """One entry of ENTRIES. Variants take the same arguments."""
    graph = graphs[0].graph
    inputs = [entry["name"] for entry in graph["inputs"]]
    takes = _takes(graphs[0])
    written = sorted({entry["name"] for one in graphs for entry in one.graph["inputs"] if entry.get("mutates_data")})
    chooses = len(graphs) > 1
    lines = [f"    Entry({name!r}, {f'model_{name}' if chooses else f'model_{name}_boxed'!r}, {chooses}, [", *(f"        ({one!r}, {pattern})," for one, pattern in takes),
             f"    ], {inputs}, {written}, {[entry['name'] for entry in graph['outputs']]}, {signature!r}),"]  # fmt: skip
    return "\n".join(lines)


def _takes(graph):
    return graph.takes or [(entry["name"], repr(entry["name"])) for entry in graph.graph["inputs"]]


def arguments_of(graph):
    """The names of those that no call may leave out."""
    return [name for name, pattern in _takes(graph) if not pattern.startswith("Fixed(")]
