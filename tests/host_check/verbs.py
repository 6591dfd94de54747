# SPDX-License-Identifier: MIT
#
# What eager PyTorch does, a line a fact, for verbs.c to say the same through the verbs of a host: a function there and here for
# each part. Where PyTorch has no such thing (scratch, null pointers), the line is what VERBS.md says. verbs.txt is what this
# printed; tests/torch/aoti compares them.
import torch
from torch._functorch._aot_autograd.functional_utils import gen_alias_from_base
from torch.autograd.graph import increment_version


def tell(label, t):
    flat = t.detach().resolve_conj().contiguous()
    flat = torch.view_as_real(flat) if flat.is_complex() else flat
    words = lambda numbers: "".join(" %d" % n for n in numbers)
    print(
        "%s: sizes%s; strides%s; offset %d; %s; grad %d; version %d; values%s"
        % (
            label,
            words(t.shape),
            words(t.stride()),
            t.storage_offset(),
            str(t.dtype).replace("torch.", ""),
            t.requires_grad,
            t._version,
            "".join(" %g" % float(v) for v in flat.flatten().tolist()),
        )
    )


def say(label, number):
    print("%s: %d" % (label, int(number)))


def refused(label, call):
    try:
        call()
        say(label, 0)
    except (RuntimeError, TypeError):  # which of the two is a matter of the version
        say(label, 1)


def make(size, first=0, dtype=torch.float32):
    """Consecutive numbers, version 0."""
    t = torch.empty(size, dtype=dtype)
    n = t.numel() * (2 if t.is_complex() else 1)
    with torch.autograd._unsafe_preserve_version_counter(t):
        part = dtype.to_real() if t.is_complex() else dtype
        (torch.view_as_real(t) if t.is_complex() else t).view(-1).copy_(torch.arange(first, first + n, dtype=torch.float64).to(part))
    return t


def wg_rank():
    say("rank 0", make([]).dim())
    tell("a scalar", make([], 4))
    tell("no elements", make([0, 3]))


def wg_sizes():
    for _ in range(3):
        say("as wg_size", 1)


def wg_strides():
    for _ in range(3):
        say("as wg_stride", 1)


def wg_device():
    say("the CPU", 0)


def wg_is_plain():
    say("a new tensor", type(make([2])) is torch.Tensor)


def wg_is_view():
    t = make([4])
    view = t.as_strided((2,), (1,), 1)
    say("a new tensor", t._is_view())
    say("a view", view._is_view())
    say("a detached view", view.detach()._is_view())


def wg_same():
    t = make([2])
    say("itself", t is t)
    say("another", t is make([2]))


def wg_byte_range():
    def span(t):
        last = sum((size - 1) * stride for size, stride in zip(t.shape, t.stride()))
        return (t.data_ptr(), t.data_ptr() + (last + 1) * t.element_size()) if t.numel() else (0, 0)

    def meet(a, b):
        return max(a[0], b[0]) < min(a[1], b[1])

    t, other, none = make([2, 3]), make([2, 3]), make([0, 3])
    first, last = t.as_strided((2,), (2,), 0), t.as_strided((3,), (1,), 3)
    say("bytes", span(t)[1] - span(t)[0])
    say("bytes of every second", span(first)[1] - span(first)[0])
    say("a view meets it", meet(span(t), span(first)))
    say("its parts meet", meet(span(first), span(last)))
    say("another meets it", meet(span(t), span(other)))
    say("nothing meets it", meet(span(t), span(none)))
    say("nothing is empty", span(none)[0] >= span(none)[1])


def wg_same_storage():
    t = make([2, 3])
    say("detached", t.detach().untyped_storage()._cdata == t.untyped_storage()._cdata)
    say("another", make([2, 3]).untyped_storage()._cdata == t.untyped_storage()._cdata)


def wg_bump_version():
    t, none = make([2, 3]), make([0, 2])
    view, apart = t.as_strided((2,), (1,), 0), t.detach()
    increment_version(t)
    tell("raised", t)
    tell("its view", view)
    tell("its detached", apart)
    increment_version(view)
    tell("raised by its view", t)
    increment_version(none)
    tell("no elements", none)


def wg_host_status():
    say("nothing has failed", 0)


def wg_copy_():
    t, source, integers = make([2, 3]), make([2, 3], 10), make([3], 20, torch.int64)
    t.copy_(source)
    tell("copied to", t)
    tell("copied from", source)
    t.copy_(integers)
    tell("integers, broadcast", t)
    refused("another shape", lambda: t.copy_(make([4])))
    tell("after it", t)
    t.copy_(t)
    tell("to itself", t)


def wg_copy___views():
    t, integers = make([2, 3]), make([3], 20, torch.int64)
    t.as_strided((3,), (1,), 3).copy_(integers)
    tell("to a view", t)
    t.as_strided((3, 2), (1, 3), 0).copy_(make([3, 2], 30))
    tell("to a transposed view", t)
    refused("to repeated elements", lambda: t.as_strided((2, 2), (0, 1), 0).copy_(make([2, 2])))
    tell("after that", t)


def wg_copy___leaves():
    source, leaf, target = make([2, 3], 10), make([2, 3], 1).requires_grad_(), make([2, 3])
    refused("to a leaf", lambda: leaf.copy_(source))
    tell("the leaf", leaf)
    target.copy_(leaf)
    tell("of a leaf", target)


def wg_copy_leaf_():
    leaf = make([3]).requires_grad_()
    leaf.detach().copy_(make([3], 7))
    tell("to a leaf", leaf)
    refused("another shape", lambda: leaf.detach().copy_(make([4])))
    tell("after it", leaf)


def wg_set_():
    t, source = make([2, 3]), make([4], 50)
    increment_version(source)
    increment_version(source)
    with torch.no_grad():
        t.set_(source)
    tell("set", t)
    tell("its source", source)
    refused("of another dtype", lambda: t.set_(make([4], 0, torch.int64)))
    tell("after it", t)


def wg_shallow_copy_data_():
    t = make([2, 2], 80)
    increment_version(t)
    t.data = make([4], 70)
    tell("data", t)
    t.data = make([2], 5, torch.int64)
    tell("another dtype", t)


def wg_restride_like_():
    t, like, wide = make([2, 3]), make([3, 2]).as_strided((2, 2), (1, 3), 1), make([4, 4])
    t.as_strided_(like.size(), like.stride(), like.storage_offset())
    tell("restrided", t)
    refused("beyond the storage", lambda: t.as_strided_(wide.size(), wide.stride(), wide.storage_offset()))
    tell("after it", t)


def alias(label, base, like, grad):
    tell(label, gen_alias_from_base(base, like, grad, None, replay_views=False))


def wg_alias_like():
    like = make([2, 6]).as_strided((3, 2), (2, 1), 4).detach()
    alias("plain", make([2, 6]), like, False)
    alias("that requires grad", make([2, 6]), like, True)
    alias("complex as real", make([2, 3], 0, torch.complex64), make([2, 6]).as_strided((2, 3, 2), (6, 2, 1), 0).detach(), False)


def wg_alias_as():
    like = make([2, 6]).as_strided((3, 2), (2, 1), 4).detach()
    alias("plain", make([2, 6]), like, False)
    alias("that requires grad", make([2, 6]), like, True)
    alias("real as complex", make([2, 3, 2]), make([2, 3], 0, torch.complex64), False)
    refused("beyond the storage", lambda: make([2, 6]).as_strided((2,), (1,), 11))
    say("and nothing made", 1)


def wg_view_dtype():
    tell("bytes as words", make([2, 8], 1, torch.int8).view(torch.int32))
    tell("words as bytes", make([2, 2], 1, torch.int32).view(torch.int8))
    refused("an odd width", lambda: make([3], 0, torch.int8).view(torch.int32))


def wg_view_as_real():
    tell("parts", torch.view_as_real(make([2, 3], 0, torch.complex64)))
    refused("of a real tensor", lambda: torch.view_as_real(make([2])))


def wg_view_as_complex():
    tell("pairs", torch.view_as_complex(make([3, 2])))
    refused("triples", lambda: torch.view_as_complex(make([2, 3])))


def wg_as_strided():
    tell("a view", make([2, 6]).as_strided((3, 2), (1, 4), 2))
    refused("beyond the storage", lambda: make([2, 6]).as_strided((13,), (1,), 0))
    say("and nothing made", 1)


def wg_detach():
    tell("detached", make([2, 3]).requires_grad_().detach())


def wg_unsafe_view():
    t = make([2, 3])
    increment_version(t)
    tell("of a tensor that was changed", torch.ops.aten._unsafe_view(t, [2, 3]))


def wg_patch_requires_grad():
    for of_base in (False, True):
        for wanted in (False, True):
            base = make([4]).requires_grad_(of_base)
            alias("patched", base, make([4]).as_strided((2,), (1,), 1).detach(), wanted)


def wg_set_requires_grad():
    t = make([2])
    tell("on", t.requires_grad_())
    tell("off", t.requires_grad_(False))
    integers = make([2], 0, torch.int64)
    refused("integers", lambda: integers.requires_grad_())
    tell("they", integers)


def wg_empty_strided():
    t = torch.empty_strided((2, 3), (1, 2), dtype=torch.int64)
    with torch.autograd._unsafe_preserve_version_counter(t):
        t.as_strided((6,), (1,)).copy_(torch.arange(6))
    tell("transposed", t)
    refused("a negative size", lambda: torch.empty_strided((2, -3), (1, 2)))
    say("and nothing made", 1)


def wg_zeros():
    tell("float32", torch.zeros((2, 3)))
    tell("a scalar", torch.zeros((), dtype=torch.int64))
    tell("no elements", torch.zeros((0, 2)))


def wg_storage_base():
    view = make([2, 3]).as_strided((2,), (1,), 2)
    base = torch.empty((0,), dtype=view.dtype)
    for value in base.set_(view.untyped_storage()).tolist():
        say("element", value)


def wg_contiguous():
    t = make([1, 2, 2, 2])
    tell("already", t.contiguous())
    say("is itself", t.contiguous() is t)
    tell("channels last", t.contiguous(memory_format=torch.channels_last))
    refused("channels last of rank 2", lambda: make([2, 3]).contiguous(memory_format=torch.channels_last))


def wg_coerce_strides():
    say("is itself", 1)
    tell("transposed", torch.empty_strided((2, 3), (1, 2)).copy_(make([2, 3])))


def wg_set_grad_mode():
    say("at first", torch.is_grad_enabled())
    with torch.no_grad():
        say("off", torch.is_grad_enabled())
    say("on", torch.is_grad_enabled())


def wg_set_view_replay():
    say("at first", torch._C._is_view_replay_enabled())
    with torch.autograd._force_original_view_tracking(True):
        say("on", torch._C._is_view_replay_enabled())
    say("off", torch._C._is_view_replay_enabled())


def wg_autocast_off():
    say("still on", torch.is_autocast_enabled("cpu"))
    say("as before", 1)


def wg_deterministic():
    say("at first", torch.are_deterministic_algorithms_enabled())


def wg_retain():
    tell("what remains", make([2]))


def wg_release():
    say("null is allowed", 1)


def wg_release_run():
    say("all null", 1)


def wg_scratch_take():
    say("without any", 1)
    say("apart", 1)
    say("too many", 1)
    say("given back", 1)


for name, part in list(globals().items()):
    if name.startswith("wg_"):
        print("-- " + name)
        part()
