# SPDX-License-Identifier: MIT
"""ViewAndMutationMeta as a document of the YAML format, version 1.

The flags keep PyTorch's names, and only values that differ from the format's defaults are written. Index lists and
counts that wrapgen derives by itself go under `expect`, where they check that derivation.

Storage offsets of inputs are left out on purpose. No guard of PyTorch tests them (a compiled graph takes a tensor with
any offset), so a stated one would refuse calls that PyTorch accepts, or worse, be folded. The same goes for outputs
that alias an input.
"""

import torch

from .beneath import find_beneath
from .dtypes import dtype_name
from .errors import CaptureError
from .flat import positions, returned_positions
from .ragged import Ragged, is_nested_int
from .call_record import TensorRecord
from .shapes import Symbols, Untold, with_guards
from .subclasses import Subclasses
from .trace import base_name, merged_name, tangent_names
from .untested import unpassed, untested
from .upstream import FakeScriptObject, MemoryFormatMeta, MutationType, OutputType, PlainTensorMeta
from .upstream import functorch_config
from .upstream import field, has_external_objects, is_custom_class, waited
from .views import NotExpressible, view_operations
from .yaml_text import Comment

_MUTATION_FLAGS = (
    "mutates_data",
    "mutates_metadata",
    "mutates_storage_metadata",
    "mutation_is_shallow_copy_data",
    "mutation_inductor_storage_resize",
    "mutations_hidden_from_autograd",
    "mutations_under_no_grad_or_inference_mode",
)
_FROM_INPUT = {OutputType.alias_of_input, OutputType.is_input}
_FROM_BASE = {OutputType.alias_of_intermediate, OutputType.alias_of_intermediate_save_as_output}
_UNALIASED = {OutputType.non_alias, OutputType.unsafe_view_alias, OutputType.custom_function_view}


def describe(case, captured):
    """The document, ready for yaml_text.to_yaml(). Only name, prefix and compiled of `case` are read."""
    return _Describer(case, captured).document()


def describe_with_subclasses(case, captured, shared=None, guarded=False):
    """(document, Subclasses): the latter say what the C names of types and contexts mean. `shared`: what the graphs of one
    document share. `guarded`: Dynamo tests its guards before each call of the wrapper."""
    describer = _Describer(case, captured, shared, guarded)
    document = describer.document()
    if shared is not None:
        shared.subclasses = describer.subclasses
        shared.taken |= {entry["name"] for entry in (*document.get("symbols", ()), *captured.traced.unpassed.symbols)}
        shared.taken.update(captured.input_names, captured.output_names)
    return document, describer.subclasses


def _drop_unread_offsets(graph):
    """The offset of a tensor that the compiled function makes is up to that function, unless a view is made from it."""
    outputs = [entry for entry in graph["outputs"] if isinstance(entry, dict)]
    viewed = {entry["base"] for entry in outputs if "view" in entry}
    fresh = [entry for entry in outputs if entry["type"] in {kind.name for kind in _UNALIASED}]
    for entry in fresh + graph.get("intermediate_bases", []):
        if entry["name"] not in viewed:
            entry.pop("storage_offset", None)


class _Describer:
    def __init__(self, case, captured, shared=None, guarded=False):
        self._case = case
        self._guarded = guarded
        self._captured = captured
        self._traced = captured.traced
        self._meta = captured.traced.meta
        self._outer = captured.traced.outer_meta
        taken = [*captured.input_names, *captured.output_names, *(shared.taken if shared else ())]
        self._waited = {}  # by input: paths of what is waited for, as the YAML has them
        for position, attributes in waited(self._meta):
            self._waited.setdefault(position, []).append(".".join(attributes))
        self._ragged = Ragged(captured.traced, set(taken))
        self._symbols = Symbols(captured.traced.shape_env, taken, self._ragged.symbols())
        self.subclasses = Subclasses(self._symbols, self._ragged, shared.subclasses if shared else None)
        self._merged = {position: group for group in captured.traced.groups for position in group}

    def document(self):
        self._refuse_what_is_missing()
        self._symbols.tell(self._told())
        self._check_against_calls()
        graph = self._graph()
        document = {"wrapgen": 1}
        if self._case.prefix:
            document["prefix"] = self._case.prefix
        declarations = self._symbols.declarations() + self._ragged.declarations()
        if declarations:
            document["symbols"] = declarations
        if self.subclasses.declarations():
            document["subclasses"] = self.subclasses.declarations()
        self._traced.untested, symbols = untested(self._case.name, self._traced, self._symbols)
        guards = self._symbols.guards(symbols, self._guarded)
        document["graphs"] = [with_guards(graph, guards)]
        self._traced.unpassed = unpassed(self._traced, self._symbols, guards)
        return document

    def _refuse_what_is_missing(self):
        meta = self._meta
        if self._waited and (self._traced.duplicates or self._traced.groups):
            self._refuse("asynchronous collective inputs together with arguments that are the same tensor or share memory")
        if self._traced.trains and has_external_objects():
            self._refuse("objects that Dynamo keeps for the backward, such as streams")
        if not self._traced.trains and self._traced.meta.num_opaque_objects_saved_for_bw:
            self._refuse("opaque values that an inference graph saves")
        if any(index is not None for index in meta.mutated_inp_stream_indices or []):
            self._refuse("mutations of inputs on user-specified streams")
        beneath = find_beneath(self._traced.fakes, [info.mutates_data for info in self._outer.input_info])
        if beneath is not None:
            written, subclass = (self._captured.input_names[position] for position in beneath)
            self._refuse(f"'{written}' is written and shares memory with what '{subclass}' consists of, which PyTorch does not see")
        if meta.num_graphsafe_rng_states:
            self._refuse("graph-safe random states")
        if any(twin in self._traced.frozen for pair in self._traced.duplicates.items() for twin in pair):
            self._refuse("a parameter that was frozen, and is passed twice")
        if any(dims for dims in meta.dynamic_saved_tensors_idxs.values()) and not self._traced.trains:
            self._refuse("dynamic saved tensors of an inference graph")

    def _refuse(self, what):
        raise CaptureError(f"{self._case.name}: {what}: not captured by this version of wrapgen-torch")

    def _told(self):
        """What the graph returns and what is stated by itself: sizes and ints, in the order of the results. Nothing is stated
        about the new geometry of merged inputs, which the graph returns after its outputs."""
        infos = self._traced.output_info
        own = [position for position, info in enumerate(infos) if info.output_type is not OutputType.is_input]
        result = []
        for position in own + [self._num_outputs() + base for base in range(self._meta.num_intermediate_bases)]:
            returned, tree = self._returned(self._outputs_start() + position)
            if tree is None and returned is not None:
                result += returned.size if returned.dtype is not None else [returned.scalar]
        return result

    def _check_against_calls(self):
        """The traced values must match the calls: sizes and strides of inputs and of returned outputs."""
        for call in self._captured.calls:
            bindings = {}
            for name, traced in zip(self._captured.input_names, self._traced.inputs):
                self._check_geometry(call, name, traced, call.before.inputs[name], bindings)
            for position, name in enumerate(self._captured.output_names):
                if name not in call.after.identical:
                    traced, tree = self._returned(self._outputs_start() + position)
                    if tree is None:
                        self._check_geometry(call, name, traced, call.after.outputs[name], bindings)

    def _check_geometry(self, call, name, traced, seen, bindings):
        if not isinstance(seen, TensorRecord):
            if traced is not None and isinstance(traced.scalar, (int, torch.SymInt)) and not isinstance(traced.scalar, bool):
                self._symbols.bind(traced.scalar, seen, bindings)
                if self._symbols.evaluate(traced.scalar, bindings) not in (seen, None):
                    raise CaptureError(f"call {call.name}: '{name}' is {seen}, traced as {traced.scalar}")
            return
        for what in ("size", "stride"):
            for dim, (stated, number) in enumerate(zip(getattr(traced, what), getattr(seen, what), strict=True)):
                self._symbols.bind(stated, number, bindings)
                if self._symbols.evaluate(stated, bindings) not in (number, None):
                    raise CaptureError(f"call {call.name}: {what} {dim} of '{name}' is {number}, traced as {stated}")

    def _graph(self):
        case, meta, traced = self._case, self._meta, self._traced
        graph = {
            "name": case.name,
            "mode": "training" if traced.trains else "inference",
            "compiled": case.compiled or f"{case.name}_kernel",
        }
        if not meta.keep_input_mutations:
            graph["keep_input_mutations"] = False
        if traced.disable_amp:
            graph["disable_amp"] = True
        if meta.grad_enabled_mutation is not None:
            graph["grad_enabled_mutation"] = meta.grad_enabled_mutation
        if meta.tokens:
            graph["tokens"] = len(meta.tokens)
        if meta.is_rng_op_functionalized:
            graph["rng"] = "functionalized"
        if traced.trains and functorch_config.debug_assert:
            graph["debug_assert"] = True
        graph["inputs"] = [self._input(position) for position in range(self._traced.num_outer_inputs)]
        if meta.num_intermediate_bases:
            graph["intermediate_bases"] = [self._base(position) for position in range(meta.num_intermediate_bases)]
        graph["outputs"] = []
        for position in range(len(traced.output_info)):
            graph["outputs"] += self._output(position)
        _drop_unread_offsets(graph)
        self._merging(graph)
        if traced.trains:
            graph["saved"] = self._saved()
            graph["backward"] = self._backward()
        graph["expect"] = self._expect()
        return graph

    def _merging(self, graph):
        names = self._captured.input_names
        if self._traced.duplicates:
            pairs = sorted(self._traced.duplicates.items())
            graph["duplicates"] = [{"input": names[twin], "of": names[of]} for twin, of in pairs]
        if self._traced.groups:
            graph["synthetic_bases"] = [self._group(group) for group in self._traced.groups]
            graph["argument_order"] = [
                merged_name(entry, names) if isinstance(entry, list) else names[entry] for entry in self._traced.inner
            ]

    def _group(self, group):
        names = self._captured.input_names
        views = [position for position in group if self._traced.inputs[position].is_view]
        base = "view_base" if views else "storage"
        # The base comes from the first member, or a member that is a view if there is one, as in PyTorch.
        ordered = sorted(group, key=lambda position: (position not in views, position))
        return {"name": merged_name(group, names), "base": base, "members": [names[position] for position in ordered]}

    def _input(self, position):
        name = self._captured.input_names[position]
        info = self._outer.input_info[position]
        geometry = self._traced.inputs[position]
        entry = {"name": name}
        if position in self._traced.frozen:
            return {**entry, "frozen": True}
        if position in self._traced.duplicates:
            return entry
        if geometry.dtype is None:
            entry.update(self._scalar(geometry.scalar, name))
            if isinstance(geometry.scalar, (bool, float)):
                entry["value"] = geometry.scalar  # burnt in by AOTAutograd; Dynamo would not pass it
            return entry
        tree = self._outer_tree(self._inner_of(position))
        if tree is not None:
            flat = self._ragged.arguments(tree)
            entry["subclass"] = self.subclasses.tree(tree, name, self._traced.fakes[position], is_input=True, flat=flat)
        else:
            # The graph was traced with the offsets of merged inputs, so only those are stated.
            entry.update(self._geometry(geometry, name, with_offset=position in self._merged))
            entry |= {bit: True for bit in ("is_conj", "is_neg") if getattr(geometry, bit)}
            if self._ragged.owned_by(position) is not None:
                entry["owns"] = self._ragged.owned_by(position)
        if position in self._waited:
            entry["wait"] = self._waited[position]
        if info.requires_grad:
            entry["requires_grad"] = True
        if not info.is_leaf:
            entry["is_leaf"] = False
        if info.mutation_type is not MutationType.NOT_MUTATED:
            entry.update({flag: True for flag in _MUTATION_FLAGS if field(info, flag, False)})
            if position in self._waited:
                self._refuse("an asynchronous collective input that is changed")
            if tree is not None and info.mutation_type is MutationType.MUTATED_OUT_GRAPH:
                order = self._meta.mutated_inp_runtime_indices.index(self._inner_of(position))
                updated = self._returned_metas()[order]
                entry["updated"] = self.subclasses.tree(updated, name, flat=self._ragged.results(updated), values=self._ragged.values(updated))
        return entry

    def _inner_of(self, position):
        """The position among the graph's own arguments; None for a merged one."""
        return self._traced.inner.index(position) if position in self._traced.inner else None

    def _outer_tree(self, inner):
        # With duplicates or merged inputs there are no subclasses, and PyTorch leaves these lists empty.
        metas = self._outer.subclass_inp_meta
        meta = None if inner is None or not metas else metas[inner]
        return None if meta is None or isinstance(meta, PlainTensorMeta) else meta

    def _returned_metas(self):
        """For updated inputs, outputs and intermediate bases."""
        return self._outer.subclass_fw_graph_out_meta

    def _returned(self, position):
        """(Geometry, None) of a value that the graph returns, or (None, tree) of a subclass."""
        metas = self._returned_metas()
        if not metas:
            return self._traced.returns[position], None
        meta = metas[position]
        if not isinstance(meta, PlainTensorMeta):
            return None, meta
        return self._traced.returns[returned_positions(self._traced)[position]], None

    def _scalar(self, value, name):
        if value is None:
            return {"kind": "none"}
        if isinstance(value, (bool, torch.SymBool)):
            return {"kind": "bool"}
        if isinstance(value, (int, torch.SymInt)):
            if is_nested_int(value):
                return {"kind": "int", "value": self._ragged.name_of(value, name)}
            return {"kind": "int", "value": self._symbols.text(value, name)}
        if isinstance(value, (float, torch.SymFloat)):
            return {"kind": "float"}
        if isinstance(value, (FakeScriptObject, torch.ScriptObject)) or is_custom_class(type(value)):
            return {"kind": "opaque"}
        raise CaptureError(f"{name}: a value of type {type(value).__name__} is not captured by this version")

    def _geometry(self, geometry, name, with_offset):
        entry = {
            "dtype": dtype_name(geometry.dtype, name),
            "size": self._symbols.texts(geometry.size, name),
            "stride": self._symbols.texts(geometry.stride, name),
        }
        if with_offset:
            entry["storage_offset"] = self._symbols.text(geometry.offset, name)
        entry["device"] = str(geometry.device)
        return entry

    def _base(self, position):
        name = base_name(position)
        geometry, tree = self._returned(self._outputs_start() + self._num_outputs() + position)
        if tree is not None:
            return {"name": name, "subclass": self.subclasses.tree(tree, name, flat=self._ragged.results(tree), values=self._ragged.values(tree))}
        return {"name": name, **self._geometry(geometry, name, with_offset=True)}

    def _outputs_start(self):
        return self._meta.num_mutated_inp_runtime_indices

    def _num_outputs(self):
        return len(self._meta.output_info)

    def _output(self, position):
        """The output's entry, after a comment if something could not be written."""
        name = self._captured.output_names[position]
        info = self._traced.output_info[position]
        returned, tree = self._returned(self._outputs_start() + position)
        entry = {"name": name}
        if returned is None and tree is None:
            return [{**entry, "kind": "none", "type": "non_alias"}]
        if tree is None and returned.dtype is None:
            scalar = self._scalar(returned.scalar, name)
            entry.update(kind=scalar["kind"], type=info.output_type.name)
            if self._symbols.depends_on_results(returned.scalar) or is_nested_int(returned.scalar):
                entry["value"] = scalar["value"]
            return [entry]
        entry["type"] = info.output_type.name
        if info.output_type not in _UNALIASED:
            entry["base"] = self._base_of(info)
        # An output that is its input has the input's geometry; stating it twice would only be a second check.
        if tree is not None:
            entry["subclass"] = self.subclasses.tree(tree, name, flat=self._ragged.results(tree), values=self._ragged.values(tree))
        elif info.output_type is not OutputType.is_input:
            entry.update(self._geometry(returned, name, with_offset=info.output_type not in _FROM_INPUT))
        if info.requires_grad:
            entry["requires_grad"] = True
        if info.requires_grad_for_backward != info.requires_grad and self._traced.trains:
            entry["requires_grad_for_backward"] = info.requires_grad_for_backward
        if info.dynamic_dims:
            entry["dynamic_dims"] = sorted(info.dynamic_dims)
        if info.output_type in _UNALIASED or info.output_type is OutputType.is_input or tree is not None:
            return [entry]
        if info.output_type in _FROM_INPUT and info.base_idx in self._merged:
            return [entry]  # its geometry counts, relative to the storage that the members share
        return self._view(entry, info)

    def _base_of(self, info):
        if info.output_type in _FROM_INPUT:
            return self._captured.input_names[info.base_idx]
        if info.output_type in _FROM_BASE:
            return base_name(info.base_idx)
        return self._captured.output_names[info.base_idx]

    def _view(self, entry, info):
        base = self._outer.input_info[info.base_idx] if info.output_type in _FROM_INPUT else None
        mutated = base is not None and base.mutates_data and not base.mutates_metadata
        if mutated and not self._traced.inputs[info.base_idx].is_dense():
            # The graph returns a view of the value it computed, which does not have the gaps of the input that it goes
            # to.
            entry.pop("stride")
        if info.view_meta_sequence is None or not info.view_meta_sequence.sequence:
            if mutated:
                self._refuse(f"'{entry['name']}' is a view of an input that is written, without the views that lead to it")
            return [entry]
        try:
            entry["view"] = view_operations(info.view_meta_sequence, self._symbols, entry["name"], info.output_type in _FROM_INPUT)
        except Untold:
            # PyTorch does not replay views with symbolic arguments either: gen_alias_from_base takes the geometry of what
            # the graph returns.
            if mutated:
                self._refuse(f"'{entry['name']}' is a view of an input that is written, with a size that only results tell")
            return [entry]
        except NotExpressible as problem:
            if mutated:
                self._refuse(f"'{entry['name']}' is a view of an input that is written, through {problem}")
            note = f"{entry['name']}: no word for {problem}; its geometry is read from what the graph returns"
            return [Comment(note), entry]
        return [entry]

    def _saved(self):
        meta = self._meta
        symints = meta.num_symints_saved_for_bw or 0
        opaque = meta.num_opaque_objects_saved_for_bw or 0
        unchecked = meta.num_tensors_saved_with_no_vc_check or 0
        entry = {"tensors": self._traced.saved_values - unchecked - opaque - symints}
        for key, count in (("tensors_no_version_check", unchecked), ("opaque", opaque), ("symints", symints)):
            if count:
                entry[key] = count
        kept = [i for i, is_input in enumerate(field(meta, "saved_tensor_is_graph_input", ())) if is_input]
        if kept:
            entry["graph_inputs"] = kept
        dynamic = [{"index": i, "dims": sorted(dims)} for i, dims in sorted(meta.dynamic_saved_tensors_idxs.items())]
        if dynamic:
            entry["dynamic"] = dynamic
        # With tokens, and sometimes with subclasses, PyTorch counts from the wrong value on.
        plain = all(isinstance(entry, PlainTensorMeta) for entry in self._returned_metas())
        if meta.bw_donated_idxs and plain and not meta.tokens:
            entry["donated"] = [i - symints for i in meta.bw_donated_idxs]
        return entry

    def _backward(self):
        meta = self._meta
        entry = {"compiled": f"{self._case.name}_backward_kernel"}
        if meta.num_backward_tokens:
            entry["tokens"] = meta.num_backward_tokens
        if meta.deterministic is not None:
            entry["deterministic"] = meta.deterministic
        if meta.indices_of_inputs_that_requires_grad_with_mutations_in_bw:
            entry["mutated_in_backward"] = [
                self._written(self._traced.inner[i]) for i in meta.indices_of_inputs_that_requires_grad_with_mutations_in_bw
            ]
        names = tangent_names(self._traced, self._captured.input_names, self._captured.output_names)
        trees = self._outer.subclass_tangent_meta or [
            PlainTensorMeta(0, memory_format=MemoryFormatMeta.from_tensor(tangent)) for tangent in meta.traced_tangents
        ]
        pairs = zip(names, trees, strict=True)
        entry["tangents"] = [self._tangent(name, tree) for name, tree in pairs]
        gradients = self._traced.backward_returns
        gradients = gradients[: len(gradients) - meta.num_backward_tokens - meta.num_outputs_rng_offset]
        entry["grad_inputs"] = self._gradients(gradients)
        return entry

    def _written(self, which):
        """The name of an argument of the graph that the backward writes into, whether it requires grad or not, despite the name of
        PyTorch's list."""
        if not isinstance(which, int):
            members = merged_name(which, self._captured.input_names)
            raise CaptureError(f"the backward writes into '{members}', which arguments were merged into: not done")
        return self._captured.input_names[which]

    def _gradients(self, gradients):
        names = [
            self._captured.input_names[which]
            if isinstance(which, int)
            else merged_name(which, self._captured.input_names)
            for which in self._traced.inner
        ]
        metas = self._traced.grad_input_metas
        if metas is None:
            return [
                {"of": name} if gradient is not None else {"of": name, "kind": "none"}
                for name, gradient in zip(names, gradients, strict=True)
            ]
        result = []
        starts = positions(metas, gradients)
        if starts[-1] != len(gradients):
            raise CaptureError(f"the backward returns {len(gradients)} values, and a wrapper would expect {starts[-1]}: not done")
        for name, tree, at in zip(names, metas, starts):
            if not isinstance(tree, PlainTensorMeta):
                result.append({"of": name, "subclass": self.subclasses.tree(tree, name, values=gradients[at:])})
            else:
                result.append({"of": name} if gradients[at] is not None else {"of": name, "kind": "none"})
        return result

    def _tangent(self, name, tree):
        if not isinstance(tree, PlainTensorMeta):
            return {"of": name, "subclass": self.subclasses.tree(tree, name, is_tangent=True)}
        form = tree.memory_format
        if form.memory_format is not None:
            return {"of": name, "memory_format": str(form.memory_format).removeprefix("torch.").removesuffix("_format")}
        return {
            "of": name,
            "size": self._symbols.texts(form.size, name),
            "stride": self._symbols.texts(form.stride, name),
        }

    def _expect(self):
        meta = self._meta
        if self._traced.groups or self._traced.duplicates:
            # After the program's own come the updated values of merged inputs whose geometry changes.
            return {"num_outputs": meta.num_outputs}
        entry = {
            key: getattr(meta, key)
            for key in (
                "num_outputs",
                "num_outputs_aliased",
                "num_intermediate_bases",
                "num_forward_returns",
                "num_forward",
            )
        }
        if self._traced.trains:
            entry["num_tangents"] = len(meta.subclass_tangent_meta)
        for key in ("mutated_inp_runtime_indices", "mutated_graph_handled_indices", "aliased_out_indices"):
            entry[key] = list(getattr(meta, key))
        return entry
