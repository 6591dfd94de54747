# SPDX-License-Identifier: MIT
"""What check() and a build see of a call (snapshot.py, probes.py): pairs of programs where the second does one thing differently, and
nothing else."""

import itertools

import torch
from wrapgen_torch.ahead.proving import _IGNORED as IGNORED_BY_BUILD
from wrapgen_torch.inner import _IGNORED as IGNORED_BY_CHECK
from wrapgen_torch.probes import FEW, MOST, Probes, subsets
from wrapgen_torch.running import compare_runs, run_calls


def _run(program, make_inputs):
    options = {"factory": False, "grad": True, "backward": True, "around": torch.enable_grad}
    run = run_calls(program, make_inputs, lambda given, _: given, probes=Probes, **options)
    assert run.exception is None, run.exception
    return run


def _differ(one, other, make_inputs):
    """(the lines with which check() says how they differ, those of a build)"""
    ignored = (IGNORED_BY_CHECK, IGNORED_BY_BUILD)
    return [compare_runs(_run(other, make_inputs), _run(one, make_inputs), False, words, (0, 0), True) for words in ignored]


def _seen(words, one, other, make_inputs):
    for lines in _differ(one, other, make_inputs):
        assert any(words in line for line in lines), (words, lines)
    assert not any(_differ(one, one, make_inputs)) and not any(_differ(other, other, make_inputs))


def leaf():
    return (torch.ones(3, requires_grad=True),)


def grown():
    return (torch.ones(4, 3, requires_grad=True).clone(),)


class Scaled(torch.autograd.Function):
    """The results are the same, and gradients are wrong where all of `wanted` have tangents, and no other result has."""

    @staticmethod
    def forward(ctx, wanted, count, x):
        ctx.wanted = wanted
        ctx.set_materialize_grads(False)
        return tuple(x * n for n in range(1, 1 + count))

    @staticmethod
    def backward(ctx, *tangents):
        given = tuple(n for n, tangent in enumerate(tangents) if tangent is not None)
        total = sum(tangents[n] * (n + 1) for n in given)
        return None, None, total * (2 if given == ctx.wanted else 1)


def _scaled(wanted, count):
    return lambda x: Scaled.apply(wanted, count, x)


def test_a_backward_from_each_subset():
    for count in range(2, FEW + 1):
        proper = [chosen for size in range(1, count) for chosen in itertools.combinations(range(count), size)]
        assert len(proper) == 2**count - 2
        for chosen in proper:
            words = f"backward from {', '.join(map(str, chosen))} of {count} results"
            _seen(words, _scaled(None, count), _scaled(chosen, count), leaf)


def test_a_backward_from_subsets_of_many():
    for count, tried in ((0, []), (1, []), (5, range(5)), (MOST, range(MOST)), (MOST + 4, [0, 1, 2, 3, 8, 9, 10, 11])):
        alone = [(n,) for n in tried]
        assert subsets(count) == alone + [tuple(m for m in range(count) if m != n) for n in tried], count


def test_requires_grad_and_its_function():
    _seen("results[1]: requires_grad is False, not True", lambda x: (x * 2, x * 3), lambda x: (x * 2, (x * 3).detach()), leaf)
    _seen("results[1]: requires_grad is True, not False", lambda x: (x * 2, (x * 3).detach()), lambda x: (x * 2, x * 3), leaf)
    made_a_leaf = _differ(lambda x: (x * 2, x * 3), lambda x: (x * 2, (x * 3).detach().requires_grad_()), leaf)
    assert any("results[1]: is_leaf is True, not False" in line for line in made_a_leaf[0])
    assert any("of 2 results" in line or "grad[0]" in line for line in made_a_leaf[1]), made_a_leaf[1]


def test_writes_that_are_counted():
    def counted(x):
        x.add_(1)
        return x * 2

    def uncounted(x):
        x.data.add_(1)
        return x * 2

    _seen("a write to argument 0: counted is False, not True", counted, uncounted, lambda: (torch.ones(3),))
    assert not any(_differ(uncounted, counted, lambda: (torch.ones(3),))), "a compiled program may count what eager mode does not"


def test_writes_to_results():
    """A view of several results may not be written in place; and a result that shares memory shows the write."""
    _seen("after a write to result 0: refused: value is False, not True", lambda x: x.unbind(0), lambda x: [x[n] for n in range(4)], grown)
    shared = _differ(lambda x: (x * 2, x * 2), lambda x: (x * 2,) * 2, lambda: (torch.ones(3),))
    assert all(any("results[1]" in line for line in lines) for lines in shared), shared


def test_memory_and_places():
    def plain():
        return (torch.ones(6),)

    def once_and_flat(x):
        made = x * 2
        return made, made.view(6)

    _seen("results[1]: storage is results[0], not results[1]", lambda x: (x * 2, x + x), once_and_flat, plain)
    _seen("results[1]: is is results[0], not results[1]", lambda x: (x * 2, x + x), lambda x: (x * 2,) * 2, plain)
    _seen("results: is is args[0], not results", lambda x: x.view(6), lambda x: x, plain)
    (offsets, _) = _differ(lambda x: (x * 2)[0:3].clone(), lambda x: (x * 2)[1:4], plain)
    assert any("offset is 1, not 0" in line for line in offsets), offsets
    (strides, _) = _differ(lambda x: x * 2, lambda x: torch.stack([x * 2] * 2, 1)[:, 0], plain)
    assert any("stride is (2,), not (1,)" in line for line in strides), strides
