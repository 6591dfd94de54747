# SPDX-License-Identifier: MIT
"""Which programs a suite tries where all suites run (tests/torch/run.sh sets the shares): those that PART says, and all of them where
a suite is called by its name.

  SHARE=10              one in ten of what is generated: PyTorch's databases, models, the programs of parity/ in ahead/
  SHARE_OF_PROGRAMS=4   one in four of the programs that are written here
  SHARE_OF_INNER=12     of those that are tried, one in twelve with Inductor's kernels, too; so many if it is not set
"""

import os
import zlib


def share(variable="SHARE", usual=1):
    return int(os.environ.get(variable, usual))


def is_taken(name, one_in):
    """Names are drawn, not counted, so that a new program changes nothing for the others."""
    return (zlib.crc32(name.encode()) + int(os.environ.get("PART", "0"))) % one_in == 0


def taken(named, words, variable="SHARE_OF_PROGRAMS"):
    """Those whose name contains one of the words; without a word, the share of them."""
    one_in = 1 if words else share(variable)
    return [one for one in named if (not words or any(word in one.name for word in words)) and is_taken(one.name, one_in)]
