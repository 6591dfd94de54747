# SPDX-License-Identifier: MIT
"""Guards over sizes, strides and ints that the graph does not take, as conditions that load() tests.

They are Python already, as Dynamo writes them. What is read becomes {0}, {1}, ..., and what is left must be integers and what
Python computes of them exactly.
"""

import ast

from ..loading.tests import OPERATIONS

_EXTENTS = ("size", "stride")


def condition_of(text, path_of):
    """(what must hold, the paths of what it reads). `path_of(node)` gives that of a node of the syntax. ValueError says what cannot be
    tested."""
    taker = _Taker(path_of)
    return ast.unparse(taker.visit(ast.parse(text.strip(), mode="eval"))), taker.reads


class _Taker(ast.NodeTransformer):
    """Takes the reads out of a condition."""

    def __init__(self, path_of):
        self._path_of = path_of
        self.reads = []

    def generic_visit(self, node):
        if not isinstance(node, OPERATIONS):
            raise ValueError(f"{ast.unparse(node)} is more than whole numbers")
        return super().generic_visit(node)

    def visit_Constant(self, node):
        return node if type(node.value) is int else self.generic_visit(node)

    def visit_Call(self, node):
        """Of the smallest or the largest."""
        if not isinstance(node.func, ast.Name) or node.func.id not in ("min", "max") or node.keywords:
            return self.generic_visit(node)
        return ast.Call(node.func, [self.visit(one) for one in node.args], [])

    def visit_Attribute(self, node):
        return self._read(node, [])

    def visit_Subscript(self, node):
        of, dim = node.value, node.slice
        if not isinstance(of, ast.Call) or not isinstance(of.func, ast.Attribute) or of.func.attr not in _EXTENTS or of.args:
            return self._read(node, [])
        return self._read(of.func.value, [[of.func.attr, ast.literal_eval(dim)]])

    def _read(self, node, extent):
        root, steps = self._path_of(node)
        path = [root, [*steps, *extent]]
        if path not in self.reads:
            self.reads.append(path)
        return ast.Name(f"{{{self.reads.index(path)}}}")
