# SPDX-License-Identifier: MIT
"""Training graphs compared with eager PyTorch."""

import contextlib

from scenario import Special, fresh, grown, product_backward_kernel, raises, test

import torch
from torch.autograd import forward_ad


# ---- autograd ----


def both(ours, theirs, *make):
    """What a training graph gives, and what eager PyTorch gives: values, gradients, exceptions."""
    outcomes = []
    for function in (ours, theirs):
        inputs = [one() for one in make]
        try:
            outcomes.append((function(*inputs), [one.grad for one in inputs], [one._version for one in inputs]))
        except RuntimeError as problem:
            outcomes.append(str(problem))
    return outcomes


def same(a, b):
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        return torch.equal(a, b) and a.requires_grad == b.requires_grad
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


@test
def gradients_as_in_eager_mode():
    module = fresh()

    def ours(x, w):
        (y,) = module.product(x, w)
        assert y.requires_grad and y.grad_fn.name() == "CompiledFunctionBackward"
        (y * y).sum().backward()
        return y

    def theirs(x, w):
        y = x * w
        (y * y).sum().backward()
        return y

    mine, eager = both(ours, theirs, lambda: torch.arange(3.0), lambda: torch.full((3,), 0.5, requires_grad=True))
    assert same(mine, eager), (mine, eager)


class Partly(torch.autograd.Function):
    """The graph `partly` as a function of PyTorch's."""

    @staticmethod
    def forward(ctx, x):
        y = torch.exp(x)
        z = y.sum(0, keepdim=True).requires_grad_()
        ctx.mark_non_differentiable(z)
        ctx.save_for_backward(y)
        return y, z

    @staticmethod
    def backward(ctx, dy, _):
        return ctx.saved_tensors[0] * dy


@test
def what_must_not_require_grad():
    module = fresh()

    def steps(function):
        def run(x):
            y, z = function(x)
            (y * z).sum().backward()
            return y, z, z.is_leaf, z.grad_fn, z.grad

        return run

    mine, theirs = both(steps(module.partly), steps(Partly.apply), lambda: torch.arange(3.0).requires_grad_())
    assert same(mine, theirs), (mine, theirs)
    assert not theirs[0][1].requires_grad


class Silent(torch.autograd.Function):
    """The graph `silent` as a function of PyTorch's: the argument that makes its result require grad gets no gradient."""

    @staticmethod
    def forward(ctx, x):
        return x.sign()

    @staticmethod
    def backward(ctx, dy):
        return None


@test
def an_argument_without_a_gradient():
    module = fresh()

    def ours(x):
        return module.silent(x)[0]

    def steps(function):
        def run(x):
            y = function(x)
            assert y.requires_grad and not y.is_leaf
            (y * x).sum().backward()
            return y, torch.autograd.grad(function(x).sum(), x, allow_unused=True)

        return run

    mine, theirs = both(steps(ours), steps(Silent.apply), lambda: torch.tensor([-2.0, 0.0, 3.0], requires_grad=True))
    assert same(mine, theirs), (mine, theirs)
    assert not ours(torch.ones(3)).requires_grad


@test
def without_gradients():
    module = fresh()
    (y,) = module.product(torch.ones(3), torch.ones(3))
    assert not y.requires_grad and y.grad_fn is None
    with torch.inference_mode():
        assert module.product(torch.ones(3), torch.ones(3))[0].is_inference()


@test
def a_mutated_argument_has_history():
    module = fresh()

    def ours(x, w):
        z = x * 1
        (y,) = module.scale(z, w)
        (z.sum() + y.sum()).backward()
        return y, z, z._version

    def theirs(x, w):
        z = x * 1
        z.mul_(w)
        y = z * 2
        (z.sum() + y.sum()).backward()
        return y, z, z._version

    def leaf():
        return torch.tensor([0.5, 2.0], requires_grad=True)

    mine, eager = both(ours, theirs, leaf, leaf)
    assert same(mine, eager), (mine, eager)


@test
def backward_twice_and_versions():
    module = fresh()

    def leaf():
        return torch.tensor([0.5, 2.0], requires_grad=True)

    def twice(function, x):
        (y,) = function(x)
        y.sum().backward()
        y.sum().backward()

    mine, eager = both(lambda x: twice(module.exponent, x), lambda x: twice(lambda t: (torch.exp(t),), x), leaf)
    assert mine == eager and "second time" in mine, (mine, eager)

    def retained(function, x):
        (y,) = function(x)
        y.sum().backward(retain_graph=True)
        y.sum().backward()

    mine, eager = both(lambda x: retained(module.exponent, x), lambda x: retained(lambda t: (torch.exp(t),), x), leaf)
    assert same(mine, eager), (mine, eager)

    def written(function, x):
        (y,) = function(x)
        total = y.sum()
        y.detach().mul_(2)
        total.backward()

    mine, eager = both(lambda x: written(module.exponent, x), lambda x: written(lambda t: (torch.exp(t),), x), leaf)
    assert "is at version 1; expected version 0 instead" in mine and "is at version 1; expected version 0 instead" in eager


@test
def what_the_graph_wrote_after_it_was_saved():
    """The wrapper writes into x, which the compiled function saved as it was; PyTorch saves it as it is afterwards."""
    module = fresh()
    module.bind("scale_kernel", lambda args: [args[0] * args[1], args[0] * 2, args[0], args[1]])
    x = torch.ones(4, requires_grad=True).clone()
    (y,) = module.scale(x, torch.ones(4, requires_grad=True))
    with raises(RuntimeError, "is at version 1; expected version 0 instead. The compiled graph itself wrote into it"):
        y.sum().backward()


@test
def donated_buffers_are_given_once():
    module = fresh()
    x = torch.ones(3, requires_grad=True)
    (y,) = module.giving(x)
    with raises(RuntimeError, "non-empty donated buffers which requires create_graph=False and retain_graph=False"):
        y.sum().backward(retain_graph=True)
    (y,) = module.giving(x)
    y.sum().backward()
    assert torch.equal(x.grad, torch.exp(torch.ones(3)))


@test
def tangents_are_in_memory_as_they_are():
    """A compiled backward reads them there, where a lazily negated one is not."""
    module = fresh()
    seen = []
    module.bind("exponent_backward_kernel", lambda args: seen.append(args[1].is_neg()) or [args[0] * args[1]])
    x = torch.ones(3, requires_grad=True)
    (y,) = module.exponent(x)
    y.backward(torch._neg_view(torch.ones(3)))
    assert seen == [False] and torch.equal(x.grad, -torch.exp(torch.ones(3)))


@test
def exceptions_in_a_backward():
    module = fresh()
    raised = Special(torch.ones(1))

    def bad(_):
        raise raised

    module.bind("product_backward_kernel", bad)
    (y,) = module.product(torch.ones(3), torch.ones(3, requires_grad=True))
    try:
        y.sum().backward()
    except Special as problem:
        assert problem is raised
    else:
        raise AssertionError("nothing was raised")
    module.bind("product_backward_kernel", lambda _: [None])
    (y,) = module.product(torch.ones(3), torch.ones(3, requires_grad=True))
    with raises(RuntimeError, "product_backward_kernel returned 1 values, not 2"):
        y.sum().backward()
    module.bind("product_backward_kernel", None)
    (y,) = module.product(torch.ones(3), torch.ones(3, requires_grad=True))
    with raises(RuntimeError, "nothing is bound to the compiled function 'product_backward_kernel'"):
        y.sum().backward()


@test
def hooks_and_double_backward():
    module = fresh()
    seen = []
    w = torch.full((3,), 2.0, requires_grad=True)
    (y,) = module.product(torch.ones(3), w)
    y.register_hook(lambda gradient: gradient * 3)
    y.grad_fn.register_hook(lambda *_: seen.append(1))
    (gradient,) = torch.autograd.grad(y.sum(), w, create_graph=True)
    assert torch.equal(gradient, torch.full((3,), 3.0)) and seen == [1]
    with raises(RuntimeError, "does not currently support double backward"):
        gradient.sum().backward()


@test
def double_backward_of_constants():
    """Nothing that the backward reads requires grad, and yet its results must not pass for constants."""
    module = fresh()
    module.bind("product_kernel", lambda args: (args[0] * args[1], args[0].detach(), args[1].detach()))
    w = torch.full((3,), 2.0, requires_grad=True)
    (y,) = module.product(torch.ones(3), w)
    (gradient,) = torch.autograd.grad(y, w, torch.ones(3), create_graph=True)
    assert torch.equal(gradient, torch.ones(3))
    with raises(RuntimeError, "does not currently support double backward"):
        gradient.sum().backward()


@test
def views_of_one_call_are_not_written_into():
    """As with a torch.autograd.Function that returns several values: a write could not be followed back."""
    module = fresh()
    module.bind("scale_kernel", lambda args: [args[0] * 2, (args[0] * args[1]).view(4), args[0].clone(), args[1]])
    x = torch.ones(4, requires_grad=True).clone()
    (y,) = module.scale(x, torch.ones(4, requires_grad=True))
    with raises(RuntimeError, "returns multiple views"):
        y.add_(1)


@test
def training_leaks_nothing():
    module = fresh()

    def bad(_):
        raise Special(torch.ones(2))

    def calls():
        for run in (0, 1):
            w = torch.ones(3, requires_grad=True)
            (y,) = module.product(torch.ones(3), w)
            (e,) = module.exponent(w)
            if run:
                (y + e).sum().backward()
            module.bind("product_backward_kernel", bad)
            (y,) = module.product(torch.ones(3), w)
            with contextlib.suppress(Special):
                y.sum().backward()
            module.bind("product_backward_kernel", product_backward_kernel)

    assert grown(calls) == 0


def written_under(base):
    """A view whose tangent is its base's: `base` got one in place."""
    view = base[:]
    base.copy_(forward_ad.make_dual(torch.ones(3), torch.ones(3)))
    return view


@test
def a_forward_mode_derivative_of_any_argument_is_refused():
    module = fresh()
    graphs = [("product", ("x", "w"), True), ("marked", ("x",), False), ("taking", ("x",), False)]
    for graph, names, training in graphs:
        for name in names:
            for make in (lambda t: forward_ad.make_dual(t, torch.ones(3)), lambda t: written_under(t.detach().clone())):
                args = {each: torch.ones(3, requires_grad=training) for each in names}
                with forward_ad.dual_level(), raises(RuntimeError, f"argument '{name}' has a forward-mode derivative"):
                    getattr(module, graph)(**{**args, name: make(args[name])})
                getattr(module, graph)(**args)  # no level is open, so it has none
        with forward_ad.dual_level():
            getattr(module, graph)(**args, **{})  # a level is open, and no argument has one


@test
def a_forward_mode_derivative_of_a_gradient_is_refused():
    (y,) = fresh().product(torch.ones(3), w := torch.ones(3, requires_grad=True))
    with forward_ad.dual_level(), raises(RuntimeError, "a gradient has a forward-mode derivative"):
        torch.autograd.grad(y, w, forward_ad.make_dual(torch.ones(3), torch.ones(3)))


@test
def the_gradient_of_a_view_goes_where_its_base_has_it():
    module = fresh()
    for made in (lambda base: base[:], lambda base: base.view(3)):
        leaf, base = torch.ones(3, requires_grad=True), torch.zeros(3)
        view = made(base)
        base.add_(leaf)  # the view's node is made when it is first asked for
        (y,) = module.product(torch.full((3,), 2.0), view)
        y.sum().backward()
        assert torch.equal(leaf.grad, torch.full((3,), 2.0))
        assert view.grad is None


@test
def arguments_that_are_taken_end():
    module = fresh()

    def refused():
        with forward_ad.dual_level(), raises(RuntimeError, "forward-mode derivative"):
            module.taken(forward_ad.make_dual(torch.ones(3, requires_grad=True), torch.ones(3)))

    def trained():
        x = torch.ones(3, requires_grad=True)
        (y,) = module.taken(x)
        y.sum().backward()
        assert torch.equal(x.grad, torch.exp(torch.ones(3)))

    assert grown(refused) == 0 and grown(trained) == 0
