# SPDX-License-Identifier: MIT
"""Runs every program of programs_*.py here as parity.py runs its own: programs of several graphs, by breaks and by calls for
which PyTorch compiles again. A program states how many kernels choose among its graphs, and words of the notes that say
what stays out of them. The table is also build/torch/graphs.txt.

  graphs.py [-v] [NAME...]
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "parity"))

from parity import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(HERE, "graphs"))
