# SPDX-License-Identifier: MIT
"""A program under torch.compile with PyTorch's own wrappers, with what was built of it, and in eager mode. The first two must
agree in everything that a program can see; the comparison is check()'s."""

import contextlib
import gc
import tempfile
import warnings

import torch
import torch.utils._pytree as pytree
from torch._functorch import config as functorch_config
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import is_traceable_wrapper_subclass
from wrapgen_torch import backend
from wrapgen_torch.ahead.building import Recorder
from wrapgen_torch.running import compare_exceptions, compare_runs, run_calls
from wrapgen_torch.snapshot import ONLY_COMPILED


def compare(function, make_inputs, *, inner="aot_eager", dynamic=None, factory=False, grad=True, backward=True,
            context=contextlib.nullcontext, tolerance=(1e-5, 1e-6), raises=False):  # fmt: skip
    """(lines that differ, the Report of the run with what was built). The options are check()'s. A program that ends in an
    exception, which must then be the same, says so: `raises`."""

    @contextlib.contextmanager
    def around():
        with context(), torch.set_grad_enabled(grad):
            yield

    def run(back_end, memory):
        def wrap(program, _):
            compiled = program if back_end is None else torch.compile(program, backend=back_end, dynamic=dynamic)

            def remembered(*args):
                results = compiled(*args)
                memory.extend(_memory_of([args, results, *(program.parameters() if isinstance(program, torch.nn.Module) else ())]))
                return results

            return remembered

        return run_calls(function, make_inputs, wrap, factory=factory, grad=grad, backward=backward, around=around)

    quiet = functorch_config.patch(check_custom_op_aliasing=False)  # its first call leaves other versions behind
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), quiet:
        warnings.simplefilter("ignore")
        recorder = Recorder(inner, verify=False)  # what it builds is compared here
        run(recorder, []).exception = None
        recorder.write(folder, "tried")
        ours, memory = backend(folder, inner=inner), ([], [])
        mine, theirs, eager = run(ours, memory[0]), run(inner, memory[1]), run(None, [])
    lines = compare_exceptions(mine.exception, theirs.exception) + compare_runs(mine, theirs, True, ())
    if (mine.exception is not None) != raises:
        lines.append(f"the program raised {type(mine.exception).__name__}: {mine.exception}" if not raises else "the program raised nothing")
    excused = set(compare_runs(theirs, eager, False, ONLY_COMPILED, tolerance))
    against = compare_runs(mine, eager, False, ONLY_COMPILED, tolerance)
    lines += [f"against eager mode: {line}" for line in against if line not in excused]
    if mine.exception is None and theirs.exception is None:  # an exception's frames hold tensors
        mine.release()
        theirs.release()
        gc.collect()
        alive = [len({one.cdata for one in each if not one.expired()}) for each in memory]
        lines += [f"the memory of {alive[0]} tensors outlives the calls, {alive[1]} under PyTorch's wrappers"] if alive[0] > alive[1] else []
    return lines, ours.report()


def _memory_of(values):
    """The storages of all tensors in there."""
    for leaf in pytree.tree_leaves(values):
        if is_traceable_wrapper_subclass(leaf):
            yield from _memory_of([getattr(leaf, name) for name in leaf.__tensor_flatten__()[0]])
        elif isinstance(leaf, torch.Tensor) and leaf.layout == torch.strided:
            yield StorageWeakRef(leaf.untyped_storage())


def same(function, make_inputs, *, graphs=1, **options):
    """The program must agree, and each of its `graphs` graphs must be a hit."""
    lines, report = compare(function, make_inputs, **options)
    assert not lines, "\n".join(lines[:8])
    assert report.misses == 0 and report.hits == graphs, str(report)
