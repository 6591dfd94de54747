# SPDX-License-Identifier: MIT
"""The content of a program file: one function `case()` that returns a Case."""

import importlib
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import torch
import torch.utils._pytree as pytree

from .errors import CaptureError
from .told import told_of


@dataclass
class Case:
    """One program and its calls. The first line of the file's docstring is its title in everything that is written.

    function              the function or nn.Module to compile
    calls                 [(name, arguments)], run one after another on the same state; the first one is compiled for
    outputs               names of the graph's outputs, in order (default out_0, out_1, ...)
    tensors               {name: tensor}: names for tensors that are neither arguments nor parameters or buffers
    tolerance             {name: (relative, absolute)} for values that a plain C kernel computes in a different order; without
                          an entry a name is compared bit for bit. Tensors that share a storage share the rule. The
                          gradient of input x is named grad_x.
    keep_input_mutations  AOTAutograd's keep_inference_input_mutations: True as Inductor sets it, False as others do
    grad_mode             grad mode around the call
    dynamic               torch.compile's argument; None lets marked dimensions be dynamic
    frontend              "dynamo": torch.compile; "direct": AOTAutograd and Inductor without Dynamo, for what Dynamo
                          refuses (an in-place view of an input)
    fullgraph             False allows graph breaks, as long as one graph is compiled in the end
    backward              whether a graph that trains gets its backward recorded too
    inductor              settings of torch._inductor.config
    compiled              C symbol of the compiled function (default <name>_kernel)
    dynamic_shapes        torch.export's argument, for `deploy`: which sizes vary
    trains                for `deploy`: the function calls torch.autograd.grad, and is traced together with its backward
    prefix                the YAML's
    """

    function: Callable
    calls: list
    outputs: list | None = None
    tensors: dict = field(default_factory=dict)
    tolerance: dict = field(default_factory=dict)
    keep_input_mutations: bool = True
    grad_mode: bool = True
    dynamic: bool | None = None
    frontend: str = "dynamo"
    fullgraph: bool = True
    backward: bool = True
    inductor: dict = field(default_factory=dict)
    compiled: str | None = None
    dynamic_shapes: object = None
    trains: bool = False
    prefix: str = "demo_"
    name: str = ""
    description: str = ""

    def named_tensors(self):
        """The names from the program's state, before any call."""
        result = list(self.tensors.items())
        if isinstance(self.function, torch.nn.Module):
            result += self.function.named_parameters(remove_duplicate=False)
            result += self.function.named_buffers(remove_duplicate=False)
        return result

    def named_arguments(self, args):
        """Names of the leaves of one call's arguments: `x`, `caches_0`, `state_step`."""
        target = self.function.forward if isinstance(self.function, torch.nn.Module) else self.function
        bound = inspect.signature(target).bind(*args)
        result = []
        for name, value in bound.arguments.items():
            for path, leaf in pytree.tree_flatten_with_path(value)[0]:
                result.append((name + pytree.keystr(path), leaf))
        return result


def load_case(path):
    """Runs a program file and returns its Case, named after the folder that it is in."""
    cases = load_cases(path)
    if len(cases) != 1:
        raise CaptureError("case() returned a list of Cases, which is for wrapgen-torch deploy")
    cases[0].name = cases[0].name or Path(path).resolve().parent.name
    return cases[0]


def load_cases(path):
    """Runs a program file and returns its Cases: case() returns one, or a list."""
    path = Path(path)
    if path.suffix != ".py":
        raise CaptureError("not a PROGRAM.py; what torch.export saved is captured from Python: capture(torch.export.load(path))")
    namespace = {"__name__": "program", "__file__": path.name}
    text = path.read_text(encoding="utf-8")
    _enter(path.resolve().parent)
    with told_of(path):
        exec(compile(text, path.name, "exec"), namespace)  # noqa: S102 - the user's own program
        if not callable(namespace.get("case")):
            raise CaptureError("the program has no function case() that returns a Case")
        made = namespace["case"]()
    cases = made if isinstance(made, list) and made else [made]
    for case in cases:
        if not isinstance(case, Case):
            raise CaptureError(f"case() returned a value of type {type(case).__name__}, not a Case")
        _refuse_calls(case.calls)
        case.description = (namespace.get("__doc__") or "").strip()
    return cases


@dataclass
class Call:
    """One call that build() makes.

    args, kwargs  its arguments
    context       () -> a context manager around it: torch.no_grad, an autocast; None: that of all calls
    training      of a module: train() if True, eval() if False, before it; None: as it is
    """

    args: tuple = ()
    kwargs: dict = field(default_factory=dict)
    context: Callable | None = None
    training: bool | None = None


def build_calls(made):
    """Those of build()'s make_inputs(): Calls, or what calls_of() takes, or a list of both."""
    given = made if isinstance(made, list) else [made]
    calls = [one if isinstance(one, Call) else Call(calls_of([one] if isinstance(made, list) else one)[0]) for one in given]
    for call in calls:
        calls_of([call.args])
        if not isinstance(call.kwargs, dict):
            raise CaptureError(f"a Call has kwargs of type {type(call.kwargs).__name__}, not a dict")
    return calls


def made_by(make_inputs):
    """What make_inputs() returns: fresh arguments each time, since a program may write to them."""
    if not callable(make_inputs):
        raise CaptureError(f"make_inputs is a {type(make_inputs).__name__}, not a function that makes the arguments: lambda: (x,)")
    return make_inputs()


def calls_of(made):
    """The calls that make_inputs() returns: a tuple of arguments, or a list of such tuples. Of a tensor, * would make one argument of each
    row."""
    calls = made if isinstance(made, list) else [made]
    for args in calls:
        if not isinstance(args, (tuple, list)):
            within = "a list with " if isinstance(made, list) else ""
            raise CaptureError(
                f"make_inputs() returns {within}a {type(args).__name__}, not a tuple of arguments, or a list of such tuples; (x,) is the tuple of one"
            )
    return calls


def _refuse_calls(calls):
    for call in calls:
        if not isinstance(call, (tuple, list)) or len(call) != 2:
            raise CaptureError(f"a call is a pair (name, arguments), not {type(call).__name__}")
        if not isinstance(call[1], (tuple, list)):
            raise CaptureError(f"call '{call[0]}': its arguments are a {type(call[1]).__name__}, not a tuple; (x,) is the tuple of one")


class _Folder(str):
    """An entry of sys.path that _enter() has made. `before`: the modules that were there already."""


def _enter(folder):
    """Puts the folder of a program first in sys.path, as Python does. That of the program before it leaves, with its modules: those of
    this one may have the same names."""
    for old in [entry for entry in sys.path if isinstance(entry, _Folder)]:
        sys.path[:] = [entry for entry in sys.path if entry is not old]
        for name in sys.modules.keys() - old.before:
            file = getattr(sys.modules[name], "__file__", None) or ""
            if file.startswith(f"{old}/"):
                del sys.modules[name]
    entry = _Folder(folder)
    entry.before = set(sys.modules)
    sys.path.insert(0, entry)
    importlib.invalidate_caches()
