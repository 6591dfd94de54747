# SPDX-License-Identifier: MIT
"""Programs with ints and with tensors that only give their shape, dtype or device: that tensor is not an input of the graph, and the
wrapper cannot test what Dynamo tests about it. Like programs.py, this is imported where torch._dynamo must not be."""

import torch
from programs import case, of_module


# ---- of one shape ----


def like(x, other):
    return (x.reshape(other.shape) * 2).to(other.dtype), torch.zeros(other.shape[1], device=other.device)


def play_like(f, _):
    found = []
    for strides in ((3, 1), (3, 1)):
        x = torch.randn(6, requires_grad=True)
        y, zeros = f(x, torch.empty_strided((2, 3), strides, dtype=torch.float64))
        y.square().sum().backward()
        found += [y.detach(), zeros, x.grad]
    return found


def wrong_like(f):
    x, other = torch.randn(6, requires_grad=True), torch.randn(2, 3, dtype=torch.float64)
    yield "'other' size mismatch at index 0. expected 2, actual 3", lambda: f(x, other.new_empty(3, 2))
    yield "'other' rank mismatch. expected 2, actual 3", lambda: f(x, other[None])
    yield "'other' dtype mismatch. expected Double, actual Float", lambda: f(x, other.float())
    yield "'other' stride mismatch", lambda: f(x, other.new_empty(3, 2).t())
    yield "'other' requires_grad mismatch", lambda: f(x, other.clone().requires_grad_())
    yield "'other' dispatch key set mismatch", lambda: f(x, other.to("meta"))
    yield "of 'other' to be ", lambda: f(x, torch.nn.Parameter(other, requires_grad=False))
    yield "of 'other' to be ", lambda: f(x, (2, 3))
    yield "'x' size mismatch", lambda: f(torch.randn(8, requires_grad=True), other)
    yield "missing a required argument: 'other'", lambda: f(x)


case(name="like", make=lambda: like, play=play_like, wrong=wrong_like, dynamic=False,
     calls=lambda: (torch.randn(6, requires_grad=True), torch.randn(2, 3, dtype=torch.float64)))  # fmt: skip


# ---- of any: sizes that the graph takes without the tensor, conditions on what it does not take, an int ----


def cut(x, mask, tree, n):
    y = x[: mask.shape[0]] * n
    if tree["more"].shape[0] % mask.shape[0] == 0 and tree["more"].shape[1] > x.shape[0]:
        y = y + mask.shape[0]
    return y.tanh(), tree["more"].shape[1] * y.sum()


def arguments_of_cut(rows, length, more, n):
    return torch.randn(rows, 2, requires_grad=True), torch.randn(length), {"more": torch.randn(*more)}, n


def cut_calls():
    return [arguments_of_cut(7, 4, (8, 9), 3), arguments_of_cut(6, 4, (9, 5), 3)]


def play_cut(f, _):
    found = []
    for rows, length, more, n in ((7, 4, (8, 9), 3), (6, 4, (9, 5), 2), (9, 3, (12, 11), 7), (4, 3, (7, 6), 5), (8, 2, (6, 9), 10**9)):
        x, *others = arguments_of_cut(rows, length, more, n)
        y, total = f(x, *others)
        (y.square().sum() + total).backward()
        found += [y.detach(), total.detach(), x.grad]
    return found


def wrong_cut(f):
    def wrong(rows=7, length=4, more=(8, 9), n=3, x=lambda x: x, mask=lambda mask: mask, other=lambda other: other):
        given, of, tree, number = arguments_of_cut(rows, length, more, n)
        return lambda: f(x(given), mask(of), {"more": other(tree["more"])}, number)

    yield "'mask' dtype mismatch. expected Float, actual Double", wrong(mask=lambda mask: mask.double())
    yield "'mask' requires_grad mismatch", wrong(mask=lambda mask: mask.requires_grad_())
    yield "'mask' rank mismatch", wrong(mask=lambda mask: mask[None])
    yield "'mask' stride mismatch", wrong(length=8, mask=lambda mask: mask[::2])
    yield "'mask' dispatch key set mismatch", wrong(mask=lambda mask: mask.to("meta"))
    yield "'mask.size(0)': symbolic integer out of bounds: expected 2, found 1", wrong(length=1)
    yield "s1 = 3 (s0 <= s1)", wrong(rows=3)
    yield "mask.size(0) is 0", wrong(length=0)  # by which Dynamo's guard divides
    yield "mask is 4, not of type torch.Tensor", wrong(mask=lambda mask: 4)
    yield "'tree['more']' dtype mismatch", wrong(other=lambda other: other.double())
    yield "'tree['more']' rank mismatch", wrong(other=lambda other: other[0])
    yield "'tree['more']' requires_grad mismatch", wrong(other=lambda other: other.requires_grad_())
    yield "'tree['more']' dispatch key set mismatch", wrong(other=lambda other: other.to("meta"))
    yield "tree['more'] is a Parameter, not of type torch.Tensor", wrong(other=lambda other: torch.nn.Parameter(other, requires_grad=False))
    yield "tree['more'].stride(0) is 18, tree['more'].size(1) is 9", wrong(more=(8, 18), other=lambda other: other[:, :9])
    yield "n is 3.0, not of type int", wrong(n=3.0)
    yield "n is True, not of type int", wrong(n=True)
    yield "n >= 0 does not hold: n is -3", wrong(n=-3)


case(name="cut", make=lambda: cut, calls=cut_calls, play=play_cut, wrong=wrong_cut, graphs=2, dynamic=True)


# ---- of a view: Dynamo tests sizes of its base, and not that there is one ----


def viewed(x, y):
    return (x * 2 + y).sin(), x.view(-1)


def a_view(rows, columns, grad=False):
    base = torch.randn(rows * columns, requires_grad=grad)
    return base.view(rows, columns), torch.ones(columns)


def viewed_calls():
    return [a_view(3, 4), a_view(5, 6, grad=True)]


def play_viewed(f, _):
    found = []
    for rows, columns, grad in ((3, 4, False), (7, 2, False), (5, 6, True), (2, 9, True)):
        x, y = a_view(rows, columns, grad)
        x.retain_grad() if grad else None
        results = f(x, y)
        assert results[1]._base is x._base and results[1].data_ptr() == x.data_ptr()
        if grad:
            (results[0].square().sum() + results[1].sum()).backward()
            found += [x.grad, x._base.grad]
        found += [one.detach() for one in results]
    return found


def wrong_viewed(f):
    _, y = a_view(3, 4)
    yield "x._base is None, not of type torch.Tensor", lambda: f(torch.randn(3, 4), y)
    yield "x._base is a Parameter, not of type torch.Tensor", lambda: f(torch.nn.Parameter(torch.randn(12), False).view(3, 4), y)
    yield "2 <= x._base.size(0) does not hold: x._base.size(0) is 1", lambda: f(torch.randn(1, 12).view(3, 4), y)
    whole = torch.randn(())
    whole.set_(torch.randn(4).untyped_storage(), 0, ())
    yield "something is not there: IndexError", lambda: f(whole.as_strided((2, 2), (2, 1)), torch.ones(2))


case(name="viewed", make=lambda: viewed, calls=viewed_calls, play=play_viewed, wrong=wrong_viewed, graphs=2, dynamic=True)


class Buffered(torch.nn.Module):
    """With a buffer that is a view."""

    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.arange(12.0).view(3, 4))

    def forward(self, x):
        return x * self.scale.sum(0), self.scale.view(-1)


def play_buffered(f, module):
    found = []
    for rows in (3, 6):
        result, flat = f(torch.full((rows, 4), 2.0))
        assert flat.data_ptr() == module.scale.data_ptr()
        found += [result, flat]
    return found


case(name="view_of_a_module", make=Buffered, calls=lambda: [(torch.ones(rows, 4),) for rows in (3, 5)], play=play_buffered, wraps=of_module,
     dynamic=True)  # fmt: skip


# ---- of a module: a parameter that only gives its size ----


class Table(torch.nn.Module):
    def __init__(self, count=5):
        super().__init__()
        self.table = torch.nn.Parameter(torch.randn(count, 3))
        self.scale = torch.nn.Parameter(torch.randn(3))

    def forward(self, x):
        return x * self.scale / self.table.shape[0]


def play_table(f, module):
    module.scale.grad = None
    y = f(torch.ones(4, 3))
    y.sum().backward()
    assert module.table.grad is None
    return [y.detach(), module.scale.grad]


def wrong_table(loaded):
    def changed(**facts):
        module = Table()
        module.table = torch.nn.Parameter(torch.empty(**{"size": (5, 3), **facts}))
        return lambda: loaded.bind(module)(torch.ones(4, 3))

    yield "no 'table' in what is bound", lambda: loaded.bind({"scale": torch.ones(3)})
    yield "'self._parameters['table']' size mismatch at index 0. expected 5, actual 6", changed(size=(6, 3))
    yield "'self._parameters['table']' dtype mismatch", changed(dtype=torch.float64)


case(name="table", make=Table, calls=lambda: (torch.ones(4, 3),), play=play_table, wrong=wrong_table, wraps=of_module)


# ---- numbers that the graph computes: returned, and left for the backward ----


def numbered(x, w):
    """As a model of language computes its loss: over all positions, whose number the backward needs."""
    y = (x.view(-1, w.shape[0]) @ w).relu().repeat(4, 1)
    loss = torch.nn.functional.cross_entropy(y, torch.zeros(y.shape[0], dtype=torch.long))
    return loss, (y.shape[0] + 3) // 2 - x.shape[1], y[: x.shape[1] % 4]


def numbered_calls():
    return [(torch.randn(rows, length, 8), torch.randn(8, 5, requires_grad=True)) for rows, length in ((2, 3), (3, 5))]


def play_numbered(f, _):
    found = []
    for rows, length in ((2, 3), (3, 5), (7, 2), (2, 63)):
        x, w = torch.randn(rows, length, 8), torch.randn(8, 5, requires_grad=True)
        loss, number, part = f(x, w)
        assert type(number) is int and number == (rows * length * 4 + 3) // 2 - length
        (loss + part.square().sum()).backward()
        found += [loss.detach(), number, part.detach(), w.grad]
    return found


def wrong_numbered(f):
    x, w = torch.randn(2, 3, 8), torch.randn(8, 5, requires_grad=True)
    yield "'x' rank mismatch", lambda: f(x[0], w)
    yield "'x': stride of dimension 0: expected 16, found 8", lambda: f(x.transpose(0, 1), w)
    yield "'w' requires_grad mismatch", lambda: f(x, w.detach())
    yield "s1 = 64 (s1%4 != 0)", lambda: f(torch.randn(2, 64, 8), w)
    yield "size", lambda: f(x, torch.randn(9, 5, requires_grad=True))


case(name="numbers", make=lambda: numbered, calls=numbered_calls, play=play_numbered, wrong=wrong_numbered, graphs=2, dynamic=True)
