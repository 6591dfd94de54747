# SPDX-License-Identifier: MIT
"""A test of equality is written as data and read again. It must hold for the value that was written, and for no other one here."""

import json

import refusals
import torch
from wrapgen_torch import CaptureError
from wrapgen_torch.ahead.guards import Guards
from wrapgen_torch.loading.frames import Places
from wrapgen_torch.loading.tests import rows_of, value_test

_INFINITE, _NAN = float("inf"), float("nan")
_VALUES = (None, False, True, 0, 1, 0.0, -0.0, 1.0, _INFINITE, -_INFINITE, 0j, 1j, complex(-0.0, 1), complex(0.0, -_INFINITE), "", "inf", "1j", "(1j)",
           "set()", "torch.float32", b"", b"inf", (), (1, 2), (True, 2), (1.0, 2), ((1,), 2), (0.0,), (-0.0,), (_INFINITE,), (_NAN,), ("j)",), (1j, 2),
           (1j, True), (complex(-0.0, 1),), set(), {1, 2}, {True, 2}, {1.0, 2}, frozenset(), frozenset({1, 2}), frozenset({True, 2}), torch.float32,
           torch.int64, torch.device("cpu"), torch.device("cuda", 0), torch.device("cuda", 1))  # fmt: skip
_NOT_A_NUMBER = ((_NAN, "FLOAT", "float", "math"), (complex(0.0, _NAN), "COMPLEX", "complex", "numpy"), (complex(_NAN, 0.0), "COMPLEX", "complex", "numpy"))
_NOT_DATA = ([1], {"a": 1}, range(3), slice(1, 2), object(), (1, [2]), torch.Size((1, 2)))


def _tests_of(value, guard):
    return json.loads(json.dumps(Guards(lambda x: x, ["x"], [], {}, {"x": value}).tests(refusals._Tree(f"+- {guard}"))))


def _tests():
    """(value, the test of it) of each that a guard can have."""
    for value in _VALUES:
        yield value, *_tests_of(value, f"EQUALS_MATCH: L['x'] == {value!r}")
    for value, kind, type_name, module in _NOT_A_NUMBER:
        yield value, *_tests_of(value, f"{kind}_IS_NAN: (type(L['x']) is {type_name} and __{module}_isnan(L['x']))")


def each_value_is_equal_to_itself_alone():
    written = list(_tests())
    for number, (value, test) in enumerate(written):
        hold, _ = value_test(test, ["x"])
        ((kind, _, operand),) = rows_of([test], Places(["x"], [test["of"]]))
        for other_number, (other, _) in enumerate(written):
            assert hold((other,)) is (number == other_number), (value, other)
            assert kind != "holds" or operand[0](other) is (number == other_number), (value, other)
        assert kind != "equal" or type(operand) is type(value) and repr(operand) == repr(value), (value, operand)


def what_is_not_data_is_refused():
    for value, text in [*((value, repr(value)) for value in _NOT_DATA), (1, "2"), (0.0, "-0.0"), ("a", "b")]:
        try:
            _tests_of(value, f"EQUALS_MATCH: L['x'] == {text}")
        except CaptureError as problem:
            assert "EQUALS_MATCH" in str(problem), problem
        else:
            raise AssertionError(f"{value!r} is not refused")


TESTS = [(f"equal: {test.__name__}", test) for test in (each_value_is_equal_to_itself_alone, what_is_not_data_is_refused)]
