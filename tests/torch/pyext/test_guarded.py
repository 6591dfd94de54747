# SPDX-License-Identifier: MIT
"""Graphs with tests before them: guarded(). Its rows are of this file; what holds is what Python says of the same values."""

import collections
import copy
import functools
import gc
import itertools
import math
import sys
import types
import weakref
from random import Random

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

    x = torch.zeros(3, 5)
    for kind, key, value, found in (
        ("attr", "value", Thing(7), 7),
        ("attr", "_fields", Pair(1, 2), ("a", "b")),
        ("item", "k", {"k": 7}, 7),
        ("item", "k", collections.OrderedDict(k=7), 7),
        ("item", 1, [5, 7], 7),
        ("item", 1, (5, 7), 7),
        ("size", 1, x, 5),
        ("stride", 0, x, 5),
        ("referent", None, weakref.ref(Pair), Pair),
    ):
        assert holds((("equal", 2, found),), [value], ((0, kind, key),)), (kind, key)
        assert not holds((("equal", 2, 8),), [value], ((0, kind, key),)), (kind, key)
    keys = ((0, "keys", None), (2, "item", 1))
    assert holds((("equal", 3, "b"),), [{"a": 1, "b": 2}], keys) and not holds((("equal", 3, "b"),), [{"b": 1, "a": 2}], keys)
    assert not holds((), [{"a": 1}], keys)
    for kind, key, value in (
        ("attr", "other", Thing(7)),
        ("item", "other", {"k": 7}),
        ("item", "other", collections.OrderedDict(k=7)),
        ("item", 9, [5, 7]),
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


class Base:
    inherited = "of the base"


class Plain(Base):
    def __init__(self):
        self.value = "of the object"


class Asked(Plain):
    def __getattr__(self, name):
        if name != "value":
            raise AttributeError(name)
        return "of __getattr__"


class Intercepted(Plain):
    def __getattribute__(self, name):
        return object.__getattribute__(self, name) if name != "value" else "of __getattribute__"


class Described(Plain):
    value = property(lambda self: self.__dict__.get("kept", "of the property"), lambda self, new: None)


class Guessed(Plain):
    __dict__ = property(lambda self: {"value": id(self)})


def _module():
    made = types.ModuleType("made")
    made.value = "of the module"
    return made


def _slotted():
    made = type("Slotted", (), {"__slots__": ("value",)})()
    made.value = "in a slot"
    return made


def _instance(base):
    """Of a class of its own, which a test can change."""
    return type("Own", (base,), {})()


class _Yields:
    def __get__(self, instance, owner):
        return "of what yields"


class _Insists(_Yields):
    def __set__(self, instance, value):
        pass


def _becomes_data(thing):
    yields = type("Later", (_Yields,), {})
    type(thing).value = yields()
    yield
    yields.__set__ = _Insists.__set__


def _replaced(thing):
    thing.__dict__ = {"value": "of another dict"}


def _cut_short(thing):
    thing.__dict__ = {}


# Each changes what is read, or may: the value of an object, under the name `value`.
CHANGES = [
    lambda thing: setattr(thing, "value", "another"),
    lambda thing: setattr(thing, "other", 1),
    lambda thing: delattr(thing, "value"),
    lambda thing: vars(thing).update(value="updated"),
    lambda thing: vars(thing).pop("value"),
    lambda thing: vars(thing).popitem(),
    lambda thing: vars(thing).clear(),
    lambda thing: vars(thing).setdefault("value", "by default"),
    lambda thing: vars(thing).__ior__({"value": "joined"}),
    lambda thing: exec("value = 'executed'", vars(thing)),
    lambda thing: exec("global value; value = 'global'", vars(thing)),
    lambda thing: [setattr(thing, f"n{i}", i) for i in range(40)],  # so that its dict grows
    lambda thing: [(setattr(thing, "value", i), setattr(thing, "value", "back")) for i in range(3)],
    _replaced,
    _cut_short,
    lambda thing: setattr(type(thing), "value", "of the class"),
    lambda thing: setattr(type(thing), "value", _Yields()),
    lambda thing: setattr(type(thing), "value", _Insists()),
    _becomes_data,
    lambda thing: setattr(Base, "value", _Insists()),
    lambda thing: setattr(type(thing), "__getattr__", lambda self, name: "asked last"),
    lambda thing: setattr(type(thing), "__getattribute__", lambda self, name: "asked first"),
    lambda thing: setattr(thing, "__class__", _instance(Described).__class__),
    lambda thing: setattr(thing, "__class__", _instance(Intercepted).__class__),
    lambda thing: setattr(type(thing), "__bases__", (Described,)),
    lambda thing: setattr(thing, "__dict__", collections.OrderedDict(value="ordered")),
]
MAKERS = [_module, _slotted, *(functools.partial(_instance, base) for base in (Plain, Asked, Intercepted, Described, Guessed, Base))]


def _answer(read):
    try:
        return read()
    except (AttributeError, KeyError, TypeError):
        return NotImplemented


# So many rows that hold for ever that calls keep what they found.
ENOUGH = {f"k{i}": i for i in range(20)}


def _read_by(steps, *bound):
    """A function of a thing: the last step's value, or NotImplemented, through one object that is called again and again. A thing
    that is bound is the same at each call."""
    module, seen = fresh(), []
    tests = [*(("with", 2, key) for key in ENOUGH), ("holds", 2 + len(steps), (lambda value: seen.append(value) or True, (2 + len(steps),)))]
    call = guarded(module, MARKED, 2 - len(bound), bound=bound, constants=(ENOUGH,), steps=steps, tests=tuple(tests), inputs=(1,))
    x = torch.zeros(2)
    return lambda thing: seen.pop() if call(*([] if bound else [thing]), x) is not NotImplemented else NotImplemented


READS = {  # values 0 and 1 are the thing and a tensor, 2 is constant
    "attribute": (((0, "attr", "value"),), lambda thing: thing.value),
    "in __dict__": (((0, "attr", "__dict__"), (3, "item", "value")), lambda thing: thing.__dict__["value"]),
    "class": (((0, "attr", "__class__"),), lambda thing: thing.__class__),
    "inherited": (((0, "attr", "inherited"),), lambda thing: thing.inherited),
}


def _changed(change, thing):
    """Yields after each step of the change that Python allows."""
    try:
        steps = change(thing)
        if isinstance(steps, types.GeneratorType):
            for _ in steps:
                yield
    except (AttributeError, TypeError, KeyError):
        pass
    yield


@test
def what_is_read_is_what_is_there_now():
    for make, change, (kind, (steps, python)) in itertools.product(MAKERS, CHANGES, READS.items()):
        if kind == "class" and change is CHANGES[21]:
            continue
        read, thing = _read_by(steps), make()
        read_bound = _read_by(steps, thing)
        for known in (thing, make(), thing, thing):  # what is remembered is of one of several
            assert read(known) == _answer(lambda: python(known)), (kind, known)
            assert read_bound(thing) == _answer(lambda: python(thing)), (kind, thing)
        try:
            for _ in _changed(change, thing):
                for one in (read, read_bound, read_bound, read):
                    assert one(thing) == _answer(lambda: python(thing)), (kind, thing, CHANGES.index(change), one is read_bound)
        finally:
            vars(Base).get("value") and delattr(Base, "value")


DICT_CHANGES = [
    lambda one: one.update(a=[5]),
    lambda one: one.__setitem__("a", []),
    lambda one: one.__delitem__("a"),
    lambda one: one.pop("a"),
    lambda one: one.popitem(),
    lambda one: one.clear(),
    lambda one: one.setdefault("a", "default"),
    lambda one: one.__ior__({"a": [5]}),
    lambda one: one.__setitem__("b", 1),
    lambda one: one["a"].append(1),
    lambda one: (one.clear(), one.update(a=[6])),
    lambda one: one.update({f"n{i}": i for i in range(100)}),
]


@test
def dicts_are_tested_as_they_are_now():
    for kind, operand, python in (
        ("with", "a", lambda one: "a" in one),
        ("without", "a", lambda one: "a" not in one),
        ("with", "b", lambda one: "b" in one),
        ("without", 0.5, lambda one: 0.5 not in one),
        ("empty", ("a",), lambda one: "a" in one and len(one["a"]) == 0),
        ("empty", ("a", "c"), lambda one: "a" in one and "c" in one and len(one["a"]) == 0 == len(one["c"])),
    ):
        for make, start, change in itertools.product((dict, collections.OrderedDict), ({"a": [], "c": {}}, {}, {"c": "", "a": [1]}), DICT_CHANGES):
            one, other = make(copy.deepcopy(start)), make(copy.deepcopy(start))
            x = torch.zeros(2)
            tests = ((kind, 0, operand), *(("with", 2, key) for key in ENOUGH))
            call = guarded(fresh(), MARKED, 2, constants=(ENOUGH,), tests=tests, inputs=(1,))
            bound = guarded(fresh(), MARKED, 1, bound=(one,), constants=(ENOUGH,), tests=tests, inputs=(1,))
            for known in (one, other, one, one):
                assert (call(known, x) is not NotImplemented) is python(known), (kind, operand, known)
                assert (bound(x) is not NotImplemented) is python(one), (kind, operand, one)
            list(_changed(change, one))
            for _ in range(2):
                assert (call(one, x) is not NotImplemented) is python(one), (kind, operand, one, DICT_CHANGES.index(change))
                assert (bound(x) is not NotImplemented) is python(one), (kind, operand, one, DICT_CHANGES.index(change))


class Node:
    """Of a tree that is read as a module is: by attributes, and through __dict__."""

    def __init__(self, depth):
        self.children = {name: Node(depth - 1) for name in "ab"} if depth > 0 else {}
        self.number, self.hooks, self.pair, self.leaf = depth, {}, (depth, "pair"), Leaf()


class Other(Node):
    pass


class Leaf:
    """Only its class is looked at."""


class OtherLeaf(Leaf):
    pass


def _all_nodes(node):
    return [node, *(inner for child in vars(node).get("children", {}).values() for inner in _all_nodes(child))]


TREE_CHANGES = [
    lambda node, random: setattr(node, "number", random.randrange(3)),
    lambda node, random: setattr(node, "pair", (random.randrange(2), "pair")),
    lambda node, random: node.children.update(a=Node(len(node.children))),
    lambda node, random: node.children.pop("b", None),
    lambda node, random: node.children.update({"b": node.children.pop("b", Node(0))}),
    lambda node, random: setattr(node, "children", dict(node.children)),
    lambda node, random: setattr(node, "__dict__", dict(vars(node))),
    lambda node, random: setattr(node, "__class__", random.choice([Node, Other])),
    lambda node, random: setattr(node.leaf, "__class__", random.choice([Leaf, OtherLeaf])),
    lambda node, random: node.hooks.update(one=1),
    lambda node, random: node.hooks.clear(),
    lambda node, random: setattr(node, "hooks", {}),
    lambda node, random: vars(node).pop("number", None),
    lambda node, random: setattr(node, "calls", random.random()),  # nothing reads it
    lambda node, random: setattr(random.choice([Node, Other]), "number", 7),
    lambda node, random: [delattr(one, "number") for one in (Node, Other) if "number" in vars(one)],
]


class _Rows:
    """The rows that read a tree of some depth, with what Python says of the same places."""

    def __init__(self, depth):
        self.steps, self.tests, self._checks = [], [], []
        self._node(0, lambda tree: tree, depth)

    def _step(self, place, kind, key):
        self.steps.append((place, kind, key))
        return 1 + len(self.steps)  # the tree, a tensor, the steps

    def _test(self, kind, place, operand, check):
        self.tests.append((kind, place, operand))
        self._checks.append(check)

    def _node(self, place, read, depth):
        inside = self._step(place, "attr", "__dict__")
        self._test("type", place, lambda kind: kind is Node, lambda tree: type(read(tree)) is Node)
        self._test("empty", inside, ("hooks",), lambda tree: read(tree).__dict__["hooks"] == {})
        leaf = self._step(inside, "item", "leaf")
        self._test("type", leaf, lambda kind: kind is Leaf, lambda tree: type(read(tree).__dict__["leaf"]) is Leaf)
        self._test("without", inside, "forward", lambda tree: "forward" not in read(tree).__dict__)
        self._test("equal", self._step(place, "attr", "number"), depth, lambda tree: read(tree).number == depth)
        pair = self._step(place, "attr", "pair")
        self._test("equal", self._step(pair, "item", 0), depth, lambda tree: read(tree).pair[0] == depth)
        children = self._step(inside, "item", "children")
        self._test("length", children, 2 if depth else 0, lambda tree: len(read(tree).__dict__["children"]) == (2 if depth else 0))
        for name in "ab" if depth else "":
            child = self._step(children, "item", name)
            self._node(child, lambda tree, name=name: read(tree).__dict__["children"][name], depth - 1)

    def expected(self, tree):
        try:
            return all(check(tree) for check in self._checks)
        except (AttributeError, KeyError):
            return False


@test
def a_tree_that_changes_is_tested_as_it_is_now():
    rows, x, module, outcomes = _Rows(2), torch.zeros(2), fresh(), collections.Counter()
    for seed in range(400):
        random, tree = Random(seed), Node(2)
        call = guarded(module, MARKED, 1, bound=(tree,), steps=tuple(rows.steps), tests=tuple(rows.tests), inputs=(1,))
        try:
            for _ in range(6):
                for _ in range(random.randrange(4)):  # with what is kept, if that holds
                    if seed % 4 == 0:
                        tree.calls = random.random()  # what is watched changes between all calls
                    expected = rows.expected(tree)
                    assert (call(x) is not NotImplemented) is expected, seed
                    outcomes[expected] += 1
                random.choice(TREE_CHANGES)(random.choice(_all_nodes(tree)), random)
        finally:
            TREE_CHANGES[-1](tree, random)
    assert min(outcomes.values()) > 500, outcomes


@test
def what_is_kept_is_compared_with_what_is_given():
    inner, x = Leaf(), torch.zeros(2)
    steps, tests = ((0, "item", "inner"),), (("same", 4, 1), *(("with", 3, key) for key in ENOUGH))
    call = guarded(fresh(), MARKED, 2, bound=({"inner": inner},), constants=(ENOUGH,), steps=steps, tests=tests, inputs=(2,))
    for given in (inner, inner, Leaf(), inner, None):
        assert (call(given, x) is not NotImplemented) is (given is inner)
    listed = [1]  # the same object, and not equal for ever
    call = guarded(fresh(), MARKED, 1, bound=({"inner": listed},), constants=(ENOUGH,), steps=((0, "item", "inner"),),
                   tests=(("equal", 3, [1]), *(("with", 2, key) for key in ENOUGH)), inputs=(1,))  # fmt: skip
    assert call(x) is not NotImplemented and call(x) is not NotImplemented
    listed.append(2)
    assert call(x) is NotImplemented


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
    under = guarded(module, MARKED, 1, inference=True)
    assert under(x) is NotImplemented
    with torch.inference_mode():
        assert under(x) is not NotImplemented
    answers = [True, False]
    asked = guarded(module, MARKED, 1, state=lambda: answers.pop())
    assert asked(x) is NotImplemented and asked(x) is not NotImplemented


@test
def tensors_are_tested_together_and_the_test_is_made_once():
    module, made, given = fresh(), [], []

    def make():
        made.append(1)
        return lambda *tensors: given.append(tensors) or len(given) == 1

    call = guarded(module, MARKED, 2, tensors=(make, (1, 0)), inputs=(0,))
    x, y = torch.zeros(2), torch.ones(2)
    assert made == [] and call(x, y) is not NotImplemented and call(x, y) is NotImplemented
    assert made == [1] and given[0][0] is y and given[0][1] is x


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
