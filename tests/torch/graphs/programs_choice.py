# SPDX-License-Identifier: MIT
"""Programs that are compiled again for another size, type, layout or Python value, and what tells their graphs apart."""

import torch
from program import program
from torch import nn
from torch.nn import functional


def calls(*shapes, **options):
    return lambda: [(torch.randn(*shape, **options),) for shape in shapes]


# ---- sizes ----


@program(calls((3, 4), (5, 4), (1, 4)), kernels=1, notes="graph rows is never chosen again")
def rows(x):
    return x.softmax(0) * x.shape[0]


@program(calls((3, 4), (5, 4), (5, 6), (1, 6), (7, 1)), kernels=1, notes="never chosen again")
def rows_and_columns(x):
    return (x @ x.t()).sum(1)


@program(calls((3, 4), (5, 4), (7, 4)), kernels=1, dynamic=False)
def every_size_by_itself(x):
    return x.cumsum(0).tanh()


@program(calls((4, 3), (20, 3), (1, 3), (11, 2), (10, 2)), kernels=1, dynamic=True)
def branch_on_a_size(x):
    return x.sum(0) if x.shape[0] > 10 else x.prod(0)


@program(calls((0, 3), (1, 3), (4, 3), (6, 3)), kernels=1)
def nothing_one_and_many(x):
    return torch.cat([x, x * 2]), x.sum(0)


@program(calls((6,), (2, 6), (3, 2, 6)), kernels=1, grad=False)
def every_rank(x):
    return functional.layer_norm(x, (6,)) + 1


# ---- guards over several sizes ----


@program(calls((3, 5), (2, 3), (7, 4), (2, 5)), kernels=1, dynamic=True, grad=False)
def branch_on_an_area(x):
    return x.sin() * 2 if x.shape[0] * x.shape[1] > 10 else x.cos() + 1


def _two_vectors():
    return [(torch.randn(a), torch.randn(b)) for a, b in ((6, 3), (7, 3), (8, 4), (9, 2), (4, 9), (12, 5))]


@program(_two_vectors, kernels=1, dynamic=True, grad=False)
def branch_on_a_multiple_of_another(x, y):
    return x.sum() + y if x.shape[0] % y.shape[0] == 0 else x.prod() - y


@program(_two_vectors, kernels=1, dynamic=True, grad=False)
def three_branches_on_two_sizes(x, y):
    if x.shape[0] > 2 * y.shape[0]:
        return x.sum() + y
    return y * x.sum() if max(x.shape[0], y.shape[0]) < 9 else y.exp() - x.sum()


# ---- what Dynamo looks at and does not pass ----


def calls_with(*others, size=4):
    """Calls with each of `others`, and a tensor that the result is computed from."""
    return lambda: [(other() if callable(other) else other, torch.randn(size)) for other in others]


def tensors(*shapes):
    return [lambda shape=shape: torch.randn(shape) for shape in shapes]


@program(calls_with(*tensors((4, 3), (20, 3), (6, 3), (11, 2))), kernels=1, dynamic=True, grad=False, notes="never chosen again")
def branch_on_a_size_of_another(x, y):
    return y.exp() if x.shape[0] > 10 else y.tanh()


@program(calls_with(*tensors((4, 3), (20, 3), (20, 3), (4, 3))), kernels=1, dynamic=False, grad=False)
def branch_on_a_fixed_size_of_another(x, y):
    return y.exp() if x.shape[0] > 10 else y.tanh()


@program(calls_with(*tensors((8, 3), (5, 3), (12, 3), (7, 3), (1, 3))), kernels=1, grad=False, notes="never chosen again")
def branch_on_a_multiple_of_four(x, y):
    return y.exp() if x.shape[0] % 4 == 0 else y.tanh()


@program(calls_with(*tensors((4, 3), (20, 3), (2, 3), (3, 9))), kernels=1, dynamic=True, grad=False, notes="never chosen again")
def branch_on_the_elements_of_another(x, y):
    return y.exp() if x.numel() > 10 else y.tanh()


@program(calls_with(*tensors((4, 3), (20, 3), (6, 3), (3, 5), (2, 7))), kernels=1, dynamic=True, grad=False, notes="never chosen again")
def branch_on_the_longer_one(x, y):
    return y.exp() if x.shape[0] > y.shape[0] else y.tanh()


@program(calls_with(3, 4, 8, 9, -3, 6), kernels=1, grad=False, notes="never chosen again")
def branch_on_an_integer(n, y):
    return y.exp() if n > 5 else y.tanh()


@program(calls_with(*tensors((2, 3), (3,), (4, 3), (), (5,))), kernels=1, grad=False, notes="never chosen again")
def branch_on_the_rank_of_another(x, y):
    return y.exp() if x.ndim == 2 else y.tanh()


@program(calls_with(*(lambda dtype=dtype: torch.ones(3, dtype=dtype) for dtype in (torch.float32, torch.float64, torch.int64,
torch.float32))),
         kernels=1, grad=False)  # fmt: skip
def branch_on_the_type_of_another(x, y):
    return y.exp() if x.dtype == torch.float32 else y.tanh()


@program(calls_with(*(lambda s=s, f=f: torch.randn(2, 3, s, s).to(memory_format=f) for s in (4, 5, 6)
                  for f in (torch.channels_last, torch.contiguous_format))),
         kernels=1, grad=False, notes="never chosen again")  # fmt: skip
def branch_on_the_layout_of_another(x, y):
    return y.exp() if x.is_contiguous() else y.tanh()


@program(calls_with(None, *tensors((3,), (5, 3), (6, 3), (2, 3))), kernels=1, grad=False)
def branch_on_nothing_or_a_size(x, y):
    return y.tanh() if x is None or x.shape[0] > 3 else y.exp()


@program(calls_with(*tensors((3,), (7,), (2,), (9,))), kernels=1, grad=False, dynamic=True)
def taken_by_one_branch(x, y):
    return y * x.sum() if x.shape[0] > 5 else y.tanh()


class Held:
    def __init__(self, size):
        self.tensor = torch.randn(size)


@program(calls_with(*(lambda size=size: Held(size) for size in (2, 5, 3, 7))), kernels=1, grad=False, notes="never chosen again")
def branch_on_what_an_object_holds(held, y):
    return y.exp() if held.tensor.shape[0] > 3 else y.tanh()


@program(lambda: [(torch.randn(n), torch.randn(m), torch.randn(3)) for n, m in ((4, 4), (2, 5), (7, 7), (5, 8))],
         kernels=1, dynamic=True, grad=False)  # fmt: skip
def branch_on_two_equal_sizes(x, z, y):
    return y.exp() if x.shape[0] == z.shape[0] else y.tanh()


@program(calls_with(*(lambda grad=grad: torch.randn(3, requires_grad=grad) for grad in (False, True))), kernels=0, grad=False,
         notes="by L['x']: requires_grad=False in ")  # fmt: skip
def branch_on_requires_grad_of_another(x, y):
    return y.exp() if x.requires_grad else y.tanh()


@program(calls_with(*(lambda n=n: torch.randn(n, 3).t() for n in (2, 9, 3, 8))), kernels=1, grad=False, notes="L['x']._base")
def branch_on_a_size_of_a_view(x, y):
    return y.exp() if x.shape[1] > 5 else y.tanh()


@program(lambda: [(torch.randn(3), torch.randn(4)), (None, torch.randn(4)), (torch.randn(3, requires_grad=True), torch.randn(4))],
         kernels=0, grad=False, notes="requires_grad=True")  # fmt: skip
def nothing_or_requires_grad(x, y):
    return y.tanh() if x is None else y.exp() if x.requires_grad else y.sin()


# ---- bounds that no condition tells ----


def _marked():
    result = []
    for size in (2, 9, 64):
        x = torch.randn(size, 3)
        torch._dynamo.mark_dynamic(x, 0, min=2, max=64)
        result.append((x,))
    return result + [(torch.randn(65, 3),)]


@program(_marked, kernels=0, notes="by the marks (mark_dynamic) of L['x']")
def within_marked_bounds(x):
    return x.flip(0).sigmoid()


def _two_lengths():
    return [(torch.randn(a, 4), torch.randn(b, 4)) for a, b in ((3, 3), (5, 2), (2, 7), (1, 6), (4, 1))]


@program(_two_lengths, kernels=1, notes="never chosen again")
def two_lengths(x, y):
    return torch.cat([x, y]), x.mean(0) - y.mean(0)


# ---- types, layouts ----


@program(lambda: [(torch.arange(6.0).to(dtype),) for dtype in (torch.float32, torch.float64, torch.int64)], kernels=1)
def every_type(x):
    return x * 3, x.sum()


@program(lambda: [(torch.randn(3, 4),), (torch.randn(4, 3).t(),), (torch.randn(6, 4)[::2],)], kernels=1, dynamic=False)
def every_layout(x):
    return x.reshape(-1)[:5] * 2, x.t()


def _images():
    shapes = ((2, 3, 4, 4), (2, 3, 5, 6), (2, 3, 7, 5))
    return [(torch.randn(s).to(memory_format=form),) for form in (torch.channels_last, torch.contiguous_format) for s in shapes]


@program(_images, kernels=1, grad=False, notes="never chosen again")
def images_in_two_layouts(x):
    return functional.avg_pool2d(x, 2, 1), x.mean((2, 3))


# ---- Python values ----


@program(lambda: [(torch.randn(n, 4), flag) for n in (3, 5, 1) for flag in (True, False)], kernels=1, notes="never chosen")
def flag(x, positive):
    return x.clamp(min=0) if positive else x.clamp(max=0)


@program(lambda: [(torch.randn(n), how) for n in (3, 5) for how in ("relu", "tanh", "gelu")], kernels=1, dynamic=True)
def named_activation(x, how):
    return getattr(torch.nn.functional, how)(x)


@program(lambda: [(torch.randn(4), n) for n in (2, 3, 7, 1, 0)], kernels=0, grad=False, notes="never chosen again")
def repeated(x, n):
    return x.repeat(n + 1) * n


def _optional():
    calls = []
    for n in (3, 5, 2):
        calls += [(torch.randn(n, 4),), (torch.randn(n, 4), torch.randn(4)), (torch.randn(n, 4), None, torch.randn(n, 1))]
    return calls


@program(_optional, kernels=1, grad=False, notes="never chosen again")
def optional_tensors(x, bias=None, scale=None):
    y = x.exp()
    y = y if bias is None else y + bias
    return y if scale is None else y * scale


@program(lambda: [(torch.randn(n, 4), {"scale": s, "centre": c}) for n, s, c in ((3, 0.5, True), (3, 0.5, False), (3, 2, True))],
         kernels=0, notes="is of kind float or int", grad=False)  # fmt: skip
def settings(x, options):
    x = x - x.mean(0) if options["centre"] else x
    return x * options["scale"]


@program(lambda: [([torch.randn(n) for n in sizes],) for sizes in ((3,), (3, 3), (3, 3, 3))],
         kernels=0, notes="len(L['xs']) == ", dynamic=False)  # fmt: skip
def lists_of_several_lengths(xs):
    return sum(x.sin() for x in xs)


# ---- what no condition says ----


@program(lambda: [(torch.randn(3, requires_grad=grad),) for grad in (False, True)], kernels=0, notes="trains", backward=True)
def with_and_without_gradients(x):
    return x.sin() * 2


@program(lambda: [(torch.randn(3, requires_grad=grad),) for grad in (False, True)],
         kernels=0, grad=False, notes="requires_grad=False in requires_grad_alone, requires_grad=True")  # fmt: skip
def requires_grad_alone(x):
    return x.cos() * 2


def _the_same_twice():
    x = torch.randn(4)
    return [(x, torch.randn(4)), (x, x)]


@program(_the_same_twice, kernels=0, notes="L['x'] is L['y']", grad=False)
def the_same_twice(x, y):
    x.add_(y)
    return x * 2


class Modes(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(4)

    def forward(self, x, training):
        self.train(training)
        return self.norm(x)


program(lambda: [(torch.randn(n, 4), mode) for n in (3, 5, 6) for mode in (True, False)], name="module_in_two_modes",
        grad=False)(Modes())  # fmt: skip


# ---- lazily conjugated and negated tensors ----


def phases():
    return torch.randn(4, dtype=torch.complex64)


@program(lambda: [(phases(),), (phases().conj(),), (torch._neg_view(phases()),), (torch._neg_view(phases().conj()),)], kernels=1, grad=False)
def conjugate_or_not(z):
    return z * 2 if z.is_conj() else z + 1


@program(lambda: [(torch.randn(4),), (phases().conj().imag.contiguous(),), (torch._neg_view(torch.randn(4)),), (torch.randn(6),),
                  (torch._neg_view(torch.randn(5)),)], kernels=1, grad=False, notes="never chosen again")  # fmt: skip
def negative_or_not(x):
    return x.exp() if x.is_neg() else x.tanh()


@program(calls_with(phases, lambda: phases().conj(), phases, lambda: phases().conj()), kernels=1, grad=False)
def branch_on_the_conjugation_of_another(z, y):
    return y.exp() if z.is_conj() else y.tanh()
