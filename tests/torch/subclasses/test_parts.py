# SPDX-License-Identifier: MIT
"""Parts of subclasses are passed, contexts are compared, and what Inductor makes a constant is not passed."""

import warnings
from unittest.mock import patch

import torch
import torch._inductor.config as inductor_config
import torch.nn as nn
from compared import compare
from test_torchao import Layers, batches, quant, quantized, same
from torch.nested import nested_tensor
from torch.testing._internal.two_tensor import TwoTensor
from wrapgen_torch import CaptureWarning, capture
from wrapgen_torch.ahead import callables


def two(*size):
    return TwoTensor(torch.randn(size), torch.randn(size))


def test_parts_of_subclasses_are_passed():
    """capture() warns of tensors that Dynamo looked at and the graph does not take: parts of a subclass it does take."""
    jagged = nested_tensor([torch.randn(2, 3), torch.randn(4, 3)], layout=torch.jagged)
    nested = TwoTensor(two(3, 4), two(3, 4))
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("error", CaptureWarning)
        for value in (two(3, 4), nested, jagged):
            capture(lambda x: x * 2, value)
    with warnings.catch_warnings(record=True) as caught, torch.no_grad():
        warnings.simplefilter("always")
        capture(lambda x, y: x * y.a.shape[0], torch.randn(3), two(3, 4))
    said = [str(warning.message) for warning in caught if issubclass(warning.category, CaptureWarning)]
    assert any("does not take L['y']" in text for text in said), said


class Labelled(torch.Tensor):
    """A tensor with a word, which is its context: the longest word wins."""

    @staticmethod
    def __new__(cls, inner, _word):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, strides=inner.stride(), dtype=inner.dtype)

    def __init__(self, inner, word):
        self.inner, self.word = inner, word

    def __tensor_flatten__(self):
        return ["inner"], self.word

    @staticmethod
    def __tensor_unflatten__(inner, word, _size, _stride):
        return Labelled(inner["inner"], word)

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        word = max((arg.word for arg in args if isinstance(arg, Labelled)), key=len)
        return Labelled(function(*[arg.inner if isinstance(arg, Labelled) else arg for arg in args]), word)

    __torch_function__ = torch._C._disabled_torch_function_impl


def labelled():
    return Labelled(torch.randn(4), "a"), Labelled(torch.randn(4), "longer")


def test_contexts():
    def program(x, y):
        return x * 2, x * y

    same(program, labelled, graphs=1, grad=False, backward=False)
    original = callables.load_extension

    def mixed_up(path):
        module = original(path)

        class Wrong:
            def __getattr__(self, name):
                return getattr(module, name)

            def bind_context(self, symbol, context):
                module.bind_context(symbol, {"a": "longer", "longer": "a"}[context])

        return Wrong()

    with patch.object(callables, "load_extension", mixed_up):
        lines, _ = compare(program, labelled, grad=False, backward=False)
    assert any("context is longer, not a" in line for line in lines), lines  # the comparison would have seen it


def test_frozen_parameters():
    """With Inductor's freezing parameters are constants of the kernels, and calls pass None for them."""
    for model in (Layers().eval(), quantized(quant.Int8WeightOnlyConfig(set_inductor_config=False))):
        with inductor_config.patch(freezing=True):
            lines, report = compare(model, batches(4, 7), inner="inductor", grad=False, backward=False, dynamic=True, tolerance=(1, 1))
        assert not lines and report.misses == 0 and report.hits == 1, "\n".join([*lines[:8], str(report)])


def test_frozen_parameters_beside_others():
    """Inductor leaves a parameter as it is if the graph changes it or returns a view of it: a call passes it, and None for the others."""

    class Half(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(two(4, 4), requires_grad=False)
            self.bias = nn.Parameter(torch.randn(4), requires_grad=False)
            self.register_buffer("count", torch.zeros(4))

        def forward(self, x):
            self.count.add_(1)
            return x @ self.weight, self.bias.view(2, 2)

    with inductor_config.patch(freezing=True):
        lines, report = compare(Half(), lambda: [(two(3, 4),)] * 2, inner="inductor", grad=False, backward=False)
    assert not lines and report.misses == 0 and report.hits == 1, "\n".join([*lines[:8], str(report)])
