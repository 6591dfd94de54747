# SPDX-License-Identifier: MIT
"""Arguments of classes that have no __tensor_flatten__: Dynamo gives their results the class, and fake tensors do not tell it. A graph that
takes one is a miss that names it, wherever it comes from, and the program runs as under torch.compile."""

import tempfile
import warnings

import torch
import torch.utils._pytree as pytree
from wrapgen_torch import backend, build


class Image(torch.Tensor):
    pass


class Asking(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return super().__torch_function__(func, types, args, kwargs or {})


class Silent(torch.Tensor):
    __torch_function__ = torch._C._disabled_torch_function_impl


class Weight(torch.nn.Parameter):
    pass


def alone(x, y):
    return x.sin() + 1


def both(x, y):
    x.add_(1)
    return x * y.sum(), y.view(-1), y


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = Weight(torch.ones(4))

    def forward(self, x, y):
        return x * self.weight


def _of(kind):
    torch.manual_seed(0)
    return torch.randn(4).as_subclass(kind), torch.randn(2, 2)


def _tried(function, make_inputs, kind):
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch._dynamo.reset()
        report = build(function, make_inputs, folder)
        torch._dynamo.reset()
        found = backend(folder)
        run, theirs = torch.compile(function, backend=found), function
        for _ in range(2):
            ours, expected = run(*make_inputs()), theirs(*make_inputs())
            assert pytree.tree_map(type, ours) == pytree.tree_map(type, expected), (ours, expected)
            for mine, right in zip(pytree.tree_leaves(ours), pytree.tree_leaves(expected), strict=True):
                assert torch.allclose(mine.as_subclass(torch.Tensor), right.as_subclass(torch.Tensor))
    named = f"{kind.__module__}.{kind.__qualname__}, a tensor of a class without __tensor_flatten__"
    for row in (*report, *found.report()):
        assert not row.hit and named in row.why and "input_" not in row.why, str(row)


def test_arguments_of_a_class():
    for kind in (Image, Asking, Silent):
        _tried(alone, lambda kind=kind: _of(kind), kind)
    _tried(both, lambda: tuple(reversed(_of(Image))), Image)


def test_parameters_of_a_class():
    _tried(Net(), lambda: _of(torch.Tensor), Weight)
