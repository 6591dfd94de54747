# SPDX-License-Identifier: MIT
#
# PyTorch's own wrappers for the cases of tests/bench/overhead/cases.txt, from the metadata that AOTAutograd would have found:
# made by the same functions that make them there (torch 2.13, torch/_functorch/_aot_autograd), around a compiled function that
# returns prepared tensors.
#
#   chain   everything that 2.13 runs around the compiled function: what our wrapper replaces
#   step    the generated Python of the one step that the case is about, alone
#   loop    what that step was before it was generated, where 2.13 still has it
#   bare    the compiled function alone, called as the others call it
#
# Each is a function without arguments that does one call. Steps that call no compiled function are named in `without`.
import inspect
from dataclasses import dataclass, field

import torch
import torch._dynamo  # before _functorch, which imports it in a circle
from torch._functorch._aot_autograd import runtime_wrappers, subclass_codegen, subclass_utils
from torch._functorch._aot_autograd.schemas import (AOTConfig, InputAliasInfo, MemoryFormatMeta, OutputAliasInfo, OutputType,
                                                    PlainTensorMeta, SubclassMeta, ViewAndMutationMeta)
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.testing._internal.two_tensor import TwoTensor

SHAPES = ((4,), (2, 3), (2, 2, 2))


@dataclass
class Case:
    """A line of cases.txt; what follows from it, as case.awk works it out."""

    name: str
    kind: str = ""
    check: str = "cheap"
    inputs: int = 0
    mutations: int = 0
    in_graph: int = 0
    aliases: int = 0
    outputs: int = 0
    drop: int = 0
    merged: int = 0
    nograd: int = 0
    saved: int = 0
    unchecked: int = 0
    amp: int = 0
    depth: int = 0

    @property
    def num_written(self):
        return 0 if self.in_graph or self.merged else self.mutations

    def shape(self, i):
        return SHAPES[0 if self.merged or i >= self.inputs - self.drop else i % 3]

    def requires_grad(self, i):
        return self.kind in ("training", "backward") and i < self.inputs - self.nograd


def read_cases(path):
    with open(path) as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                name, *rest = line.split()
                facts = dict(pair.split("=") for pair in rest)
                yield Case(name, **{k: v if k in ("kind", "check") else int(v) for k, v in facts.items()})


def make_tensor(shape, first, requires_grad=False):
    t = torch.arange(first, first + torch.Size(shape).numel(), dtype=torch.float32).reshape(shape).clone()
    return t.requires_grad_(requires_grad)


def slices(n):
    """Of one storage, and views of nothing, so that the base is made from the storage on both sides."""
    storage = torch.arange(4.0 * n).untyped_storage()
    return [torch.empty(0).set_(storage, 4 * i, (4,), (1,)) for i in range(n)]


def nested(depth, leaves):
    return TwoTensor(nested(depth - 1, leaves), nested(depth - 1, leaves)) if depth else next(leaves)


@dataclass
class Tensors:
    """What a call of a case gets, and what its compiled function returns: made once, for all sides."""

    args: list
    results: list
    saved: list = field(default_factory=list)
    unchecked: list = field(default_factory=list)
    leaves: list = field(default_factory=list)  # of a subclass argument


def make_tensors(case):
    if case.depth:
        leaves = [make_tensor((4,), i) for i in range(2**case.depth)]
        return Tensors([nested(case.depth, iter(leaves))], [make_tensor((4,), 200 + i) for i in range(2**case.depth)], leaves=leaves)
    args = slices(case.merged)
    for i in range(case.merged, case.inputs):
        args.append(args[0] if i >= case.inputs - case.drop else make_tensor(case.shape(i), i, case.requires_grad(i)))
    saved = [make_tensor((4,), 300) for _ in range(case.saved)]
    unchecked = [make_tensor((4,), 400) for _ in range(case.unchecked)]
    if case.kind == "backward":
        grads = [make_tensor((4,), i) for i in range(case.outputs)]
        return Tensors(grads, [make_tensor(case.shape(i), 200) for i in range(case.inputs)], saved, unchecked)
    return Tensors(args, make_results(case, args), saved, unchecked)


def make_results(case, args):
    written = [make_tensor(case.shape(i), 100) for i in range(case.num_written)]
    aliases = [args[i].detach() for i in range(case.aliases)]  # their geometry is taken, so they lie in the argument's memory
    return written + aliases + [make_tensor((4,), 200) for _ in range(case.outputs)]


# ---- metadata ----


def config_of(case):
    return AOTConfig(None, None, None, {}, 0, 0, keep_inference_input_mutations=not case.num_written)


def input_info(case, i):
    mutated = i < case.mutations or (bool(case.merged) and i == 0)
    return InputAliasInfo(is_leaf=True, mutates_data=mutated, mutates_metadata=False, mutations_hidden_from_autograd=False,
                          mutations_under_no_grad_or_inference_mode=False, mutation_inductor_storage_resize=False,
                          mutates_storage_metadata=False, requires_grad=case.requires_grad(i),
                          keep_input_mutations=not case.num_written)


def output_info(case, i):
    is_alias = i < case.aliases
    grad = case.kind in ("training", "backward")
    return OutputAliasInfo(OutputType.alias_of_input if is_alias else OutputType.non_alias, torch.Tensor, i if is_alias else None,
                           None, grad, grad)


def metadata_of(case):
    kept = [0] + list(range(case.merged, case.inputs)) if case.merged else range(case.inputs - case.drop)
    outputs = [output_info(case, i) for i in range(case.aliases + case.outputs)]
    tangents = [PlainTensorMeta(i, MemoryFormatMeta(size=(4,), stride=(1,))) for i in range(case.outputs)]
    return ViewAndMutationMeta([input_info(case, i) for i in kept], outputs, 0, not case.num_written, [], [None] * case.outputs, [], [],
                               tangents, num_symints_saved_for_bw=0, num_tensors_saved_with_no_vc_check=case.unchecked,
                               num_opaque_objects_saved_for_bw=0, deterministic=False, bw_donated_idxs=[])


# ---- sides ----


def boxed(compiled):
    compiled._boxed_call = True
    return compiled


def inside(wrapper, name):
    """A variable that a function of PyTorch's closes over."""
    return inspect.getclosurevars(wrapper).nonlocals[name]


def nothing():
    return None


def reference_runtime(case, compiled, meta):
    """RuntimeWrapper before it was generated: its methods are still there as the specification."""
    invoker = runtime_wrappers._RuntimeCompiledFnInvoker(compiled, [], False, bool(case.amp))
    epilogue = runtime_wrappers._RuntimeForwardEpilogue(meta, False, not case.num_written)

    def wrapper(args):
        originals = epilogue.capture_orig_inputs(args)
        epilogue.increment_mutation_versions(args)
        outs = invoker.run(args, on_before_call=nothing)
        return epilogue.finalize(originals, outs)

    return wrapper, epilogue


def add_dedupe(case, sides, compiled, runtime, args):
    wrapper = runtime_wrappers.AOTDedupeWrapper()
    kept = case.inputs - case.drop
    wrapper.needs_post_compile = True
    wrapper.keep_arg_mask = [i < kept for i in range(case.inputs)]
    wrapper.add_dupe_map = [i if i < kept else 0 for i in range(case.inputs)]
    chain = wrapper.post_compile(runtime, config_of(case), runtime_metadata=metadata_of(case))
    step = wrapper.post_compile(compiled, config_of(case), runtime_metadata=metadata_of(case)).__wrapped__

    def loop(args):
        deduped = wrapper.remove_dupe_args(args)
        args.clear()
        return compiled(deduped)

    sides.update(chain=lambda: chain(list(args)), step=lambda: step(list(args)), loop=lambda: loop(list(args)))


def add_synthetic_base(case, sides, compiled, runtime, args):
    wrapper = runtime_wrappers.AOTSyntheticBaseWrapper(trace_joint=False)
    wrapper.base_groups = {0: list(range(case.merged))}
    wrapper.other_arg_indices = list(range(case.merged, case.inputs))
    chain = wrapper.post_compile(runtime, config_of(case), runtime_metadata=metadata_of(case))
    step = wrapper.post_compile(compiled, config_of(case), runtime_metadata=metadata_of(case))
    config, infos = config_of(case), [input_info(case, i) for i in range(case.inputs)]

    def loop(args):
        merged, _, _ = runtime_wrappers.merge_view_inputs(config, args, None, infos, is_inference=True)
        args.clear()
        return compiled(merged)

    sides.update(chain=lambda: chain(list(args)), step=lambda: step(list(args)), loop=lambda: loop(list(args)))


def add_subclass(case, sides, compiled, tensors):
    def metas():
        with FakeTensorMode() as mode:
            fake = mode.from_tensor(tensors.args[0])
        made = subclass_utils.create_subclass_meta([fake])
        made[0].make_runtime_safe()
        return made

    metas_in, metas_out, args = metas(), metas(), tensors.args
    step = subclass_codegen.codegen_subclass_wrapper(compiled, metas_in, metas_out, None)
    step._boxed_call = True
    meta = metadata_of(case)
    chain = runtime_wrappers.RuntimeWrapper([], False, False).post_compile(step, config_of(case), runtime_metadata=meta)

    def loop(args):
        unwrapped = subclass_utils.runtime_unwrap_tensor_subclasses(args, append_symints=True, subclass_metas=metas_in)
        args.clear()
        return subclass_utils.wrap_tensor_subclasses(compiled(unwrapped), subclass_metas=metas_out, included_subclass_symints=True,
                                                     is_runtime=True)

    sides.update(chain=lambda: chain(list(args)), step=lambda: step(list(args)), loop=lambda: loop(list(args)))


def inference(case, tensors):
    outs, args = tensors.results, tensors.args

    @boxed
    def compiled(args):
        return outs

    sides = {"bare": lambda: compiled(list(args))}
    if case.depth:
        add_subclass(case, sides, compiled, tensors)
        return sides, set()
    meta = metadata_of(case)
    runtime = runtime_wrappers.RuntimeWrapper([], False, bool(case.amp)).post_compile(compiled, config_of(case), runtime_metadata=meta)
    if case.drop:
        add_dedupe(case, sides, compiled, runtime, args)
        return sides, set()
    if case.merged:
        add_synthetic_base(case, sides, compiled, runtime, args)
        return sides, set()
    reference, epilogue = reference_runtime(case, compiled, meta)
    generated = inside(runtime, "_codegen_runtime_wrapper")
    sides["chain"] = lambda: runtime(list(args))
    if case.num_written and not case.outputs:  # the mutation epilogue
        originals, updated = dict(enumerate(args)), outs[: case.num_written]
        apply = inspect.unwrap(generated).__globals__["_apply_mutations_"]
        sides["step"] = lambda: apply(originals, updated)
        sides["loop"] = lambda: epilogue._apply_input_mutations(originals, updated)
        return sides, {"step", "loop"}
    context = runtime_wrappers._FirstInvocationContext()
    sides["step"] = lambda: generated(compiled, context, nothing, list(args))
    sides["loop"] = lambda: reference(list(args))
    return sides, set()


class NoNode:
    """What forward() of the autograd function calls on its context, without a node."""

    def save_for_backward(self, *tensors):
        self.saved_tensors = tensors

    def mark_non_differentiable(self, *tensors):
        pass


def training(case, tensors):
    meta, args = metadata_of(case), tensors.args
    inputs = args
    forward_outs = tensors.results + tensors.saved + tensors.unchecked
    if case.kind == "backward":
        inputs = [make_tensor(case.shape(i), i, True) for i in range(case.inputs)]
        forward_outs = [make_tensor((4,), 200) for _ in range(case.outputs)] + tensors.saved + tensors.unchecked
    grads = tensors.results

    @boxed
    def compiled(args):
        return forward_outs

    @boxed
    def compiled_backward(args):
        return grads

    spec = runtime_wrappers.AOTDispatchAutogradCompileSpec(compiled, compiled_backward, None, 0, [], bool(case.amp), [], None, None,
                                                           config_of(case), meta, None)
    function = runtime_wrappers._AOTDispatchAutogradFunctionFactory(spec).build()
    if case.kind == "backward":
        return backward(case, tensors, function, function.apply(*inputs), compiled_backward)
    runtime = runtime_wrappers.RuntimeWrapper([], True, bool(case.amp)).post_compile(function.apply, config_of(case),
                                                                                      runtime_metadata=meta)
    sides = {"bare": lambda: compiled(list(args)), "chain": lambda: runtime(list(args))}
    if case.nograd:
        flags = [case.requires_grad(i) for i in range(case.inputs)]
        wrapper = runtime_wrappers.DebugAssertWrapper(flags)
        chain = wrapper.post_compile(runtime, config_of(case), runtime_metadata=meta)
        step = wrapper.post_compile(compiled, config_of(case), runtime_metadata=meta)
        sides.update(chain=lambda: chain(list(args)), step=lambda: step(list(args)))
        return sides, set()
    state, epilogue = runtime_wrappers._AutogradSavedState(meta), runtime_wrappers._AutogradForwardEpilogue(meta)
    node = NoNode()

    def loop():
        outs = runtime_wrappers.call_func_at_runtime_with_args(compiled, list(args), disable_amp=bool(case.amp))
        state.save_from_forward(node, outs)
        return epilogue.finalize(node, outs)

    sides.update(step=lambda: function.forward(node, *args), loop=loop)
    return sides, set()


def backward(case, tensors, function, outs, compiled):
    out = outs[0] if isinstance(outs, tuple) else outs
    node, tangents = out.grad_fn, tensors.args
    sides = {"bare": lambda: compiled(list(tangents)), "chain": lambda: function.backward(node, list(tangents))}
    if case.unchecked:
        unwrap, _ = subclass_codegen.codegen_backward_subclass_fns()
        unchecked = tensors.unchecked
        sides.update(step=lambda: unwrap(unchecked), loop=lambda: runtime_wrappers._unwrap_no_symints(unchecked))
        return sides, {"step", "loop"}
    saved, prologue, epilogue = tuple(tensors.saved), function._bw_prologue_fn, function._bw_epilogue_fn
    sides["step"] = lambda: epilogue(compiled(prologue(saved, (), (), list(tangents))))
    sides["keep"] = out
    return sides, set()


def make_sides(case, tensors):
    """({name: one call}, names of those without a compiled function)."""
    sides, without = (inference if case.kind in ("forward", "subclass") else training)(case, tensors)
    sides["nothing"] = nothing
    sides.pop("keep", None)
    return sides, without
