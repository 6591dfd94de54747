# SPDX-License-Identifier: MIT
"""The command line of `wrapgen-torch deploy`."""

import argparse
import sys
import time
import warnings
from pathlib import Path

from ..cli import add_loudness, progress_of
from ..errors import CaptureError
from ..progress import seconds_of, shown, size_of, step
from ..told import told_of


def main(arguments):
    parser = argparse.ArgumentParser(
        prog="wrapgen-torch deploy",
        description="Write a folder that builds a C program of a PyTorch model, without Python: the compiled model, wrappers, "
        "main.c, CMakeLists.txt, and recorded calls that ctest compares.",
    )
    parser.add_argument("model", metavar="MODEL.pt2|PROGRAM.py", help="what torch.export.save wrote, an AOTInductor package, or a file with case()")
    parser.add_argument("--out", required=True, metavar="DIR", help="the folder; it must not exist, or be empty")
    parser.add_argument("--weights", choices=["inside", "beside"], default="inside", help="in the compiled model, or in a safetensors file that can be replaced (default: inside)")
    parser.add_argument("--cpu", default="native", metavar="CPU", help="what the model is compiled for: native, this machine's (default), or a name of the compiler's -march, such as x86-64-v3")
    add_loudness(parser)
    options = parser.parse_args(arguments)
    warnings.filterwarnings("ignore")
    begun = time.monotonic()
    try:
        with shown(progress_of(options)), told_of(options.model):
            entries, size = _deploy(Path(options.model), options)
    except (CaptureError, OSError) as error:
        text = " ".join(line.strip() for line in str(error).splitlines())
        print(f"{options.model}: error: {text}", file=sys.stderr)
        return 2
    if options.quiet:
        return 0
    print(f"built {', '.join(entries)} in {seconds_of(time.monotonic() - begun)}: {options.out}, {size}")
    print(f"    cmake -S {options.out} -B {options.out}/build -DCMAKE_PREFIX_PATH={_libtorch()}")
    print(f"    cmake --build {options.out}/build && ctest --test-dir {options.out}/build")
    return 0


def _libtorch():
    import torch

    return torch.__path__[0]


def _deploy(model, options):
    with step("importing PyTorch"):
        import torch

        from ..upstream import require_torch
        from .dispatching import by_entry
        from .writing import write_folder

    require_torch()
    torch._logging.set_logs(all=50)
    out = Path(options.out)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise CaptureError(f"{out} exists: it is not replaced, since what is in it may have been changed; remove it or choose another --out")
    with step(f"reading {model.name} and recording its calls"):
        graphs = _graphs(model)
    write_folder(graphs, out, f"{model.name}, deployed.", options.cpu, options.weights == "inside")
    return by_entry(graphs), size_of(out)


def _graphs(model):
    if not model.is_file():
        raise CaptureError("there is no such file")
    if model.suffix == ".py":
        from .entries import of_cases

        return of_cases(model)
    if model.suffix != ".pt2":
        raise CaptureError("neither a .pt2 file nor a PROGRAM.py")
    from .packages import kind_of, of_package

    if kind_of(model) == "package":
        return of_package(model)
    import torch

    from ..names import identifier
    from .entries import of_program

    try:
        program = torch.export.load(model)
    except Exception as problem:
        raise CaptureError(f"torch.export.load refuses it: {str(problem).strip().splitlines()[0]}") from problem
    return [of_program(program, identifier(model.stem))]
