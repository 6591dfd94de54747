# SPDX-License-Identifier: MIT
"""What the suites share, broken on purpose: the functions test_* of the files here.

  shared.py [NAME...]"""

import sys
from pathlib import Path

from runner import run_tests, tests_of

if __name__ == "__main__":
    sys.exit(run_tests(tests_of(Path(__file__).parent), sys.argv[1:]))
