# SPDX-License-Identifier: MIT
"""Tangents of another type, context or layout than the traced ones: converted by the tangent itself, or refused. A program does
its own backward and returns the gradients and the tangent, which must be as it was."""

import torch
from program import program
from programs_subclasses import nested, two
from torch.testing._internal.subclasses import WrapperSubclass
from torch.testing._internal.two_tensor import TwoTensor
from torch.utils._python_dispatch import return_and_correct_aliasing
from torch.utils._pytree import tree_map_only


class Tagged(torch.Tensor):
    """One tensor and a tag, which is its flattening context. `log` has the operations that were called on some. As a tangent it takes any tag but `stubborn`, and turns into a plain
    tensor or a TwoTensor; one with the tag `partial` is traced as if it were `whole`, and one with the tag `own`
    keeps that when it is converted."""

    log = []

    @staticmethod
    def __new__(cls, a, tag, *_):
        return torch.Tensor._make_wrapper_subclass(
            cls, a.shape, strides=a.stride(), storage_offset=a.storage_offset(), dtype=a.dtype, device=a.device
        )

    def __init__(self, a, tag, *_):
        self.a, self.tag = a, tag

    def __tensor_flatten__(self):
        return ["a"], self.tag

    @staticmethod
    def __tensor_unflatten__(inner, tag, size, stride):
        return Tagged(inner["a"], tag)

    def __coerce_tangent_metadata__(self):
        return Tagged(self.a, "whole") if self.tag == "partial" else self

    def __coerce_same_metadata_as_tangent__(self, tag, kind=None):
        if self.tag == "stubborn":
            return None
        if kind is torch.Tensor:
            return self.a
        if kind is TwoTensor:
            return TwoTensor(self.a * 2, self.a + 1)
        return Tagged(self.a * 3, "own" if self.tag == "own" else tag)

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        Tagged.log.append(f"{function} {(kwargs or {}).get('memory_format')}")
        tags = [arg.tag for arg in args if isinstance(arg, Tagged)]
        result = function(*tree_map_only(Tagged, lambda t: t.a, args), **tree_map_only(Tagged, lambda t: t.a, kwargs or {}))
        result = tree_map_only(torch.Tensor, lambda t: Tagged(t, tags[0]), result)
        return return_and_correct_aliasing(function, args, kwargs or {}, result)

    __torch_function__ = torch._C._disabled_torch_function_impl


def tagged(tag, *shape, grad=False):
    value = Tagged(torch.randn(*shape), tag)
    return value.requires_grad_() if grad else value


def given(tangent_of, make_inputs, name, replaced=False):
    """Decorates a function of one result, whose tangent is then what `tangent_of(result)` gives. `replaced`: PyTorch puts what the
    parts turned into back into the caller's tangent, which wrapgen leaves alone (schema/SPEC.md), so it is not compared."""

    def add(function):
        def make():
            def body(*args):
                return function(*args)

            def around(compiled):
                def step(*args):
                    result = compiled(*args)
                    tangent = tangent_of(result)
                    Tagged.log.clear()
                    try:
                        gradients = torch.autograd.grad([result], [arg for arg in args if arg.requires_grad], [tangent])
                    except RuntimeError as problem:
                        assert "angent" in str(problem), problem
                        gradients = ["refused"]
                    return result, None if replaced else tangent, list(gradients), list(Tagged.log)

                return step

            body.around = around
            return body

        program(make_inputs, name=name, factory=True, backward=False)(make)
        return function

    return add


def numbers(like):
    return torch.arange(like.numel(), dtype=like.dtype).reshape(like.shape) / 8


def product(x):
    return x.sin() * x


# ---- another type or context ----

given(lambda y: Tagged(numbers(y), "whole"), lambda: (tagged("whole", 3, 4, grad=True),), "tangent_as_traced")(product)
given(lambda y: Tagged(numbers(y), "other"), lambda: (tagged("whole", 3, 4, grad=True),), "tangent_of_another_context")(product)
given(lambda y: Tagged(numbers(y), "own"), lambda: (tagged("whole", 3, 4, grad=True),), "tangent_with_a_context_of_its_own")(product)
given(lambda y: Tagged(numbers(y), "partial"), lambda: (tagged("partial", 3, 4, grad=True),), "tangent_traced_as_whole")(product)
given(lambda y: Tagged(numbers(y), "whole"), lambda: (tagged("partial", 3, 4, grad=True),), "tangent_that_is_whole")(product)
given(lambda y: Tagged(numbers(y), "whole"), lambda: (two(3, 4, grad=True),), "tangent_of_another_subclass")(product)
given(lambda y: Tagged(numbers(y), "whole"), lambda: (torch.randn(3, 4, requires_grad=True),), "tangent_that_turns_plain")(product)
given(lambda y: WrapperSubclass(numbers(y)), lambda: (two(3, 4, grad=True),), "tangent_of_pytorchs_wrapper")(product)
given(lambda y: TwoTensor(Tagged(numbers(y), "whole"), Tagged(numbers(y), "whole")), lambda: (two(3, 4, grad=True),),
      "tangent_whose_parts_turn_plain", replaced=True)(product)  # fmt: skip
given(lambda y: TwoTensor(Tagged(numbers(y), "whole"), Tagged(numbers(y), "other")), lambda: (nested(3, 4, grad=True),),
      "tangent_whose_parts_are_others", replaced=True)(product)  # fmt: skip

# ---- refused ----

given(lambda y: Tagged(numbers(y), "stubborn"), lambda: (tagged("whole", 3, 4, grad=True),), "tangent_that_is_stubborn")(product)
given(lambda y: Tagged(numbers(y), "stubborn"), lambda: (two(3, 4, grad=True),), "tangent_stubborn_in_its_type")(product)
given(numbers, lambda: (two(3, 4, grad=True),), "tangent_plain_for_a_subclass")(product)
given(lambda y: TwoTensor(numbers(y), numbers(y)), lambda: (torch.randn(3, 4, requires_grad=True),),
      "tangent_two_for_a_plain_one")(product)  # fmt: skip

# ---- another layout ----


def negative(x):
    """Its gradient has the layout that the compiled backward got."""
    return -x


def in_layout(form, make):
    return lambda: (make(torch.randn(2, 3, 4, 5).to(memory_format=form)),)


def two_of(t):
    return TwoTensor(t, t + 1).requires_grad_()


LAST, FIRST = torch.channels_last, torch.contiguous_format
given(lambda y: TwoTensor(numbers(y), numbers(y) + 1), in_layout(LAST, two_of), "tangent_contiguous_for_channels_last")(negative)
given(lambda y: TwoTensor(numbers(y), numbers(y)).contiguous(memory_format=LAST), in_layout(LAST, two_of),
      "tangent_channels_last")(negative)  # fmt: skip
given(lambda y: TwoTensor(numbers(y), numbers(y)).contiguous(memory_format=LAST), in_layout(FIRST, two_of),
      "tangent_channels_last_for_contiguous")(negative)  # fmt: skip
given(lambda y: TwoTensor(numbers(y).mT.contiguous().mT, numbers(y).mT.contiguous().mT), in_layout(LAST, two_of),
      "tangent_of_neither_layout")(negative)  # fmt: skip
given(lambda y: TwoTensor(numbers(y), numbers(y), y.size(), y.stride()), in_layout(LAST, two_of),
      "tangent_whose_parts_are_laid_out", replaced=True)(negative)  # fmt: skip
given(lambda y: Tagged(numbers(y), "whole"), in_layout(LAST, lambda t: Tagged(t, "whole").requires_grad_()),
      "tangent_laid_out_as_a_whole")(negative)  # fmt: skip
given(lambda y: Tagged(numbers(y), "other"), in_layout(LAST, lambda t: Tagged(t, "whole").requires_grad_()),
      "tangent_converted_and_laid_out")(negative)  # fmt: skip
