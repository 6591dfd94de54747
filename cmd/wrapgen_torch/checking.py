# SPDX-License-Identifier: MIT
"""check(): a program under wrapgen's wrappers, under PyTorch's own, and in eager mode, from the same start.

wrapgen is a back end of torch.compile here: Dynamo traces, AOTAutograd builds its metadata, and the generated C wraps
the same traced graph that PyTorch's wrapper wraps in the other run. So those two runs must agree bit for bit, in
everything that a program can see. Against eager mode, whose kernels may differ, values are compared with a tolerance.
Then the program runs with the kernels that build() would use, and is compared with eager mode (inner.py). If PyTorch's own compiled program
differs from eager mode in the same way, the difference is inherited.
"""

import contextlib
import gc
import warnings
from dataclasses import dataclass, field

import torch
from torch.nn.parameter import UninitializedTensorMixin

from .api import Direct, describe_graph, function_name
from .errors import CaptureError
from .inner import compare_with_inner
from .module_program import ModuleDispatcher, ModuleProgram
from .negative import unnoticed
from .running import compare_exceptions, compare_runs, exception_lines, run_calls
from .snapshot import ONLY_COMPILED
from .upstream import FakeTensor, disable, dynamo_common, functorch_config, require_torch


@dataclass
class Result:
    """`ok`, and why not. status: "equal", "different", "inherited" (different from eager mode, and so is PyTorch's own compiled
    program, in the same way), "refused" (wrapgen or the capture said why), "uncompiled" (PyTorch itself cannot compile the
    program, or its compiled program fails)."""

    name: str
    status: str = "equal"
    broken: bool = False  # PyTorch's own compiled program fails; the comparison is with eager mode alone
    lines: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    graphs: list = field(default_factory=list)  # Described
    document: str | None = None  # of several graphs: all of them, as capture() writes them
    kernels: int = 0  # those in it that choose among graphs
    raised: str | None = None  # what ended the program, the same under both wrappers

    @property
    def ok(self):
        return self.status == "equal"

    @property
    def faithful(self):
        """The same as PyTorch's own compiled program."""
        return self.status in ("equal", "inherited")

    @property
    def report(self):
        text = [f"{self.name}: {self.status}, {len(self.graphs)} graph(s)"]
        return "\n".join(text + [f"  {line}" for line in self.lines] + [f"  note: {line}" for line in self.notes])


def _close(run):
    """The number of tensors that are alive when the program's are let go of, including snapshots' copies."""
    run.release()
    return _num_tensors()


def _num_tensors():
    gc.collect()  # check() has frozen what was there before it, which makes this quick
    return sum(1 for _ in _tensors())


def _num_forgotten(run):
    """The storages of a run's calls that only C++ can still hold."""
    alive = {address for program in run.programs for address in program.alive()}
    for program in run.programs:
        program.forget()
    return len(alive - _held()) if alive else 0


def _held():
    """The addresses of the storages of all tensors of Python: also of those from before check(), which the program may keep as its
    state, and of gradients, which are objects of Python only when asked for."""
    gc.unfreeze()
    held = set()
    for tensor in _tensors():
        held.add(tensor.untyped_storage()._cdata)
        if tensor.is_leaf and tensor.grad is not None and tensor.grad.layout == torch.strided:
            held.add(tensor.grad.untyped_storage()._cdata)
    gc.freeze()
    return held


def _tensors():
    """The tensors with their own memory: PyTorch keeps fakes, subclasses around fakes and empty ones alive as it
    likes."""
    kinds = {}
    for thing in gc.get_objects():
        kind = type(thing)
        if kind not in kinds:
            plain = not issubclass(kind, (FakeTensor, UninitializedTensorMixin)) and not hasattr(kind, "__tensor_flatten__")
            kinds[kind] = issubclass(kind, torch.Tensor) and plain
        if kinds[kind] and not thing.is_nested:
            traced = any(isinstance(size, torch.SymInt) for size in thing.shape)
            if not traced and thing.device.type != "meta" and thing.numel() > 0:
                yield thing


def check(
    function,
    make_inputs,
    *,
    name=None,
    factory=False,
    dynamic=None,
    frontend="dynamo",
    keep_input_mutations=True,
    inner="inductor",
    grad=True,
    backward=True,
    tolerance=(1e-5, 1e-6),
    context=contextlib.nullcontext,
    full=False,
    builder=ModuleProgram,
    after=(unnoticed,),
):
    """Captures, generates, compiles and runs `function` (a function or nn.Module); returns a Result.

    make_inputs           () -> tuple of arguments, or list of such tuples: calls on the same state, one after another. It is
                          called anew for each run, with the same random state
    factory               `function` makes the program: () -> function. For programs that hold state in closures; when the
                          function has an attribute `around`, that gets the compiled function and returns the
                          function to call
    backward              run a backward from all results that require grad, with random gradients
    frontend, dynamic, keep_input_mutations   as in capture()
    inner                 the back end whose kernels the program runs with in the end, the one of build(). None: no kernels are
                          compiled, and what those do otherwise than the traced graph stays unseen
    full                  generated code tests everything that it can (`check: full`)
    builder               what builds a graph and calls the generated C, a kind of ModuleProgram
    after                 what is done with each graph after calls that are equal: functions of what was built and the context
                          manager around calls, which return lines of what is wrong
    grad, context         grad mode around the calls, and a context manager to be in
    """
    require_torch()
    label = name or function_name(function)

    @contextlib.contextmanager
    def around():
        with context(), torch.set_grad_enabled(grad):
            yield

    options = {"factory": factory, "grad": grad, "backward": backward, "around": around}

    def build(kind):
        return _runner(kind, label, dynamic, frontend, keep_input_mutations, full, builder)

    result = Result(label)
    gc.collect()
    gc.freeze()  # tensors are counted three times: not those of every module that is loaded, and of what PyTorch keeps
    # PyTorch runs a graph's first call under a mode that looks for custom operators that return aliases. Under that mode the
    # graph's own operations leave different versions behind than in later calls, or when a wrapper calls it.
    with warnings.catch_warnings(), functorch_config.patch(check_custom_op_aliasing=False):
        warnings.simplefilter("ignore")
        eager = run_calls(function, make_inputs, lambda program, run: _eager(program, frontend), **options)
        alive = [_close(eager)]
        theirs = run_calls(function, make_inputs, build("torch"), **options)
        alive.append(_close(theirs))
        broken = theirs.exception is not None and eager.exception is None
        if broken and not theirs.graphs:
            result.status = "uncompiled"
            result.lines = exception_lines("PyTorch", theirs.exception)
            return result
        ours = run_calls(function, make_inputs, build("wrapgen"), **options)
        _judge(result, eager, theirs, ours, tolerance)
        wrong = []
        if result.faithful:
            for program in ours.programs:
                wrong += [line for look in after for line in look(program, around)]
        several = result.faithful and ours.exception is None and len(ours.graphs) > 1
        chosen = several and _build_together(result, ours, wrong)
        alive.append(_close(ours))
        outlived = [later - earlier for earlier, later in zip(alive, alive[1:])]
        ended_well = theirs.exception is None and ours.exception is None  # an exception's frames hold tensors
        if result.faithful and ended_well and outlived[1] > outlived[0]:
            wrong += [f"tensors outlive the calls: {outlived[1]}, and {outlived[0]} under PyTorch's wrappers"]
        forgotten = _num_forgotten(ours)
        if result.faithful and ended_well and forgotten:
            wrong += [f"{forgotten} storages outlive the calls and all tensors of Python"]
        if result.faithful and not wrong and chosen:
            wrong += _check_choices(lambda kind: run_calls(function, make_inputs, build(kind), again=True, **options))
        if result.faithful and not wrong and inner is not None and frontend == "dynamo" and ended_well and eager.exception is None:
            _check_inner(result, wrong, compare_with_inner(function, make_inputs, inner, dynamic, tolerance, options), inner)
        if wrong:
            result.status, result.lines = "different", [*result.lines, *wrong]
    return result


def _check_inner(result, wrong, outcome, inner):
    """What the Outcome makes of an equal or inherited result."""

    def said(lines):
        return [f"with {getattr(inner, '__name__', inner)}: {line}" for line in lines]

    wrong += said(outcome.different if not outcome.uncompiled else ())
    if outcome.refused:
        result.status, result.lines = "refused", said(outcome.refused)
    elif outcome.uncompiled:
        result.status, result.lines = "uncompiled", said(outcome.uncompiled)
    elif outcome.inherited:
        result.status = "inherited"
        result.lines += said(f"against eager mode, as PyTorch's own compiled program: {line}" for line in outcome.inherited)


def _build_together(result, ours, wrong):
    """All graphs in one document; returns whether some of them are variants of a kernel."""
    try:
        together = ModuleDispatcher(result.name, ours.graphs, ours.programs)
    except CaptureError as problem:
        wrong.append(f"all graphs in one document: {problem}")
        return False
    result.document, result.kernels = together.text, len(together.choices)
    result.notes += together.notes
    return bool(together.choices or together.outdone)


def _check_choices(run):
    """All calls are made twice, under PyTorch's wrappers and under wrapgen's; the second time, when everything is compiled,
    wrapgen's calls go through the dispatchers, which must choose what Dynamo chooses."""
    alive = [_num_tensors()]
    theirs = run("torch")
    alive.append(_close(theirs))
    mine = run("wrapgen")
    lines = compare_exceptions(mine.exception, theirs.exception) + compare_runs(mine, theirs, True, ())
    alive.append(_close(mine))
    if not lines and alive[2] - alive[1] > alive[1] - alive[0]:
        lines = [f"tensors outlive the calls: {alive[2] - alive[1]}, and {alive[1] - alive[0]} under PyTorch's wrappers"]
    forgotten = _num_forgotten(mine)
    if not lines and forgotten:
        lines = [f"{forgotten} storages outlive the calls and all tensors of Python"]
    return [f"through the dispatchers: {line}" for line in lines]


def _judge(result, eager, theirs, ours, tolerance):
    result.graphs = ours.graphs
    broken = theirs.exception is not None and eager.exception is None
    result.notes = _exception_notes(eager, theirs, ours, broken) + [note for graph in ours.graphs for note in graph.notes]
    if ours.exception is not None and not broken and type(ours.exception) is type(theirs.exception):
        result.raised = f"{type(ours.exception).__name__}: {ours.exception}"
    if ours.exception is not None and _is_refusal(ours.exception):
        result.status = "refused"
        result.lines = exception_lines("wrapgen", _is_refusal(ours.exception))
        return
    if broken:
        # PyTorch's own compiled program fails and eager mode does not: eager mode is right.
        result.broken = True
        if ours.exception is not None:
            result.lines = compare_exceptions(ours.exception, theirs.exception) + compare_runs(ours, theirs, True, ())
        else:
            result.lines = compare_runs(ours, eager, False, ONLY_COMPILED, tolerance)
        result.status = "different" if result.lines else "equal"
        return
    result.lines = compare_exceptions(ours.exception, theirs.exception) + compare_runs(ours, theirs, True, ())
    if not ours.graphs and not theirs.graphs and not result.lines:
        result.status = "uncompiled"
        result.lines = ["PyTorch compiled nothing of it"]
        return
    against = compare_runs(ours, eager, False, ONLY_COMPILED, tolerance)
    excused = set(compare_runs(theirs, eager, False, ONLY_COMPILED, tolerance))
    result.lines += [f"against eager mode: {line}" for line in against if line not in excused]
    result.status = "different" if result.lines else "inherited" if excused else "equal"
    result.lines += [f"PyTorch's own compiled program differs from eager mode: {line}" for line in sorted(excused)]


def _exception_notes(eager, theirs, ours, broken):
    if broken:
        notes = exception_lines("PyTorch's own compiled program fails", theirs.exception)
        if ours.exception is not None and not _is_refusal(ours.exception):
            notes += exception_lines("so does wrapgen's", ours.exception)
        return notes
    named = (("eager mode raised", eager), ("PyTorch's wrapper raised", theirs), ("wrapgen's wrapper raised", ours))
    return [line for who, run in named if run.exception is not None for line in exception_lines(who, run.exception)]


def _eager(program, frontend):
    """The result as the graph returns it: without Dynamo, always a tuple."""
    return program if frontend == "dynamo" else Direct(program)


def _is_refusal(problem):
    while problem is not None:
        if isinstance(problem, CaptureError):
            return problem
        problem = getattr(problem, "inner_exception", None) or problem.__cause__ or problem.__context__
    return None


def _runner(kind, label, dynamic, frontend, keep, full, build):
    """program -> the same program under PyTorch's wrappers ("torch") or wrapgen's ("wrapgen")."""

    def wrap(program, run):
        def compiled_of(module, args, known=None):
            name = label if not run.graphs else f"{label}_{len(run.graphs) + 1}"
            described = _described(kind, module, args, name, keep, known, run.shared)
            run.graphs.append(described)
            if full and kind == "wrapgen":
                described.document["graphs"][0]["check"] = "full"
            if kind == "torch":
                return described.compiled
            built = build(described)
            run.programs.append(built)

            def wrapped(*flat):
                flat = (*described.lifted, *flat)
                chosen = run.dispatcher(described, flat) if run.dispatcher else None
                return chosen if chosen is not None else built(*flat)

            return wrapped

        if frontend == "dynamo":

            def backend(module, args):
                return disable(compiled_of(module, list(args)))

            return torch.compile(program, backend=backend, dynamic=dynamic)
        cache = {}

        def direct(*args):
            if None not in cache:
                cache[None] = compiled_of(Direct(program), list(args))
            return tuple(cache[None](*args))

        return direct

    return wrap


def _described(kind, module, args, name, keep, known, shared):
    try:
        return describe_graph(module, args, name, keep, known, prefix="checked_", shared=shared)
    except CaptureError:
        if kind == "wrapgen":
            raise
        # PyTorch's own wrapper also runs what wrapgen cannot describe.
        return _Theirs(module, args, keep)


class _Theirs:
    def __init__(self, module, args, keep):
        from functorch.compile import make_boxed_func, min_cut_rematerialization_partition

        def boxed(graph_module, _):
            return make_boxed_func(graph_module)

        self.compiled = dynamo_common.aot_module_simplified(
            module,
            args,
            fw_compiler=boxed,
            bw_compiler=boxed,
            partition_fn=min_cut_rematerialization_partition,
            keep_inference_input_mutations=keep,
        )
