# SPDX-License-Identifier: MIT
"""What the hash of a graph is made of: each change of a fact is a miss that names it, and a change of nothing but names is
a hit."""

import contextlib
import inspect
import os
import random
import tempfile
import warnings
from unittest.mock import patch

import torch
from torch._dynamo import mark_dynamic
from torch.testing._internal.two_tensor import TwoTensor
from wrapgen_torch import CaptureWarning, FallbackWarning, NotBuilt, backend, build
from wrapgen_torch.ahead.facts import differences


def vector(n=8, grad=False, **options):
    return torch.randn(n, requires_grad=grad, **options)


def product(x, y):
    return x * y


def write(x, y):
    x.add_(1)
    return x * y


def halves():
    whole = vector(12)
    return whole[:8], whole[4:]


def both():
    return vector(), vector()


def looked_up(built, looked, context=contextlib.nullcontext):
    """The rows of the report of a program of one graph. `built`, `looked`: (function, make_inputs)."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        build(*built, folder, inner="aot_eager")
        torch._dynamo.reset()
        found = backend(folder, inner="aot_eager")
        with context():
            torch.compile(looked[0], backend=found)(*looked[1]())
        return found.report()


def missed(words, function, make_inputs, context=contextlib.nullcontext, built=(product, both)):
    (row,) = looked_up(built, (function, make_inputs), context)
    assert not row.hit and words in row.why, f"'{words}' expected: {row}"


def test_facts_of_arguments():
    missed("size of x is [9], and [8] was built", product, lambda: (vector(9), vector(9)))
    missed("dtype of x is float64, and float32 was built", product, lambda: (vector(dtype=torch.float64), vector()))
    missed("stride of x is [2], and [1] was built", product, lambda: (vector(16)[::2], vector()))
    missed("mode is training, and inference was built", product, lambda: (vector(), vector(grad=True)))
    missed("synthetic_bases is ", write, halves, built=(write, both))
    trained = (product, lambda: (vector(grad=True), vector()))
    missed("requires_grad of y is true, and false was built", product, lambda: (vector(grad=True), vector(grad=True)), built=trained)
    missed("is_leaf of x is false, and true was built", product, lambda: (vector(grad=True) * 1, vector()), built=trained)
    missed("subclass of x is ", product, lambda: (TwoTensor(vector(), vector()), vector()))


def test_what_follows_from_a_fact_comes_after_it():
    def trained(grad):
        return product, lambda: (vector(grad=True), vector(grad=grad))

    (row,) = looked_up(trained(True), trained(False))
    assert row.why.startswith("requires_grad of y is false, and true was built; "), str(row)


def test_facts_of_the_program():
    missed("mutates_data of x is true, and false was built", lambda x, y: x.add_(y) * 2, both)
    missed("number of outputs is 2, and 1 was built", lambda x, y: (x * y, x + y), both)
    missed("type of out_0 is alias_of_input, and non_alias was built", lambda x, y: (x.view(2, 4), y + 1),
           both, built=(lambda x, y: (x + 1, y + 1), both))  # fmt: skip
    missed("view of ", lambda x, y: (x.view(2, 4), y + 1), both, built=(lambda x, y: (x.view(4, 2), y + 1), both))
    missed("saved is {tensors: 1", lambda x, y: (x * 2) @ y, lambda: (vector(grad=True), vector()),
           built=(lambda x, y: (x * y).sum() * y.sum(), lambda: (vector(grad=True), vector())))  # fmt: skip


def test_facts_of_the_surroundings():
    def autocast():
        return torch.autocast("cpu", dtype=torch.bfloat16)

    missed("disable_amp is true, and false was built", product, both, autocast)
    missed("deterministic", product, lambda: (vector(grad=True), vector()), _deterministic,
           (product, lambda: (vector(grad=True), vector())))  # fmt: skip


@contextlib.contextmanager
def _deterministic():
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)


def test_facts_of_symbols():
    def marked(rows, **options):
        x = torch.randn(rows, 4)
        mark_dynamic(x, 0, **options)
        return (x,)

    def rows(x):
        return x * 2

    missed("symbol s0 is ", rows, lambda: marked(4, min=2, max=64), built=(rows, lambda: marked(4)))

    def tall():
        x, y = torch.randn(5, 4), torch.randn(3, 4)
        mark_dynamic(x, 0)
        mark_dynamic(y, 0)
        return x, y

    def whichever(x, y):
        return x.sum(0) * y.sum(0)

    def taller(x, y):
        return x.sum(0) * y.sum(0) if x.shape[0] > y.shape[0] else y.sum(0)

    missed("guards is [", taller, tall, built=(whichever, tall))


def test_names_do_not_count():
    def other(first, second):
        renamed = first * second
        return renamed

    (row,) = looked_up((product, both), (other, both))
    assert row.hit, str(row)


def test_kernels_do_not_count():
    """Another computation between the same inputs and outputs has the same wrapper."""
    (row,) = looked_up((product, both), (lambda x, y: (x + y).sin(), both))
    assert row.hit, str(row)


def test_two_sides_of_a_difference_differ():
    """However long two values are, and wherever they differ: what is shown of one is not what is shown of the other."""
    random.seed(0)

    def value(depth):
        kind = random.choice(("word", "number", "list", "dict") if depth else ("word", "number"))
        if kind == "word":
            return random.choice("ab1") * random.choice((1, 3, 79, 80, 81, 200))
        if kind == "number":
            return random.choice((0, 1, True, 10**random.randrange(90)))
        items = [value(depth - 1) for _ in range(random.randrange(5))]
        return items if kind == "list" else {f"key{number}": item for number, item in enumerate(items)}

    def changed(old, depth):
        if isinstance(old, dict) and old:
            name = random.choice(list(old))
            return {**old, name: changed(old[name], depth - 1)}
        if isinstance(old, list) and old:
            at = random.randrange(len(old))
            return random.choice((old[:at] + old[at + 1 :], [*old[:at], changed(old[at], depth - 1), *old[at + 1 :]]))
        if isinstance(old, str):
            at = random.randrange(len(old))
            return f"{old[:at]}c{old[at + 1 :]}"
        return value(depth)

    num_compared = 0
    for key in ["saved", "subclass"] * 2000:
        mine = value(3)
        theirs = changed(mine, 3)
        if mine == theirs or None in (mine, theirs):
            continue
        facts = [{"graphs": [{"mode": "training", key: one}]} for one in (mine, theirs)]
        for text in differences(*facts, {}):
            one, other = text.removesuffix(" was built").split(" is ", 1)[1].split(", and ")
            assert one != other and max(len(one), len(other)) <= 86, (mine, theirs, text)
            num_compared += 1
    assert num_compared > 1000


def test_what_is_long_is_narrowed_to_what_differs():
    def of(key, value):
        return {"graphs": [{"mode": "training", key: value}]}

    dims = [{"index": number, "dims": [0]} for number in range(20)]
    others = [*dims[:13], {"index": 13, "dims": [1]}, *dims[14:]]
    (text,) = differences(of("saved", {"tensors": 20, "dynamic": dims}), of("saved", {"tensors": 20, "dynamic": others}), {})
    assert text == "saved.dynamic.13.dims is [0], and [1] was built", text
    (text,) = differences(of("saved", {"tensors": 20, "dynamic": dims}), of("saved", {"tensors": 20, "dynamic": dims[:9] + dims[10:]}), {})
    assert text == "saved.dynamic[9:] is [{index: 9, dims: [0]}], and [] was built", text
    guards = [f"s{number} != 1" for number in range(30)]
    (text,) = differences(of("guards", guards), of("guards", [*guards[:7], "s7 > 2", *guards[8:]]), {})
    assert text == "guards.7 is s7 != 1, and s7 > 2 was built", text


def test_a_miss_points_at_the_call():
    """The line of the user's that calls, not one of PyTorch's or ours."""
    with tempfile.TemporaryDirectory() as folder:
        build(product, both, folder, inner="aot_eager")
        compiled = torch.compile(product, backend=backend(folder, inner="aot_eager"))
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            compiled(vector(5), vector(5)); line = inspect.currentframe().f_lineno  # noqa: E702
        (warning,) = [one for one in seen if one.category is FallbackWarning]
        assert (warning.filename, warning.lineno) == (__file__, line), f"{warning.filename}:{warning.lineno}"
        with warnings.catch_warnings(record=True) as seen, patch.dict(os.environ, {"WRAPGEN": "false"}):  # the host is compiled by now
            warnings.simplefilter("always")
            build(product, both, folder, inner="aot_eager"); line = inspect.currentframe().f_lineno  # noqa: E702
        (warning,) = [one for one in seen if one.category is CaptureWarning]
        assert (warning.filename, warning.lineno) == (__file__, line), f"{warning.filename}:{warning.lineno}"


def test_a_miss_runs_and_warns_once():
    with tempfile.TemporaryDirectory() as folder:
        build(product, both, folder, inner="aot_eager")
        compiled = torch.compile(product, backend=backend(folder, inner="aot_eager"))
        x = vector(5)
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            assert torch.equal(compiled(x, x + 1), x * (x + 1))
            compiled(x, x + 1)
        texts = [str(one.message) for one in seen if one.category is FallbackWarning]
        assert len(texts) == 1 and "size of x is [5], and [8] was built" in texts[0], texts


def test_a_miss_that_is_an_error():
    with tempfile.TemporaryDirectory() as folder:
        build(product, both, folder, inner="aot_eager")
        strict = torch.compile(product, backend=backend(folder, inner="aot_eager", fallback="error"))
        strict(*both())
        try:
            strict(vector(5), vector(5))
        except Exception as problem:  # noqa: BLE001 - Dynamo wraps it
            causes = f"{problem} {problem.__cause__!r} {getattr(problem, 'inner_exception', None)!r}"
            assert NotBuilt.__name__ in causes and "number of inputs is 3, and 2 was built" in causes, causes
        else:
            raise AssertionError("it ran")


def test_another_program():
    def unrelated(a, b, c):
        return a @ b @ c

    (row,) = looked_up((product, both), (unrelated, lambda: (torch.randn(2, 2),) * 3))
    assert not row.hit and "was built for another program, with graphs of product (test_facts.py)" in row.why, str(row)


def test_a_back_end_without_autograd():
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        build(product, both, folder, inner="aot_eager")
        found = backend(folder, inner="eager")
        torch.compile(product, backend=found)(*both())
    (row,) = found.report()
    assert not row.hit and "does not use AOTAutograd" in row.why, str(row)
