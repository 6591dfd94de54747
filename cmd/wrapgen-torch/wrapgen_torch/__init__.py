# SPDX-License-Identifier: MIT
"""wrapgen_torch: AOTAutograd's metadata of a real PyTorch program as YAML for wrapgen.

A program file defines `case()`, which returns a Case: what to compile, with which calls. capture() runs it, describe()
turns the metadata into a document, to_yaml() and to_data() write it down. What the format cannot express is a
CaptureError that names it; nothing is dropped silently.
"""

from .case import Case
from .errors import CaptureError

__all__ = ["Case", "CaptureError"]
