# SPDX-License-Identifier: MIT
"""python -m wrapgen_torch is wrapgen-torch."""

import sys

from .cli import main

sys.exit(main())
