# SPDX-License-Identifier: MIT
"""What a program takes and returns besides tensors: None, flags and numbers, which torch.export makes part of the model; dicts and classes,
whose keys and fields are names; functions and methods, which are exported under the names of their arguments."""

import inspect
import types

import torch
import torch.utils._pytree as pytree
from torch.export.graph_signature import ConstantArgument, OutputKind, SymIntArgument, TensorArgument

from ..errors import CaptureError
from ..loading.data import is_same

_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


# ---- functions ----


def owner_of(function):
    """The module whose method it is; None if it is none."""
    owner = getattr(function, "__self__", None)
    return owner if isinstance(function, types.MethodType) and isinstance(owner, torch.nn.Module) else None


def as_module(function):
    """A module that calls it, with its arguments' names, and the parameters of the module whose method it is."""
    if isinstance(function, torch.nn.Module):
        return function
    forward = _forward_of(function)
    made = type("Function", (torch.nn.Module,), {"forward": forward})()
    owner = owner_of(function)
    if owner is not None:
        for held in ("_parameters", "_buffers", "_modules", "_non_persistent_buffers_set"):
            vars(made)[held] = vars(owner)[held]
        made.training = owner.training
    return made


def _forward_of(function):
    def forward(self, *args):
        return function(*args)

    try:
        signature = inspect.signature(function)
    except ValueError:  # a function in C
        return forward
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    parameters = [one.replace(kind=_kind_of(one)) for one in signature.parameters.values() if one.name != "self"]
    forward.__signature__ = signature.replace(parameters=[itself, *parameters])
    return forward


def _kind_of(parameter):
    return parameter.kind if parameter.kind not in _BY_POSITION else inspect.Parameter.POSITIONAL_OR_KEYWORD


def names_of(function):
    """The names of its arguments that can be given by position."""
    target = function.forward if isinstance(function, torch.nn.Module) else function
    try:
        parameters = list(inspect.signature(target).parameters.values())
    except ValueError:
        return []
    return [one.name for one in parameters if one.kind in _BY_POSITION]


# ---- arguments ----


def leaves_of(args):
    """What is passed, each by its place in the arguments: {"[0]['x']": tensor}."""
    return {pytree.keystr(path): leaf for path, leaf in pytree.tree_flatten_with_path(tuple(args))[0]}


def tensors_of(args):
    return [leaf for leaf in leaves_of(args).values() if isinstance(leaf, torch.Tensor)]


class Passed:
    """What the first call passes. The others must pass as many tensors at the same places, and the same constants."""

    def __init__(self, entry, names, args):
        self._entry = entry
        self._names = names
        self._first = leaves_of(args)

    def tensors(self, call, args):
        """The tensors of a call, in the order of the first; a dict's keys may come in another."""
        found = leaves_of(args)
        where = f"{self._entry}, call {call}"
        for place in [*self._first, *found]:
            if place not in found or place not in self._first:
                other = "does not pass" if place in self._first else "passes"
                raise CaptureError(f"{where} {other} {self._said(place)}, and the first call does{' not' if place in found else ''}")
        for place, first in self._first.items():
            if isinstance(first, torch.Tensor) != isinstance(found[place], torch.Tensor):
                raise CaptureError(f"{where}: {self._said(place)} is {_kind(found[place])}, and the first call passes {_kind(first)}")
            if not isinstance(first, torch.Tensor) and not is_same(first, found[place]):
                raise CaptureError(f"{where}: {self._said(place)} is {found[place]!r}, and {_compiled_for(first)}")
        return [found[place] for place, first in self._first.items() if isinstance(first, torch.Tensor)]

    def constants(self):
        return tuple(f"{self._said(place)} is {value!r}" for place, value in self._first.items() if not isinstance(value, torch.Tensor))

    def notes(self, program):
        """What the first call passes or returns that is not a tensor."""
        passed = self.constants()
        notes = [f"{self._entry}: {', '.join(passed)} in this model, as the first call passes"] if passed else []
        kept = [f"'{name}' is {spec.value!r}" for name, spec in _results(program) if isinstance(spec, ConstantArgument)]
        return [*notes, f"{self._entry}: {', '.join(kept)} in what the program returns, and the model leaves it out"] if kept else notes

    def _said(self, place):
        number, _, rest = place[1:].partition("]")
        name = self._names[int(number)] if int(number) < len(self._names) else f"argument {number}"
        return f"'{name}{rest}'" if int(number) < len(self._names) else f"{name}{rest}"


def _compiled_for(value):
    return f"the model is compiled for {value!r}, as in the first call: give this one a Case of its own"


def _kind(value):
    return "a tensor" if isinstance(value, torch.Tensor) else repr(value)


# ---- results ----


def _results(program):
    """(name, what torch.export says of it) of each result: keys of dicts, fields of classes, or their numbers."""
    specs = [spec.arg for spec in program.graph_signature.output_specs if spec.kind is OutputKind.USER_OUTPUT]
    places = pytree.tree_flatten_with_path(pytree.tree_unflatten(range(len(specs)), program.call_spec.out_spec))[0]
    return [(_joined(path), spec) for (path, _), spec in zip(places, specs, strict=True)]


def result_names(program):
    """Names of the results that are tensors."""
    names = [name for name, spec in _results(program) if isinstance(spec, (TensorArgument, SymIntArgument))]
    return ["out"] if len(names) == 1 and names[0].isdigit() else [f"out_{name}" if name[:1].isdigit() else name for name in names]


def _joined(path):
    return "_".join(str(next(getattr(key, part) for part in ("key", "name", "idx") if hasattr(key, part))) for key in path) or "0"


def tensor_results(program, results, where):
    """The results of a call in eager mode that the model returns, too. Others must be what torch.export made constants."""
    found = pytree.tree_leaves(results)
    wanted = [spec for _, spec in _results(program)]
    if len(found) != len(wanted):
        raise CaptureError(f"{where} returns {len(found)} values, and the model {len(wanted)}")
    tensors = []
    for value, spec in zip(found, wanted):
        if isinstance(spec, ConstantArgument) and not is_same(spec.value, value):
            raise CaptureError(f"{where} returns {_kind(value)}, and {_compiled_for(spec.value)}")
        if isinstance(spec, TensorArgument):
            tensors.append(value)
    return tensors
