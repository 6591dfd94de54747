# SPDX-License-Identifier: MIT
"""Tests of a call: the guards of one graph (ahead/guards.py), and what no guard of Dynamo's says because Dynamo itself would
not run: modes under which a compiled graph does something else than the program.

The global state is tested by PyTorch's own C++, that which Dynamo's guards use. It also says what is wrong with tensors.
"""

import ast
import functools
import json
import operator
import sys
from collections.abc import Callable
from typing import NamedTuple

import torch
import torch.utils._device
from torch._C._dynamo.guards import GlobalStateGuard, TensorGuards, dict_version

from ..errors import DirectoryError
from . import subclasses
from .code_text import class_text, code_text, name_of, node_text
from .data import COMPARED, Same, is_same
from .frames import Absent, reader, text_of
from .kept import value_of

_hooks = torch._C._autograd._top_saved_tensors_default_hooks
_function_modes = torch._C._len_torch_function_stack
_dispatch_modes = torch._C._len_torch_dispatch_stack
_transformation = torch._C._functorch.peek_interpreter_stack
_inference_mode = torch.is_inference_mode_enabled
_device = torch.utils._device


class Surroundings:
    """What is around a call. All but the state that `check` tests guarded() knows by itself."""

    def __init__(self, tests):
        ((state, self.inference),) = [(test["state"], test["inference"]) for test in tests if test["test"] == "global_state"]
        self._guard = GlobalStateGuard()
        if _form(json.loads(state)) != _form(json.loads(self._guard.__getstate__())):
            raise ValueError("a global state of another form")  # PyTorch would end the process
        self._guard.__setstate__(state)
        self.check = self._guard.check
        self.state = (self.check, self.inference)

    def why_not(self):
        """Text, or None if they hold."""
        modes = [
            (_function_modes(), "a torch function mode is on"),
            (_dispatch_modes(), "a torch dispatch mode is on"),
            (_transformation() is not None, "the call is inside of a transformation of torch.func"),
            (_inference_mode() != self.inference, f"inference mode is {'off' if self.inference else 'on'}, which it was not when it was built"),
            (_hooks(True) is not None, "there are hooks for saved tensors"),
            (_device.CURRENT_DEVICE is not None, f"the default device is {_device.CURRENT_DEVICE}"),
        ]
        for wrong, text in modes:
            if wrong:
                return text
        return None if self.check() else f"{', '.join(self._guard.reason().split())} differs from when it was built"


def _form(value):
    """The keys and the types of what JSON says."""
    if isinstance(value, list):
        return [_form(inner) for inner in value]
    return {key: _form(inner) for key, inner in value.items()} if isinstance(value, dict) else type(value)


class Tensors:
    """All tensors that Dynamo tested. Rows are made when a call is made under the right global state, since they contain that state."""

    def __init__(self, tests):
        self.paths = [test["of"] for test in tests]
        self._tests = tests
        self._texts = [text_of(path) for path in self.paths]

        self._guards = None

    def rows(self):
        """What guarded() takes of tensors. What says what is wrong is made with it, since both contain the state."""
        rows = tuple((_example(test), test["size"], test["stride"]) for test in self._tests)
        examples, sizes, strides = zip(*rows) if rows else ((), (), ())
        self._guards = TensorGuards(*examples, dynamic_dims_sizes=list(sizes), dynamic_dims_strides=list(strides))
        return rows

    def why_not(self, tensors):
        for test, text, tensor in zip(self._tests, self._texts, tensors):
            if isinstance(tensor, torch.Tensor) and tensor.is_inference() != test["inference"]:
                one, other = ("not an", "was") if test["inference"] else ("an", "was not")
                return f"'{text}' is {one} inference tensor, and the one it was built with {other}"
        if self._guards is None:
            self.rows()
        said = self._guards.check_verbose(*tensors, tensor_check_names=self._texts)
        return None if said is True or not said else str(said)


_COMPARISONS = {"<": operator.lt, "<=": operator.le, "!=": operator.ne, ">": operator.gt, ">=": operator.ge}  # of floats


def rows_of(tests, places):
    """The tests of values as rows of guarded(), (kind, place, operand); none of what is in a module that is not loaded."""
    over = [test for test in tests if test["test"] == "over_extents"]
    rows = [_over_all(over, places)] if over else []
    for test in tests:
        if test["test"] == "over_extents":
            continue
        at = places.add(test["of"])
        kind, operand = _KINDS[test["test"]].row(test, places)
        if at is not None and (kind != "same" or operand is not None):
            rows.append((kind, at, operand))
    return tuple(rows)


def _over_all(tests, places):
    """One row for all that is tested of sizes, so that Python is called once."""
    holds, reads = _condition(tests)
    at = tuple(map(places.add, reads))
    return "holds", at[0], (holds, at)


def _has(test):
    key, there = test["key"], test["there"]
    return lambda value: hasattr(value, key) is there


_LARGEST = {"min": min, "max": max}
OPERATIONS = (ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv,
              ast.Mod, ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)  # fmt: skip


def _is_arithmetic(node, names):
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in _LARGEST and not node.keywords
    if isinstance(node, ast.Name):
        return node.id in names or node.id in _LARGEST
    return isinstance(node, (*OPERATIONS, ast.Load)) or isinstance(node, ast.Constant) and type(node.value) is int


def _condition(tests):
    """(a function that says whether all of the tests hold, the paths of its arguments)"""
    reads = []
    for test in tests:
        reads += [path for path in test["reads"] if path not in reads]
    names = [f"n{i}" for i in range(len(reads))]
    texts = [test["holds"].format(*(names[reads.index(path)] for path in test["reads"])) for test in tests]
    for text in texts:  # read from a file, which is not to be code
        if not all(_is_arithmetic(node, names) for node in ast.walk(ast.parse(text, mode="eval"))):
            raise DirectoryError(f"a test is more than arithmetic: {text}. Build it again")
    whole = f"lambda {', '.join(names)}: {' and '.join(f'({text})' for text in texts)}"
    return eval(whole, {"__builtins__": {}, **_LARGEST}), reads  # noqa: S307


def _example(test):
    size = [2 if number is None else number for number in test["size"]]
    with torch.inference_mode(test["inference"]):
        made = torch.empty_strided(size, [1 if number is None else number for number in test["stride"]], dtype=getattr(torch, test["dtype"]))
        if test["parameter"]:
            return torch.nn.Parameter(made, requires_grad=test["requires_grad"])
        return made.requires_grad_(test["requires_grad"])


_HOOKS = {whose: tuple(f"{prefix}{kind}_hooks" for kind in ("forward", "forward_pre", "backward", "backward_pre"))
          for whose, prefix in (("its", "_"), ("all", "_global_"))}  # fmt: skip


def hooks_of(module):
    """The name of hooks that a module has, or, for None, that all modules have; None if there are none."""
    whose, holder = ("all", torch.nn.modules.module) if module is None else ("its", module)
    return next((name for name in _HOOKS[whose] if vars(holder).get(name)), None)


def without_hooks(root, steps):
    """Tests that hooks which a graph does not have would not run: for Dynamo, modules have those that they had when it traced them."""
    return [{"test": "no_module_hooks", "of": [root, [*steps, ["attr", "__dict__"]]], "whose": "its"},
            {"test": "no_module_hooks", "of": [{"module": "torch.nn.modules.module"}, [["attr", "__dict__"]]], "whose": "all"}]  # fmt: skip


def value_test(test, names):
    """(frame -> bool, frame -> text that says what differs) of a test of one value."""
    read = reader(test["of"], names)
    if test["test"] == "over_extents":
        return _over_extents(test, names)
    hold, words = _KINDS[test["test"]].said(test, names)
    place = text_of(_without_dict(test["of"]))

    def say(frame):
        found = read(frame)
        return f"{place} {words(found)}" if callable(words) else f"{place} is {_shown(found)}, not {words}"

    def loaded(frame):
        try:
            return hold(read(frame), frame)
        except Absent:
            return True

    return loaded, say


def _without_dict(path):
    """What a program writes for what is in the __dict__ of an object."""
    root, steps = path
    return [root, steps[:-1] if steps and list(steps[-1]) == ["attr", "__dict__"] else steps]


def _over_extents(test, names):
    holds, paths = _condition([test])
    reads = [reader(path, names) for path in paths]
    texts = list(map(text_of, paths))
    said = f"{test['holds'].format(*texts)} does not hold"

    def hold(frame):
        try:
            return holds(*[read(frame) for read in reads])
        except ZeroDivisionError:
            return False

    return hold, lambda frame: f"{said}: {', '.join(f'{text} is {read(frame)}' for text, read in zip(texts, reads))}"


def _shown(value):
    text = repr(value) if type(value) in (*COMPARED, complex) else f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."


def _equals_match(test, _):
    value = value_of(test["value"])
    return (lambda found, _: is_same(found, value)), repr(value)


def _row_of_equal(test, places):
    """C takes a 1 within a tuple for True, and 0.0 for -0.0."""
    value = value_of(test["value"])
    if type(value) in COMPARED:
        return "equal", value
    return "holds", (lambda found: is_same(found, value), (places.add(test["of"]),))


def _type_match(test, _):
    def words(found):
        is_named = name_of(type(found)) == test["type"]
        return f"is of another class {test['type']} than the one that was built" if is_named else f"is {_shown(found)}, not of type {test['type']}"

    return (lambda found, _: _is_type(test, type(found))), words


def _is_type(test, kind):
    return name_of(kind) == test["type"] and class_text(kind) == test.get("code")


def _same_object(test, names):
    other = reader(test["other"], names)
    return (lambda found, frame: found is other(frame)), f"the same object as {text_of(test['other'])}"


class _SameCode:
    """Tests a function, class or module against the words for the one that Dynamo saw. One that was tested is the same at the next call."""

    def __init__(self, text):
        self._text, self._known = text, None

    def __call__(self, value):
        if value is not self._known:
            if code_text(value) != self._text:
                return False
            self._known = value
        return True


def _same_code(test, _):
    same = _SameCode(test["code"])
    return (lambda found, _: same(found)), "the one that was built"


def _same_data(test, _):
    same = Same(test["attributes"])
    return (lambda found, _: same(found)), same.why_not


def _compared(test, _):
    holds, value = _COMPARISONS[test["by"]], value_of(test["value"])
    return (lambda found, _: type(found) is float and holds(found, value)), f"{test['by']} {value!r}"


class _Kind(NamedTuple):
    """What a kind of tests is, in the two ways that it is done."""

    row: Callable  # (test, places) -> (kind, operand) of guarded()
    said: Callable  # (test, names) -> (value, frame -> bool; words: what the value should be, or value -> what is wrong with it)


def nodes_of(registered):
    """[module, name] of each class that pytree takes apart. Of PyTorch's own it adds some where Dynamo is loaded: only tensors matter there."""
    own = [kind for kind in registered if kind.__module__.partition(".")[0] == "torch" and not issubclass(kind, torch.Tensor)]
    return sorted([kind.__module__, kind.__qualname__] for kind in registered if kind not in own)


class _SameNodes:
    """Tests the classes that pytree takes apart: which they are, when their dict has changed; of those that were met how, each time."""

    def __init__(self, test):
        self._classes, self._met = test["classes"], test["met"]
        self._version = None
        self._new, self._gone = [], []

    def __call__(self, registered):
        return self.why_not(registered) is None

    def why_not(self, registered):
        """What differs, in words, or None. A class that is gone counts only if its module is loaded: otherwise the program has no
        objects of it."""
        version = dict_version(registered)
        if version != self._version:
            now = nodes_of(registered)
            self._new, self._gone, self._version = _without(now, self._classes), _without(self._classes, now), version
        if self._new:
            return f"has {_listed(self._new)}, which it did not have in the build"
        lost = [one for one in self._gone if one[0] in sys.modules]
        if lost:
            return f"lacks {_listed(lost)}, which it had in the build"
        nodes = {(kind.__module__, kind.__qualname__): node for kind, node in registered.items()} if self._met else {}
        others = [one for *one, text in self._met if one[0] in sys.modules and _node_text(nodes.get(tuple(one))) != text]
        return f"takes {_listed(others)} apart in another way than in the build" if others else None


def _without(names, others):
    """Two classes may have one name."""
    left = list(others)
    return [one for one in names if one not in left or left.remove(one)]


def _listed(names):
    return ", ".join(map(".".join, names))


def _node_text(node):
    try:
        return None if node is None else node_text(node)
    except ValueError:
        return None


def _same_nodes(test, _):
    same = _SameNodes(test)
    return (lambda found, _: same(found)), same.why_not


_KINDS = {
    "equals_match": _Kind(_row_of_equal, _equals_match),
    "type_match": _Kind(lambda test, _: ("type", functools.partial(_is_type, test)), _type_match),
    "same_object": _Kind(lambda test, places: ("same", places.add(test["other"])), _same_object),
    "not_none": _Kind(lambda *_: ("not_none", None), lambda *_: ((lambda found, _: found is not None), "something")),
    "not_nan": _Kind(
        lambda *_: ("not_nan", None),
        lambda *_: ((lambda found, _: type(found) is float and found == found), "a number"),
    ),
    "same_code": _Kind(lambda test, places: ("holds", (_SameCode(test["code"]), (places.add(test["of"]),))), _same_code),
    "same_data": _Kind(lambda test, places: ("holds", (Same(test["attributes"]), (places.add(test["of"]),))), _same_data),
    "compared": _Kind(lambda test, _: (_COMPARISONS[test["by"]].__name__, value_of(test["value"])), _compared),
    "no_module_hooks": _Kind(
        lambda test, _: ("empty", tuple(_HOOKS[test["whose"]])),
        lambda test, _: (
            (lambda found, _: not any(found[name] for name in _HOOKS[test["whose"]])),
            (lambda found: f"has {next(name for name in _HOOKS[test['whose']] if found[name])}, which would not run"),
        ),
    ),
    "length_check": _Kind(
        lambda test, _: ("length", test["length"]),
        lambda test, _: ((lambda found, _: _length(found) == test["length"]), (lambda found: f"has length {_length(found)}, not {test['length']}")),
    ),
    "hasattr": _Kind(
        lambda test, places: ("holds", (_has(test), (places.add(test["of"]),))),
        lambda test, _: ((lambda found, _: _has(test)(found)), lambda _: f"{_now(test)} the attribute {test['key']!r}, which it {_then(test)}"),
    ),
    "subclass_match": _Kind(lambda test, places: ("holds", (subclasses.Match(test), (places.add(test["of"]),))), subclasses.said(subclasses.Match)),
    "flattens_to": _Kind(lambda test, places: ("holds", (subclasses.Flattens(test), (places.add(test["of"]),))), subclasses.said(subclasses.Flattens)),
    "pytree_nodes": _Kind(lambda test, places: ("holds", (_SameNodes(test), (places.add(test["of"]),))), _same_nodes),
    "dict_contains": _Kind(
        lambda test, _: ("with" if test["there"] else "without", test["key"]),
        lambda test, _: ((lambda found, _: _has_key(found, test["key"]) is test["there"]), lambda _: f"{_now(test)} {test['key']!r}, which it {_then(test)}"),
    ),
}


def _length(value):
    """Of a dict what it has, whatever its class says."""
    return dict.__len__(value) if isinstance(value, dict) else len(value)


def _has_key(value, key):
    kind = next((kind for kind in (dict, set, frozenset) if isinstance(value, kind)), type(value))
    return kind.__contains__(value, key)


def _now(test):
    return "lacks" if test["there"] else "has"


def _then(test):
    return "had in the build" if test["there"] else "did not have in the build"
