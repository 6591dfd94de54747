# SPDX-License-Identifier: MIT
"""Tests as data, of the kinds that several guards become."""

import re

import torch.utils._pytree as pytree

from ..loading.code_text import class_text, name_of, node_text
from ..loading.tests import nodes_of


def of_class(root, steps, kind):
    return {"test": "type_match", "of": [root, steps], "type": name_of(kind), **code_of(kind)}


def code_of(kind):
    """What a test of a class has, too, if no name finds that."""
    text = class_text(kind)
    return {} if text is None else {"code": text}


def is_extent(path):
    return bool(path[1]) and path[1][-1][0] in ("size", "stride")


def same_as(of, module, name):
    return {"test": "same_object", "of": of, "other": [{"module": module}, [["attr", part] for part in name.split(".")]]}


class Nodes:
    """What the guards of a graph say about the classes that pytree takes apart (SUPPORTED_NODES)."""

    def __init__(self):
        self._met = None  # class -> how pytree takes it apart; None if no guard is about these

    def ask(self):
        """A guard asks whether a class is among them, how many there are, or whether they are the same."""
        self._met = self._met or {}

    def meet(self, key):
        """A guard is about one of them, by its number."""
        number = re.search(r"\[(\d+)\]$", key)
        if number is None:
            raise ValueError(f"it is not known which class {key} is")
        kind = list(pytree.SUPPORTED_NODES)[int(number[1])]
        self._met = {**(self._met or {}), kind: pytree.SUPPORTED_NODES[kind]}

    def tests(self, refuse):
        """That pytree takes the same classes apart, and those that were met in the same way: PyTorch's own functions for that are code, if
        nothing is bound in them."""
        if self._met is None:
            return []
        of = [{"module": pytree.__name__}, [["attr", "SUPPORTED_NODES"]]]
        try:
            told = [[kind.__module__, kind.__qualname__, node_text(node)] for kind, node in self._met.items()]
        except ValueError as problem:
            refuse("how pytree takes objects apart", str(problem))
        return [{"test": "pytree_nodes", "of": of, "classes": nodes_of(pytree.SUPPORTED_NODES), "met": [one for one in told if one[-1]]}]


def item_of(value):
    """The step that reads an item. A class derived from dict is not asked: it may give something else than it has, or write it."""
    return "dict_item" if isinstance(value, dict) and type(value) is not dict else "item"


def read_of(value, way, name):
    for _, step in way:
        value = getattr(value, step)
    return getattr(value, name)
