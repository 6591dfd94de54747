# SPDX-License-Identifier: MIT
"""The command line: `wrapgen-torch PROGRAM.py` writes graph.yaml and expected.txt next to the program."""

import argparse
import difflib
import os
import sys
import tempfile
import warnings
from pathlib import Path

from .errors import CaptureError


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="wrapgen-torch",
        description="Capture AOTAutograd's metadata of a PyTorch program as YAML, with what PyTorch computed.",
    )
    parser.add_argument("programs", nargs="+", metavar="PROGRAM.py", help="a file with a function case()")
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; exit 1 when a file is missing or differs (numbers: by more than their tolerance)",
    )
    options = parser.parse_args(arguments)
    # PyTorch warns about things that do not concern a capture: NumPy is missing, complex numbers compile slowly.
    warnings.filterwarnings("ignore", module=r"torch\.")
    stale = False
    for program in options.programs:
        try:
            stale |= _capture(Path(program), options.check)
        except (CaptureError, OSError) as error:
            print(f"{program}: error: {error}", file=sys.stderr)
            return 2
    return 1 if stale else 0


def _capture(program, check):
    # Imported late, so that --help and usage errors do not wait for torch.
    import torch

    from .recording import record_case
    from .case import load_case
    from .data_text import to_data
    from .describe import describe
    from .recorded import settle, starts
    from .yaml_text import to_yaml

    torch.manual_seed(0)
    if not check:
        torch.set_num_threads(1)
    case = load_case(program)
    graph, data = program.parent / "graph.yaml", program.parent / "expected.txt"
    old = data.read_text() if check and data.exists() else ""
    captured = record_case(case, starts(old))
    header = _header(case, program, torch.__version__.split("+")[0])
    document = describe(case, captured)
    notes = [f"{note}." for note in captured.traced.untold]
    stale = _put(graph, to_yaml(document, header + notes), check)
    return _put(data, settle(old, to_data(case, captured, header)), check) or stale


def _header(case, program, version):
    folder = program.resolve().parent.name
    return [
        *case.description.splitlines(),
        "",
        f"Captured by wrapgen-torch from torch {version}; do not edit. To regenerate:",
        f"  cmd/wrapgen-torch examples/{folder}/{program.name}",
    ]


def _put(path, text, check):
    old = path.read_text() if path.exists() else None
    if old == text:
        return False
    if check:
        sys.stdout.writelines(
            difflib.unified_diff((old or "").splitlines(True), text.splitlines(True), str(path), f"{path} (fresh)")
        )
        return True
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as temporary:
        temporary.write(text)
    os.chmod(temporary.name, 0o644)
    os.replace(temporary.name, path)
    print(f"wrote {path}")
    return False
