# SPDX-License-Identifier: MIT
"""Sizes and numbers that only results tell: nonzero, boolean masks, item(), unique, repeat_interleave, whole graphs of
them. Every program is called with at least three sizes, among them nothing found and everything found."""

import functools

import torch
from program import program
from torch import nn

VERSION = tuple(map(int, torch.__version__.split(".")[:2]))

_config = functools.partial(
    torch._dynamo.config.patch, capture_dynamic_output_shape_ops=True, capture_scalar_outputs=True
)


def unbacked(make_inputs, dynamic=None, **options):
    return program(make_inputs, dynamic=dynamic, context=_config, **options)


def filled(shape, fill, grad):
    values = torch.randn(*shape) if fill is None else torch.full(shape, fill)
    return values.requires_grad_(grad)


def tables(*shapes, grad=False):
    """Random tables, one in which nothing is greater than 0, and one in which everything is."""

    def make():
        calls = [(filled(shape, None, grad),) for shape in shapes]
        return calls + [(filled(shapes[0], fill, grad),) for fill in (-1.0, 1.0)]

    return make


same = (4, 3), (4, 3)
other = (4, 3), (6, 2), (2, 7)


@unbacked(tables(*same))
def nonzero(x):
    return x.clamp(min=0).nonzero()


@unbacked(tables(*other), dynamic=True)
def nonzero_of_any_size(x):
    places = x.clamp(min=0).nonzero()
    return places, places.t(), places.shape[0]


@unbacked(tables(*other), dynamic=True)
def where_as_tuple(x):
    return torch.where(x > 0)


@unbacked(tables(*other), dynamic=True)
def masked(x):
    y = x[x > 0]
    return y, y + 1, y.numel() * 2


@unbacked(tables(*same, grad=True))
def masked_training(x):
    y = x[x > 0]
    return y * 2, y.sum()


@unbacked(tables(*same, grad=True))
def masked_aliases_training(x):
    y = x[x > 0] * 2
    return y.view(-1, 1), y.unsqueeze(0), y.detach()


@unbacked(tables(*same))
def masked_views(x):
    y = x[x > 0] * 2
    return y, y.view(-1, 1), y.expand(2, -1)


@unbacked(tables(*other))
def masked_outer(x):
    y = x[x > 0]
    return y[:, None] * y[None, :], torch.stack([y, y])


def stacked(x):
    y = x[x > 0]
    z = torch.stack([y, y])
    return z, z.t() * 2


unbacked(tables(*same, grad=True), name="masked_outer_training", inner=None)(stacked)

# Inductor makes the second one row by row, eager mode and the metadata column by column: what is returned is not what was said, so the
# wrapper refuses it. PyTorch's own returns it.
unbacked(tables(*same, grad=True), name="masked_outer_of_inductor", inner="inductor", different="dimension 0: expected 1, found 2 (stride)")(
    stacked
)


@unbacked(tables(*other, grad=True))
def masked_rows_training(x):
    rows = x[x.sum(1) > 0]
    return torch.tanh(rows), rows.shape[0]


class Rows(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, x):
        return self.layer(x[x[:, 0] > 0])


unbacked(tables((5, 4), (3, 4), (9, 4)), name="masked_rows_of_a_layer", dynamic=True, tolerance=(1e-4, 1e-5))(Rows())


@unbacked(tables(*same))
def twice_as_many(x):
    places = x.clamp(min=0).nonzero()
    return torch.cat([places, places]), places.shape[0] * 3


@unbacked(tables(*same))
def one_more_each(x):
    places = x.clamp(min=0).nonzero()
    y = x[x < 0]
    return torch.cat([places, places[:0], x[:1].long()[:, :2]]), torch.cat([y, x[0]])


@unbacked(tables(*same))
def written_by_what_is_found(x):
    places = x.clamp(min=0).nonzero()
    x.add_(places.shape[0])
    return places


def with_count(*counts, size=8, grad=False):
    return lambda: [(torch.randn(size, 3, requires_grad=grad), torch.tensor(count)) for count in counts]


def count_of(x, n):
    k = (n + 0).item()  # of n itself Dynamo makes an argument
    torch._check(k >= 0)
    torch._check(k <= x.shape[0])
    return k


@unbacked(with_count(0, 1, 3, 8))
def rows_up_to_item(x, n):
    return x[: count_of(x, n)] * 2


@unbacked(with_count(0, 1, 3, 8))
def rows_up_to_item_alias(x, n):
    return x[: count_of(x, n)]


@unbacked(with_count(0, 1, 3, 8, grad=True))
def rows_up_to_item_training(x, n):
    k = count_of(x, n)
    return x[:k], x[:k] * 2, k + 1


@unbacked(with_count(0, 1, 3, 8))
def rows_up_to_item_of_a_mutated(x, n):
    x.mul_(2)
    return x[: count_of(x, n)]


@unbacked(with_count(0, 1, 3, 8))
def rows_up_to_an_argument(x, n):
    k = n.item()
    torch._check(k >= 0)
    torch._check(k <= x.shape[0])
    return x[:k], x[:k] * 2


@unbacked(with_count(2, 5, -3))
def items(x, n):
    k = (n + 0).item()
    return k * 2, k, x.sum().item() * 2, (x.sum() > 0).item(), k > 3


@unbacked(with_count(2, 5, 8))
def made_of_items(x, n):
    k = (n + 0).item()
    torch._check(k >= 2)
    torch._check(k <= 8)
    return torch.zeros(k, 3) + x[0], torch.arange(k), torch.ones(3, k)


@unbacked(with_count(2, 5, 9), raises="Runtime assertion failed")
def item_beyond_its_bounds(x, n):
    return x[: count_of(x, n)] * 2


def numbers(*texts):
    return lambda: [(torch.tensor([int(digit) for digit in text]),) for text in texts]


@unbacked(numbers("1223", "7777", "0123", "98766"))
def unique(x):
    return torch.unique(x)


@unbacked(numbers("1223", "77777", "0123456"), dynamic=True)
def unique_with_places(x):
    values, inverse, counts = torch.unique(x, return_inverse=True, return_counts=True)
    return values, inverse, counts, values.shape[0]


@unbacked(numbers("1221", "7777", "0123"))
def unique_consecutive(x):
    return torch.unique_consecutive(x, return_counts=True)


@unbacked(numbers("1221", "7770", "0000"))
def counted(x):
    return torch.bincount(x)


def repeats(*texts, grad=False):
    return lambda: [
        (torch.randn(len(text), 3, requires_grad=grad), torch.tensor([int(digit) for digit in text])) for text in texts
    ]


@unbacked(repeats("1201", "0000", "3111"))
def repeated(x, r):
    return x.repeat_interleave(r, dim=0)


@unbacked(repeats("1201", "0000", "3111", grad=True))
def repeated_training(x, r):
    y = x.repeat_interleave(r, dim=0)
    return y * 2, y.sum(0)


@unbacked(repeats("120", "0", "31112"), dynamic=True)
def repeated_of_any_size(x, r):
    return torch.repeat_interleave(r), x.repeat_interleave(r, dim=0)


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))

    def forward(self, x, route):
        result = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            (rows,) = torch.where(route == number)
            result = result.index_add(0, rows, expert(x[rows]))
        return result


def routes():
    chosen = [0, 1, 0, 1, 1, 0], [0] * 6, [1] * 6
    return [(torch.randn(6, 4, requires_grad=True), torch.tensor(route)) for route in chosen]


unbacked(routes, name="routed_to_experts", tolerance=(1e-4, 1e-5))(Experts())


@unbacked(lambda: [(torch.tensor(lengths),) for lengths in ([1, 3, 2], [1, 1, 1], [5, 2, 4])])
def padding_mask(lengths):
    longest = lengths.max().item()
    torch._check(longest >= 1)
    return torch.arange(longest)[None, :] < lengths[:, None]


@unbacked(lambda: [(torch.randn(6, 2), torch.tensor(lengths)) for lengths in ([1, 3, 2], [0, 4, 2], [2, 2, 2])])
def split_by_lengths(x, lengths):
    return tuple(part * 2 for part in torch.split(x, lengths.tolist()))


@unbacked(tables((8,), (8,), (8,)))
def as_many_as_are_positive(x):
    k = (x > 0).sum().item()
    torch._check(k >= 0)
    torch._check(k <= x.shape[0])
    return torch.topk(x, k)


@unbacked(lambda: [(torch.randn(5, 4), torch.randn(5)) for _ in range(3)])
def best_first(boxes, scores):
    (keep,) = torch.where(scores > 0)
    order = scores[keep].argsort(descending=True)
    return boxes[keep][order], scores[keep][order], keep


@unbacked(lambda: [(torch.randn(count, 4, requires_grad=True),) for count in (3, 6, 9)], dynamic=True,
          tolerance=(1e-4, 1e-5))  # fmt: skip
def attention_among_chosen(x):
    (rows,) = torch.where(x.sum(1) > 0)
    y = x.index_select(0, rows)
    return (y @ y.t()).softmax(-1)


# Since 2.14 Dynamo loses a symbol of its own here, with any back end, so those versions do not run it.
_histogram = unbacked(lambda: [(torch.randint(0, 9, (count,)),) for count in (4, 9, 20)], dynamic=True)


@(_histogram if VERSION < (2, 14) else lambda function: function)
def histogram(x):
    values, counts = torch.unique(x, return_counts=True)
    return values[counts.argmax()], values, counts.float() / counts.sum()


@unbacked(lambda: [(torch.randn(4, 6), torch.tensor(count)) for count in (1, 3, 6)])
def columns_on_both_sides(x, n):
    k = (n + 0).item()
    torch._check(k >= 1)
    torch._check(k <= 6)
    return x[:, :k], x[:, k:], x[:, :k] * 2


@unbacked(lambda: [(torch.randn(8), torch.tensor(lengths)) for lengths in ([3, 5], [8, 0], [1, 7])])
def split_as_views(x, lengths):
    first, second = lengths.tolist()
    torch._check(first >= 0)
    torch._check(second >= 0)
    torch._check(first + second == 8)
    return torch.split(x, [first, second])


@unbacked(lambda: [(torch.randn(5), torch.randn(5)) for _ in range(4)])
def sum_of_two_counts(x, y):
    both = torch.cat([x[x > 0], y[y > 0]])
    return both, both.view(-1, 1), both.shape[0] * 2


@unbacked(lambda: [(torch.randn(5, requires_grad=True), torch.randn(5)) for _ in range(4)])
def product_of_two_counts_training(x, y):
    table = torch.outer(x[x > 0], y[y > 0])
    return table.flatten() + 1, table * 2


@unbacked(lambda: [(torch.zeros(6), torch.randn(6)) for _ in range(3)])
def written_where_found(buffer, x):
    (places,) = torch.where(x > 0)
    buffer.index_add_(0, places, x[places])
    return places, buffer


@unbacked(tables((6,), (6,), grad=True))
def masked_loss(x):
    return (x.masked_select(x > 0) ** 2).mean()


@unbacked(lambda: [(torch.randn(3, 4, requires_grad=True), torch.tensor([2, 1, 3]))], uncompiled="data-dependent")
def repeated_and_turned_training(x, repeats):
    y = x.repeat_interleave(repeats, dim=0)
    return y.t(), y.cumsum(0)
