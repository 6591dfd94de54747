# SPDX-License-Identifier: MIT
"""The graphs that Inductor compiles, as AOTInductor models: libraries that are called without Python, and so without Dynamo.

Inductor's front end hands each graph, a forward as well as a backward, to one function, `compile_fx_inner`. Here the graph is compiled
as a model instead, and the program that is built calls that, so that what load() calls is what is compared with eager mode.

A model takes and returns only tensors. A symbolic size that the graph takes is read from a tensor that has it instead, from one that
is made for it if there is none, or computed from others. A number that the graph returns is computed from the sizes that it takes, by
whoever calls the model (numbers.py). Everything else is refused by name.
"""

import contextlib
import copy
import os
import tempfile
import types
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import torch

from ..errors import CaptureError, failure, first_line
from ..interface import compiled_once
from ..progress import step
from ..upstream import (
    AOTIModelContainerRunnerCpu,
    AotCodeCompiler,
    IRNode,
    SymExprPrinter,
    V,
    compile_fx,
    compile_fx_inner,
    detect_fake_mode,
    free_unbacked_symbols,
    inductor_config,
    set_tracing_context_output_strides,
)
from .numbers import computed, steps_of, value_of_steps


@dataclass
class Model:
    """What bind_model() of a module wants to know, but for the name and the folder."""

    arguments: list  # which arguments of the graph the model takes, or ~i: a tensor whose only size is argument i
    results: list  # for each result of the graph: the position of an output of the model, ~i for argument i, or steps that compute it
    not_negative: set  # symbols that are sizes of what is made, and by themselves may be less than 0

    def entry(self, file):
        return {"file": file, "arguments": self.arguments, "results": self.results}


class Models:
    """The models of one graph. `compile` takes the place of Inductor's back end."""

    def __init__(self, folder):
        """`folder` is made, and gets forward.so and backward.so."""
        self.folder = Path(folder)
        self.folder.mkdir(parents=True)
        self.forward = None
        self.backward = None

    def compile(self, module, args):
        return compile_fx(module, args, inner_compile=self._compile_inner)

    def _compile_inner(self, module, example_inputs, **options):
        place = "backward" if options.get("is_backward") else "forward"
        if getattr(self, place) is not None:
            raise CaptureError(f"Inductor compiles more than one graph for the {place}: not loaded without Dynamo")
        twin = copy.deepcopy(module, _constants(module))
        tensors_only = _tensors_only(twin)  # refused before minutes of compiling
        with step(f"compiling the {place} as a model, for load()"):
            model, strides = self._model(twin, tensors_only, list(example_inputs), options, place)
        setattr(self, place, model)
        set_tracing_context_output_strides(example_inputs, types.SimpleNamespace(output_strides=strides))
        return _called(model, self.folder / f"{place}.so")

    def _model(self, module, tensors_only, example_inputs, options, place):
        try:
            return _model(module, tensors_only, example_inputs, options, self.folder, place)
        except Exception as problem:
            raise CaptureError(failure("AOTInductor", f"its {place}", problem)) from problem


def _called(model, file):
    """The model as what Inductor makes: a function of a list of a graph's arguments, which it empties, that returns its results."""

    def made():
        return AOTIModelContainerRunnerCpu(str(file), 1)

    free = [made()]

    def run(args):
        numbers = {i: args[~at] if isinstance(at, int) else value_of_steps(at, args) for i, at in enumerate(model.results) if not _is_output(at)}
        taken = [args[at] if at >= 0 else torch.empty_strided((args[~at],), (0,), dtype=torch.uint8) for at in model.arguments]
        args.clear()
        runner = free.pop() if free else made()  # a runner runs once at a time, and an operator may come here again
        try:
            returned = runner.run(taken)
        except RuntimeError as problem:
            why = "an operator raises an error, and AOTInductor does not say which: run the program in eager mode to see it"
            raise RuntimeError(f"{why} ({first_line(problem)})") from None
        finally:
            free.append(runner)
        return [numbers[i] if i in numbers else returned[at] for i, at in enumerate(model.results)]

    run._boxed_call = True
    return run


def _is_output(at):
    """Is this one of Model.results a tensor that the model returns?"""
    return isinstance(at, int) and at >= 0


def _constants(module):
    """The tensors that a graph has itself, as a memo of deepcopy(): both graphs have the same, since a copy that is made here, under the
    mode of the trace, would have no contents."""
    held = [value for part in module.modules() for group in (vars(part), part._parameters, part._buffers) for value in group.values()]
    return {id(value): value for value in held if isinstance(value, torch.Tensor)}


def _model(module, tensors_only, example_inputs, options, folder, place):
    """(the Model, of each result of the graph its strides as Inductor says them, or None)"""
    arguments, results, not_negative = tensors_only
    static = {arguments.index(i) for i in options.get("static_input_idxs", ()) if i in arguments}
    options = {**options, "cpp_wrapper": True, "static_input_idxs": sorted(static)}
    examples = [node.meta["val"] if at < 0 else example_inputs[at] for at, node in zip(arguments, module.graph.find_nodes(op="placeholder"))]
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        config = inductor_config.patch({"cpp_wrapper": True, "aot_inductor.output_path": scratch})
        with V.set_aot_compilation(True), config, compiled_once(), _strides_noted() as strides:
            made = compile_fx_inner(module, examples, **options)
        os.replace(made.filename, folder / f"{place}.so")
        operators = Path(made.filename).with_suffix(".json")  # those that are called through PyTorch's proxy executor
        if operators.exists():
            os.replace(operators, folder / f"{place}.json")
    return Model(arguments, results, not_negative), [strides[at] if _is_output(at) else None for at in results]


@contextlib.contextmanager
def _strides_noted():
    """A list that gets the strides of the results of the graph that is compiled meanwhile, as expressions in text, and None for what is not a
    tensor. AOTAutograd needs them, and Inductor tells them of all graphs but models."""
    noted, compile_code, printer = [], AotCodeCompiler.compile, SymExprPrinter()

    def noting(graph, *args, **options):
        for out in graph.graph_outputs:
            told = isinstance(out, IRNode) and out.has_tensor_output() and not free_unbacked_symbols(out.get_stride())
            noted.append(tuple(map(printer.doprint, out.get_layout().stride)) if told else None)
        return compile_code(graph, *args, **options)

    with patch.object(AotCodeCompiler, "compile", noting):
        yield noted


def _tensors_only(module):
    """Takes symbolic sizes out of the graph's arguments and results; what Model has."""
    graph = module.graph
    inputs = graph.find_nodes(op="placeholder")
    sizes = [node for node in inputs if not isinstance(node.meta["val"], torch.Tensor)]
    tensors = [node for node in inputs if node not in sizes]
    results = _without_sizes(graph, sizes, inputs)
    arguments = [position for position, node in enumerate(inputs) if node in tensors]
    steps = {node: _steps_of(node, sizes, inputs) for node in sizes if node.users and _is_expression(node) and _place(node, tensors) is None}
    of_steps = {inputs[~step[0]] for those in steps.values() for step in those if isinstance(step, list)}
    carriers, not_negative = [], set()
    of_steps |= _named_by(tensors, sizes)  # Inductor asks for each symbol of a size by itself
    needed = [node for node in sizes if (node.users or node in of_steps) and node not in steps]
    for node in [node for node in needed if _place(node, tensors) is None]:
        with graph.inserting_before(inputs[0]):  # first: sizes that follow may be expressions over it, which Inductor need not solve then
            carrier = _carrier(graph, node)
        tensors.append(carrier)
        carriers.append(~inputs.index(node))
        not_negative |= _not_negative(node.meta["val"].node)
    with graph.inserting_before(next(node for node in graph.nodes if node.op != "placeholder")):
        reads = {inputs.index(node): _read(graph, node, _place(node, tensors)) for node in needed}
        reads |= {inputs.index(node): computed(graph, those, reads) for node, those in steps.items()}
        for node in sizes:
            if node.users:
                node.replace_all_uses_with(reads[inputs.index(node)])
            graph.erase_node(node)
    module.recompile()
    return [*carriers, *arguments], results, not_negative


def _named_by(tensors, sizes):
    """Those of `sizes` that are symbols of a size or stride of one of the tensors."""
    values = [number for node in tensors for number in (*node.meta["val"].shape, *node.meta["val"].stride()) if isinstance(number, torch.SymInt)]
    named = set().union(*(number.node.expr.free_symbols for number in values))
    return {node for node in sizes if isinstance(node.meta["val"], torch.SymInt) and node.meta["val"].node.expr in named}


def _is_expression(node):
    value = node.meta["val"]
    return isinstance(value, torch.SymInt) and not value.node.expr.is_Symbol


def _steps_of(node, sizes, inputs):
    """What computes the number `node` from arguments that are symbols (numbers.py)."""
    symbols = {one.meta["val"].node.expr: inputs.index(one) for one in sizes if isinstance(one.meta["val"], torch.SymInt)}
    expression = node.meta["val"].node.expr

    def position_of(symbol):
        if symbol not in symbols:
            raise CaptureError(f"the graph has the number {node} = {expression}, and takes no {symbol}; AOTInductor takes and returns only tensors")
        return symbols[symbol]

    return steps_of(expression, position_of, f"the number {node}")


def _read(graph, node, place):
    """A node that reads the size `node`."""
    read = graph.call_function(torch.ops.aten.sym_size.int, place)
    read.meta["val"] = node.meta["val"]
    return read


def _place(node, tensors):
    """(one of the tensors, dimension) where the size `node` is; None if it is nowhere."""
    value = node.meta["val"]
    for tensor in tensors:
        for dim, size in enumerate(tensor.meta["val"].shape):
            if isinstance(value, torch.SymInt) and isinstance(size, torch.SymInt) and size.node.expr == value.node.expr:
                return tensor, dim
    return None


def _carrier(graph, node):
    """A placeholder for a tensor whose only size is `node`, which has no contents."""
    value = node.meta["val"]
    if not isinstance(value, torch.SymInt) or not value.node.expr.is_Symbol or value.node.hint < 0:
        raise CaptureError(f"the graph takes {node.name}, a number that changes and is none that a size can be; AOTInductor takes only tensors")
    mode = detect_fake_mode([one.meta["val"] for one in graph.find_nodes(op="placeholder")])
    made = graph.placeholder(f"{node.name}_carrier")
    with mode, value.node.shape_env.suppress_guards():
        made.meta["val"] = torch.empty_strided((value,), (0,), dtype=torch.uint8)
    return made


def _not_negative(number):
    return {number.expr} if number.shape_env.var_to_range[number.expr].lower < 0 else set()


def _without_sizes(graph, sizes, inputs):
    """Takes what `sizes` are out of the results."""
    (output,) = graph.find_nodes(op="output")
    given = {node.meta["val"].node.expr: ~inputs.index(node) for node in sizes if isinstance(node.meta["val"], torch.SymInt)}
    returned, results = [], []
    visible = output.meta.get("user_visible_output_idxs")
    moved = {}
    for position, value in enumerate(output.args[0]):
        number = value.meta["val"] if isinstance(value, torch.fx.Node) else value
        if isinstance(number, torch.Tensor) or value is None:
            moved[position] = len(returned)
            results.append(len(returned))
            returned.append(value)
        elif isinstance(number, torch.SymInt) and number.node.expr in given:
            results.append(given[number.node.expr])
        elif type(number) is int:
            results.append([number])
        elif isinstance(number, torch.SymInt):
            results.append(_steps_of(value, sizes, inputs))
        else:
            raise CaptureError(f"the graph returns the number {value}, which is not an int; AOTInductor returns only tensors")
    output.args = (tuple(returned),)
    if visible is not None:
        output.meta["user_visible_output_idxs"] = [moved[position] for position in visible if position in moved]
    return results
