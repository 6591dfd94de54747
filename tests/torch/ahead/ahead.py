# SPDX-License-Identifier: MIT
"""Runs the tests of test_*.py here, or those whose name contains one of the words.

  ahead.py [NAME...]

The kernels are those of "aot_eager", which compiles none, except where a test is about Inductor.
"""

import importlib
import sys
import traceback
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[2] / "cmd"), str(HERE)]
warnings.filterwarnings("ignore", module=r"torch\.")

import torch  # noqa: E402

torch.set_num_threads(1)
torch._logging.set_logs(all=50)


def main(folder=HERE):
    words = sys.argv[1:]
    tests = []
    for path in sorted(folder.glob("test_*.py")):
        module = importlib.import_module(path.stem)
        tests += [(name, function) for name, function in vars(module).items() if name.startswith("test_") and callable(function)]
    tests = [(name, function) for name, function in tests if not words or any(word in name for word in words)]
    failed = 0
    for number, (name, function) in enumerate(tests, 1):
        torch._dynamo.reset()
        try:
            function()
            good = True
        except Exception:  # noqa: BLE001 - one test must not end the suite
            good = False
            text = traceback.format_exc()
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} - {name}", flush=True)
        if not good:
            print("\n".join(f"#   {line}" for line in text.splitlines()[-14:]), flush=True)
    print(f"{len(tests) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
