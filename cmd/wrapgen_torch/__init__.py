# SPDX-License-Identifier: MIT
"""wrapgen_torch: AOTAutograd's metadata of a real PyTorch program as YAML for wrapgen, and the proof that wrapgen's
output for it does what PyTorch does.

    from wrapgen_torch import capture, check
    print(capture(function, *example_inputs))
    result = check(function, make_inputs)
    assert result.ok, result.report

A program file for the command line defines `case()`, which returns a Case. What the format cannot express is a CaptureError
that names it; nothing is dropped silently.
"""

from .errors import CaptureError, CaptureWarning

__all__ = ["Case", "CaptureError", "CaptureWarning", "capture", "check"]


def __getattr__(name):
    # Imported late: importing torch takes seconds, and warnings must be filtered before it.
    if name == "Case":
        from .case import Case

        return Case
    if name == "capture":
        from .api import capture

        return capture
    if name == "check":
        from .checking import check

        return check
    raise AttributeError(name)
