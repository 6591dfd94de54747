#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/unit/expressions.inc: random expressions and conditions, and what Python says they are worth.

Run it as: make_expressions.py > expressions.inc (any Python 3; developers only)

    EXPRESSION("text", is a condition, a, b, c, value)

Divisors are never 0 here: Python leaves out what `and` and `or` do not need, and the tool does not. Numbers are small,
so that nothing overflows.
"""
import random

random.seed(7)


def blank():
    return random.choice(["", "", " "])


def number(depth):
    if depth == 0 or random.random() < 0.2:
        return random.choice(["a", "b", "c", "a", "b", "c", str(random.randint(0, 9)), str(random.randint(-9, -1))])
    kind = random.choice(["+", "-", "*", "//", "%", "//", "%", "min", "max", "**", "()"])
    if kind in ("min", "max"):
        return f"{kind}(" + ", ".join(number(depth - 1) for _ in range(random.randint(2, 3))) + ")"
    if kind == "()":
        return f"({blank()}{number(depth - 1)}{blank()})"
    if kind == "**":
        return f"({number(depth - 1)}){blank()}**{blank()}{random.randint(0, 3)}"
    right = number(depth - 1)
    if kind in ("//", "%"):
        right = random.choice([str(random.randint(1, 7)), f"({random.randint(-7, -1)})", f"(({right})**2 + 1)"])
    return f"{number(depth - 1)}{blank()}{kind}{blank()}{right}"


def condition(depth):
    kind = random.choice(["cmp"] * 3 + ["and", "or", "not", "chain", "()"]) if depth else "cmp"
    compare = ["<", "<=", ">", ">=", "==", "!="]
    if kind == "cmp":
        return f"{number(1)}{blank()}{random.choice(compare)}{blank()}{number(1)}"
    if kind == "chain":
        return f"{number(1)} {random.choice(compare)} {number(1)} {random.choice(compare)} {number(1)}"
    if kind == "not":
        return f"not {condition(depth - 1)}"
    if kind == "()":
        return f"({condition(depth - 1)})"
    return f"{condition(depth - 1)} {kind} {condition(depth - 1)}"


def rows():
    print("/* Made by make_expressions.py; not to be edited. */")
    made = 0
    while made < 600:
        is_condition = made % 2
        text = condition(2) if is_condition else number(3)
        values = {name: random.randint(-6, 9) for name in "abc"}
        value = eval(text, {"min": min, "max": max}, values)
        if abs(value) < 2**40 and len(text) < 90 and not (text[0] == "-" and "**" in text[:4]):
            numbers = ", ".join(str(values[name]) for name in "abc")
            print(f'EXPRESSION("{text}", {is_condition}, {numbers}, {int(value)})')
            made += 1


rows()
