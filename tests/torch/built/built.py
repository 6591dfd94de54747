# SPDX-License-Identifier: MIT
"""The programs of ../databases and ../models, each built, and then run under torch.compile with the built wrappers and with PyTorch's own:
values, gradients, what was written, aliases, versions, requires_grad must be equal. Every graph must be a hit.

  built.py [NAME...]      programs whose name contains one of the words

With SHARE=10, among all suites, every fortieth is tried: ../databases and ../models try every tenth of them more closely.

The kernels are those of "aot_eager", which compiles none, and the C is compiled quickly: it is the wrappers that are tried.
"""

import sys
from functools import partial
from pathlib import Path
from unittest.mock import patch

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[2] / "cmd"), *(str(HERE.parent / name) for name in ("shared", "ahead", "databases", "models"))]

import databases  # noqa: E402
import models  # noqa: E402
from compared import compare  # noqa: E402
from wrapgen_torch.ahead import callables  # noqa: E402

from sweep import main  # noqa: E402

_RAISED = "the program raised "  # what compare() says where both did


def built(program, make_inputs, **options):
    """A program that is tried, for main(): (status, number of graphs, lines)."""
    with patch.object(callables, "build_extension", partial(callables.build_extension, passing=True)):
        lines, report = compare(program, make_inputs, **options)
    if len(lines) == 1 and lines[0].startswith(_RAISED):
        return "raises", len(report), lines
    if lines:
        return "different", len(report), lines
    if not report:
        return "uncompiled", 0, ["PyTorch compiled nothing of it"]
    missed = [str(row) for row in report if not row.hit]
    return "missed" if missed else "equal", len(report), missed


if __name__ == "__main__":
    sys.exit(main("built", {**databases.entries(), **models.entries()}, databases.EXPECTED, least=0.6, tried=built, rarer=4))
