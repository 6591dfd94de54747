# SPDX-License-Identifier: MIT
"""child.py CASE FOLDER - plays what was built without Dynamo. load.py calls main() in a fork (../shared/warm.py)."""

import faulthandler
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[2] / "cmd"), str(HERE)]
warnings.filterwarnings("ignore", module=r"torch\.")

import torch  # noqa: E402

torch.set_num_threads(1)

import programs  # noqa: E402
import programs_breaks  # noqa: E402, F401
import programs_classes  # noqa: E402, F401
import programs_data  # noqa: E402, F401
import programs_functional  # noqa: E402, F401
import programs_globals  # noqa: E402, F401
import programs_kept  # noqa: E402, F401
import programs_modes  # noqa: E402, F401
import programs_recurrent  # noqa: E402, F401
import programs_shapes  # noqa: E402, F401
import programs_subclasses  # noqa: E402, F401
import programs_training  # noqa: E402, F401
from wrapgen_torch import DirectoryError, load  # noqa: E402


def same(name, found, expected, exact):
    assert len(found) == len(expected), f"{name}: {len(found)} values, not {len(expected)}"
    for position, (mine, theirs) in enumerate(zip(found, expected)):
        assert type(mine) is type(theirs), f"{name} {position}: {mine!r} is not {theirs!r}"
        if not isinstance(mine, torch.Tensor):
            assert mine == theirs, f"{name} {position}: {mine!r} is not {theirs!r}"
            continue
        assert (mine.dtype, mine.shape, mine.requires_grad) == (theirs.dtype, theirs.shape, theirs.requires_grad), f"{name} {position}"
        if exact:
            assert mine.stride() == theirs.stride(), f"{name} {position}: strides {mine.stride()}, {theirs.stride()}"
            assert torch.equal(mine, theirs), f"{name} {position}: differs by {(mine - theirs).abs().max()}"
        else:
            torch.testing.assert_close(mine, theirs, msg=lambda text, position=position: f"{name} {position}: {text}")


def refuse_imported():
    imported = sorted(name for name in sys.modules if name.startswith(("torch._dynamo", "torch._inductor")))
    assert not imported, imported


def main(name_of_case, folder):
    faulthandler.dump_traceback_later(300, exit=True)  # a call that waits for itself
    (case,) = [case for case in programs.CASES if case.name == name_of_case]
    expected = torch.load(f"{folder}/expected.pt", weights_only=True)
    loaded = load(f"{folder}/built").fn
    refuse_imported()
    for name, wrap in case.wraps(loaded).items():
        found = programs.played(case, wrap)
        same(f"{name} against torch.compile", found, expected["compiled"], True)
        if case.eager:
            same(f"{name} against eager mode", found, expected["eager"], False)
    for words, call in case.wrong(loaded):
        try:
            call()
        except (ValueError, TypeError, DirectoryError) as problem:
            assert words in str(problem), f"{words!r} is not in: {problem}"
            continue
        raise AssertionError(f"no error that says {words!r}")
    if not case.optimizes and not case.dispatches:
        refuse_imported()


if __name__ == "__main__":
    main(*sys.argv[1:])
