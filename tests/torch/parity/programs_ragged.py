# SPDX-License-Identifier: MIT
"""Jagged nested tensors under Dynamo: the ragged size as an argument, owners that come and go, forward and backward.

What is compared besides values: whose ragged size each size and stride is (snapshot.py names it after the tensor where it was
met first), and which object each tensor of offsets is.
"""

import torch
import torch.nn.functional as F
from program import program
from torch.nested import nested_tensor, nested_tensor_from_jagged

SIZES = ((2, 3, 5), (4, 2, 7), (1, 4))  # lengths of the parts, call by call


def jagged(lengths, width=4, grad=False, dtype=torch.float32):
    parts = [torch.randn(length, width, dtype=dtype) for length in lengths]
    return nested_tensor(parts, layout=torch.jagged, requires_grad=grad)


def alike(x, width=4, grad=False):
    """With the same ragged size as x: the same tensor of offsets."""
    values = torch.randn(x.values().shape[0], width, requires_grad=grad)
    return nested_tensor_from_jagged(values, x.offsets()).detach().requires_grad_(grad)


def each(make=jagged, **options):
    """A call for each of SIZES."""
    return lambda: [(make(lengths, **options),) for lengths in SIZES]


def pairs(grad=False):
    firsts = [jagged(lengths, grad=grad) for lengths in SIZES]
    return [(x, alike(x, grad=grad)) for x in firsts]


def two(grad=False):
    """Tensors that have equal offsets, each its own."""
    return [(jagged(lengths, grad=grad), jagged(lengths, grad=grad)) for lengths in SIZES]


# ---- elementwise ----


@program(each(), grad=False)
def ragged_elementwise(x):
    return x.sin() * 2


@program(each(grad=True))
def ragged_elementwise_training(x):
    return x.sin() * 2


@program(each(), grad=False)
def ragged_several_outputs(x):
    return x * 2, x + 1, x.to(torch.float64)


@program(each(), grad=False)
def ragged_size_returned(x):
    return x * 2, x.shape[1], x.shape[0]


@program(pairs, grad=False)
def ragged_same_owner(x, y):
    return x + y, y * 2


@program(lambda: pairs(grad=True))
def ragged_same_owner_training(x, y):
    return x * y


@program(two, grad=False)
def ragged_two_owners(x, y):
    return x * 2, y * 3


@program(lambda: two(grad=True))
def ragged_two_owners_training(x, y):
    return x * 2, y * 3


@program(lambda: [two()[0], pairs()[0]], grad=False)
def ragged_owners_in_another_call(x, y):
    return y * 2, x * 3


@program(two, grad=False, uncompiled="PyTorch compiled nothing of it")
def ragged_two_owners_added(x, y):
    return x + y


# ---- layers ----


@program(each(grad=True))
def ragged_linear(x):
    return F.linear(x, torch.ones(6, 4) / 3, torch.ones(6))


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.second = torch.nn.Linear(4, 8), torch.nn.LayerNorm(8), torch.nn.Linear(8, 4)

    def forward(self, x):
        return x + self.second(F.gelu(self.norm(self.first(x))))


program(each(grad=True), name="ragged_linear_module")(torch.nn.Linear(4, 6))
program(each(), name="ragged_linear_inference", grad=False)(torch.nn.Linear(4, 6))
program(each(grad=True), name="ragged_layer_norm")(torch.nn.LayerNorm(4))
program(each(), name="ragged_layer_norm_inference", grad=False)(torch.nn.LayerNorm(4))
program(each(grad=True), name="ragged_block")(Block())


def heads(x):
    return x.unflatten(-1, [2, 2]).transpose(1, 2)


@program(each(), grad=False)
def ragged_attention(x):
    return F.scaled_dot_product_attention(heads(x), heads(x * 2), heads(x + 1)).transpose(1, 2).flatten(-2)


@program(each(grad=True))
def ragged_attention_training(x):
    return F.scaled_dot_product_attention(heads(x), heads(x * 2), heads(x + 1)).transpose(1, 2).flatten(-2)


@program(each(), grad=False)
def ragged_softmax(x):
    return x.softmax(-1)


# ---- reductions ----


@program(each(), grad=False)
def ragged_sum(x):
    return x.sum(1), x.sum(), x.sum(-1, keepdim=True)


@program(each(), grad=False)
def ragged_mean(x):
    return x.mean(1), x.mean(-1, keepdim=True)


# No reduction of a jagged tensor has a gradient, in eager mode either: aten._nested_sum_backward is not implemented, and that of
# a mean expands by the ragged size.
@program(each(grad=True), uncompiled="PyTorch compiled nothing of it")
def ragged_sum_training(x):
    return x.sum(1)


@program(each(grad=True), uncompiled="PyTorch compiled nothing of it")
def ragged_mean_training(x):
    return (x * x).mean(1)


# ---- views ----


@program(each(), grad=False)
def ragged_transposed(x):
    return x.transpose(1, 2)


@program(each(grad=True))
def ragged_transposed_training(x):
    return x.transpose(1, 2)


@program(each(), grad=False)
def ragged_values(x):
    return x.values(), x.values() * 2


@program(each(grad=True))
def ragged_values_training(x):
    return (x * x).values().sum(0)


@program(each(), grad=False)
def ragged_unsqueezed(x):
    return x.unsqueeze(-1), x


@program(lambda: [(x.transpose(1, 2),) for (x,) in each()()], grad=False)
def ragged_in_the_last_dimension(x):
    return x * 2, x.transpose(1, 2)


# ---- mutations ----


@program(each(), grad=False)
def ragged_mutated(x):
    x.add_(1)
    return x.sum(1)


@program(each(), grad=False)
def ragged_mutated_and_returned(x):
    return x.mul_(2)


@program(pairs, grad=False)
def ragged_mutated_by_another(x, y):
    x.add_(y)
    return y * x


@program(lambda: [(x.clone(),) for (x,) in each(grad=True)()])
def ragged_mutated_training(x):
    x.mul_(2)
    return x.sin()


# ---- owners that are arguments by themselves, and new ones ----


def jagged_parts(grad=False):
    return [(torch.randn(sum(lengths), 4, requires_grad=grad), torch.tensor([0, *lengths]).cumsum(0)) for lengths in SIZES]


@program(jagged_parts, grad=False)
def ragged_of_given_offsets(values, offsets):
    return nested_tensor_from_jagged(values, offsets) * 2, values + 1


@program(lambda: jagged_parts(grad=True))
def ragged_of_given_offsets_training(values, offsets):
    return nested_tensor_from_jagged(values, offsets) * 2


@program(jagged_parts, grad=False)
def ragged_of_new_offsets(values, offsets):
    x = nested_tensor_from_jagged(values, offsets + 0)
    return x * 2, x + 1


@program(lambda: [(jagged(lengths), torch.randn(sum(lengths), 4)) for lengths in SIZES], grad=False)
def ragged_of_another_tensor(x, values):
    return nested_tensor_from_jagged(values, x.offsets()) + x


@program(lambda: [(jagged(lengths), torch.randn(sum(lengths), 4)) for lengths in SIZES], grad=False)
def ragged_of_copied_offsets(x, values):
    return x * 2, nested_tensor_from_jagged(values, x.offsets().clone())


def with_gaps():
    values = torch.randn(12, 4)
    offsets = torch.tensor([0, 4, 8, 12])
    return [(nested_tensor_from_jagged(values, offsets, torch.tensor(lengths)),) for lengths in ((2, 3, 4), (1, 1, 2))]


@program(with_gaps, grad=False)
def ragged_with_lengths(x):
    return x * 2, x.shape[1]


@program(each(), grad=False)
def ragged_padded(x):
    return torch.nested.to_padded_tensor(x, 0.0)


# ---- after a graph break the ragged size is the only integer ----


@program(each(), grad=False)
def ragged_size_after_a_break(x):
    n, y = x.shape[1], x.sin()
    torch._dynamo.graph_break()
    return y, n * 2


@program(each(), grad=False)
def ragged_size_compared_after_a_break(x):
    n, y = x.shape[1], x.sin()
    torch._dynamo.graph_break()
    return y, torch.ones(3) + 1, n == 3


# ---- the program asks who owns what ----


@program(lambda: [*pairs()[:1], *two()[:1]], grad=False)
def ragged_compared(x, y):
    return x + y if x.shape[1] == y.shape[1] else x * 2


@program(lambda: [*two()[:2], *pairs()[:1]], grad=False)
def ragged_apart(x, y):
    return x + y if x.shape[1] == y.shape[1] else (x * 2, y + 1)


@program(lambda: [*two(grad=True)[:1], *pairs(grad=True)[:1]])
def ragged_apart_training(x, y):
    return x * y if x.shape[1] == y.shape[1] else (x * 2, y.sin())


@program(lambda: two()[:1], grad=False, uncompiled="PyTorch compiled nothing of it")
def ragged_ordered(x, y):
    return x * 2 if x.shape[1] < y.shape[1] else y


# ---- sizes that are symbols, so that strides are a ragged size times a symbol ----


@program(each(), grad=False, dynamic=True)
def ragged_dynamic(x):
    return x.sin() * 2, x.unsqueeze(-1)


@program(lambda: [(jagged(lengths, width, grad=True),) for lengths, width in zip(SIZES, (4, 6, 3))], dynamic=True)
def ragged_dynamic_training(x):
    return x.cos() * x


@program(lambda: [(x, alike(x, 4), torch.randn(4)) for x in map(jagged, SIZES)], grad=False, dynamic=True)
def ragged_dynamic_pairs(x, y, z):
    x.mul_(z)
    return x + y, x * z.sum()
