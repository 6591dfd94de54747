# SPDX-License-Identifier: MIT
"""The programs of ../parity, each built and then run with what was built. Programs without Dynamo have no torch.compile, and
those whose wrapper tests more than PyTorch's (`full`, `stops`) are about that. A program that the capture refuses must run under
PyTorch's own wrapper; all other graphs must be hits. SHARE=n runs one program in n; PART says which."""

import importlib
import sys
from pathlib import Path

from compared import compare
from functorch.compile import make_boxed_func, min_cut_rematerialization_partition
from share import taken
from torch._dynamo.backends.common import aot_autograd

_PARITY = Path(__file__).resolve().parent.parent / "parity"


def _boxed(module, _):
    return make_boxed_func(module)


def _out_of_the_graph(module, args):
    """Like "aot_eager", with every mutation after the graph."""
    compiler = aot_autograd(fw_compiler=_boxed, partition_fn=min_cut_rematerialization_partition, keep_inference_input_mutations=False)
    return compiler(module, args)


def _test_of(program):
    options = dict(program.options)
    options.pop("frontend", None)
    options.pop("inner", None)  # the kernels that check() runs with
    keep = options.pop("keep_input_mutations", True)

    def test():
        inner = "aot_eager" if keep else _out_of_the_graph
        raises = program.raises is not None or program.broken
        lines, report = compare(program.function, program.make_inputs, inner=inner, raises=raises, **options)
        assert not lines, "\n".join([*lines[:8], str(report)])
        refusals = [row.why for row in report if not row.hit]
        if program.refused is None:
            assert not refusals and report.hits, str(report)
        else:
            assert all(program.refused in why for why in refusals), str(report)

    return test


def _chosen():
    sys.path.insert(0, str(_PARITY))
    for path in sorted(_PARITY.glob("programs_*.py")):
        importlib.import_module(path.stem)
    from program import PROGRAMS

    fit = [one for one in PROGRAMS if one.options.get("frontend", "dynamo") == "dynamo" and "full" not in one.options]
    fit = [one for one in fit if one.stops is None and one.uncompiled is None]
    fit = [one for one in fit if one.name != "tangent_that_is_stubborn"]  # looks for the graph's name in a message
    return taken(fit, (), "SHARE")


for _program in _chosen():
    globals()[f"test_parity_{_program.name}"] = _test_of(_program)
