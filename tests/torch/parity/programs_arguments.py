# SPDX-License-Identifier: MIT
"""Arguments that are not simply tensors: floats and bools, burnt into the graph or passed to it."""

import torch
from program import program


def vector(n=6, grad=False):
    return torch.randn(n, requires_grad=grad)


# ---- burnt into the graph, by AOTAutograd alone: every call tests them ----


@program(lambda: (vector(), 2.5), frontend="direct")
def float_constant(x, r):
    return x * r


@program(lambda: (True, vector(), 0.1, False, 7), frontend="direct")
def constants_of_every_kind(scaled, x, r, negated, n):
    y = x * r if scaled else x
    return -y if negated else y + n


@program(lambda: (vector(), -0.0, float("inf"), float("-inf"), float("nan"), 5e-324), frontend="direct")
def floats_that_are_not_finite(x, zero, most, least, missing, tiny):
    return x * zero, x.clamp(least, most), x + missing, x * tiny


@program(lambda: (vector(grad=True), vector(grad=True), 0.5, True), frontend="direct")
def constants_with_gradients(x, y, alpha, both):
    z = torch.add(x, y, alpha=alpha)
    return (z * z, y * 2) if both else z


@program(lambda: (vector(), 0.25, vector()), frontend="direct", keep_input_mutations=False)
def constant_beside_a_mutation(x, r, y):
    x.mul_(r)
    return x + y, x.view(2, 3)


@program(lambda: (vector(), 1.5, *[vector()] * 2, True), frontend="direct")
def constants_beside_duplicates(x, r, y, z, b):
    return x * r + y, z - x if b else z


@program(lambda: [(vector(), 2.5), (vector(), 2.5), (vector(), -2.5)], frontend="direct", stops="WG_E_VALUE", unsafe=True)
def another_float_later(x, r):
    return x * r


@program(lambda: [(vector(), 0.0), (vector(), -0.0)], frontend="direct", stops="expected 0.0, found -0.0", unsafe=True)
def zero_of_another_sign_later(x, r):
    return torch.atan2(torch.full_like(x, r), x.abs().neg())


@program(lambda: [(vector(), True), (vector(), True), (vector(), False)], frontend="direct", stops="WG_E_VALUE", unsafe=True)
def another_bool_later(x, b):
    return x * 2 if b else x


@program(lambda: [(vector(), float("nan")), (vector(), -float("nan"))], frontend="direct")
def another_nan_later(x, r):
    return torch.nan_to_num(x + r, nan=r) if r == r else torch.isnan(x + r)


# ---- None, as which AOTAutograd alone passes it; Dynamo leaves it out ----


@program(lambda: (vector(), None, vector()), frontend="direct")
def none_between_tensors(x, bias, y):
    return x * y if bias is None else x * y + bias


@program(lambda: (None, vector(grad=True), vector(grad=True), None), frontend="direct")
def none_with_gradients(mask, x, y, bias):
    z = torch.relu(x * y)
    return z if mask is None and bias is None else z * mask


@program(lambda: (vector(), None, vector()), frontend="direct", keep_input_mutations=False)
def none_beside_a_mutation(x, out, y):
    x.add_(y)
    return x.view(2, 3) if out is None else x


@program(lambda: [(vector(), None), (vector(), None), (vector(), vector())], frontend="direct", stops="WG_E_VALUE", unsafe=True)
def a_tensor_for_none_later(x, bias):
    return x * 2 if bias is None else x * 2 + bias


@program(lambda: [(vector(), None), (vector(), vector()), (vector(), None), (vector(), vector())], kernels=1)
def a_bias_or_none(x, bias):
    return x * 2 if bias is None else x * 2 + bias


# ---- under Dynamo: a float is a constant at first, then a tensor of rank 0 and type float64 ----


@program(lambda: [(vector(), 0.5), (vector(), 1.5), (vector(), -2.5)])
def float_that_changes(x, r):
    return x * r + r


@program(lambda: [(vector(grad=True), 0.5, True), (vector(grad=True), 1.5, True), (vector(grad=True), 2.5, False)])
def float_that_changes_with_gradients(x, r, b):
    return (x * r).sum() if b else x - r


@program(
    lambda: [(vector(), 2.0), (vector(), 3.0), (vector(), 4.0)],
    refused="no argument of the graph tells zf",
    since={"2.15": {"refused": None, "kernels": 0}},
)
def float_that_is_returned(x, r):
    return x.add_(r), r * 2


# ---- lazily conjugated and negated: every call tests the two bits ----


def waves(n=6, grad=False):
    return torch.randn(n, dtype=torch.complex64, requires_grad=grad)


@program(lambda: (waves().conj(), waves()), frontend="direct")
def conjugate_input(z, w):
    return z * w, z[1:], z


@program(lambda: (waves().conj().imag, vector()), frontend="direct")
def negative_input(y, x):
    return y * x, y.view(2, 3), y + 1


@program(lambda: (torch._neg_view(waves().conj()), vector()), frontend="direct")
def conjugate_and_negative_input(z, x):
    return z * x, z[::2]


@program(lambda: (waves().conj(), waves().conj().imag), frontend="direct", keep_input_mutations=False)
def conjugate_that_is_written(z, y):
    z.add_(1)
    y.mul_(2)
    return z * 2, y[1:]


@program(lambda: (waves(grad=True).conj(), waves(grad=True)), frontend="direct")
def conjugate_input_with_gradients(z, w):
    return (z * w).abs()


@program(lambda: [(waves(),), (waves().conj(),), (waves(),)])
def conjugate_or_not(z):
    return z * 2 + 1


@program(lambda: [(waves().imag,), (waves().conj().imag,), (vector(),)])
def negative_or_not(y):
    return y * 2 + 1


@program(lambda: [(waves(),), (waves().conj(),)], frontend="direct", stops="expected neither, found a conjugate")
def conjugate_later(z):
    return z * 2


@program(lambda: [(waves().conj(),), (waves(),)], frontend="direct", stops="expected a conjugate, found neither")
def conjugate_no_longer(z):
    return z * 2


@program(lambda: [(waves().imag,), (waves().conj().imag,)], frontend="direct", stops="expected neither, found a negative")
def negative_later(y):
    return y.exp()
