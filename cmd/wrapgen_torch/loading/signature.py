# SPDX-License-Identifier: MIT
"""The parameters of a function (ahead/keeping.py describes them), and the frame that a call's arguments make."""

import inspect

from .kept import value_of

_KINDS = {kind.name: kind for kind in inspect._ParameterKind}


class Signature:
    """`entries` are mappings with "name", "kind", "optional" where there is a default, and "default" where that was kept, an entry of kept.py."""

    def __init__(self, name, entries):
        self._name = name
        self.names = [entry["name"] for entry in entries]
        kinds = [_KINDS[entry["kind"]] for entry in entries]
        defaults = [_Default(entry) if entry.get("optional") else inspect.Parameter.empty for entry in entries]
        self._signature = inspect.Signature(
            [inspect.Parameter(name, kind, default=default) for name, kind, default in zip(self.names, kinds, defaults)]
        )
        simple = all(kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD) for kind in kinds)
        self.count = len(entries) if simple else -1  # with so many arguments, none of them by name, they are the frame

    def frame(self, args, kwargs):
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as problem:
            raise TypeError(f"{self._name}(): {problem}") from None
        bound.apply_defaults()
        values = [bound.arguments[name] for name in self.names]
        return tuple([value.of(self._name) if type(value) is _Default else value for value in values])


class _Default:
    """One object for all calls, as it is in a program. A module that it is in is imported when it is needed."""

    def __init__(self, entry):
        self._entry, self._found = entry, None

    def of(self, name):
        if self._found is None:
            if "default" not in self._entry:
                what = f"argument '{self._entry['name']}' must be given: its default is neither plain data nor found by a name"
                raise TypeError(f"{name}(): {what}, and was not kept")
            self._found = (value_of(self._entry["default"]),)
        return self._found[0]
