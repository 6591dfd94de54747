# SPDX-License-Identifier: MIT
"""Which host calls a graph: `torch`, as a Python module, or the one in host/, whose verbs are Python, where wrapgen says by name what
`torch` lacks."""

import re

from .dispatcher import Dispatcher
from .errors import CaptureError
from .module_program import ModuleDispatcher, ModuleProgram
from .program import Program


def what_is_lacking(problem):
    """The words in which wrapgen refused to generate, in a CaptureError; None if it says something else."""
    words = re.search(r"error: (.*)", str(problem))
    return words[1] if words and str(problem).startswith("wrapgen ended with") else None


def program_of(described, host="torch"):
    """The graph, built, for the first of the hosts that can; `host` may be a kind of ModuleProgram, too."""
    if host == "python":
        return Program(described)
    try:
        return (ModuleProgram if host == "torch" else host)(described)
    except CaptureError as problem:
        why = what_is_lacking(problem)
        if why is None:
            raise
    program = Program(described)
    program.why = why
    return program


def dispatcher_of(name, graphs, programs):
    """All graphs as one document, built; `programs` are what program_of() made of them."""
    if all(isinstance(program, ModuleProgram) for program in programs):
        try:
            return ModuleDispatcher(name, graphs, programs)
        except CaptureError as problem:
            if what_is_lacking(problem) is None:
                raise
    programs = [program if isinstance(program, Program) else Program(program.described) for program in programs]
    return Dispatcher(name, graphs, programs)
