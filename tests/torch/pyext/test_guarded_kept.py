# SPDX-License-Identifier: MIT
"""What guarded() keeps of a call for the next one: it never shows. What is read and tested is what Python says of the same places now."""

import collections
import copy
import functools
import itertools
import subprocess
import sys
import types
import weakref
from random import Random

from scenario import HERE, fresh, library, test
from test_guarded import MARKED, guarded

import torch


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


class Setting(Plain):
    def __setattr__(self, name, value):  # as modules have one
        object.__setattr__(self, name, value)


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


def _asked_first(thing):
    type(thing).__getattribute__ = lambda self, name: "asked first"


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
    _asked_first,
    lambda thing: setattr(thing, "__class__", _instance(Described).__class__),
    lambda thing: setattr(thing, "__class__", _instance(Intercepted).__class__),
    lambda thing: setattr(type(thing), "__bases__", (Described,)),
    lambda thing: setattr(thing, "__dict__", collections.OrderedDict(value="ordered")),
]
MAKERS = [_module, _slotted, *(functools.partial(_instance, base) for base in (Plain, Setting, Asked, Intercepted, Described, Guessed, Base))]


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
        if kind == "class" and change is _asked_first:
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
def what_a_call_finds_while_an_object_dies():
    """In a process of its own, since a wrong one ends it."""
    found = subprocess.run([sys.executable, HERE / "dying.py", library()], capture_output=True, text=True)
    assert found.returncode == 0 and found.stdout.endswith("all survived\n"), (found.returncode, found.stdout, found.stderr[-2000:])


@test
def a_module_may_get_another_class():
    x, module = torch.zeros(2), types.ModuleType("m")
    tests = (("type", 0, lambda kind: kind is types.ModuleType), *(("with", 2, key) for key in ENOUGH))
    call = guarded(fresh(), MARKED, 1, bound=(module,), constants=(ENOUGH,), tests=tests, inputs=(1,))
    assert call(x) is not NotImplemented and call(x) is not NotImplemented
    module.__class__ = type("Sub", (types.ModuleType,), {})
    assert call(x) is NotImplemented


class Key:
    """Has the hash of "k0", and is compared with it in Python."""

    fails_at = compared = 0

    def __hash__(self):
        return hash("k0")

    def __eq__(self, other):
        Key.compared += 1
        if Key.compared == Key.fails_at:
            raise KeyError("again")
        return False


def _with_a_key():
    Key.fails_at = 0
    kept = {Key(): 1} | ENOUGH
    Key.compared = 0
    tests = (*(("with", 0, key) for key in ENOUGH), ("without", 0, "zz"))
    return guarded(fresh(), MARKED, 1, bound=(kept,), steps=((0, "item", "k0"),), tests=tests, inputs=(1,))


@test
def a_key_that_cannot_be_compared():
    x, refused = torch.zeros(2), 0
    for fails_at in range(1, 9):
        call = _with_a_key()
        Key.fails_at = fails_at
        outcomes = [call(x) is not NotImplemented for _ in range(4)]
        refused += outcomes.count(False)
        assert outcomes.count(False) <= 1, (fails_at, outcomes)
    assert refused > 0


@test
def something_is_kept():
    x, call, counts = torch.zeros(2), _with_a_key(), []
    for _ in range(4):
        assert call(x) is not NotImplemented
        counts.append(Key.compared)
    assert counts[0] > 0 and (counts[1] == counts[2] == counts[3] or sys.version_info >= (3, 13)), counts


def _ways():
    plain, setting, table, names, pair, cell = Leaf(), _instance(Setting), {}, types.ModuleType("m"), Leaf(), types.CellType()
    listed = {"v": [None, None]}
    yield plain, ((0, "attr", "v"),), lambda value: setattr(plain, "v", value)
    yield setting, ((0, "attr", "v"),), lambda value: setattr(setting, "v", value)
    yield setting, ((0, "attr", "__dict__"), (3, "item", "v")), lambda value: setattr(setting, "v", value)
    yield listed, ((0, "item", "v"), (3, "item", 1)), lambda value: listed["v"].__setitem__(1, value)
    yield table, ((0, "item", "v"),), lambda value: table.update(v=value)
    yield names, ((0, "attr", "v"),), lambda value: exec("v = value", vars(names), {"value": value}) or setattr(names, "v", value)
    yield pair, ((0, "attr", "v"), (3, "item", 1)), lambda value: setattr(pair, "v", (None, value))
    yield cell, ((0, "attr", "cell_contents"),), lambda value: setattr(cell, "cell_contents", value)


@test
def a_new_value_at_the_address_of_an_old_one():
    """Each is made anew, so that it gets the memory of the last but one."""
    x, module, texts = torch.zeros(2), fresh(), ("1000", "2000", "3000", "4000", "1000")
    for counts, make in itertools.product((False, True), (float, int, "-".join)):
        for thing, steps, put in _ways():
            last = 2 + len(steps)
            tests = (("equal", last, make(texts[0])), *(("with", 2, key) for key in ENOUGH))
            call = guarded(module, MARKED, 1, bound=(thing,), constants=(ENOUGH,), steps=steps, tests=tests, inputs=(1,))
            for text in (*texts[:1] * 4, *texts * 5):
                put(make(text))
                if counts and hasattr(thing, "__dict__"):
                    thing.count = getattr(thing, "count", 0) + 1  # its dict changes with each call
                assert (call(x) is not NotImplemented) is (text == "1000"), (steps, text)
                if text == "1000":
                    assert call(x) is not NotImplemented


@test
def a_tensor_that_is_replaced_ends():
    x, held = torch.zeros(2), {"v": torch.ones(2)}
    tests = (("not_none", 3, None), *(("with", 2, key) for key in ENOUGH))
    call = guarded(fresh(), MARKED, 1, bound=(held,), constants=(ENOUGH,), steps=((0, "item", "v"),), tests=tests, inputs=(1,))
    for _ in range(3):
        assert call(x) is not NotImplemented
    ended = weakref.ref(held["v"])
    held["v"] = 1
    assert ended() is None and call(x) is not NotImplemented


@test
def a_value_in_a_dict_that_changes_with_each_call():
    """So its version says nothing, and its keys are looked at one by one."""
    x, module = torch.zeros(2), fresh()
    for thing, count in ((_instance(Setting), lambda thing: setattr(thing, "count", thing.count + 1)),
                         (_instance(Plain), lambda thing: exec("count += 1", vars(thing)))):  # fmt: skip
        thing.count, thing.inner = 0, _instance(Setting)
        thing.inner.value = 1000
        steps = ((0, "attr", "inner"), (3, "attr", "value"))
        tests = (("equal", 4, 1000), *(("with", 2, key) for key in ENOUGH))
        call = guarded(module, MARKED, 1, bound=(thing,), constants=(ENOUGH,), steps=steps, tests=tests, inputs=(1,))
        for _ in range(3):
            for _ in range(100):
                count(thing)
                assert call(x) is not NotImplemented
            kept = thing.inner
            count(thing)
            thing.inner = _instance(Setting)
            thing.inner.value = 2000
            assert call(x) is NotImplemented and call(x) is NotImplemented
            thing.inner = kept


@test
def what_is_in_a_cell_and_what_is_given_again():
    """A variable of a closure is kept; an argument is not."""
    x, module = torch.zeros(2), fresh()
    ways = {"cell": ((0, "attr", "cell_contents"), (4, "attr", "number")), "given": ((1, "attr", "__dict__"), (4, "item", "number"))}
    tests = (("equal", 5, 1), *(("with", 3, key) for key in ENOUGH))
    outcomes = collections.Counter()
    for seed, (way, steps) in itertools.product(range(100), ways.items()):
        random, things = Random(seed), [Node(0) for _ in range(3)]
        cell = types.CellType(things[0])
        for thing in things:
            thing.number = 1
        given = things[0]
        call = guarded(module, MARKED, 2, bound=(cell,), constants=(ENOUGH,), steps=steps, tests=tests, inputs=(2,))
        for _ in range(12):
            change = random.randrange(8)
            if change == 0:
                random.choice(things).number = random.choice([1, 2])
            elif change == 1:
                cell.cell_contents = random.choice(things)
            elif change == 2:
                given = random.choice(things)
            expected = (cell.cell_contents if way == "cell" else given).number == 1
            assert (call(given, x) is not NotImplemented) is expected, (seed, way)
            outcomes[expected] += 1
    assert min(outcomes.values()) > 100, outcomes
