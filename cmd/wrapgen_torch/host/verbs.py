# SPDX-License-Identifier: 0BSD
"""The verbs of templates/hosts/VERBS.md on real tensors; wg_python.c and wg_python_tensor.c call each by its name.

Whatever PyTorch's wrappers do themselves is done here with the same public operation (copy_, as_strided_, set_, detach,
...). A compiled function does not have an autograd node in C, so `set_requires_grad` asks the running call (current())
to hang the tensor on the call's node.
"""

import torch
from torch.nested._internal.nested_int import NestedIntNode
from torch.nested._internal.nested_tensor import get_tensor_symint
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

# c10/core/ScalarType.h, as in wg_core.h.
_NUMBERS = {
    "uint8": 0, "int8": 1, "int16": 2, "int32": 3, "int64": 4, "float16": 5, "float32": 6, "float64": 7, "complex32": 8,
    "complex64": 9, "complex128": 10, "bool": 11, "bfloat16": 15, "float8_e5m2": 23, "float8_e4m3fn": 24,
    "float8_e5m2fnuz": 25, "float8_e4m3fnuz": 26, "uint16": 27, "uint32": 28, "uint64": 29,
}  # fmt: skip
_NUMBER_OF = {getattr(torch, name): number for name, number in _NUMBERS.items()}
_DTYPE_OF = {number: dtype for dtype, number in _NUMBER_OF.items()}
_DEVICES = {"cpu": 0, "cuda": 1, "meta": 14}
_FORMATS = {0: torch.contiguous_format, 2: torch.channels_last, 3: torch.channels_last_3d}

_calls = []  # the running calls, innermost last
_autocast = []


class running:
    """`with running(call):` makes `call` the one that set_requires_grad uses."""

    def __init__(self, call):
        self._call = call

    def __enter__(self):
        _calls.append(self._call)

    def __exit__(self, *_):
        _calls.pop()


# ---- read ----


def rank(t):
    return t.dim()


def size(t, dimension):
    return number_of(t.size(dimension))


def stride(t, dimension):
    return number_of(t.stride(dimension))


def sizes(t):
    return tuple(number_of(size) for size in t.size())


def strides(t):
    return tuple(number_of(stride) for stride in t.stride())


_NESTED = -(2**32)  # nested ints are numbered from here downwards, where no size is


def number_of(value):
    """An int, or, of a nested int, the number that it has in C: times its coefficient, if that is not 1."""
    if isinstance(value, torch.SymInt) and value.node.is_nested_int():
        return (_NESTED - value.node.nested_int()) * value.node.nested_int_coeff()
    return int(value)


def nested_int_of(number):
    """The nested int, of coefficient 1, with that number."""
    return torch.SymInt(NestedIntNode(_NESTED - number, 1))


def nested_int(t):
    return number_of(get_tensor_symint(t))


def offset(t):
    return t.storage_offset()


def dtype(t):
    return _NUMBER_OF[t.dtype]


def device(t):
    return _DEVICES[t.device.type] * 256 + (t.device.index or 0)


def data(t):
    return t.data_ptr()


def lazy(t):
    return t.is_conj() + 2 * t.is_neg()


def requires_grad(t):
    return int(t.requires_grad)


def is_plain(t):
    return int(type(t) in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer))


def is_view(t):
    return int(t._is_view())


def is_type(t, kind):
    """`kind`: the class, and the attributes that it was declared with; a jagged tensor may have more of them, or fewer."""
    kind, names = kind
    return int(type(t) is kind and tuple(t.__tensor_flatten__()[0]) == names)


def has_context(t, wanted):
    return int(is_traceable_wrapper_subclass(t) and t.__tensor_flatten__()[1] == wanted[1])


def coerce_tangent(t, kind, context):
    if not hasattr(t, "__coerce_same_metadata_as_tangent__"):
        return None
    kind = torch.Tensor if kind is None else kind[0]
    wanted = None if context is None else context[1]
    if type(t) is kind:
        return t.__coerce_same_metadata_as_tangent__(wanted)
    return t.__coerce_same_metadata_as_tangent__(wanted, kind)


def byte_range(t):
    if not t.numel():
        return 0, 0
    reach = sum((length - 1) * step for length, step in zip(t.size(), t.stride(), strict=True))
    return t.data_ptr(), t.data_ptr() + (reach + 1) * t.element_size()


def same_storage(a, b):
    return int(a.untyped_storage()._cdata == b.untyped_storage()._cdata)


def version(t):
    return t._version


# ---- mutate ----


def copy_(dst, src):
    dst.copy_(src)


def copy_leaf_(dst, src):
    dst.detach().copy_(src)


def set_(dst, src):
    with torch.no_grad():
        dst.set_(src)


def shallow_copy_data_(dst, src):
    with torch.no_grad():
        dst.data = src


def restride_like_(dst, like):
    dst.as_strided_(like.size(), like.stride(), like.storage_offset())


# ---- new tensors ----


def patch_requires_grad(base, view, wanted):
    if base.requires_grad and not wanted:
        return view.detach()
    if not base.requires_grad and wanted:
        return view.requires_grad_(True)
    return view


def alias_like(base, target, wanted):
    """gen_alias_from_base, its last step."""
    return _alias(base, target.size(), target.stride(), target.storage_offset(), target.dtype, wanted)


def alias_as(base, geometry, number, wanted):
    return _alias(base, *geometry, _DTYPE_OF[number], wanted)


def _alias(base, sizes, strides, offset, wanted_dtype, wanted):
    source = base
    if base.is_complex() and not wanted_dtype.is_complex:
        source = torch.view_as_real(base)
    elif not base.is_complex() and wanted_dtype.is_complex:
        source = torch.view_as_complex(base)
    view = patch_requires_grad(base, _strided_view(source, sizes, strides, offset), wanted)
    return view if view.dtype == wanted_dtype else view.view(wanted_dtype)


def _strided_view(base, sizes, strides, offset):
    """as_strided, done as an expansion or a permutation if it is one: autograd's gradient then has the same order of
    summation and the same memory layout as for the program's own view."""
    sizes, strides = tuple(sizes), tuple(strides)
    if base.storage_offset() != offset:
        return base.as_strided(sizes, strides, offset)
    added = len(sizes) - base.dim()
    if added >= 0 and all(old in (new, 1) for old, new in zip(base.size(), sizes[added:])):
        view = base.expand(sizes)
        if view.stride() == strides:
            return view
    dims = list(zip(base.size(), base.stride()))
    if sorted(dims) == sorted(zip(sizes, strides)):
        order = [position for _, position in sorted((dim, position) for position, dim in enumerate(dims))]
        places = sorted(range(len(sizes)), key=lambda place: (sizes[place], strides[place]))
        return base.permute([position for _, position in sorted(zip(places, order))])
    return base.as_strided(sizes, strides, offset)


def view_dtype(base, number):
    return base.view(_DTYPE_OF[number])


def conj(base):
    return torch._conj(base)


def neg_view(base):
    return torch._neg_view(base)


def view_as_real(base):
    return torch.view_as_real(base)


def view_as_complex(base):
    return torch.view_as_complex(base)


def as_strided(base, geometry):
    return base.as_strided(*geometry)


def detach(t):
    return t.detach()


def unsafe_view(t):
    with torch.no_grad():  # as in PyTorch's node: a jagged tensor may have been rebuilt as one that requires grad
        return torch.ops.aten._unsafe_view(t, t.shape)


def set_requires_grad(t, wanted):
    _calls[-1].set_requires_grad(t, bool(wanted))


def empty_strided(geometry, number, where):
    kind = next(name for name, index in _DEVICES.items() if index == where // 256)
    return torch.empty_strided(*geometry[:2], dtype=_DTYPE_OF[number], device=kind)


def zeros(geometry, number, where):
    kind = next(name for name, index in _DEVICES.items() if index == where // 256)
    return torch.zeros(geometry[0], dtype=_DTYPE_OF[number], device=kind)


def storage_base(src):
    with torch.no_grad():
        return torch.empty((0,), dtype=src.dtype, device=src.device).set_(src.untyped_storage())


def view_base(src):
    if src._base is None:
        raise RuntimeError("view_base of a tensor that is not a view")
    return src._base


def contiguous(t, form):
    return t.contiguous(memory_format=_FORMATS[form])


def coerce_strides(t, geometry):
    sizes, strides, _ = geometry
    if tuple(t.size()) == sizes and tuple(t.stride()) == strides:
        return t
    result = torch.empty_strided(
        sizes, strides, dtype=t.dtype, device=t.device, layout=t.layout, requires_grad=t.requires_grad
    )
    return result.copy_(t)


# ---- state ----


def grad_mode():
    return int(torch.is_grad_enabled())


def set_grad_mode(enabled):
    torch._C._set_grad_enabled(bool(enabled))


def view_replay():
    return int(torch._C._is_view_replay_enabled())


def set_view_replay(enabled):
    torch._C._set_view_replay_enabled(bool(enabled))


def autocast_off():
    guard = torch._C._DisableAutocast()
    guard.__enter__()
    _autocast.append(guard)
    return 1


def autocast_restore(_saved):
    _autocast.pop().__exit__(None, None, None)


def deterministic():
    return int(torch.are_deterministic_algorithms_enabled())


def bump_version(t):
    if not t.is_inference():
        torch.autograd.graph.increment_version(t)


def mark_dynamic(t, dimensions):
    t._dynamo_propagated_dynamic_indices = set(dimensions)


def rng():
    raise RuntimeError("functionalized random numbers need CUDA")


# ---- subclasses ----


def attr(t, index):
    return getattr(t, t.__tensor_flatten__()[0][index])


def rebuild(kind, context, attributes, outer):
    names, meta = context
    sizes, strides = (None, None) if outer is None else outer[:2]
    return kind[0].__tensor_unflatten__(dict(zip(names, attributes, strict=True)), meta, sizes, strides)


def wait(t):
    from torch.distributed._functional_collectives import AsyncCollectiveTensor

    return t.trigger_wait() if isinstance(t, AsyncCollectiveTensor) else t
