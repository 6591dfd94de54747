# SPDX-License-Identifier: MIT
"""Nested ints: the sizes of ragged dimensions, and the tensors that own them.

A ragged size is not a number but an identity. PyTorch keeps it in a registry by tensor (get_tensor_symint): two jagged
tensors have the same size exactly if they have the same offsets, the same object (or the same lengths, if they have
any). Its wrappers pass a dummy for it when they rebuild a subclass, and the class asks the registry. So what counts for
a result is which tensor the graph returns for its owner: an argument, whose nested int it then has, or a new tensor,
which has a new one. The traced size does not say it: a copy of offsets is traced with the size of the original.
"""

import sympy
import torch

from .errors import CaptureError
from .flat import returned_positions, width
from .trace import output_nodes
from .upstream import PlainTensorMeta, SubclassCreationMeta, flat_count


def is_nested_int(value):
    return isinstance(value, torch.SymInt) and value.node.is_nested_int()


def is_nested(value):
    """A nested int, or its dummy: the size of a ragged dimension."""
    return is_nested_int(value) if isinstance(value, torch.SymInt) else value == -1


def owner_of(attributes):
    """The attribute, of these, that owns the ragged size of a jagged tensor."""
    return "_lengths" if "_lengths" in attributes else "_offsets" if "_offsets" in attributes else None


class Ragged:
    """The nested ints of one graph. Symbols of PyTorch's and tensors of the graph lead to the same names."""

    def __init__(self, traced, taken):
        self._traced = traced
        self._taken = taken  # of everything that has a name
        self._names = {}  # node of the graph that is an owner -> name
        self._by_symbol = {}  # sympy symbol -> name
        self._fresh = []  # names of those whose owner the graph makes
        self._of_inputs = {}  # position of a plain input -> name
        self._arguments = []  # nodes, one for each flat argument
        metas = traced.outer_meta.subclass_inp_meta
        if any(isinstance(meta, SubclassCreationMeta) for meta in [*metas, *self._returned_metas()]):
            self._read_inputs(metas)
            self._read_results()

    # ---- what there is ----

    def _returned_metas(self):
        return self._traced.outer_meta.subclass_fw_graph_out_meta

    def _read_inputs(self, metas):
        nodes = [node for node in self._traced.forward.graph.nodes if node.op == "placeholder"]
        self._arguments = nodes[len(self._traced.meta.tokens) :]
        at = 0
        for position, meta in enumerate(metas):
            value = self._traced.fakes[self._traced.inner[position]]
            if isinstance(meta, PlainTensorMeta):
                if is_nested_int(value):
                    self._name_symbol(value)
                at += 1
            else:
                self._read_tree(meta, value, at)
                at += meta.arg_count

    def _read_tree(self, meta, value, at):
        ragged = next((size for size in meta.outer_size if is_nested(size)), None)
        for attribute, child in meta.attrs.items():
            if isinstance(child, SubclassCreationMeta):
                self._read_tree(child, getattr(value, attribute), at)
                at += child.arg_count
                continue
            if ragged is not None and attribute == owner_of(meta.attrs):
                self._names[self._arguments[at]] = self._name_symbol(ragged)
            at += flat_count(child)

    def _read_results(self):
        """Owners that the graph returns: arguments that no jagged input brought, and new tensors."""
        nodes = output_nodes(self._traced.forward)[len(self._traced.meta.tokens) :]
        for meta, at in zip(self._returned_metas(), returned_positions(self._traced)):
            self._read_result(meta, nodes, at)

    def _read_result(self, meta, nodes, at):
        if not isinstance(meta, SubclassCreationMeta):
            return at + width(meta, self._traced.returns[at:])
        end = at + width(meta, self._traced.returns[at:])
        ragged = any(is_nested(size) for size in meta.outer_size)
        for attribute, child in meta.attrs.items():
            if ragged and attribute == owner_of(meta.attrs) and nodes[at] not in self._names:
                self._names[nodes[at]] = self._new_name()
                if nodes[at].op == "placeholder":
                    self._of_inputs[self._plain_input(nodes[at])] = self._names[nodes[at]]
                else:
                    self._fresh.append(self._names[nodes[at]])
            at = self._read_result(child, nodes, at)
        return end

    def _plain_input(self, node):
        """The position of a plain input among the user's, from the flat argument."""
        at = 0
        for position, meta in enumerate(self._traced.outer_meta.subclass_inp_meta):
            count = flat_count(meta)
            if self._arguments[at] is node and count == 1:
                return self._traced.inner[position]
            at += count
        raise CaptureError(f"{node}: a ragged size that belongs to a part of an argument, which is not its owner there")

    # ---- names ----

    def _new_name(self):
        number = len(set(self._names.values()) | set(self._by_symbol.values()))
        while f"j{number}" in self._taken:
            number += 1
        self._taken.add(f"j{number}")
        return f"j{number}"

    def _name_symbol(self, value):
        symbol, _ = _parts(value, "an argument")
        if symbol not in self._by_symbol:
            self._by_symbol[symbol] = self._new_name()
        return self._by_symbol[symbol]

    # ---- what is written ----

    def declarations(self):
        names = dict.fromkeys([*self._by_symbol.values(), *self._names.values()])
        return [
            {"name": name, "unbacked": True, "nested": True} if name in self._fresh else {"name": name, "nested": True}
            for name in names
        ]

    def symbols(self):
        """PyTorch's symbols that are nested ints of arguments, and their names."""
        return self._by_symbol

    def name_of(self, value, where):
        """A nested int that is passed or returned by itself."""
        symbol, factor = _parts(value, where)
        if symbol not in self._by_symbol or factor != 1:
            raise CaptureError(f"{where}: {value} is a nested int that no argument tells: not captured by this version")
        return self._by_symbol[symbol]

    def owned_by(self, position):
        """The nested int that the plain input at that position owns, or None."""
        return self._of_inputs.get(position)

    def name_of_tree(self, meta, flat, values=None):
        """The ragged size of a subclass with these flat values, or of the first jagged one in it; None if it has none. `values`: what
        a returned one is traced as."""
        for attribute, child in meta.attrs.items():
            if attribute == owner_of(meta.attrs) and any(is_nested(size) for size in meta.outer_size):
                return self._names.get(flat[0])
            if isinstance(child, SubclassCreationMeta):
                inner = self.name_of_tree(child, flat, values)
                if inner is not None:
                    return inner
            count = flat_count(child) if values is None else width(child, values)
            flat, values = flat[count:], values and values[count:]
        return None

    def arguments(self, meta):
        """The nodes from the first flat argument of that subclass on."""
        return self._arguments[meta.flat_tensor_start_idx :]

    def results(self, meta):
        """The same for a subclass that is returned."""
        nodes = output_nodes(self._traced.forward)[len(self._traced.meta.tokens) :]
        return nodes[self._start(meta) :]

    def values(self, meta):
        """What those are traced as."""
        return self._traced.returns[self._start(meta) :]

    def _start(self, meta):
        starts = zip(self._returned_metas(), returned_positions(self._traced))
        return next(start for one, start in starts if one is meta)

    def factor(self, value, where):
        """The coefficient of a nested int; 1 of its dummy, and of a stride that is a nested int times sizes that are symbols, too:
        wrappers pass -1 for each of them."""
        if not isinstance(value, torch.SymInt) or self._is_symbolic_multiple(value.node.expr):
            return 1
        return _parts(value, where)[1]

    def _is_symbolic_multiple(self, expression):
        nested = sorted(expression.free_symbols & self._by_symbol.keys(), key=str)
        rest = sympy.expand(expression / nested[0]) if len(nested) == 1 else None  # PyTorch may have multiplied it out
        return rest is not None and not rest.is_Integer and not rest.free_symbols & self._by_symbol.keys()


def _parts(value, where):
    """(symbol, coefficient)."""
    factor, symbol = value.node.expr.as_coeff_Mul()
    if not symbol.is_Symbol or not factor.is_Integer:
        raise CaptureError(f"{where}: {value} is not a nested int, nor a multiple of one")
    return symbol, int(factor)
