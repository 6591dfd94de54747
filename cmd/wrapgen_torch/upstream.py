# SPDX-License-Identifier: MIT
"""What this package reads of PyTorch that is not its public interface: names, parameters of functions that are replaced, fields.

No other file imports a private name, so that one that is missing is an error at import which names it and the version. One table
says what parameters and fields there are in each version. A parameter that is missing is an error at import, too, and a field that is
missing, or that the table does not know, is one when a graph is captured: a field that PyTorch renamed would else be a fact that
disappears, and a new one a fact that nothing looks at. What loads functions and finds instructions of a CPU without Dynamo (loading/,
deploying/cpu.py) reads nothing from here, since this imports Dynamo.

To add a version: `python tests/torch/versions/moved.py OLD/bin/python NEW/bin/python` prints what moved between two environments. Read each
line in PyTorch's source, say in _CHANGES what there is now and in the capture what becomes of it, and run the suites.
"""

import dataclasses
import inspect

import torch

from .environment import ANY_TORCH, VERSIONS, tries_any_torch
from .errors import CaptureError


def _found():
    return torch.__version__.split("+")[0]


def require_torch():
    """The versions that the suites were run with; any other where the environment says so."""
    if _found() not in VERSIONS and not tries_any_torch():
        known = f"{', '.join(VERSIONS[:-1])} or {VERSIONS[-1]}"
        raise CaptureError(f"this needs torch {known}, found {torch.__version__}; {ANY_TORCH}=1 in the environment tries it anyway: what was "
                           "renamed there is an error that names it, and what behaves otherwise may be a wrong result")  # fmt: skip


def _numbers(version):
    return tuple(int(part) for part in version.split(".")[:2])


def _is_since(version, found=None):
    return _numbers(found or _found()) >= _numbers(version)


# Whether two nested ints are the same, PyTorch answers from those that it traces with, and makes no guard of it.
COMPARES_NESTED_INTS_UNGUARDED = _is_since("2.15")
READS_ATTRIBUTE = "tp_getattro_impl" if _is_since("2.14") else "var_getattr"  # the method of Dynamo's tensors

try:
    import torch._dynamo.backends.common as dynamo_common
    import torch._dynamo.config as dynamo_config
    import torch._functorch.aot_autograd as aot_autograd
    import torch._inductor.config as inductor_config
    from torch._C import _functionalization
    from torch._C._aoti import AOTIModelContainerRunnerCpu
    from torch._decomp import decompositions
    from torch._dynamo import compiled_autograd, convert_frame, disable
    from torch._dynamo.backends.registry import lookup_backend
    from torch._dynamo.bytecode_transformation import transform_code_object
    from torch._dynamo.eval_frame import _debug_get_cache_entry_list, innermost_fn
    from torch._dynamo.exc import BackendCompilerFailed, FailOnRecompileLimitHit, Unsupported, UserError
    from torch._dynamo.graph_bytecode_inputs import has_user_objects
    from torch._dynamo.guards import GuardBuilder
    from torch._dynamo.symbolic_convert import InstructionTranslator
    from torch._dynamo.utils import get_traced_code
    from torch._dynamo.variables import ConstantVariable, TensorVariable
    from torch._functorch import config as functorch_config
    from torch._functorch._aot_autograd import graph_compile, runtime_wrappers
    from torch._functorch._aot_autograd.descriptors import (
        BufferAOTInput,
        InputMutationAOTOutput,
        IntermediateBaseAOTOutput,
        ParamAOTInput,
        PlainAOTOutput,
        SyntheticBaseAOTInput,
        ViewBaseAOTInput,
    )
    from torch._functorch._aot_autograd.runtime_wrappers import AOTDedupeWrapper, AOTSyntheticBaseWrapper
    from torch._functorch._aot_autograd.schemas import (
        AOTConfig,
        AOTGraphCapture,
        AOTState,
        InputAliasInfo,
        MemoryFormatMeta,
        MutationType,
        OpaqueMeta,
        OutputAliasInfo,
        OutputType,
        PlainTensorMeta,
        SubclassCreationMeta,
        ViewAndMutationMeta,
    )
    from torch._guards import CompileContext, TracingContext, detect_fake_mode
    from torch._inductor import codecache
    from torch._inductor.codecache import AotCodeCompiler
    from torch._inductor.codegen import cpp_wrapper_cpu
    from torch._inductor.codegen.cpp_wrapper_cpu import CppWrapperCpu
    from torch._inductor.compile_fx import compile_fx, compile_fx_inner
    from torch._inductor.cpp_builder import CppBuilder
    from torch._inductor.exc import InvalidCxxCompiler
    from torch._inductor.graph import GraphLowering
    from torch._inductor.ir import IRNode
    from torch._inductor.utils import set_tracing_context_output_strides
    from torch._inductor.virtualized import V
    from torch._library.fake_class_registry import FakeScriptObject
    from torch._ops import HigherOrderOperator, OpOverload
    from torch._subclasses.fake_tensor import FakeTensor
    from torch._subclasses.functional_tensor import FunctionalTensor
    from torch.fx.experimental.symbolic_shapes import SymExprPrinter, free_unbacked_symbols
    from torch.amp.autocast_mode import _enter_autocast, _exit_autocast

    if _is_since("2.14"):
        from torch._library.opaque_object import is_custom_class
    else:
        from torch._library.opaque_object import is_opaque_type as is_custom_class
except ImportError as problem:
    require_torch()
    raise CaptureError(f"torch {torch.__version__}: {problem}") from problem

# ---- the table ----

# The fields of each class, as in 2.13.
_FIELDS = {
    ViewAndMutationMeta: """input_info output_info num_intermediate_bases keep_input_mutations traced_tangents traced_tangents_descs
        subclass_inp_meta subclass_fw_graph_out_meta subclass_tangent_meta traced_tangent_metas num_symints_saved_for_bw
        num_tensors_saved_with_no_vc_check num_opaque_objects_saved_for_bw grad_enabled_mutation deterministic static_input_indices
        act_input_indices tokens indices_of_inputs_that_requires_grad_with_mutations_in_bw bw_donated_idxs num_backward_tokens
        num_graphsafe_rng_states graphsafe_rng_state_index graphsafe_rng_device mutated_inp_stream_indices compile_id_str
        tangent_source_stack_traces""",
    InputAliasInfo: """is_leaf mutates_data mutates_metadata mutations_hidden_from_autograd mutations_under_no_grad_or_inference_mode
        mutation_inductor_storage_resize mutates_storage_metadata requires_grad keep_input_mutations""",
    OutputAliasInfo: "output_type raw_type base_idx dynamic_dims requires_grad requires_grad_for_backward view_meta_sequence",
    MemoryFormatMeta: "size stride memory_format",
    PlainTensorMeta: "unwrapped_idx memory_format",
    OpaqueMeta: "",
    SubclassCreationMeta: """flat_tensor_start_idx arg_count included_subclass_symints attrs outer_size outer_stride meta original_subclass
        original_subclass_type memory_format""",
    AOTDedupeWrapper: "keep_arg_mask add_dupe_map old_input_metadata needs_post_compile",
    AOTSyntheticBaseWrapper: "trace_joint needs_post_compile aliased_arg_idx_with_metadata_mutations base_groups other_arg_indices",
    AOTState: "needs_autograd flat_args flat_args_descs fw_metadata aot_config stack fake_mode",
    AOTGraphCapture: "wrappers graph_module updated_flat_args updated_flat_args_descs maybe_subclass_meta",
}  # fmt: skip

# What a later version added (+) and took away (-).
_CHANGES = {
    "2.14": {
        ViewAndMutationMeta: "-act_input_indices +act_input_paths +saved_tensor_is_graph_input",
        InputAliasInfo: "+mutation_is_shallow_copy_data",
        PlainTensorMeta: "+size_symbol_placeholders +stride_symbol_placeholders",
        SubclassCreationMeta: "+outer_size_from_attr +outer_stride_from_attr",
    },
}

# Whose members are compared by name: one that the capture does not know would be taken for none of those that it knows.
_MEMBERS = {
    OutputType: """non_alias alias_of_input is_input alias_of_intermediate_save_as_output alias_of_intermediate
        alias_of_intermediate_base_is_user_output unsafe_view_alias custom_function_view""",
    MutationType: "NOT_MUTATED MUTATED_IN_GRAPH MUTATED_OUT_GRAPH",
}  # fmt: skip

# Functions that are replaced or called, and what they take, in order.
_PARAMETERS = {
    (aot_autograd, "create_aot_state"): "stack flat_fn fake_flat_args flat_args_descs aot_config fake_mode shape_env",
    (aot_autograd, "aot_stage2_compile"): "aot_state aot_graph_capture partition_fn fw_compiler bw_compiler inference_compiler",
    (aot_autograd, "should_use_local_autograd_cache"): "",
    (aot_autograd, "should_use_remote_autograd_cache"): "",
    (graph_compile, "_categorize_saved_tensors_for_backward"): "fw_module bw_module inner_meta fw_metadata num_inner_fwd_outputs",
    (graph_compile, "_aot_stage2b_compile_forward_or_inference"): """fw_module adjusted_flat_args maybe_subclass_meta fw_metadata
        aot_config compiler is_inference num_fw_outs_saved_for_bw""",
    (graph_compile, "_aot_stage2c_make_inference_function"): "aot_config fw_metadata compiled_fw wrappers entry",
    (graph_compile, "_aot_stage2c_make_autograd_function"): """aot_config flat_args fw_metadata maybe_subclass_meta wrappers
        compiled_fw_func compiled_bw_func bw_compiler lazy_backward_info try_save_cache_entry entry _indices_of_inps_to_detach
        num_symints_saved_for_bw""",
    (GraphLowering, "get_attr"): "self target args kwargs",
    (CppWrapperCpu, "_write_aoti_interface_header"): "self",
    (codecache, "CppBuilder"): "name sources BuildOption output_dir",
    (convert_frame, "compile_frame"): """code globals locals builtins closure compiler_fn one_graph restart_reasons export
        export_constraints frame_state distributed_state package""",
    (convert_frame, "GuardedCode"): "code guard_manager compile_id trace_annotation",
    (runtime_wrappers, "_AutogradBackwardCompiler"): """compiled_bw lazy_backward_info disable_amp bw_compiler aot_config fw_metadata
        try_save_cache_entry""",
    (runtime_wrappers, "_should_disable_saved_tensors_hooks"): "",
    (runtime_wrappers, "call_func_at_runtime_with_args"): "f args steal_args disable_amp",
    (runtime_wrappers.AOTDispatchAutograd, "process_runtime_tangent"): """x meta tangent_idx tangent_desc compile_id_str
        tangent_stack_trace""",
}  # fmt: skip


def _expected(kind):
    """The fields of a class in the version that is here; in a later one than the table's those of the last."""
    names = _FIELDS[kind].split()
    for version, classes in _CHANGES.items():
        for change in classes.get(kind, "").split() if _is_since(version) else ():
            if change.startswith("+"):
                names.append(change[1:])
            else:
                names.remove(change[1:])
    return names


def _differences(what, found, expected):
    missing, unknown = [name for name in expected if name not in found], [name for name in found if name not in expected]
    if missing or unknown:
        parts = [f"{word} {', '.join(names)}" for word, names in (("lacks", missing), ("has the unknown", unknown)) if names]
        yield f"{what} {' and '.join(parts)}"


def _differences_of_fields(kind):
    fields = [field.name for field in dataclasses.fields(kind)]
    return _differences(kind.__name__, fields, _expected(_table_entry(kind)))


def _table_entry(kind):
    """The class of the table that this one is, or is derived from."""
    return next(base for base in kind.__mro__ if base in _FIELDS)


def _differences_of_parameters():
    for (owner, name), parameters in _PARAMETERS.items():
        where = f"{owner.__name__}.{name}"
        if not hasattr(owner, name):
            yield f"{where} is missing"
            continue
        found, expected = list(inspect.signature(getattr(owner, name)).parameters), parameters.split()
        yield from _differences(where, found, expected)
        if sorted(found) == sorted(expected) and found != expected:
            yield f"{where} takes {', '.join(found)} in this order"


def _refuse(differences):
    if differences:
        raise CaptureError(f"PyTorch {torch.__version__} is not as wrapgen_torch knows it: {'; '.join(differences)}")


def _differences_of_classes():
    found = [line for kind, members in _MEMBERS.items() for line in _differences(kind.__name__, [one.name for one in kind], members.split())]
    return [*found, *(line for kind in _FIELDS for line in _differences_of_fields(kind))]


def differences():
    """All that is not as the table says, in words."""
    return [*_differences_of_classes(), *_differences_of_parameters()]


# ---- fields ----

_SEEN = set()  # classes whose fields are as the table says


def checked(value):
    """The value, an object of one of the table's classes. CaptureError if its fields are not those that the table has."""
    kind = type(value)
    if kind not in _SEEN:
        _refuse(list(_differences_of_fields(kind)))
        _SEEN.add(kind)
    return value


def field(value, name, otherwise):
    """A field that not every version has: `otherwise` where the table says that this one has none."""
    return getattr(checked(value), name) if name in _expected(_table_entry(type(value))) else otherwise


def check_metadata(meta):
    """Of a graph: all of whose parts the capture reads fields. The first time all classes of the table are looked at."""
    if not _SEEN.issuperset(_FIELDS):
        _refuse(_differences_of_classes())
        _SEEN.update(_FIELDS)
    for one in (checked(meta), *meta.input_info, *meta.output_info):
        checked(one)
    for tree in (*meta.subclass_inp_meta, *meta.subclass_fw_graph_out_meta, *meta.subclass_tangent_meta):
        check_tree(tree)


def check_tree(meta):
    checked(meta)
    if isinstance(meta, SubclassCreationMeta):
        for child in meta.attrs.values():
            check_tree(child)
    elif isinstance(meta, PlainTensorMeta) and meta.memory_format is not None:
        checked(meta.memory_format)


def waited(meta):
    """(position of an argument of the graph, attributes that lead to what an asynchronous collective was writing) of each."""
    paths = field(meta, "act_input_paths", None)
    return paths if paths is not None else [(position, ()) for position in meta.act_input_indices]


def symbol_args(meta):
    """Which sizes and strides of a part of a subclass follow it as values of their own, as the YAML has them."""
    flags = (("size", field(meta, "size_symbol_placeholders", ())), ("stride", field(meta, "stride_symbol_placeholders", ())))
    return [f"{what}.{dim}" for what, passed in flags for dim, is_passed in enumerate(passed) if is_passed]


def flat_count(meta):
    """How many values of a compiled function a value or a part of one is."""
    if isinstance(meta, SubclassCreationMeta):
        return meta.arg_count
    return 1 + len(symbol_args(meta)) if isinstance(meta, PlainTensorMeta) else 1


def has_external_objects():
    """Does Dynamo keep objects that a backward gets back, such as streams? PyTorch's autograd function keeps them since 2.14. Asked is
    what the frame that is compiled has: the objects themselves stay for other frames, and since 2.15 in another list after each call."""
    return _is_since("2.14") and has_user_objects()


_refuse(list(_differences_of_parameters()) if _found() in VERSIONS or tries_any_torch() else [])
