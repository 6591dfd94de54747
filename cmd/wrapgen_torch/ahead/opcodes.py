# SPDX-License-Identifier: MIT
"""The instructions of a code object under any Python, in the words of CPython 3.11's.

Later versions join two instructions in one, have a word of their own for a small number or a borrowed reference, and put the null of a call
on the other side of what is called. Here each becomes what it means. What has no line here is passed on under its own name, so whoever
reads the instructions refuses it by that name.
"""

import collections
import dis
import re
import sys

Instruction = collections.namedtuple("Instruction", "opname arg argval argrepr")

# One instruction that is another one, and one that is two, each with a name of its own.
_SAME = {
    "LOAD_FAST_BORROW": "LOAD_FAST",  # 3.14
    "LOAD_FAST_CHECK": "LOAD_FAST",  # 3.12: of a local that may not be there
    "LOAD_SMALL_INT": "LOAD_CONST",  # 3.14
    "NOT_TAKEN": "NOP",  # 3.14
}
_PAIRS = {
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": ("LOAD_FAST", "LOAD_FAST"),  # 3.14
    "LOAD_FAST_LOAD_FAST": ("LOAD_FAST", "LOAD_FAST"),  # 3.13, and so are those below
    "STORE_FAST_LOAD_FAST": ("STORE_FAST", "LOAD_FAST"),
    "STORE_FAST_STORE_FAST": ("STORE_FAST", "STORE_FAST"),
}
# The names that Dynamo gives to what it puts into the globals.
DYNAMO = re.compile(r"__(compiled_fn_|resume_at_|import_|builtins_dict__|gen_rand_values|warnings_warn_wrapper|nested_|_unnamed_scope_).*|.*_\d+_c\d+(_\d+)?")
_NULL = Instruction("PUSH_NULL", None, None, "")


def instructions(code):
    """All of `code`, in order."""
    cells = {*code.co_cellvars, *code.co_freevars}
    return [simple for one in dis.get_instructions(code) for simple in simplified(one, cells)]


def simplified(one, cells=(), version=sys.version_info):
    """What an instruction of that Python means; `cells` are the variables that are in one, which 3.13 reads like others."""
    name, arg, argval, argrepr = one.opname, one.arg, one.argval, one.argrepr
    if name in _PAIRS:
        parts = [Instruction(part, None, value, value) for part, value in zip(_PAIRS[name], argval)]
        return [simple for part in parts for simple in simplified(part, cells, version)]
    if name == "RETURN_CONST":  # 3.12 and 3.13
        return [Instruction("LOAD_CONST", arg, argval, argrepr), Instruction("RETURN_VALUE", None, None, "")]
    if name == "LOAD_GLOBAL" and version >= (3, 11) and arg & 1:
        read = Instruction(name, arg, argval, argval)
        return [read, _NULL] if version >= (3, 13) else [_NULL, read]
    if name == "LOAD_ATTR" and version >= (3, 12) and arg & 1:
        return [Instruction("LOAD_METHOD", arg, argval, argval)]
    if name == "BINARY_OP" and argrepr == "[]":  # 3.14
        return [Instruction("BINARY_SUBSCR", None, None, "")]
    name = _SAME.get(name, name)
    if name == "LOAD_FAST" and version >= (3, 13) and argval in cells:
        name = "LOAD_CLOSURE"
    return [Instruction(name, arg, argval, argrepr)]
