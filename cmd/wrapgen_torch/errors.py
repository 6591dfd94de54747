# SPDX-License-Identifier: MIT
"""The exceptions of this package, and its warnings."""


import sys
import sysconfig
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


def reason(problem):
    """Why a graph is not built, or not used: any exception about it in a line. One that we did not foresee also says its type."""
    return str(problem) if isinstance(problem, CaptureError) else f"a mistake of wrapgen_torch, {type(problem).__name__}: {first_line(problem)}"
