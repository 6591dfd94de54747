# SPDX-License-Identifier: MIT
"""The command line: `wrapgen-torch build PROGRAM.py --out DIR` builds the wrappers of a program's graphs ahead of time;
`wrapgen-torch deploy MODEL --out DIR` makes a C program of a model (deploying/);
`wrapgen-torch prepare` compiles the host that all builds share, which the first of them would else do;
`wrapgen-torch init PROGRAM.py --out DIR` writes a first C project of one (starting.py);
`wrapgen-torch doctor` says what is installed and what is missing (doctor.py);
`wrapgen-torch PROGRAM.py` writes graph.yaml and expected.txt next to the program."""

import argparse
import contextlib
import difflib
import os
import sys
import tempfile
import warnings
from pathlib import Path

from .environment import HERE, run, wrapgen
from .errors import CaptureError, CaptureWarning, DirectoryError
from .progress import VERBOSE, shown, step
from .told import told_of
from .yaml_text import SCHEMA, schema_line, to_yaml



def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["build"]:
        return _build(arguments[1:])
    if arguments[:1] == ["prepare"]:
        return _prepare(arguments[1:])
    if arguments[:1] == ["init"]:
        from .starting import main as init

        return init(arguments[1:])
    if arguments[:1] == ["doctor"]:
        from .doctor import main as doctor

        return doctor(arguments[1:])
    if arguments[:1] == ["deploy"]:
        from .deploying.command import main as deploy

        return deploy(arguments[1:])
    return _record(arguments)


def _build(arguments):
    parser = argparse.ArgumentParser(
        prog="wrapgen-torch build",
        description="Build the wrappers of all graphs of a PyTorch program, for torch.compile(..., backend=wrapgen_torch.backend(DIR)).",
    )
    parser.add_argument("program", metavar="PROGRAM.py", help="a file with a function case(), which says what to compile and call")
    parser.add_argument("--out", required=True, metavar="DIR", help="the directory that is written")
    parser.add_argument("--inner", default="inductor", metavar="NAME", help="the back end that compiles the kernels (default: inductor)")
    parser.add_argument("--load", action="store_true", help="also build what wrapgen_torch.load(DIR) needs to call the program without Dynamo")
    parser.add_argument("--no-verify", action="store_true", help="do not repeat each call with the built wrappers to compare it with eager mode")
    add_loudness(parser)
    options = parser.parse_args(arguments)
    warnings.filterwarnings("ignore", module=r"torch\.")
    if options.load and options.inner != "inductor":
        parser.error(f"what --load calls is compiled by Inductor, not by {options.inner}")
    try:
        with shown(progress_of(options)), _warnings_of(options.program), told_of(options.program):
            report = _build_case(Path(options.program), options.out, options.inner, options.load, not options.no_verify)
    except (CaptureError, DirectoryError, OSError) as error:
        print(f"{options.program}: error: {error}", file=sys.stderr)
        return 2
    if not options.quiet or report.misses:
        print(report)
    if report.hits and not options.quiet:
        print(f"next: torch.compile(function, backend=wrapgen_torch.backend({options.out!r}))")
        if options.load:
            print(f"      wrapgen_torch.load({options.out!r}).fn(...), without torch.compile")
    return 1 if report.misses else 0


def _prepare(arguments):
    parser = argparse.ArgumentParser(
        prog="wrapgen-torch prepare",
        description="Compile the host that all builds in this environment share, for the PyTorch and the Python that are installed. It takes half a minute; where "
        "it is there already nothing is done.",
    )
    add_loudness(parser)
    options = parser.parse_args(arguments)
    warnings.filterwarnings("ignore", module=r"torch\.")
    try:
        with shown(progress_of(options)):
            with step("importing PyTorch"):
                from .extension import TorchHost
            library = TorchHost.get().library
    except (CaptureError, OSError) as error:
        print(f"wrapgen-torch prepare: error: {error}", file=sys.stderr)
        return 2
    if not options.quiet:
        print(f"prepared: {library}")
    return 0


def add_loudness(parser):
    """The options that say how much is shown of what takes long."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors, warnings and what was not done")
    group.add_argument("-v", "--verbose", action="store_true", help="print each step and each command that is run, on stderr")


def progress_of(options):
    return False if options.quiet else VERBOSE if options.verbose else True


@contextlib.contextmanager
def _warnings_of(program):
    """Warnings about the program name it, as errors do: no line of it runs when they are found."""
    with warnings.catch_warnings():
        theirs = warnings.showwarning

        def show(message, category, *where, **more):
            if issubclass(category, CaptureWarning):
                print(f"{program}: warning: {message}", file=sys.stderr)
            else:
                theirs(message, category, *where, **more)

        warnings.showwarning = show
        yield


def _build_case(program, directory, inner, load, verify):
    with step("importing PyTorch"):
        import torch

        from .ahead.building import build
        from .case import load_case

    torch.manual_seed(0)
    case = load_case(program)
    if case.frontend != "dynamo":
        raise CaptureError("its case() asks for PyTorch without Dynamo, and what is built is for torch.compile")

    def calls():
        return [args for _, args in case.calls]

    def context():
        return torch.set_grad_enabled(case.grad_mode)

    options = {"inner": inner, "dynamic": case.dynamic, "name": case.name, "context": context, "load": load, "verify": verify}
    return build(case.function, calls, directory, **options)


def _record(arguments):
    parser = argparse.ArgumentParser(
        prog="wrapgen-torch",
        description="Capture AOTAutograd's metadata of a PyTorch program as YAML, with what PyTorch computed.",
        epilog="wrapgen-torch build PROGRAM.py --out DIR builds its wrappers for torch.compile instead; "
        "wrapgen-torch deploy MODEL.pt2|PROGRAM.py --out DIR makes a C program of a model; wrapgen-torch prepare compiles what builds share; "
        "wrapgen-torch init PROGRAM.py --out DIR writes a first C project of one; wrapgen-torch doctor says what is missing here.",
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
            with told_of(program):
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
    from .expected_text import settle, starts

    torch.manual_seed(0)
    if not check:
        torch.set_num_threads(1)
    case = load_case(program)
    graph, data = program.parent / "graph.yaml", program.parent / "expected.txt"
    schema = _schema_for(program.resolve().parent)
    old = data.read_text(encoding="utf-8") if check and data.exists() else ""
    captured = record_case(case, starts(old))
    header = _header(case, program, torch.__version__.split("+")[0])
    document = describe(case, captured)
    notes = [f"{note}." for note in captured.traced.untested]
    stale = _put(graph, to_yaml(document, [schema_line(schema), *header, *notes]), check)
    if schema == SCHEMA:
        stale |= _put(program.parent / SCHEMA, run([wrapgen(), "--print-schema"]), check)
    return _put(data, settle(old, to_data(case, captured, header)), check) or stale


def _schema_for(folder):
    """The schema that editors read, as a file of that folder refers to it: the repository's, within it, else one in the same folder."""
    root = HERE.parent.parent
    theirs = root / "schema" / SCHEMA
    return os.path.relpath(theirs, folder) if theirs.exists() and root in folder.parents else SCHEMA


def _header(case, program, version):
    folder = program.resolve().parent
    ours = HERE.parent.parent / "examples" in folder.parents
    return [
        *case.description.splitlines(),
        "",
        f"Captured by wrapgen-torch from torch {version}; do not edit. To regenerate:",
        f"  cmd/wrapgen-torch examples/{folder.name}/{program.name}" if ours else f"  wrapgen-torch {program.name}",
    ]


def _put(path, text, check):
    old = path.read_text(encoding="utf-8") if path.exists() else None
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
