# SPDX-License-Identifier: MIT
"""Tensor subclasses: SubclassCreationMeta trees as the `subclass` trees of the YAML.

A type is declared once, by the order of its attributes; one Python class whose instances have different attributes gets
several declarations. Types and flattening contexts are C symbols in the YAML; their meaning is kept in `types` (symbol
-> (class, names of the attributes)) and `contexts` (symbol -> (names of the attributes, context)).
"""

import torch
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from .errors import CaptureError
from .flat import returned_args, width
from .names import Names
from .ragged import is_nested, owner_of
from .upstream import OpaqueMeta, PlainTensorMeta, field, flat_count, symbol_args


class Subclasses:
    """The subclasses of one graph. `others`: those of another graph in the same document, whose names mean the same."""

    def __init__(self, symbols, ragged, others=None):
        self._symbols = symbols
        self._ragged = ragged
        self._names = others._names if others else Names()
        self._declared = others._declared if others else {}  # (class, attributes, kinds) -> name
        self._used = {}  # those of this graph, in the order in which it names them
        self.types = others.types if others else {}
        self.contexts = others.contexts if others else {}

    def declarations(self):
        result = []
        for key in self._used:
            (_, attributes, kinds), name = key, self._declared[key]
            attrs = [
                {"name": attribute, "kind": "opaque"} if kind == "opaque" else {"name": attribute}
                for attribute, kind in zip(attributes, kinds, strict=True)
            ]
            result.append({"name": name, "symbol": f"{name}_type", "attrs": attrs})
        return result

    def tree(self, meta, where, example=None, is_input=False, is_tangent=False, flat=None, values=None):
        """The entry of `meta`. `example` is the traced subclass, whose attributes' geometry is stated for inputs. `flat`: the
        nodes of its flat values, which tell whose its ragged size is; None in a backward, which is not told. `values`: what the
        flat values of a returned one are traced as."""
        kind = meta.original_subclass_type or type(meta.original_subclass)
        if is_input and kind.__name__ == "AsyncCollectiveTensor":
            raise CaptureError(f"{where}: an asynchronous collective within a subclass, for which PyTorch's wrapper does not wait: not done")
        name = self._declare(kind, meta)
        entry = {"type": name}
        if not is_input:
            entry["context"] = self._context(name, meta)
        if is_input and _outgrown(meta, example):
            entry["symints"] = False
        else:
            nested = self._ragged_name(meta, flat, values)
            text = self._symbols.passed if is_input and meta.included_subclass_symints else self._symbols.text
            entry["outer_size"] = self._outer(meta.outer_size, where, nested, text)
            entry["outer_stride"] = self._outer(meta.outer_stride, where, nested, text)
        if bool(meta.included_subclass_symints) == is_tangent:
            entry["symints"] = bool(meta.included_subclass_symints)
        if is_tangent:
            self._format(entry, meta.memory_format, where)
        for key in () if is_tangent else ("outer_size_from", "outer_stride_from"):
            attribute = field(meta, f"{key}_attr", None)
            if attribute is not None:
                entry[key] = attribute
        entry["inner"] = []
        nested = self._ragged_name(meta, flat, values)
        owner = owner_of(meta.attrs) if nested is not None else None
        for attribute, child in meta.attrs.items():
            inner = self._inner(attribute, child, where, example, is_input, is_tangent, flat, values)
            if attribute == owner and not isinstance(child, OpaqueMeta):
                inner["owns"] = nested
            entry["inner"].append(inner)
            count = flat_count(child) if values is None else width(child, values)
            flat, values = flat and flat[count:], values and values[count:]
        return entry

    def _inner(self, attribute, child, where, example, is_input, is_tangent, flat, values):
        entry = {"attr": attribute}
        where = f"{where}.{attribute}"
        value = None if example is None else getattr(example, attribute)
        if isinstance(child, OpaqueMeta):
            return entry
        if not isinstance(child, PlainTensorMeta):
            return {**entry, **self.tree(child, where, value, is_input, is_tangent, flat, values)}
        if is_tangent:
            self._format(entry, child.memory_format, where)
        elif is_input and value is not None and value.layout == torch.strided:
            entry["size"] = self._symbols.texts(value.size(), where)
            entry["stride"] = self._symbols.texts(value.stride(), where)
        passed = symbol_args(child) if values is None else returned_args(child, values[0])
        if passed:
            entry["symbol_args"] = passed
        return entry

    def _outer(self, values, where, nested, text):
        return [self._nested(value, where, nested) if is_nested(value) else text(value, where) for value in values]

    def _nested(self, value, where, name):
        factor = self._ragged.factor(value, where)
        return "nested" if name is None else name if factor == 1 else f"{name}*{factor}"

    def _ragged_name(self, meta, flat, values):
        return None if flat is None else self._ragged.name_of_tree(meta, flat, values)

    def _format(self, entry, form, where):
        if form is None:
            raise CaptureError(f"{where}: a tangent without a memory format")
        if form.memory_format is not None:
            entry["memory_format"] = str(form.memory_format).removeprefix("torch.").removesuffix("_format")
        else:
            entry["size"] = self._symbols.texts(form.size, where)
            entry["stride"] = self._symbols.texts(form.stride, where)

    def _declare(self, kind, meta):
        kinds = tuple("opaque" if isinstance(child, OpaqueMeta) else "tensor" for child in meta.attrs.values())
        key = (kind, tuple(meta.attrs), kinds)
        self._used[key] = True
        if key not in self._declared:
            name = self._names.take(kind.__name__)
            self._declared[key] = name
            self.types[f"{name}_type"] = (kind, tuple(meta.attrs))
        return self._declared[key]

    def _context(self, name, meta):
        for symbol, (names, context) in self.contexts.items():
            if symbol.startswith(f"{name}_context") and names == tuple(meta.attrs) and _equal(context, meta.meta):
                return symbol
        symbol = self._names.take(f"{name}_context")
        self.contexts[symbol] = (tuple(meta.attrs), meta.meta)
        return symbol


def _outgrown(meta, example):
    """A subclass in a subclass with symbolic attributes, whose own size PyTorch recorded as the numbers of the first
    call: no guard tests them, they are not values of the graph, and the next call has different ones."""
    numbers = all(isinstance(value, int) and value != -1 for value in (*meta.outer_size, *meta.outer_stride))
    return numbers and example is not None and any(_symbolic(getattr(example, name)) for name in meta.attrs)


def _symbolic(value):
    if is_traceable_wrapper_subclass(value):
        return any(_symbolic(getattr(value, name)) for name in value.__tensor_flatten__()[0])
    return isinstance(value, torch.Tensor) and any(isinstance(size, torch.SymInt) for size in value.size())


def _equal(a, b):
    try:
        return a is b or bool(a == b)
    except Exception:  # noqa: BLE001 - a context that cannot be compared is a separate context
        return False
