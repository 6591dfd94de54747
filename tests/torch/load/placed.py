# SPDX-License-Identifier: MIT
"""The frame of a call is what a function of that signature finds in its parameters, and what Python refuses is refused."""

import inspect
import itertools

from wrapgen_torch.loading.signature import Signature

_SIGNATURES = ("", "a", "a, b", "a, b=2", "a=1, b=2", "a, /", "a, /, b", "a, /, b=2", "a=1, /, b=2", "*rest", "a, *rest", "a=1, *rest", "a, /, *rest",
               "*, k", "*, k=3", "a, *, k", "a, b=2, *, k=3, l", "*rest, k", "a, *rest, k=3", "**more", "a, **more", "a=1, **more", "a, /, **more",
               "a=1, /, **more", "*rest, **more", "a, *rest, **more", "a, /, b, *rest, k, l=4, **more", "a=1, /, b=2, *rest, k=3, **more")  # fmt: skip
_POSITIONAL = [tuple(range(10, 10 + count)) for count in range(4)]
_NAMED = [dict.fromkeys(names, 20 if count < 3 else inspect.Parameter.empty) for count in range(4) for names in itertools.combinations(("a", "b", "k", "l", "z"), count)]


def _described(parameter):
    entry = {"name": parameter.name, "kind": parameter.kind.name}
    return entry if parameter.default is inspect.Parameter.empty else {**entry, "optional": True, "default": {"constant": parameter.default}}


def _outcome(call):
    try:
        return call()
    except TypeError:
        return TypeError


def a_frame_is_what_python_places():
    for text in _SIGNATURES:
        python = eval(f"lambda {text}: (*locals().values(),)")  # noqa: S307
        parameters = list(inspect.signature(python).parameters.values())
        signature = Signature("f", [_described(parameter) for parameter in parameters])
        names = list(python.__code__.co_varnames)  # Python has what is by name alone before *rest
        for args, named in itertools.product(_POSITIONAL, _NAMED):
            expected = _outcome(lambda: python(*args, **named))
            if expected is not TypeError:
                expected = tuple(expected[names.index(parameter.name)] for parameter in parameters)
            before = dict(named)
            assert _outcome(lambda: signature.frame(args, named)) == expected, (text, args, named)
            assert named == before, (text, args)
            assert signature.count != len(args) or named or expected in (args, TypeError), (text, args)


TESTS = [("placed: a frame is what Python places", a_frame_is_what_python_places)]
