# SPDX-License-Identifier: MIT
#
# What eager PyTorch does with the program of training.yaml, one line a fact, for training.c to say the same through generated
# wrappers. A scenario is a pair of functions of one name, here and there; run.sh compares the two outputs.
import struct

import torch


class Modes(torch.autograd.Function):
    """Grad mode inside the function that AOTAutograd hands the compiled graph to, which is one of these."""

    inside = None

    @staticmethod
    def forward(ctx, x):
        Modes.inside = torch.is_grad_enabled()
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        Modes.inside = torch.is_grad_enabled()
        return gradient


class Stash(torch.autograd.Function):
    """t * b, with t kept on the context: no version check."""

    kept = None

    @staticmethod
    def forward(ctx, t, b):
        ctx.save_for_backward(b)
        ctx.t = Stash.kept = t.detach()
        return t * b

    @staticmethod
    def backward(ctx, dy):
        (b,) = ctx.saved_tensors
        return dy * b, (dy * ctx.t).sum(0)


class StashedTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        ctx.t = torch.tanh(h)
        return ctx.t.view_as(ctx.t)

    @staticmethod
    def backward(ctx, dt):
        return torch.ops.aten.tanh_backward(dt, Stash.kept)


def tell(label, t):
    geometry = " ".join("%d:%d" % pair for pair in zip(t.shape, t.stride()))
    bits = "".join(" %08x" % struct.unpack("<I", struct.pack("<f", v)) for v in t.detach().flatten().tolist())
    print("%s: grad=%d version=%d [%s]%s" % (label, t.requires_grad, t._version, geometry, bits))


def eighths(size, first):
    n = torch.Size(size).numel()
    t = torch.empty(size)
    with torch.autograd._unsafe_preserve_version_counter(t):
        t.view(-1).copy_(torch.arange(first, first + n, dtype=torch.float32) / 8)
    return t


def make_inputs():
    c = eighths([4], 8)
    with torch.autograd._unsafe_preserve_version_counter(c):
        c.copy_(torch.arange(1.0, 5.0))
    return eighths([2, 3], -2), eighths([3, 4], -5).requires_grad_(), eighths([4], 3).requires_grad_(), c


def forward(inputs, stashed=False):
    x, w, b, c = inputs
    h = x @ w
    t = StashedTanh.apply(h) if stashed else torch.tanh(h)
    y = Stash.apply(t, b) if stashed else t * b
    with torch.no_grad():
        c.copy_(c + t.sum(0))
    return h, y, h.t()


def backward(inputs, h, y, dy, told=True):
    _, w, b, _ = inputs
    try:
        of_w, of_b = torch.autograd.grad((y, h), (w, b), (dy, eighths([2, 4], 9)), retain_graph=True)
    except RuntimeError:
        print("backward: 1")
        return
    print("backward: 0")
    x = torch.ones(1, requires_grad=True)
    Modes.apply(x).backward()
    print("grad mode in it: %d" % Modes.inside)
    tell("gradient of w", of_w)
    tell("gradient of b", of_b)


def plain_tangent():
    return eighths([2, 4], -4)


def values():
    inputs = make_inputs()
    h, y, z = forward(inputs)
    Modes.apply(torch.ones(1, requires_grad=True))
    print("grad mode in the forward: %d" % Modes.inside)
    tell("y", y)
    tell("z", z)
    tell("c", inputs[3])
    tell("w", inputs[1])
    backward(inputs, h, y, plain_tangent())
    backward(inputs, h, y, plain_tangent())


def no_grad():
    inputs = make_inputs()
    with torch.no_grad():
        forward(inputs)
        print("grad mode after it: %d" % torch.is_grad_enabled())
        tell("c", inputs[3])


def layouts():
    inputs = make_inputs()
    h, y, _ = forward(inputs)
    backward(inputs, h, y, eighths([4, 2], -4).t())


def versions():
    inputs = make_inputs()
    h, y, _ = forward(inputs)
    inputs[2].detach().copy_(torch.arange(1.0, 5.0))
    backward(inputs, h, y, plain_tangent())
    inputs = make_inputs()
    h, y, _ = forward(inputs, stashed=True)
    Stash.kept.copy_(torch.arange(1.0, 5.0) / 8)
    backward(inputs, h, y, plain_tangent())


def views():
    _, w, b, c = make_inputs()
    base = eighths([3, 3], -2)
    inputs = base[1:], w, b, c
    base[0].copy_(torch.arange(1.0, 4.0))
    h, y, _ = forward(inputs)
    tell("x", inputs[0])
    tell("y", y)
    backward(inputs, h, y, plain_tangent())
    base[0].copy_(torch.arange(1.0, 4.0))
    backward(inputs, h, y, plain_tangent())


for scenario in (values, no_grad, layouts, versions, views):
    print("-- " + scenario.__name__)
    scenario()
