# SPDX-License-Identifier: MIT
"""What a tensor looked like, without its values: enough to make another one like it, or one that differs in a single
fact."""

from dataclasses import dataclass, field, replace

import torch
from torch.nested._internal.nested_tensor import _tensor_symint_registry

_PLAIN = (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)


@dataclass
class Blank:
    """A plain strided tensor; anything else (a number, null, a subclass) is `other`, kept itself."""

    size: tuple = ()
    stride: tuple = ()
    offset: int = 0
    dtype: torch.dtype | None = None
    device: torch.device | None = None
    other: object = None
    is_conj: bool = False
    is_neg: bool = False
    nested: object = field(default=None, compare=False)  # the nested int that it owns

    @staticmethod
    def of(value):
        if type(value) not in _PLAIN or value.layout != torch.strided or value.is_quantized:
            return Blank(other=value)
        size, stride = tuple(value.size()), tuple(value.stride())
        nested = _tensor_symint_registry.get(value)
        lazy = {"is_conj": value.is_conj(), "is_neg": value.is_neg()}
        return Blank(size, stride, value.storage_offset(), value.dtype, value.device, **lazy, nested=nested)

    @property
    def is_tensor(self):
        return self.dtype is not None

    def but(self, **changes):
        return replace(self, **changes)

    def make(self):
        """A tensor of zeros, in a storage of its own."""
        if not self.is_tensor:
            return self.other
        return self.over(torch.zeros(self.num_bytes(), dtype=torch.uint8, device=self.device))

    def over(self, tensor):
        """A tensor of its own over the storage of `tensor`."""
        with torch.no_grad():
            fresh = torch.empty(0, dtype=self.dtype, device=self.device)
            fresh.set_(tensor.untyped_storage(), self.offset, self.size, self.stride)
            fresh = fresh.conj() if self.is_conj else fresh
            fresh = torch._neg_view(fresh) if self.is_neg else fresh
        if self.nested is not None:
            _tensor_symint_registry[fresh] = self.nested
        return fresh

    def plain(self):
        """Of anything: a plain tensor like it, as far as one can be; a ragged dimension has size 1 there."""
        if self.is_tensor:
            return self.make()
        sizes = [1 if isinstance(size, torch.SymInt) else size for size in self.other.shape]
        return torch.zeros(sizes, dtype=self.other.dtype)

    def is_like(self, tensor):
        """In size, stride, offset, dtype and device; anything that is `other` counts as unchanged."""
        now = Blank.of(tensor)
        return not self.is_tensor or now == self

    def num_bytes(self):
        """Of the storage, from its beginning; those of an element, if it has none."""
        steps = () if 0 in self.size else zip(self.size, self.stride, strict=True)
        return (self.offset + 1 + sum((length - 1) * step for length, step in steps)) * self.dtype.itemsize


@dataclass
class Seen:
    """A call that ended well."""

    args: tuple  # as they are now
    before: list  # Blank: what they were before the call
    returned: list  # Blank: what the compiled function returned
    tangents: list = field(default_factory=list)  # Blank: what the backward got, if there was one
