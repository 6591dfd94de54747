# SPDX-License-Identifier: MIT
"""Tensor subclasses whose class alone is tested, results that another function rebuilds, and nested ints."""

import contextlib
import functools
import tempfile
import warnings

from scenario import raises, test

import torch
from torch.nested import nested_tensor
from torch.nested._internal.nested_tensor import get_tensor_symint
from torch.testing._internal.two_tensor import TwoTensor
from wrapgen_torch import capture
from wrapgen_torch.extension import build_extension, load_extension

FLATTEN = TwoTensor.__tensor_flatten__


def pair(*values):
    return TwoTensor(torch.tensor(values), torch.tensor(values) * 2)


def plus_kernel(args):
    return [one + 1 for one in args if isinstance(one, torch.Tensor)]


@functools.cache
def built(function, make):
    """The library of a captured function, for this process, and the names of its compiled function."""
    folder = tempfile.mkdtemp()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text = capture(function, *make(), name="plus")
    return build_extension(text, folder, "pairs", passing=True)


def one():
    return (pair(1.0, 2.0),)


def one_with_grad():
    return (pair(1.0, 2.0).requires_grad_(),)


class Optional(torch.Tensor):
    """A tensor with one part or two, as torchao's have scales or not."""

    @staticmethod
    def __new__(cls, a, b=None):
        return torch.Tensor._make_wrapper_subclass(cls, a.shape, strides=a.stride(), dtype=a.dtype)

    def __init__(self, a, b=None):
        self.a, self.b = a, b

    def __tensor_flatten__(self):
        return ["a"] if self.b is None else ["a", "b"], None

    @staticmethod
    def __tensor_unflatten__(inner, _context, _size, _stride):
        return Optional(**inner)

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        (x,) = args
        return Optional(function(x.a), None if x.b is None else function(x.b))

    __torch_function__ = torch._C._disabled_torch_function_impl


def less():
    return Optional(torch.ones(2))


def more():
    return Optional(torch.ones(2), torch.zeros(2))


def plus(x):
    return x + 1


def bound(by_class, rebuild=None):
    module = load_extension(built(plus, one))
    module.bind("plus_kernel", plus_kernel)
    module.bind_type(module.__types__[0], TwoTensor, by_class, rebuild)
    for name in module.__contexts__:
        module.bind_context(name, None)
    return module


@contextlib.contextmanager
def flattened_to(names):
    asked = []

    def flatten(self):
        asked.append(self)
        return names, FLATTEN(self)[1]

    TwoTensor.__tensor_flatten__ = flatten
    try:
        yield asked
    finally:
        TwoTensor.__tensor_flatten__ = FLATTEN


@test
def a_class_that_is_enough_is_not_asked():
    x, by_class, by_names = pair(1.0, 2.0), bound(True), bound(False)
    with flattened_to(["b", "a"]) as asked:
        (y,) = by_class.plus(x)
        assert not asked
        with raises(TypeError, "'x'", "WG_E_TYPE"):
            by_names.plus(x)
        assert asked
    assert torch.equal(y.a, x.a + 1) and torch.equal(y.b, x.b + 1)


@test
def another_class_is_refused_by_class_too():
    class Other(TwoTensor):
        pass

    for by_class in (False, True):
        with raises(TypeError, "'x'", "WG_E_TYPE"):
            bound(by_class).plus(Other(torch.ones(2), torch.ones(2)))
        with raises(TypeError, "'x'", "WG_E_TYPE"):
            bound(by_class).plus(torch.ones(2))


@test
def results_are_rebuilt_by_what_is_bound():
    given = []

    def rebuild(inner, context, size, stride):
        given.append((list(inner), context, size, stride))
        return TwoTensor(inner["b"], inner["a"])

    module = bound(True, rebuild)
    x = pair(1.0, 2.0)
    (y,) = module.plus(x)
    assert given == [(["a", "b"], None, (2,), (1,))] and torch.equal(y.a, x.b + 1) and torch.equal(y.b, x.a + 1)
    module.bind_type(module.__types__[0], TwoTensor, True)
    (y,) = module.plus(x)
    assert len(given) == 1 and torch.equal(y.a, x.a + 1)
    module.bind_type(module.__types__[0], TwoTensor, True, lambda *args: 1)
    with raises(TypeError, "must be a tensor, not int"):
        module.plus(x)


@test
def what_bind_type_refuses():
    module = load_extension(built(plus, one))
    (name,) = module.__types__
    with raises(TypeError, "by_class must be a bool, not int"):
        module.bind_type(name, TwoTensor, 1)
    with raises(TypeError, "rebuild must be callable, not str"):
        module.bind_type(name, TwoTensor, True, "rebuild")
    with raises(TypeError, "2 positional arguments"):
        module.bind_type(name)
    with raises(TypeError, "5 were given"):
        module.bind_type(name, TwoTensor, True, None, None)


@test
def tangents_are_asked_all_the_same():
    module = load_extension(built(plus, one_with_grad))
    module.bind("plus_kernel", plus_kernel)
    module.bind("plus_backward_kernel", lambda args: [one * 3 for one in args])
    module.bind_type(module.__types__[0], TwoTensor, True)
    for name in module.__contexts__:
        module.bind_context(name, None)
    (x,) = one_with_grad()
    (y,) = module.plus(x)
    with flattened_to(["b", "a"]), raises(RuntimeError, "tensor type (context) [WG_E_TYPE]"):
        y.backward(pair(1.0, 1.0))
    (y,) = module.plus(x)
    y.backward(pair(1.0, 1.0))
    assert torch.equal(x.grad.a, torch.full((2,), 3.0)) and torch.equal(x.grad.b, torch.full((2,), 6.0))


@test
def two_declarations_of_one_class_are_told_apart():
    def negated(x, y):
        return x.neg(), y.neg()

    module = load_extension(built(negated, lambda: (less(), more())))
    module.bind("plus_kernel", lambda args: [one.neg() for one in args])
    assert len(module.__types__) == 2
    for name in module.__types__:
        module.bind_type(name, Optional, True)
    for name in module.__contexts__:
        module.bind_context(name, None)
    x, y = module.plus(less(), more())
    assert x.b is None and torch.equal(x.a, -torch.ones(2)) and torch.equal(y.b, torch.zeros(2))
    for wrong in ((more(), more()), (less(), less()), (more(), less())):
        with raises(TypeError, "WG_E_TYPE"):
            module.plus(*wrong)


@test
def many_nested_ints():
    """More than are remembered: each owner keeps its own, and no other's is taken for it."""

    def doubled(x):
        return x * 2

    def jagged():
        return nested_tensor([torch.ones(2, 4), torch.ones(3, 4)], layout=torch.jagged)

    module = load_extension(built(doubled, lambda: (jagged(),)))
    taken = []

    def kernel(args):
        taken.append([one for one in args if isinstance(one, torch.SymInt)])
        return [one * 2 if one.is_floating_point() else one for one in args if isinstance(one, torch.Tensor)]

    module.bind("plus_kernel", kernel)
    for name in module.__types__:
        module.bind_type(name, type(jagged()), True)
    for name in module.__contexts__:
        module.bind_context(name, jagged().__tensor_flatten__()[1])
    values = [jagged() for _ in range(40)]
    for _ in range(2):
        for x, other in zip(values, values[1:] + values[:1]):
            size = get_tensor_symint(x.offsets())
            (y,) = module.plus(size, x)
            assert torch.equal(y.values(), x.values() * 2) and y.offsets() is x.offsets()
            assert y.size(1) is not None and (y.size(1) == size) is True
            assert all((one == size) is True for one in taken.pop())
            with raises(ValueError, "x._offsets", "WG_E_IDENTITY"):
                module.plus(size, other)
