# SPDX-License-Identifier: MIT
"""check(): a program under wrapgen's wrappers, under PyTorch's own, and in eager mode, from the same start.

wrapgen is a back end of torch.compile here: Dynamo traces, AOTAutograd builds its metadata, and the generated C wraps
the same traced graph that PyTorch's wrapper wraps in the other run. So those two runs must agree bit for bit, in
everything that a program can see. Against eager mode, whose kernels may differ, values are compared with a tolerance;
if PyTorch's own compiled program differs from eager mode, that is reported but is not wrapgen's fault.
"""

import contextlib
import copy
import gc
import traceback
import warnings
from dataclasses import dataclass, field

import torch
import torch.utils._pytree as pytree
from torch._dynamo import disable
from torch._functorch import config as functorch_config
from torch._subclasses import FakeTensor
from torch.nn.parameter import UninitializedTensorMixin

from .api import Direct, describe_graph, function_name
from .errors import CaptureError, WrapperError
from .graphs import Shared
from .module_program import ModuleDispatcher, ModuleProgram
from .negative import unnoticed
from .snapshot import ONLY_COMPILED, Snapshot, differences
from .trace import require_torch


@dataclass
class Result:
    """`ok`, and why not. status: "equal", "different", "refused" (wrapgen or the capture said why), "uncompiled" (PyTorch
    itself cannot compile the program, or its compiled program fails)."""

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
    def report(self):
        text = [f"{self.name}: {self.status}, {len(self.graphs)} graph(s)"]
        return "\n".join(text + [f"  {line}" for line in self.lines] + [f"  note: {line}" for line in self.notes])


@dataclass
class _Run:
    """The outcome of one way of running the program: a snapshot after each call, or the exception that ended it."""

    snapshots: list = field(default_factory=list)
    exception: BaseException | None = None
    graphs: list = field(default_factory=list)
    programs: list = field(default_factory=list)  # ModuleProgram, under wrapgen
    shared: Shared = field(default_factory=Shared)
    dispatcher: object = None  # ModuleDispatcher: calls go through it from then on

    def close(self):
        """The number of tensors that are alive after release(), including snapshots' copies."""
        self.release()
        return _num_tensors()

    def release(self):
        """Lets go of the program's tensors."""
        if self.exception is not None:
            traceback.clear_frames(self.exception.__traceback__)
        for snapshot in self.snapshots:
            snapshot.close()
        for program in self.programs:
            program.last = None
        torch._dynamo.reset()


def _num_tensors():
    gc.collect()  # check() has frozen what was there before it, which makes this quick
    return sum(1 for _ in _tensors())


def _num_forgotten(run):
    """The storages of a run's calls that only C++ can still hold."""
    alive = {address for program in run.programs for address in program.alive()}
    for program in run.programs:
        program.forget()
    return len(alive - {tensor.untyped_storage()._cdata for tensor in (_tensors() if alive else ())})


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
        eager = _run(function, make_inputs, lambda program, run: _eager(program, frontend), **options)
        alive = [eager.close()]
        theirs = _run(function, make_inputs, build("torch"), **options)
        alive.append(theirs.close())
        broken = theirs.exception is not None and eager.exception is None
        if broken and not theirs.graphs:
            result.status = "uncompiled"
            result.lines = _exception_lines("PyTorch", theirs.exception)
            return result
        ours = _run(function, make_inputs, build("wrapgen"), **options)
        _judge(result, eager, theirs, ours, tolerance)
        if result.ok:
            for program in ours.programs:
                result.lines += [line for look in after for line in look(program, around)]
        several = result.ok and ours.exception is None and len(ours.graphs) > 1
        chosen = several and _build_together(result, ours)
        alive.append(ours.close())
        outlived = [later - earlier for earlier, later in zip(alive, alive[1:])]
        ended_well = theirs.exception is None and ours.exception is None  # an exception's frames hold tensors
        if result.ok and ended_well and outlived[1] > outlived[0]:
            result.lines += [f"tensors outlive the calls: {outlived[1]}, and {outlived[0]} under PyTorch's wrappers"]
        forgotten = _num_forgotten(ours)
        if result.ok and ended_well and forgotten:
            result.lines += [f"{forgotten} storages outlive the calls and all tensors of Python"]
        if result.ok and not result.lines and chosen:
            _check_choices(result, lambda kind: _run(function, make_inputs, build(kind), again=True, **options))
        result.status = "different" if result.ok and result.lines else result.status
    return result


def _build_together(result, ours):
    """All graphs in one document; returns whether some of them are variants of a kernel."""
    try:
        together = ModuleDispatcher(result.name, ours.graphs, ours.programs)
    except CaptureError as problem:
        result.lines.append(f"all graphs in one document: {problem}")
        return False
    result.document, result.kernels = together.text, len(together.choices)
    result.notes += together.notes
    return bool(together.choices or together.outdone)


def _check_choices(result, run):
    """All calls are made twice, under PyTorch's wrappers and under wrapgen's; the second time, when everything is compiled,
    wrapgen's calls go through the dispatchers, which must choose what Dynamo chooses."""
    alive = [_num_tensors()]
    theirs = run("torch")
    alive.append(theirs.close())
    mine = run("wrapgen")
    lines = _compare_exceptions(mine.exception, theirs.exception) + _compare_runs(mine, theirs, True, ())
    alive.append(mine.close())
    if not lines and alive[2] - alive[1] > alive[1] - alive[0]:
        lines = [f"tensors outlive the calls: {alive[2] - alive[1]}, and {alive[1] - alive[0]} under PyTorch's wrappers"]
    forgotten = _num_forgotten(mine)
    if not lines and forgotten:
        lines = [f"{forgotten} storages outlive the calls and all tensors of Python"]
    result.lines += [f"through the dispatchers: {line}" for line in lines]


def _judge(result, eager, theirs, ours, tolerance):
    result.graphs = ours.graphs
    broken = theirs.exception is not None and eager.exception is None
    result.notes = _exception_notes(eager, theirs, ours, broken) + [note for graph in ours.graphs for note in graph.notes]
    if ours.exception is not None and not broken and type(ours.exception) is type(theirs.exception):
        result.raised = f"{type(ours.exception).__name__}: {ours.exception}"
    if ours.exception is not None and _is_refusal(ours.exception):
        result.status = "refused"
        result.lines = _exception_lines("wrapgen", _is_refusal(ours.exception))
        return
    if broken:
        # PyTorch's own compiled program fails and eager mode does not: eager mode is right.
        result.broken = True
        if ours.exception is not None:
            result.lines = _compare_exceptions(ours.exception, theirs.exception) + _compare_runs(ours, theirs, True, ())
        else:
            result.lines = _compare_runs(ours, eager, False, ONLY_COMPILED, tolerance)
        result.status = "different" if result.lines else "equal"
        return
    result.lines = _compare_exceptions(ours.exception, theirs.exception) + _compare_runs(ours, theirs, True, ())
    if not ours.graphs and not theirs.graphs and not result.lines:
        result.status = "uncompiled"
        result.lines = ["PyTorch compiled nothing of it"]
        return
    against = _compare_runs(ours, eager, False, ONLY_COMPILED, tolerance)
    excused = set(_compare_runs(theirs, eager, False, ONLY_COMPILED, tolerance))
    result.lines += [f"against eager mode: {line}" for line in against if line not in excused]
    result.notes += [f"PyTorch's own compiled program differs from eager mode: {line}" for line in sorted(excused)]
    result.status = "different" if result.lines else "equal"


def _exception_notes(eager, theirs, ours, broken):
    if broken:
        notes = _exception_lines("PyTorch's own compiled program fails", theirs.exception)
        if ours.exception is not None and not _is_refusal(ours.exception):
            notes += _exception_lines("so does wrapgen's", ours.exception)
        return notes
    named = (("eager mode raised", eager), ("PyTorch's wrapper raised", theirs), ("wrapgen's wrapper raised", ours))
    return [line for who, run in named if run.exception is not None for line in _exception_lines(who, run.exception)]


def _eager(program, frontend):
    """The result as the graph returns it: without Dynamo, always a tuple."""
    return program if frontend == "dynamo" else Direct(program)


def _is_refusal(problem):
    while problem is not None:
        if isinstance(problem, CaptureError):
            return problem
        problem = getattr(problem, "inner_exception", None) or problem.__cause__ or problem.__context__
    return None


def _exception_lines(who, problem):
    text = [line for line in str(problem).strip().splitlines() if line.strip()]
    return [f"{who}: {type(problem).__name__}: {line}" if not i else line for i, line in enumerate(text[:12])]


def _compare_exceptions(ours, theirs):
    if ours is None and theirs is None:
        return []
    if ours is None:
        return [f"PyTorch's wrapper raised {type(theirs).__name__}: {theirs}; wrapgen's did not"]
    if theirs is None:
        where = "".join(traceback.format_exception(ours)[-3:]).strip().splitlines()
        return [f"wrapgen's wrapper raised {type(ours).__name__}: {ours}; PyTorch's did not", *where[-6:]]
    if type(ours) is not type(theirs) and not isinstance(ours, WrapperError):
        return [f"wrapgen's wrapper raised {type(ours).__name__}: {ours}, PyTorch's {type(theirs).__name__}: {theirs}"]
    return []


def _compare_runs(got, wanted, exact, ignored, tolerance=(0, 0)):
    lines = []
    if len(got.snapshots) != len(wanted.snapshots):
        lines.append(f"{len(got.snapshots)} calls ended, not {len(wanted.snapshots)}")
    for number, (one, other) in enumerate(zip(got.snapshots, wanted.snapshots)):
        lines += [f"call {number}: {line}" for line in differences(one, other, exact, tolerance, ignored)]
    return lines


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
        import torch._dynamo.backends.common as common
        from functorch.compile import make_boxed_func, min_cut_rematerialization_partition

        def boxed(graph_module, _):
            return make_boxed_func(graph_module)

        self.compiled = common.aot_module_simplified(
            module,
            args,
            fw_compiler=boxed,
            bw_compiler=boxed,
            partition_fn=min_cut_rematerialization_partition,
            keep_inference_input_mutations=keep,
        )


def _run(function, make_inputs, wrap, *, factory, grad, backward, around, again=False):
    torch._dynamo.reset()
    run = _Run()
    torch.manual_seed(1)
    program = function() if factory else copy.deepcopy(function) if isinstance(function, torch.nn.Module) else function
    calls = make_inputs()
    calls = calls if isinstance(calls, list) else [calls]
    first = len(calls)
    if again:
        more = make_inputs()
        calls = calls + (more if isinstance(more, list) else [more])
    modules = program if isinstance(program, torch.nn.Module) else None
    try:
        with around():
            wrapped = wrap(program, run)
            wrapped = getattr(program, "around", lambda compiled: compiled)(wrapped)
            for number, args in enumerate(calls):
                if again and number == first and run.programs:
                    run.dispatcher = ModuleDispatcher(run.graphs[0].name, run.graphs, run.programs)
                torch.manual_seed(2)
                results = wrapped(*args)
                mode = torch.is_grad_enabled()
                torch.set_grad_enabled(grad)
                snapshot = Snapshot()
                run.snapshots.append(snapshot)
                snapshot.add("args", args)
                if isinstance(results, (tuple, list)):
                    results = tuple(results)
                snapshot.add("results", results)
                snapshot.add_state(mode)
                if modules is not None:
                    snapshot.add("state", dict(modules.state_dict(keep_vars=True)))
                if backward and grad:
                    _backward(snapshot, args, results, modules)
    except Exception as problem:  # noqa: BLE001 - an exception is a result like any other
        run.exception = problem
    return run


def _backward(snapshot, args, results, modules):
    leaves = [leaf for leaf in pytree.tree_leaves(results) if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
    given = [leaf for leaf in pytree.tree_leaves(args) if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
    outputs = {id(leaf): leaf for leaf in leaves + [leaf for leaf in given if leaf.grad_fn is not None]}
    outputs = [leaf for leaf in outputs.values() if leaf.grad_fn is not None]
    if not outputs:
        return
    generator = torch.Generator().manual_seed(3)
    gradients = [_random_like(leaf, generator) for leaf in outputs]
    torch.autograd.backward(outputs, gradients)
    sources = [leaf for leaf in pytree.tree_leaves(args) if isinstance(leaf, torch.Tensor) and leaf.is_leaf]
    sources += list(modules.parameters()) if modules is not None else []
    snapshot.add_gradients("grad", [leaf.grad for leaf in sources])
    constants = [leaf for leaf in pytree.tree_leaves(args) if isinstance(leaf, torch.Tensor) and not leaf.requires_grad]
    constants += list(modules.buffers()) if modules is not None else []
    snapshot.add_gradients("after the backward", constants)


def _random_like(tensor, generator):
    """Random numbers of its kind; with two dimensions they have the reverse memory order."""
    from torch.utils._python_dispatch import is_traceable_wrapper_subclass

    if is_traceable_wrapper_subclass(tensor):
        return torch.ones_like(tensor)
    wide = torch.float64 if not tensor.dtype.is_complex else torch.complex128
    values = torch.randn(tuple(reversed(tensor.shape)), generator=generator, dtype=wide).to(tensor.dtype)
    return values.permute(tuple(reversed(range(tensor.dim()))))
