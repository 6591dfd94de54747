# SPDX-License-Identifier: MIT
"""The one exception of this package, and its one warning."""


class CaptureError(Exception):
    """The capture cannot be written in the format, or PyTorch contradicts itself. The text names the fact."""


class CaptureWarning(UserWarning):
    """The YAML is right for fewer calls than a wrapper can tell: the text names what Dynamo tests before it runs the graph."""
