# SPDX-License-Identifier: MIT
"""Views, aliases, identity: what comes back is the right memory, and the right object."""

import torch
from program import program


def vector(n=8, grad=False):
    return torch.randn(n, requires_grad=grad)


def matrix(*shape, grad=False):
    return torch.randn(*shape, requires_grad=grad)


@program(lambda: (matrix(6, 4), matrix(1, 3, 1, 2), torch.randn(3, dtype=torch.complex64)), frontend="direct")
def every_view_of_inputs(x, y, z):
    return (
        x.t(),
        x.transpose(0, -1)[1:],
        x[1:-1, ::2],
        x[-3:, 1],
        x.view(3, 2, -1).permute(2, 0, 1),
        x.unsqueeze(1).expand(-1, 3, -1),
        x.split(2, 1)[1],
        x.split([1, 3, 2])[1],
        x.chunk(3)[2],
        x.narrow(1, 1, 2),
        x.unfold(1, 3, 1),
        x.diagonal(1),
        x.movedim(0, 1),
        x.flatten(),
        x.unflatten(0, (2, 3)),
        x.as_strided((2, 2), (3, 1), 4),
        y.squeeze(),
        y.squeeze((0, 2)),
        y.detach(),
        torch.view_as_real(z)[:, 0],
        torch.view_as_complex(x.view(6, 2, 2)),
        x.view(torch.int32),
        x.T,
    )


@program(lambda: (matrix(6, 4, grad=True),))
def every_view_of_an_intermediate(x):
    h = x * 2
    return h.t(), h[1:3], h.view(-1), h.unsqueeze(0).expand(3, 6, 4), h.diagonal(), h.unfold(0, 2, 2), h.select(1, 2)


@program(lambda: (matrix(4, 4, grad=True),))
def views_of_views(x):
    h = (x + 1).view(2, 8)
    return h.t()[1:5].unsqueeze(-1), h.view(-1)[3:].view(13, 1)


@program(lambda: (matrix(4, 4), matrix(4, 4, grad=True)), frontend="direct")
def outputs_that_are_inputs(x, y):
    return x, y, x + y, x.view(-1)


@program(lambda: (matrix(4, 4, grad=True),))
def outputs_sharing_a_base(x):
    h = x.exp()
    return h[0], h[1], h.view(16)[2:4]


@program(lambda: (matrix(4, 4, grad=True),), frontend="direct")
def base_also_returned(x):
    h = x.exp()
    return h.view(-1), h, h.t()


@program(lambda: (matrix(4, 4, grad=True),), frontend="direct", refused="results 0 and 1 are one object")
def output_twice(x):
    h = x.exp()
    return h, h, h.detach()


# Dynamo passes it once.
@program(lambda: (matrix(4, 4, grad=True),))
def output_twice_through_dynamo(x):
    h = x.exp()
    return h, h, h.detach()


# as_strided reaches beyond the view that it is of; what it finds there gets no gradient.
@program(lambda: (matrix(6, 4, grad=True),))
def as_strided_beyond_its_view(x):
    h = (x * 2)[1:]
    return h.as_strided((2,), (4,)), h, h.t().as_strided((2, 2), (1, 3), 2)


@program(lambda: (vector(grad=True),), frontend="direct")
def leaf_twice_and_its_views(x):
    return x, x, x[1:], x.detach(), x.view(2, 4)


# PyTorch's own program fails: the view's metadata starts from another base than the one it is replayed on.
@program(lambda: (vector(4, grad=True),), frontend="direct", refused="but regenerating it gives 2")
def detached_view_of_an_output(x):
    h = x + 1
    return h, h[1:], h.detach(), h.detach()[1:]


@program(lambda: (matrix(4, 6, grad=True).t(),), frontend="direct")
def input_is_a_view(x):
    return x[1:3] * 2, x.t()


@program(lambda: (matrix(2, 3, 4, 5).to(memory_format=torch.channels_last), matrix(3, 8)[:, ::2]))
def strided_inputs(x, y):
    return x * 2, y.t(), x.permute(0, 2, 3, 1), (y + 1).t()


@program(lambda: (torch.zeros(0, 4), torch.zeros(())))
def empty_and_scalar(x, y):
    return x.t(), x + 1, y + 1, y.view(1)


@program(lambda: (matrix(3, 4), matrix(4, grad=True), torch.arange(4)), frontend="direct")
def requires_grad_mixes(x, w, i):
    h = x * w
    return h, h.detach(), x * 2, i + 1, w.detach(), h.argmax(1), x.view(-1), h.view(-1)


@program(lambda: (matrix(4, 4, grad=True),), grad=False, frontend="direct")
def under_no_grad(x):
    return x * 2, x.view(-1), x.detach(), x


@program(lambda: (matrix(4, 4, grad=True),), frontend="direct")
def part_of_it_under_no_grad(x):
    with torch.no_grad():
        v = x.view(-1)
        h = x * 2
    return v, h, h.view(-1), x * 3


@program(lambda: (torch.randn(4, dtype=torch.complex64, requires_grad=True),), frontend="direct")
def complex_views_with_grad(z):
    h = z * 2
    return torch.view_as_real(h), torch.view_as_real(z), h.abs()


def phases(*size, grad=False):
    return torch.randn(*(size or (4,)), dtype=torch.complex64, requires_grad=grad)


@program(lambda: (phases(),), frontend="direct")
def conjugate_view(z):
    return z.conj()


@program(lambda: (phases(3, 4, grad=True),), frontend="direct")
def conjugate_views_with_grad(z):
    return z.conj(), z.t().conj()[1], z.conj().mT.conj(), z.conj() * 2


@program(lambda: (phases(3, 4, grad=True),), frontend="direct")
def conjugates_of_an_intermediate(z):
    h = z * 2
    return h.conj(), h.mH, h[0]


@program(lambda: (phases(grad=True), phases(grad=True)), frontend="direct")
def parts_of_conjugates(z, w):
    h = w * 3
    return z.conj().imag, z.imag, h.conj().imag, h.conj().real, z.conj().resolve_conj()


@program(lambda: (matrix(3, 4, grad=True),), frontend="direct")
def negative_views(x):
    h = x * 2
    return torch._neg_view(x), torch._neg_view(h[1]), torch._neg_view(h)


@program(lambda: (phases().conj(), phases().conj().imag), frontend="direct", keep_input_mutations=False)
def conjugates_of_lazy_arguments(z, y):
    y.mul_(2)
    return z.conj(), z[1:], torch._neg_view(y), y.conj()


@program(lambda: [(phases(3, 4),), (phases(5, 4),), (phases(3, 4),)], dynamic=True)
def conjugates_of_any_size(z):
    return z.conj(), z.mH[1:]


@program(lambda: (matrix(4, grad=True),), frontend="direct")
def expanded_tangent(x):
    return (x * 2).expand(3, 4), (x * 3).sum().expand(2)


@program(lambda: [(matrix(3, 4), 3), (matrix(7, 4), 3), (matrix(5, 4), 3)], dynamic=True)
def dynamic_rows(x, n):
    return x * n, x.view(-1), x.sum(0), x.t()


# The stride of a result of any length, 0 included, is Max(1, n): integers of the YAML know no maximum.
@program(lambda: [(matrix(3, 4), 3), (matrix(5, 4), 2), (matrix(4, 4), 4)], dynamic=True)
def dynamic_slice_of_any_length(x, n):
    return x[:, :n] * n


def _dynamic_views():
    calls = []
    for rows in (6, 10):
        x = torch.randn(rows, 4, requires_grad=True)
        torch._dynamo.mark_dynamic(x, 0, min=5, max=64)
        calls.append((x,))
    return calls


@program(_dynamic_views)
def dynamic_views_in_training(x):
    h = x.sin()
    return h.view(-1), h[1:], x[2:], x.t(), h.sum(0)


def _dynamic_two():
    calls = []
    for rows, columns in ((3, 5), (4, 6)):
        x, y = torch.randn(rows, columns), torch.zeros(rows)
        torch._dynamo.mark_dynamic(x, 0)
        torch._dynamo.mark_dynamic(x, 1)
        torch._dynamo.mark_dynamic(y, 0)
        calls.append((x, y))
    return calls


@program(_dynamic_two)
def dynamic_mutation(x, y):
    y.add_(x.sum(1))
    return y.unsqueeze(1) * x, x.t(), y.view(-1, 1)


class Turned(torch.autograd.Function):
    """A view that changes nothing, and a backward that does: gradients are reversed and doubled."""

    @staticmethod
    def forward(ctx, a):
        return a.view_as(a)

    @staticmethod
    def backward(ctx, g):
        return -2 * g


@program(lambda: (vector(3, grad=True),))
def custom_view_that_changes_nothing(x):
    return Turned.apply(x)


@program(lambda: (vector(3, grad=True),))
def custom_views_of_one_argument(x):
    return Turned.apply(x), Turned.apply(x), x * 3


@program(lambda: (vector(4, grad=True),))
def one_chunk_of_an_argument(x):
    return (*x.chunk(1), x.sum())


@program(lambda: (vector(1),))
def one_result_as_three(x):
    b = x + 1
    return b, b.view(-1), b.detach()


def _parts(x):
    return *x.unbind(0), *x.split(2), x.split([1, 3])[1].t(), x.chunk(2, 1)[0].unsqueeze(0), x.view(x.shape), x[1]


@program(lambda: (matrix(4, 3, grad=True) * 1,))
def parts_of_an_input(x):
    return *_parts(x), x.unbind(0)[1].detach()


@program(lambda: (matrix(4, 3),))
def parts_of_a_constant(x):
    return _parts(x)


@program(lambda: (matrix(4, 3, grad=True),))
def parts_of_an_intermediate(x):
    return _parts(x * 2)


@program(lambda: (matrix(4, 3, grad=True) * 1,), context=torch.no_grad)
def parts_under_no_grad(x):
    return _parts(x)
