# SPDX-License-Identifier: MIT
"""capture(): the YAML of a function or module.

A program that PyTorch compiles as one graph is not run: its back end reads the metadata, and raises. A program of several
graphs has to be, since what comes after a graph break needs the results of what came before; it runs on copies of its
arguments. Each graph is described while AOTAutograd builds its own wrappers around it.
"""

import copy
import warnings
from dataclasses import dataclass

import torch
import torch.utils._pytree as pytree
from functorch.compile import make_boxed_func, min_cut_rematerialization_partition

from .choice import Origin
from .describe import describe_with_subclasses
from .errors import CaptureError, CaptureWarning
from .graphs import Graphs
from .names import identifier
from .trace import Watch, choose_names, is_lifted, lifted_value
from .upstream import dynamo_common, require_torch
from .yaml_text import to_yaml

MODES = ("auto", "inference", "training")


@dataclass
class Described:
    """One graph: what was traced, its YAML, and PyTorch's own wrapper around it."""

    name: str
    traced: object
    document: dict
    subclasses: object
    input_names: list
    output_names: list
    compiled: object  # PyTorch's, called with the flat arguments
    lifted: list  # parameters and buffers that Dynamo keeps in the module: arguments before those
    origin: object = None  # Origin: the code, and which of its compilations this is

    @property
    def prefix(self):
        return self.document.get("prefix", "")

    @property
    def notes(self):
        return self.traced.untested

    @property
    def yaml(self):
        header = [f"Captured by wrapgen-torch from torch {torch.__version__.split('+')[0]}."]
        return to_yaml(self.document, header + [f"{note}." for note in self.notes])


@dataclass
class _Names:
    name: str
    prefix: str = ""
    compiled: str | None = None


@dataclass
class _Captured:
    traced: object
    input_names: list
    output_names: list
    calls: tuple = ()


def _interpret(graph_module, _example):
    # Not the module's own forward: AOTAutograd asks a compiled function to empty its list of arguments.
    return make_boxed_func(graph_module)


def describe_graph(module, args, name, keep_input_mutations=True, known=None, prefix="", shared=None):
    """AOTAutograd's view of `module` (an FX module) on flat `args`: a Described. `shared`: see Graphs."""
    watch = Watch()
    with watch.watching():
        compiled = dynamo_common.aot_module_simplified(
            module,
            args,
            fw_compiler=_interpret,
            bw_compiler=_interpret,
            partition_fn=min_cut_rematerialization_partition,
            keep_inference_input_mutations=keep_input_mutations,
        )
    traced = watch.traced
    if traced.meta is None:
        raise CaptureError(f"{name}: PyTorch did not trace this graph")
    # Names come from Dynamo's sources; `known` has the arguments' own names when there is no Dynamo.
    lifted = [lifted_value(module, descriptor) for descriptor in traced.descriptors if is_lifted(descriptor)]
    inputs, outputs = choose_names(traced, lifted + list(args), known or {}, None)
    document, subclasses = describe_with_subclasses(_Names(name, prefix), _Captured(traced, inputs, outputs), shared)
    return Described(name, traced, document, subclasses, inputs, outputs, compiled, lifted, Origin.current())


class Direct(torch.nn.Module):
    """A function as the module that AOTAutograd wants, without Dynamo."""

    def __init__(self, function):
        super().__init__()
        self._hidden = [function]  # not a submodule: its parameters would become arguments

    def forward(self, *args):
        result = self._hidden[0](*args)
        results = tuple(result) if isinstance(result, (list, tuple)) else (result,)
        _refuse_repeated(results, args)
        return results


def _refuse_repeated(results, args):
    """AOTAutograd's metadata do not tell a result that stands there twice from two results that its graph computes once."""
    arguments = {id(arg) for arg in args}
    seen = {}
    for i, result in enumerate(results):
        first = seen.setdefault(id(result), i)
        if first != i and isinstance(result, torch.Tensor) and id(result) not in arguments:
            raise CaptureError(f"results {first} and {i} are one object; return it once, as Dynamo does")


def function_name(function):
    name = getattr(function, "__name__", type(function).__name__)
    return identifier(name.lower() if name != "<lambda>" else "program")


def capture(
    function, *example_inputs, mode="auto", dynamic=None, keep_input_mutations=True, name=None, frontend="dynamo", calls=(), aoti=False
):
    """The YAML of everything that AOTAutograd knows about `function` (a function, an nn.Module, or a torch.export
    program, whose signature is read instead: see exported()) on these inputs. The inputs are not changed.

    mode      "training": with a backward, grad mode on, and an error when nothing requires grad; "inference": grad mode
              off; "auto": grad mode as it is, PyTorch decides
    dynamic   as in torch.compile
    frontend  "dynamo", or "direct": AOTAutograd alone, for things that Dynamo does or refuses (duplicates, in-place views)
    aoti      of a torch.export program: the YAML for the model that AOTInductor makes of it
    calls     tuples of arguments for further calls, after the one with the example inputs

    A program with graph breaks gives several graphs, and so does one that is compiled again for a further call; comments say
    which call runs which. Graphs of the same code become variants of a kernel, in the order in which Dynamo tries them after
    these calls; comments name what stays out, and why. Such a program is run, with copies of its arguments and, if it is
    a module or a method of one, of that; what else it changes is changed.

    Anything that cannot be written is a CaptureError that names it. What Dynamo tests of tensors that a graph does not take
    is a CaptureWarning, and a comment of the YAML: whoever calls the wrapper without Dynamo has to test it.
    """
    require_torch()
    if isinstance(function, torch.export.ExportedProgram):
        from .exported import exported

        return exported(function, name=name, aoti=aoti).yaml
    if mode not in MODES:
        raise CaptureError(f"mode is one of {', '.join(MODES)}, not '{mode}'")
    if calls and frontend == "direct":
        raise CaptureError("without Dynamo nothing is compiled again: 'calls' is for frontend \"dynamo\"")
    graphs = Graphs(name or function_name(function))
    grad = torch.is_grad_enabled() if mode == "auto" else mode == "training"
    torch._dynamo.reset()
    with torch.set_grad_enabled(grad):
        if frontend == "direct":
            graphs.described.append(describe_graph(Direct(function), list(example_inputs), graphs.name, keep_input_mutations))
        elif calls or not _describe_alone(graphs, function, example_inputs, dynamic, keep_input_mutations):
            _describe_while_running(graphs, function, [example_inputs, *calls], dynamic, keep_input_mutations)
    if not graphs.described:
        raise CaptureError(f"nothing was compiled: '{graphs.name}' has no tensor operation")
    if mode == "training" and not any(described.traced.trains for described in graphs.described):
        raise CaptureError(f"'{graphs.name}' has no backward: none of its inputs requires grad")
    for described in graphs.described:
        for note in described.notes:
            warnings.warn(note, CaptureWarning, stacklevel=2)
    return graphs.yaml


def _describe_alone(graphs, function, args, dynamic, keep):
    """Without running it. False: the program is not one graph."""

    def backend(module, args):
        # Dynamo passes fakes or the inputs themselves; they are traced, not run.
        graphs.described.append(describe_graph(module, list(args), graphs.name, keep))
        raise _Enough

    try:
        torch.compile(function, backend=backend, dynamic=dynamic, fullgraph=True)(*args)
    except Exception as problem:
        if _caused_by(problem, CaptureError) is not None:
            raise _caused_by(problem, CaptureError) from None
        if _caused_by(problem, _Enough) is None:
            if not isinstance(problem, (torch._dynamo.exc.Unsupported, torch._dynamo.exc.UserError)):
                raise
            torch._dynamo.reset()
            return False
    return True


def _describe_while_running(graphs, function, calls, dynamic, keep):
    function, calls = _copies(function, calls)

    def backend(module, args):
        described = describe_graph(module, list(args), graphs.next_name(), keep, shared=graphs.shared)
        graphs.described.append(described)

        def run(*flat):
            graphs.ran(described)
            return described.compiled(*flat)

        return torch._dynamo.disable(run)

    compiled = torch.compile(function, backend=backend, dynamic=dynamic)
    for args in calls:
        graphs.calls.append([])
        try:
            compiled(*args)
        except Exception as problem:
            if _caused_by(problem, CaptureError) is not None:
                raise _caused_by(problem, CaptureError) from None
            raise


def _copies(function, calls):
    """The same with tensors of their own. Parameters that are also arguments stay the same tensors."""
    memo = {}
    for value in pytree.tree_leaves(calls):
        if isinstance(value, torch.Tensor) and not value.is_leaf:
            twin = value.detach().clone().requires_grad_(value.requires_grad).clone()
            if twin.stride() != value.stride():
                raise CaptureError("an argument that is not a leaf and not dense cannot be copied, so the program cannot be run")
            memo[id(value)] = twin
        elif isinstance(value, torch.Tensor) and (value.is_conj() or value.is_neg()):
            memo[id(value)] = _lazy_twin(value)
    try:
        calls = copy.deepcopy(list(calls), memo)
        owner = getattr(function, "__self__", None)
        if isinstance(function, torch.nn.Module) or isinstance(owner, torch.nn.Module):
            function = copy.deepcopy(function, memo)
    except Exception as problem:
        raise CaptureError(f"the program has several graphs and must be run, but its arguments cannot be copied: {problem}") from None
    return function, calls


def _lazy_twin(value):
    """A copy that is as lazily conjugated and negated as the leaf `value`; PyTorch's own is neither."""
    with torch.no_grad():
        plain = torch._neg_view(value) if value.is_neg() else value
        plain = plain.conj() if plain.is_conj() else plain
        twin = torch.empty_strided(plain.size(), plain.stride(), dtype=plain.dtype, device=plain.device).copy_(plain)
        twin = twin.conj() if value.is_conj() else twin
        twin = torch._neg_view(twin) if value.is_neg() else twin
    return twin.requires_grad_(value.requires_grad)


class _Enough(Exception):
    """The graph is described; the program need not run."""


def _caused_by(problem, kind):
    while problem is not None:
        if isinstance(problem, kind):
            return problem
        inner = getattr(problem, "inner_exception", None)
        problem = inner or problem.__cause__ or problem.__context__
    return None
