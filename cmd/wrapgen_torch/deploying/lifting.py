# SPDX-License-Identifier: MIT
"""An exported program as a module that takes what it writes to: every buffer or parameter that a call changes becomes an argument
after the others. Inside the model it would be state that all callers share and none can set back."""

import torch
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind

from ..errors import CaptureError

_WRITTEN = (OutputKind.BUFFER_MUTATION, OutputKind.PARAMETER_MUTATION)


def written_by(program):
    """The names of those, in the order of the program's inputs. The program is functional."""
    signature = program.graph_signature
    targets = {spec.target for spec in signature.output_specs if spec.kind in _WRITTEN}
    return [spec.target for spec in signature.input_specs if spec.kind is not InputKind.USER_INPUT and spec.target in targets]


def state_of(program, name):
    return program.state_dict[name] if name in program.state_dict else program.constants[name]


def lifted_module(program, written):
    """Called with the flat tensors of the user, then the written ones; it returns a flat tuple of tensors."""
    module = program.module(check_guards=False)
    graph = module.graph
    graph.set_codegen(torch.fx.graph.CodeGen())
    _without_constants(program, graph)
    places = [node for node in graph.nodes if node.op == "placeholder"]
    first = next(iter(graph.nodes))
    for name in written:
        reads = [node for node in graph.nodes if node.op == "get_attr" and node.target == name]
        if not reads:
            raise CaptureError(f"'{name}' is written to under more than one name")
        with graph.inserting_after(places[-1]) if places else graph.inserting_before(first):
            place = graph.placeholder("state_" + name.replace(".", "_"))
        place.meta = dict(reads[0].meta)
        places.append(place)
        for node in reads:
            node.replace_all_uses_with(place)
            graph.erase_node(node)
    _in_order(graph, places)
    return torch.fx.GraphModule(module, graph)


def _without_constants(program, graph):
    """Takes None, flags and numbers out of the arguments and results: they are part of the operations."""
    constants = {spec.arg.name for spec in program.graph_signature.input_specs if isinstance(spec.arg, ConstantArgument)}
    for node in [node for node in graph.nodes if node.op == "placeholder" and node.name in constants]:
        graph.erase_node(node)
    (output,) = graph.find_nodes(op="output")
    output.args = (tuple(value for value in output.args[0] if isinstance(value, torch.fx.Node)),)


def _in_order(graph, places):
    """Arguments come before everything else, in their order."""
    for place in reversed(places):
        first = next(iter(graph.nodes))
        if place is not first:
            first.prepend(place)
