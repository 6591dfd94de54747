# SPDX-License-Identifier: MIT
"""wrapgen_torch: AOTAutograd's metadata of a real PyTorch program as YAML for wrapgen, and the proof that wrapgen's
output for it does what PyTorch does.

    from wrapgen_torch import capture, check
    print(capture(function, *example_inputs))
    result = check(function, make_inputs)
    assert result.ok, result.report

and the wrappers in use, built ahead of time (README.md has a tutorial, REFERENCE.md all else):

    from wrapgen_torch import build, backend
    build(function, make_inputs, "built")
    fast = torch.compile(function, backend=backend("built"))

or called without Dynamo, after build(..., load=True):

    from wrapgen_torch import load
    load("built").fn(*arguments)

A program file for the command line defines `case()`, which returns a Case. What the format cannot express is a CaptureError
that names it; nothing is dropped silently.
"""

from .errors import CallError, CaptureError, CaptureWarning, DirectoryError, FallbackWarning, NotBuilt

__all__ = ["Call", "CallError", "Case", "CaptureError", "CaptureWarning", "DirectoryError", "FallbackWarning", "NotBuilt", "backend",
           "build", "capture", "check", "load"]  # fmt: skip


def __getattr__(name):
    # Imported late: importing torch takes seconds, and warnings must be filtered before it.
    if name in ("Call", "Case"):
        from . import case

        return getattr(case, name)
    if name == "capture":
        from .api import capture

        return capture
    if name == "check":
        from .checking import check

        return check
    if name == "backend":
        from .ahead.backend import Backend

        return Backend
    if name == "build":
        from .ahead.building import build

        return build
    if name == "load":
        from .loading.loaded import load

        return load
    raise AttributeError(name)
