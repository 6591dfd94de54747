# SPDX-License-Identifier: MIT
"""The programs. This file is imported where torch._dynamo must not be."""

import contextlib
import enum
import functools
import math
from collections import OrderedDict
from dataclasses import dataclass
from typing import NamedTuple
from unittest.mock import patch

import torch

SCALE = 2.0


@dataclass
class Case:
    name: str
    make: object  # () -> the function or module
    calls: object  # () -> what build() calls it with
    play: object  # (function that is called, what make() gave) -> list of tensors and numbers
    graphs: int = 1
    dynamic: bool | None = None
    context: object = contextlib.nullcontext
    around: object = contextlib.nullcontext  # the build
    eager: bool = True  # is it to agree with eager mode, too?
    nested: bool = False  # are there breaks in functions that the program calls?
    optimizes: bool = False  # PyTorch's optimizers import torch._dynamo themselves
    dispatches: bool = False  # so do operations of PyTorch's own subclasses in eager mode
    wrong: object = lambda loaded: ()  # pairs of words and a call that must fail with them
    wraps: object = lambda loaded: {"loaded": lambda function: loaded}


def played(case, wrap):
    torch.manual_seed(7)
    made = case.make()
    function = wrap(made)
    torch.manual_seed(11)
    with case.context():
        return case.play(function, made)


def of_module(loaded):
    """A module is bound as such, and by the names of what it has."""

    def by_name(module):
        return loaded.bind({**dict(module.named_parameters()), **dict(module.named_buffers())})

    return {"bound to a module": loaded.bind, "bound by name": by_name}


CASES = []


def case(**facts):
    CASES.append(Case(**facts))


# ---- one graph for inference, and every mode around it ----


def add(x, y):
    return x + y


def within(context, call):
    def run():
        with context():
            call()

    return run


def wrong_add(f):
    x, y = torch.randn(4), torch.randn(4)
    yield "missing a required argument: 'y'", lambda: f(x)
    yield "unexpected keyword argument 'z'", lambda: f(x, y, z=1)
    yield "'y' size mismatch at index 0. expected 4, actual 5", lambda: f(x, torch.randn(5))
    yield "'x' rank mismatch", lambda: f(torch.randn(4, 4), y)
    yield "'x' dtype mismatch. expected Float, actual Double", lambda: f(x.double(), y)
    yield "'x' stride mismatch", lambda: f(torch.randn(8)[::2], y)
    yield "'x' requires_grad mismatch", lambda: f(x.clone().requires_grad_(), y)
    yield "Duplicate tensor", lambda: f(x, x)
    yield "of 'y' to be ", lambda: f(x, 3)
    yield "of 'x' to be ", lambda: f(torch.nn.Parameter(x, requires_grad=False), y)
    yield "grad_mode differs", within(torch.no_grad, lambda: f(x, y))
    yield "autocast", within(lambda: torch.autocast("cpu", torch.bfloat16), lambda: f(x, y))
    yield "inference mode is on", within(torch.inference_mode, lambda: f(x, y))
    yield "a torch function mode is on", within(lambda: torch.device("cpu"), lambda: f(x, y))
    yield "hooks for saved tensors", within(torch.autograd.graph.save_on_cpu, lambda: f(x, y))
    yield "inside of a transformation of torch.func", lambda: torch.vmap(f)(torch.randn(2, 4), torch.randn(2, 4))

    def with_threads():
        torch.set_num_threads(2)
        try:
            f(x, y)
        finally:
            torch.set_num_threads(1)

    yield "num_threads differs", with_threads

    def with_dtype():
        torch.set_default_dtype(torch.float64)
        try:
            f(x, y)
        finally:
            torch.set_default_dtype(torch.float32)

    yield "default_dtype differs", with_dtype

    class Mode(torch.utils._python_dispatch.TorchDispatchMode):
        pass

    yield "a torch dispatch mode is on", within(Mode, lambda: f(x, y))


case(name="add", make=lambda: add, calls=lambda: (torch.randn(4), torch.randn(4)), wrong=wrong_add,
     play=lambda f, _: [f(torch.randn(4), torch.randn(4)), f(y=torch.randn(4), x=torch.randn(4)), f(torch.randn(4), y=torch.ones(4))])  # fmt: skip


# ---- a structure of arguments and of results, defaults, names, values that were constants ----


def nested(tree, pair, n=2, *rest, k=1.5, **options):
    x = tree["x"] * n + pair[0] * options["rate"]
    return {"sum": x.sum() * k, "all": (x, [pair[1]["y"], 7, None, pair[0]], rest[0] * 2), "same": tree}


def nested_with(tree, pair, n, last):
    return nested(tree, pair, n, last, rate=0.5)


def play_nested(f, _):
    found = []
    for _ in range(2):
        tree, pair, last = {"x": torch.randn(3)}, (torch.randn(3), {"y": torch.randn(2)}), torch.randn(1)
        made = f(tree, pair, 2, last)
        assert made["same"] is tree and made["all"][1][3] is pair[0] and list(made) == ["sum", "all", "same"]
        found += [made["sum"], made["all"][0], made["all"][1][0], made["all"][1][1], made["all"][2]]
        assert type(made["all"]) is tuple and type(made["all"][1]) is list and made["all"][1][2] is None
    return found


class Count(int):
    pass


def wrong_nested(f):
    tree, pair, last = {"x": torch.randn(3)}, (torch.randn(3), {"y": torch.randn(2)}), torch.randn(1)
    yield "n is 3, not 2", lambda: f(tree, pair, 3, last)
    yield "n is 2.0, not 2", lambda: f(tree, pair, 2.0, last)
    yield "n is True, not 2", lambda: f(tree, pair, True, last)
    yield "n is a Count, not 2", lambda: f(tree, pair, Count(2), last)
    yield "KeyError 'x'", lambda: f({"z": torch.randn(3)}, pair, 2, last)
    yield "not of type dict", lambda: f([torch.randn(3)], pair, 2, last)
    yield "not of type tuple", lambda: f(tree, list(pair), 2, last)
    yield "has length 3, not 2", lambda: f(tree, (*pair, 1), 2, last)
    yield "of 'tree['x']' to be ", lambda: f({"x": 1.0}, pair, 2, last)


case(name="nested", make=lambda: nested_with, play=play_nested, wrong=wrong_nested,
     calls=lambda: ({"x": torch.randn(3)}, (torch.randn(3), {"y": torch.randn(2)}), 2, torch.randn(1)))  # fmt: skip


# ---- defaults: data, what a name finds, and what must be given ----


class Half(enum.Enum):
    UP = 1
    DOWN = 2


def with_defaults(x, axes=(0, (1, None)), dtype=torch.float64, act=torch.relu, half=Half.DOWN, factor=-0.0, *, bound=float("inf"), sizes=[2, 3]):  # noqa: B006
    y = act(x).to(dtype).sum(axes[0]).reshape(sizes) * (2 if half is Half.DOWN else 3)
    return y.clamp(max=bound) / factor, y.clamp(max=bound)


def play_defaults(f, _):
    x = torch.randn(4, 6)
    return [*f(x, sizes=[2, 3]), *f(x, (0, (1, None)), sizes=[2, 3]), *f(x, half=Half.DOWN, sizes=[2, 3], bound=float("inf"))]


def wrong_defaults(f):
    x = torch.randn(4, 6)
    yield "argument 'sizes' must be given: its default is neither plain data nor found by a name, and was not kept", lambda: f(x)
    yield "half._name_ is 'UP', not 'DOWN'", lambda: f(x, half=Half.UP, sizes=[2, 3])
    yield "axes[0] is 1, not 0", lambda: f(x, (1, (1, None)), sizes=[2, 3])
    yield "factor is 0.0, not -0.0", lambda: f(x, factor=0.0, sizes=[2, 3])


case(name="defaults", make=lambda: with_defaults, calls=lambda: (torch.randn(4, 6),), play=play_defaults, wrong=wrong_defaults)


# ---- values that are constants, and several shapes, behind one dispatcher ----


def choice(x, flag, name="a"):
    y = x * SCALE if flag else -x
    return y.sum(0) if name == "a" else y


def choice_calls():
    return [(torch.randn(4, 3), True), (torch.randn(2, 5, 6), True), (torch.randn(4, 3), False), (torch.randn(4, 3), True, "b")]


def wrong_choice(f):
    yield "none of the 4 graphs was built for this call", lambda: f(torch.randn(9), True)
    yield "flag is 1, not", lambda: f(torch.randn(4, 3), 1)
    yield "name is 'c', not", lambda: f(torch.randn(4, 3), True, "c")

    def other_scale():
        global SCALE
        SCALE = 3.0
        try:
            f(torch.randn(4, 3), True)
        finally:
            SCALE = 2.0

    yield "programs.SCALE is 3.0, not 2.0", other_scale


def play_choice(f, _):
    found = []
    for _ in range(2):
        for args in choice_calls():
            found.append(f(*args))
    return found


case(name="choice", make=lambda: choice, calls=choice_calls, graphs=4, dynamic=False, play=play_choice, wrong=wrong_choice)


# ---- floats with which a graph computes, that choose it, and that are part of it ----


def of_floats(x, scale, options):
    y = x * scale + options["shift"] if scale > 0.125 else x / (scale - 1)
    return (y * math.exp(options["rate"])).sin().sum(), scale, y


def floats_calls():
    def options(shift, rate):
        return {"shift": shift, "rate": rate}

    x = torch.randn(4, requires_grad=True)
    return [(x, 0.5, options(1.0, 2.0)), (x, 0.75, options(1.0, 2.0)), (x, 0.75, options(3.0, 2.0)), (x, 0.0625, options(3.0, 2.0)),
            (x, 0.75, options(3.0, 0.1))]  # fmt: skip


def play_floats(f, _):
    result = []
    for scale, shift, rate in ((0.5, 1.0, 2.0), (0.1 + 0.2, 1.0, 2.0), (1e30, 1e-300, 2.0), (0.125, 0.3, 2.0), (-0.0, -7.5, 2.0),
                               (123456.789, -0.0, 2.0), (0.3, 0.7, 0.1), (0.7, 0.3, 0.1)):  # fmt: skip
        x = torch.randn(4, requires_grad=True)
        total, same, y = f(x, scale, {"shift": shift, "rate": rate})
        assert same is scale
        (total + y.sum()).backward()
        result += [total, y, x.grad]
    return result


def wrong_floats(f):
    def options(shift=3.0, rate=2.0):
        return {"shift": shift, "rate": rate}

    x = torch.randn(4, requires_grad=True)
    yield "scale is nan, not > 0.125", lambda: f(x, float("nan"), options())
    yield "options['shift'] is nan, not a number", lambda: f(x, 0.75, options(float("nan")))
    yield "scale is 1, not of type float", lambda: f(x, 1, options())
    yield "scale is True, not of type float", lambda: f(x, True, options())
    yield "scale is '1', not of type float", lambda: f(x, "1", options())
    yield "scale is a Tensor, not of type float", lambda: f(x, torch.tensor(0.5), options())
    yield "options['shift'] is 3, not of type float", lambda: f(x, 0.75, options(3))
    yield "options['rate'] is 0.5, not 0.1", lambda: f(x, 0.75, options(rate=0.5))
    yield "scale is 0.0625, not > 0.125", lambda: f(x, 0.0625, options(rate=0.1))


case(name="floats", make=lambda: of_floats, calls=floats_calls, graphs=5, play=play_floats, wrong=wrong_floats)


# ---- numbers that are part of a graph, and that == does not tell from others ----

NUMBERS = (0.0, float("inf"), float("nan"), complex(-0.0, 1), complex(0.0, float("nan")))


def of_numbers(x, number):
    return torch.nan_to_num(x / number.real, nan=7.0), torch.nan_to_num(math.copysign(1, number.real) * x + number.imag, nan=7.0)


def play_numbers(f, _):
    return [result for number in NUMBERS for result in f(torch.ones(2), number)]


def wrong_numbers(f):
    for number in (-0.0, -float("inf"), 1.5, complex(0.0, 1), complex(-0.0, -1), complex(0.0, 1.5), 0):
        yield f"number is {number!r}, not ", functools.partial(f, torch.ones(2), number)


case(name="numbers that are constants", make=lambda: of_numbers, calls=lambda: [(torch.ones(2), number) for number in NUMBERS], graphs=len(NUMBERS),
     dynamic=False, play=play_numbers, wrong=wrong_numbers)  # fmt: skip


# ---- a dynamic batch, forward and backward ----


def dynamic(x, w):
    return torch.tanh(x @ w) * x.shape[0]


def dynamic_calls():
    x = torch.randn(5, 4, requires_grad=True)
    torch._dynamo.mark_dynamic(x, 0)
    return x, torch.randn(4, 3, requires_grad=True)


def play_dynamic(f, _):
    found = []
    for rows in (5, 2, 9):
        x, w = torch.randn(rows, 4, requires_grad=True), torch.randn(4, 3, requires_grad=True)
        y = f(x, w)
        y.square().sum().backward()
        found += [y.detach(), x.grad, w.grad]
    return found


def wrong_dynamic(f):
    w = torch.randn(4, 3, requires_grad=True)
    yield "size of dimension 0: expected 5, found 4", lambda: f(torch.randn(5, 5, requires_grad=True), w)
    yield "'x.size(0)'", lambda: f(torch.randn(1, 4, requires_grad=True), w)


case(name="dynamic", make=lambda: dynamic, calls=dynamic_calls, play=play_dynamic, wrong=wrong_dynamic, dynamic=True)


# ---- results that alias arguments, and an argument that is written ----


def aliases(x, y):
    y.add_(1)
    return x, x.t(), y.view(2, 2), x * 2


def play_aliases(f, _):
    x, y = torch.randn(2, 3), torch.randn(4)
    before, version = y.clone(), y._version
    same, turned, viewed, doubled = f(x, y)
    assert same is x and turned._base is x and viewed._base is y and y._version > version
    assert turned.data_ptr() == x.data_ptr() and viewed.data_ptr() == y.data_ptr() and torch.equal(y, before + 1)
    return [turned, viewed, doubled, y]


case(name="aliases", make=lambda: aliases, calls=lambda: (torch.randn(2, 3), torch.randn(4)), play=play_aliases)


# ---- a local that nested code reads ----


def weighted(x, weights):
    scaled = x * SCALE

    def by(weight):
        return scaled * weight + x

    return [by(weight) for weight in weights], sum(x * weight for weight in weights)


def play_weighted(f, _):
    made, total = f(torch.randn(3), [torch.randn(3) for _ in range(2)])
    assert type(made) is list
    return [*made, total]


case(
    name="a local that nested code reads",
    make=lambda: weighted,
    calls=lambda: (torch.randn(3), [torch.randn(3) for _ in range(2)]),
    play=play_weighted,
)


# ---- a dict whose keys are gone through, and a dtype ----


def through(terms, dtype):
    total = 0
    for name, term in terms.items():
        total = total + term * len(name)
    return {"total": total.to(dtype), **terms}


def play_through(f, _):
    terms = {"a": torch.randn(3), "bb": torch.randn(3)}
    made = f(terms, torch.float64)
    assert list(made) == ["total", "a", "bb"] and made["a"] is terms["a"]
    return list(made.values())


def wrong_through(f):
    a, b = torch.randn(3), torch.randn(3)
    yield "terms has length 3, not 2", lambda: f({"a": a, "bb": b, "c": a + b}, torch.float64)
    yield "key number 0 is 'bb', not 'a'", lambda: f({"bb": b, "a": a}, torch.float64)
    yield "not of type dict", lambda: f(OrderedDict(a=a, bb=b), torch.float64)
    yield "dtype is torch.float32, not torch.float64", lambda: f({"a": a, "bb": b}, torch.float32)


case(name="through", make=lambda: through, play=play_through, wrong=wrong_through,
     calls=lambda: ({"a": torch.randn(3), "bb": torch.randn(3)}, torch.float64))  # fmt: skip


# ---- namedtuples and dataclasses as arguments and results ----


class Pair(NamedTuple):
    a: object
    b: object


@dataclass
class Data:
    x: object
    scale: object = 2.0


@dataclass(frozen=True)
class Frozen:
    data: object
    pair: object


def records(pair, data):
    x = pair.a * data.scale
    return Frozen(Data(x + data.x, 5), Pair(pair.b * 2, 3)), Pair(x, [pair, Pair(1, pair.b)])


def play_records(f, _):
    pair = Pair(torch.randn(3), torch.randn(2))
    found = []
    for _ in range(2):
        frozen, other = f(pair, Data(torch.randn(3)))
        assert (type(frozen), type(frozen.data), type(frozen.pair), type(other)) == (Frozen, Data, Pair, Pair)
        assert frozen.data.scale == 5 and frozen.pair.b == 3 and other.b[0] is pair and other.b[1].a == 1 and other.b[1].b is pair.b
        assert list(vars(frozen.data)) == ["x", "scale"]
        found += [frozen.data.x, frozen.pair.a, other.a]
    return found


class Wider(Data):
    pass


def wrong_records(f):
    pair, data = Pair(torch.randn(3), torch.randn(2)), Data(torch.randn(3))
    yield "pair is a tuple, not of type programs.Pair", lambda: f(tuple(pair), data)
    yield "data is a Wider, not of type programs.Data", lambda: f(pair, Wider(torch.randn(3)))
    yield "data.scale is 3.0, not 2.0", lambda: f(pair, Data(torch.randn(3), 3.0))
    yield "AttributeError", lambda: f(pair, object.__new__(Data))


case(name="records", make=lambda: records, play=play_records, wrong=wrong_records,
     calls=lambda: (Pair(torch.randn(3), torch.randn(2)), Data(torch.randn(3))))  # fmt: skip


# ---- an operator of the program's, which calls the loaded function from within a call of it ----

INSIDE = []


def again(x):
    function = INSIDE.pop() if INSIDE else None
    return x.clone() if function is None else function(x + 1)


LIBRARY = torch.library.Library("wg_load", "DEF")
LIBRARY.define("again(Tensor x) -> Tensor")
LIBRARY.impl("again", again, "CPU")
LIBRARY.impl("again", torch.empty_like, "Meta")


def operator(x):
    return torch.ops.wg_load.again(x) * 3


def play_operator(f, _):
    x = torch.ones(3)
    found = [f(x)]
    INSIDE.append(f)
    found.append(f(x))
    assert found[1].tolist() == [18, 18, 18] and not INSIDE  # (1 + 1) * 3 * 3
    return found


case(name="operator", make=lambda: operator, calls=lambda: (torch.ones(3),), play=play_operator, context=torch.no_grad)


# ---- random numbers, which eager mode draws otherwise than Inductor ----


def noise(x):
    return torch.nn.functional.dropout(x, 0.5) + torch.rand_like(x)


case(name="noise", make=lambda: noise, calls=lambda: (torch.randn(50),), eager=False,
     play=lambda f, _: [f(torch.ones(50)), f(torch.ones(50)), torch.rand(3)])  # fmt: skip


# ---- a module that trains: parameters, buffers that are written, several steps ----


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(4, 6)
        self.norm = torch.nn.BatchNorm1d(6)
        self.last = torch.nn.Linear(6, 2, bias=False)
        self.gain = 0.5

    def forward(self, x):
        x = torch.relu(self.norm(self.first(x)))
        return self.last(x) * self.gain


def play_net(f, module):
    found = []
    for _ in range(3):
        loss = f(torch.randn(8, 4)).square().mean()
        for parameter in module.parameters():
            parameter.grad = None
        loss.backward()
        with torch.no_grad():
            for parameter in module.parameters():
                parameter -= 0.1 * parameter.grad
        found += [loss.detach(), *(parameter.grad for parameter in module.parameters())]
    return found + [value.detach() for value in module.state_dict().values()]


def wrong_net(loaded):
    x = torch.randn(8, 4)
    yield "is of a module: bind one first", lambda: loaded(x)
    yield "there is no 'first.bias' in what is bound", lambda: loaded.bind({})

    def changed(change):
        module = Net()
        f = loaded.bind(module)
        f(x)
        change(module)
        f(x)

    yield "training is False, not True", lambda: changed(lambda m: m.eval())
    yield "_modules['norm'].training is False, not True", lambda: changed(lambda m: m.norm.eval())
    yield "gain is 0.25, not 0.5", lambda: changed(lambda m: setattr(m, "gain", 0.25))
    yield "['norm'].eps is 1.0, not 1e-05", lambda: changed(lambda m: setattr(m.norm, "eps", 1.0))
    yield "requires_grad mismatch", lambda: changed(lambda m: m.last.requires_grad_(False))
    yield "not of type torch.nn.modules.linear.Linear", lambda: changed(lambda m: setattr(m, "last", torch.nn.Identity()))
    yield "self has _forward_hooks, which would not run", lambda: changed(lambda m: m.register_forward_hook(lambda *_: None))
    yield "['norm'] has _forward_pre_hooks, which would not run", lambda: changed(lambda m: m.norm.register_forward_pre_hook(lambda *_: None))
    yield "['last'] has _backward_hooks, which", lambda: changed(lambda m: m.last.register_full_backward_hook(lambda *_: None))
    yield "has 'forward', which it did not have", lambda: changed(lambda m: setattr(m.first, "forward", torch.relu))
    yield "has 'forward', which it did not have", lambda: changed(lambda m: setattr(m, "forward", torch.relu))

    def with_hooks_for_all():
        hook = torch.nn.modules.module.register_module_forward_hook(lambda *_: None)
        try:
            changed(lambda _: None)
        finally:
            hook.remove()

    yield "torch.nn.modules.module has _global_forward_hooks, which would not run", with_hooks_for_all

    def of_other_code():
        def forward(self, x):
            return self.last(torch.tanh(self.norm(self.first(x)))) * self.gain

        with patch.object(Net, "forward", forward):
            changed(lambda _: None)

    yield "programs.Net.forward is not the function that", of_other_code
    yield "but found <class 'torch.Tensor'>", lambda: loaded.bind(Net().state_dict())(x)


case(name="net", make=Net, calls=lambda: (torch.randn(8, 4),), play=play_net, wrong=wrong_net, wraps=of_module)
case(name="net_eval", make=lambda: Net().eval(), calls=lambda: (torch.randn(8, 4),), context=torch.no_grad,
     play=lambda f, _: [f(torch.randn(8, 4)), f(x=torch.randn(8, 4))], wraps=of_module)  # fmt: skip


# ---- what classes have: attributes of the module's, of its base, of another object ----


class Facts:
    scale = 3
    table = {"shift": 2}


class Powered(torch.nn.Module):
    power = 2


class OfClasses(Powered):
    gain = 0.5
    steps = (1, 2)

    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(3, 3)
        self.facts = Facts()

    def forward(self, x):
        for step in self.steps:
            x = self.inner(x) ** self.power + step
        return x * self.facts.scale * self.gain + self.facts.table["shift"]


def wrong_of_classes(loaded):
    f = loaded.bind(OfClasses())
    for of, name, value, words in (
        (OfClasses, "gain", 0.25, "self.__class__.gain is 0.25, not 0.5"),
        (OfClasses, "steps", (1,), "self.__class__.steps is a tuple, not (1, 2)"),
        (Powered, "power", 3, "is 3, not 2"),
        (Facts, "scale", 4, "self.facts.__class__.scale is 4, not 3"),
        (Facts, "table", {"shift": 1}, "self.facts.__class__.table['shift'] is 1, not 2"),
    ):

        def of_another_class(of=of, name=name, value=value):
            with patch.object(of, name, value), torch.no_grad():
                f(torch.ones(2, 3))

        yield words, of_another_class

    def with_an_attribute():
        module = OfClasses()
        module.power = 3
        with torch.no_grad():
            loaded.bind(module)(torch.ones(2, 3))

    yield "self has 'power', which it did not have in the build", with_an_attribute


case(name="attributes of classes", make=OfClasses, calls=lambda: (torch.randn(2, 3),), context=torch.no_grad,
     play=lambda f, _: [f(torch.ones(2, 3)), f(torch.randn(2, 3))], wrong=wrong_of_classes, wraps=of_module)  # fmt: skip


def with_closure():
    factor = 2.0

    class Inner(torch.nn.Module):
        def forward(self, x, bias=1.0):
            return x * factor + bias

    class Outer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def forward(self, x):
            return self.inner(x)

        def change(self):
            nonlocal factor
            factor = 3.0

    return Outer()


def wrong_closure(loaded):
    def of_another_factor():
        module = with_closure()
        module.change()
        with torch.no_grad():
            loaded.bind(module)(torch.ones(3))

    yield "cell_contents is 3.0, not 2.0", of_another_factor


case(name="the closure of an inner module's method", make=with_closure, calls=lambda: (torch.ones(3),), context=torch.no_grad,
     play=lambda f, _: [f(torch.ones(3)), f(torch.randn(3))], wrong=wrong_closure, wraps=of_module)  # fmt: skip


# ---- modules of PyTorch's own ----


def whole():
    return torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Dropout(0.5), torch.nn.TransformerEncoderLayer(3, 1, 6, batch_first=True))


def play_whole(f, module):
    x = torch.randn(2, 5, 4)
    y = f(x)
    y.square().sum().backward()
    found = [y.detach(), *(one.grad.clone() for one in module.parameters())]
    module.zero_grad()
    return found


def wrong_whole(loaded):
    x = torch.randn(2, 5, 4)

    def changed(change):
        module = whole()
        f = loaded.bind(module)
        f(x)
        change(module)
        f(x)

    yield "there is no '0.bias' in what is bound", lambda: loaded.bind({})
    yield "._modules['1'].training is False, not True", lambda: changed(lambda m: m.eval())
    yield "_forward_hooks, which would not run", lambda: changed(lambda m: m.register_forward_hook(lambda *_: None))
    yield "not of type torch.nn.modules.container.Sequential", lambda: loaded.bind(whole()[0])(x)
    yield "activation.__qualname__ is 'silu', not 'relu'", lambda: changed(lambda m: setattr(m[2], "activation", torch.nn.functional.silu))
    gelu = torch.nn.functional.gelu  # a function in C
    yield f"activation.__module__ is {gelu.__module__!r}, not 'torch.nn.functional'", lambda: changed(lambda m: setattr(m[2], "activation", gelu))


case(name="a module of PyTorch's own", make=whole, calls=lambda: (torch.randn(2, 5, 4),), play=play_whole, wrong=wrong_whole,
     wraps=of_module, eager=False)  # fmt: skip


# ---- arguments and results that are neither tensors nor numbers ----


class Mode(enum.Enum):
    FIRST = 1
    SECOND = 2


def kinds(x, device, factor, mode, last):
    y = last(x.to(device) * factor)
    return y if mode is Mode.FIRST else -y, y.dtype, y.device, y.shape


def kinds_calls():
    x = torch.randn(3)
    return [(x, torch.device("cpu"), 2j, Mode.FIRST, torch.abs), (x, torch.device("cpu"), 2j, Mode.SECOND, torch.nn.functional.softsign)]


def play_kinds(f, _):
    found = []
    for args in kinds_calls():
        y, *others = f(*args)
        assert others == [y.dtype, y.device, y.shape] and type(others[-1]) is torch.Size
        found.append(y)
    return found


def wrong_kinds(f):
    x, cpu = torch.randn(3), torch.device("cpu")

    @functools.wraps(torch.nn.functional.softsign)
    def softsign(x):
        return x

    yield "device is device(type='meta'), not device(type='cpu')", lambda: f(x, torch.device("meta"), 2j, Mode.FIRST, torch.abs)
    yield "device is 'cpu', not device", lambda: f(x, "cpu", 2j, Mode.FIRST, torch.abs)
    yield "factor is 1j, not 2j", lambda: f(x, cpu, 1j, Mode.FIRST, torch.abs)
    yield "factor is 2.0, not 2j", lambda: f(x, cpu, 2.0, Mode.FIRST, torch.abs)
    yield "mode._name_ is 'SECOND', not 'FIRST'", lambda: f(x, cpu, 2j, Mode.SECOND, torch.abs)
    yield "not of type programs.Mode", lambda: f(x, cpu, 2j, 1, torch.abs)
    yield "not the same object as torch.abs", lambda: f(x, cpu, 2j, Mode.FIRST, torch.neg)
    yield "last.__code__.co_qualname is", lambda: f(x, cpu, 2j, Mode.SECOND, softsign)
    yield "last.__module__ is 'torch', not 'torch.nn.functional'", lambda: f(x, cpu, 2j, Mode.SECOND, torch.neg)


case(name="kinds of arguments", make=lambda: kinds, calls=kinds_calls, play=play_kinds, wrong=wrong_kinds, graphs=2, eager=False, dynamic=False)


# ---- autocast: around the calls, off for a part of the graph, and on for a part ----


def half():
    return torch.autocast("cpu", torch.bfloat16)


def mixed(x, w):
    y = x @ w
    with torch.autocast("cpu", enabled=False):
        z = x @ w
    return y, z, (y * z).sum() * (2 if torch.is_autocast_enabled("cpu") else 3)


def play_mixed(f, _):
    found = []
    for on in (True, False):  # a backward does not care whether autocast is on
        x, w = torch.randn(3, 4, requires_grad=True), torch.randn(4, 5, requires_grad=True)
        y, z, total = f(x, w)
        assert (y.dtype, z.dtype) == (torch.bfloat16, torch.float32)
        with torch.autocast("cpu", torch.bfloat16, enabled=on):
            total.backward()
        found += [y.detach(), z.detach(), total.detach(), x.grad, w.grad]
    return found


def wrong_mixed(f):
    def call():
        return f(torch.randn(3, 4, requires_grad=True), torch.randn(4, 5, requires_grad=True))

    yield "autocast(cpu)_enabled differs", call
    yield "autocast(cpu)_dtype differs", within(lambda: torch.autocast("cpu", torch.float16), call)
    yield "autocast_cache_enabled differs", within(lambda: torch.autocast("cpu", torch.bfloat16, cache_enabled=False), call)
    yield "grad_mode differs", within(half, within(torch.no_grad, call))


case(name="autocast", make=lambda: mixed, calls=lambda: (torch.randn(3, 4, requires_grad=True), torch.randn(4, 5, requires_grad=True)),
     play=play_mixed, wrong=wrong_mixed, context=half, eager=False)  # fmt: skip


def partly(x, w, on, device):
    y = x.to(device) @ w
    with torch.autocast(device.type, torch.bfloat16, enabled=on):
        z = x @ w
    return y, z


CPU = torch.device("cpu")


def play_partly(f, _):
    x, w = torch.randn(3, 4), torch.randn(4, 5)
    found = [*f(x, w, True, CPU), *f(x, w, False, torch.device("cpu"))]
    assert [one.dtype for one in found] == [torch.float32, torch.bfloat16, torch.float32, torch.float32]
    assert not torch.is_autocast_enabled("cpu")
    return found


def wrong_partly(f):
    x, w = torch.randn(3, 4), torch.randn(4, 5)
    yield "autocast(cpu)_enabled differs", within(half, lambda: f(x, w, True, CPU))
    yield "device is device(type='meta'), not device(type='cpu')", lambda: f(x, w, True, torch.device("meta"))
    yield "device is device(type='cpu', index=0), not device(type='cpu')", lambda: f(x, w, True, torch.device("cpu:0"))


case(name="autocast_within", make=lambda: partly, calls=lambda: [(torch.randn(3, 4), torch.randn(4, 5), on, CPU) for on in (True, False)],
     graphs=2, play=play_partly, eager=False, wrong=wrong_partly)  # fmt: skip


# ---- arguments, parts of arguments, results, parameters that are None ----


def with_nothing(x, mask=None, tree=None, *rest, **options):
    y = x * 2 if mask is None else x * mask
    if tree is not None and tree["more"][0] is None:
        y = y + tree["more"][1]
    if options.get("bias") is None and not any(one is not None for one in rest):
        y = -y
    return {"y": y, "mask": mask, "tree": tree, "none": [None, (x + 1, None)]}


def with_one_nothing(x, mask=None, tree=None, more=None):
    return with_nothing(x, mask, tree, more, bias=None)


def nothing_calls():
    x, mask, more = torch.randn(3), torch.randn(3), torch.randn(3)
    return [(x,), (x, mask), (x, None, {"more": [None, more]}), (x, mask, {"more": (None, more), "unread": None}, mask)]


def play_nothing(f, _):
    found = []
    for args in nothing_calls() * 2:
        made = f(*args)
        _, mask, tree, _ = (*args, None, None, None)[:4]
        assert list(made) == ["y", "mask", "tree", "none"] and made["mask"] is mask and made["tree"] is tree
        assert made["none"][0] is None and made["none"][1][1] is None
        found += [made["y"], made["none"][1][0]]
    return found


def wrong_nothing(f):
    x, tree = torch.randn(3), {"more": [None, torch.randn(3)]}
    yield "none of the 4 graphs", lambda: f(None)
    yield "of 'x' to be ", lambda: f(None)
    yield "more is a Tensor, not None", lambda: f(x, more=x)
    yield "tree['more'][0] is a Tensor, not None", lambda: f(x, None, {"more": [x, x]})
    yield "of 'tree['more'][1]' to be ", lambda: f(x, None, {"more": [None, None]})
    yield "mask is False, not None", lambda: f(x, False)
    yield "tree is a dict, not None", lambda: f(x, torch.randn(3), tree)


case(name="nothing", make=lambda: with_one_nothing, calls=nothing_calls, graphs=4, play=play_nothing, wrong=wrong_nothing)


class Sparse(torch.nn.Module):
    """Has places for what is not there."""

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 3, bias=False)
        self.register_buffer("scale", None)
        self.register_parameter("shift", None)
        self.cache = None

    def forward(self, x, mask=None):
        y = self.linear(x)
        for one in (self.scale, self.shift, self.cache, mask):
            y = y if one is None else y * one
        return y


def wrong_sparse(loaded):
    def changed(name, value):
        module = Sparse()
        setattr(module, name, value)
        loaded.bind(module)(torch.randn(3))

    yield "_buffers['scale'] is a Tensor, not None", lambda: changed("scale", torch.ones(3))
    yield "_parameters['shift'] is a Parameter, not None", lambda: changed("shift", torch.nn.Parameter(torch.ones(3)))
    yield "cache is 2, not None", lambda: changed("cache", 2)


def play_sparse(f, module):
    module.linear.weight.grad = None
    found = [f(torch.randn(3)), f(torch.randn(3), None), f(torch.randn(3), torch.ones(3)), f(torch.randn(3), mask=torch.zeros(3))]
    sum(found).sum().backward()
    return [*(one.detach() for one in found), module.linear.weight.grad]


case(name="nothing_of_a_module", make=Sparse, calls=lambda: [(torch.randn(3),), (torch.randn(3), torch.randn(3))], graphs=2,
     play=play_sparse, wrong=wrong_sparse, wraps=of_module)  # fmt: skip


# ---- constants, which the graph has itself ----


def with_constants(x, w):
    """Literals of several types and ranks, one that is set into a tensor, one as an index, and one that the backward reads."""
    total = x * torch.tensor([1.0, 2.0, 3.0])
    total[-1] = 7
    picked = total[torch.tensor([2, 0])] + torch.tensor(2, dtype=torch.int64)
    return total, picked, torch.where(torch.tensor([True, False, True]), w, w * torch.tensor([[3.0], [4.0]]))


def play_constants(f, _):
    w = torch.randn(2, 3, requires_grad=True)
    first, second, third = f(torch.randn(3), w)
    third.square().sum().backward()
    return [first, second, third, w.grad]


case(
    name="constants",
    make=lambda: with_constants,
    calls=lambda: (torch.randn(3), torch.randn(2, 3, requires_grad=True)),
    play=play_constants,
)
case(
    name="constants without gradients",
    make=lambda: with_constants,
    calls=lambda: (torch.randn(3), torch.randn(2, 3)),
    play=lambda f, _: list(f(torch.randn(3), torch.randn(2, 3))),
)
