#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/unit/graph_facts.txt: metadata of graphs that AOTAutograd traced, and what it derives from them.

Needs torch 2.13 (developers only; the tests read the table). Run it as: make_graph_facts.py > graph_facts.txt
Each program below is traced by aot_function(); a ViewAndMutationMeta of it gives one graph of the table:

    graph NAME mode keep rng
    input tensor|int data metadata storage_metadata resize hidden no_grad requires_grad duplicate_of synthetic_base
    output tensor|int TYPE requires_grad requires_grad_for_backward
    bases N
    runtime, in_graph, seen, aliased, unsafe: index lists of ViewAndMutationMeta
    returns num_forward_returns num_forward
    tangents input:N, synthetic:N, output:N, base:N in order

Inputs that PyTorch merged or dropped are given as the YAML gives them (before), the derived values are those of the inner
function (after); `args` then is its argument order, found by the sizes of what the compiler was handed, and lists of inputs
are positions among those arguments.
"""
import torch
import torch._functorch.config as config
from torch._functorch import aot_autograd
from torch._functorch._aot_autograd import schemas
from torch._functorch._aot_autograd.descriptors import (
    InputMutationAOTOutput,
    IntermediateBaseAOTOutput,
    PlainAOTInput,
    PlainAOTOutput,
    SyntheticBaseAOTInput,
    ViewBaseAOTInput,
)

CASES = []


def case(train, make_args, keep=False, duplicates=None, synthetic=None, rng=False):
    def add(function):
        CASES.append((function, train, make_args, keep, duplicates or {}, synthetic or [], rng))
        return function

    return add


def leaf(*shape):
    return torch.zeros(*shape, requires_grad=True)


@case(False, lambda: [torch.zeros(2, 3)])
def views_of_an_input(x):
    return x.t(), x, x + 1


@case(False, lambda: [torch.zeros(2, 3), torch.zeros(3)])
def data_mutation_behind_the_graph(x, y):
    x.add_(1)
    return x + y


@case(False, lambda: [torch.zeros(2, 3), torch.zeros(3)], keep=True)
def data_mutation_in_the_graph(x, y):
    y.mul_(2)
    return x + y, y


@case(False, lambda: [torch.zeros(2, 3)], keep=True)
def metadata_mutation(x):
    x.t_()
    return x.sum()


@case(False, lambda: [torch.zeros(2, 3)], keep=True)
def data_and_metadata_mutation(x):
    x.add_(1)
    x.t_()
    return x * 2, x[0]


@case(True, lambda: [leaf(4), torch.zeros(4)])
def training_with_running_statistics(w, running):
    with torch.no_grad():
        running.mul_(0.9).add_(w.detach())
    return (w * running).sum()


@case(True, lambda: [leaf(4), torch.zeros(4)], keep=True)
def training_with_running_statistics_kept(w, running):
    running.mul_(0.9).add_(w.detach())
    return (w * running).sum()


@case(True, lambda: [leaf(4) * 1, leaf(4)])
def tangent_of_a_mutated_input(x, w):
    x.mul_(w)
    return x * 2, x.view(2, 2)


@case(True, lambda: [leaf(4) * 1, leaf(4)], keep=True)
def hidden_mutation_kept(x, w):
    x.detach().mul_(2)
    return x * w


@case(True, lambda: [leaf(4) * 1, leaf(4)], keep=True)
def no_grad_mutation_kept(x, w):
    with torch.no_grad():
        x.mul_(2)
    return x * w


@case(True, lambda: [leaf(2, 3) * 1, leaf(2)], keep=True)
def metadata_mutation_has_no_tangent(x, w):
    x.t_()
    return x * w


@case(True, lambda: [leaf(4)])
def alias_of_a_user_output(x):
    y = x * 2
    return y, y.view(2, 2), y.detach()


@case(True, lambda: [leaf(4)])
def intermediate_base(x):
    y = x * 2
    return y.view(2, 2), y.view(-1), y.view(4, 1)


@case(True, lambda: [leaf(4)])
def two_intermediate_bases_and_the_rest(x):
    y = x * 2
    z = x * 3
    return y.view(2, 2), z.view(-1), x.sum(), y[:2], z.view(4, 1), x.detach()


@case(True, lambda: [leaf(4)])
def unsafe_view(x):
    return (x * 2).view(2, 2), x.sum()


@case(True, lambda: [leaf(4), 3])
def integers_among_inputs_and_outputs(x, n):
    return x * n, n + 1


@case(True, lambda: [leaf(4), torch.zeros(4)])
def outputs_without_gradient(x, y):
    return y * 2, x * 2, (x * 2).detach(), (x > 0)


class Viewing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view(-1)

    @staticmethod
    def backward(ctx, grad):
        return grad.view(2, 2)


@case(True, lambda: [leaf(2, 2)])
def custom_function_view(x):
    return Viewing.apply(x), x * 2


@case(False, lambda: [torch.zeros(4), 7], rng=True)
def functionalized_rng(x, n):
    x.add_(n)
    return x + 1, x


def duplicated():
    x = torch.zeros(2)
    return [torch.zeros(3), x, torch.zeros(4), x, torch.zeros(5)]


@case(False, duplicated, duplicates={3: 1})
def duplicate_of_a_mutated_input(a, x, b, x_again, c):
    x.add_(1)
    c.mul_(2)
    return x_again + 1, a + 1, b + 1


def aliased():
    base = torch.zeros(12)
    return [3, torch.zeros(5), base[:4].view(2, 2), 4, base[2:8].view(2, 3), torch.zeros(7)]


@case(False, aliased, synthetic=[[2, 4]])
def members_and_metadata(n, c, a, m, b, d):
    a.mul_(2)
    b.t_()
    d.add_(1)
    return a.sum() + b.sum() + c.sum() * n + m, a


def aliased_training():
    base = leaf(12) * 1
    return [leaf(5), base[:4], base[2:8]]


@case(True, aliased_training, synthetic=[[1, 2]])
def members_in_training(c, a, b):
    a.mul_(2)
    return a.sum() + b.sum() + c.sum(), c.view(-1)


def aliased_views():
    base = torch.zeros(12)
    return [torch.zeros(5), base[:4], base[2:8]]


@case(False, aliased_views, keep=True, synthetic=[[1, 2]])
def members_kept_in_the_graph(c, a, b):
    a.mul_(2)
    return a.sum() + b.sum() + c.sum()


@case(True, aliased_training, keep=True, synthetic=[[1, 2]])
def members_with_a_hidden_mutation(c, a, b):
    a.data.mul_(2)
    return b.sum() + c.sum()


def two_groups():
    one = torch.zeros(12)
    two = torch.zeros(13)
    return [torch.zeros(3), two[:4], one[:4], 5, two[2:6], one[1:5]]


@case(False, two_groups, synthetic=[[1, 4], [2, 5]])
def two_synthetic_bases(c, p, q, n, r, s):
    p.mul_(2)
    q.mul_(3)
    return p + q + r + s + n, c + 1


def index_list(values):
    return " ".join(str(value) for value in values)


def show_input(info, is_tensor, duplicate, synthetic):
    flags = [
        info.mutates_data,
        info.mutates_metadata,
        info.mutates_storage_metadata,
        info.mutation_inductor_storage_resize,
        info.mutations_hidden_from_autograd,
        info.mutations_under_no_grad_or_inference_mode,
        info.requires_grad,
    ]
    kind = "tensor" if is_tensor else "int"
    print("input", kind, " ".join(str(int(flag)) for flag in flags), duplicate, synthetic)


def arg_text(arg, inputs, synthetic):
    """Which of the inputs, or which group of them, an argument of the compiled function is: the programs above give each
    another size or value."""
    if not isinstance(arg, torch.Tensor):
        return "input:%d" % [not isinstance(x, torch.Tensor) and x == arg for x in inputs].index(True)
    for group, members in enumerate(synthetic):
        if arg.numel() == inputs[members[0]].untyped_storage().nbytes() // 4:
            return f"synthetic:{group}"
    return "input:%d" % [isinstance(x, torch.Tensor) and x.numel() == arg.numel() for x in inputs].index(True)


def tangent_text(desc, outer_of):
    out = desc.output
    if isinstance(out, InputMutationAOTOutput):
        source = out.mutated_input
        if isinstance(source, (SyntheticBaseAOTInput, ViewBaseAOTInput)):
            member = getattr(source, "base_of", None)
            return f"synthetic:{outer_of[member.idx]}"
        return f"input:{source.idx}"
    if isinstance(out, IntermediateBaseAOTOutput):
        return "base"
    assert isinstance(out, PlainAOTOutput), out
    return f"output:{out.idx}"


def show(function, train, args, keep, duplicates, synthetic, rng, metas, compiled_args):
    first, last = metas[0], metas[-1]
    print()
    print("graph", function.__name__, "training" if train else "inference", int(keep), int(rng))
    member_of = {member: base for base, members in enumerate(synthetic) for member in members}
    for index, info in enumerate(first.input_info):
        show_input(info, isinstance(args[index], torch.Tensor), duplicates.get(index, -1), member_of.get(index, -1))
    for info in first.output_info:
        kind = "tensor" if issubclass(info.raw_type, torch.Tensor) else "int"
        print("output", kind, info.output_type.name, int(info.requires_grad), int(info.requires_grad_for_backward))
    print("bases", first.num_intermediate_bases)
    if duplicates or synthetic:
        print("args", " ".join(arg_text(arg, args, synthetic) for arg in compiled_args))
    print("runtime", index_list(last.mutated_inp_runtime_indices))
    print("in_graph", index_list(last.mutated_graph_handled_indices))
    print("seen", index_list(last.mutated_graph_handled_indices_seen_by_autograd))
    print("aliased", index_list(last.aliased_out_indices))
    print("unsafe", index_list(last.unsafe_view_out_indices))
    print("returns", last.num_forward_returns, last.num_forward)
    bases = 0
    texts = []
    for desc in last.traced_tangents_descs:
        text = tangent_text(desc, member_of)
        if text == "base":
            text, bases = f"base:{bases}", bases + 1
        texts.append(text)
    print("tangents", " ".join(texts))


def trace(function, train, make_args, keep, duplicates, synthetic, rng):
    metas, compiled = [], []
    post_init = schemas.ViewAndMutationMeta.__post_init__

    def remember(self):
        post_init(self)
        metas.append(self)

    def compiler(graph, args):
        compiled.append(list(args))
        return aot_autograd.make_boxed_func(graph)

    args = make_args()
    schemas.ViewAndMutationMeta.__post_init__ = remember
    try:
        with config.patch(functionalize_rng_ops=rng):
            try:
                aot_autograd.aot_function(function, compiler, compiler, keep_inference_input_mutations=keep)(*args)
            except RuntimeError:
                if not rng or not metas:  # without CUDA the call itself fails; the metadata is there by then
                    raise
    finally:
        schemas.ViewAndMutationMeta.__post_init__ = post_init
    inner = metas if duplicates or synthetic else metas[:1]
    show(function, train, args, keep, duplicates, synthetic, rng, inner, compiled[0] if compiled else [])


def main():
    print("# made by make_graph_facts.py with torch", torch.__version__.split("+")[0])
    for spec in CASES:
        trace(*spec)


if __name__ == "__main__":
    main()
