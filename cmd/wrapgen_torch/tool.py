# SPDX-License-Identifier: MIT
"""The command `wrapgen` of the wheel: the tool that was built with it."""

import os
import sys
from pathlib import Path

INSTALLED = Path(__file__).resolve().parent / "bin" / "wrapgen"


def main():
    os.execv(INSTALLED, ["wrapgen", *sys.argv[1:]])
