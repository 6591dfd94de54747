# SPDX-License-Identifier: MIT
"""Tensor subclasses: arguments, parameters, results and gradients. As programs.py."""

import enum
from dataclasses import dataclass
from unittest.mock import patch

import torch
import torch.nn as nn
from programs import case
from torch.testing._internal.two_tensor import TwoTensor

__version__ = "1.0"


class Rounding(enum.Enum):
    NEAREST = 1
    DOWN = 2


@dataclass
class Layout:
    rows: int
    names: tuple = ("scale",)


class Scaled(torch.Tensor):
    """Whole numbers with a scale for each row; a stand-in for the classes of quantised weights. Its context has what theirs have."""

    @staticmethod
    def __new__(cls, numbers, scale, context):
        return torch.Tensor._make_wrapper_subclass(cls, numbers.shape, strides=numbers.stride(), dtype=context["dtype"], device=numbers.device)

    def __init__(self, numbers, scale, context):
        self.numbers, self.scale, self.context = numbers, scale, context
        self.names = ["numbers", "scale"]

    def __tensor_flatten__(self):
        return self.names, self.context

    @staticmethod
    def __tensor_unflatten__(inner, context, size, stride):
        return Scaled(inner["numbers"], inner["scale"], context)

    def whole(self):
        return self.numbers.to(self.context["dtype"]) * self.scale

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        if function in (torch.ops.aten.detach.default, torch.ops.aten.alias.default, torch.ops.aten.clone.default):
            one = args[0]
            return cls(function(one.numbers), function(one.scale), one.context)
        if function is torch.ops.aten.t.default:
            return args[0].whole().t()
        return function(*(one.whole() if isinstance(one, Scaled) else one for one in args), **(kwargs or {}))

    __torch_function__ = torch._C._disabled_torch_function_impl


def scaled(rows=6, columns=4, dtype=torch.float32, **more):
    numbers = torch.randint(-128, 127, (rows, columns), dtype=torch.int8)
    context = {"dtype": dtype, "block": [1, columns], "rounding": Rounding.NEAREST, "layout": Layout(rows), "kwargs": None, **more}
    return Scaled(numbers, torch.rand(rows, 1, dtype=dtype), context)


def of_size(weight, *size):
    """The same parts in a tensor that says it is of that size."""
    made = torch.Tensor._make_wrapper_subclass(Scaled, size, strides=(size[1], 1), dtype=weight.dtype)
    made.__init__(weight.numbers, weight.scale, weight.context)
    return made


class Linear(nn.Module):
    def __init__(self, weight):
        super().__init__()
        self.weight = nn.Parameter(weight, requires_grad=False)
        self.bias = nn.Parameter(torch.randn(6), requires_grad=False)

    def forward(self, x):
        return torch.relu(nn.functional.linear(x, self.weight, self.bias))


def quantised():
    return nn.Sequential(Linear(scaled()), nn.Linear(6, 3).requires_grad_(False))


class Other(Scaled):
    pass


def wrong_quantised(loaded):
    x = torch.randn(2, 4)

    def of(weight):
        module = quantised()
        module[0]._parameters["weight"] = weight if type(weight) is Scaled else nn.Parameter(weight, requires_grad=False)
        return lambda: loaded.bind(module)(x)

    weight, context = scaled(), scaled().context
    yield "is a Parameter, not of type programs_subclasses.Scaled", of(torch.randn(6, 4))
    yield "is a Other, not of type programs_subclasses.Scaled", of(Other(weight.numbers, weight.scale, context))
    yield "has the context ", of(Scaled(weight.numbers, weight.scale, {**context, "rounding": Rounding.DOWN}))
    yield "has the context ", of(Scaled(weight.numbers, weight.scale, {**context, "block": [1, 2]}))
    yield "has the context ", of(Scaled(weight.numbers, weight.scale, {**context, "layout": Layout(7)}))
    yield "is of torch.float64, not torch.float32", of(scaled(dtype=torch.float64))
    yield "['weight'].scale' rank mismatch. expected 2, actual 1", of(Scaled(weight.numbers, torch.rand(1), context))
    yield "dtype mismatch. expected Char, actual Short", of(Scaled(weight.numbers.short(), weight.scale, context))
    yield "has the size [3, 4], not [6, 4]", of(of_size(weight, 3, 4))
    yield "has the size [7, 4], not [6, 4]", of(scaled(7, 4))
    yield "has the stride [1, 6], not [4, 1]", of(Scaled(weight.numbers.t().contiguous().t(), weight.scale, context))

    def changed_later(change):
        """After a call, which remembers what it has tested of the module."""
        module = quantised()
        function = loaded.bind(module)
        function(x), function(x)
        change(module[0].weight)
        return lambda: function(x)

    yield "has the context ", changed_later(lambda weight: weight.context.update(rounding=Rounding.DOWN))
    yield "has the context ", changed_later(lambda weight: weight.context["block"].append(1))
    yield "has the attributes scale, numbers, not numbers, scale", changed_later(lambda weight: weight.names.reverse())
    yield "scale' dtype mismatch", changed_later(lambda weight: setattr(weight, "scale", weight.scale.double()))
    yield "scale' size mismatch", changed_later(lambda weight: setattr(weight, "scale", torch.rand(6, 2)))
    yield "has requires_grad True, not False", changed_later(lambda weight: weight.requires_grad_())

    def of_another_version():
        with patch.dict(globals(), __version__="1.1"):
            of(weight)()

    yield "__version__ is '1.1', not '1.0'", of_another_version
    module = quantised()
    yield "was built with tensor subclasses", lambda: loaded.bind({**dict(module.named_parameters())})
    requires = quantised()
    requires[0].weight = nn.Parameter(scaled())
    yield "has requires_grad True, not False", lambda: loaded.bind(requires)(x)


def play_quantised(f, module):
    found = [f(torch.randn(2, 4)) for _ in range(2)]
    module[0].weight.scale = torch.rand(6, 1)
    found += [f(torch.randn(2, 4))]
    module[0].weight.numbers.zero_()
    return [*found, f(torch.randn(2, 4))]


case(name="a quantised weight", make=quantised, calls=lambda: (torch.randn(2, 4),), play=play_quantised, wrong=wrong_quantised,
     wraps=lambda loaded: {"bound to a module": loaded.bind})  # fmt: skip
case(name="a quantised weight and any number of rows", make=quantised, dynamic=True, calls=lambda: (torch.randn(3, 4),),
     play=lambda f, _: [f(torch.randn(rows, 4)) for rows in (2, 5, 3)], wraps=lambda loaded: {"bound to a module": loaded.bind})  # fmt: skip


# ---- in and out, written, nested, with gradients ----


def two(*size, grad=False):
    return TwoTensor(torch.randn(size), torch.randn(size)).requires_grad_(grad)


def parts(*values):
    return [part for value in values for part in ((value.a, value.b) if isinstance(value, TwoTensor) else (value,))]


def combine(x, y, z):
    x.add_(1)
    return x * y, y.view(2, 2), z + x.sum()


def wrong_combine(f):
    x, y, z = two(4), two(4), torch.randn(3)
    yield "x is a Tensor, not of type torch.testing._internal.two_tensor.TwoTensor", lambda: f(torch.randn(4), y, z)
    yield "of 'z' to be ", lambda: f(x, y, two(3))
    yield "Duplicate tensor", lambda: f(x, x, z)
    yield "Duplicate tensor", lambda: f(x, TwoTensor(y.a, x.b), z)
    yield "y has the size [5], not [4]", lambda: f(x, two(5), z)
    yield "x has requires_grad True, not False", lambda: f(two(4, grad=True), y, z)
    with torch.inference_mode():
        made = TwoTensor(x.a, x.b)
    yield "x is a tensor of another kind", lambda: f(made, y, z)
    yield "x is of torch.float64, not torch.float32", lambda: f(TwoTensor(torch.randn(4, dtype=torch.float64), torch.randn(4, dtype=torch.float64)), y, z)


def play_combine(f, _):
    found = []
    for _ in range(2):
        x, y = two(4), two(4)
        product, view, total = f(x, y, torch.randn(3))
        assert type(product) is TwoTensor and type(view) is TwoTensor and view._base is y
        found += parts(x, product, view, total)
    return found


case(name="subclasses in and out", make=lambda: combine, calls=lambda: (two(4), two(4), torch.randn(3)), play=play_combine, wrong=wrong_combine, dispatches=True)  # fmt: skip


def both(x):
    return x * 2 + x.sin()


def nested(*size):
    return TwoTensor(two(*size), two(*size))


def play_nested(f, _):
    made = f(nested(2, 3))
    assert type(made.a) is TwoTensor
    return parts(made.a, made.b)


case(name="a subclass of subclasses", make=lambda: both, calls=lambda: (nested(2, 3),), play=play_nested, dispatches=True,
     wrong=lambda f: [("is a Tensor, not of type", lambda: f(two(2, 3)))])  # fmt: skip


class Weighted(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(two(3, 3))

    def forward(self, x):
        return (x @ self.weight).tanh()


def play_training(f, module):
    found = []
    for _ in range(2):
        x = two(2, 3, grad=True)
        made = f(x)
        made.sum().backward()
        found += parts(made.detach(), x.grad, module.weight.grad)
    return found


case(name="gradients of subclasses", make=Weighted, calls=lambda: (two(2, 3, grad=True),), play=play_training, dispatches=True,
     wraps=lambda loaded: {"bound to a module": loaded.bind})  # fmt: skip


case(name="subclasses of any size", make=lambda: both, dynamic=True, calls=lambda: (two(3, 4),), dispatches=True,
     play=lambda f, _: [part for rows, columns in ((3, 4), (5, 2), (2, 6)) for part in parts(f(two(rows, columns)))],
     wrong=lambda f: [("x has the size [3], not [None, None]", lambda: f(two(3)))])  # fmt: skip
