# SPDX-License-Identifier: MIT
"""The value with which a guard compares, read from Dynamo's text of it, and written as facts of a test (../loading/tests.py)."""

import ast
import re

import torch

from .bytecode import PLAIN


def facts_of(literal):
    """A mapping, for any plain value; None if it is the text of another value than the tests can have."""
    dtype = re.fullmatch(r"torch\.(\w+)", literal)
    if dtype and isinstance(getattr(torch, dtype[1]), torch.dtype):
        return {"dtype": dtype[1]}
    device = re.fullmatch(r"device\(type='(\w+)'(?:, index=(\d+))?\)", literal)
    if device:
        return {"device": device[1] if device[2] is None else f"{device[1]}:{device[2]}"}
    number = _number(literal)
    if number is not None:
        return {"number": parts_of(number)}
    try:
        value = ast.literal_eval(literal)
    except (SyntaxError, ValueError):
        return None
    if type(value) is set and value and _is_plain(value):
        return {"value": f"{{{', '.join(sorted(map(repr, value)))}}}"}  # the order of its elements is not one
    return {"value": literal} if _is_plain(value) and repr(value) == literal else None


def _number(literal):
    """A number that has no literal, as inf, or whose literal may be that of another one, as (-0+1j) is. None for all else."""
    if literal in ("inf", "-inf", "nan"):
        return float(literal)
    try:
        return complex(literal) if literal.endswith(("j", "j)")) else None
    except ValueError:
        return None  # a tuple


def parts_of(number):
    """What makes the number again, as text: a float, or the real and the imaginary part of a complex one."""
    return [repr(number)] if type(number) is float else [repr(number.real), repr(number.imag)]


def _is_plain(value):
    return type(value) in (*PLAIN, complex) or (type(value) in (tuple, set) and all(map(_is_plain, value)))
