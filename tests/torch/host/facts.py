# SPDX-License-Identifier: MIT
#
# What eager PyTorch does, one line a fact, for facts.c to say the same through the verbs of the aoti host. A scenario is a
# pair of functions of one name, here and there; run.sh compares the two outputs.
import torch
from torch._functorch._aot_autograd.functional_utils import gen_alias_from_base
from torch.autograd.graph import increment_version


def values(t):
    if t.is_complex():
        t = torch.view_as_real(t.detach().contiguous())
    return " ".join("%g" % float(v) for v in t.detach().contiguous().flatten().tolist())


def tell(label, t):
    geometry = "%s %s %d" % (list(t.shape), list(t.stride()), t.storage_offset())
    dtype = str(t.dtype).replace("torch.", "")
    print("%s: %s %s grad=%d version=%d [%s]" % (label, geometry, dtype, t.requires_grad, t._version, values(t)))


def say(label, number):
    print("%s: %d" % (label, int(number)))


def refused(label, call):
    try:
        call()
        say(label, 0)
    except RuntimeError:
        say(label, 1)


def make(size, first=0, dtype=torch.float32):
    """Consecutive numbers, version 0, as facts.c makes them: by writing into memory that PyTorch does not watch."""
    t = torch.empty(size, dtype=dtype)
    n = t.numel() * (2 if t.is_complex() else 1)
    real = dtype.to_real() if t.is_complex() else dtype
    flat = torch.arange(first, first + n, dtype=torch.float64).to(real)
    with torch.autograd._unsafe_preserve_version_counter(t):
        (torch.view_as_real(t) if t.is_complex() else t).view(-1).copy_(flat)
    return t


def identity():
    for size in ([], [2, 3], [1, 2, 1, 2, 1, 2, 1]):
        t = make(size)
        say("same as itself", True)
        say("same as detached", t.detach() is t)
        say("same storage as detached", t.detach().untyped_storage()._cdata == t.untyped_storage()._cdata)
        say("same storage as another", make(size).untyped_storage()._cdata == t.untyped_storage()._cdata)
    tell("rank 0", make([]))
    tell("empty", make([0, 3]))
    a, b = make([0]), make([0])
    say("same storage, empty", a.untyped_storage()._cdata == b.untyped_storage()._cdata)


def copies():
    x = make([2, 3])
    row = x.as_strided((3,), (1,), 3)
    x.copy_(make([2, 3], 10))
    tell("copy", x)
    tell("view of what was copied to", row)
    x.copy_(make([3], 20, torch.int64))
    tell("copy of integers, broadcast", x)
    row.copy_(make([3], 30))
    tell("copy to a view", x)
    refused("copy of another shape", lambda: x.copy_(make([4])))
    refused("copy to repeated elements", lambda: x.as_strided((2, 2), (0, 1), 0).copy_(make([2, 2])))
    tell("after refusals", x)
    y = make([6])
    refused("copy between parts that overlap", lambda: y.as_strided((4,), (1,), 0).copy_(y.as_strided((4,), (1,), 2)))
    tell("after it", y)
    y.copy_(y.as_strided((6,), (1,), 0))
    tell("copy to itself", y)


def leaves():
    x = make([3]).requires_grad_()
    say("leaf", x.requires_grad)
    refused("copy to a leaf", lambda: x.copy_(make([3], 5)))
    tell("after it", x)
    x.detach().copy_(make([3], 7))
    tell("copy_leaf_", x)
    with torch.no_grad():
        x.copy_(make([3], 9))
        tell("copy to a leaf, no grad", x)
        view = x.as_strided((2,), (1,), 1)
    say("view of a leaf, no grad", view.requires_grad)
    say("view of a leaf", x.as_strided((2,), (1,), 1).requires_grad)
    say("detached", x.detach().requires_grad)
    say("unsafe view", torch.ops.aten._unsafe_view(x, [3]).requires_grad)
    with torch.no_grad():
        say("unsafe view, no grad", torch.ops.aten._unsafe_view(x, [3]).requires_grad)
    y = make([3])
    y.copy_(x)
    tell("copy of a leaf", y)
    refused("integers cannot require grad", lambda: make([3], 0, torch.int64).requires_grad_())
    refused("nor can what autograd made be told not to", lambda: y.requires_grad_(False))
    increment_version(x)
    tell("version raised", x)


def sets():
    x, y = make([2, 3]), make([4], 50)
    view = x.as_strided((3,), (1,), 0)
    y.copy_(make([4], 60))
    y.copy_(make([4], 70))
    with torch.no_grad():
        x.set_(y)
    tell("set_", x)
    tell("its source", y)
    tell("former view", view)
    say("same storage", x.untyped_storage()._cdata == y.untyped_storage()._cdata)
    refused("set_ of another dtype", lambda: x.set_(make([4], 0, torch.int64)))
    z = make([2, 2], 80)
    z.copy_(make([2, 2], 81))
    z.data = y
    tell(".data =", z)
    z.data = make([2], 5, torch.int64)
    tell(".data =, another dtype", z)
    p = make([2]).requires_grad_()
    p.data = make([3], 90)
    tell(".data = of a leaf", p)
    refused(".data = integers, of a leaf", lambda: setattr(p, "data", make([3], 0, torch.int64)))


def restrides():
    x, like = make([2, 3]), make([3, 2]).as_strided((2, 2), (1, 3), 1)
    view = x.as_strided((6,), (1,), 0)
    x.as_strided_(like.size(), like.stride(), like.storage_offset())
    tell("as_strided_", x)
    tell("its view", view)
    wide = make([4, 4])
    refused("beyond the storage", lambda: x.as_strided_(wide.size(), wide.stride(), wide.storage_offset()))
    tell("after it", x)
    p = make([2, 3]).requires_grad_()
    refused("of a leaf", lambda: p.as_strided_(like.size(), like.stride(), like.storage_offset()))
    with torch.no_grad():
        p.as_strided_(like.size(), like.stride(), like.storage_offset())
    tell("of a leaf, no grad", p)


def alias(label, base, target, grad):
    try:
        tell(label, gen_alias_from_base(base, target, grad, None, replay_views=False))
    except RuntimeError:
        say(label, -1)


def aliases():
    like = make([2, 6]).as_strided((3, 2), (2, 1), 4)
    like = like.detach()
    for grad_of_base in (False, True):
        for grad in (False, True):
            base = make([2, 6]).requires_grad_(grad_of_base)
            alias("alias %d %d" % (grad_of_base, grad), base, like, grad)
            with torch.no_grad():
                alias("alias, no grad %d %d" % (grad_of_base, grad), base, like, grad)
    c = make([2, 3], 0, torch.complex64)
    real = make([2, 6]).as_strided((2, 3, 2), (6, 2, 1), 0).detach()
    alias("complex as real", c, real, False)
    alias("real as complex", make([2, 3, 2]), c.detach(), False)
    bits = make([2, 6], 0, torch.int32).as_strided((2, 2), (6, 1), 3).detach()
    base = torch.tensor([1.0] * 12).view(2, 6).requires_grad_()
    alias("bits", base, bits, False)
    x = make([2, 6])
    y = gen_alias_from_base(x, like, False, None, replay_views=False)
    y.copy_(make([3, 2], 100))
    tell("written through an alias", x)


def views():
    b = make([2, 8], 1, torch.int8)
    tell("view as int32", b.view(torch.int32))
    refused("view of an odd width", lambda: make([3], 0, torch.int8).view(torch.int32))
    c = make([2, 2], 0, torch.complex64)
    tell("view_as_real", torch.view_as_real(c))
    tell("view_as_complex", torch.view_as_complex(make([3, 2])))
    refused("view_as_complex of triples", lambda: torch.view_as_complex(make([2, 3])))
    refused("as_strided beyond the storage", lambda: make([2]).as_strided((3,), (1,), 0))
    u = make([2, 3])
    u.copy_(make([2, 3], 4))
    tell("unsafe view", torch.ops.aten._unsafe_view(u, [2, 3]))
    tell("detach", u.detach())
    x = make([2, 3])
    view = x.as_strided((2,), (1,), 2)
    base = torch.empty((0,), dtype=view.dtype)
    base = base.set_(view.untyped_storage())
    print("storage base: %s %s %d [%s]" % (list(base.shape), list(base.stride()), base.storage_offset(), values(base)))
    n = make([1, 2, 2, 2])
    tell("contiguous already", n.contiguous())
    say("is itself", n.contiguous() is n)
    tell("channels last", n.contiguous(memory_format=torch.channels_last))
    tell("coerced", torch.empty_strided((2, 3), (1, 2)).copy_(x))


def versions():
    x = make([2, 3])
    view, detached = x.as_strided((2,), (1,), 0), x.detach()
    increment_version(x)
    tell("raised", x)
    tell("its view", view)
    tell("its detached", detached)
    increment_version(view)
    tell("raised by its view", x)
    z = make([])
    increment_version(z)
    tell("rank 0", z)
    e = make([0, 2])
    increment_version(e)
    tell("empty", e)


for scenario in (identity, copies, leaves, sets, restrides, aliases, views, versions):
    print("-- " + scenario.__name__)
    scenario()
