# SPDX-License-Identifier: MIT
"""wrapgen_torch/ahead/opcodes.py under the Python that runs this, and 3.14's instructions as its documentation has them. Needs no PyTorch,
so that any Python can run it.

What a function does is written down here by hand, in the words of CPython 3.11, and each Python's compiler must come to it.
"""

import collections
import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent.parent
_spec = importlib.util.spec_from_file_location("opcodes_of_wrapgen_torch", ROOT / "cmd/wrapgen_torch/ahead/opcodes.py")
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)

_WITHOUT_EFFECT = {"RESUME", "PRECALL", "CACHE", "NOP", "EXTENDED_ARG", "COPY_FREE_VARS", "MAKE_CELL"}
_Given = collections.namedtuple("_Given", "opname arg argval argrepr")


def _pair(x, y):
    return x, y


def _stored(x, y):
    z = x
    w = y
    z = w
    return z


def _number():
    return 5


def _text():
    return "five"


def _called(x):
    return print(x)


def _method(x, y):
    return x.add(y)


def _attribute(x):
    return x.shape


def _item(x):
    return x[0]


def _closure(x):
    def inner():
        return x

    return inner


_X, _Y, _RETURN = ("LOAD_FAST", "x"), ("LOAD_FAST", "y"), ("RETURN_VALUE", None)
_EXPECTED = {
    _pair: [_X, _Y, ("BUILD_TUPLE", 2), _RETURN],
    _stored: [_X, ("STORE_FAST", "z"), _Y, ("STORE_FAST", "w"), ("LOAD_FAST", "w"), ("STORE_FAST", "z"), ("LOAD_FAST", "z"), _RETURN],
    _number: [("LOAD_CONST", 5), _RETURN],
    _text: [("LOAD_CONST", "five"), _RETURN],
    _called: [{("PUSH_NULL", None), ("LOAD_GLOBAL", "print")}, _X, ("CALL", 1), _RETURN],
    _method: [_X, ("LOAD_METHOD", "add"), _Y, ("CALL", 1), _RETURN],
    _attribute: [_X, ("LOAD_ATTR", "shape"), _RETURN],
    _item: [_X, ("LOAD_CONST", 0), ("BINARY_SUBSCR", None), _RETURN],
}  # fmt: skip

# What 3.14's documentation of dis says: (instruction, what it means).
_NEXT = [
    (("LOAD_FAST_BORROW", 0, "x", "x"), [("LOAD_FAST", "x")]),
    (("LOAD_FAST_BORROW_LOAD_FAST_BORROW", 1, ("x", "y"), "x, y"), [_X, _Y]),
    (("LOAD_SMALL_INT", 3, 3, ""), [("LOAD_CONST", 3)]),
    (("BINARY_OP", 26, 26, "[]"), [("BINARY_SUBSCR", None)]),
    (("BINARY_OP", 0, 0, "+"), [("BINARY_OP", 0)]),
    (("NOT_TAKEN", None, None, ""), [("NOP", None)]),
    (("LOAD_FAST_BORROW", 0, "cell", "cell"), [("LOAD_CLOSURE", "cell")]),
    (("LOAD_GLOBAL", 1, "print", "print + NULL"), [("LOAD_GLOBAL", "print"), ("PUSH_NULL", None)]),
    (("LOAD_SPECIAL", 0, 0, "__enter__"), [("LOAD_SPECIAL", 0)]),
]

# All of 3.14's instructions, as its documentation of dis has them, with those that it does not describe, like EXIT_INIT_CHECK.
DOCUMENTED = """BINARY_OP BINARY_SLICE BUILD_INTERPOLATION BUILD_LIST BUILD_MAP BUILD_SET BUILD_SLICE BUILD_STRING BUILD_TEMPLATE BUILD_TUPLE CACHE CALL
    CALL_FUNCTION_EX CALL_INTRINSIC_1 CALL_INTRINSIC_2 CALL_KW CHECK_EG_MATCH CHECK_EXC_MATCH CLEANUP_THROW COMPARE_OP CONTAINS_OP CONVERT_VALUE
    COPY COPY_FREE_VARS DELETE_ATTR DELETE_DEREF DELETE_FAST DELETE_GLOBAL DELETE_NAME DELETE_SUBSCR DICT_MERGE DICT_UPDATE END_ASYNC_FOR END_FOR
    END_SEND EXIT_INIT_CHECK EXTENDED_ARG FORMAT_SIMPLE FORMAT_WITH_SPEC FOR_ITER GET_AITER GET_ANEXT GET_AWAITABLE GET_ITER GET_LEN
    GET_YIELD_FROM_ITER IMPORT_FROM IMPORT_NAME INTERPRETER_EXIT IS_OP JUMP_BACKWARD JUMP_BACKWARD_NO_INTERRUPT JUMP_FORWARD LIST_APPEND
    LIST_EXTEND LOAD_ATTR LOAD_BUILD_CLASS LOAD_COMMON_CONSTANT LOAD_CONST LOAD_DEREF LOAD_FAST LOAD_FAST_AND_CLEAR LOAD_FAST_BORROW
    LOAD_FAST_BORROW_LOAD_FAST_BORROW LOAD_FAST_CHECK LOAD_FAST_LOAD_FAST LOAD_FROM_DICT_OR_DEREF LOAD_FROM_DICT_OR_GLOBALS LOAD_GLOBAL
    LOAD_LOCALS LOAD_NAME LOAD_SMALL_INT LOAD_SPECIAL LOAD_SUPER_ATTR MAKE_CELL MAKE_FUNCTION MAP_ADD MATCH_CLASS MATCH_KEYS MATCH_MAPPING
    MATCH_SEQUENCE NOP NOT_TAKEN POP_EXCEPT POP_ITER POP_JUMP_IF_FALSE POP_JUMP_IF_NONE POP_JUMP_IF_NOT_NONE POP_JUMP_IF_TRUE POP_TOP
    PUSH_EXC_INFO PUSH_NULL RAISE_VARARGS RERAISE RESERVED RESUME RETURN_GENERATOR RETURN_VALUE SEND SETUP_ANNOTATIONS SET_ADD
    SET_FUNCTION_ATTRIBUTE SET_UPDATE STORE_ATTR STORE_DEREF STORE_FAST STORE_FAST_LOAD_FAST STORE_FAST_STORE_FAST STORE_GLOBAL STORE_NAME
    STORE_SLICE STORE_SUBSCR SWAP TO_BOOL UNARY_INVERT UNARY_NEGATIVE UNARY_NOT UNPACK_EX UNPACK_SEQUENCE WITH_EXCEPT_START
    YIELD_VALUE""".split()
# Those that mean in 3.14 what wrapgen_torch/ahead/bytecode.py takes them for: each was read in that documentation.
READ = """BUILD_LIST BUILD_MAP BUILD_SLICE BUILD_TUPLE CACHE CALL COPY COPY_FREE_VARS DELETE_DEREF DELETE_FAST EXTENDED_ARG LIST_EXTEND LOAD_ATTR
    LOAD_CONST LOAD_DEREF LOAD_FAST LOAD_FAST_BORROW LOAD_FAST_BORROW_LOAD_FAST_BORROW LOAD_FAST_CHECK LOAD_FAST_LOAD_FAST LOAD_GLOBAL
    LOAD_SMALL_INT MAKE_CELL NOP NOT_TAKEN POP_TOP PUSH_NULL RESUME RETURN_VALUE STORE_DEREF STORE_FAST STORE_FAST_LOAD_FAST
    STORE_FAST_STORE_FAST SWAP UNPACK_SEQUENCE""".split()


def documented():
    """(3.14's instruction, what it is in the words of 3.11) of each that DOCUMENTED has."""
    for name in DOCUMENTED:
        pair = name.count("_FAST") == 2
        yield name, _module.simplified(_Given(name, 0, ("x", "y") if pair else "x", "x"), (), (3, 14))


def _found(function):
    shown = [(one.opname, one.argval) for one in _module.instructions(function.__code__) if one.opname not in _WITHOUT_EFFECT]
    places = [i for i in range(len(shown) - 1) if {shown[i][0], shown[i + 1][0]} == {"PUSH_NULL", "LOAD_GLOBAL"}]
    for i in reversed(places):  # where the null is, is each Python's own
        shown[i : i + 2] = [set(shown[i : i + 2])]
    return shown


def results():
    """(good, name, what was found) of each test."""
    if sys.version_info >= (3, 11):
        for function, expected in _EXPECTED.items():
            found = _found(function)
            yield found == expected, f"opcodes: {function.__name__[1:]}", f"{found} is not {expected}"
        found = [name for name, value in filter(lambda one: type(one) is tuple, _found(_closure)) if value == "x"]
        yield found == ["LOAD_CLOSURE"], "opcodes: what a closure holds is a cell, not its value", str(found)
        nulls = [one.opname for one in _module.instructions(_called.__code__) if one.opname in ("PUSH_NULL", "LOAD_GLOBAL")]
        order = ["LOAD_GLOBAL", "PUSH_NULL"] if sys.version_info >= (3, 13) else ["PUSH_NULL", "LOAD_GLOBAL"]
        yield nulls == order, "opcodes: the null of a call is where this Python puts it", str(nulls)
    for given, expected in _NEXT:
        found = [(one.opname, one.argval) for one in _module.simplified(_Given(*given), {"cell"}, (3, 14))]
        yield found == expected, f"opcodes: 3.14's {given[0]} of {given[2]}", str(found)


if __name__ == "__main__":
    bad = [(name, said) for good, name, said in results() if not good]
    for name, said in bad:
        print(f"not ok - {name}: {said}")
    print(f"{sum(1 for _ in results()) - len(bad)} passed, {len(bad)} failed, 0 skipped")
    sys.exit(bool(bad))
