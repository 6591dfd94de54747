# SPDX-License-Identifier: MIT
"""Modes that PyTorch's decorators switch around a function (`@torch.no_grad()`): what is built is the function in them, and it is called in
the same modes. A mode is a pair of a name and its arguments, which JSON can have."""

import inspect
import types

import torch

# name -> (class, arguments of an instance)
_MODES = {
    "no_grad": (torch.no_grad, lambda mode: []),
    "enable_grad": (torch.enable_grad, lambda mode: []),
    "set_grad_enabled": (torch.set_grad_enabled, lambda mode: [mode.mode]),
    "inference_mode": (torch.inference_mode, lambda mode: [mode.mode]),
    "autocast": (torch.autocast, lambda mode: [mode.device, str(mode.fast_dtype).removeprefix("torch."), mode._enabled, mode._cache_enabled]),
}
# Module -> what the function that its decorator returns has in its cells: the mode, or what makes it, and the function that is decorated.
# Its name is the mode's since PyTorch 2.15.
_DECORATORS = {"torch.utils._contextlib": ("ctx_factory", "func"), "torch.amp.autocast_mode": ("autocast_instance", "func")}


def uncompiled(function):
    """Without torch.compile, if it is what that returned of a function."""
    return function._torchdynamo_orig_callable if _is_code(function, "compile_wrapper", "torch._dynamo.eval_frame") else function


def undecorated(function):
    """(the function without such decorators and without torch.compile, the modes that they switch, outermost first)."""
    modes = []
    while True:
        function = uncompiled(function)
        if not _is_decorator(function):
            return function, modes
        mode, function = (cell.cell_contents for cell in function.__closure__)
        modes.append(_described(mode))


def _is_decorator(function):
    """A decorated generator has the same cells, but is not called in the mode: it yields in it."""
    if not isinstance(function, types.FunctionType) or inspect.isgeneratorfunction(function):
        return False
    return _DECORATORS.get(function.__globals__.get("__name__")) == function.__code__.co_freevars


def _is_code(function, name, module):
    return isinstance(function, types.FunctionType) and (function.__code__.co_name, function.__globals__.get("__name__")) == (name, module)


def _described(mode):
    """Of a mode, or of the method that makes one like its own object: to make one may already switch it."""
    mode = getattr(mode, "__self__", mode)
    for name, (kind, arguments_of) in _MODES.items():
        if type(mode) is kind or kind is torch.autocast and isinstance(mode, kind):
            return [name, arguments_of(mode)]
    return [getattr(mode, "__name__", type(mode).__name__), None]


def context_of(mode):
    """() -> the context manager."""
    name, arguments = mode
    kind, _ = _MODES[name]
    if name == "autocast":
        device, dtype, enabled, cached = arguments
        return lambda: torch.autocast(device, getattr(torch, dtype), enabled, cached)
    return lambda: kind(*arguments)


class Under:
    """`function`, called in modes."""

    def __init__(self, function, modes):
        self.__name__ = function.__name__
        self._function, self._modes = function, modes
        self._outer, self._inner = context_of(modes[0]), Under(function, modes[1:]) if modes[1:] else function

    def __call__(self, *args, **kwargs):
        with self._outer():
            return self._inner(*args, **kwargs)

    def bind(self, *args, **kwargs):
        """As the function's own."""
        return Under(self._function.bind(*args, **kwargs), self._modes)
