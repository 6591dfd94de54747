# SPDX-License-Identifier: MIT
"""Bytecode that Dynamo wrote without what it reads for its graph: of a whole model that is more than half of it, and guarded() has read
the same places, and has run the graph, before the bytecode runs."""

import sys

from ..upstream import transform_code_object
from .frames import COMPILED

# How many values each leaves on the stack. What is not here may do something.
_READS = {
    "COPY": 1,
    "DUP_TOP": 1,  # 3.10
    "LOAD_CONST": 1,
    "LOAD_DEREF": 1,
    "LOAD_FAST": 1,
    "LOAD_FAST_BORROW": 1,  # 3.14
    "LOAD_FAST_CHECK": 1,  # 3.12
    "LOAD_GLOBAL": 1,
    "LOAD_SMALL_INT": 1,  # 3.14
    "LOAD_ATTR": 0,
    "NOP": 0,
    "BINARY_SUBSCR": -1,
    "STORE_FAST": -1,
}
_TAKES = {"DUP_TOP": 1, "LOAD_ATTR": 1, "BINARY_SUBSCR": 2, "STORE_FAST": 1}  # and how many there must be; COPY says it itself
_CALLS = ("PRECALL", "CALL", "CALL_FUNCTION")  # of 3.11, from 3.11 on, of 3.10
_WITH_NULL = {"LOAD_GLOBAL": (3, 11), "LOAD_ATTR": (3, 12)}  # from then on an odd argument says so: for a call


class _Whole(Exception):
    """It stays as it is."""


def without_inputs(code):
    """The code with no argument in the call of its graph. It is `code` itself if something else is done where they are read, or what is
    read there is used again."""
    if not _is_hashable(code):
        return code
    try:
        made, _ = transform_code_object(code, _prune)
    except _Whole:
        return code
    return made


def _is_hashable(code):
    """Dynamo's assembler remembers code by its hash, and Dynamo gives some a dict as a constant: the annotations of a function that is made."""
    try:
        return hash(code) is not None
    except TypeError:
        return False


def _prune(instructions, _):
    first, after = _arguments(instructions)
    dropped = instructions[first:after]
    stored = {one.argval for one in dropped if one.opname == "STORE_FAST"}
    rest = [one for one in instructions[after:] if one.opname != "DELETE_FAST" or one.argval not in stored]
    left = {id(one) for one in (*instructions[:first], *rest)}
    used = any(stored.intersection(_locals(one)) for one in (*instructions[:first], *rest))
    if used or any(one.exn_tab_entry for one in dropped) or any(id(one) not in left for place in instructions for one in _pointed_to(place)):
        raise _Whole
    for one in rest[: 2 if rest[0].opname == "PRECALL" else 1]:
        one.arg = one.argval = 0
    instructions[first:] = rest


def _locals(one):
    """Names of those that it reads or writes; from 3.13 on one instruction may do so with two."""
    if "_FAST" not in one.opname:
        return ()
    return one.argval if isinstance(one.argval, tuple) else (one.argval,)


def _arguments(instructions):
    """(where they begin, where the call is), if they are only read."""
    graphs = [at for at, one in enumerate(instructions) if one.opname == "LOAD_GLOBAL" and one.argval.startswith(COMPILED)]
    if len(graphs) != 1:
        raise _Whole
    first = graphs[0] + 1
    if instructions[first].opname == "PUSH_NULL":  # from 3.13 on, after what is called
        first += 1
    depth = 0
    for at, one in enumerate(instructions[first:], first):
        if one.opname in _CALLS and one.arg == depth > 0:
            return first, at
        least = one.arg if one.opname == "COPY" else _TAKES.get(one.opname, 0)
        if one.opname not in _READS or depth < least or _is_for_call(one):
            raise _Whole
        depth += _READS[one.opname]
    raise _Whole


def _is_for_call(one):
    return one.opname in _WITH_NULL and sys.version_info >= _WITH_NULL[one.opname] and bool(one.arg & 1)


def _pointed_to(one):
    """The instructions that it jumps to, or where exceptions begin or end to be caught, or are."""
    entry = one.exn_tab_entry
    return [place for place in (one.target, *((entry.start, entry.end, entry.target) if entry else ())) if place is not None]
