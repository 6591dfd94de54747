# SPDX-License-Identifier: MIT
"""capture(): the YAML of a function or module, without running a compiled program.

A function that PyTorch splits into several graphs gives several graphs in one document. `backend()` is passed to
torch.compile: it lets AOTAutograd build its own wrappers around the traced graph and meanwhile reads the metadata.
"""

from dataclasses import dataclass

import torch
import torch._dynamo.backends.common as dynamo_common
from functorch.compile import make_boxed_func, min_cut_rematerialization_partition

from .describe import describe_with_subclasses
from .errors import CaptureError
from .names import identifier
from .trace import Watch, choose_names, is_lifted, lifted_value, require_torch
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

    @property
    def prefix(self):
        return self.document.get("prefix", "")

    @property
    def yaml(self):
        return to_yaml(self.document, [f"Captured by wrapgen-torch from torch {torch.__version__.split('+')[0]}."])


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


def describe_graph(module, args, name, keep_input_mutations=True, known=None, prefix=""):
    """AOTAutograd's view of `module` (an FX module) on flat `args`: a Described."""
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
    document, subclasses = describe_with_subclasses(_Names(name, prefix), _Captured(traced, inputs, outputs))
    return Described(name, traced, document, subclasses, inputs, outputs, compiled, lifted)


class Direct(torch.nn.Module):
    """A function as the module that AOTAutograd wants, without Dynamo."""

    def __init__(self, function):
        super().__init__()
        self._hidden = [function]  # not a submodule: its parameters would become arguments

    def forward(self, *args):
        result = self._hidden[0](*args)
        return tuple(result) if isinstance(result, (list, tuple)) else (result,)


def function_name(function):
    name = getattr(function, "__name__", type(function).__name__)
    return identifier(name.lower() if name != "<lambda>" else "program")


def capture(function, *example_inputs, mode="auto", dynamic=None, keep_input_mutations=True, name=None, frontend="dynamo"):
    """The YAML of everything that AOTAutograd knows about `function` (a function, an nn.Module, or a torch.export
    program, whose signature is read instead: see exported()) on these inputs. The inputs are not changed.

    mode      "training": with a backward, grad mode on, and an error when nothing requires grad; "inference": grad mode
              off; "auto": grad mode as it is, PyTorch decides
    dynamic   as in torch.compile
    frontend  "dynamo", or "direct": AOTAutograd alone, for things that Dynamo does or refuses (duplicates, in-place views)

    Anything that cannot be written is a CaptureError that names it.
    """
    require_torch()
    if isinstance(function, torch.export.ExportedProgram):
        from .exported import exported

        return exported(function, name=name).yaml
    if mode not in MODES:
        raise CaptureError(f"mode is one of {', '.join(MODES)}, not '{mode}'")
    graphs = []
    wanted = name or function_name(function)

    def backend(module, args):
        # Dynamo passes fakes or the inputs themselves; they are traced, not run.
        label = wanted if not graphs else f"{wanted}_{len(graphs) + 1}"
        graphs.append(describe_graph(module, list(args), label, keep_input_mutations))
        raise _Enough

    grad = torch.is_grad_enabled() if mode == "auto" else mode == "training"
    torch._dynamo.reset()
    with torch.set_grad_enabled(grad):
        if frontend == "direct":
            graphs.append(describe_graph(Direct(function), list(example_inputs), wanted, keep_input_mutations))
        else:
            try:
                torch.compile(function, backend=backend, dynamic=dynamic, fullgraph=True)(*example_inputs)
            except Exception as problem:
                if not _caused_by(problem, _Enough):
                    cause = _caused_by(problem, CaptureError)
                    if cause is not None:
                        raise cause from None
                    raise
    if not graphs:
        raise CaptureError(f"nothing was compiled: '{wanted}' has no tensor operation")
    if mode == "training" and not graphs[0].traced.trains:
        raise CaptureError(f"'{wanted}' has no backward: none of its inputs requires grad")
    return graphs[0].yaml


class _Enough(Exception):
    """The graph is described; the program need not run."""


def _caused_by(problem, kind):
    while problem is not None:
        if isinstance(problem, kind):
            return problem
        inner = getattr(problem, "inner_exception", None)
        problem = inner or problem.__cause__ or problem.__context__
    return None
