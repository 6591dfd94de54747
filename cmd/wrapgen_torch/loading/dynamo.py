# SPDX-License-Identifier: MIT
"""What the bytecode that Dynamo writes calls of torch._dynamo, which load() does not import: each function under Dynamo's name, and does
the same."""

import itertools
import operator
import threading
import types


def _attributes_of(target):
    kind = threading.local if isinstance(target, threading.local) else object
    return kind.__getattribute__(target, "__dict__")


def _set_attribute(target, name, value, local=threading.local, dict_of=object.__getattribute__):
    """A whole model sets some hundreds in a call, so this does by itself what _attributes_of() does."""
    (_attributes_of(target) if isinstance(target, local) else dict_of(target, "__dict__"))[name] = value


def _delete_attribute(target, name):
    del _attributes_of(target)[name]


def _nested_function(code, namespace, name, defaults, closure, keyword_defaults, annotations):
    made = types.FunctionType(code, namespace, name, defaults, closure)
    made.__kwdefaults__ = keyword_defaults
    if isinstance(annotations, tuple):
        annotations = dict(zip(annotations[::2], annotations[1::2], strict=True))
    made.__annotations__ = annotations
    return made


PROVIDED = {
    "torch._dynamo.utils": {
        "call_size": lambda tensor, dim: tensor.size(dim),
        "call_storage_offset": operator.methodcaller("storage_offset"),
        "call_stride": lambda tensor, dim: tensor.stride(dim),
        "dict_getitem": dict.__getitem__,
        "dict_keys_getitem": lambda values, number: next(itertools.islice(dict.keys(values), number, number + 1)),
        "iter_next": next,
        "list_getitem": list.__getitem__,
        "make_cell": lambda value=None: types.CellType(value),
        "object_delattr_ignore_descriptor": _delete_attribute,
        "object_new": object.__new__,
        "object_setattr_ignore_descriptor": _set_attribute,
        "record_pregraph_bytecode_enter": lambda: None,  # these two take times for a profiler
        "record_pregraph_bytecode_exit": lambda _: None,
        "set_getitem": lambda values, number: list(values)[number],
    },
    "torch._dynamo.variables.functions": {"_create_nested_fn": _nested_function},
}


def provided(module):
    """In place of the module of that name, for the bytecode."""
    return types.SimpleNamespace(**PROVIDED[module])
