# SPDX-License-Identifier: MIT
"""Copies of the arguments of a call, as often as wanted: with memory of their own that they share as the arguments share theirs, and
with a history of their own where those have one."""

import torch
from torch.nested._internal.nested_tensor import _tensor_symint_registry
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from ..errors import CaptureError

_PLAIN = (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)


def copies_of(values, dtype_of=None):
    """`dtype_of`: the dtype of a tensor -> that of its copy. CaptureError where an argument is of a kind that is not copied."""
    return _Copier(values, dtype_of).values(values)


class _Copier:
    def __init__(self, values, dtype_of):
        self._dtype_of = dtype_of
        self._dtypes = {}  # where types change: address -> dtype
        self._made = {}  # id of a tensor -> its copy
        self._memory = {}  # address of a storage -> a tensor that is a copy of all of it
        self._tracked = {}  # of those that have a history: address -> dtype
        for value in values:
            self._look(value)

    def _look(self, value):
        for leaf in _parts(value):
            if leaf.requires_grad and leaf.grad_fn is not None and type(leaf) in _PLAIN and leaf.layout == torch.strided:
                address = leaf.untyped_storage()._cdata
                if self._tracked.setdefault(address, leaf.dtype) != leaf.dtype:
                    raise CaptureError("arguments of two types share memory and have a history")
            if self._dtype_of is not None and self._dtypes.setdefault(leaf.untyped_storage()._cdata, leaf.dtype) != leaf.dtype:
                raise CaptureError("arguments of two types share memory")

    def values(self, values):
        return [self.value(value) for value in values]

    def value(self, value):
        if not isinstance(value, torch.Tensor):
            return value
        if id(value) not in self._made:
            self._made[id(value)] = self._subclass(value) if is_traceable_wrapper_subclass(value) else self._plain(value)
        return self._made[id(value)]

    def _subclass(self, value):
        if value.requires_grad and value.grad_fn is not None:
            raise CaptureError(f"an argument, a {type(value).__name__}, has a history")
        if self._dtype_of is not None:
            raise CaptureError(f"an argument is a {type(value).__name__}, whose context may say a dtype")
        names, context = value.__tensor_flatten__()
        inner = {name: self.value(getattr(value, name)) for name in names}
        with torch.no_grad():
            copy = type(value).__tensor_unflatten__(inner, context, value.size(), value.stride())
        return copy.detach().requires_grad_() if value.requires_grad else copy

    def _plain(self, value):
        if type(value) not in _PLAIN or value.layout != torch.strided or value.is_quantized or value.device.type == "meta":
            raise CaptureError(f"an argument is a {type(value).__name__} with layout {value.layout}")
        if value in _tensor_symint_registry:
            return value  # tells a ragged size, which a copy would not; a graph does not write to it
        with torch.inference_mode(value.is_inference()):
            return self._in_its_mode(value)

    def _in_its_mode(self, value):
        address = value.untyped_storage()._cdata
        if address in self._tracked:
            return self._with_history(value, address)
        base = value._base
        with torch.no_grad():
            if base is not None and type(base) in _PLAIN and base.dtype == value.dtype and not (value.is_conj() or value.is_neg()):
                copy = self.value(base).as_strided(value.size(), value.stride(), value.storage_offset())  # which counts its writes
            else:
                copy = self._view(torch.empty(0, dtype=self._dtype(value.dtype), device=value.device).set_(self._storage(value)), value)
        if isinstance(value, torch.nn.Parameter):
            return torch.nn.Parameter(copy, requires_grad=value.requires_grad)
        return copy.requires_grad_(value.requires_grad)

    def _view(self, whole, value):
        copy = torch.empty(0, dtype=whole.dtype, device=value.device)
        copy.set_(whole.untyped_storage(), value.storage_offset(), value.size(), value.stride())
        copy = copy.conj() if value.is_conj() else copy
        return torch._neg_view(copy) if value.is_neg() else copy

    def _with_history(self, value, address):
        """A view of a tensor that is not a leaf and has all of the memory."""
        if value.is_conj() or value.is_neg():
            raise CaptureError("an argument is lazily conjugated or negated and has a history")
        if address not in self._memory:
            whole = torch.empty(0, dtype=self._dtype(self._tracked[address]), device=value.device).set_(self._storage(value))
            self._memory[address] = whole.detach().requires_grad_().clone()
        whole = self._memory[address]
        if not value.requires_grad:
            whole = whole.detach()
        return whole.as_strided(value.size(), value.stride(), value.storage_offset())

    def _storage(self, value):
        storage = value.untyped_storage()
        if storage._cdata not in self._memory:
            self._memory[storage._cdata] = self._storage_of(storage, value)
        found = self._memory[storage._cdata]
        return found if isinstance(found, torch.UntypedStorage) else found.untyped_storage()

    def _storage_of(self, storage, value):
        dtype = self._dtype(value.dtype)
        if dtype == value.dtype:
            return storage.clone()
        return torch.empty(0, dtype=value.dtype, device=value.device).set_(storage).to(dtype).untyped_storage()

    def _dtype(self, dtype):
        return self._dtype_of(dtype) if self._dtype_of is not None else dtype


def _parts(value):
    if is_traceable_wrapper_subclass(value):
        for name in value.__tensor_flatten__()[0]:
            yield from _parts(getattr(value, name))
    elif isinstance(value, torch.Tensor):
        yield value
