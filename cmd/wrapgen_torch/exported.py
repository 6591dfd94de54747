# SPDX-License-Identifier: MIT
"""A torch.export program as YAML: what its graph signature says, after comments that name what it does not say.

It reads the functional graph, program.run_decompositions({}), and its signature: that graph returns the new values of
the buffers and inputs that it mutates, so the wrapper applies all of them (keep_input_mutations: false). The signature
says nothing about aliases, tensors that require grad, or leaves; an output that is an input or a view of one is one in
the exported graph, and is looked for there.

The other form is for what AOTInductor makes of the program: a model that has weights and buffers inside, writes to the
inputs that it mutates by itself, and takes and returns only tensors: None, flags and numbers are part of it. Buffers and parameters that it mutates may be lifted: the
model then takes them after the user's inputs (deploying/lifting.py).
"""

import operator
import re

from dataclasses import dataclass

import torch
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind, SymIntArgument, TensorArgument

from .dtypes import dtype_name
from .errors import CaptureError
from .names import Names, identifier, model_symbol
from .shapes import Symbols, with_guards
from .views import NotExpressible, operation_of
from .yaml_text import to_yaml

NOT_SAID = (
    "Only the graph signature of a torch.export program is known. It does not say, and so this file does not:",
    "  - which outputs are views of each other (each is taken for a separate tensor, non_alias)",
    "  - which inputs require grad, are leaves, or how a mutation looks to autograd; there is no backward",
    "  - mutations of geometry and storage, which export does not allow",
    "  - inputs that are one tensor or share memory, which must not be passed to it",
    "  - whether a functional program's buffers are written to or replaced (each is taken for written to)",
)


@dataclass
class Exported:
    document: dict
    yaml: str


def exported(program, name=None, aoti=False, lifted=(), outputs=None, shared=None):
    """The document and its text. `aoti`: of the model that AOTInductor makes of the program. An output that is an alias
    which the format has no word for is an error: the wrapper would have to make it again. `outputs` are names for them.
    `shared`: shared_by() of the program before it was functional."""
    return _Reader(program, name, aoti, lifted, outputs, shared).read()


def shared_by(program):
    """For each result of a program that is not functional: does it share memory with an input, a buffer or a parameter? What a functional
    program copies into a buffer, or puts in its place (`m.count = m.count + x`), is there the same node as the buffer's new value."""
    values = {node.name: node.meta.get("val") for node in program.graph.nodes}
    storages = {_storage_of(values[node.name]) for node in program.graph.nodes if node.op == "placeholder"} - {None}
    results = [spec.arg for spec in program.graph_signature.output_specs if spec.kind is OutputKind.USER_OUTPUT]
    return [isinstance(arg, TensorArgument) and _storage_of(values[arg.name]) in storages for arg in results]


def _storage_of(value):
    return value.untyped_storage()._cdata if isinstance(value, torch.Tensor) else None


class _Reader:
    def __init__(self, program, name, aoti, lifted=(), outputs=None, shared=None):
        # torch.export keeps in-place operations; with an empty decomposition table the program
        # becomes functional, and its signature says what it mutates. A second time it would copy the new values,
        # and a view of what was written would be one of something else.
        if not any(map(self._is_mutation, program.graph_signature.output_specs)):
            shared = shared_by(program)
            program = program.run_decompositions({})
        self._program = program
        results = [spec for spec in program.graph_signature.output_specs if spec.kind is OutputKind.USER_OUTPUT]
        self._may_share = {id(spec): shared is None or shared[i] for i, spec in enumerate(results)}
        self._name = identifier(name or "exported")
        self._aoti = aoti
        self._lifted = set(lifted)
        self._output_names = list(outputs or [])
        self._nodes = {node.name: node for node in program.graph.nodes}
        self._entries = {}  # name of a node -> the input's entry
        self._names = Names()
        self._values = {node.name: node.meta.get("val") for node in program.graph.nodes}
        modes = [value.fake_mode for value in self._values.values() if isinstance(value, torch._subclasses.FakeTensor)]
        self._symbols = Symbols(modes[0].shape_env if modes else None)
        self._by_target = {}  # buffer or input -> its entry

    def read(self):
        signature = self._program.graph_signature
        if getattr(signature, "backward_signature", None) is not None:
            raise CaptureError("an exported joint graph: only forward programs are read")
        # What is lifted comes last; the names of the others are theirs all the same.
        inputs = [self._input(spec) for spec in sorted(signature.input_specs, key=lambda spec: spec.target in self._lifted)]
        placeholders = {spec.target or spec.arg.name: spec.arg.name for spec in signature.input_specs}
        mutations = [spec for spec in signature.output_specs if self._is_mutation(spec)]
        self._updated = {spec.arg.name: placeholders[spec.target] for spec in mutations}  # new value -> what it is of
        outputs = [entry for entry in map(self._output, signature.output_specs) if entry is not None]
        graph = {"name": self._name, "mode": "inference"}
        if self._aoti:
            graph |= {"compiled": model_symbol(self._name), "convention": "aoti"}
        else:
            graph |= {"compiled": f"{self._name}_kernel", "keep_input_mutations": False}
        tokens = sum(spec.kind is InputKind.TOKEN for spec in signature.input_specs)
        if tokens and self._aoti:
            raise CaptureError("a model of AOTInductor takes no effect tokens")
        if tokens:
            graph["tokens"] = tokens
        graph["inputs"] = [entry for entry in inputs if entry is not None]
        graph["outputs"] = outputs
        if not self._aoti:
            self._check_order(signature)
        document = {"wrapgen": 1, **({"host": "aoti"} if self._aoti else {})}
        declarations = self._symbols.declarations()
        if declarations:
            document["symbols"] = declarations
        self._refuse_unbound(graph, declarations)
        document["graphs"] = [with_guards(graph, self._symbols.guards())]
        return Exported(document, to_yaml(document, NOT_SAID))

    @staticmethod
    def _refuse_unbound(graph, declarations):
        said = [text for entry in graph["inputs"] for text in (*entry.get("size", ()), *entry.get("stride", ()), entry.get("value"))]
        for name in [entry["name"] for entry in declarations]:
            if name not in said:
                text = next(text for text in said if re.search(rf"\b{name}\b", str(text)))
                raise CaptureError(f"no size is {name} alone, only {text}: the format binds a symbol where it is a size by itself")

    def _check_order(self, signature):
        """The graph returns updated values by output_specs; the wrapper expects them in the order of the inputs."""
        order = [spec.target for spec in signature.output_specs if self._is_mutation(spec)]
        wanted = [target for target in self._by_target if target in order]
        if order != wanted:
            raise CaptureError(f"mutations are returned as {order}, the inputs come as {wanted}: the format has no order")

    @staticmethod
    def _is_mutation(spec):
        kinds = ["BUFFER_MUTATION", "USER_INPUT_MUTATION", "PARAMETER_MUTATION"]
        return spec.kind in [getattr(OutputKind, kind) for kind in kinds if hasattr(OutputKind, kind)]

    def _input(self, spec):
        if spec.kind is InputKind.TOKEN:
            return None
        if spec.kind is InputKind.CUSTOM_OBJ:
            raise CaptureError(f"{spec.arg.name}: a custom object is not captured")
        if self._aoti and spec.kind is not InputKind.USER_INPUT and spec.target not in self._lifted:
            return None  # inside of the model
        if self._aoti and isinstance(spec.arg, ConstantArgument):
            return None  # part of its operations
        entry = {"name": self._names.take(spec.target or spec.arg.name)}
        self._entries[spec.arg.name] = entry
        if self._aoti and not isinstance(spec.arg, TensorArgument):
            raise CaptureError(f"'{spec.arg.name}' is a number that varies, and a model of AOTInductor takes only tensors: pass it as a tensor")
        self._by_target[spec.target or spec.arg.name] = entry
        if isinstance(spec.arg, ConstantArgument):
            kind = {bool: "bool", int: "int", float: "float"}.get(type(spec.arg.value))
            if kind is not None:
                return {**entry, "kind": kind, "value": spec.arg.value}
            raise CaptureError(f"{spec.arg.name} is {spec.arg.value!r}, which is burnt into the graph and cannot be tested")
        if isinstance(spec.arg, SymIntArgument):
            return {**entry, "kind": "int", "value": self._symbols.text(self._values[spec.arg.name], spec.arg.name)}
        if not isinstance(spec.arg, TensorArgument):
            raise CaptureError(f"{spec.arg.name}: a {type(spec.arg).__name__} is not captured")
        entry.update(self._geometry(spec.arg.name))
        return entry

    def _geometry(self, name):
        value = self._values[name]
        return {
            "dtype": dtype_name(value.dtype, name),
            "size": self._symbols.texts(value.size(), name),
            "stride": self._symbols.texts(value.stride(), name),
            "device": str(value.device),
        }

    def _output(self, spec):
        if spec.kind is OutputKind.TOKEN:
            return None
        if self._is_mutation(spec):
            if spec.target in self._by_target:
                self._by_target[spec.target]["mutates_data"] = True
            return None
        if self._aoti and spec.kind is OutputKind.USER_OUTPUT and isinstance(spec.arg, ConstantArgument):
            return None
        if spec.kind is not OutputKind.USER_OUTPUT:
            raise CaptureError(f"an output of kind {spec.kind.name} is not captured")
        entry = {"name": self._names.take(self._output_names.pop(0) if self._output_names else f"out_{spec.arg.name}")}
        if self._aoti and not isinstance(spec.arg, TensorArgument):
            raise CaptureError(f"result '{entry['name']}' is a number that varies, and a model of AOTInductor returns only tensors: return it as a tensor")
        if isinstance(spec.arg, ConstantArgument):
            if spec.arg.value is None:
                return {**entry, "kind": "none", "type": "non_alias"}
            kind = {bool: "bool", int: "int", float: "float"}.get(type(spec.arg.value))
            if kind is None:
                raise CaptureError(f"an output that is {spec.arg.value!r} is not captured")
            return {**entry, "kind": kind, "type": "non_alias"}
        if isinstance(spec.arg, SymIntArgument):
            return {**entry, "kind": "int", "type": "non_alias"}
        return {**entry, **(self._alias(spec.arg.name) if self._may_share[id(spec)] else {"type": "non_alias", **self._geometry(spec.arg.name)})}

    def _alias(self, name):
        """What the output is: an input, a view of one, or a tensor of its own."""
        operations = []
        node, index = self._nodes[name], None
        while node.op == "call_function" and node.name not in self._updated:
            if node.target is operator.getitem:
                node, index = node.args
                continue
            if not getattr(node.target, "is_view", False):
                break
            operations.append((node, index))
            node, index = node.args[0], None
        if node.op != "placeholder" and node.name not in self._updated:
            return {"type": "non_alias", **self._geometry(name)}
        # What was mutated is returned as the input, or as a view of that, since that holds the new value.
        entry = self._entries.get(self._updated.get(node.name, node.name))
        what = "is" if not operations else "is a view of"
        if entry is None:
            raise CaptureError(f"output '{name}' {what} '{node.name}', which is inside of the model")
        if not operations:
            return {"type": "is_input", "base": entry["name"]}
        try:
            view = [self._operation(*one, name) for one in reversed(operations)]
        except NotExpressible as problem:
            raise CaptureError(f"output '{name}' is a view of input '{node.name}' through {problem}, for which there is no word") from None
        return {"type": "alias_of_input", "base": entry["name"], **self._geometry(name), "view": view}

    def _operation(self, node, index, where):
        schema = node.target._schema
        given = list(node.args[1:])
        for argument in schema.arguments[1 + len(given) :]:
            given.append(node.kwargs.get(argument.name, argument.default_value))
        overload = schema.name.split("::")[1] + (f"_{schema.overload_name}" if schema.overload_name else "")
        arguments = torch.fx.map_arg(given, lambda one: one.meta["val"])
        return operation_of(overload, arguments, index, self._symbols, where)
