# SPDX-License-Identifier: MIT
"""A program of the suite, and the list of all. To add one: a function with @program in a programs_*.py."""

from dataclasses import dataclass, field

import torch


@dataclass
class Entry:
    name: str
    function: object
    make_inputs: object
    options: dict = field(default_factory=dict)
    refused: str | None = None  # words of the refusal that is right
    inherited: str | None = None  # words of what differs from eager mode, as PyTorch's own compiled program does
    different: str | None = None  # words of what differs for wrapgen's wrapper alone
    uncompiled: str | None = None  # words of PyTorch's own error
    raises: str | None = None  # words of the exception that ends the program under both wrappers
    broken: bool = False  # it raises under torch.compile (../ahead), with wrapgen's wrapper as with PyTorch's, and not in eager mode
    stops: str | None = None  # words of the error with which wrapgen's wrapper alone refuses a later call
    unsafe: bool = False  # and rightly so: in that call PyTorch's compiled program differs from eager mode
    kernels: int | None = None  # how many kernels choose among its graphs
    notes: str = ""  # words of the notes


PROGRAMS = []


def _numbers(version):
    return [int(number) for number in version.split(".")[:2]]


def program(make_inputs, name=None, since=None, **options):
    """Decorates what check() takes first. `make_inputs` is check()'s, and so are the options that an Entry does not have. `since`:
    {"2.15": what an Entry has instead from that version of PyTorch on}."""
    expected = {key: options.pop(key) for key in list(options) if key in Entry.__dataclass_fields__}
    for version, changed in (since or {}).items():
        expected |= changed if _numbers(torch.__version__) >= _numbers(version) else {}

    def add(function):
        label = name or getattr(function, "__name__", None)
        PROGRAMS.append(Entry(label.rstrip("_"), function, make_inputs, options, **expected))
        return function

    return add
