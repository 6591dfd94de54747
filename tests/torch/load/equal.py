# SPDX-License-Identifier: MIT
"""A test of equality is written as text and read again. It must hold for the value that was written, and for no other one here."""

import json

import torch
from wrapgen_torch.ahead.equal_text import facts_of
from wrapgen_torch.loading.frames import Places
from wrapgen_torch.loading.tests import rows_of, value_test

_INFINITE, _NAN = float("inf"), float("nan")
_VALUES = (None, False, True, 0, 1, 0.0, -0.0, 1.0, _INFINITE, -_INFINITE, 0j, 1j, complex(-0.0, 1), _NAN, complex(0.0, -_INFINITE), complex(0.0, _NAN),
           "", "inf", "1j", "(1j)", "set()", "torch.float32", (), (1, 2), (True, 2), (1.0, 2), ((1,), 2), (0.0,), (-0.0,), ("j)",), (1j, 2), (1j, True), set(), {1, 2}, {True, 2},
           {1.0, 2}, torch.float32, torch.int64, torch.device("cpu"), torch.device("cuda", 0), torch.device("cuda", 1))  # fmt: skip
_NOT_WRITTEN = ((_INFINITE,), (complex(-0.0, 1),), [1], {"a": 1}, range(3), object())


def _test_of(value):
    return json.loads(json.dumps({"test": "equals_match", "of": ["x", []], **facts_of(repr(value))}))


def each_value_is_equal_to_itself_alone():
    for number, value in enumerate(_VALUES):
        test = _test_of(value)
        hold, _ = value_test(test, ["x"])
        ((kind, _, operand),) = rows_of([test], Places(["x"], [test["of"]]))
        for other_number, other in enumerate(_VALUES):
            assert hold((other,)) is (number == other_number), (value, other)
            assert kind != "holds" or operand[0](other) is (number == other_number), (value, other)
        assert kind != "equal" or type(operand) is type(value) and repr(operand) == repr(value), (value, operand)


def what_has_no_text_is_refused():
    assert [value for value in _NOT_WRITTEN if facts_of(repr(value)) is not None] == []


TESTS = [(f"equal: {test.__name__}", test) for test in (each_value_is_equal_to_itself_alone, what_has_no_text_is_refused)]
