# SPDX-License-Identifier: MIT
"""Captures what AOTAutograd knows about one graph while it builds its own wrappers.

Three functions are watched:

  aot_autograd.create_aot_state                        the metadata for the user's inputs
  aot_autograd.aot_stage2_compile                      the metadata after deduplication and synthetic bases, and the traced graph
  graph_compile._categorize_saved_tensors_for_backward the forward and the backward as they are compiled

Effect tokens are in the traced graph of a training graph whatever the back end does. Inductor wants none: they are taken out of
the forward and the backward before these are compiled, and out of the metadata (`meta`). So what is read of the traced graph is
kept without them, and `meta` says how many of them the compiled functions take.

Everything read here is copied at once, since PyTorch drops or rewrites much of it later (make_runtime_safe).
"""

import contextlib
import copy
from dataclasses import dataclass
from unittest.mock import patch

import torch

from .errors import CaptureError
from .names import Names, from_source
from .upstream import (
    AOTDedupeWrapper,
    AOTSyntheticBaseWrapper,
    BufferAOTInput,
    InputMutationAOTOutput,
    InstructionTranslator,
    IntermediateBaseAOTOutput,
    ParamAOTInput,
    PlainAOTOutput,
    SubclassCreationMeta,
    SyntheticBaseAOTInput,
    ViewBaseAOTInput,
    aot_autograd,
    check_metadata,
    check_tree,
    checked,
    graph_compile,
)


@dataclass
class Geometry:
    """A traced tensor's metadata, taken before tracing can change it. `scalar` is set for everything else."""

    dtype: object = None
    device: object = None
    size: tuple = ()
    stride: tuple = ()
    offset: object = 0
    scalar: object = None
    is_view: bool = False
    is_conj: bool = False
    is_neg: bool = False

    @staticmethod
    def of(value):
        if not isinstance(value, torch.Tensor):
            return Geometry(scalar=value)
        offset = 0 if value.layout in (torch.jagged,) else value.storage_offset()
        size, stride = tuple(value.size()), tuple(value.stride())
        return Geometry(value.dtype, value.device, size, stride, offset, is_view=value._base is not None,
                        is_conj=value.is_conj(), is_neg=value.is_neg())  # fmt: skip

    def is_dense(self):
        """Its elements are adjacent in memory, in any order of dims; False also if that depends on symbols."""
        dims = [(size, stride) for size, stride in zip(self.size, self.stride) if not isinstance(size, int) or size != 1]
        if not all(isinstance(number, int) for dim in dims for number in dim):
            return False
        expected = 1
        for size, stride in sorted(dims, key=lambda dim: dim[1]):
            if stride != expected:
                return False
            expected *= size
        return True


@dataclass
class Traced:
    """What AOTAutograd found out about one graph."""

    meta: object = None  # ViewAndMutationMeta of the graph's own arguments: without duplicates, members merged
    outer_meta: object = None  # the same of the user's inputs
    output_info: list = None  # of the user's outputs, with symbolic view sequences, which PyTorch drops later
    num_outer_inputs: int = 0
    inputs: list = None  # Geometry, one per input of the user
    input_types: list = None  # type of each traced input
    fakes: list = None  # the traced inputs themselves, for the tensors inside subclasses
    descriptors: list = None  # AOTInput of each traced input
    sources: list = None  # Dynamo's source of each input that is not a parameter of the module
    tracked: list = ()  # what tracked() returned
    frozen: frozenset = frozenset()  # positions of inputs that the back end has made constants: a call passes None
    untested: list = ()  # texts: what Dynamo tests of that and no input tells
    unpassed: object = None  # Unpassed: the same as a kernel's conditions need it
    duplicates: dict = None  # position of an input -> the earlier one that it is
    groups: list = None  # lists of positions of inputs that are merged
    inner: list = None  # for each argument of the graph: a position, or the list of positions that it replaces
    returns: list = None  # Geometry or None: what the graph returns, in order, without tokens
    grad_input_metas: list = None  # of subclasses
    trains: bool = False
    disable_amp: bool = False
    shape_env: object = None
    forward: object = None  # GraphModule: the graph, or the partitioner's forward
    backward: object = None
    saved_values: int = None  # tensors, ints and opaque values; training only
    backward_returns: list = None  # None if an input gets no gradient; training only
    saved_inputs: list = None  # positions among the saved tensors that are inputs of the graph; training only
    grad_enabled: bool = True

    @property
    def num_returned(self):
        """How many values the forward returns that are not tokens, nor saved, nor the new offset of the random generator."""
        return len(output_nodes(self.forward)) - len(self.meta.tokens) - (self.saved_values or 0) - self.meta.num_outputs_rng_offset


def tracked():
    """(Dynamo's name, Geometry) of each tensor and symbolic integer that Dynamo looked at while it traced the graph which is
    compiled now; none without Dynamo."""
    try:
        output = InstructionTranslator.current_tx().output
    except AttributeError:
        return []
    return [(name_of(one.source), Geometry.of(one.fake)) for one in output.tracked_fakes]


_SAVED = "_categorize_saved_tensors_for_backward"
_TREES = ("subclass_inp_meta", "subclass_fw_graph_out_meta", "subclass_tangent_meta")


def _frozen(meta):
    """A copy of a tree that PyTorch's make_runtime_safe() cannot reach: it drops symbolic sizes."""
    if not isinstance(meta, SubclassCreationMeta):
        return copy.copy(meta)
    result = copy.copy(meta)
    result.attrs = {name: _frozen(child) for name, child in meta.attrs.items()}
    return result


class Watch:
    """`with watch.watching(): aot_module_simplified(...)` fills watch.traced."""

    def __init__(self):
        self.traced = Traced()
        self._copied = {}
        self._is_settled = False

    def reading(self):
        """What is read of PyTorch is read under this. An error there is one of ours, and here it is raised."""
        return contextlib.nullcontext()

    @contextlib.contextmanager
    def watching(self):
        with (
            patch.object(aot_autograd, "create_aot_state", self._watch_state(aot_autograd.create_aot_state)),
            patch.object(aot_autograd, "aot_stage2_compile", self._watch_stage2(aot_autograd.aot_stage2_compile)),
            patch.object(graph_compile, _SAVED, self._watch_saved(getattr(graph_compile, _SAVED))),
        ):
            yield

    def _watch_state(self, original):
        def create_aot_state(stack, flat_fn, flat_args, descriptors, *rest, **options):
            traced = self.traced
            with self.reading():
                traced.inputs = [Geometry.of(value) for value in flat_args]
                traced.input_types = [type(value) for value in flat_args]
                traced.fakes = list(flat_args)
                traced.num_outer_inputs = len(flat_args)
                traced.grad_enabled = torch.is_grad_enabled()
                traced.descriptors = list(descriptors)
            state = original(stack, flat_fn, flat_args, descriptors, *rest, **options)
            with self.reading():
                check_metadata(checked(state).fw_metadata)
                traced.outer_meta = copy.copy(state.fw_metadata)
                traced.output_info = list(state.fw_metadata.output_info)
            return state

        return create_aot_state

    def _watch_stage2(self, original):
        def aot_stage2_compile(state, graph_capture, *rest, **options):
            with self.reading():
                self._read_graph(state, graph_capture)
            result = original(state, graph_capture, *rest, **options)
            if not self._is_settled:
                with self.reading():
                    self.settle()
            return result

        return aot_stage2_compile

    def _watch_saved(self, original):
        def categorize(forward, backward, inner_meta, metadata, num_forward):
            with self.reading():
                self.traced.forward, self.traced.backward = forward, backward
                self.traced.saved_values = len(output_nodes(forward)) - num_forward
                self.traced.backward_returns = returned(backward)
            return original(forward, backward, inner_meta, metadata, num_forward)

        return categorize

    def _read_graph(self, state, graph_capture):
        traced = self.traced
        check_metadata(checked(state).fw_metadata)
        checked(graph_capture)
        traced.meta = state.fw_metadata
        traced.trains = state.needs_autograd
        traced.disable_amp = torch._C._is_any_autocast_enabled()
        traced.shape_env = state.fake_mode.shape_env
        traced.tracked = tracked()
        traced.sources = state.aot_config.aot_autograd_arg_pos_to_source
        traced.returns = returned(graph_capture.graph_module)[len(state.fw_metadata.tokens) :]
        traced.forward = graph_capture.graph_module
        if graph_capture.maybe_subclass_meta is not None:
            metas = graph_capture.maybe_subclass_meta.grad_input_metas
            for meta in metas or ():
                check_tree(meta)
            traced.grad_input_metas = None if metas is None else [_frozen(meta) for meta in metas]
        self._merging(graph_capture.wrappers)
        self._copied = {name: list(getattr(state.fw_metadata, name)) for name in _TREES}
        self._is_settled = False
        for name in _TREES:
            self._copied[name] = [_frozen(meta) for meta in self._copied[name]]

    def settle(self):
        """The counts of saved values come with the partition; lists that it empties come from before it."""
        for name, value in self._copied.items():
            setattr(self.traced.outer_meta, name, value)
        self._is_settled = True

    def _merging(self, wrappers):
        """The user's inputs that each argument of the graph represents."""
        traced = self.traced
        traced.duplicates, traced.groups = {}, []
        kept = list(range(traced.num_outer_inputs))
        for wrapper in wrappers:
            if isinstance(wrapper, AOTDedupeWrapper) and checked(wrapper).needs_post_compile and wrapper.keep_arg_mask:
                kept = [i for i, keep in enumerate(wrapper.keep_arg_mask) if keep]
                for i, keep in enumerate(wrapper.keep_arg_mask):
                    if not keep:
                        traced.duplicates[i] = kept[wrapper.add_dupe_map[i]]
        traced.inner = list(kept)
        for wrapper in wrappers:
            if isinstance(wrapper, AOTSyntheticBaseWrapper) and checked(wrapper).needs_post_compile:
                groups = [[kept[i] for i in members] for _, members in sorted(wrapper.base_groups.items())]
                traced.groups = groups
                traced.inner = groups + [kept[i] for i in wrapper.other_arg_indices]


def output_nodes(graph_module):
    (output,) = [node for node in graph_module.graph.nodes if node.op == "output"]
    return list(output.args[0])


def returned(graph_module):
    result = []
    for value in output_nodes(graph_module):
        if isinstance(value, torch.fx.Node):
            result.append(Geometry.of(value.meta.get("val")))
        else:
            result.append(None if value is None else Geometry(scalar=value))
    return result


def name_of(source):
    """Dynamo's name of a source, which is a method in some versions."""
    return source.name() if callable(source.name) else source.name


def is_lifted(descriptor):
    return isinstance(descriptor, (ParamAOTInput, BufferAOTInput))


def lifted_value(module, descriptor):
    if isinstance(descriptor, ParamAOTInput):
        return module.get_parameter(descriptor.target)
    return module.get_buffer(descriptor.target)


def base_name(position):
    """The name of an intermediate base; AOTAutograd has none for it."""
    return f"base_{position}"


def choose_names(traced, args, known, outputs):
    """(names of the inputs, names of the outputs), distinct C identifiers. `known` is id of a tensor -> name; `outputs` is
    a list or None."""
    names = Names()
    for position in range(traced.meta.num_intermediate_bases):
        names.take(base_name(position))
    num_lifted = sum(map(is_lifted, traced.descriptors))
    inputs = []
    for position, value in enumerate(args):
        wanted = known.get(id(value)) if isinstance(value, torch.Tensor) else None
        if wanted is None and position < num_lifted:
            wanted = traced.descriptors[position].target
        if wanted is None and traced.sources is not None and traced.sources[position] is not None:
            wanted = from_source(name_of(traced.sources[position]))
        inputs.append(names.take(wanted or f"input_{position}"))
    count = len(traced.output_info)
    if outputs is None:
        outputs = ["out"] if count == 1 else [f"out_{position}" for position in range(count)]
    if len(outputs) != count:
        raise CaptureError(f"the program names {len(outputs)} outputs; the graph returns {count}")
    return inputs, [names.take(name) for name in outputs]


def tangent_names(traced, input_names, output_names):
    """What each tangent belongs to: an updated input, an output or an intermediate base, in AOTAutograd's order. A merged
    input is named after its synthetic base."""
    result = []
    for descriptor in traced.meta.traced_tangents_descs:
        of = descriptor.output
        if isinstance(of, InputMutationAOTOutput):
            result.append(_mutated_name(traced, of.mutated_input, input_names))
        elif isinstance(of, IntermediateBaseAOTOutput):
            result.append(base_name(traced.output_info[of.base_of.idx].base_idx))
        elif isinstance(of, PlainAOTOutput):
            result.append(output_names[of.idx])
        else:
            raise CaptureError(f"a tangent of an unknown kind, {of}")
    return result


def _mutated_name(traced, descriptor, input_names):
    if descriptor in traced.descriptors:
        return input_names[traced.descriptors.index(descriptor)]
    is_merged = isinstance(descriptor, (SyntheticBaseAOTInput, ViewBaseAOTInput))
    if is_merged and descriptor.base_of in traced.descriptors:
        position = traced.descriptors.index(descriptor.base_of)
        for group in traced.groups:
            if position in group:
                return merged_name(group, input_names)
    raise CaptureError(f"a tangent of an unknown input, {descriptor}")


def merged_name(group, input_names):
    return "merged_" + input_names[min(group)]
