# SPDX-License-Identifier: MIT
"""Runs the tests of test_*.py here, or those whose name contains one of the words.

  ahead.py [NAME...]

The kernels are those of "aot_eager", which compiles none, except where a test is about Inductor.
"""

import sys
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[2] / "cmd"), str(HERE), str(HERE.parent / "shared")]
warnings.filterwarnings("ignore", module=r"torch\.")

import torch  # noqa: E402
from runner import run_tests, tests_of  # noqa: E402

torch.set_num_threads(1)
torch._logging.set_logs(all=50)


def main(folder=HERE):
    return run_tests(tests_of(folder), sys.argv[1:], before=torch._dynamo.reset)


if __name__ == "__main__":
    sys.exit(main())
