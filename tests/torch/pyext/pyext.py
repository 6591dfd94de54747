#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the modules that `wrapgen --emit-python` writes: what a caller in Python sees, beside eager PyTorch.

  .venv/bin/python tests/torch/pyext/pyext.py [WORD...]       only tests whose name contains a word
"""

import sys
import traceback
import warnings

warnings.filterwarnings("ignore", module=r"torch\.")

from scenario import tests  # noqa: E402

import test_calls  # noqa: E402, F401
import test_lifetimes  # noqa: E402, F401
import test_autograd  # noqa: E402, F401
import test_subclasses  # noqa: E402, F401
import test_untraced  # noqa: E402, F401
import test_models  # noqa: E402, F401
import test_guarded  # noqa: E402, F401
import test_keys  # noqa: E402, F401
import test_kernels  # noqa: E402, F401
import test_threads  # noqa: E402, F401


def main():
    words = sys.argv[1:]
    counts = {"ok": 0, "not ok": 0}
    for function in tests:
        if words and not any(word in function.__name__ for word in words):
            continue
        try:
            function()
            problem = None
        except Exception:
            problem = traceback.format_exc()
        outcome = "not ok" if problem else "ok"
        counts[outcome] += 1
        print(f"{outcome} {sum(counts.values())} - {function.__name__.replace('_', ' ')}", flush=True)
        for line in (problem or "").splitlines():
            print(f"#   {line}")
    print(f"{counts['ok']} passed, {counts['not ok']} failed, 0 skipped")
    return 1 if counts["not ok"] else 0


sys.exit(main())
