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


PROGRAMS = []


def program(make_inputs, name=None, refused=None, uncompiled=None, raises=None, **options):
    """Decorates what check() takes first. `make_inputs` and `options` are check()'s."""

    def add(function):
        label = name or getattr(function, "__name__", None)
        PROGRAMS.append(Entry(label.rstrip("_"), function, make_inputs, options, refused, uncompiled, raises))
        return function

    return add
