# SPDX-License-Identifier: MIT
"""Mutations of inputs: data, geometry, storage, in the graph and in the epilogue, of duplicates and of shared memory."""

import torch
from program import program


def vector(n=8, grad=False):
    return torch.randn(n, requires_grad=grad)


def matrix(*shape, grad=False):
    return torch.randn(*shape, requires_grad=grad)


def twin():
    x = vector()
    return x, x


def twin_with_grad():
    x = vector(grad=True) * 1
    return x, x, vector()


def halves():
    x = vector(8)
    return x[:6], x[2:]


def detached_halves():
    x = vector(8)
    return x[:6].detach(), x.detach()[2:].detach()


def base_and_view():
    x = matrix(4, 4)
    return x, x[1:3]


@program(lambda: (vector(), vector()))
def in_the_graph(x, y):
    x.add_(y)
    return x * 2


@program(lambda: (vector(), vector()), keep_input_mutations=False)
def in_the_epilogue(x, y):
    x.add_(y)
    y.mul_(2)
    return x * 2, x.view(2, 4)


@program(lambda: (vector(grad=True) * 1, vector(grad=True)), broken=True, since={"2.15": {"broken": False}})
def of_a_non_leaf(x, y):
    x.mul_(y)
    return x.sin()


@program(lambda: (vector(grad=True), vector()))
def of_a_leaf_under_no_grad(w, g):
    with torch.no_grad():
        w.sub_(0.1 * g)
    return w * 2


@program(lambda: (vector(grad=True), vector()), keep_input_mutations=False)
def of_a_leaf_in_the_epilogue(w, g):
    with torch.no_grad():
        w.sub_(0.1 * g)
    return w * 2


@program(lambda: (vector(), vector()), frontend="direct")
def through_detach(x, y):
    x.detach().add_(y)
    return x + 1


@program(lambda: (vector(grad=True), vector()), frontend="direct")
def through_data(x, y):
    x.data.add_(y)
    return x * 2


@program(lambda: (matrix(3, 4),), frontend="direct")
def transpose_in_place(x):
    x.transpose_(0, 1)
    return x * 2


# The graph's own value of a mutated input begins at 0 and has no gaps; the views go to the input, which does and has.
@program(lambda: [(matrix(9, 4)[n : n + 3],) for n in (2, 0, 5)])
def as_strided_without_an_offset(x):
    x.add_(1)
    return x.as_strided((2, 2), (4, 1)), x[1:].as_strided((3,), (2,)), x * 2


@program(lambda: (matrix(8, 8)[::2, 1::3], matrix(8, 8).t()[1:, ::2]), keep_input_mutations=False)
def with_gaps_in_the_epilogue(x, y):
    x.mul_(2)
    y.add_(x[0, 0])
    return x[1:], x.t(), x.expand(2, 4, 3), x.view(torch.int32), y.diagonal(), y.unsqueeze(0)


@program(lambda: ((matrix(8, 8, grad=True) * 1)[::2, 1::3],), frontend="direct")
def with_gaps_and_grad(x):
    x.mul_(2)
    return x[1:], x.t(), x.detach()


@program(lambda: (matrix(3, 4), vector(3)), frontend="direct")
def transpose_and_write(x, y):
    x.t_()
    x.add_(y)
    return x.view(-1) if x.is_contiguous() else x[1:]


@program(lambda: (matrix(3, 4, grad=True) * 1,), frontend="direct")
def geometry_with_grad(x):
    x.t_()
    return x * 2


@program(lambda: (matrix(1, 3, 1),), frontend="direct")
def squeeze_in_place(x):
    x.squeeze_()
    x.unsqueeze_(1)
    return x + 1


@program(lambda: (vector(8),), frontend="direct")
def resize_in_place(x):
    x.resize_(4)
    return x + 1


@program(lambda: (vector(4), vector(6)), frontend="direct", grad=False)
def set_in_place(x, y):
    x.set_(y)
    return x + 1


@program(lambda: (vector(4), vector(4)))
def data_assignment(x, y):
    x.data = y
    return x + 1


@program(lambda: (vector(4, grad=True), vector(4)))
def data_assignment_to_a_leaf(x, y):
    x.data = y * 2
    return x + 1


@program(lambda: (matrix(4, 4),))
def of_a_view_inside(x):
    x[1:3].add_(1)
    x.view(-1)[5:7].zero_()
    return x.sum(), x[0]


@program(base_and_view, frontend="direct")
def of_a_base_and_its_view(x, v):
    v.mul_(3)
    x.add_(1)
    return x * 2, v.sum()


@program(base_and_view, frontend="direct", keep_input_mutations=False)
def of_a_base_in_the_epilogue(x, v):
    x.add_(1)
    return v * 2


@program(base_and_view)
def of_a_base_through_dynamo(x, v):
    v.mul_(3)
    x.add_(1)
    return x * 2, v.sum()


@program(halves, frontend="direct")
def overlapping_inputs(x, y):
    x.add_(1)
    return x[:4] * y[2:]


@program(detached_halves, frontend="direct")
def overlapping_without_a_base(x, y):
    x.add_(1)
    y.mul_(2)
    return x + y


@program(halves, frontend="direct")
def view_of_a_merged_input(x, y):
    x.add_(1)
    return y.view(2, 3), x[2:]


def thirds():
    x = vector(12)
    return x[:6], x[3:9].view(2, 3), vector(2), x[6:].view(3, 2)


@program(thirds, frontend="direct", keep_input_mutations=False)
def geometry_of_a_merged_input(x, y, n, z):
    x.add_(1)
    y.t_()
    z.unsqueeze_(0)
    return x * 2, y + 1, z.sum(), n * 3


@program(lambda: (*halves(), 3, vector(4), 5), frontend="direct")
def merged_between_others(x, y, n, z, m):
    x.add_(n)
    return y * m, z * n


def two_of_one_storage():
    """The first and the last share a storage, which the one between them does not, and the merged ones have their own."""
    shared = vector(8)
    return shared[:4], vector(4) * 10, shared[4:], *halves()


@program(two_of_one_storage, frontend="direct")
def merged_beside_a_shared_storage(t0, t1, t2, x, y):
    x.add_(1)
    return t0 + 100, t1 * 2, t2 - 300, y * 3


@program(two_of_one_storage, frontend="direct", keep_input_mutations=False)
def merged_beside_mutated_ones_of_a_storage(t0, t1, t2, x, y):
    x.add_(1)
    t0.mul_(2)
    t1.sub_(5)
    t2.add_(7)
    return t0 + t1 + t2, y * 3


def two_weights_of_one_storage():
    shared = vector(8)
    first, last = (part.detach().requires_grad_() for part in (shared[:4], shared[4:]))
    return first, (vector(4) * 10).requires_grad_(), last, *halves()


@program(two_weights_of_one_storage, frontend="direct")
def merged_beside_weights_of_a_storage(t0, t1, t2, x, y):
    x.add_(1)
    return t0 * 2 + t1 * 3 + t2 * 5 + y[:4] * t1


@program(lambda: (3, *two_of_one_storage(), 5), frontend="direct")
def merged_beside_a_shared_storage_and_numbers(n, t0, t1, t2, x, y, m):
    x.add_(n)
    return t0 + 100 * n, t1 * m, t2 - 300, y * 3


@program(twin, frontend="direct")
def duplicate_unmutated(x, y):
    return x * y, x


@program(twin, frontend="direct")
def duplicate_mutated(x, y):
    x.add_(1)
    return x * y, y


@program(twin)
def duplicate_through_dynamo(x, y):
    x.add_(1)
    return x * y


@program(twin_with_grad, frontend="direct")
def duplicate_with_grad(x, y, z):
    x.mul_(2)
    return x * y * z


@program(lambda: (vector(),), frontend="direct")
def output_is_the_mutated_input(x):
    x.add_(1)
    return x, x.view(2, 4)


@program(lambda: (vector(grad=True) * 1,), frontend="direct")
def mutated_output_with_grad(x):
    x.mul_(2)
    return x, x.view(2, 4), x + 1


@program(lambda: (vector(),))
def grad_mode_is_changed(x):
    torch._C._set_grad_enabled(False)
    return x * 2


@program(lambda: (vector(4), torch.zeros(3, 4)), frontend="direct")
def broadcast_and_convert(x, y):
    y.copy_(x)
    x.zero_()
    return y.to(torch.float64)


@program(lambda: (vector(4), torch.zeros(4, dtype=torch.int64)), keep_input_mutations=False)
def other_dtypes(x, n):
    n.add_(1)
    x.copy_(n)
    return n * 2


def _inference_tensors():
    with torch.inference_mode():
        return (torch.randn(4), torch.randn(4))


@program(_inference_tensors, context=torch.inference_mode, grad=False, backward=False)
def inference_tensors(x, y):
    x.add_(y)
    return x * 2, x.view(2, 2)


# Not the random tensor itself: how often aten.rand wrote what it made is counted differently inside of autograd's nodes.
@program(lambda: (vector(grad=True),))
def random_numbers(x):
    return torch.nn.functional.dropout(x, 0.5, training=True), torch.rand(3) * 2


@program(lambda: (matrix(4, 4, grad=True), matrix(4, 4)), name="autocast", context=lambda: torch.autocast("cpu"))
def under_autocast(x, y):
    return x @ y, (x @ y).view(-1)


class _Recording(torch.autograd.Function):
    """Keeps the largest gradients that it has seen, as scaled training in eight bits does."""

    @staticmethod
    def forward(ctx, x, record):
        ctx.record = record
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        ctx.record.copy_(ctx.record.roll(1))
        ctx.record[0] = gradient.abs().max()
        return gradient * 2, None


@program(lambda: [(vector(5, grad=True), torch.zeros(3)) for _ in range(2)])
def written_in_the_backward(x, record):
    return _Recording.apply(x, record)


@program(lambda: (vector(5, grad=True), vector(3, grad=True) * 1))
def written_in_the_backward_with_grad(x, record):
    return _Recording.apply(x, record) * record.sum()


class _Recorder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(5))
        self.register_buffer("record", torch.zeros(2))

    def forward(self, x):
        return _Recording.apply(x * self.weight, self.record)


program(lambda: [(vector(5),), (vector(5),)], name="buffer_written_in_the_backward")(_Recorder())
