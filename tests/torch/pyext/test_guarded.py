# SPDX-License-Identifier: MIT
"""Graphs with tests before them: guarded(). Its rows are of this file; what holds is what Python says of the same values."""

import collections
import gc
import math
import sys
import weakref

from scenario import arguments, fresh, grown, raises, test

import torch

STEP, TAKING, MARKED = 0, 2, 3  # the first graph of graphs.yaml, and two that add 1


def guarded(module, number, num_args, *, bound=(), constants=(), steps=(), tests=(), state=lambda: True, inference=False, tensors=(None, ()),
            inputs=None, returned=None):  # fmt: skip
    inputs = tuple(range(num_args)) if inputs is None else inputs
    return module.guarded(number, bound, num_args, constants, steps, tests, (state, inference), tensors, inputs, returned)


def holds(tests, values, steps=()):
    """Do the tests hold of the values? A tensor is what the graph takes."""
    call = guarded(fresh(), MARKED, len(values) + 1, steps=steps, tests=tests, inputs=(len(values),), returned=0)
    result = call(*values, torch.zeros(2))
    assert result is NotImplemented or result.tolist() == [1, 1]
    return result is not NotImplemented


@test
def a_guarded_graph_is_called_or_not_implemented():
    module, args = fresh(), arguments()
    step = guarded(module, STEP, len(args))
    for position, wrong in ((0, torch.ones(5, 3)), (0, torch.ones(4, 3).double()), (0, 1), (2, 1.5)):
        changed = list(args)
        changed[position] = wrong
        assert step(*changed) is NotImplemented
    assert step.graph_refused
    tested = guarded(module, STEP, len(args), tests=(("equal", 0, 1),))
    assert tested(*args) is NotImplemented and not tested.graph_refused
    assert guarded(module, STEP, 3)(*args[:3]) is NotImplemented
    assert args[0]._version == 0 and args[5] == []
    assert step(*args)[2] == 4 and args[5] == [3]


@test
def what_went_wrong_in_a_guarded_graph_is_not_hidden():
    module, args = fresh(), arguments()
    step = guarded(module, STEP, len(args))

    def broken(_):
        raise ValueError("of the compiled function")

    module.bind("step_kernel", broken)
    with raises(ValueError, "of the compiled function"):
        step(*args)
    module.bind("step_kernel", lambda _: [None] * 7)  # a result that is not as stated: not the arguments' fault
    try:
        assert step(*args) is not NotImplemented
    except (TypeError, ValueError, RuntimeError):
        pass
    with raises(TypeError, "takes 7 arguments, not 6"):
        step(*args[1:])
    with raises(TypeError, "no arguments by name"):
        step(*args[1:], w=args[0])


def _failing():
    raise OSError("of the function")


Pair = collections.namedtuple("Pair", "a b")


@test
def each_kind_of_test():
    one, other = object(), object()
    # kind, operand, what it holds of, what it does not hold of
    for kind, operand, right, wrong in (
        ("type", lambda kind: kind is dict, [{}, {1: 2}], [collections.OrderedDict(), None, 1]),
        ("equal", 2, [2], [3, 2.0, True, None, "2"]),
        ("equal", 1, [1], [True, 1.0]),
        ("equal", True, [True], [1, False, None]),
        ("equal", None, [None], [False, 0]),
        ("equal", (8, 3), [(8, 3)], [(8, 4), [8, 3], Pair(8, 3), torch.Size((8, 3))]),
        ("equal", 0.0, [0.0], [-0.0, 0, False, math.nan]),
        ("equal", -0.0, [-0.0], [0.0]),
        ("equal", math.nan, [float("nan")], [0.0, math.inf]),
        ("equal", math.inf, [math.inf], [-math.inf]),
        ("equal", "a", ["a", "".join("a")], ["b", b"a"]),
        ("equal", torch.float32, [torch.float], [torch.float64]),
        ("not_none", None, [0, False, one], [None]),
        ("length", 2, ["ab", (1, 2), {1: 1, 2: 2}], ["a", (), 5, None]),
        ("with", "a", ["ab", {"a": 1}, ["a"]], [{}, ["b"], 5, None]),
        ("without", "a", [{}, ["b"]], [{"a": 1}, "a", 5, None]),
        ("empty", ("a", "b"), [{"a": 0, "b": {}, "c": 1}], [{"a": 1, "b": {}}, {"a": (), "b": [0]}, {"a": None}, "ab", 5]),
        ("empty", (), [{}, {"a": 1}], []),
        ("not_nan", None, [0.0, math.inf], [math.nan, 1, None, "1", torch.tensor(1.0)]),
        ("lt", 0.5, [0.25, -math.inf], [0.5, 1.0, 0, None, math.nan]),
        ("le", 0.5, [0.25, 0.5], [1.0, 0, None, math.nan]),
        ("ne", 0.5, [0.25, 1.0, math.nan], [0.5, 0, None]),
        ("gt", 0.5, [1.0, math.inf], [0.5, 0.25, 1, None, math.nan]),
        ("ge", 0.5, [1.0, 0.5], [0.25, 1, None, math.nan]),
    ):
        for value, expected in [*((value, True) for value in right), *((value, False) for value in wrong)]:
            assert holds(((kind, 0, operand),), [value]) is expected, (kind, operand, value)
    for divisor, expected in ((2, True), (3, False), (0, False), (None, False)):  # by 0 and by None nothing is divided
        assert holds((("holds", 0, (lambda a, b: a // b == 4, (1, 0))),), [divisor, 8]) is expected, divisor
    with raises(OSError, "of the function"):
        holds((("holds", 0, (_failing, ())),), [1])
    assert holds((("same", 0, 1),), [one, one]) and not holds((("same", 0, 1),), [one, other])


@test
def each_kind_of_step():
    class Thing:
        def __init__(self, value):
            self.value = value

        @property
        def broken(self):
            raise ZeroDivisionError("of the property")

    class Other(dict):
        def __getitem__(self, key):
            return 9

        def __missing__(self, key):
            return 9

        def __iter__(self):
            return iter(["other"])

        def __len__(self):
            return 5

        def __contains__(self, key):
            return key == "other"

    class Others(set):
        def __contains__(self, key):
            return key == "other"

    x = torch.zeros(3, 5)
    for kind, key, value, found in (
        ("attr", "value", Thing(7), 7),
        ("attr", "_fields", Pair(1, 2), ("a", "b")),
        ("item", "k", {"k": 7}, 7),
        ("item", "k", collections.OrderedDict(k=7), 7),
        ("item", 1, [5, 7], 7),
        ("item", 1, (5, 7), 7),
        ("item", "k", Other(k=7), 9),
        ("dict_item", "k", Other(k=7), 7),
        ("dict_item", "k", {"k": 7}, 7),
        ("size", 1, x, 5),
        ("stride", 0, x, 5),
        ("referent", None, weakref.ref(Pair), Pair),
    ):
        assert holds((("equal", 2, found),), [value], ((0, kind, key),)), (kind, key)
        assert not holds((("equal", 2, 8),), [value], ((0, kind, key),)), (kind, key)
    for test in (("length", 0, 1), ("with", 0, "k"), ("without", 0, "other")):
        assert holds((test,), [Other(k=7)]), test
    assert holds((("with", 0, "k"), ("without", 0, "other"), ("length", 0, 1)), [Others("k")])
    first = ((0, "keys", None), (2, "item", 0))
    assert holds((("equal", 3, "k"),), [Other(k=7)], first)
    keys = ((0, "keys", None), (2, "item", 1))
    assert holds((("equal", 3, "b"),), [{"a": 1, "b": 2}], keys) and not holds((("equal", 3, "b"),), [{"b": 1, "a": 2}], keys)
    assert not holds((), [{"a": 1}], keys)
    for kind, key, value in (
        ("attr", "other", Thing(7)),
        ("item", "other", {"k": 7}),
        ("item", "other", collections.OrderedDict(k=7)),
        ("item", 9, [5, 7]),
        ("dict_item", "other", Other(k=7)),
        ("dict_item", [], Other(k=7)),
        ("dict_item", 1, [5, 7]),
        ("item", 1, 7),
        ("keys", None, 7),
        ("size", 2, x),
        ("stride", 2, x),
        ("size", 0, 7),
        ("referent", None, lambda: 7),
        ("referent", None, weakref.proxy(Pair)),
    ):
        assert not holds((), [value], ((0, kind, key),)), (kind, key)
    with raises(ZeroDivisionError, "of the property"):
        holds((), [Thing(7)], ((0, "attr", "broken"),))


@test
def a_float_is_given_as_a_tensor():
    call = guarded(fresh(), TAKING, 1, steps=((0, "item", 0), (1, "tensor", None)), inputs=(2,), returned=0)
    for number in (0.1, -0.0, math.inf, 2.0**53 - 1, 1e-310):
        made, expected = call([number]), torch._as_tensor_fullprec(number) + 1
        assert made.dtype == torch.float64 and made.shape == () and torch.equal(made, expected), (number, made)
    for other in (1, True, None, "1", torch.tensor(1.0), [1.0]):
        assert call([other]) is NotImplemented, other


@test
def values_that_are_bound_and_constant():
    module, seen = fresh(), []
    call = guarded(module, MARKED, 1, bound=("b",), constants=("c",), inputs=(1,), tests=(("equal", 0, "b"), ("equal", 2, "c")),
                   returned=lambda results, frame: seen.append((results, frame)) or "made")  # fmt: skip
    x = torch.zeros(2)
    assert call(x) == "made"
    ((results, frame),) = seen
    assert results[0].tolist() == [1, 1] and frame[0] == "b" and frame[1] is x and len(frame) == 2


@test
def what_is_around_a_guarded_graph():
    module, x = fresh(), torch.zeros(2)
    call = guarded(module, MARKED, 1)
    assert call(x) is not NotImplemented

    class Functions(torch.overrides.TorchFunctionMode):
        pass

    class Dispatches(torch.utils._python_dispatch.TorchDispatchMode):
        pass

    hooks = torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t)
    for mode in (Functions(), Dispatches(), torch.inference_mode(), hooks, torch.device("cpu")):
        with mode:
            assert call(x) is NotImplemented, mode
        assert call(x) is not NotImplemented, mode
    inside = []
    torch.vmap(lambda one: inside.append(call(x)) or one)(x)
    assert inside == [NotImplemented]
    under = guarded(module, MARKED, 1, inference=True)
    assert under(x) is NotImplemented
    with torch.inference_mode():
        assert under(x) is not NotImplemented
    answers = [True, False]
    asked = guarded(module, MARKED, 1, state=lambda: answers.pop())
    assert asked(x) is NotImplemented and asked(x) is not NotImplemented


@test
def rows_that_are_wrong():
    module = fresh()
    for words, options in (
        ("there is no kind 'attribute'", {"steps": ((0, "attribute", "x"),)}),
        ("there is no kind 7", {"tests": ((7, 0, 1),)}),
        ("a step reads what is not there yet", {"steps": ((1, "attr", "x"),)}),
        ("a step reads what is not there yet", {"steps": ((-1, "attr", "x"),)}),
        ("a test is of what is not there", {"tests": (("equal", 1, 1),)}),
        ("a test is of what is not there", {"tests": (("same", 0, 1),)}),
        ("a tuple of a function and of places", {"tests": (("holds", 0, len),)}),
        ("a test is of what is not there", {"tests": (("holds", 0, (len, (1,))),)}),
        ("a tensor is not there", {"tensors": (None, (1,))}),
        ("tensors are a tuple", {"tensors": (None,)}),
        ("an input is not there", {"inputs": (1,)}),
        ("there is no result of that number", {"returned": 1}),
        ("a row must be a tuple of three", {"steps": ((0, "attr"),)}),
        ("rows must be in a tuple", {"tests": []}),
        ("name of an attribute", {"steps": ((0, "attr", 1),)}),
    ):
        with raises(ValueError, words):
            guarded(module, MARKED, 1, **options)
    for wrong in (None, (None,), (None, 1)):
        with raises(ValueError, "rows must be in a tuple" if wrong is None else "the state is a tuple"):
            module.guarded(MARKED, (), 1, (), (), (), wrong, (None, ()), (), None)
    with raises(ValueError, "there is no graph of that number"):
        guarded(module, 99, 1)
    with raises(TypeError, "takes 10 positional arguments"):
        module.guarded(0)


@test
def a_guarded_graph_keeps_nothing():
    module = fresh()
    call = guarded(module, MARKED, 2, steps=((1, "item", "k"), (2, "attr", "shape")), tests=(("length", 3, 1),), inputs=(0,))
    big = [1 << 40]
    values = torch.zeros(2), {"k": torch.zeros(3)}

    def calls():
        assert call(*values) is not NotImplemented
        assert call(values[0], {}) is NotImplemented
        assert call(values[0], {"k": big}) is NotImplemented

    assert grown(calls) == 0
    counted = [sys.getrefcount(thing) for thing in (values[0], values[1], values[1]["k"], big)]
    for _ in range(10):
        calls()
    assert counted == [sys.getrefcount(thing) for thing in (values[0], values[1], values[1]["k"], big)]


@test
def a_guarded_graph_in_a_circle_ends():
    class Thing:
        pass

    thing = Thing()
    thing.call = guarded(fresh(), MARKED, 1, bound=(thing,), inputs=(1,))
    assert thing.call(torch.zeros(1)) is not NotImplemented
    gone = weakref.ref(thing)
    del thing
    gc.collect()
    assert gone() is None


@test
def types_come_and_go():
    def kind():
        return type("Thing", (), {})

    asked = []
    call = guarded(fresh(), MARKED, 2, tests=(("type", 0, lambda kind: asked.append(1) or kind.__name__ == "Thing"),), inputs=(1,))
    x = torch.zeros(1)
    for made in (kind(), kind()):
        assert call(made(), x) is not NotImplemented and call(made(), x) is not NotImplemented
    assert len(asked) == 2 and call(1, x) is NotImplemented
    last = weakref.ref(made)
    del made
    gc.collect()
    assert last() is not None  # or another type might get its address
