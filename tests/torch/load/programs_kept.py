# SPDX-License-Identifier: MIT
"""Programs that do more than call a graph and return a structure: they set attributes, variables and items, and make objects of classes with
code of their own. Dynamo's own bytecode does that, also without Dynamo. Each play looks at the effects, and `wrong` at their absence."""

import contextvars
from collections import OrderedDict, deque
from dataclasses import dataclass, fields
from types import CellType

import torch
from programs import case

LAST = None


# ---- results of classes that have code of their own ----


@dataclass
class Output(OrderedDict):
    """A dict and a dataclass, as libraries of models return one."""

    loss: object = None
    logits: object = None
    kept: object = None

    def __post_init__(self):
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None:
                self[field.name] = value

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        super().__setattr__(key, value)


class Plain:
    made = 0

    def __init__(self, x):
        self.x = x
        self.more = [x, "more"]


@dataclass(frozen=True)
class Sealed:
    a: object
    b: object = 2


def outputs(x, w):
    y = x @ w
    made = Plain(y + 1)
    made.extra = y - 1
    return Output(loss=y.sum(), logits=y), made, Sealed(y * 3)


def play_outputs(f, _):
    found = []
    for _ in range(2):
        x, w = torch.randn(2, 3), torch.randn(3, 2, requires_grad=True)
        output, made, sealed = f(x, w)
        assert type(output) is Output and list(output) == ["loss", "logits"] and output["loss"] is output.loss and output.kept is None
        assert type(made) is Plain and made.more[0] is made.x and made.more[1] == "more" and list(vars(made)) == ["x", "more", "extra"]
        assert type(sealed) is Sealed and sealed.b == 2
        (output.loss + made.x.sum() + sealed.a.sum()).backward()
        found += [output.loss.detach(), output.logits.detach(), made.extra.detach(), w.grad]
    return found


def wrong_outputs(f):
    yield "'x' size mismatch at index 0. expected 2, actual 4", lambda: f(torch.randn(4, 3), torch.randn(3, 2, requires_grad=True))
    yield "'w' requires_grad mismatch", lambda: f(torch.randn(2, 3), torch.randn(3, 2))


case(name="results of classes", make=lambda: outputs, calls=lambda: (torch.randn(2, 3), torch.randn(3, 2, requires_grad=True)), play=play_outputs,
     wrong=wrong_outputs)  # fmt: skip


# ---- arguments that change ----


def changed(x, items, table, queue, thing):
    y = x * 2
    items.append(y)
    items[0] = y + 1
    table["y"] = y
    table.pop("old", None)
    queue.appendleft(y - 1)
    thing.y = (y, thing.y[0])
    same = [y]
    return same, same


def arguments_that_change(x):
    return x, [1], {"old": 1, "kept": 2}, deque([3]), Plain(0)


def changed_calls():
    values = arguments_that_change(torch.randn(3))
    values[-1].y = (1,)
    return values


def play_changed(f, _):
    found = []
    for before in range(2):
        x, items, table, queue, thing = changed_calls()
        thing.y = (before,)
        first, second = f(x, items, table, queue, thing)
        assert first is second and len(items) == 2 and items[1] is first[0] and list(table) == ["kept", "y"] and len(queue) == 2
        assert type(queue) is deque and queue[1] == 3 and thing.y[1] == before and thing.y[0] is first[0]
        found += [first[0], items[0], table["y"], queue[0]]
    return found


def wrong_changed(f):
    """A call that is refused has changed nothing."""

    def unchanged(changing, *, x=None):
        x, items, table, queue, thing = values = list(changed_calls()) if x is None else [x, *changed_calls()[1:]]
        changing(*values)
        before = [list(items), dict(table), list(queue), vars(thing).copy()]
        try:
            f(x, items, table, queue, thing)
        finally:
            assert [list(items), dict(table), list(queue), vars(thing)] == before

    yield "'x' size mismatch at index 0. expected 3, actual 4", lambda: unchanged(lambda *_: None, x=torch.randn(4))
    yield "items has length 2, not 1", lambda: unchanged(lambda x, items, *_: items.append(2))
    yield "table", lambda: unchanged(lambda x, items, table, *_: table.clear())


case(name="arguments that change", make=lambda: changed, calls=changed_calls, play=play_changed, wrong=wrong_changed)


# ---- variables of the module, and of a function around it ----


class Collector:
    """Holds a variable of the context, as libraries do that want torch.compile to see it set."""

    def __init__(self):
        self.variable, self.value = contextvars.ContextVar("collector", default=None), None

    def set(self, value):
        if torch.compiler.is_compiling():
            self.value = value
            return None
        return self.variable.set(value)

    def reset(self, token):
        if torch.compiler.is_compiling():
            self.value = None
        else:
            self.variable.reset(token)


COLLECTOR = Collector()
graph = ["a global with a name that the bytecode might use"]


def named(x):
    global LAST
    token = COLLECTOR.set("on")
    y = x * 2
    LAST = y + 1
    COLLECTOR.reset(token)
    return y, graph


def play_named(f, _):
    global LAST
    found = []
    for _ in range(2):
        LAST = None
        y, same = f(torch.randn(3))
        assert COLLECTOR.value is None and LAST is not None and same is graph
        found += [y, LAST]
    return found


def wrong_named(f):
    def shadowed():
        global COLLECTOR
        before, COLLECTOR = COLLECTOR, 1
        try:
            f(torch.randn(3))
        finally:
            COLLECTOR = before

    yield "COLLECTOR is 1, not of type programs_kept.Collector", shadowed


case(name="variables", make=lambda: named, calls=lambda: (torch.randn(3),), play=play_named, wrong=wrong_named)


def decode(factor=3.0):
    module = torch.nn.Linear(3, 3)
    seen = []

    def step(x):
        y = module(x) * factor
        seen.append(y)
        return {"y": y}

    return step


def cells(function):
    return dict(zip(function.__code__.co_freevars, function.__closure__, strict=True))


def bound_to_closure(loaded):
    def by_value(function):
        return loaded.bind(**{name: cell.cell_contents for name, cell in cells(function).items()})

    return {"bound by value": by_value, "bound by cell": lambda function: loaded.bind(**cells(function))}


def play_decode(f, made):
    seen = cells(made)["seen"].cell_contents
    seen.clear()
    y = f(torch.randn(2, 3))["y"]
    assert len(seen) == 1 and seen[0] is y
    y.sum().backward()
    return [y.detach(), cells(made)["module"].cell_contents.weight.grad]


def wrong_decode(loaded):
    other = torch.nn.Linear(3, 3, bias=False)
    given = {name: cell.cell_contents for name, cell in cells(decode()).items()}
    x = torch.randn(2, 3)
    yield "bind them first, fn.bind(factor=..., module=..., seen=...)", lambda: loaded(x)
    yield "'seen' is not bound", lambda: loaded.bind(factor=3.0, module=other)
    yield "'more' is none of them", lambda: loaded.bind(**given, more=1)
    yield "factor is 2.0, not 3.0", lambda: loaded.bind(**{**given, "factor": 2.0})(x)
    yield "module._parameters['bias']", lambda: loaded.bind(**{**given, "module": other})(x)
    yield "of type torch.nn.modules.linear.Linear", lambda: loaded.bind(**{**given, "module": torch.nn.Identity()})(x)
    yield "seen has length 1, not 0", lambda: loaded.bind(**{**given, "seen": [1]})(x)
    cell = CellType(3.0)
    bound = loaded.bind(**{**given, "factor": cell})
    bound(x)
    given["seen"].clear()
    cell.cell_contents = 4.0
    yield "factor is 4.0, not 3.0", lambda: bound(x)


case(name="a closure", make=decode, calls=lambda: (torch.randn(2, 3),), play=play_decode, wrong=wrong_decode, wraps=bound_to_closure)


def averaging(rate=0.5):
    mean, last = torch.zeros(3), None

    def average(x):
        nonlocal mean, last
        mean = mean * (1 - rate) + x * rate
        last = x - mean
        return mean * 2

    return average


def play_averaging(f, made):
    cells(made)["mean"].cell_contents, cells(made)["last"].cell_contents = torch.zeros(3), None
    found = [f(torch.randn(3)) for _ in range(3)]
    mean, last = (cells(made)[name].cell_contents for name in ("mean", "last"))
    assert torch.equal(mean * 2, found[-1])
    return [*found, mean, last]


def wrong_averaging(loaded):
    given = {name: cells(averaging())[name] for name in ("mean", "last", "rate")}
    x = torch.randn(3)
    yield "'last' is not bound", lambda: loaded.bind(mean=given["mean"], rate=given["rate"])
    yield "'mean' size mismatch at index 0. expected 3, actual 4", lambda: loaded.bind(**{**given, "mean": torch.zeros(4)})(x)
    yield "rate is 0.25, not 0.5", lambda: loaded.bind(**{**given, "rate": 0.25})(x)
    loaded.bind(**given)(x)
    before = given["mean"].cell_contents
    assert torch.equal(before, x * 0.5)

    def refused():
        try:
            loaded.bind(**given)(torch.randn(4))
        finally:
            assert given["mean"].cell_contents is before

    yield "'x' size mismatch at index 0. expected 3, actual 4", refused


case(name="a closure that is written", make=averaging, calls=lambda: (torch.randn(3),), play=play_averaging, wrong=wrong_averaging,
     wraps=lambda loaded: {"bound by cell": lambda function: loaded.bind(**cells(function))})  # fmt: skip


def scaled_by(number):
    def scaled(x):
        return x * number

    return scaled


scaled = scaled_by(3)
scaled.__qualname__ = "scaled"  # so that it is found by its name, with its closure


case(name="a closure that is found", make=lambda: scaled, calls=lambda: (torch.randn(3),), play=lambda f, _: [f(torch.randn(3))])


# ---- what is kept in a module ----


class Caches(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)
        self.cache, self.calls = None, 0
        self.register_buffer("last", torch.zeros(2, 3))

    def forward(self, x, *, twice=False):
        y = self.linear(x)
        if self.cache is not None:
            y = y + self.cache
        self.cache = y.detach()
        self.last = y.detach() * 2
        return y * 2 if twice else y


def play_caches(f, module):
    module.cache = None
    module.linear.weight.grad = None
    first = f(torch.randn(2, 3))
    assert module.cache is not None
    second = f(torch.randn(2, 3))
    (first + second).sum().backward()
    return [first.detach(), second.detach(), module.cache, module.last, module.linear.weight.grad]


def wrong_caches(loaded):
    module = Caches()
    yield "bind a module", lambda: loaded.bind({**dict(module.named_parameters()), **dict(module.named_buffers())})
    module.cache = 1
    yield "'self.cache' to be a tensor type", lambda: loaded.bind(module)(torch.randn(2, 3))


case(name="a module that keeps tensors", make=Caches, calls=lambda: [(torch.randn(2, 3),)] * 2, graphs=2, play=play_caches, wrong=wrong_caches,
     wraps=lambda loaded: {"bound to a module": loaded.bind})  # fmt: skip


# ---- functions that are made and returned ----


def makes(x):
    y = x * 2

    def later(z, scale=3):
        return (y + z) * scale if LAST is None else y

    return later


def play_makes(f, _):
    global LAST
    LAST = None
    later = f(torch.randn(3))
    first = later(torch.randn(3))
    LAST = 1
    return [first, later(torch.randn(3), scale=2)]


case(name="a function that is made", make=lambda: makes, calls=lambda: (torch.randn(3),), play=play_makes)


# ---- what programs of libraries ask ----


class Registry(dict):
    """A class that has its own way to set an item, and Python's to get one."""

    def __setitem__(self, key, value):
        super().__setitem__(str(key), value)


KINDS = Registry({"plain": {"kind": Plain, "factor": 2}})


def asks(x, thing, other):
    y = x * (2 if hasattr(thing, "y") else 3) + (1 if "a" in thing.names else 2)
    for name, entry in KINDS.items():
        if name == "plain" and entry["kind"] is Plain:
            y = y * entry["factor"]
    thing.seen = y
    return y + 1 if type(thing) is type(other) else y


def things(**changed):
    made = [Plain(0), Plain(0)]
    for name, value in ({"y": 1, "names": {"a", "b"}} | changed).items():
        setattr(made[0], name, value)
    return made


def play_asks(f, _):
    thing, other = things()
    found = f(torch.randn(3), thing, other)
    return [found, thing.seen]


def wrong_asks(f):
    x = torch.randn(3)

    def without_y():
        thing, other = things()
        del thing.y
        f(x, thing, other)

    def with_kinds(key, value):
        before = KINDS["plain"][key]
        KINDS["plain"][key] = value
        try:
            f(x, *things())
        finally:
            KINDS["plain"][key] = before

    def with_another_kind():
        KINDS["more"] = {}
        try:
            f(x, *things())
        finally:
            del KINDS["more"]

    yield "'y'", without_y
    yield "thing.names lacks 'a', which it had in the build", lambda: f(x, *things(names={"b"}))
    yield "other", lambda: f(x, things()[0], Collector())
    yield "KINDS", with_another_kind
    yield "kind", lambda: with_kinds("kind", Collector)
    yield "KINDS['plain']['factor'] is 3, not 2", lambda: with_kinds("factor", 3)


case(name="questions", make=lambda: asks, calls=lambda: (torch.randn(3), *things()), play=play_asks, wrong=wrong_asks)


# ---- calls in several modes, with arguments by name ----


class Modes(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)

    def forward(self, x, *, scale=None, **options):
        y = self.linear(x)
        y = y * scale if scale is not None else y + options.get("shift", 1)
        return Output(logits=y * 2 if self.training else y)


def modes_calls():
    from wrapgen_torch import Call

    x, half = torch.randn(2, 3), lambda: torch.autocast("cpu", torch.bfloat16)
    return [
        Call((x,), {"scale": 2.0}, training=True),
        Call((x,), {"scale": 2.0}, torch.no_grad, False),
        Call(kwargs={"x": x, "shift": 3}, context=half),
        Call((x,), context=torch.no_grad),
        (x,),
    ]


def play_modes(f, module):
    x = torch.randn(2, 3)
    module.train()
    module.linear.weight.grad = None
    first = f(x, scale=2.0).logits
    first.sum().backward()
    module.eval()
    with torch.no_grad():
        second, third = f(x, scale=2.0).logits, f(x).logits
    with torch.autocast("cpu", torch.bfloat16):
        fourth = f(x=x, shift=3).logits
    assert fourth.dtype == torch.bfloat16 and not second.requires_grad
    return [first.detach(), module.linear.weight.grad, second, third, f(x).logits.detach()]


def wrong_modes(loaded):
    module, x = Modes(), torch.randn(2, 3)
    yield "none of the 5 graphs", lambda: loaded.bind(module)(x)
    yield "self.training is True, not False", lambda: loaded.bind(module)(x)
    yield "scale is 3.0, not 2.0", lambda: loaded.bind(module)(x, scale=3.0)
    yield "too many positional arguments", lambda: loaded.bind(module)(x, 2.0)


case(name="modes", make=Modes, calls=modes_calls, graphs=5, play=play_modes, wrong=wrong_modes, dynamic=False,
     wraps=lambda loaded: {"bound to a module": loaded.bind})  # fmt: skip
