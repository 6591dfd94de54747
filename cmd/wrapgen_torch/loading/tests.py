# SPDX-License-Identifier: MIT
"""Tests of a call: the guards of one graph (ahead/guards.py), and what no guard of Dynamo's says because Dynamo itself would
not run: modes under which a compiled graph does something else than the program.

Tensors and the global state are tested by PyTorch's own C++, that which Dynamo's guards use.
"""

import ast

import torch
import torch.utils._device
from torch._C._dynamo.guards import GlobalStateGuard, TensorGuards

from .frames import Absent, picker, reader, text_of

_hooks = torch._C._autograd._top_saved_tensors_default_hooks
_function_modes = torch._C._len_torch_function_stack
_dispatch_modes = torch._C._len_torch_dispatch_stack
_inference_mode = torch.is_inference_mode_enabled
_device = torch.utils._device


class Surroundings:
    """What is around a call."""

    def __init__(self, tests):
        (state,) = [test["state"] for test in tests if test["test"] == "global_state"]
        self._guard = GlobalStateGuard()
        self._guard.__setstate__(state)
        self._check = self._guard.check

    def hold(self):
        return (
            self._check()
            and not _function_modes()
            and not _dispatch_modes()
            and not _inference_mode()
            and _hooks(True) is None
            and _device.CURRENT_DEVICE is None
        )

    def why_not(self):
        """Text, or None if they hold."""
        modes = [
            (_function_modes(), "a torch function mode is on"),
            (_dispatch_modes(), "a torch dispatch mode is on"),
            (_inference_mode(), "inference mode is on"),
            (_hooks(True) is not None, "there are hooks for saved tensors"),
            (_device.CURRENT_DEVICE is not None, f"the default device is {_device.CURRENT_DEVICE}"),
        ]
        for wrong, text in modes:
            if wrong:
                return text
        return None if self._check() else f"{', '.join(self._guard.reason().split())} differs from when it was built"


class Tensors:
    """All tensors that Dynamo tested. Made when a call is made under the right global state, of which it is part."""

    def __init__(self, tests):
        self.paths = [test["of"] for test in tests]
        self._tests = tests
        self._texts = [text_of(path) for path in self.paths]
        self._guards = None

    def _made(self):
        if self._guards is None:
            self._guards = TensorGuards(
                *[_example(test) for test in self._tests],
                dynamic_dims_sizes=[test["size"] for test in self._tests],
                dynamic_dims_strides=[test["stride"] for test in self._tests],
            )
            self.check = self._guards.check
        return self._guards

    def check(self, *tensors):
        return self._made().check(*tensors)

    def why_not(self, tensors):
        said = self._made().check_verbose(*tensors, tensor_check_names=self._texts)
        return None if said is True or not said else str(said)


class Values:
    """All other tests of values, over what Reads reads. Types are compared at once, once they were found to have the right names;
    and so are the plain values."""

    def __init__(self, tests, reads):
        placed = [(reads.add(test["of"]), test) for test in tests]
        placed = [(at, test) for at, test in placed if at is not None]
        equal = [(at, _value_of(test)) for at, test in placed if test["test"] == "equals_match"]
        self._named = [(at, test["type"]) for at, test in placed if test["test"] == "type_match"]
        self._typed = picker([at for at, _ in self._named] + [at for at, _ in equal])
        self._plain_types = tuple(type(value) for _, value in equal)
        self._equal = picker([at for at, _ in equal])
        self._expected = tuple(value for _, value in equal)
        self._types = None
        self._others = []
        for at, test in placed:
            if test["test"] == "same_object":
                other = reads.add(test["other"])
                if other is not None:
                    self._others.append(_same(at, other))
            elif test["test"] not in ("equals_match", "type_match"):
                self._others.append(_at(at, _KINDS[test["test"]](test, ())[0]))

    def hold(self, values):
        types = tuple(map(type, self._typed(values)))
        if types != self._types and not self._names_hold(types):
            return False
        if self._equal(values) != self._expected:
            return False
        for hold in self._others:
            if not hold(values):
                return False
        return True

    def _names_hold(self, types):
        count = len(self._named)
        if types[count:] != self._plain_types:
            return False
        if any(name_of(kind) != wanted for kind, (_, wanted) in zip(types, self._named)):
            return False
        self._types = types
        return True


def _at(at, hold):
    return lambda values: hold(values[at], values)


def _same(at, other):
    return lambda values: values[at] is values[other]


def _example(test):
    size = [2 if number is None else number for number in test["size"]]
    made = torch.empty_strided(size, [1 if number is None else number for number in test["stride"]], dtype=getattr(torch, test["dtype"]))
    if test["parameter"]:
        return torch.nn.Parameter(made, requires_grad=test["requires_grad"])
    return made.requires_grad_(test["requires_grad"])


def value_test(test, names):
    """(frame -> bool, frame -> text that says what differs) of a test of one value."""
    read = reader(test["of"], names)
    hold, words = _KINDS[test["test"]](test, names)
    place = text_of(test["of"])
    if isinstance(test["of"][0], str):
        return (lambda frame: hold(read(frame), frame)), (lambda frame: f"{place} is {_shown(read(frame))}, not {words}")

    def loaded(frame):
        try:
            return hold(read(frame), frame)
        except Absent:
            return True

    return loaded, (lambda frame: f"{place} is {_shown(read(frame))}, not {words}")


def _shown(value):
    plain = isinstance(value, (type(None), bool, int, float, str, torch.dtype))
    text = repr(value) if plain else f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."


def _value_of(test):
    return getattr(torch, test["dtype"]) if "dtype" in test else ast.literal_eval(test["value"])


def _equals_match(test, _):
    value = _value_of(test)
    if value is None or value is True or value is False:
        return (lambda found, _: found is value), repr(value)
    kind = type(value)
    return (lambda found, _: type(found) is kind and found == value), repr(value)


def _type_match(test, _):
    wanted = test["type"]
    known = set()  # types that are of this name

    def hold(found, _):
        kind = type(found)
        if kind in known:
            return True
        if name_of(kind) == wanted:
            known.add(kind)
            return True
        return False

    return hold, f"of type {wanted}"


def name_of(kind):
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _same_object(test, names):
    other = reader(test["other"], names)
    return (lambda found, frame: found is other(frame)), f"the same object as {text_of(test['other'])}"


_KINDS = {
    "equals_match": _equals_match,
    "type_match": _type_match,
    "same_object": _same_object,
    "not_none": lambda test, _: ((lambda found, _: found is not None), "something"),
    "length_check": lambda test, _: ((lambda found, _: len(found) == test["length"]), f"of length {test['length']}"),
    "dict_contains": lambda test, _: (
        (lambda found, _: (test["key"] in found) is test["there"]),
        f"{'with' if test['there'] else 'without'} {test['key']!r}",
    ),
}
