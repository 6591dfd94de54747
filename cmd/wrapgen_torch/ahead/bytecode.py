# SPDX-License-Identifier: MIT
"""What Dynamo made of a function, read as data: where each input of the graph comes from, and what is returned.

Dynamo replaces a function by bytecode that reads the inputs out of the arguments, calls the graph, puts the returned value
together, and repeats whatever else the function did: list appends, attributes, calls. That bytecode is run here, on symbols, in the words
of CPython 3.11 (opcodes.py).
Up to the call of the graph, every instruction that is not known here is refused by its name, and every call. If all that follows is known,
too, what is returned is data. Otherwise the bytecode is kept (keeping.py), but for the reads (pruning.py). So an effect cannot be missed.
"""

import collections
import sys
import types
from dataclasses import dataclass, field, is_dataclass

import torch

from ..errors import CaptureError
from ..loading.data import PLAIN
from ..loading.frames import CONSTANTS, text_of
from .frames import COMPILED
from .opcodes import DYNAMO, instructions

_READS = {"call_size": "size", "call_stride": "stride", "call_storage_offset": "storage_offset"}
_IGNORED = {"record_pregraph_bytecode_enter", "record_pregraph_bytecode_exit"}  # they take times for a profiler
_UTILS = "torch._dynamo.utils"
_ALIAS = "__import_"  # begins the global under which Dynamo puts a module into another one's globals
_NONE = object()  # what the calls that are ignored return, and the null below a callable
_RETURNED = (*PLAIN, *(kind for kind, _, _ in CONSTANTS.values()))
_SETS_ATTRIBUTE = {(_UTILS, "object_setattr_ignore_descriptor"), ("builtins", "object.__setattr__")}
_CHANGES = ("update", "clear", "pop", "__setitem__", "__delitem__")  # of dicts
_INSTEAD = "; return the new value, or keep it in a buffer that is written in place, as by copy_()"
_MAKE = collections.namedtuple("_Pair", "a")._make.__func__.__code__  # what each namedtuple has that does not override it


@dataclass(frozen=True)
class Read:
    """A value of the call: an argument by its name, or a Module of Python, then steps ("attr", name), ("item", key), ("size", dim), ... The
    step ("tensor", None) makes a tensor of a float, as Dynamo gives one to a graph."""

    name: object
    steps: tuple = ()

    def then(self, *step):
        return Read(self.name, (*self.steps, step))


@dataclass(frozen=True)
class Module:
    name: str


@dataclass(frozen=True)
class Constant:
    value: object


@dataclass(frozen=True)
class Output:
    position: int


@dataclass(eq=False)
class Built:
    """A tuple, list, dict, namedtuple or dataclass that the bytecode makes; `keys` are the dict's, or the names of the fields of the
    class `of`."""

    kind: str
    items: list
    keys: list = field(default_factory=list)
    of: type | None = None


@dataclass(frozen=True)
class _Global:
    name: str
    steps: tuple = ()


class _Results:
    """What the graph returns."""


@dataclass(frozen=True)
class Kept:
    """What is returned is not data, and `why`."""

    why: str


@dataclass
class Frame:
    inputs: list  # Read of each input of the graph
    returned: object  # Read, Constant, Output, or Built of these; or Kept


def _shown(value):
    return text_of(path_of(value)) if isinstance(value, Read) else repr(value)


def path_of(read):
    """A Read as tests have it."""
    assert isinstance(read, Read)
    return [{"module": read.name.name} if isinstance(read.name, Module) else read.name, [list(step) for step in read.steps]]


def read_frame(code, names, of_globals, module):
    """The Frame of Dynamo's `code`. `names` are those of the arguments, `module` the name of the module whose globals it has, or None.
    CaptureError names what it does before the graph that is not data."""
    if sys.version_info < (3, 11):  # whose instructions and code objects are others
        raise CaptureError(f"what is called without Dynamo is built with Python 3.11 or later, and this is {sys.version.split()[0]}")
    machine = _Machine(code, names, of_globals, module)
    try:
        return machine.run()
    except CaptureError as problem:
        if machine.called is None:
            raise
        return Frame(machine.called, Kept(str(problem)))


CONTENTS = ("attr", "cell_contents")  # the step to a variable of the closure, whose cell is in the frame


class _Machine:
    def __init__(self, code, names, of_globals, module):
        self._code = code
        self._globals = of_globals
        self._module = module
        self._locals = {name: Read(name) for name in names} | {name: Read(name, (CONTENTS,)) for name in code.co_freevars}
        self._stack = []
        self.called = None  # the inputs of the graph, from its call on

    def run(self):
        for instruction in instructions(self._code):
            act = getattr(self, f"_{instruction.opname.lower()}", None)
            if act is None:
                self._refuse(f"it does {instruction.opname}{f' of {instruction.argrepr}' if instruction.argrepr else ''}")
            if act(instruction):
                break
        else:
            self._refuse("it does not return")
        returned = self._stack.pop()
        if self.called is None:
            self._refuse("it calls no graph")
        self._check(returned, set())
        return Frame(self.called, returned)

    def _refuse(self, why):
        raise CaptureError(f"{self._code.co_name} does more than call its graph, so it is not loaded without Dynamo: {why}")

    def _check(self, value, seen):
        """What is returned is data, and a container stands in one place only."""
        if isinstance(value, Built):
            if id(value) in seen:
                self._refuse("it returns one container in two places")
            seen.add(id(value))
            for item in value.items:
                self._check(item, seen)
            if any(type(key) not in PLAIN for key in value.keys):
                self._refuse(f"it returns a dict with the keys {value.keys}")
            if value.kind == "dataclass" and sorted(value.keys) != sorted(value.of.__dataclass_fields__):
                self._refuse(f"it returns a {value.of.__name__} with the attributes {', '.join(value.keys)}")
        elif isinstance(value, Constant):
            if type(value.value) not in _RETURNED:
                self._refuse(f"it returns {value.value!r}")
        elif not isinstance(value, (Read, Output)):
            self._refuse(f"it returns {value!r}")

    # ---- instructions ----

    def _resume(self, _):
        pass

    # A local that a nested function reads is in a cell, and is read like any other. What EXTENDED_ARG extends has the whole argument already.
    _nop = _cache = _precall = _copy_free_vars = _make_cell = _extended_arg = _resume

    def _push_null(self, _):
        self._stack.append(_NONE)

    def _load_const(self, instruction):
        self._stack.append(Constant(instruction.argval))

    def _load_fast(self, instruction):
        if instruction.argval not in self._locals:
            self._refuse(f"it reads '{instruction.argval}', which is none of its arguments")
        self._stack.append(self._locals[instruction.argval])

    def _store_fast(self, instruction):
        self._locals[instruction.argval] = self._stack.pop()

    def _delete_fast(self, instruction):
        del self._locals[instruction.argval]

    _load_deref = _load_fast

    def _store_deref(self, instruction):
        if instruction.argval in self._code.co_freevars:
            self._refuse(f"it writes to '{instruction.argval}' of its closure")
        self._store_fast(instruction)

    def _delete_deref(self, instruction):
        if instruction.argval in self._code.co_freevars:
            self._refuse(f"it deletes '{instruction.argval}' of its closure")
        self._delete_fast(instruction)

    def _load_global(self, instruction):
        self._stack.append(self._read_of(_Global(instruction.argval)))

    def _read_of(self, made):
        """A global that is data is read like an argument; others are code, and part of the program, or Dynamo's own."""
        if DYNAMO.fullmatch(made.name) and not made.name.startswith(_ALIAS):
            return made
        value, root, steps = self._globals.get(made.name), self._module, [("attr", made.name)]
        for name in made.steps:
            if isinstance(value, types.ModuleType):
                if sys.modules.get(value.__name__) is not value:
                    return made  # no name finds it
                root, steps = value.__name__, []
            value = getattr(value, name, None)
            steps.append(("attr", name))
        is_code = isinstance(value, types.ModuleType) or callable(value) and not isinstance(value, torch.nn.Module)
        return made if is_code or value is None or root in ("__main__", None) else Read(Module(root), tuple(steps))

    def _load_attr(self, instruction):
        base = self._stack.pop()
        if isinstance(base, Read):
            self._stack.append(base.then("attr", instruction.argval))
        elif isinstance(base, _Global):
            self._stack.append(self._read_of(_Global(base.name, (*base.steps, instruction.argval))))
        else:
            self._refuse(f"it reads the attribute {instruction.argval} of {base!r}")

    def _load_method(self, instruction):
        if isinstance(self._stack[-1], Read):
            self._refuse(f"it calls {instruction.argval} of {_shown(self._stack[-1])}{_INSTEAD if instruction.argval in _CHANGES else ''}")
        if not isinstance(self._stack[-1], _Global):
            self._refuse(f"it calls {instruction.argval} of {self._stack[-1]!r}")
        self._stack.insert(-1, _NONE)
        self._load_attr(instruction)

    def _binary_subscr(self, _):
        key, base = self._stack.pop(), self._stack.pop()
        key = key.value if isinstance(key, Constant) else key
        if isinstance(base, _Results) and type(key) is int:
            self._stack.append(Output(key))
        elif isinstance(base, Read) and type(key) in (int, str, bool):
            self._stack.append(base.then("item", key))
        else:
            self._refuse(f"it reads item {key!r} of {base!r}")

    def _build_slice(self, instruction):
        """Only of a list whose items become those of another one."""
        self._refuse(f"it changes the list {_shown(self._stack[-instruction.arg - 1])}{_INSTEAD}")

    def _unpack_sequence(self, instruction):
        if not isinstance(self._stack.pop(), _Results):
            self._refuse("it unpacks a sequence")
        self._stack += [Output(position) for position in reversed(range(instruction.arg))]

    def _copy(self, instruction):
        self._stack.append(self._stack[-instruction.arg])

    def _swap(self, instruction):
        stack, at = self._stack, -instruction.arg
        stack[-1], stack[at] = stack[at], stack[-1]

    def _pop_top(self, _):
        self._stack.pop()

    def _taken(self, count):
        taken = self._stack[len(self._stack) - count :]
        del self._stack[len(self._stack) - count :]
        return taken

    def _build_tuple(self, instruction):
        self._stack.append(Built("tuple", self._taken(instruction.arg)))

    def _build_list(self, instruction):
        self._stack.append(Built("list", self._taken(instruction.arg)))

    def _build_map(self, instruction):
        pairs = self._taken(2 * instruction.arg)
        keys = [key.value if isinstance(key, Constant) else key for key in pairs[::2]]
        self._stack.append(Built("dict", pairs[1::2], keys))

    def _build_const_key_map(self, instruction):
        keys = self._stack.pop().value
        self._stack.append(Built("dict", self._taken(instruction.arg), list(keys)))

    def _list_extend(self, instruction):
        items = self._stack.pop()
        if not isinstance(items, Built) or items.kind == "dict":
            self._refuse(f"it puts the items of {items!r} into a list")
        self._stack[-instruction.arg].items.extend(items.items)

    def _call(self, instruction):
        arguments = self._taken(instruction.arg)
        pair = self._taken(2)
        function = next((one for one in pair if one is not _NONE), None)
        if pair.count(_NONE) == 1 and isinstance(function, _Global):
            self._stack.append(self._result_of(function, arguments))
        elif pair.count(_NONE) == 1 and isinstance(function, Constant):
            self._stack.append(self._named_tuple(function.value, arguments))
        else:
            self._refuse(f"it calls {function!r}")

    def _named_tuple(self, make, arguments):
        kind = getattr(make, "__self__", None)
        code = getattr(getattr(make, "__func__", None), "__code__", None)
        (given,) = arguments if len(arguments) == 1 else (None,)
        if code is not _MAKE or not isinstance(given, Built) or given.kind != "tuple" or len(given.items) != len(kind._fields):
            self._refuse(f"it calls {make!r}")
        return Built("namedtuple", given.items, list(kind._fields), kind)

    def _data_object(self, kind):
        """A dataclass without its attributes: object.__new__ ignores all arguments but the first."""
        if type(kind) is not type or not is_dataclass(kind) or kind.__new__ is not object.__new__ or "__slots__" in kind.__dict__:
            self._refuse(f"it makes a {kind!r}")
        return Built("dataclass", [], [], kind)

    def _set_attribute(self, made, name, value):
        """Does what sets an attribute, if it is of an object that is made here; else False."""
        if not isinstance(made, Built) or made.kind != "dataclass" or not isinstance(name, Constant) or name.value in made.keys:
            return False
        made.keys.append(name.value)
        made.items.append(value)
        return True

    def _result_of(self, function, arguments):
        if function.name.startswith(COMPILED) and not function.steps:
            if self.called is not None:
                self._refuse("it calls two graphs")
            for argument in arguments:
                if not isinstance(argument, Read):
                    self._refuse(f"the graph gets {argument!r}, which is not an argument")
            self.called = arguments
            return _Results()
        module = self._globals.get(function.name)
        name = ".".join(function.steps)
        if isinstance(module, types.ModuleType) and module.__name__ == _UTILS:
            if name in _IGNORED:
                return _NONE
            if name in _READS and isinstance(arguments[0], Read):
                return arguments[0].then(_READS[name], *(one.value for one in arguments[1:]))
        if module is torch and name == "_as_tensor_fullprec" and isinstance(arguments[0], Read):
            return arguments[0].then("tensor", None)
        if isinstance(module, types.ModuleType) and (module.__name__, name) in _SETS_ATTRIBUTE:
            if self._set_attribute(*arguments):
                return _NONE
            name = arguments[1].value if isinstance(arguments[1], Constant) else arguments[1]
            self._refuse(f"it sets the attribute '{name}' of {_shown(arguments[0])}{_INSTEAD}")
        if isinstance(module, type) and name == "__new__" and arguments[0] == _Global(function.name):
            return self._data_object(module)
        return self._refuse(f"it calls {'.'.join((function.name, *function.steps))}")

    def _return_value(self, _):
        return True
