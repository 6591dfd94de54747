# SPDX-License-Identifier: MIT
"""Values as data that JSON can have: entries. value_of() in loading/kept.py makes the values again."""

from ..loading.data import PLAIN
from ..loading.frames import CONSTANTS

_WRITTEN = {
    tuple: lambda entry, value: {"tuple": list(map(entry, value))},
    set: lambda entry, value: {"set": list(map(entry, sorted(value, key=repr)))},
    frozenset: lambda entry, value: {"frozenset": list(map(entry, sorted(value, key=repr)))},
    bytes: lambda _, value: {"bytes": value.hex()},
    complex: lambda _, value: {"complex": [value.real, value.imag]},
    slice: lambda entry, value: {"slice": list(map(entry, (value.start, value.stop, value.step)))},
    type(...): lambda *_: {"ellipsis": None},
}


def entry_of(value, otherwise):
    """The entry of a value. `otherwise(one)` gives that of what is not data, be it the value or within it."""
    kind = type(value)
    if kind in PLAIN:
        return {"constant": value}
    for name, (of, store, _) in CONSTANTS.items():
        if kind is of:
            return {name: store(value)}
    return _WRITTEN[kind](lambda one: entry_of(one, otherwise), value) if kind in _WRITTEN else otherwise(value)
