# SPDX-License-Identifier: MIT
"""Runs tests that are functions, and prints a line for each. What a test raises is its failure, and the next one runs all the same."""

import importlib
import traceback


def modules_of(folder):
    """The files test_*.py of a folder that stands in sys.path, imported."""
    return [importlib.import_module(path.stem) for path in sorted(folder.glob("test_*.py"))]


def tests_of(folder):
    """The functions test_* of these files: (name, function) of each."""
    found = [pair for module in modules_of(folder) for pair in vars(module).items()]
    return [(name, value) for name, value in found if name.startswith("test_") and callable(value)]


def run_tests(tests, words, before=lambda: None):
    """Runs the tests whose name contains one of the words, or all of them without a word, and calls `before` before each. Returns
    the exit code. The last line is `N passed, N failed, N skipped`."""
    chosen = [(name, test) for name, test in tests if not words or any(word in name for word in words)]
    failed = 0
    for number, (name, test) in enumerate(chosen, 1):
        before()
        try:
            test()
            problem = None
        except Exception:  # noqa: BLE001 - one test must not end the suite
            problem = traceback.format_exc()
        failed += problem is not None
        print(f"{'not ok' if problem else 'ok'} {number} - {name}", flush=True)
        for line in (problem or "").splitlines()[-40:]:
            print(f"#   {line}", flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0
