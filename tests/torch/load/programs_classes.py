# SPDX-License-Identifier: MIT
"""Modules of classes that no name finds: a function makes them, so two that are different have one name. Each function here makes such a
module of a number; what is built with 0 takes no module of 1, and another module of 0."""

import enum
import functools

import programs_data
import torch
from programs import case, of_module
from programs_kept import bound_to_closure, cells


def _act(which):
    return torch.sin if which else torch.relu


def function_of_c(which):
    act = _act(which)

    class Net(torch.nn.Module):
        def forward(self, x):
            return act(x) + 1

    return Net()


def function_of_a_part(which):
    act = _act(which)

    class Part(torch.nn.Module):
        def forward(self, x):
            return act(x) + 1

    return torch.nn.Sequential(Part(), torch.nn.Tanh())


def function_of_a_method(which):
    act = _act(which)

    class Net(torch.nn.Module):
        def forward(self, x):
            return self.helped(x)

        def helped(self, x):
            return act(x) + 1

    return Net()


def function_of_python(which):
    def first(x):
        return x.cos()

    def second(x):
        return x.sin()

    helper, scaled = (second, lambda x: x * 3) if which else (first, lambda x: x * 2)

    class Net(torch.nn.Module):
        @torch.no_grad()
        def forward(self, x):
            return helper(x) + scaled(x)

    return Net()


def bodies(which):
    if which:

        class Net(torch.nn.Module):
            def forward(self, x):
                return x.cos()

        return Net()

    class Net(torch.nn.Module):
        def forward(self, x):
            return x.sin()

    return Net()


class Base(torch.nn.Module):
    def forward(self, x):
        return self.body(x) * 2


def methods(which):
    if which:

        class Net(Base):
            def body(self, x):
                return x.cos()

        return Net()

    class Net(Base):
        def body(self, x):
            return x.sin()

    return Net()


def held(which):
    def first(x):
        return x.cos()

    class Net(torch.nn.Module):
        act = staticmethod(_act(which) if which else first)

        def forward(self, x):
            return self.act(x) + 1

    return Net()


def parents(which):
    factor = 3.0 if which else 2.0

    class Parent(torch.nn.Module):
        def forward(self, x):
            return x * factor

    class Net(Parent):
        def forward(self, x):
            return super().forward(x) + 1

    return Net()


def defaults(which):
    class Net(torch.nn.Module):
        def forward(self, x):
            return self.helped(x)

        def helped(self, x, act=_act(which), *, by=lambda x: x * 2 if which else x * 3):
            return by(act(x))

    return Net()


class Factor:
    def __init__(self, value):
        self.value = value


def default_data(which):
    class Net(torch.nn.Module):
        def forward(self, x):
            return self.helped(x)

        def helped(self, x, factor=Factor(3.0 if which else 2.0)):
            return x * factor.value

    return Net()


class First(torch.nn.Module):
    def helped(self, x):
        return x * 2


class Second(torch.nn.Module):
    def helped(self, x):
        return x * 3


def bases(which):
    class Net(Second if which else First):
        def forward(self, x):
            return self.helped(x)

    return Net()


def listed(which):
    class Net(torch.nn.Module):
        acts = (_act(which),)
        by_name = {"tanh": torch.tanh, "act": _act(which)}

        def forward(self, x):
            return self.acts[0](x) + self.by_name["act"](x)

    return Net()


FACTOR = 2.0


def times_its_own(x):
    return x * FACTOR


def globals_of_a_function(which):
    factored = programs_data.times_its_own if which else times_its_own

    class Net(torch.nn.Module):
        def forward(self, x):
            return factored(x)

    return Net()


def default_of_the_method(which):
    class Net(torch.nn.Module):
        def forward(self, x, factor=3.0 if which else 2.0):
            return x * factor

    return Net()


def constructor(which):
    class Made:
        def __init__(self, x):
            self.y = x * (3 if which else 2)

    class Net(torch.nn.Module):
        def forward(self, x):
            return Made(x).y

    return Net()


def method_of_what_is_made(which):
    act = _act(which)

    class Made:
        factor = 3.0 if which else 2.0

        def called(self, x):
            return act(x) * self.factor

    class Part(torch.nn.Module):
        def forward(self, x):
            return Made().called(x)

    return torch.nn.Sequential(Part(), torch.nn.Tanh())


def enumeration(which):
    class Mode(enum.IntEnum):
        FIRST = 3 if which else 2

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.mode = Mode.FIRST

        def forward(self, x):
            return x * self.mode

    return Net()


def partly(which):
    factored = functools.partial(torch.mul, other=3.0 if which else 2.0)

    class Net(torch.nn.Module):
        def forward(self, x):
            return factored(x)

    return Net()


def of_fft(which):
    act = torch.special.expm1 if which else torch.special.expit

    class Net(torch.nn.Module):
        def forward(self, x):
            return act(x) + 1

    return Net()


def traced(which):
    return torch.nn.Sequential(torch.fx.symbolic_trace(bodies(which)), torch.nn.Tanh())


WORDS = {
    function_of_c: "act is a builtin_function_or_method, not the same object as torch.relu",
    function_of_a_part: "is of another class programs_classes.function_of_a_part.<locals>.Part",
    function_of_a_method: "is of another class programs_classes.function_of_a_method.<locals>.Net",
    function_of_python: "helper is a function, not the one that was built",
    bodies: "the method forward of Net is not the one that was built",
    methods: "is of another class programs_classes.methods.<locals>.Net than the one that was built",
    held: "is of another class programs_classes.held.<locals>.Net",
    parents: "__class__ is a type, not the one that was built",
    defaults: "is of another class programs_classes.defaults.<locals>.Net",
    default_data: "helped.__defaults__[0].value is 3.0, not 2.0",
    bases: "is of another class programs_classes.bases.<locals>.Net",
    listed: "is of another class programs_classes.listed.<locals>.Net",
    globals_of_a_function: "factored.__module__ is 'programs_data', not 'programs_classes'",
    default_of_the_method: "the method forward of Net is not the one that was built",
    constructor: "Made is a type, not the one that was built",
    method_of_what_is_made: "is of another class programs_classes.method_of_what_is_made.<locals>.Part",
    enumeration: "self.mode is of another class programs_classes.enumeration.<locals>.Mode",
    partly: "factored.keywords['other'] is 3.0, not 2.0",
    of_fft: "act is a builtin_function_or_method, not the one that was built",
    traced: "GraphModuleImpl than the one that was built",
}


def _wrong(make):
    def wrong(loaded):
        def of_another():
            with torch.no_grad():
                loaded.bind(make(1))(torch.randn(3))

        yield WORDS[make], of_another

    return wrong


READ = {parents, constructor, partly}  # what reads the closure itself takes no mapping

for make in WORDS:
    case(name=f"classes that a function makes: {make.__name__}", make=lambda make=make: make(0), calls=lambda: (torch.randn(3),), context=torch.no_grad,
         play=lambda f, _: [f(torch.ones(3)), f(torch.randn(3))], wrong=_wrong(make),
         wraps=(lambda loaded: {"bound": loaded.bind}) if make in READ else of_module)  # fmt: skip


def making(which):
    """The program makes an object of a class of its closure."""

    class Made:
        def scaled(self):
            return self.y * (3 if which else 2)

    if which:
        Made.more = lambda self: 1

    def function(x):
        made = Made()
        made.y = x + 1
        return made

    return function


def play_making(f, made):
    found = f(torch.randn(3))
    assert type(found) is cells(made)["Made"].cell_contents
    return [found.scaled()]


def wrong_making(loaded):
    yield "Made is a type, not the one that was built", lambda: loaded.bind(Made=cells(making(1))["Made"].cell_contents)(torch.randn(3))


case(name="an object of a class of the closure", make=lambda: making(0), calls=lambda: (torch.randn(3),), play=play_making, wrong=wrong_making,
     wraps=bound_to_closure)  # fmt: skip


def calling(x, act):
    return act(x) + 1


def double():
    def doubled(x):
        return x * 2

    return doubled


def triple():
    def doubled(x):
        return x * 3

    return doubled


def wrong_calling(f):
    yield "act is a function, not the one that was built", lambda: f(torch.ones(3), triple())


case(name="an argument that is a function of a function", make=lambda: calling, calls=lambda: (torch.randn(3), double()), play=lambda f, _: [f(torch.ones(3), double())],
     wrong=wrong_calling)  # fmt: skip
