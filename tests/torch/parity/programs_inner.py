# SPDX-License-Identifier: MIT
"""What the kernels do otherwise than the traced graph, and check() sees only when they run: with Inductor, and with kernels into which
a difference was planted, one for each thing that is compared. PyTorch's own wrapper has the planted ones, too, so they are inherited,
but where wrapgen's tests what is returned and PyTorch's does not."""

import torch
import torch._dynamo.backends.common as dynamo_common
import torch.utils._pytree as pytree
from functorch.compile import make_boxed_func, min_cut_rematerialization_partition

from program import program
from programs_subclasses import two


def numbers(*size, grad=False):
    return torch.arange(1.0, 1 + torch.Size(size).numel()).view(size).clone().requires_grad_(grad)


def by_inductor(make_inputs, **options):
    return program(make_inputs, inner="inductor", **options)


# ---- Inductor ----


class Reversed(torch.autograd.Function):
    """The gradient-reversal layer: the traced graph returns a view that does nothing, and Inductor's its argument itself."""

    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        return -gradient


@by_inductor(lambda: (numbers(3, grad=True),))
def inner_reversed_gradient(x):
    return Reversed.apply(x)


@by_inductor(lambda: (numbers(4),))
def inner_views_of_one_result(x):
    made = x * 2
    return made, made.view(4)


@by_inductor(lambda: (numbers(3, 4, grad=True),))
def inner_parts_with_offsets(x):
    made = x.sin()
    return made[1:], made[:, 2], made.t()


@by_inductor(lambda: (numbers(2, 3, grad=True).clone(),))
def inner_parts_and_a_view(x):
    return *x.unbind(0), x.view(6)


@by_inductor(lambda: (numbers(4), numbers(4)))
def inner_writes_in_their_order(x, y):
    x.add_(y)
    y.mul_(x)
    x[1:].copy_(y[:3])
    return x - y


@by_inductor(lambda: (numbers(8, grad=True), numbers(8)))
def inner_random_numbers(x, y):
    return torch.nn.functional.dropout(x, 0.5), torch.rand_like(y)


@by_inductor(lambda: (numbers(2, grad=True),))
def inner_more_results_than_are_tried_alone(x):
    return tuple(x * n for n in range(12))


@by_inductor(lambda: (two(3, 3, grad=True),), inherited="backward from 0 of 2 results fails: value is True, not False")
def inner_half_of_a_backward_of_subclasses(t):
    return t * 2, t * 3


# ---- planted ----


def planted(forward=lambda run, args: run(*args), backward=lambda run, args: run(*args)):
    """A back end like aot_eager. Its graphs are called by these, which get the graph and its arguments."""

    def compiler(call):
        return lambda module, _: make_boxed_func(lambda *args: call(module, args))

    def with_planted(module, args):
        return dynamo_common.aot_module_simplified(
            module, args, fw_compiler=compiler(forward), bw_compiler=compiler(backward), partition_fn=min_cut_rematerialization_partition,
            keep_inference_input_mutations=True,
        )  # fmt: skip

    return with_planted


def with_results(change):
    def call(run, args):
        results = list(run(*args))
        change(results, args)
        return results

    return call


def put(position, value):
    """Puts value(results, args) at the position of the results."""
    return with_results(lambda results, args: results.__setitem__(position, value(results, args)))


def told(name, words, make_inputs, function, status="inherited", **options):
    program(make_inputs, name=f"inner_planted_{name}", inner=planted(**options), **{status: words})(function)


def doubled_twice(x):
    return x * 2, x + x


def one():
    return (numbers(4),)


def one_with_grad():
    return (numbers(4, grad=True),)


def untouched(run, args):
    return run(*pytree.tree_map_only(torch.Tensor, torch.clone, args))


def without_zeros(run, args):
    """A backward that takes a tangent of zeros for one that is not there, and returns its first gradient for it."""
    zero = any(isinstance(arg, torch.Tensor) and arg.numel() and not arg.any() for arg in args)
    return [result + 1 if zero and isinstance(result, torch.Tensor) else result for result in run(*args)]


told("value", "results[0]: values differ in 4 of 4", one, doubled_twice, forward=put(0, lambda results, _: results[0] + 1))
told("one_object_twice", "results[1]: storage is results[0], not results[1]", one, doubled_twice, forward=put(1, lambda results, _: results[0]))
told("argument_itself", "it is argument 'args_0' itself", one, torch.clone, status="different", forward=put(0, lambda _, args: args[0]))
told("shared_storage", "results[1]: storage is results[0], not results[1]", one, doubled_twice,
     forward=put(1, lambda results, _: results[0].view(4).as_strided((4,), (1,))))  # fmt: skip
told("size", "expected 4, found 3 (size)", one, doubled_twice, status="different", forward=put(0, lambda results, _: results[0][1:]))
told("stride", "expected 1, found 2 (stride)", one, doubled_twice, status="different",
     forward=put(0, lambda results, _: torch.stack([results[0]] * 2, 1)[:, 0]))  # fmt: skip
told("lost_write", "args[0]: values differ", lambda: (numbers(4), numbers(4)), torch.Tensor.add_, forward=untouched)
told("offset", "results[0]: offset is 1, not 0", one, doubled_twice, forward=put(0, lambda results, _: torch.cat([results[0][:1], results[0]])[1:]))
told("gradient_of_all", "grad[0]: values differ in 4 of 4", one_with_grad, torch.sin,
     backward=lambda run, args: [result * 2 for result in run(*args)])  # fmt: skip
told("gradient_of_one_alone", "backward from 0 of 2 results[0]: values differ in 4 of 4", one_with_grad, lambda x: (x.sin(), x.cos()),
     backward=without_zeros)  # fmt: skip
