# SPDX-License-Identifier: MIT
"""Strides that depend on symbols, in words: the layouts that always have them."""

import re

_ORDERS = {"contiguous": None, "channels_last": (0, 2, 3, 1)}  # dims of each layout, the outermost first
_TRIED = (11, 7, 3, 5, 2)


def layouts(sizes, strides):
    """The layouts that always have these strides: with a few sizes of each symbol."""
    symbols = sorted({word for text in (*sizes, *strides) for word in re.findall(r"[A-Za-z_]\w*", str(text))})
    found = list(_ORDERS)
    for number in range(len(_TRIED)):
        values = {symbol: _TRIED[(number + position) % len(_TRIED)] for position, symbol in enumerate(symbols)}
        try:
            size, stride = ([eval(str(text), {}, values) for text in texts] for texts in (sizes, strides))  # noqa: S307
        except (SyntaxError, NameError):
            return []
        found = [layout for layout in found if _has_strides(size, stride, _ORDERS[layout])]
    return found


def _has_strides(sizes, strides, order):
    """Is it dense, if the dims have this order in memory, the outermost first? The stride of a dim of size 1 is not used."""
    order = range(len(sizes)) if order is None else order
    step, dense = 1, len(order) == len(sizes) == len(strides)
    for dim in reversed(order) if dense else ():
        dense = dense and (strides[dim] == step or sizes[dim] == 1)
        step *= sizes[dim]
    return dense
