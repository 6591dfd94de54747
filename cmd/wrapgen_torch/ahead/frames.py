# SPDX-License-Identifier: MIT
"""The frames of Python that Dynamo compiles while a program runs: that of the function, and after each graph break that of what follows.

A function that Dynamo breaks runs its first graph, then what broke it in Python, and then calls a function of its own for the rest, a
continuation, with the values that are still needed. A continuation has guards of its own, and may be broken again. Frames may have no
graph: what comes before a break, or nothing that a graph could do. Of some frames Dynamo makes nothing, and Python runs them as they are.
"""

import contextlib
import types
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import torch

from ..errors import CaptureError
from ..upstream import CompileContext, _debug_get_cache_entry_list, convert_frame
from .labels import after_break
from .opcodes import instructions

RESUME = "__resume_at_"  # how Dynamo names the globals that are continuations
COMPILED = "__compiled_fn_"  # and those that are graphs


@dataclass
class Compiled:
    """One compilation of a frame."""

    function: types.FunctionType  # with the frame's code, globals and closure
    values: dict  # what its arguments and variables were, by name
    inference: bool  # was inference mode on? Dynamo compiles without it
    codes: tuple = ()  # the code objects that were traced
    breaks: str | None = None  # why there is a graph break, if there is one
    tests: object = None  # what load() tests of a call, or the exception that says why it cannot


class Frames:
    """`note` gets each Compiled with its compile id and its guards, before what was compiled runs: that may change what Dynamo saw."""

    def __init__(self, note):
        self._note = note
        self.compiled = {}  # compile id -> Compiled
        self.numbers = {}  # code of a continuation -> its number
        self._inference = {}  # code of a frame -> whether inference mode is on around it
        self.left = {}  # code that Dynamo leaves to Python -> the exception that says why, or None

    def number_of(self, code):
        return self.numbers.setdefault(code, len(self.numbers))

    @contextlib.contextmanager
    def watching(self):
        with (
            patch.object(convert_frame, "compile_frame", self._watch_frame(convert_frame.compile_frame)),
            patch.object(convert_frame, "GuardedCode", self._watch_guards(convert_frame.GuardedCode)),
            patch.object(convert_frame, "has_tensor_in_frame", self._watch_tensors(convert_frame.has_tensor_in_frame)),
        ):
            yield

    def _watch_frame(self, original):
        def compile_frame(code, namespace, values, builtins, closure, *rest, **options):
            made = Compiled(types.FunctionType(code, namespace, code.co_name, None, tuple(closure or ())), dict(values), self._inference[code])
            self.compiled[str(CompileContext.current_compile_id())] = made
            try:
                output = original(code, namespace, values, builtins, closure, *rest, **options)
            except Exception as problem:
                self.left[code] = problem
                raise
            graph = output.tracer_output.output_graph
            why = graph.compile_subgraph_reason
            made.codes, made.breaks = tuple(graph.traced_code), in_one_line(why.reason) if why.graph_break else None
            return output

        return compile_frame

    def _watch_guards(self, original):
        def guarded_code(code, manager, compile_id, *rest):
            self._note(str(compile_id), self.compiled[str(compile_id)], manager)
            return original(code, manager, compile_id, *rest)

        return guarded_code

    def _watch_tensors(self, original):
        def has_tensor_in_frame(frame):
            found = original(frame)
            self._inference[frame.f_code] = torch.is_inference_mode_enabled()
            if not found:
                self.left.setdefault(frame.f_code, None)
            return found

        return has_tensor_in_frame


@dataclass
class Continuation:
    """The function for what follows a graph break."""

    name: str  # "step() from line 12 on"
    function: types.FunctionType
    entries: list  # Dynamo's, of each of its graphs


class InnerFrame(CaptureError):
    """A function that is called at a graph break has a graph of its own."""


def _name_of(code):
    """`step() from line 12 on`."""
    return f"{after_break(code) or code.co_name}() from line {code.co_firstlineno} on"


def entries_of(code):
    return _debug_get_cache_entry_list(code)


def continuations(function, frames):
    """Those that Dynamo's code for `function` calls, and that theirs calls, by their code objects."""
    found, waiting = {}, [entry.code for entry in entries_of(function.__code__)]
    while waiting:
        for code in [code_of(function.__globals__[name]) for name in resumes(waiting.pop())]:
            if code not in found:
                entries = entries_of(code)
                found[code] = Continuation(_name_of(code), _function_of(code, function, frames), entries)
                waiting += [entry.code for entry in entries]
    return found


def resumes(code):
    """The globals that are continuations, which `code` calls."""
    return _globals_of(code, RESUME)


def written(code):
    """The globals that `code` writes."""
    return [one.argval for one in instructions(code) if one.opname == "STORE_GLOBAL"]


def calls_graph(code):
    return bool(_globals_of(code, COMPILED))


def _globals_of(code, prefix):
    return list(dict.fromkeys(one.argval for one in instructions(code) if one.opname == "LOAD_GLOBAL" and one.argval.startswith(prefix)))


def code_of(value):
    """Of a continuation, or of the function that Dynamo makes one with where it has a closure."""
    if value.__code__.co_freevars == ("code", "f_globals", "name"):
        return value.__closure__[0].cell_contents
    return value.__code__


def _function_of(code, function, frames):
    made = next((one.function for one in frames.compiled.values() if one.function.__code__ is code), None)
    cells = tuple(types.CellType() for _ in code.co_freevars)
    return made or types.FunctionType(code, function.__globals__, code.co_name, None, cells)


def in_one_line(problem):
    """What Dynamo says of a graph break. Of its hints those that name a setting."""
    first, *others = [line.strip() for line in str(problem).split("\n\n", 1)[0].splitlines()]
    told = [line.removeprefix("Explanation: ") for line in others if line.startswith("Explanation: ")]
    told += [line.removeprefix("Hint: ") for line in others if line.startswith("Hint: ") and "torch._dynamo.config." in line]
    return ". ".join(line.rstrip(".") for line in [first, *told]) + _place_of(problem)


def _place_of(problem):
    """The innermost line of the program that Dynamo was at."""
    stack = getattr(problem, "real_stack", None)
    return f", in {stack[-1].name} ({Path(stack[-1].filename).name}, line {stack[-1].lineno})" if stack else ""
