# SPDX-License-Identifier: MIT
"""A program's calls, run in one way from the same start as in every other, and what two such runs differ in."""

import copy
import traceback
from dataclasses import dataclass, field

import torch
import torch.utils._pytree as pytree
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from .case import calls_of, made_by
from .errors import WrapperError
from .graphs import Shared
from .module_program import ModuleDispatcher
from .snapshot import Snapshot, differences


@dataclass
class Run:
    """The outcome of one way of running the program: a snapshot after each call, or the exception that ended it."""

    snapshots: list = field(default_factory=list)
    exception: BaseException | None = None
    graphs: list = field(default_factory=list)
    programs: list = field(default_factory=list)  # ModuleProgram, under wrapgen
    shared: Shared = field(default_factory=Shared)
    dispatcher: object = None  # ModuleDispatcher: calls go through it from then on

    def release(self):
        """Lets go of the program's tensors."""
        if self.exception is not None:
            traceback.clear_frames(self.exception.__traceback__)
        for snapshot in self.snapshots:
            snapshot.close()
        for program in self.programs:
            program.last = None
        torch._dynamo.reset()


def run_calls(function, make_inputs, wrap, *, factory, grad, backward, around, again=False, probes=None):
    """A Run. `wrap`: (program, Run) -> what is called instead of it. `again`: all calls are made twice, the second time through
    a dispatcher. `probes`: Probes, which look closer at each call."""
    torch._dynamo.reset()
    run = Run()
    torch.manual_seed(1)
    program = function() if factory else copy.deepcopy(function) if isinstance(function, torch.nn.Module) else function
    calls = calls_of(made_by(make_inputs))
    first = len(calls)
    if again:
        calls = calls + calls_of(make_inputs())
    modules = program if isinstance(program, torch.nn.Module) else None
    try:
        with around():
            wrapped = wrap(program, run)
            wrapped = getattr(program, "around", lambda compiled: compiled)(wrapped)
            for number, args in enumerate(calls):
                if again and number == first and run.programs:
                    run.dispatcher = ModuleDispatcher(run.graphs[0].name, run.graphs, run.programs)
                look = probes(args, modules) if probes else None
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
                if look:
                    look.after_call(snapshot, results, backward and grad)
                if backward and grad:
                    _backward(snapshot, args, results, modules)
                if look and number == len(calls) - 1:
                    look.write_results(snapshot, results)
    except Exception as problem:  # noqa: BLE001 - an exception is a result like any other
        run.exception = problem
    return run


def differentiable(args, results):
    """The tensors that a backward can begin at: results, and arguments that were written."""
    leaves = [leaf for leaf in pytree.tree_leaves(results) if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
    given = [leaf for leaf in pytree.tree_leaves(args) if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
    outputs = {id(leaf): leaf for leaf in leaves + [leaf for leaf in given if leaf.grad_fn is not None]}
    return [leaf for leaf in outputs.values() if leaf.grad_fn is not None]


def random_gradients(outputs):
    generator = torch.Generator().manual_seed(3)
    return [_random_like(leaf, generator) for leaf in outputs]


def sources_of_gradients(args, modules):
    """The leaves to which a backward leads."""
    sources = [leaf for leaf in pytree.tree_leaves(args) if isinstance(leaf, torch.Tensor) and leaf.is_leaf]
    return sources + (list(modules.parameters()) if modules is not None else [])


def _backward(snapshot, args, results, modules):
    outputs = differentiable(args, results)
    if outputs:
        torch.autograd.backward(outputs, random_gradients(outputs))
        snapshot.add_gradients("grad", [leaf.grad for leaf in sources_of_gradients(args, modules)])
        constants = [leaf for leaf in pytree.tree_leaves(args) if isinstance(leaf, torch.Tensor) and not leaf.requires_grad]
        constants += list(modules.buffers()) if modules is not None else []
        snapshot.add_gradients("after the backward", constants)


def _random_like(tensor, generator):
    """Random numbers of its kind; with two dimensions they have the reverse memory order."""
    if is_traceable_wrapper_subclass(tensor):
        return torch.ones_like(tensor)
    wide = torch.float64 if not tensor.dtype.is_complex else torch.complex128
    values = torch.randn(tuple(reversed(tensor.shape)), generator=generator, dtype=wide).to(tensor.dtype)
    return values.permute(tuple(reversed(range(tensor.dim()))))


def exception_lines(who, problem):
    text = [line for line in str(problem).strip().splitlines() if line.strip()]
    return [f"{who}: {type(problem).__name__}: {line}" if not i else line for i, line in enumerate(text[:12])]


def compare_exceptions(ours, theirs):
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


def compare_runs(got, wanted, exact, ignored, tolerance=(0, 0), rounding=False):
    lines = []
    if len(got.snapshots) != len(wanted.snapshots):
        lines.append(f"{len(got.snapshots)} calls ended, not {len(wanted.snapshots)}")
    for number, (one, other) in enumerate(zip(got.snapshots, wanted.snapshots)):
        lines += [f"call {number}: {line}" for line in differences(one, other, exact, tolerance, ignored, rounding)]
    return lines
