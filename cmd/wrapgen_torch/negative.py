# SPDX-License-Identifier: MIT
"""Calls that a wrapper must refuse: the arguments of a good call, with one stated fact of one input made wrong.

The stated facts are read from the YAML; a wrapper that accepts such a call, or that lets PyTorch raise instead of
returning its own error, has lost a guard. A guard comes before every effect, so a refused call changes nothing.
"""

import torch
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from .program import WrapperError, geometry_of


def unnoticed(program):
    """The calls that the built `program` does not refuse, as lines. Called after good calls."""
    merged = "synthetic_bases" in program.document["graphs"][0]
    if program.last is None or (merged and program.changes_geometry):
        return []
    args, geometries = program.last
    args = _as_they_came(args, geometries)
    lines = []
    for what, name, wrong in _wrong_calls(program.document, args, geometries):
        try:
            program(*wrong)
            lines.append(f"{what} goes unnoticed")
        except WrapperError as error:
            if name not in str(error):
                lines.append(f"{what} is refused with a different error: {error}")
        except Exception as problem:  # noqa: BLE001 - PyTorch's own error is the finding
            lines.append(f"{what} is not refused by the wrapper: {type(problem).__name__}: {str(problem).splitlines()[0]}")
    return lines


def _as_they_came(args, geometries):
    """A call may have changed the geometry of its arguments; they are replaced by others with the old one."""
    fresh = {}
    for value, geometry in zip(args, geometries, strict=True):
        if geometry is not None and geometry_of(value) != geometry:
            sizes, strides, dtype = geometry
            fresh.setdefault(id(value), torch.empty_strided(sizes, strides, dtype=dtype).zero_())
    return [fresh.get(id(value), value) for value in args]


def _wrong_calls(document, args, geometries):
    """(what is wrong, words of the error, arguments)"""
    entries = document["graphs"][0]["inputs"]
    if args:
        yield "a missing argument", "", args[:-1]
    yield "one argument too many", "", [*args, args[-1] if args else None]
    symbols = _sizes_that_are_known(entries)
    for position, (entry, value, geometry) in enumerate(zip(entries, args, geometries, strict=True)):
        if any(other is value for other in args[:position]):
            continue  # a duplicate: the only test is that it is one
        for what, wrong in _wrong_values(entry, value, geometry, symbols):
            changed = [wrong if other is value else other for other in args]
            yield f"'{entry['name']}': {what}", entry["name"], changed


def _sizes_that_are_known(entries):
    """(position, dimension) of symbolic sizes that an earlier dimension has bound, and of numbers."""
    seen, result = set(), set()
    for entry in entries:
        for dimension, size in enumerate(entry.get("size", ())):
            if isinstance(size, int) or size in seen:
                result.add((entry["name"], dimension))
            seen.add(size)
    return result


def _wrong_values(entry, value, geometry, known):
    if not isinstance(value, torch.Tensor) or ("dtype" not in entry and "subclass" not in entry):
        return
    yield "null", None
    if is_traceable_wrapper_subclass(value):
        yield "a plain tensor for a subclass", torch.zeros(tuple(value.shape))
        return
    sizes, strides, dtype = geometry

    def like(sizes, strides, dtype):
        return torch.empty_strided(sizes, strides, dtype=dtype).zero_()

    yield "another dtype", like(sizes, strides, torch.int16 if dtype != torch.int16 else torch.int32)
    if "size" not in entry:
        return
    yield "another rank", like((1, *sizes), (1, *strides), dtype)
    for dimension in range(len(sizes)):
        if (entry["name"], dimension) in known:
            yield f"another size {dimension}", like(_plus(sizes, dimension), strides, dtype)
    for dimension, stride in enumerate(entry.get("stride", ())):
        if isinstance(stride, int) and sizes[dimension] != 1:  # with a single element, strides are not used
            yield f"another stride {dimension}", like(sizes, _plus(strides, dimension), dtype)


def _plus(numbers, position):
    return tuple(number + (i == position) for i, number in enumerate(numbers))
