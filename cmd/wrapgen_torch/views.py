# SPDX-License-Identifier: MIT
"""View sequences: AOTAutograd's ViewMeta objects as the YAML's view operations.

A ViewMeta (torch._C._functionalization) is one operation that functionalization has seen; as_tuple() returns its
arguments after a header that ends with the inverse mode, which the index of the output precedes for operations that
return several. The class is named after the overload (`slice_Tensor_ViewMeta`), which we look up.

Only what _OPERATIONS has is read. Of `_unsafe_view` and `resize_`, whose classes are written by hand, as_tuple() of PyTorch 2.13 returns
a reference to a list that has ended.

To add an operation, add a line to _OPERATIONS.
"""

import torch

from .dtypes import dtype_name
from .errors import CaptureError
from .upstream import _functionalization

_SUFFIX = "_ViewMeta"
_END = 2**63 - 1

# Overload -> (operation of the format, names of its arguments in PyTorch's order). `None` skips an argument that does
# not change the view. The in-place overloads (`t_`) give the same view as the plain ones.
_OPERATIONS = {
    "_conj": ("_conj", []),
    "_neg_view": ("_neg_view", []),
    "alias": ("alias", []),
    "as_strided": ("as_strided", ["size", "stride", "offset"]),
    "detach": ("detach", []),
    "diagonal": ("diagonal", ["offset", "dim1", "dim2"]),
    "expand": ("expand", ["size", None]),
    "permute": ("permute", ["dims"]),
    "select_int": ("select", ["dim", "index"]),
    "slice_Tensor": ("slice", ["dim", "start", "end", "step"]),
    "split_Tensor": ("split", ["split_size", "dim"]),
    "split_with_sizes": ("split_with_sizes", ["sizes", "dim"]),
    "squeeze": ("squeeze", []),
    "squeeze_dim": ("squeeze", ["dims"]),
    "squeeze_dims": ("squeeze", ["dims"]),
    "t": ("t", []),
    "transpose_int": ("transpose", ["dim0", "dim1"]),
    "unbind_int": ("unbind", ["dim"]),
    "unfold": ("unfold", ["dim", "length", "step"]),
    "unsqueeze": ("unsqueeze", ["dim"]),
    "view": ("view", ["size"]),
    "view_as_complex": ("view_as_complex", []),
    "view_as_real": ("view_as_real", []),
    "view_dtype": ("view_dtype", ["dtype"]),
}
_INPLACE = {
    "as_strided_": "as_strided",
    "detach_": "detach",
    "squeeze_": "squeeze",
    "squeeze__dim": "squeeze_dim",
    "squeeze__dims": "squeeze_dims",
    "t_": "t",
    "transpose_": "transpose_int",
    "unsqueeze_": "unsqueeze",
}
_SEVERAL_OUTPUTS = {"split", "split_with_sizes", "unbind"}


class NotExpressible(Exception):
    """The text names the operation."""


def view_operations(sequence, symbols, where, from_input):
    """The YAML's `view` list of a ViewMetaSequence. Raises NotExpressible when the format lacks an operation.

    Functionalization counts from a storage, autograd from a tensor that is not a view. `_unsafe_view` makes such a tensor of a storage
    that is there, so a base that is the graph's own is what the last one has made. (PyTorch applies that to the base once more, and
    gets a tensor that shares its memory and not its version.)"""
    views = list(sequence.sequence)
    made = [position for position, view in enumerate(views) if _overload(view) == "_unsafe_view"]
    if made and not from_input:
        views = views[made[-1] + 1 :]
        if not views:
            raise NotExpressible("_unsafe_view")
    return [_operation(view, symbols, where) for view in views]


def _overload(view):
    overload = type(view).__name__.removesuffix(_SUFFIX)
    return _INPLACE.get(overload, overload)


def _operation(view, symbols, where):
    overload = _overload(view)
    if overload not in _OPERATIONS:
        raise NotExpressible(overload)
    header, arguments = _split(view.as_tuple())
    return operation_of(overload, arguments, header[1] if len(header) > 1 else None, symbols, where)


def operation_of(overload, arguments, index, symbols, where):
    """An entry of `view`: an overload (`slice_Tensor`) with all of its arguments but the tensor; `index` is the output's, of
    an operation that has several."""
    if overload not in _OPERATIONS:
        raise NotExpressible(overload)
    operation, names = _OPERATIONS[overload]
    entry = {"op": operation}
    for name, argument in zip(names, arguments, strict=True):
        if name is not None:
            _put(entry, name, argument, symbols, where)
    if operation == "transpose":
        entry["dims"] = [entry.pop("dim0"), entry.pop("dim1")]
    if operation in _SEVERAL_OUTPUTS:
        entry["index"] = index
    return entry


def _split(values):
    """Header (has_symbolic_inputs, [output index], reapply_views, inverse mode) and arguments."""
    for position, value in enumerate(values):
        if isinstance(value, _functionalization.InverseReturnMode):
            return values[:position], values[position + 1 :]
    raise CaptureError(f"a ViewMeta of an unknown form: {values}")


def _put(entry, name, argument, symbols, where):
    if argument is None or (name == "end" and isinstance(argument, int) and argument == _END):
        return
    if isinstance(argument, torch.dtype):
        entry[name] = dtype_name(argument, where)
    elif isinstance(argument, (list, tuple)):
        entry[name] = symbols.texts(argument, where)
    elif name == "dims":
        entry[name] = [symbols.text(argument, where)]
    else:
        entry[name] = symbols.text(argument, where)
