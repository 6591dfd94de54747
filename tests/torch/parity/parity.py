# SPDX-License-Identifier: MIT
"""Runs every program of programs_*.py with wrapgen_torch.check, prints a table, and writes it to $BUILD/torch/parity.txt.

  parity.py [-v] [--inner] [NAME...]    programs whose name contains one of the words; -v prints each report

With --inner all programs also run with Inductor's kernels, else those of programs_inner.py and one in SHARE_OF_INNER.

A program that PyTorch itself cannot compile is listed as such, and passes only where the program says so (`uncompiled`); one
that is refused passes only where the program states the words of the refusal (`refused`), and one that ends in an exception only where
it states that (`raises`). One that differs from eager mode as PyTorch's own compiled program does says so if the difference is what it is for
(`inherited`). One whose later call wrapgen's wrapper refuses and PyTorch's does not says so too (`stops`).
"""

import gc
import importlib
import os
import re
import sys
import time
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")
HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
sys.path[:0] = [str(ROOT / "cmd"), str(HERE), str(HERE.parent / "host"), str(HERE.parent / "shared")]

import torch  # noqa: E402
from torch._inductor import config as inductor_config  # noqa: E402
from wrapgen_torch import check  # noqa: E402
from wrapgen_torch.negative import unnoticed  # noqa: E402

from program import PROGRAMS  # noqa: E402
from share import is_taken, share, taken  # noqa: E402
from trips import NEVER_TRIPPED, Tripping, num_tripped, tripped, verb_names  # noqa: E402

torch.set_num_threads(1)
inductor_config.cpp.simdlen = 1  # vectorised kernels take twice as long to compile
torch._logging.set_logs(all=50)  # what PyTorch logs about guards and graph breaks is not a result
gc.freeze()  # check() counts tensors: not those of every module that is loaded


def judge(program, result):
    """(passed, what the table says)"""
    text = "\n".join(result.lines)
    if program.refused is not None:
        good = result.status == "refused" and program.refused in text
        return good, f"refused: {program.refused}" if good else f"{result.status}, but a refusal was expected"
    if program.uncompiled is not None:
        good = result.status == "uncompiled" and program.uncompiled in text
        return good, f"PyTorch cannot: {program.uncompiled}" if good else f"{result.status}, not uncompiled"
    if program.inherited is not None:
        good = result.status == "inherited" and program.inherited in text
        return good, f"inherited: {program.inherited}" if good else f"{result.status}, not inherited"
    if program.different is not None:
        good = result.status == "different" and program.different in text
        return good, f"different: {program.different}" if good else f"{result.status}, not different"
    if program.stops is not None:
        later = [line for line in result.lines if line.startswith("call ")]
        refused = re.search(rf"WrapperError: {result.name}(\(\))?: ", text)
        good = result.status == "different" and not later and refused is not None and program.stops in text
        wrong = any(f"differs from eager mode: call {len(program.make_inputs()) - 1}" in note for note in result.lines)
        good = good and wrong == program.unsafe
        return good, f"refuses a later call: {program.stops}" if good else f"{result.status}, but {program.stops} was expected"
    if program.raises is not None or result.raised is not None:
        good = result.ok and program.raises is not None and program.raises in (result.raised or "")
        return good, f"both raise: {program.raises}" if good else f"{result.status}, raised {result.raised}"
    if result.ok and program.kernels is not None and result.kernels != program.kernels:
        return False, f"{result.kernels} kernels, not {program.kernels}"
    if result.ok and program.notes not in "\n".join(result.notes):
        return False, f"no note says '{program.notes}'"
    if result.status == "inherited":
        return True, f"inherited: {result.lines[0]}"
    if result.status == "uncompiled" and result.lines[0].startswith("with inductor: "):
        return True, result.lines[0]
    return result.ok, result.status + (" (PyTorch's own fails)" if result.ok and result.broken else "")


def inner_of(program):
    """The kernels: of a share of the programs Inductor's, which take seconds each, in one form that compiles quickly."""
    with_inner = "--inner" in sys.argv or is_taken(f"{program.name} with its kernels", share("SHARE_OF_INNER", 12))
    return program.options.get("inner", "inductor" if with_inner else None)


def main(folder=HERE, table_name="parity"):
    """All programs of `folder`; the table goes to build/torch/<table_name>.txt."""
    sys.path.insert(0, str(folder))
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    verbose = "-v" in sys.argv
    for path in sorted(folder.glob("programs_*.py")):
        importlib.import_module(path.stem)
    rows, failed = [], 0
    chosen = taken(PROGRAMS, words)
    for number, program in enumerate(chosen, 1):
        begin = time.time()
        gc.freeze()
        try:
            result = check(program.function, program.make_inputs, name=program.name, builder=Tripping, after=(unnoticed, tripped),
                           **{**program.options, "inner": inner_of(program)})
            good, said = judge(program, result)
            report, graphs = result.report, len(result.graphs)
        except Exception as problem:  # noqa: BLE001 - one program must not end the suite
            good, said, report, graphs = False, f"{type(problem).__name__}", str(problem), 0
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} - {program.name}", flush=True)
        if not good or verbose:
            print("\n".join(f"#   {line}" for line in report.splitlines()[:24]))
        rows.append(f"{program.name:34} {graphs:2} graph(s) {time.time() - begin:6.1f} s  {said}")
    table = "\n".join(rows) + "\n"
    if table_name == "parity" and len(chosen) == len(PROGRAMS):
        never = set(verb_names()) - set(num_tripped)
        good = never == NEVER_TRIPPED
        failed += not good
        rows.append(f"{sum(num_tripped.values())} calls of {len(num_tripped)} verbs threw; never called: {', '.join(sorted(never))}")
        print(f"{'ok' if good else 'not ok'} {len(chosen) + 1} - verbs that no program here calls are known: {never ^ NEVER_TRIPPED or ''}")
    build = Path(os.environ.get("BUILD", ROOT / "build")) / "torch"
    build.mkdir(parents=True, exist_ok=True)
    if not words:
        (build / f"{table_name}.txt").write_text(table)
    print("".join(f"#= {row}\n" for row in rows), end="")
    print(f"{len(rows) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
