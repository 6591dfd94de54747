# SPDX-License-Identifier: MIT
"""Operators with ordered effects, in the forward, in the backward and in both: graphs take and return tokens for them under most back
ends, and none under Inductor."""

import torch
from program import program
from programs_subclasses import nested, two
from torch._higher_order_ops.effects import _EffectType, _register_effectful_op

SEEN = []


@torch.library.custom_op("wrapgen_tests::note", mutates_args=())
def note(x: torch.Tensor, text: str) -> None:
    SEEN.append((text, x.sum().item()))


@note.register_fake
def _(x, text):
    return None


_register_effectful_op(torch.ops.wrapgen_tests.note.default, _EffectType.ORDERED)


class Noted(torch.autograd.Function):
    """x.sin(), with notes of what comes by."""

    @staticmethod
    def forward(ctx, x, before, after):
        if before:
            torch.ops.wrapgen_tests.note(x, before)
        ctx.save_for_backward(x)
        ctx.after = after
        return x.sin()

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        if ctx.after:
            torch.ops.wrapgen_tests.note(gradient, ctx.after)
        return gradient * x.cos(), None, None


def plain(*shape, grad=False):
    return torch.randn(*shape, requires_grad=grad)


def noting():
    """Effects in their order: what was noted is what comes back."""

    def body(x):
        torch.ops.wrapgen_tests.note(x, "before")
        y = x.sin() * x
        torch.ops.wrapgen_tests.note(y, "after")
        return y, y.view(-1)

    def around(compiled):
        def run(x):
            SEEN.clear()
            results = compiled(x)
            noted = list(SEEN)
            return *results, torch.tensor([value for _, value in noted]), [text for text, _ in noted]

        return run

    body.around = around
    return body


def in_both(x, y):
    return Noted.apply(x, "forward", "backward") * y, y + 1


def in_the_backward(x, y):
    return Noted.apply(x, "", "backward") * y, y + 1


def twice_in_the_backward(x, y):
    z = Noted.apply(x, "first", "last")
    return Noted.apply(z * y, "second", "first of the backward") * x, x.view(-1)


def beside_a_write(x, y):
    z = Noted.apply(x, "forward", "backward")
    y.mul_(2)
    return z * y, y.view(-1)


KINDS = {"plain": plain, "two_tensor": two, "nested_two_tensor": nested}
BODIES = (in_both, in_the_backward, twice_in_the_backward, beside_a_write)


def _inputs(make):
    return lambda: (make(3, 4, grad=True), torch.randn(3, 4))


program(lambda: (plain(3, 3),), name="effect_tokens", factory=True)(noting)
program(lambda: (plain(3, 3, grad=True),), name="effect_tokens_training", factory=True)(noting)
for _kind, _make in KINDS.items():
    program(lambda make=_make: (make(3, 4), torch.randn(3, 4)), name=f"effects_inference_{_kind}")(in_both)
    for _body in BODIES:
        program(_inputs(_make), name=f"effects_{_body.__name__}_{_kind}")(_body)


def _growing():
    return [(two(n, 4, grad=True), torch.randn(n, 4)) for n in (3, 5)]


program(_growing, name="effects_in_both_dynamic", dynamic=True)(in_both)
