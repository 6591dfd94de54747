# SPDX-License-Identifier: MIT
"""A program of the suite, and the list of all. To add one: a function with @program in a programs_*.py."""

from dataclasses import dataclass, field


@dataclass
class Entry:
    name: str
    function: object
    make_inputs: object
    options: dict = field(default_factory=dict)
    refused: str | None = None  # words of the refusal that is right
    uncompiled: str | None = None  # words of PyTorch's own error
    raises: str | None = None  # words of the exception that ends the program under both wrappers
    kernels: int | None = None  # how many kernels choose among its graphs
    notes: str = ""  # words of the notes


PROGRAMS = []


def program(make_inputs, name=None, refused=None, uncompiled=None, raises=None, kernels=None, notes="", **options):
    """Decorates what check() takes first. `make_inputs` and `options` are check()'s."""

    def add(function):
        label = name or getattr(function, "__name__", None)
        PROGRAMS.append(Entry(label.rstrip("_"), function, make_inputs, options, refused, uncompiled, raises, kernels, notes))
        return function

    return add
