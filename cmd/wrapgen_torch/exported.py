# SPDX-License-Identifier: MIT
"""A torch.export program as YAML: what its graph signature says, after comments that name what it does not say.

It reads the functional graph, program.run_decompositions({}), and its signature: that graph returns the new values of
the buffers and inputs that it mutates, so the wrapper applies all of them (keep_input_mutations: false). The signature
says nothing about aliases, tensors that require grad, or leaves; an output that is a view of an input is one in the
exported graph, and is looked for there.
"""

from dataclasses import dataclass

import torch
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind, SymIntArgument, TensorArgument

from .dtypes import dtype_name
from .errors import CaptureError
from .names import Names, identifier
from .shapes import Symbols
from .yaml_text import to_yaml

NOT_SAID = (
    "Only the graph signature of a torch.export program is known. It does not say, and so this file does not:",
    "  - which outputs are views of inputs or of each other (each is taken for a separate tensor, non_alias)",
    "  - which inputs require grad, are leaves, or how a mutation looks to autograd; there is no backward",
    "  - mutations of geometry and storage, which export does not allow",
    "  - inputs that are one tensor or share memory, which must not be passed to it",
)


@dataclass
class Exported:
    document: dict
    yaml: str


def exported(program, name=None):
    """The document and its text. An output that shares an input's storage in the traced graph is an error: the wrapper
    would have to make the alias again, and nothing says how."""
    return _Reader(program, name).read()


class _Reader:
    def __init__(self, program, name):
        # torch.export keeps in-place operations; with an empty decomposition table the program
        # becomes functional, and its signature says what it mutates.
        self._program = program = program.run_decompositions({})
        self._name = identifier(name or "exported")
        self._names = Names()
        self._values = {node.name: node.meta.get("val") for node in program.graph.nodes}
        modes = [value.fake_mode for value in self._values.values() if isinstance(value, torch._subclasses.FakeTensor)]
        self._symbols = Symbols(modes[0].shape_env if modes else None)
        self._by_target = {}  # buffer or input -> its entry

    def read(self):
        signature = self._program.graph_signature
        if getattr(signature, "backward_signature", None) is not None:
            raise CaptureError("an exported joint graph: only forward programs are read")
        inputs = [self._input(spec) for spec in signature.input_specs]
        outputs = [entry for entry in map(self._output, signature.output_specs) if entry is not None]
        graph = {
            "name": self._name,
            "mode": "inference",
            "compiled": f"{self._name}_kernel",
            "keep_input_mutations": False,
        }
        tokens = sum(spec.kind is InputKind.TOKEN for spec in signature.input_specs)
        if tokens:
            graph["tokens"] = tokens
        graph["inputs"] = [entry for entry in inputs if entry is not None]
        graph["outputs"] = outputs
        self._check_order(signature)
        document = {"wrapgen": 1}
        declarations = self._symbols.declarations()
        if declarations:
            document["symbols"] = declarations
        document["graphs"] = [graph]
        return Exported(document, to_yaml(document, NOT_SAID))

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
        entry = {"name": self._names.take(spec.target or spec.arg.name)}
        self._by_target[spec.target or spec.arg.name] = entry
        if isinstance(spec.arg, ConstantArgument):
            if isinstance(spec.arg.value, int) and not isinstance(spec.arg.value, bool):
                return {**entry, "kind": "int", "value": spec.arg.value}
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
            self._by_target[spec.target]["mutates_data"] = True
            return None
        if spec.kind is not OutputKind.USER_OUTPUT:
            raise CaptureError(f"an output of kind {spec.kind.name} is not captured")
        entry = {"name": self._names.take(f"out_{spec.arg.name}")}
        if isinstance(spec.arg, ConstantArgument):
            if spec.arg.value is None:
                return {**entry, "kind": "none", "type": "non_alias"}
            kind = {bool: "bool", int: "int", float: "float"}.get(type(spec.arg.value))
            if kind is None:
                raise CaptureError(f"an output that is {spec.arg.value!r} is not captured")
            return {**entry, "kind": kind, "type": "non_alias"}
        if isinstance(spec.arg, SymIntArgument):
            return {**entry, "kind": "int", "type": "non_alias"}
        self._refuse_alias(spec.arg.name)
        return {**entry, "type": "non_alias", **self._geometry(spec.arg.name)}

    def _refuse_alias(self, name):
        nodes = {node.name: node for node in self._program.graph.nodes}
        node = nodes[name]
        while node.op == "call_function" and getattr(node.target, "is_view", False):
            node = node.args[0]
        if node.op == "placeholder":
            what = "is" if node.name == name else "is a view of"
            raise CaptureError(f"output '{name}' {what} input '{node.name}', which the signature does not say how to make anew")
