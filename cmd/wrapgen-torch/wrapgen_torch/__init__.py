# SPDX-License-Identifier: MIT
"""wrapgen_torch: AOTAutograd's metadata of a real PyTorch program as YAML for wrapgen.

A program file defines `case()`, which returns a Case: what to compile, with which calls. capture() runs it, describe()
turns the metadata into a document, to_yaml() and to_data() write it down. What the format cannot express is a
CaptureError that names it; nothing is dropped silently.
"""

__all__ = ["Case", "CaptureError"]


def __getattr__(name):
    # Late: importing torch takes seconds, and warnings must be filtered before it.
    if name == "Case":
        from .case import Case

        return Case
    if name == "CaptureError":
        from .errors import CaptureError

        return CaptureError
    raise AttributeError(name)
