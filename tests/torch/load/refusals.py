# SPDX-License-Identifier: MIT
"""What build(load=True) refuses, each by its name. The models are left out: what is refused here is refused without them."""

import collections
import contextlib
import dataclasses
import enum
import functools
import io
import logging
import random
import threading
import types
import warnings
import weakref
from unittest.mock import patch

import torch
import torch.utils._pytree as pytree
from torch._dynamo.guards import GuardBuilder
from torch.testing._internal.two_tensor import TwoTensor
from wrapgen_torch import Call, CaptureError
from wrapgen_torch.ahead import building, programs
from wrapgen_torch.ahead.loadable import loadable
from wrapgen_torch.ahead.facts import digest_of, facts_of
from wrapgen_torch.ahead.guards import Guards
from wrapgen_torch.loading.data import is_data

TESTS = []
VERSION = tuple(map(int, torch.__version__.split(".")[:2]))
EPSILON = 0.5
TENSORS = [torch.ones(3)]
Pair = collections.namedtuple("Pair", "a b")


class Counted(Pair):
    @classmethod
    def _make(cls, items):
        return super()._make(list(items)[::-1])


Default = collections.namedtuple("Default", "a b", defaults=(3,))
LOCAL = collections.namedtuple("Local", "a b")


@dataclasses.dataclass
class Data:
    a: object


@dataclasses.dataclass
class Noted:
    a: object
    note: int = dataclasses.field(default=1, compare=False, init=False)


@dataclasses.dataclass
class Listed(list):
    a: object = 1


def noted(note):
    made = Noted(2)
    made.note = note
    return made


def listed():
    made = Listed()
    made.append(1)
    return made


class Mode(enum.Enum):
    FIRST = 1
    SECOND = 2


class Thing:
    pass


class Mine(torch.optim.SGD):
    """An optimizer that does the same."""


def described(function, *calls, dynamic=None):
    return building.or_nested(lambda: _described(loadable(function), calls, dynamic))


def _described(made, calls, dynamic):
    recorder = building.Recorder("aot_eager", made=made)
    building._run(made.function, list(calls), recorder, dynamic, contextlib.nullcontext, made)
    for site in recorder._sites:
        site.digest = digest_of(facts_of(site.described.document)) if site.described else ""
        site.models = types.SimpleNamespace(folder="", forward=None, backward=None)
    with patch.object(programs, "_compiled", lambda _: {}):
        return programs.describe_programs(made, recorder._sites, recorder._frames)[0]


def refused(name, words, *calls, **options):
    """`make` gives a function, which must be refused with these words."""

    def add(make):
        def test():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    described(make(), *calls, **options)
                except CaptureError as problem:
                    assert words in str(problem) and "\n" not in str(problem), f"{words!r} is not in, or it has several lines: {problem}"
                    return
            raise AssertionError(f"it is not refused: {words!r}")

        TESTS.append((name, test))
        return make

    return add


def accepted(name, *calls, **options):
    def add(make):
        TESTS.append((f"accepted: {name}", lambda: described(make(), *calls, **options)))
        return make

    return add


class _Tree:
    """What Guards reads of a guard manager: a line for each guard."""

    def __init__(self, line):
        self._line = line

    def __str__(self):
        return self._line


def _guards_of_any_text():
    """Whatever a guard of any kind says, it is data, needs no test, or is refused by its name."""
    texts = ("", "(", "L['s'] ==", "len(L['s']) == 2.5", "set.__contains__(L['s'], <class 'int'>)", "___dict_contains(<class 'int'>, L['s'])",
             "not set.__contains__(L['s'], <object at 0x7f>)", "hasattr(L['s']., 'a')",
             "len(G['a' SUPPORTED_NODES) == 1", "___dict_version(L['s'].SUPPORTED_NODES) == 1", "L['s'] is <class 'int'>", "L[0x] is not None")  # fmt: skip
    kinds = [name for name in vars(GuardBuilder) if name.isupper()]
    assert {"SET_CONTAINS", "DICT_CONTAINS", "EQUALS_MATCH"} <= set(kinds)
    refused = 0
    for kind in kinds:
        for text in texts:
            try:
                Guards(lambda s: s, ["s"], [], {}, {"s": {int}}).tests(_Tree(f"+- {kind}: {text}"))
            except CaptureError as problem:
                assert kind in str(problem) and "\n" not in str(problem), problem
                refused += 1
    assert refused > len(kinds) * len(texts) // 2, refused


TESTS.append(("a guard of any text", _guards_of_any_text))


def _what_c_keeps_is_no_data():
    """Attributes do not tell an object apart if C keeps more of it."""
    made = [functools.partial(max, 1), lambda: 0, ValueError("a"), random.Random(1), threading.local(), types.ModuleType("m"), type("Inner", (), {}),
            contextlib.nullcontext, iter([]), io.BytesIO(b"a"), logging.getLogger("a"), torch.nn.Linear(1, 1), torch.Generator(), weakref.WeakSet()]  # fmt: skip
    taken = [value for value in made if is_data(value)]
    assert not taken, taken
    assert is_data(Thing()) and is_data(Data(1))


TESTS.append(("as data, what C keeps", _what_c_keeps_is_no_data))


def _what_two_places_have():
    """That it is one object is tested in Python up to PyTorch 2.13, and in C++ since."""
    for in_python in (True, False):
        torch._dynamo.reset()
        with torch._dynamo.config.patch(use_lamba_guard_for_object_aliasing=in_python):
            said = str(described(lambda x, y: x + y, (x, x)))
        assert said.count("'same_object'") == 1, f"in Python: {in_python}: {said}"
    for lines in (["+- OBJECT_ALIASING"], ["+- OBJECT_ALIASING: L['s'] is L['t']", "+- OBJECT_ALIASING", "+- OBJECT_ALIASING"]):
        try:
            Guards(lambda s, t: s, ["s", "t"], [], {}, {}).tests(_Tree("\n".join(lines)))
        except CaptureError as problem:
            assert "OBJECT_ALIASING" in str(problem), problem
        else:
            raise AssertionError(f"it is not refused: {lines}")


TESTS.append(("what two places have", _what_two_places_have))


def _in_transformations():
    """A build inside of one is refused; so is a version of a dict, other than that of pytree's classes."""
    functorch = "torch._functorch.pyfunctorch.compare_functorch_state"
    for line, words in (
        (f"LAMBDA_GUARD: {functorch}([(TransformType.Vmap, 1)])", "it is inside of a transformation of torch.func"),
        ("DUAL_LEVEL_MATCH: torch.autograd.forward_ad._current_level == 0", "it is inside of torch.autograd.forward_ad.dual_level"),
        ("DICT_VERSION: ___dict_version(L['s']) == 3", "DICT_VERSION ___dict_version(L['s']) == 3: nothing would test that"),
    ):
        try:
            Guards(lambda s: s, ["s"], [], {}, {"s": {}}).tests(_Tree(f"+- {line}"))
        except CaptureError as problem:
            assert words in str(problem), problem
        else:
            raise AssertionError(f"it is not refused: {line}")
    assert len(Guards(lambda s: s, ["s"], [], {}, {"s": {}}).tests(_Tree(f"+- LAMBDA_GUARD: {functorch}([])"))) == 1


TESTS.append(("inside of transformations", _in_transformations))


class Taken:
    """What pytree takes apart by a method, which may have anything bound in it."""

    def __init__(self, value):
        self.value = value

    def parts(self, one):
        return [one.value], None


pytree.register_pytree_node(Taken, Taken(0).parts, lambda children, _: Taken(*children))


@refused("how pytree takes objects apart", "nothing would test what a method has bound", (torch.ones(3),))
def _():
    return lambda x: pytree.tree_leaves(Taken(x))[0] * 2


class Derived(Thing):
    later = lambda self, a=1: a  # noqa: E731


def _of_methods():
    """Of a method its defaults and its annotations are code, in whatever class it is that a name finds; of what is not a method nothing is."""

    def tested(number, name, what):
        text = f"___check_obj_id(dict(type(L['s']).__mro__[{number}].__dict__)['{name}'].{what}['a'], 1), type=<class 'types.UnionType'>"
        return Guards(lambda s: s, ["s"], [], {}, {"s": Derived()}).tests(_Tree(f"+- ID_MATCH: {text}"))

    Thing.method, Thing.data = (lambda self, a=1: a), Data(1)
    for number, name in ((0, "later"), (1, "method")):
        for what in ("__defaults__", "__kwdefaults__", "__annotations__"):
            assert tested(number, name, what) == [], (number, name, what)
    assert tested(1, "data", "__annotations__"), "it is not a method, and was passed over"
    del Thing.method, Thing.data


TESTS.append(("of methods, what is not code", _of_methods))

x = torch.ones(3)


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.steps, self.cache = 0, None
        self.register_buffer("total", torch.zeros(3))


class _Object:
    def scaled(self, x):
        return x * 2


@refused("a method of an object", "not for a method. Build _Object.scaled, and give the object as its first argument", (x,))
def _():
    return _Object().scaled


@refused("a method that its class does not have", "scaled is not a method of the module's class", (x,))
def _():
    return types.MethodType(_Object.scaled, torch.nn.Identity())


@refused("a decorator whose mode is not known", "<lambda> is decorated by set_multithreading_enabled, which load() would not do", (x,))
def _():
    return torch.autograd.set_multithreading_enabled(True)(lambda x: x * 2)


@refused("an argument that is a global, too", "in the argument 'y' and in the global 'TENSORS', and nothing would test that", (x, TENSORS[0]))
def _():
    return lambda x, y: x + y * TENSORS[0]


@refused("a module that its name does not find", "the module 'math' is another one than that name finds", (x,))
def _():
    made = types.ModuleType("math")
    made.w = torch.ones(3)
    return types.FunctionType((lambda x: x + other.w).__code__, {**globals(), "other": made})  # noqa: F821


@refused("a decorator around a module", "a decorator is around a Identity: build that, in the mode", (x,))
def _():
    return torch.no_grad()(torch.nn.Identity())


class _Hidden(torch.nn.Module):
    def forward(*args):
        return args[1] * 2


@refused("a method without self", "forward has no argument for its module", (x,))
def _():
    return _Hidden()


@refused("a tensor of a global", "the global 'TENSORS' of code that is in no module can change unseen: put it into a module", (x,))
def _():
    return types.FunctionType((lambda x: x + TENSORS[0]).__code__, {**globals(), "__name__": "__main__"})


@refused("a result of a class that cannot be found", "Local, which load() could not find", (x,))
def _():
    return lambda x: LOCAL(x + 1, x + 2)


# Which Dynamo itself does not compile before 2.15.
@refused("a variable of the closure is deleted", "instruction `DELETE_DEREF`" if VERSION < (2, 15) else "it deletes 'last' of its closure", (x,))
def _():
    last = 0

    def function(x):
        nonlocal last
        last = x + 1
        del last
        return x * 2

    return function


def _in_one_line(x):
    y = x * 2
    torch._dynamo.graph_break()
    return y + 1


@refused("a graph break that is asked for, in one line", "it uses torch._dynamo", (x,))
def _():
    return _in_one_line


@refused("a graph break in a loop, in one line", "nothing was compiled of it: Failed to trace builtin operator. Dynamo does not know how to trace", (x,))
def _():
    def function(x):
        for _ in range(2):
            x = x + 1
            print(end="")
        return x

    return function


@refused("a method of a list at a graph break", "Dynamo tests ID_MATCH ___check_obj_id(L['___stack0']", (x, []))
def _():
    def function(x, losses):
        y = x * 2
        losses.append(y.sum().item())
        return y + 1

    return function


@refused("a global that is written before a graph break", "writes the global 'EPSILON' before a graph break", (x,))
def _():
    return _writes_and_breaks


def _writes_and_breaks(x):
    global EPSILON
    EPSILON = 0.5
    y = x * 2
    print(end="")
    return y + 1


@refused("what an optimizer knows, in a graph", "Dynamo tests the optimizer optimizer: the graph depends on optimizer.param_groups", ())
def _():
    module = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(module.parameters())

    def steps():
        loss = module(x).sum() * optimizer.param_groups[0]["lr"]
        loss.backward()
        optimizer.step()
        return loss

    return steps


@refused("an optimizer of one's own", "class 'refusals.Mine'>: nothing would test that", ())
def _():
    module = torch.nn.Linear(3, 1)
    optimizer = Mine(module.parameters())

    def steps():
        loss = module(torch.ones(3)).sum()
        loss.backward()
        optimizer.step()
        return loss

    return steps


def _writes_a_global(x):
    global EPSILON
    EPSILON = 0.5
    return x * 2


@refused("a global of code that is in no module", "the global 'EPSILON' of code that is in no module: put it into a module", (x,))
def _():
    return types.FunctionType(_writes_a_global.__code__, {**globals(), "__name__": "__main__"})


@refused("a call that says whether a function trains", "whether a module trains, and there is none", Call((x,), training=True))
def _():
    return lambda x: x * 2


@refused("a call whose arguments by name are a list", "kwargs of type list, not a dict", Call((x,), ["y"]))
def _():
    return lambda x: x * 2


@refused("a graph break that is asked for", "it uses torch._dynamo", (x,))
def _():
    def function(x):
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2

    return function


@refused("a function of PyTorch's own", "its graph is of other code", (x,))
def _():
    return torch.nn.functional.relu


@refused("an object that is neither a module nor a function", "is for functions, modules and methods of modules, not for a Callable", (x,))
def _():
    class Callable:
        def __call__(self, x):
            return x + 1

    return Callable()


@refused("a module with a hook", "_forward_hooks", (x,))
def _():
    module = torch.nn.Linear(3, 3)
    module.register_forward_hook(lambda *_: None)
    return module


@refused("a module with a hook on an inner one", "the module 0 has _forward_pre_hooks", (x,))
def _():
    module = torch.nn.Sequential(torch.nn.Linear(3, 3))
    module[0].register_forward_pre_hook(lambda *_: None)
    return module


@refused("a module with a forward of its own", "forward is an attribute of its own", (x,))
def _():
    module = torch.nn.Linear(3, 3)
    module.forward = lambda x: x
    return module


class Held(TwoTensor):
    """It has a context, which an operation keeps."""

    @staticmethod
    def __new__(cls, a, context):
        return TwoTensor.__new__(cls, a, a)

    def __init__(self, a, context):
        super().__init__(a, a)
        self.context = context

    def __tensor_flatten__(self):
        return ["a"], self.context

    @staticmethod
    def __tensor_unflatten__(inner, context, size, stride):
        return Held(inner["a"], context)

    @classmethod
    def __torch_dispatch__(cls, function, types, args, kwargs=None):
        return cls(function(*(one.a if isinstance(one, Held) else one for one in args)), args[0].context)


class Comparing(Held):
    @classmethod
    def __metadata_guard__(cls, traced, found):
        return True

    @staticmethod
    def __tensor_unflatten__(inner, context, size, stride):
        return Comparing(inner["a"], context)


class Unlike:
    """What copies it makes another one, which is equal."""

    def __eq__(self, other):
        return type(other) is Unlike

    __hash__ = None


def _made_in_inference_mode():
    with torch.inference_mode():
        return TwoTensor(torch.ones(3), torch.ones(3))


def _local():
    class Local(Held):
        @staticmethod
        def __tensor_unflatten__(inner, context, size, stride):
            return Local(inner["a"], context)

    return Local(torch.ones(3), 1)


accepted("a subclass with a context that is data", (Held(torch.ones(3), [1, {"a": (torch.float16, Mode.FIRST, Data(None))}]),))(lambda: lambda x: x + 1)


@refused("a subclass whose context is not data", "is not data", (Held(torch.ones(3), [Unlike()]),))
def _():
    return lambda x: x + 1


@refused("a context that is more than a dataclass", "is not data", (Held(torch.ones(3), [listed()]),))
def _():
    return lambda x: x + 1


@refused("a subclass that compares its contexts", "Comparing compares its contexts itself", (Comparing(torch.ones(3), 1),))
def _():
    return lambda x: x + 1


@refused("a subclass that no name finds", "load() could not find the class _local.<locals>.Local: put it into a module", (_local(),))
def _():
    return lambda x: x + 1


@refused("a subclass under inference mode", "the type TwoTensor", (_made_in_inference_mode(),))
def _():
    return lambda x: x + 1


@refused("a jagged tensor", "the type NestedTensor", (torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged),))
def _():
    return lambda x: x + 1


@refused("half of a size", "is more than whole numbers", (x, torch.ones(4)), dynamic=True)
def _():
    return lambda x, y: x + (1 if y.shape[0] / 3 > 1.5 else 2)


# Since 2.15 Dynamo compiles a graph for each value, and tests that.
@(refused("a float that is computed from one and returned", "is more than whole numbers", (x, 0.5), (x, 0.75)) if VERSION < (2, 15)
  else accepted("a float that is computed from one and returned", (x, 0.5), (x, 0.75)))  # fmt: skip
def _():
    return lambda x, y: (x * y, y * 2)


@refused("two floats that are compared", "L['y'] >= L['z']", (x, 0.5, 0.25), (x, 0.75, 0.5), (x, 0.25, 0.75))
def _():
    return lambda x, y, z: x * y if y < z else x * z


@refused("dropout between the layers of a recurrent network that trains", "leave out the dropout between the layers of torch.gru", (x[None],))
def _():
    return torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.GRU(2, 2, num_layers=2, dropout=0.5))


@refused("a step of an optimizer", "nothing was compiled of it: ", ())
def _():
    optimizer = torch.optim.SGD([torch.ones(3, requires_grad=True)])
    return lambda: optimizer.step()


@refused("gradients that an optimizer resets", "nothing was compiled of it: ", ())
def _():
    optimizer = torch.optim.SGD([torch.ones(3, requires_grad=True)])

    def resets():
        optimizer.zero_grad()

    return resets


@refused("a packed sequence", "nothing was compiled of it: ", (torch.nn.utils.rnn.pack_sequence([torch.ones(3, 2), torch.ones(2, 2)]),))
def _():
    return torch.nn.GRU(2, 2)


@refused("an iterator", "TUPLE_ITERATOR_LEN", (x, iter((1, 2))))
def _():
    return lambda x, items: x + next(items)


@accepted("a module that goes over its modules", (x,))
def _():
    class Outer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Linear(3, 2)))

        def forward(self, x):
            return self.inner(x)

    return Outer()


@accepted("a module of 300 parameters, whose code has arguments of more than a byte", (x,))
def _():
    class Many(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.many = torch.nn.ParameterList(torch.full((3,), float(i)) for i in range(300))

        def forward(self, x):
            return tuple(x * one for one in self.many)

    return Many()


@accepted("a module of PyTorch's own, a cell of a recurrent network", (x[None],))
def _():
    return torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.GRUCell(2, 2))


@accepted("dropout between the layers of a recurrent network that does not train", (x[None],))
def _():
    return torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.GRU(2, 2, num_layers=2, dropout=0.5)).eval()


@accepted("what is neither a tensor nor JSON's, returned", (x,))
def _():
    return lambda x: (x.dtype, x.shape, x.device, x + 1)


@accepted("a condition on a size that changes", (torch.ones(5, 3), x), (torch.ones(7, 3), x))
def _():
    return lambda x, y: x.sum(0) * 2 + (y if x.shape[0] > 3 else -y)


@accepted("a buffer becomes what is computed of it", (x,))
def _():
    class Counting(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("seen", torch.zeros(()))

        def forward(self, x):
            self.seen += 1
            return x * 2

    return Counting()


@accepted("a buffer is written", (x,), (x + 1,))
def _():
    class Writes(Counter):
        def forward(self, x):
            self.total.add_(x)
            return x * 2

    return Writes()


@accepted("a tensor that only gives its shape", (x, torch.ones(4)), (x, torch.ones(5)), dynamic=True)
def _():
    return lambda x, y: x + (1 if y.shape[0] > 4 else 2)


@accepted("a condition on an int that changes", (x, 5), (x, 6))
def _():
    return lambda x, n: x * n if n > 3 else x + n


@accepted("functions as an argument and as an attribute", (x, torch.relu))
def _():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.activation = torch.nn.functional.softsign

        def forward(self, x, last):
            return last(self.activation(x))

    return Net()


@accepted("the function's own kinds of arguments", (x, torch.device("cpu"), 2j, Mode.SECOND))
def _():
    return lambda x, device, factor, mode: x.to(device) * factor if mode is Mode.SECOND else x


@accepted("a function of the program's, a closure of code, a method", (x,))
def _():
    def helper(x):
        return x + EPSILON

    return lambda x: helper(x).relu() * torch.pi


@accepted("a list is appended to", (x, []))
def _():
    def function(x, items):
        items.append(x + 1)
        return x * 2

    return function


@accepted("a dict is written", (x, {}))
def _():
    def function(x, items):
        items["y"] = x + 1
        return x * 2

    return function


@accepted("an attribute is written", (x, Thing()))
def _():
    def function(x, thing):
        thing.y = 3
        return x * 2

    return function


@accepted("a number of a module is counted", (x,), (x + 1,))
def _():
    class Counts(Counter):
        def forward(self, x):
            self.steps += 1
            return x * 2

    return Counts()


@accepted("a tensor is kept in a module within", (x,))
def _():
    class Keeps(Counter):
        def forward(self, x):
            self.cache = x * 2
            return self.cache + 1

    class Outer(torch.nn.ModuleList):
        def forward(self, x):
            return self[0](x)

    return Outer([Keeps()])


@accepted("a buffer becomes another tensor", (x,))
def _():
    class Replaces(Counter):
        def forward(self, x):
            self.total = self.total + x
            return x * 2

    return Replaces()


@accepted("an attribute is deleted", (x,))
def _():
    class Deletes(Counter):
        def forward(self, x):
            del self.cache
            return x * 2

    return Deletes()


@accepted("a global is written", (x,))
def _():
    def function(x):
        global EPSILON
        EPSILON = 0.5
        return x * 2

    return function


@accepted("a tensor of a closure", (x,))
def _():
    constant = torch.ones(3)
    return lambda x: x + constant


@accepted("a number of a closure", (x,))
def _():
    factor = 3.0
    return lambda x: x * factor


@accepted("a container in two places", (x,))
def _():
    def function(x):
        items = [x + 1]
        return items, items

    return function


@accepted("a result of a class", (x,))
def _():
    def function(x):
        made = Thing()
        made.y = x + 1
        return made

    return function


@accepted("a result of a namedtuple with code of its own", (x,))
def _():
    return lambda x: Counted(x + 1, x + 2)


@accepted("a result of a dataclass with more attributes", (x,))
def _():
    def function(x):
        made = Data(x + 1)
        made.more = x + 2
        return made

    return function


@accepted("the default of a namedtuple", (x,))
def _():
    return lambda x: Default(x + 1)
