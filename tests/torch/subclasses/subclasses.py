# SPDX-License-Identifier: MIT
"""Runs the tests of test_*.py here, or those whose name contains one of the words, with the runner and the comparison of ahead/.

  subclasses.py [NAME...]
"""

import logging
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "ahead")]
logging.getLogger("torchao").setLevel(logging.CRITICAL)  # it says which of its CUDA libraries are not there

from ahead import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(HERE))
