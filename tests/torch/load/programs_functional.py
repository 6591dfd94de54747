# SPDX-License-Identifier: MIT
"""Programs that transform functions: torch.func, and pytree's classes, which its functions take apart."""

import contextlib
import dataclasses

import torch
from programs import case, of_module, within
from torch.autograd import forward_ad
from torch.utils import _pytree as pytree

INSIDE = "the call is inside of a transformation of torch.func"


@contextlib.contextmanager
def another_node():
    """Under it pytree takes a class apart that was none of its own in the build."""
    kind = type("Late", (), {"__module__": "late"})
    pytree.register_pytree_node(kind, lambda one: ((one.a,), None), lambda children, _: kind())
    try:
        yield
    finally:
        pytree._deregister_pytree_node(kind)


def wrong_inside(arguments):
    """Wrong calls of a function of the arguments that this gives."""

    def wrong(f):
        found = arguments()
        yield INSIDE, lambda: torch.vmap(lambda one: one + f(*found).sum())(torch.ones(2))
        yield INSIDE, lambda: torch.func.grad(lambda one: one + f(*found).sum())(torch.tensor(1.0))
        yield "has late.Late, which it did not have in the build", within(another_node, lambda: f(*found))
        f(*found)  # which that did not change

    return wrong


def per_sample(parameters, x, y):
    def loss(parameters, x, y):
        return ((x @ parameters["w"] + parameters["b"] - y) ** 2).sum()

    return torch.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))(parameters, x, y)


def samples(count=5):
    return {"w": torch.randn(3, 2), "b": torch.randn(2)}, torch.randn(count, 3), torch.randn(count, 2)


case(name="gradients of each sample", make=lambda: per_sample, calls=samples,
     play=lambda f, _: [f(*samples())[name] for name in ("w", "b")])  # fmt: skip


def second(x):
    return torch.func.hessian(lambda a: (a.sin() * a).sum())(x)


def wrong_second(f):
    yield from wrong_inside(lambda: (torch.randn(4),))(f)
    yield "forward_ad._current_level is 0, not -1", within(forward_ad.dual_level, lambda: f(torch.randn(4)))
    yield "size mismatch", lambda: f(torch.randn(5))


case(name="second derivatives", make=lambda: second, calls=lambda: (torch.randn(4),), play=lambda f, _: [f(torch.randn(4))],
     wrong=wrong_second)  # fmt: skip


class Over(torch.nn.Module):
    """A module that takes one sample, over several, and what its result changes with."""

    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))

    def forward(self, x):
        return torch.vmap(self.inner)(x), torch.vmap(torch.func.jacrev(self.inner))(x)


def play_over(f, module):
    module.zero_grad()
    y, jacobian = f(torch.randn(6, 3))
    (y.sum() + jacobian.square().sum()).backward()
    return [y.detach(), jacobian.detach(), *(one.grad.clone() for one in module.parameters())]


case(name="a module over samples", make=Over, calls=lambda: (torch.randn(6, 3),), play=play_over, wraps=of_module)


@dataclasses.dataclass
class Pair:
    first: torch.Tensor
    others: list


def register_pair():
    pytree.register_pytree_node(Pair, lambda pair: ([pair.first, pair.others], None), lambda children, _: Pair(*children), serialized_type_name="Pair")


register_pair()


@contextlib.contextmanager
def without_pairs():
    pytree._deregister_pytree_node(Pair)
    try:
        yield
    finally:
        register_pair()


def doubled(x, y):
    pair = pytree.tree_map(lambda one: one * 2, Pair(x, [y, {"sum": x + y}]))
    return pair.first, pair.others[1]["sum"]


def pairs():
    return torch.randn(3), torch.randn(3)


def wrong_doubled(f):
    yield "has late.Late, which it did not have in the build", within(another_node, lambda: f(*pairs()))
    yield "lacks programs_functional.Pair, which it had in the build", within(without_pairs, lambda: f(*pairs()))


@dataclasses.dataclass
class Scaled:
    value: torch.Tensor


def register_scaled(scale):
    pytree.register_pytree_node(Scaled, lambda one: ([one.value * scale], None), lambda children, _: Scaled(*children))


@contextlib.contextmanager
def scaled_by(scale):
    """Nothing but what a function has bound differs."""
    pytree._deregister_pytree_node(Scaled)
    register_scaled(scale)
    try:
        yield
    finally:
        pytree._deregister_pytree_node(Scaled)
        register_scaled(2.0)


@dataclasses.dataclass
class Fields:
    first: torch.Tensor
    second: torch.Tensor


register_scaled(2.0)
pytree.register_dataclass(Fields)


def leaves(one, other):
    return sum(leaf.sum() for leaf in pytree.tree_leaves([one, other]))


def some_leaves():
    return Scaled(torch.randn(3)), Fields(torch.randn(3), torch.randn(2))


@contextlib.contextmanager
def one_field():
    pytree._deregister_pytree_node(Fields)
    pytree.register_dataclass(Fields, field_names=["first"], drop_field_names=["second"])
    try:
        yield
    finally:
        pytree._deregister_pytree_node(Fields)
        pytree.register_dataclass(Fields)


def wrong_leaves(f):
    yield "takes programs_functional.Scaled apart in another way", within(lambda: scaled_by(3.0), lambda: f(*some_leaves()))
    yield "takes programs_functional.Fields apart in another way", within(one_field, lambda: f(*some_leaves()))
    f(*some_leaves())


case(name="classes of pytree with what is bound", make=lambda: leaves, calls=some_leaves, play=lambda f, _: [f(*some_leaves())],
     wrong=wrong_leaves)  # fmt: skip
case(name="a class of pytree", make=lambda: doubled, calls=pairs, play=lambda f, _: list(f(*pairs())), wrong=wrong_doubled)
