# SPDX-License-Identifier: MIT
"""What loading/code.py takes for the code that was built: a module is written, described, and written again with one line changed."""

import contextlib
import enum
import functools
import importlib
import importlib.util
import sys
import tempfile
import types
from pathlib import Path
from unittest.mock import patch

import refusals
import torch
from wrapgen_torch import Call, CaptureError, DirectoryError, build, load
from wrapgen_torch.ahead.guards import Guards
from wrapgen_torch.ahead.keeping import signature_of
from wrapgen_torch.ahead.subclass_guards import context_entry
from wrapgen_torch.loading.kept import value_of
from wrapgen_torch.loading.code_text import class_text, code_text, method_text
from wrapgen_torch.loading.modes import context_of, undecorated
from wrapgen_torch.loading.tests import _condition as condition
from wrapgen_torch.loading.tests import value_test
from wrapgen_torch.loading import code

_MODULE = '''import functools
import math
import torch

def decorated(function):
    @functools.wraps(function)
    def run(*args):
        return function(*args) * 3
    return run

class Base:
    def kept(self, x):
        return x + 1

class Derived(Base):
    @property
    def shift(self):
        return 2

    @staticmethod
    def act(x):
        return -x

    def forward(self, x, times=2, by=math.floor, dtype=torch.float32):
        inner = lambda value: value * times
        return inner(self.act(self.kept(x))) + self.shift + sum([x for _ in range(2)])

@decorated
def total(x):
    return x + 1

def unused(x):
    return x
'''
_TRACED = ("Base.kept", "Derived.shift", "Derived.act", "Derived.forward", "total", "decorated.<locals>.run")
# What a line becomes, and the function that is another then; None is one that says nothing of what was traced.
_CHANGES = (
    ("return x + 1\n\nclass", "return x + 2\n\nclass", "Base.kept"),
    ("return 2", "return 5", "Derived.shift"),
    ("return -x", "return ~x", "Derived.act"),
    ("times=2", "times=3", "Derived.forward"),
    ("math.floor", "math.ceil", "Derived.forward"),
    ("float32", "float64", "Derived.forward"),
    ("value * times", "value - times", "Derived.forward"),
    ("range(2)", "range(3)", "Derived.forward"),
    ("x + 1\n\ndef", "x - 1\n\ndef", "total"),
    (") * 3", ") * 4", "decorated.<locals>.run"),
    ("def total", "def other", "total"),
    ("def unused(x):\n    return x", "def unused(x):\n    return -x", None),
    ("import functools", "# a comment\nimport functools", None),
    ("    def kept", "    def more(self):\n        pass\n\n    def kept", None),
)


def _imported(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def changes_of_a_source():
    name = "traced_for_codes"
    with tempfile.TemporaryDirectory(prefix="codes-") as folder:
        path = Path(folder, "first.py")
        path.write_text(_MODULE)
        found = {one.co_qualname: one for one, _ in code.codes_of(_imported(name, path))}
        try:
            entries = code.described([found[one] for one in _TRACED])
            assert {entry[1] for entry in entries} == set(_TRACED), entries
            assert code.changed(entries) is None
            for number, (old, new, changed) in enumerate(_CHANGES):
                assert _MODULE.count(old) == 1, old
                path = Path(folder, f"changed_{number}.py")  # a file of its own, since Python keeps what it compiled
                path.write_text(_MODULE.replace(old, new))
                _imported(name, path)
                expected = None if changed is None else f"{name}.{changed}"
                assert code.changed(entries) == expected, (new, code.changed(entries))
        finally:
            del sys.modules[name]
        assert code.changed(entries) is None, "a module that is not loaded says nothing"


_TABLES = """def registered(table):
    def add(function):
        table["sin"] = [function]
        return function
    return add

class Table:
    KEPT = {int: {}}

@registered(Table.KEPT[int])
def _(x):
    return x + 5

@registered({})
def _(x):
    return x + 6
"""


def functions_in_tables():
    """As of what a tensor subclass does for each operation. Several have one name."""
    name = "tables_for_codes"
    with tempfile.TemporaryDirectory(prefix="codes-") as folder:
        path = Path(folder, "first.py")
        path.write_text(_TABLES)
        try:
            entries = code.described([one for one, _ in code.codes_of(_imported(name, path))])
            assert [entry[1] for entry in entries].count("_") == 2, entries
            for number, line in enumerate(("x + 5", "x + 6", "[function]")):
                path = Path(folder, f"changed_{number}.py")
                path.write_text(_TABLES.replace(line, f"{line} * 2"))
                _imported(name, path)
                assert code.changed(entries) == f"{name}.{'registered' if number == 2 else '_'}", code.changed(entries)
        finally:
            del sys.modules[name]


def a_package_next_to_pytorch():
    """It is not PyTorch's own, whatever its name begins with."""
    folder = Path(torch.__file__).parent.parent
    own = torch.nn.functional.__file__, enum.__file__, importlib.util.__file__
    others = (str(folder / name / "models.py") for name in ("torchvision", "torch_x", "timm"))
    assert all(map(code._is_own, own)) and not any(map(code._is_own, others))


def a_module_that_is_being_imported():
    """It may load what was built before it has all of its functions."""
    with tempfile.TemporaryDirectory(prefix="codes-") as folder:
        sys.path.insert(0, folder)
        try:
            Path(folder, "half_of_codes.py").write_text("from wrapgen_torch.loading import code\nsaid = code.changed([['half_of_codes', 'later', '']])\ndef later(): pass\n")
            import half_of_codes

            assert half_of_codes.said is None
            assert code.changed([["half_of_codes", "later", ""]]) == "half_of_codes.later"
        finally:
            sys.path.remove(folder)
            sys.modules.pop("half_of_codes", None)


def a_global_of_a_module_that_is_not_loaded():
    """Nothing can have changed it: a number, and a tensor that only gives its shape."""
    with tempfile.TemporaryDirectory(prefix="codes-") as folder:
        path = Path(folder, "first.py")
        path.write_text("import torch\nLIKE = torch.ones(2, 3)\nSCALE = 2.0\ndef scaled(x):\n    return x.reshape(LIKE.shape) * SCALE\n")
        module = _imported("global_for_codes", path)
        x = torch.ones(6)
        try:
            build(module.scaled, lambda: (x,), f"{folder}/built", load=True)
            assert load(f"{folder}/built").fn(x).tolist() == [[2] * 3] * 2
            module.LIKE = torch.ones(3, 2)
            with _refused("'global_for_codes.LIKE' size mismatch at index 0. expected 2, actual 3"):
                load(f"{folder}/built").fn(x)
        finally:
            del sys.modules["global_for_codes"]
        assert load(f"{folder}/built").fn(x).tolist() == [[2] * 3] * 2


def a_global_that_tells_graphs_apart():
    """Its module is imported when the program is loaded; where it is not there, nothing tells which graph is right."""
    with tempfile.TemporaryDirectory(prefix="codes-") as folder:
        path = Path(folder, "apart_for_codes.py")
        path.write_text("DOUBLE = False\ndef maybe(x):\n    return x * 2 if DOUBLE else x + 1\n")
        sys.path.insert(0, folder)
        x = torch.ones(3)
        try:
            module = importlib.import_module("apart_for_codes")
            doubled = Call((x,), context=lambda: patch.object(module, "DOUBLE", True))
            build(module.maybe, lambda: [doubled, Call((x,))], f"{folder}/built", load=True)
            del sys.modules["apart_for_codes"]
            loaded = load(f"{folder}/built").fn
            assert loaded(x).tolist() == [2] * 3
            sys.modules["apart_for_codes"].DOUBLE = True
            assert (loaded(x) * 2).tolist() == [4] * 3
            sys.modules["apart_for_codes"].DOUBLE = 1
            with _refused("DOUBLE is 1, not"):
                loaded(x)
            del sys.modules["apart_for_codes"]
            path.unlink()
            importlib.invalidate_caches()
            with _refused("apart_for_codes is not there, in which the program that was built reads what tells its graphs apart"):
                load(f"{folder}/built")
        finally:
            sys.path.remove(folder)


def a_function_with_another_decorator():
    with tempfile.TemporaryDirectory(prefix="codes-") as folder:
        path = Path(folder, "decorated.py")
        text = "import torch\n@torch.no_grad()\ndef doubled(x):\n    return x * 2\n"
        path.write_text(text)
        module = _imported("decorated_for_codes", path)
        x = torch.ones(3, requires_grad=True)
        try:
            build(module.doubled, lambda: (x,), f"{folder}/built", load=True)
            assert not load(f"{folder}/built").fn(x).requires_grad
            path.write_text(text.replace("no_grad", "inference_mode"))
            _imported("decorated_for_codes", path)
            with _refused("decorated_for_codes.doubled has other decorators than when"):
                load(f"{folder}/built")
        finally:
            del sys.modules["decorated_for_codes"]


def decorators_by_any_name():
    """PyTorch 2.15 calls what a decorator returns by its mode, earlier ones by what it does; both are planted with every PyTorch."""
    modes = {"no_grad": [], "enable_grad": [], "set_grad_enabled": [False], "inference_mode": [True], "autocast": ["cpu", "bfloat16", True, True]}
    for name, arguments in modes.items():
        decorated = context_of([name, arguments])()(lambda x: x * 2)
        for other in ("decorate_context", name, "whatever"):
            decorated.__code__ = decorated.__code__.replace(co_name=other)
            plain, found = undecorated(decorated)
            assert (plain.__code__.co_name, found) == ("<lambda>", [[name, arguments]]), (name, other, plain, found)

    @torch.no_grad()
    def yielding(x):
        yield x

    assert undecorated(yielding) == (yielding, []), "a generator is not called in a mode"
    assert undecorated(torch.no_grad) == (torch.no_grad, [])


def torch_compile_below_a_decorator():
    """What is between is not torch.compile's, and is part of the program."""

    def twice(function):
        @functools.wraps(function, assigned=())
        def doubled(x):
            return function(x) * 2

        return doubled

    @twice
    @torch.compile
    def added(x):
        return x + 1

    @torch.no_grad()
    @torch.compile
    def shifted(x):
        return x + 1

    x = torch.ones(3, requires_grad=True)
    with tempfile.TemporaryDirectory(prefix="codes-") as folder:
        build(shifted, lambda: (x,), f"{folder}/shifted", load=True)
        assert not load(f"{folder}/shifted").fn(x).requires_grad
        with _refused("doubled has a decorator around what torch.compile returned"):
            build(added, lambda: (x,), f"{folder}/added", load=True)


def a_global_that_bytecode_brings_in():
    """Where bytecode is kept, loading imports the module, which may be changed from then on."""
    with tempfile.TemporaryDirectory(prefix="codes-") as folder:
        Path(folder, "brought_in_for_codes.py").write_text("SCALE = 2.0\ndef scaled(x, items):\n    items.append(x * SCALE)\n    return x + SCALE\n")
        sys.path.insert(0, folder)
        x = torch.ones(3)
        try:
            build(importlib.import_module("brought_in_for_codes").scaled, lambda: (x, []), f"{folder}/built", load=True)
            del sys.modules["brought_in_for_codes"]
            loaded = load(f"{folder}/built").fn
            items = []
            assert loaded(x, items).tolist() == [3] * 3 and items[0].tolist() == [2] * 3
            sys.modules["brought_in_for_codes"].SCALE = 3.0
            with _refused("brought_in_for_codes.SCALE is 3.0, not 2.0"):
                loaded(x, [])
        finally:
            sys.path.remove(folder)
            sys.modules.pop("brought_in_for_codes", None)


_MAKING = """
import enum, functools, math, torch
class First: pass
class Second: pass
class Mode(enum.IntEnum):
    ONE = 1
    TWO = 2
def made():
    data = {data}
    act = {act}
    class Called:
        def __init__(self): self.y = {constructed}
        def method(self, x): return act(x) + data
    class Kind({base}):
        attribute = {attribute}
        listed = ({listed},)
        table = {{"key": {tabled}}}
        part = functools.partial(max, {partial})
        held = staticmethod({held})
        def __init__(self): self.y = {unread}
        def __repr__(self): return "{printed}"
        def body(self, x, k={default}, *, mode={mode}, by=torch.{dtype}): return act(x) {sign} k
        def calls(self): return Called().y
    return Kind, Called, lambda x: act(x) {sign} data
"""
_AS_BUILT = {"data": "1", "act": "math.floor", "constructed": "1", "base": "First", "attribute": "1", "listed": "math.sin", "tabled": "math.sin",
             "held": "math.sin", "unread": "1", "partial": "1",
             "printed": "a", "default": "1", "mode": "Mode.ONE", "dtype": "float32", "sign": "+"}  # fmt: skip
# What else one of these is; whether that is told of: the class of an argument, a class that is called, a function, a method that is bound.
_OTHERWISE = {
    "data": ("2", (True, True, False, False)),  # of the class, since it calls the other one
    "act": ("math.ceil", (True, True, True, False)),
    "constructed": ("2", (True, True, False, False)),
    "base": ("Second", (True, False, False, False)),
    "attribute": ("2", (False, False, False, False)),  # Dynamo tests what it reads of an argument's
    "listed": ("math.cos", (True, False, False, False)),
    "tabled": ("math.cos", (True, False, False, False)),
    "held": ("math.cos", (True, False, False, False)),
    "unread": ("2", (False, False, False, False)),  # the constructor of a class whose object is given
    "partial": ("2", (True, False, False, False)),
    "printed": ("b", (False, False, False, False)),
    "default": ("2", (True, False, False, True)),
    "mode": ("Mode.TWO", (True, False, False, True)),
    "dtype": ("float64", (True, False, False, True)),
    "sign": ("-", (True, False, True, True)),
}


def _words(module="made_for_codes", **facts):
    """Of what a module makes that no name finds."""
    namespace = {"__name__": module}
    exec(_MAKING.format(**{**_AS_BUILT, **facts}), namespace)  # noqa: S102
    kind, called, function = namespace["made"]()
    return class_text(kind), code_text(called), code_text(function), method_text(kind.body)


def words_for_what_no_name_finds():
    built = _words()
    assert built == _words(), "the same is told in other words"
    for name, (other, told) in _OTHERWISE.items():
        assert tuple(one != two for one, two in zip(built, _words(**{name: other}))) == told, name
    assert all(one != two for one, two in zip(built, _words("elsewhere"))), "of other globals"
    bare = [types.FunctionType(_words.__code__, {"__name__": name}) for name in ("here", "there")]
    for one in bare:
        one.__module__ = "anywhere"  # as functools.wraps would
    assert code_text(bare[0]) != code_text(bare[1]), "the same bytecode, of other globals"


def words_for_what_is_found():
    assert class_text(torch.nn.Linear) is None and code_text(torch.nn.Linear) == "torch.nn.modules.linear.Linear"
    for value, words in ((torch.relu, "torch.relu"), (torch.ops.aten.sin.default, "OpOverload aten.sin.default"), (torch, "module torch")):
        assert code_text(value) == words, code_text(value)
    assert code_text(torch.fft.fft) != code_text(torch.fft.ifft) and code_text([1].append) is None and code_text(3) is None


class Level(enum.IntEnum):
    HIGH = 2


def a_member_of_an_enum_has_a_value():
    """A class that its name finds may have another one when it is loaded."""
    text = f"+- ID_MATCH: ___check_obj_id(L['s'], 1), type=<class '{Level.__module__}.Level'>"
    tests = Guards(lambda s: s, ["s"], [], {}, {"s": Level.HIGH}).tests(refusals._Tree(text))
    assert [test["value"] for test in tests if "value" in test] == [{"constant": "HIGH"}, {"constant": 2}], tests


class Bits(enum.Flag):
    ONE = 1


class Number(enum.Enum):
    INFINITE = float("inf")


class Unshown:
    def __repr__(self):
        raise KeyError


def defaults_that_are_not_kept():
    """None of them ends the build, whatever its own code does."""
    with_defaults = types.FunctionType((lambda a, b, c, d: a).__code__, globals(), argdefs=(Bits(0), Unshown(), [0], (torch.ones(2),)))
    assert [entry["optional"] and "default" not in entry for entry in signature_of(with_defaults)] == [True] * 4


def a_member_of_an_enum_that_is_infinite():
    text = f"+- ID_MATCH: ___check_obj_id(L['s'], 1), type=<class '{Number.__module__}.Number'>"
    tests = Guards(lambda s: s, ["s"], [], {}, {"s": Number.INFINITE}).tests(refusals._Tree(text))
    (hold,) = [value_test(test, ["s"])[0] for test in tests if test.get("value") == {"constant": Number.INFINITE.value}]
    assert hold((Number.INFINITE,)), tests


def tests_that_are_more_than_arithmetic():
    """What a directory says of sizes is never run as a program."""
    path = ["x", [["size", 0]]]
    hold, _ = condition([{"test": "over_extents", "of": path, "reads": [path], "holds": "min({0}, 9) % 4 == 2 or not {0} < 20"}])
    assert [hold(n) for n in (6, 8, 25, 19)] == [True, False, True, False]
    for text in ("__import__('os').getpid() > {0}", "{0}.__class__ == {0}", "[0 for _ in ()] != {0}", "(lambda: 1)() == {0}", "y == {0}",
                 "print({0})", "max({0}, key=min) > 1", "{0} == 1.5"):  # fmt: skip
        with _refused("a test is more than arithmetic"):
            condition([{"test": "over_extents", "of": path, "reads": [path], "holds": text}])


def the_code_of_a_subclass():
    """What an operation on it does is in the graph. The class may say that it is of another module."""
    value = refusals.Held(torch.ones(3), 1)
    with patch.object(refusals.Held, "__module__", "refusals.elsewhere"), patch.dict(sys.modules, {"refusals.elsewhere": refusals}):
        entries = refusals.described(lambda x: x + 1, (value,))["code"]
    assert code.changed(entries) is None and any(name == "Held.__torch_dispatch__" for _, name, _ in entries), entries
    with patch.object(refusals.Held, "__torch_dispatch__", classmethod(lambda cls, function, types, args, kwargs=None: args[0])):
        assert code.changed(entries) == "refusals.Held.__torch_dispatch__"


def a_context_of_dataclasses():
    """What a directory says of a context makes nothing but values."""
    assert value_of({"dataclass": ["refusals", ["Data"], [["a", {"list": [{"constant": 1}]}]]]}) == refusals.Data([1])
    for note in (1, 7):  # which is not compared, and no argument
        assert value_of(context_entry(refusals.noted(note), "x")).note == note
    for context in (float("nan"), [Bits(0)], {"a": Unshown}):
        with _refused("is not data"):
            context_entry(context, "x")
    with _refused("refusals.Data has the field 'a', which it did not have"):
        value_of({"dataclass": ["refusals", ["Data"], []]})
    for path in (["refusals", ["Thing"]], ["subprocess", ["Popen"]], ["os", ["getpid"]]):
        with _refused(f"{path[0]}.{path[1][0]} is not a dataclass"):
            value_of({"dataclass": [*path, []]})


@contextlib.contextmanager
def _refused(words):
    try:
        yield
    except (ValueError, CaptureError, DirectoryError) as problem:
        assert words in str(problem), problem
        return
    raise AssertionError(f"no error that says {words}")


TESTS = [(f"code: {test.__name__}", test) for test in
         (changes_of_a_source, functions_in_tables, a_package_next_to_pytorch, a_module_that_is_being_imported, a_global_of_a_module_that_is_not_loaded, a_global_that_tells_graphs_apart,
          words_for_what_no_name_finds, words_for_what_is_found, a_member_of_an_enum_has_a_value, a_member_of_an_enum_that_is_infinite,
          defaults_that_are_not_kept, a_function_with_another_decorator, decorators_by_any_name, torch_compile_below_a_decorator,
          a_global_that_bytecode_brings_in, the_code_of_a_subclass, a_context_of_dataclasses, tests_that_are_more_than_arithmetic)]  # fmt: skip
