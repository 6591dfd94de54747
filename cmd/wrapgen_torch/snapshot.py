# SPDX-License-Identifier: MIT
"""What a program shows after a call, as plain facts that two runs can be compared by.

Values are walked in one order (arguments, results, parameters and buffers, gradients), and things are named by where they
were met first: so "shares a storage with" and "is" are the same words in every run.
"""

from dataclasses import dataclass, field

import torch
import torch.utils._pytree as pytree
from torch.utils._python_dispatch import is_traceable_wrapper_subclass


@dataclass
class Fact:
    """One tensor, or one plain value, under its name."""

    values: dict = field(default_factory=dict)  # word -> what is compared exactly
    content: object = None  # a clone, compared by value


class Snapshot:
    def __init__(self):
        self.facts = {}
        self._objects = {}
        self._storages = {}
        self._alive = []

    def add(self, name, value):
        for path, leaf in pytree.tree_flatten_with_path(value)[0]:
            self._leaf(name + pytree.keystr(path), leaf)

    def add_gradients(self, name, value):
        """As add(), without versions: how often autograd adds in place to what it sums up depends on who else holds it."""
        self.add(name, value)
        for key, fact in self.facts.items():
            if key == name or key.startswith(f"{name}["):
                fact.values.pop("version", None)

    def _leaf(self, name, value):
        if not isinstance(value, torch.Tensor):
            self.facts[name] = Fact({"value": value if isinstance(value, (int, float, bool, str)) else type(value)})
            return
        first = self._objects.setdefault(id(value), name)
        self._alive.append(value)
        values = {
            "is": first,
            "type": type(value).__name__,
            "dtype": value.dtype,
            "size": _numbers(value.size()),
            "requires_grad": value.requires_grad,
            "is_leaf": value.is_leaf,
            "version": value._version if not value.is_inference() else None,
            "is_view": value._is_view(),
            "base": self._objects.get(id(value._base), "another") if value._base is not None else None,
        }
        fact = Fact(values)
        self.facts[name] = fact
        if is_traceable_wrapper_subclass(value):
            values["stride"] = _numbers(value.stride())
            for attribute in value.__tensor_flatten__()[0]:
                inner = getattr(value, attribute)
                if isinstance(inner, torch.Tensor):
                    self._leaf(f"{name}.{attribute}", inner)
            return
        values["layout"] = value.layout
        if value.layout == torch.strided:
            values["stride"] = tuple(value.stride())
            values["offset"] = value.storage_offset()
            storage = value.untyped_storage()
            values["storage"] = self._storages.setdefault(storage._cdata, name)
            values["bytes"] = storage.nbytes()
            self._alive.append(storage)
        fact.content = value.detach().clone()


def _numbers(values):
    return tuple("nested" if isinstance(value, torch.SymInt) else value for value in values)


# Of version counters and views, eager mode and a compiled graph have always said different things: eager counts every write
# and keeps the chain of views that the program made.
ONLY_COMPILED = {"version", "is_view", "base", "is_leaf", "bytes", "offset", "stride"}


def differences(got, wanted, exact=True, tolerance=(1e-5, 1e-6), ignored=()):
    """What differs, as lines. `exact`: bit for bit."""
    lines = []
    if got.facts.keys() != wanted.facts.keys():
        lines.append(f"names: {sorted(set(got.facts) ^ set(wanted.facts))} are only on one side")
    for name in got.facts.keys() & wanted.facts.keys():
        one, other = got.facts[name], wanted.facts[name]
        for word in one.values.keys() | other.values.keys():
            if word not in ignored and not _same(one.values.get(word), other.values.get(word)):
                lines.append(f"{name}: {word} is {one.values.get(word)}, not {other.values.get(word)}")
        if one.content is not None and other.content is not None:
            lines += [f"{name}: {text}" for text in _content(one.content, other.content, exact, tolerance)]
    return sorted(lines)


def _same(a, b):
    return a == b or (a != a and b != b)


def _content(a, b, exact, tolerance):
    if a.size() != b.size() or a.dtype != b.dtype:
        return []  # said already
    if a.is_quantized or a.layout != torch.strided:
        a, b = a.to_dense(), b.to_dense()
    if exact:
        same = torch.equal(_bits(a), _bits(b))
    else:
        same = torch.allclose(a, b, rtol=tolerance[0], atol=tolerance[1], equal_nan=True)
    if same:
        return []
    difference = (a.to(torch.complex128) - b.to(torch.complex128)).abs()
    return [f"values differ in {int((difference > 0).sum())} of {a.numel()} elements, by up to {difference.max():g}"]


def _bits(t):
    t = t.resolve_conj().resolve_neg().contiguous()
    return torch.view_as_real(t).contiguous().view(torch.uint8) if t.is_complex() else t.reshape(-1).view(torch.uint8)
