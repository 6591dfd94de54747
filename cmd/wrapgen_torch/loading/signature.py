# SPDX-License-Identifier: MIT
"""The parameters of a function (ahead/keeping.py describes them), and the frame that a call's arguments make."""

import inspect

from .kept import value_of

_KINDS = {kind.name: kind for kind in inspect._ParameterKind}
_ONLY_BY_POSITION, _EITHER_WAY, _REST, _BY_NAME, _NAMED_REST = inspect._ParameterKind


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
        self._parameters = list(zip(self.names, kinds, defaults))
        self._positional = sum(kind in (_ONLY_BY_POSITION, _EITHER_WAY) for kind in kinds)  # they come first
        # With so many arguments, none of them by name, they are the frame.
        self.count = len(entries) if self._positional == len(entries) else -1

    def frame(self, args, kwargs):
        values = self._placed(args, dict(kwargs))
        if values is None:
            try:
                self._signature.bind(*args, **kwargs)
            except TypeError as problem:
                raise TypeError(f"{self._name}(): {problem}") from None
        return tuple([value.of(self._name) if type(value) is _Default else value for value in values])

    def _placed(self, args, named):
        """The values of the frame, in a tenth of the time that inspect takes; None if the arguments are not those of the function.
        What is placed is taken out of `named`."""
        values, rest, named_rest = list(args[: self._positional]), args[self._positional :], None
        for name, kind, default in self._parameters[len(values) :]:
            if kind is _REST:
                values.append(rest)
                rest = ()
            elif kind is _NAMED_REST:
                values.append(named_rest := named)
            else:
                is_named = kind is not _ONLY_BY_POSITION and name in named
                if not is_named and default is inspect.Parameter.empty:
                    return None
                values.append(named.pop(name) if is_named else default)
        twice = any(kind is _EITHER_WAY and name in named for name, kind, _ in self._parameters[: len(args)])
        return None if rest or twice or (named and named_rest is None) else values


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
