# SPDX-License-Identifier: MIT
"""Memory that a written argument shares with what a subclass consists of.

PyTorch merges arguments that share memory when one of them is written, and does not look inside subclasses: what its graph reads
there is what was there before.
"""

import torch
from torch.utils._python_dispatch import is_traceable_wrapper_subclass


def find_beneath(fakes, written):
    """(position of a plain argument that is written, position of a subclass) that shared memory when they were traced; else None."""
    parts = [(position, part) for position, fake in enumerate(fakes or ()) for part in _parts(fake)]
    for position, fake in enumerate(fakes or ()):
        if parts and written[position] and isinstance(fake, torch.Tensor) and not is_traceable_wrapper_subclass(fake):
            for other, part in parts:
                if _may_share(fake, part):
                    return position, other
    return None


def _parts(value):
    """The plain tensors that a subclass consists of; of a plain tensor none."""
    if not is_traceable_wrapper_subclass(value):
        return
    for name in value.__tensor_flatten__()[0]:
        inner = getattr(value, name)
        if is_traceable_wrapper_subclass(inner):
            yield from _parts(inner)
        elif isinstance(inner, torch.Tensor):
            yield inner


def _may_share(a, b):
    """Of one storage, and do the bytes that they reach over meet? Where a size is not a number, yes."""
    if torch.strided not in (a.layout, b.layout) or a.layout != b.layout:
        return False
    if a.untyped_storage()._cdata != b.untyped_storage()._cdata:
        return False
    (first, end), (other_first, other_end) = _reach(a), _reach(b)
    return None in (end, other_end) or (first < other_end and other_first < end)


def _reach(t):
    numbers = [*t.size(), *t.stride(), t.storage_offset()]
    if not all(isinstance(number, int) for number in numbers):
        return 0, None
    if 0 in t.size():
        return 0, 0
    first = t.storage_offset()
    length = 1 + sum((size - 1) * stride for size, stride in zip(t.size(), t.stride(), strict=True))
    return first * t.element_size(), (first + length) * t.element_size()
