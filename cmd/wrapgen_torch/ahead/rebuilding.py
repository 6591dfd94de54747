# SPDX-License-Identifier: MIT
"""Results that are rebuilt faster than by the class's own `__tensor_unflatten__`, and are the same.

Of a DTensor most of the time goes into its specification, which says how it is laid out over the mesh. It depends on nothing but
the mesh, the context, sizes and strides, and DTensors share theirs: whatever comes out of an operation has that of the operation's
cache. So the first result of each kind is made by the class, and the next ones get its specification.

Of a jagged tensor it goes into its sizes and strides, nested ints, which the class looks up in a registry and multiplies. They depend
on nothing but the owner of the nested int and the strides of the values, and are kept. The class's `__init__` does the rest, but its
`__new__` is written again here: the first result of each kind is made in both ways, and if they differ in anything, the class makes all
of them.
"""

import sys
import weakref

import torch

_KEPT = 64  # of each class; with dynamic shapes there may be any number


def rebuilder_of(kind):
    """What takes the place of `kind.__tensor_unflatten__`; None where nothing does."""
    for module, name, fast in (
        ("torch.distributed.tensor", "DTensor", _of_dtensor),
        ("torch.nested._internal.nested_tensor", "NestedTensor", _of_jagged),
    ):
        if module in sys.modules and kind is getattr(sys.modules[module], name, None):
            return fast(kind)
    return None


def _put(known, key, value):
    if len(known) >= _KEPT:
        known.clear()
    known[key] = value


def _of_dtensor(kind):
    original = kind.__tensor_unflatten__
    known = {}

    def rebuild(inner, context, size, stride):
        if kind.__tensor_unflatten__ is not original:
            return kind.__tensor_unflatten__(inner, context, size, stride)  # somebody has changed the class
        mesh = inner["device_mesh"]
        key = (id(mesh), id(context), size, stride)
        found = known.get(key)
        if found is not None:
            return kind(inner["_local_tensor"], found[0], requires_grad=context[3])
        made = original(inner, context, size, stride)
        _put(known, key, (made._spec, mesh, context))  # kept: while they are, nothing else has their ids
        return made

    return rebuild


def _of_jagged(kind):
    original, new = kind.__tensor_unflatten__, kind.__new__
    verdicts = {}

    def rebuild(inner, context, size, stride):
        values, offsets = inner["_values"], inner["_offsets"]
        changed = kind.__tensor_unflatten__ is not original or kind.__new__ is not new
        if changed or type(values) is not torch.Tensor or type(offsets) is not torch.Tensor or inner.get("_lengths") is not None:
            return kind.__tensor_unflatten__(inner, context, size, stride)
        ragged, requires_grad = context["ragged_idx"], context["requires_grad"]
        like = (ragged, requires_grad, values.ndim, values.dtype, values.device, offsets.ndim, offsets.device)
        if verdicts.get(like, False):
            return _jagged(kind, inner, ragged, requires_grad)
        made = original(inner, context, size, stride)
        if like not in verdicts:
            _put(verdicts, like, _is_like(_jagged(kind, inner, ragged, requires_grad), made))
        return made

    return rebuild


_JAGGED_KEYS = torch._C.DispatchKeySet(torch._C.DispatchKey.NestedTensor).add(torch._C.DispatchKey.AutogradNestedTensor)
_owners = {}


class _Owner:
    """A tensor of offsets, its nested int, and products of that with strides."""

    def __init__(self, offsets):
        self.of = weakref.ref(offsets)
        self.nested_int = sys.modules["torch.nested._internal.nested_tensor"].get_tensor_symint(offsets, coeff=1)
        self._products = {}

    def times(self, stride):
        product = self._products.get(stride)
        if product is None:
            product = self.nested_int * stride
            _put(self._products, stride, product)
        return product


def _jagged(kind, inner, ragged, requires_grad):
    """What NestedTensor(values, offsets, ...) makes."""
    values, offsets = inner["_values"], inner["_offsets"]
    owner = _owners.get(id(offsets))
    if owner is None or owner.of() is not offsets:
        owner = _Owner(offsets)
        _put(_owners, id(offsets), owner)
    shape, strides, at = values.shape, values.stride(), ragged - 1
    outer = (offsets.shape[0] - 1, *shape[:at], owner.nested_int, *shape[at + 1 :])
    outer_strides = (owner.times(strides[at]), *strides)
    made = torch.Tensor._make_wrapper_subclass(
        kind,
        outer,
        outer_strides,
        0,
        torch.contiguous_format,
        values.dtype,
        torch.jagged,
        values.device,
        False,
        requires_grad,
        "sizes",
        False,
        True,
        _JAGGED_KEYS,
        storage_size=values.untyped_storage().size(),
    )
    made._ragged_idx, made._size, made._strides = ragged, outer, outer_strides
    extremes = {name: inner[f"_{name}_tensor"] for name in ("min_seqlen", "max_seqlen") if inner.get(f"_{name}_tensor") is not None}
    made.__init__(values, offsets, lengths=None, _metadata_cache=extremes)
    return made


def _is_like(mine, theirs):
    """Do the two differ in nothing that a program can see, but in being two objects?"""

    def facts(value):
        attributes = {name: _identified(one) for name, one in vars(value).items()}
        geometry = (value.size(), value.stride(), value.storage_offset(), value.untyped_storage().size())
        kind = (type(value), value.dtype, value.device, value.layout, value.requires_grad, value.is_leaf)
        return attributes, geometry, kind, torch._C._dispatch_keys(value)

    return facts(mine) == facts(theirs)


def _identified(value):
    if isinstance(value, dict):
        return {name: _identified(one) for name, one in value.items()}
    return id(value) if isinstance(value, torch.Tensor) else value
