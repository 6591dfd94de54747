# SPDX-License-Identifier: MIT
"""What guarded() tests of tensors: it holds where PyTorch's TensorGuards, made of the same tensors, says so."""

import contextlib
import gc
import random
import weakref

from scenario import fresh, raises, test
from test_guarded import MARKED, guarded

import torch
from torch._C._dynamo.guards import TensorGuards


class Subclass(torch.Tensor):
    pass


def strided():
    """Tensors that differ from the first one in one thing."""
    base = torch.zeros(2, 3)
    with torch.inference_mode():
        of_inference = torch.zeros(2, 3)
    return {
        "a tensor": base,
        "dtype": base.double(),
        "size": torch.zeros(2, 4),
        "fewer dimensions": torch.zeros(6),
        "more dimensions": torch.zeros(1, 2, 3),
        "none": torch.zeros(()),
        "stride": torch.zeros(3, 2).t(),
        "stride alone": torch.zeros(2, 8)[:, :3],
        "stride 0": torch.zeros(3).expand(2, 3),
        "empty": torch.zeros(2, 0),
        "requires_grad": torch.zeros(2, 3, requires_grad=True),
        "not a leaf": torch.zeros(2, 3, requires_grad=True) * 1,
        "parameter": torch.nn.Parameter(torch.zeros(2, 3)),
        "frozen": torch.nn.Parameter(torch.zeros(2, 3), requires_grad=False),
        "inference": of_inference,
        "meta": torch.zeros(2, 3, device="meta"),
        "complex": torch.zeros(2, 3, dtype=torch.complex64),
        "conj": torch.zeros(2, 3, dtype=torch.complex64).conj(),
        "neg": torch.zeros(2, 3, dtype=torch.complex64).conj().imag,
    }


def others():
    """What no example is like: another layout, another type, or no tensor."""
    return {
        "coo": torch.zeros(2, 3).to_sparse(),
        "csr": torch.zeros(2, 3).to_sparse_csr(),
        "quantized": torch.quantize_per_tensor(torch.zeros(2, 3), 1.0, 0, torch.qint8),
        "subclass": torch.zeros(2, 3).as_subclass(Subclass),
        "fake": torch._subclasses.FakeTensorMode().from_tensor(torch.zeros(2, 3)),
        "None": None,
        "int": 1,
        "type": torch.Tensor,
    }


def rows_like(example):
    """With all sizes and strides, with none, and with all but the first."""
    exact = list(example.shape), list(example.stride())
    yield exact
    yield tuple([None] * example.dim() for _ in exact)
    if example.dim() > 0:
        yield tuple([None, *numbers[1:]] for numbers in exact)


def both(rows, places, num_args):
    """The test as guarded() and as PyTorch makes it: two functions that say whether it holds of arguments."""
    call = guarded(fresh(), MARKED, num_args + 1, tensors=(lambda: tuple(rows), tuple(places)), inputs=(num_args,))
    examples, sizes, strides = zip(*rows)
    guards = TensorGuards(*examples, dynamic_dims_sizes=[list(size) for size in sizes], dynamic_dims_strides=[list(stride) for stride in strides])
    x = torch.zeros(1)
    return lambda *args: call(*args, x) is not NotImplemented, lambda *args: guards.check(*(args[place] for place in places))


@test
def a_tensor_is_tested_as_tensor_guards_does():
    count = {True: 0, False: 0}
    for name, example in strided().items():
        for sizes, strides in rows_like(example):
            ours, theirs = both([(example, sizes, strides)], (0,), 1)
            for other, value in {**strided(), **others()}.items():
                answer = theirs(value)
                assert ours(value) is answer, f"{other} where {name} is wanted, of {sizes} {strides}"
                count[answer] += 1
            assert ours(example)
    assert count[True] > 60 and count[False] > 1000


@test
def a_nested_tensor_without_strides_is_another():
    """TensorGuards ends the process for it, since it asks for strides first."""
    call = guarded(fresh(), MARKED, 2, tensors=(lambda: ((torch.zeros(2, 3), (None, None), (None, None)),), (0,)), inputs=(1,))
    assert call(torch.nested.nested_tensor([torch.zeros(3), torch.zeros(3)]), torch.zeros(1)) is NotImplemented


@test
def what_a_thread_adds_to_dispatch_keys_and_takes_away():
    contexts = {
        "nothing": contextlib.nullcontext,
        "autocast": lambda: torch.autocast("cpu", torch.bfloat16),
        "no autograd": torch._C._AutoDispatchBelowAutograd,
        "no ADInplaceOrView": lambda: torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(torch._C.DispatchKey.ADInplaceOrView)),
        "another key": lambda: torch._C._IncludeDispatchKeyGuard(torch._C.DispatchKey.Negative),
        "python dispatcher": torch._dispatch.python.enable_python_dispatcher,
    }
    example = torch.zeros(2, 3)
    row = (example, [2, 3], [3, 1])
    differ = set()
    for made, around in contexts.items():
        ours, theirs = both([row], (0,), 1)  # under the state of the first call
        with around():
            _, theirs = both([row], (0,), 1)
            assert ours(example) and theirs(example), made
        for called, other in contexts.items():
            with other():
                answer = theirs(example)
                assert ours(example) is answer, f"made under {made}, called under {called}"
            differ |= set() if answer else {frozenset((made, called))}
    assert len(differ) > 4 and frozenset(("nothing", "python dispatcher")) not in differ


@test
def tensors_of_a_transformation_are_others():
    ours, theirs = both([(torch.zeros(3), [3], [1])], (0,), 1)
    answers = []
    assert ours(torch.zeros(3))  # its rows are made outside of them

    def ask(x):
        answers.append((ours(x), theirs(x)))
        return x

    torch.vmap(ask)(torch.zeros(2, 3))
    torch.func.grad(lambda x: ask(x).sum())(torch.zeros(3))
    torch.vmap(lambda x: x + ask(torch.zeros(3)))(torch.zeros(2, 3))
    ask(torch.zeros(3))
    assert answers == [(False, False)] * 3 + [(True, True)]


@test
def each_is_another_object():
    chance = random.Random(0)
    for count in (2, 3, 4, 5, 17, 300):
        row = (torch.zeros(2), [2], [1])
        ours, theirs = both([row] * count, range(count), count)
        values = [torch.zeros(2) for _ in range(count)]
        assert ours(*values) and theirs(*values)
        for _ in range(30):
            one, other = chance.sample(range(count), 2)
            changed = list(values)
            changed[one] = changed[other]
            assert not ours(*changed) and not theirs(*changed)
            changed[one] = values[one][:]  # another object of the same memory
            assert ours(*changed) and theirs(*changed)
            chance.shuffle(values)
            assert ours(*values)


@test
def rows_of_tensors_are_made_once_after_all_else_holds():
    made = []
    examples = torch.zeros(2), torch.zeros(3)

    def make():
        made.append(1)
        return (examples[0], (2,), (1,)), (examples[1], (None,), (1,))

    call = guarded(fresh(), MARKED, 3, tests=(("equal", 2, 1),), tensors=(make, (1, 0)), inputs=(0,))
    assert call(torch.zeros(3), torch.zeros(2), 0) is NotImplemented and made == []
    assert call(torch.zeros(2), torch.zeros(3), 1) is NotImplemented  # the places are in their order
    assert call(torch.zeros(3), torch.zeros(2), 1) is not NotImplemented
    assert call(torch.zeros(9), torch.zeros(2), 1) is not NotImplemented
    assert made == [1]


@test
def examples_are_not_kept_but_their_types_are():
    def like():
        kind = type("Kind", (torch.Tensor,), {})
        example = torch.zeros(2).as_subclass(kind)
        gone.append(weakref.ref(example))
        kinds.append(weakref.ref(kind))
        return ((example, (2,), (1,)),)

    gone, kinds = [], []
    call = guarded(fresh(), MARKED, 2, tensors=(like, (0,)), inputs=(1,))
    assert call(torch.zeros(2), torch.zeros(1)) is NotImplemented
    gc.collect()
    assert gone[0]() is None and kinds[0]() is not None  # or another type might get its address
    del call
    gc.collect()
    assert kinds[0]() is None


@test
def rows_of_tensors_that_are_wrong():
    x = torch.zeros(2)
    for words, rows in (
        ("a tuple of one row for each", [(x, (2,), (1,))]),
        ("a tuple of one row for each", ()),
        ("one like it, its sizes and its strides", ((x, (2,)),)),
        ("one like it, its sizes and its strides", ((1, (2,), (1,)),)),
        ("a tensor of 1 dimensions has 2 sizes or strides", ((x, (2, 1), (1,)),)),
        ("a tensor of 1 dimensions has 0 sizes or strides", ((x, (2,), ()),)),
        ("a size or stride is negative", ((x, (-1,), (1,)),)),
    ):
        call = guarded(fresh(), MARKED, 1, tensors=(lambda rows=rows: rows, (0,)), inputs=(0,))
        for _ in range(2):
            with raises(ValueError, words):
                call(x)
    for rows in (((x, 2, (1,)),), ((x, ("2",), (1,)),)):
        with raises(TypeError, ""):
            guarded(fresh(), MARKED, 1, tensors=(lambda rows=rows: rows, (0,)), inputs=(0,))(x)
