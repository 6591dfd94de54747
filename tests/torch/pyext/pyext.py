#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the modules that `wrapgen --emit-python` writes: what a caller in Python sees, compared with eager PyTorch.

  .venv/bin/python tests/torch/pyext/pyext.py [WORD...]       only tests whose name contains a word
"""

import sys
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "shared"))
warnings.filterwarnings("ignore", module=r"torch\.")

from runner import modules_of, run_tests  # noqa: E402
from scenario import tests  # noqa: E402

if __name__ == "__main__":
    modules_of(HERE)  # each adds its functions with @test to `tests`
    sys.exit(run_tests([(function.__name__, function) for function in tests], sys.argv[1:]))
