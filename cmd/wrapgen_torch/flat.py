# SPDX-License-Identifier: MIT
"""Where, among the values that a compiled function returns, each value begins and which of its sizes follow it.

A subclass is returned as its parts. A part is followed by its symbolic sizes and strides (since PyTorch 2.14), and all of them by
the subclass's own. PyTorch's metadata say which those were when it looked; one that has become a number since is not returned, so
the positions that the metadata have may be too far.
"""

from .errors import CaptureError
from .shapes import is_symbolic
from .upstream import PlainTensorMeta, SubclassCreationMeta, symbol_args


def returned_args(meta, geometry):
    """The `symbol_args` of a returned part, which is traced as `geometry`."""
    dims = {"size": geometry.size, "stride": geometry.stride}
    return [name for name in symbol_args(meta) if is_symbolic(dims[name.split(".")[0]][int(name.split(".")[1])])]


def width(meta, values):
    """How many of `values`, Geometries from its first on, belong to a returned value."""
    if isinstance(meta, PlainTensorMeta) and values and values[0] is not None:
        return 1 + len(returned_args(meta, values[0]))
    if not isinstance(meta, SubclassCreationMeta):
        return 1
    count = 0
    for child in meta.attrs.values():
        count += width(child, values[count:])
    outer = [*meta.outer_size, *meta.outer_stride] if meta.included_subclass_symints else []
    return count + sum(is_symbolic(one) and not one.node.is_nested_int() for one in outer)


def positions(metas, values):
    """Where each of `metas` begins, and where they end."""
    result = [0]
    for meta in metas:
        result.append(result[-1] + width(meta, values[result[-1] :]))
    return result


def returned_positions(traced):
    """Of the updated inputs, outputs and intermediate bases, after the tokens. CaptureError if the forward returns another number."""
    result = positions(traced.outer_meta.subclass_fw_graph_out_meta, traced.returns)
    there = traced.num_returned
    if any(isinstance(meta, SubclassCreationMeta) for meta in traced.outer_meta.subclass_fw_graph_out_meta) and result[-1] != there:
        raise CaptureError(f"the graph returns {there} values, and a wrapper would expect {result[-1]}: not done")
    return result
