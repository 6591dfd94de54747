# SPDX-License-Identifier: MIT
"""Numbers that are computed from symbolic sizes: in postfix notation, for bind_model(), and as nodes of a graph."""

import ast
import operator

import torch

from ..expressions import text_of

_VERBS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%"}
_FUNCTIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod,
              "max": torch.sym_max, "min": torch.sym_min}  # fmt: skip


def steps_of(expression, argument_of, where):
    """Ints, [~i] for argument i, and what is done to the two numbers before it. `argument_of(symbol)` is a position. Raises a
    CaptureError that begins with `where` if the expression has no such form."""
    names = {}

    def name_of(symbol):
        names[str(symbol)] = [~argument_of(symbol)]
        return str(symbol)

    return list(_postfix(ast.parse(text_of(expression, name_of, where), mode="eval").body, names))


def _postfix(node, names):
    if isinstance(node, ast.Constant):
        yield node.value
    elif isinstance(node, ast.Name):
        yield names[node.id]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        yield from _power(node, names)
    elif isinstance(node, ast.BinOp):
        yield from _postfix(node.left, names)
        yield from _postfix(node.right, names)
        yield _VERBS[type(node.op)]
    else:  # min and max
        first, *others = node.args
        yield from _postfix(first, names)
        for other in others:
            yield from _postfix(other, names)
            yield node.func.id


def _power(node, names):
    yield 1
    for _ in range(node.right.value):
        yield from _postfix(node.left, names)
        yield "*"


def computed(graph, steps, nodes):
    """The node of `graph` that computes it; `nodes` are those of the arguments, by position."""

    def combined(function, left, right):
        made = graph.call_function(function, (left, right))
        made.meta["val"] = function(_value_of(left), _value_of(right))
        return made

    return _done(steps, nodes, combined)


def value_of_steps(steps, args):
    """The number, for these arguments of the graph."""
    return _done(steps, args, lambda function, left, right: function(left, right))


def _done(steps, args, combined):
    stack = []
    for step in steps:
        if isinstance(step, str):
            right, left = stack.pop(), stack.pop()
            stack.append(combined(_FUNCTIONS[step], left, right))
        else:
            stack.append(args[~step[0]] if isinstance(step, list) else step)
    return stack.pop()


def _value_of(node):
    return node.meta["val"] if isinstance(node, torch.fx.Node) else node
