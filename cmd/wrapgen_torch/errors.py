# SPDX-License-Identifier: MIT
"""The exceptions of this package, and its warnings."""


import sys
import sysconfig
import types
import warnings
from pathlib import Path


class CaptureError(Exception):
    """The capture cannot be written in the format, or PyTorch contradicts itself. The text names the fact."""


class CaptureWarning(UserWarning):
    """The YAML is right for fewer calls than a wrapper can tell: the text names what Dynamo tests before it runs the graph."""


class DirectoryError(Exception):
    """A directory of built wrappers cannot be used: it is not there, not whole, or built for something else. The text says
    what differs."""


class WrapperError(RuntimeError):
    """Within check(): generated code returned its own error; the text is wrapgen's."""


class NotBuilt(Exception):
    """With fallback="error": a graph that nothing was built for. The text says which fact differs."""


class CallError(ValueError):
    """A call of a loaded function for which no graph was built. The text says what differs, for each graph."""


class FallbackWarning(UserWarning):
    """A graph runs under PyTorch's own wrapper. The text says why."""


# The text of these says what a user needs to know; lines of this package would only hide it.
_TOLD = (CaptureError, DirectoryError, NotBuilt, CallError)
for _kind in (*_TOLD, CaptureWarning, FallbackWarning):
    _kind.__module__ = __package__  # where users find it


def _show_uncaught(kind, problem, trace):
    """sys.excepthook: shows only the user's lines of an uncaught exception of this package."""
    theirs = _users_lines(trace) if isinstance(problem, _TOLD) else None
    if theirs is not None:
        problem.__cause__, problem.__suppress_context__ = None, True
        problem.__traceback__ = trace = theirs
    _show_others(kind, problem, trace)


_show_others, sys.excepthook = sys.excepthook, _show_uncaught


def _users_lines(trace):
    """The traceback without frames of ours, PyTorch's and Python's; None if nothing is left."""
    places = []
    while trace is not None:
        places.append(trace)
        trace = trace.tb_next
    for place in reversed(places):
        frame = place.tb_frame
        if _is_users(frame) or frame.f_globals.get("__name__") == "__main__" and frame.f_code.co_filename.startswith("<"):
            trace = types.TracebackType(trace, frame, place.tb_lasti, place.tb_lineno)
    return trace


def warn(text, category):
    """Warns of a line of the user's: the innermost that is neither ours nor PyTorch's nor Python's."""
    frame, level = sys._getframe(1), 2
    while frame is not None and not _is_users(frame):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)


def _is_users(frame):
    path = frame.f_code.co_filename
    torch = sys.modules.get("torch")
    ours = [str(Path(__file__).resolve().parent), *(torch.__path__ if torch else ())]
    if path.startswith("<") or any(path.startswith(f"{folder}/") for folder in ours):
        return False
    return "-packages/" in path or not path.startswith(f"{sysconfig.get_paths()['stdlib']}/")


def first_line(problem):
    """What an exception of someone else's says, in one line."""
    return (str(problem).strip().splitlines() or [type(problem).__name__])[0]


def failure(compiler, what, problem):
    """Why `what` was not compiled, in a line, of the exception that Dynamo or Inductor may have put into one of its own."""
    inner = getattr(problem, "inner_exception", problem)
    return str(inner) if isinstance(inner, CaptureError) else f"{compiler} cannot compile {what}: {type(inner).__name__}: {first_line(inner)}"


def reason(problem):
    """Why a graph is not built, or not used: any exception about it in a line. One that we did not foresee also says its type."""
    return str(problem) if isinstance(problem, CaptureError) else f"a mistake of wrapgen_torch, {type(problem).__name__}: {first_line(problem)}"
