# SPDX-License-Identifier: MIT
"""Sizes that change from call to call, compiled with symbolic shapes: what PyTorch takes for granted about them becomes
guards. Every program is called with at least three sizes; without `dynamic`, automatic dynamic shapes see the first two."""

import torch
import torch.nn.functional as F
from program import program
from torch import nn


def sizes(*shapes, grad=False, dtype=None):
    """One call for each of `shapes`: a list of shapes, one for each argument, ints as they are."""

    def value(shape):
        return shape if isinstance(shape, (int, float, bool)) else torch.randn(*shape, dtype=dtype).requires_grad_(grad)

    return lambda: [tuple(map(value, call)) for call in shapes]


def dynamic(*shapes, grad=False, dtype=None, **options):
    return program(sizes(*shapes, grad=grad, dtype=dtype), dynamic=True, **options)


def rows(*numbers):
    return [[(number, 6)] for number in numbers]


@dynamic([(2, 5), (2, 7)], [(3, 9), (3, 4)], [(5, 6), (5, 6)], [(8, 3), (8, 11)])
def cropped_to_the_shorter_and_padded(x, like):
    """A guard divides by what is positive, which only PyTorch knows."""
    n = min(x.shape[1], like.shape[1])
    y = x[:, :n] * like[:, :n]
    return y, F.pad(y, (0, -n % 4)).view(y.shape[0], -1, 4).sum(-1)


@dynamic(*rows(3, 8, 13, 16))
def pad_to_a_multiple(x):
    return F.pad(x, (0, 0, 0, -x.shape[0] % 8))


@dynamic(*rows(3, 8, 13), grad=True)
def pad_to_a_multiple_training(x):
    return F.pad(x, (0, 0, 0, -x.shape[0] % 8)) * 2


@dynamic(*rows(8, 16, 40))
def blocks_of_eight(x):
    return x.view(-1, 8, 6).sum(1)


@dynamic(*rows(8, 16, 40), grad=True)
def blocks_of_eight_training(x):
    return x.view(x.shape[0] // 8, 8, 6).amax(1)


@dynamic(*rows(7, 9, 12, 30))
def three_chunks(x):
    a, b, c = x.chunk(3)
    return a, b.t(), c + 1


@dynamic(*rows(7, 9, 12), grad=True)
def three_chunks_training(x):
    return torch.cat([part.sum(0, keepdim=True) for part in x.chunk(3)])


@dynamic(*rows(5, 8, 11))
def split_in_threes(x):
    return x[: x.shape[0] // 3 * 3].reshape(-1, 3, 6)


@dynamic(*rows(6, 10, 20))
def two_halves(x):
    half = x.shape[0] // 2
    return x[:half] * x[half : 2 * half]


@dynamic(*[[(2, 3, n, m)] for n, m in ((8, 8), (9, 12), (31, 17))])
def pool_twice(x):
    return F.max_pool2d(F.avg_pool2d(x, 2), 2)


@dynamic(*[[(2, 3, n, m)] for n, m in ((8, 8), (9, 12), (31, 17))], grad=True)
def pool_training(x):
    return F.avg_pool2d(x, 3, stride=2, padding=1)


@dynamic(*[[(1, 2, n)] for n in (6, 11, 20)])
def windows(x):
    return x.unfold(2, 4, 2).mean(-1)


@dynamic(*[[(1, 2, n)] for n in (6, 11, 20)], grad=True)
def windows_training(x):
    return x.unfold(2, 4, 2) * 2


@dynamic(*[[(n, 4), (m, 4)] for n, m in ((3, 5), (4, 9), (8, 2))])
def two_sizes(x, y):
    return x @ y.t(), torch.cat([x, y])


@dynamic(*[[(n, 4), (m, 4)] for n, m in ((3, 5), (4, 9), (8, 12))])
def the_smaller_first(x, y):
    return x + y[: x.shape[0]] if x.shape[0] < y.shape[0] else x * 2


@dynamic(*[[(n, 4), (m, 4)] for n, m in ((5, 3), (9, 4), (12, 8))])
def the_larger_first(x, y):
    return x + F.pad(y, (0, 0, 0, x.shape[0] - y.shape[0])) if x.shape[0] > y.shape[0] else x


@dynamic(*[[(n, m)] for n, m in ((3, 5), (4, 9), (8, 2))])
def product_of_sizes(x):
    return x.flatten() * x.numel(), x.reshape(-1, 1)


@dynamic(*[[(n, m)] for n, m in ((3, 5), (4, 9), (8, 2))])
def small_enough(x):
    return x.t() if x.numel() < 4096 else x


@dynamic(*[[(n, 2 * n)] for n in (3, 5, 8)])
def twice_as_wide(x):
    return x[:, : x.shape[0]] + x[:, x.shape[0] :]


@dynamic(*[[(n, n)] for n in (3, 5, 8)])
def square_matrices(x):
    return x @ x, x.diagonal(), torch.tril(x)


@dynamic(*[[(n, n)] for n in (3, 5, 8)], grad=True)
def square_matrices_training(x):
    return (x @ x.t()).softmax(-1)


@dynamic(*[[(n, 6), n // 2] for n in (4, 7, 12)])
def slice_of_half(x, n):
    return x[:n], x[n:]


@dynamic(*[[(n, 6), k] for n, k in ((5, 2), (9, 7), (12, 3))])
def slice_of_any_length(x, n):
    return x[:n].clone(), x.narrow(0, 1, n)


@dynamic(*[[(n, 6), k] for n, k in ((6, 2), (9, 3), (12, 4))])
def rows_by_number(x, n):
    return x.view(n, -1, 6)


@dynamic(*[[(n, 6), k] for n, k in ((6, 2), (9, 3), (12, 4))], grad=True)
def rows_by_number_training(x, n):
    return x.view(n, -1, 6).sum(1)


@dynamic(*[[(2, 3, n, m)] for n, m in ((4, 4), (5, 8), (6, 7))])
def interpolate_double(x):
    return F.interpolate(x, size=(2 * x.shape[2], 2 * x.shape[3]))


@dynamic(*[[(2, 3, n, m)] for n, m in ((4, 4), (5, 8), (6, 7))])
def interpolate_by_factor(x):
    return F.interpolate(x, scale_factor=2, mode="nearest")


@dynamic(*[[(1, 3, n, n + 1)] for n in (8, 11, 16)])
def adaptive_pool(x):
    return F.adaptive_avg_pool2d(x, 1).flatten(1)


@dynamic(*[[(2, 4, n, 8)] for n in (3, 6, 9)], tolerance=(1e-4, 1e-5))
def causal_attention(x):
    return F.scaled_dot_product_attention(x, x, x, is_causal=True)


@dynamic(*[[(2, 4, n, 8)] for n in (3, 6, 9)], grad=True, tolerance=(1e-4, 1e-5))
def causal_attention_training(x):
    mask = torch.ones(x.shape[2], x.shape[2], dtype=torch.bool).tril()
    return ((x @ x.transpose(-1, -2)).masked_fill(~mask, float("-inf"))).softmax(-1) @ x


@dynamic(*[[(n, 6)] for n in (2, 5, 9)])
def roll_by_half(x):
    return x.roll(x.shape[0] // 2, 0)


@dynamic(*[[(n, 6)] for n in (4, 5, 9)])
def mutated_rows(x):
    x[1 : x.shape[0] // 2].mul_(2)
    return x[x.shape[0] // 2 :]


@dynamic(*[[(n, 6)] for n in (4, 6, 10)])
def mutated_view_of_half(x):
    y = x.view(2, -1, 6)
    y[0].add_(1)
    return y


@dynamic(*[[(n, m, 4)] for n, m in ((2, 3), (3, 5), (5, 2))])
def merged_dims(x):
    return x.flatten(0, 1), x.permute(1, 0, 2).reshape(-1, 4)


@dynamic(*[[(n, m, 4)] for n, m in ((2, 3), (3, 5), (5, 2))], grad=True)
def merged_dims_training(x):
    return x.flatten(0, 1).tanh().unflatten(0, (x.shape[0], x.shape[1]))


@dynamic(*[[(n, 4), (n, 4), (m, 4)] for n, m in ((2, 3), (3, 5), (5, 2))])
def equal_sizes(x, y, z):
    return x + y, torch.cat([x, z]).t()


@dynamic(*[[(n,)] for n in (10, 17, 25)])
def frames(x):
    return x.as_strided((x.shape[0] // 5, 5), (5, 1)), x.as_strided((x.shape[0] - 4, 5), (1, 1)).sum(1)


@dynamic(*[[(n, 6), (n - 1, 6)] for n in (3, 6, 9)])
def one_less(x, y):
    return x[1:] - y, x[:-1] * y


@dynamic(*[[(n, 6), (2 * n + 1, 6)] for n in (3, 6, 9)])
def derived_size(x, y):
    return torch.cat([x, x, x[:1]]) + y


@dynamic(*[[(n, m), (m, k)] for n, m, k in ((2, 3, 4), (3, 5, 2), (7, 2, 9))], grad=True, tolerance=(1e-4, 1e-5))
def matmul_training(x, y):
    return F.gelu(x @ y)


@dynamic(*[[(n, 8)] for n in (4, 8, 12)])
def tiles(x):
    return x.repeat(2, 1), x.tile(1, x.shape[0] // 4)


@dynamic(*[[(2, n, 8)] for n in (4, 6, 12)], tolerance=(1e-4, 1e-5))
def heads(x):
    y = x.view(2, x.shape[1], 4, 2).transpose(1, 2)
    return (y @ y.transpose(2, 3)).softmax(-1)


@dynamic(*[[(n, 4)] for n in (3, 5, 6)])
def branch_on_parity(x):
    return x[: x.shape[0] // 2] if x.shape[0] % 2 == 0 else x * 2


@dynamic(*[[(n, 4)] for n in (20, 50, 101)])
def branch_on_range(x):
    return x.t() if 16 < x.shape[0] <= 128 else x + 1


@dynamic(*[[(n, 4)] for n in (20, 50, 101)])
def min_and_max(x):
    n = min(x.shape[0], 64)
    return x[:n].sum(0), x[: max(n - 30, 1)]


@program(sizes(*rows(4, 7, 11)))
def automatic(x):
    return x.t() * x.shape[0], x[: x.shape[0] // 2]


@program(sizes(*rows(4, 7, 11), grad=True))
def automatic_training(x):
    return F.pad(x, (0, 0, 0, -x.shape[0] % 4)).view(-1, 4, 6)


class Convolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 4, 3, stride=2, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.second = nn.Conv2d(4, 4, 3, padding=1)

    def forward(self, x):
        y = F.relu(self.norm(self.first(x)))
        return F.max_pool2d(y + self.second(y), 2)


_images = [[(2, 3, n, m)] for n, m in ((16, 16), (17, 24), (33, 19))]
dynamic(*_images, name="convolution_of_any_size", tolerance=(1e-4, 1e-5))(Convolution().eval())
dynamic(*_images, name="convolution_of_any_size_training", tolerance=(1e-3, 1e-4))(Convolution())


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(8, 4)

    def forward(self, x, h):
        for _ in range(3):
            h = torch.tanh(self.cell(torch.cat([x, h], -1)))
        return h, h[: h.shape[0] // 2]


dynamic(*[[(n, 4), (n, 4)] for n in (2, 5, 8)], name="recurrent", tolerance=(1e-4, 1e-5))(Recurrent())
