# SPDX-License-Identifier: MIT
"""A program's own mistakes, as one line that names a line of the program: nothing of ours is wrong then, and a traceback through this
package, Dynamo and torch.export hides where the program is."""

import contextlib
import re
import traceback
from pathlib import Path

from .errors import CaptureError, DirectoryError, first_line

_FRAME = re.compile(r'File "(.*?)", line (\d+)')
_STACK = re.compile(r"\n+Exception raised from |\n+Set TORCHDYNAMO_VERBOSE|\n+To suppress this error")


@contextlib.contextmanager
def told_of(path):
    """Within, an exception that the program file `path` raises is a CaptureError with the line. One in which no line of the program
    has a part is left as it is: a mistake of ours."""
    try:
        yield
    except (CaptureError, DirectoryError):
        raise
    except Exception as problem:
        where = _place(problem, Path(path))
        if where is None:
            raise
        raise CaptureError(f"{where}: {_words(problem)}") from problem


def _place(problem, path):
    """The innermost line of the program, or of a file next to it; None if there is none."""
    frames = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(problem.__traceback__)]
    if isinstance(problem, SyntaxError):
        frames.append((problem.filename, problem.lineno))
    frames += [(file, int(line)) for file, line in _FRAME.findall(str(problem))]  # Dynamo says where the code is that it traced
    theirs = [(Path(file or ""), line) for file, line in frames]
    theirs = [(file, line) for file, line in theirs if str(file) == path.name or file.parent == path.resolve().parent]
    if not theirs:
        return None
    file, line = theirs[-1]
    return f"line {line}" if file.name == path.name else f"{file.name}, line {line}"


def _words(problem):
    if type(problem).__module__.startswith(("torch._dynamo.", "torch.export", "torch._export")):
        return " ".join(_STACK.split(str(problem))[0].split("\n\n")[0].split())
    if isinstance(problem, SyntaxError):
        return f"{type(problem).__name__}: {problem.msg}"
    return f"the program raises {type(problem).__name__}: {first_line(problem)}"
