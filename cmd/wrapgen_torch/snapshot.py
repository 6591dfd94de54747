# SPDX-License-Identifier: MIT
"""The visible state of a program after a call, as plain facts for comparing two runs.

Values are walked in one order (arguments, results, parameters and buffers, gradients), and things are named by where
they were met first: so "shares a storage with" and "is" give the same words in every run.
"""

from dataclasses import dataclass, field

import torch
import torch.utils._pytree as pytree
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from .ragged import is_nested_int


GRADIENTS = ("grad[", "backward from ")  # begin the names of gradients
_ARGUMENTS = ("args[",)


@dataclass
class Fact:
    """One tensor, or one plain value, under its name."""

    values: dict = field(default_factory=dict)  # word -> value that is compared exactly
    content: object = None  # a clone, compared by value


class Snapshot:
    def __init__(self):
        self.facts = {}
        self._objects = {}
        self._storages = {}
        self._nested = {}  # nested int, as (number, coefficient) -> where it was met first
        self._alive = []

    def add(self, name, value):
        for path, leaf in pytree.tree_flatten_with_path(value)[0]:
            self._leaf(name + pytree.keystr(path), leaf)

    def add_counted(self, name, value):
        """That a write to an argument was counted: what relies on its old value must find out."""
        self.facts[name] = Fact({"counted": value})

    def add_state(self, grad_mode):
        """The modes that the program left behind; `grad_mode` was already restored."""
        self.add("grad_mode", grad_mode)
        self.add("view_replay", torch._C._is_view_replay_enabled())
        self.add("autocast", torch._C._is_any_autocast_enabled())
        self.add("deterministic", torch.are_deterministic_algorithms_enabled())

    def close(self):
        """Lets go of the program's tensors; names of objects and storages are meaningless from here on."""
        self._objects.clear()
        self._storages.clear()
        self._nested.clear()
        self._alive.clear()

    def add_gradients(self, name, value):
        """Like add(), without versions: the number of times that autograd adds to a sum in place depends on what else
        holds it."""
        self._add_without({"version"}, name, value)

    def add_contents(self, name, value):
        """Like add(), for what was added before, without what a write in place cannot change."""
        self._add_without({"version", "is", "storage", "base", "bytes", "is_view"}, name, value)

    def _add_without(self, words, name, value):
        before = self.facts.keys() - ()
        self.add(name, value)
        for key in self.facts.keys() - before:
            for word in words:
                self.facts[key].values.pop(word, None)

    def _leaf(self, name, value):
        if is_nested_int(value):
            self.facts[name] = Fact({"value": self._numbers((value,), name)})
            return
        if not isinstance(value, torch.Tensor):
            self.facts[name] = Fact({"value": value if isinstance(value, (int, float, bool, str)) else type(value)})
            return
        first = self._objects.setdefault(id(value), name)
        self._alive.append(value)
        values = {
            "is": first,
            "type": type(value).__name__,
            "dtype": value.dtype,
            "size": self._numbers(value.size(), name),
            "is_conj": value.is_conj(),
            "is_neg": value.is_neg(),
            # A graph is traced without an inference mode of its own: outside of one its results are plain tensors.
            "is_inference": value.is_inference() if torch.is_inference_mode_enabled() else None,
            "requires_grad": value.requires_grad,
            "is_leaf": value.is_leaf,
            "version": value._version if not value.is_inference() else None,
            "is_view": value._is_view(),
            "base": self._objects.get(id(value._base), "another") if value._base is not None else None,
            "protection": _protection(value),
        }
        fact = Fact(values)
        self.facts[name] = fact
        if is_traceable_wrapper_subclass(value):
            values["stride"] = self._numbers(value.stride(), name)
            attributes, values["context"] = value.__tensor_flatten__()
            for attribute in attributes:
                inner = getattr(value, attribute)
                if isinstance(inner, torch.Tensor):
                    self._leaf(f"{name}.{attribute}", inner)
            return
        values["layout"] = value.layout
        if value.is_quantized:
            values["quantized"] = _quantization(value)
        if value.layout == torch.strided:
            values["stride"] = tuple(value.stride())
            values["offset"] = value.storage_offset()
            storage = value.untyped_storage()
            values["storage"] = self._storages.setdefault(storage._cdata, name)
            values["bytes"] = storage.nbytes()
            self._alive.append(storage)
        fact.content = value.detach().clone()

    def _numbers(self, values, name):
        """A ragged size is the tensor whose size it was first: that it is the same is all that a program can see of it."""
        return tuple(self._ragged(value.node, name) if is_nested_int(value) else value for value in values)

    def _ragged(self, node, name):
        first = self._nested.setdefault(node.nested_int(), name)
        return f"{node.nested_int_coeff()} times the ragged size of {first}"


def _protection(tensor):
    """Why autograd refuses writes into a view: it is one of several, was made by a function of a user, or without grad mode."""
    if not tensor._is_view():
        return None
    try:
        return torch._C._autograd._get_creation_meta(tensor).name
    except RuntimeError:
        return None  # of a view that autograd does not differentiate


def _quantization(tensor):
    scheme = tensor.qscheme()
    if scheme in (torch.per_tensor_affine, torch.per_tensor_symmetric):
        return scheme, tensor.q_scale(), tensor.q_zero_point()
    scales, zero_points = tensor.q_per_channel_scales(), tensor.q_per_channel_zero_points()
    return scheme, scales.tolist(), zero_points.tolist(), tensor.q_per_channel_axis()


_CONVERTIBLE = {torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2,
                torch.float8_e4m3fnuz, torch.float8_e5m2fnuz}  # fmt: skip

# Eager mode and a compiled graph have always disagreed on version counters and views: eager counts every write
# and keeps the chain of views that the program made.
ONLY_COMPILED = {"version", "is_view", "base", "protection", "is_leaf", "bytes", "offset", "stride"}


# How far kernels that were compiled may be from eager mode's by rounding in another order, as a share of a tensor's largest element.
_ROUNDING = {torch.float64: 1e-8, torch.complex128: 1e-8, torch.float32: 1e-3, torch.complex64: 1e-3, torch.float16: 2e-2}
_ROUNDING_OF_OTHERS = 1e-1

# How large the sum of what cancels may be, in roundings of the largest gradient or argument of the call. The gradient of a bias before a
# batch norm is zero, and computed as the rounding of larger numbers: no two kernels agree on it. So is the mean that a second batch norm
# keeps of what the first one has centred.
_CANCELLED = 16
_LARGE = 1024

# How much farther from the exact value a kernel may be than eager mode is, where rounding is all that is left of a sum. PyTorch's tests of
# accuracy let small tensors be ten times as far.
_FARTHER = 10


# Of a gradient these may differ: autograd lays out what it adds up as it likes.
_OF_GRADIENTS = {"stride", "offset", "is_leaf"}


def differences(got, wanted, exact=True, tolerance=(1e-5, 1e-6), ignored=(), rounding=False, excused=lambda *_: False):
    """What differs, as lines. `exact`: bit for bit. `rounding`: floats also may differ as kernels do that compute in another order; a
    dtype: and compute in that one. `excused`: (name, contents of both) -> whether their values may differ for another reason."""
    lines = []
    if got.facts.keys() != wanted.facts.keys():
        lines.append(f"names: {sorted(set(got.facts) ^ set(wanted.facts))} are only on one side")
    for name in got.facts.keys() & wanted.facts.keys():
        one, other = got.facts[name], wanted.facts[name]
        unsaid = _OF_GRADIENTS if not exact and name.startswith(GRADIENTS) else ()
        for word in one.values.keys() | other.values.keys():
            if word == "counted" and one.values.get(word):
                continue  # a kernel of eager mode may write without counting (batch_norm's statistics)
            if word == "protection" and (one.values.get(word), other.values.get(word)) == ("MULTI_OUTPUT_NODE", "DEFAULT"):
                continue  # a part of several views, as in eager mode; where sizes are symbols, PyTorch's wrapper forgets that
            if word not in ignored and word not in unsaid and not _same(one.values.get(word), other.values.get(word)):
                lines.append(f"{name}: {word} is {one.values.get(word)}, not {other.values.get(word)}")
        if one.content is not None and other.content is not None:
            found = _content(one.content, other.content, exact, tolerance, rounding)
            if found and not (_are_floats(one.content, other.content) and excused(name, one.content, other.content)):
                lines += [f"{name}: {text}" for text in found]
    return sorted(lines)


def cancelled(wanted):
    """Excuses what is nothing but rounding: of gradients measured by the largest gradient of the call, of arguments by the largest
    argument."""
    scales = {kind: _scale_of(wanted, kind) for kind in (GRADIENTS, _ARGUMENTS)}

    def is_noise(name, got, wanted):
        scale = next((scale for kind, scale in scales.items() if name.startswith(kind)), 0.0)
        most = _CANCELLED * torch.finfo(got.dtype).eps * scale
        return max(_largest(_wide(_dense(got))), _largest(_wide(_dense(wanted)))) < most

    return is_noise


def as_near_to(exact):
    """Excuses what is about as far as eager mode is from `exact`, a Snapshot of the same call in float64. Where eager mode is farther from
    it than rounding can be, it computed something else, and excuses nothing. A gradient that is nothing but rounding in eager mode, too,
    may be as large as that of numbers like the gradients from which a backward begins, which are about one."""
    of_gradients = max(1.0, _scale_of(exact, GRADIENTS))

    def is_as_near(name, got, wanted):
        fact = exact.facts.get(name)
        if fact is None or fact.content is None or fact.content.size() != got.size() or fact.content.dtype != torch.float64:
            return False
        right = _dense(fact.content)
        largest = _largest(right)
        ours, eager = (_largest(_wide(_dense(one)) - right) for one in (got, wanted))
        scale = of_gradients if name.startswith(GRADIENTS) else 0.0
        if not bool(right.isfinite().all()) or eager > _share_of(got.dtype) * max(largest, scale):
            return False
        is_zero = largest <= min(eager, _CANCELLED * torch.finfo(right.dtype).eps * scale)
        return ours <= max(_FARTHER * eager, _CANCELLED * torch.finfo(got.dtype).eps * scale if is_zero else 0.0)

    return is_as_near


def _scale_of(snapshot, kind):
    """The largest float of what has such a name. An argument of another magnitude than numbers that are computed with, a mask or a time,
    is not looked at."""
    contents = [fact.content for name, fact in snapshot.facts.items() if name.startswith(kind) and fact.content is not None]
    found = [_largest(_wide(_dense(content))) for content in contents if content.dtype.is_floating_point]
    return max((one for one in found if kind == GRADIENTS or one <= _LARGE), default=0.0)


def _are_floats(a, b):
    """Finite, of one dtype and size."""
    alike = a.dtype.is_floating_point and a.dtype == b.dtype and a.size() == b.size()
    return alike and bool(_dense(a).isfinite().all() and _dense(b).isfinite().all())


def _same(a, b):
    try:
        return bool(a == b or (a != a and b != b))
    except (RuntimeError, ValueError):  # contexts of subclasses that hold tensors
        return a is b


def _share_of(dtype):
    return _ROUNDING.get(dtype, _ROUNDING_OF_OTHERS)


def _content(a, b, exact, tolerance, rounding):
    if a.size() != b.size() or a.dtype != b.dtype or a.layout != b.layout:
        return []  # reported already
    a, b = _dense(a), _dense(b)
    if torch.equal(_bits(a), _bits(b)):
        return []
    share = max(_share_of(a.dtype), _share_of(rounding) if isinstance(rounding, torch.dtype) else 0) if rounding else 0
    a, b = _wide(a), _wide(b)
    if not exact and a.dtype.is_floating_point | a.dtype.is_complex:
        absolute = max(tolerance[1], share * _largest(b)) if share else tolerance[1]
        if torch.allclose(a, b, rtol=tolerance[0], atol=absolute, equal_nan=True):
            return []
    difference = (a - b).abs().double()
    return [f"values differ in {int((difference > 0).sum())} of {a.numel()} elements, by up to {difference.max():g}"]


def is_zero(content):
    """Of all elements?"""
    return not bool(_wide(_dense(content)).any())


def _largest(t):
    finite = t[t.isfinite()].abs()
    return finite.max().item() if finite.numel() else 0.0


def _dense(t):
    if t.is_quantized:
        t = t.int_repr()
    if t.layout != torch.strided:
        t = t.to_dense()
    return t.resolve_conj().resolve_neg()


def _bits(t):
    """The elements as bytes, of a copy: a single element is contiguous with any stride, but can only be viewed with 1."""
    return t.new_empty(t.numel()).copy_(t.reshape(-1)).view(torch.uint8)


def _wide(t):
    """A type that can be computed with: small floats and odd integers cannot."""
    if t.dtype.is_complex:
        return t.to(torch.complex128)
    if t.dtype.is_floating_point:
        return t.double() if t.dtype in _CONVERTIBLE else _bits(t).to(torch.int64)
    return t.to(torch.int64)
