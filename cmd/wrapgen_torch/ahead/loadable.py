# SPDX-License-Identifier: MIT
"""What load() is to call: a function, a module, or a method of one, and what is known to be wrong before anything runs."""

import inspect
import types
from dataclasses import dataclass

import torch

from ..errors import CaptureError
from ..loading.modes import uncompiled, undecorated
from ..loading.tests import hooks_of
from ..loading.wrapped import Wrapped, is_own


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass
class Loadable:
    """What load() is to call."""

    function: object  # or a module, whose method is called
    method: str | None
    plain: types.FunctionType  # what Dynamo compiles of it, without the decorators
    original: object  # with them, as a name finds it
    modes: list  # what they switch

    def called(self, function):
        """What is called of the function or module, or of a copy of it."""
        if self.method is None:
            return self.plain
        return function if self.original is type(function).forward and not self.modes else types.MethodType(self.plain, function)


def loadable(function):
    """The Loadable of a function, a module, or a method of one. CaptureError where load() could not call it, whatever it computes."""
    method, original = None, function
    if isinstance(function, types.MethodType) and isinstance(function.__self__, torch.nn.Module):
        method, original, function = function.__name__, function.__func__, function.__self__
        if uncompiled(getattr(type(function), method, None)) is not original:
            raise CaptureError(f"{method} is not a method of the module's class: not loaded without Dynamo")
    _refuse_before(function)
    if isinstance(function, torch.nn.Module) and method is None:
        function = Wrapped(function) if is_own(function) else function
        method, original = "forward", type(function).forward
    plain, modes = undecorated(original)
    if not inspect.isfunction(plain):
        raise CaptureError(f"a decorator is around a {type(plain).__name__}: build that, in the mode that the decorator switches")
    if method is not None and next(iter(inspect.signature(plain).parameters.values())).kind not in _POSITIONAL:
        raise CaptureError(f"{method} has no argument for its module, as self: a decorator may be around it. Build it without that")
    unknown = next((name for name, known in modes if known is None), None)
    if unknown is not None:
        raise CaptureError(f"{plain.__name__} is decorated by {unknown}, which load() would not do: build it without that")
    return Loadable(function, method, plain, original, modes)


def _refuse_before(function):
    """What is known to be wrong before anything runs."""
    if isinstance(function, torch.nn.Module):
        if "forward" in vars(function):
            raise CaptureError("the module's forward is an attribute of its own: not loaded without Dynamo, which runs that of its class")
        for name, module in [*function.named_modules(), (None, None)]:
            hooks = hooks_of(module)
            if hooks is not None:
                of = "all modules have" if module is None else f"the module {name} has" if name else "the module has"
                raise CaptureError(f"{of} {hooks}, which would not run: not loaded without Dynamo")
    elif not inspect.isfunction(function):
        instead = ""
        if isinstance(function, types.MethodType):
            instead = f". Build {function.__func__.__qualname__}, and give the object as its first argument"
        raise CaptureError(f"load() is for functions, modules and methods of modules, not for a {type(function).__name__}{instead}")
