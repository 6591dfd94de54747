# SPDX-License-Identifier: MIT
"""The one exception of this package."""


class CaptureError(Exception):
    """The capture cannot be written in the format, or PyTorch contradicts itself. The text names the fact."""
