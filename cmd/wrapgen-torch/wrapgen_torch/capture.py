# SPDX-License-Identifier: MIT
"""Runs a program under torch.compile and takes hold of what AOTAutograd knows of it.

Everything stays PyTorch's own: Dynamo traces, AOTAutograd builds its wrappers, Inductor compiles. Three functions are
watched while that happens:

  torch._dynamo.backends.common.aot_module_simplified
      the boundary: what it returns is the wrapped graph, called with one flat list; and the place to choose
      keep_inference_input_mutations
  torch._functorch.aot_autograd.create_aot_state
      the metadata as the user's inputs have it
  torch._functorch.aot_autograd.aot_stage2_compile
      the metadata after deduplication and synthetic bases, the traced graph, and through the partitioner the forward
      and the backward

Each call of the boundary is recorded (record.py) and repeated without compilation on equal inputs; a difference that
the program's tolerances do not allow is an error. describe.py turns the result into YAML.
"""

import contextlib
from dataclasses import dataclass, field
from unittest.mock import patch

import torch
import torch._dynamo.backends.common as dynamo_common
import torch._functorch.aot_autograd as aot_autograd
import torch._inductor.config as inductor_config
from torch._functorch._aot_autograd.descriptors import (
    BufferAOTInput,
    InputMutationAOTOutput,
    IntermediateBaseAOTOutput,
    ParamAOTInput,
    PlainAOTOutput,
)
from torch._inductor.compile_fx import compile_fx

from . import record
from .backward import TangentWatch, eager_gradients, record_backward
from .compare import compare_gradients, compare_with_eager
from .errors import CaptureError
from .names import Names, from_source

REQUIRED_TORCH = "2.13.0"


@dataclass
class Geometry:
    """A traced tensor's metadata, taken before tracing can change it. `scalar` is set for everything else."""

    dtype: object = None
    device: object = None
    size: tuple = ()
    stride: tuple = ()
    offset: object = 0
    scalar: object = None

    @staticmethod
    def of(value):
        if not isinstance(value, torch.Tensor):
            return Geometry(scalar=value)
        return Geometry(value.dtype, value.device, tuple(value.size()), tuple(value.stride()), value.storage_offset())


@dataclass
class Traced:
    """What AOTAutograd found out about one graph."""

    meta: object = None  # ViewAndMutationMeta
    output_info: list = None  # with symbolic view sequences, which PyTorch drops later
    num_outer_inputs: int = 0
    inputs: list = None  # Geometry, one per input
    input_types: list = None  # type of each traced input
    descriptors: list = None  # AOTInput of each traced input
    sources: list = None  # Dynamo's source of each input that is not a parameter of the module
    returns: list = None  # Geometry or None: what the graph returns, in order
    trains: bool = False
    disable_amp: bool = False
    shape_env: object = None
    forward_returns: int = None  # with saved values; training only
    backward_returns: list = None  # None where an input gets no gradient; training only
    grad_enabled: bool = True


@dataclass
class Capture:
    """The result: a traced graph, the names of its values, and recorded calls."""

    traced: Traced
    input_names: list
    output_names: list
    calls: list = field(default_factory=list)


class _Recorder:
    def __init__(self, case):
        self._case = case
        self._known = {}  # id of a tensor -> the program's name for it
        self._alive = []
        self._traced = None
        self._tangents = TangentWatch()
        self.capture = None
        self.call_name = ""

    def know(self, named):
        for name, value in named:
            if isinstance(value, torch.Tensor):
                self._known.setdefault(id(value), name)
                self._alive.append(value)

    @contextlib.contextmanager
    def watching(self):
        with contextlib.ExitStack() as stack:
            stack.enter_context(patch.object(dynamo_common, "aot_module_simplified", self._compile))
            stack.enter_context(inductor_config.patch(force_disable_caches=True, **self._case.inductor))
            yield

    def _compile(self, module, args, *rest, **options):
        if self._traced is not None:
            raise CaptureError(
                f"call {self.call_name}: PyTorch compiled '{self._case.name}' a second time: the call broke a guard of "
                f"the first graph, or the program has a graph break (TORCH_LOGS=recompiles,graph_breaks tells)"
            )
        self._traced = Traced()
        options["keep_inference_input_mutations"] = self._case.keep_input_mutations
        with (
            patch.object(aot_autograd, "create_aot_state", self._watch_state(aot_autograd.create_aot_state)),
            patch.object(aot_autograd, "aot_stage2_compile", self._watch_stage2(aot_autograd.aot_stage2_compile)),
            self._tangents.watching(),
        ):
            compiled = _ORIGINAL_AOT(module, args, *rest, **options)

        def boundary(*runtime_args):
            return self._run(module, compiled, runtime_args)

        boundary.__dict__.update(compiled.__dict__)
        return boundary

    def _watch_state(self, original):
        def create_aot_state(stack, flat_fn, flat_args, descriptors, *rest, **options):
            traced = self._traced
            traced.inputs = [Geometry.of(value) for value in flat_args]
            traced.input_types = [type(value) for value in flat_args]
            traced.num_outer_inputs = len(flat_args)
            traced.grad_enabled = torch.is_grad_enabled()
            traced.descriptors = list(descriptors)
            return original(stack, flat_fn, flat_args, descriptors, *rest, **options)

        return create_aot_state

    def _watch_stage2(self, original):
        def aot_stage2_compile(state, graph_capture, partition_fn, *rest, **options):
            traced = self._traced
            traced.meta = state.fw_metadata
            traced.output_info = list(state.fw_metadata.output_info)
            traced.trains = state.needs_autograd
            traced.disable_amp = torch._C._is_any_autocast_enabled()
            traced.shape_env = state.fake_mode.shape_env
            traced.sources = state.aot_config.aot_autograd_arg_pos_to_source
            traced.returns = _returned(graph_capture.graph_module)

            def partition(*args, **kwargs):
                forward, backward = partition_fn(*args, **kwargs)
                traced.forward_returns = len(_output_nodes(forward))
                traced.backward_returns = _returned(backward)
                return forward, backward

            return original(state, graph_capture, partition, *rest, **options)

        return aot_stage2_compile

    def _run(self, module, compiled, runtime_args):
        if self._traced.meta is None:
            raise CaptureError("PyTorch called a graph that was not watched while it was compiled")
        lifted = [_lifted(module, entry) for entry in self._traced.descriptors if _is_lifted(entry)]
        args = lifted + list(runtime_args)
        if self.capture is None:
            self.capture = self._name(args)
        capture = self.capture
        named = list(zip(capture.input_names, args, strict=True))
        table = record.StorageTable()
        before = record.take_snapshot(table, named)
        self._random_state = torch.get_rng_state()
        outputs = compiled(*runtime_args)
        results = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        if capture.output_names is None:
            capture.output_names = self._name_outputs(len(results))
        after = record.take_snapshot(table, named, list(zip(capture.output_names, results, strict=True)))
        call = record.Call(self.call_name, before, after)
        gradients = None
        if self._traced.trains and self._case.backward:
            names = tangent_names(self._traced, capture.input_names, capture.output_names)
            call.backward, gradients = record_backward(
                self._tangents, self._traced, capture.input_names, args, results, names
            )
        self._compare(module, len(lifted), call, gradients)
        capture.calls.append(call)
        return outputs

    def _name(self, args):
        if len(args) != self._traced.num_outer_inputs:
            raise CaptureError(f"the graph has {self._traced.num_outer_inputs} inputs but was called with {len(args)}")
        self._names = Names()
        for position in range(self._traced.meta.num_intermediate_bases):
            self._names.take(base_name(position))
        num_lifted = sum(map(_is_lifted, self._traced.descriptors))
        names = []
        for position, value in enumerate(args):
            wanted = self._known.get(id(value)) if isinstance(value, torch.Tensor) else None
            if wanted is None and position < num_lifted:
                wanted = self._traced.descriptors[position].target
            if wanted is None and self._traced.sources is not None:
                wanted = from_source(_source_text(self._traced.sources[position]))
            names.append(self._names.take(wanted or f"input_{position}"))
        return Capture(self._traced, names, None)

    def _name_outputs(self, count):
        wanted = self._case.outputs
        if wanted is None:
            wanted = ["out"] if count == 1 else [f"out_{position}" for position in range(count)]
        if len(wanted) != count:
            raise CaptureError(f"the program names {len(wanted)} outputs; the graph returns {count}")
        return [self._names.take(name) for name in wanted]

    def _compare(self, module, num_lifted, call, gradients):
        """The same graph without compilation, from the same start."""
        values = record.rebuild(call.before)
        args = [values[name] for name in self.capture.input_names]
        held = {self._traced.descriptors[i].target: args[i] for i in range(num_lifted)}
        with torch.set_grad_enabled(call.before.grad_mode), torch.random.fork_rng(devices=[]):
            torch.set_rng_state(self._random_state)
            if held:
                outputs = torch.func.functional_call(module, held, tuple(args[num_lifted:]))
            else:
                outputs = module(*args)
        results = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        table = record.StorageTable()
        inputs = list(zip(self.capture.input_names, args, strict=True))
        eager = record.take_snapshot(table, inputs, list(zip(self.capture.output_names, results, strict=True)))
        compare_with_eager(self._case, call, eager)
        if gradients is not None:
            reference = eager_gradients(self.capture.input_names, args, results, self._traced.output_info)
            compare_gradients(self._case, call, gradients, reference)


_ORIGINAL_AOT = dynamo_common.aot_module_simplified


def _is_lifted(descriptor):
    return isinstance(descriptor, (ParamAOTInput, BufferAOTInput))


def _lifted(module, descriptor):
    if isinstance(descriptor, ParamAOTInput):
        return module.get_parameter(descriptor.target)
    return module.get_buffer(descriptor.target)


def _source_text(source):
    name = source.name
    return name() if callable(name) else name


def _output_nodes(graph_module):
    (output,) = [node for node in graph_module.graph.nodes if node.op == "output"]
    return list(output.args[0])


def _returned(graph_module):
    result = []
    for value in _output_nodes(graph_module):
        if isinstance(value, torch.fx.Node):
            result.append(Geometry.of(value.meta.get("val")))
        else:
            result.append(None if value is None else Geometry(scalar=value))
    return result


def base_name(position):
    """The name of an intermediate base; AOTAutograd has none for it."""
    return f"base_{position}"


def tangent_names(traced, input_names, output_names):
    """What each tangent belongs to: an updated input, an output or an intermediate base, in AOTAutograd's order."""
    result = []
    for descriptor in traced.meta.traced_tangents_descs:
        of = descriptor.output
        if isinstance(of, InputMutationAOTOutput):
            result.append(input_names[traced.descriptors.index(of.mutated_input)])
        elif isinstance(of, IntermediateBaseAOTOutput):
            result.append(base_name(traced.output_info[of.base_of.idx].base_idx))
        elif isinstance(of, PlainAOTOutput):
            result.append(output_names[of.idx])
        else:
            raise CaptureError(f"a tangent of an unknown kind, {of}")
    return result


class _Direct(torch.nn.Module):
    """A function as the module that AOTAutograd wants, without Dynamo in front of it."""

    def __init__(self, function):
        super().__init__()
        self._function = function

    def forward(self, *args):
        result = self._function(*args)
        return tuple(result) if isinstance(result, (list, tuple)) else (result,)


def capture(case):
    """Runs every call of `case` (case.Case) and returns the Capture."""
    if torch.__version__.split("+")[0] != REQUIRED_TORCH:
        raise CaptureError(f"this needs torch {REQUIRED_TORCH}, found {torch.__version__}")
    torch._dynamo.reset()
    recorder = _Recorder(case)
    recorder.know(case.named_tensors())
    compiled = None
    with recorder.watching():
        if case.frontend == "dynamo":
            compiled = torch.compile(case.function, fullgraph=case.fullgraph, dynamic=case.dynamic)
        for name, args in case.calls:
            recorder.know(case.named_arguments(args))
            recorder.call_name = name
            if compiled is None:
                compiled = compile_fx(_Direct(case.function), list(args))
            with torch.set_grad_enabled(case.grad_mode):
                compiled(*args)
    if recorder.capture is None:
        raise CaptureError(f"nothing was compiled: '{case.name}' has no tensor operation, or no calls")
    if len(recorder.capture.calls) != len(case.calls):
        raise CaptureError(f"{len(case.calls)} calls ran the compiled graph {len(recorder.capture.calls)} times")
    return recorder.capture
