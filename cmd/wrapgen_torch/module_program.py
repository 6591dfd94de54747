# SPDX-License-Identifier: MIT
"""For check(): a captured graph as a function of a Python module over the host `torch` (extension.py), and all graphs of a program
as one module."""

import contextlib
import itertools
import re
import tempfile

import torch
from torch.autograd.graph import GradientEdge
from torch.multiprocessing.reductions import StorageWeakRef
from torch.nested._internal.nested_tensor import get_tensor_symint
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from .blank import Blank, Seen
from .errors import WrapperError
from .extension import build_extension, load_extension
from .graphs import Graphs
from .returned import owners_returned

_numbers = itertools.count()

# What a module says in Python's words before it calls a wrapper, or PyTorch before it calls a backward, and the format's name of it.
_SAID = (
    (r"\(\) takes \d+ arguments?; \d+ (was|were) given$|^expected \d+ arguments, got \d+ instead", "WG_E_COUNT"),
    (r"\(\): argument '.*' must be torch\.Tensor, not NoneType$", "WG_E_NULL"),
    (r"\(\): argument '.*' must be None, not ", "WG_E_VALUE"),
    (r"^the compiled function \w+ returned \d+ values, not \d+$", "WG_E_OUTPUTS"),
    (r"^one of the variables needed for gradient computation has been modified by an inplace operation", "WG_E_VERSION"),
    (r"^Trying to backward through the graph a second time", "WG_E_SPENT"),
)


def module_of(text, functions, subclasses, linked=()):
    """The module of the YAML `text`: compiled functions and what it means by subclasses are bound to their names."""
    with tempfile.TemporaryDirectory(prefix="wrapgen-torch-") as folder:
        library = build_extension(text, folder, f"checked{next(_numbers)}", objects=linked, passing=True)
        module = load_extension(library)
    for name, function in functions.items():
        module.bind(name, function)
    for symbol in module.__types__:
        module.bind_type(symbol, subclasses.types[symbol][0])
    for symbol in module.__contexts__:
        module.bind_context(symbol, subclasses.contexts[symbol][1])
    return module


@contextlib.contextmanager
def _refusals():
    """Errors of wrappers, and of the module that calls them, as WrapperError."""
    try:
        yield
    except (TypeError, ValueError, RuntimeError) as problem:
        text = str(problem)
        code = next((code for words, code in _SAID if re.search(words, text.split("\n")[0])), None)
        if "[WG_E_" in text:
            raise WrapperError(text) from None
        if code is not None:
            raise WrapperError(f"{text} (which is {code})") from None
        raise


class ModuleProgram:
    """Calling it is calling the generated wrapper with the graph's flat arguments."""

    linked = ()  # what its module is linked with, besides

    def __init__(self, described):
        self.described = described
        self.traced = described.traced
        self.document = described.document
        self.name = described.name
        self.last = None  # Seen, of the last call that ended well
        self.gradients = []  # Blank: what the compiled backward returned last
        self._returned = []  # Blank: what the compiled forward returned last
        self._memory = {}  # address -> StorageWeakRef, of what compiled functions were given and returned
        self._owners = list(owners_returned(self, fresh=True))
        self._pretended = {}  # graph -> what it returns without running
        functions = {f"{self.name}_kernel": self.run_forward}
        if self.traced.trains:
            functions[f"{self.name}_backward_kernel"] = self._run_backward
        self.module = module_of(described.yaml, functions, described.subclasses, self.linked)
        self._function = getattr(self.module, described.name)

    def __call__(self, *args):
        return self.start(args)[1]

    def start(self, args):
        """(the call, for its backward; what the wrapper returned)"""
        first = torch._C._autograd._get_sequence_nr()
        before = [Blank.of(value) for value in args]
        with _refusals():
            results = list(self._function(*args))
        call = _Call(self, self._node_since(first, [*results, *args]) if self.traced.trains else None)
        if not self._pretended:
            self.last = Seen(args, before, self._returned, call.tangents)
        self._returned = []
        return call, results

    def _node_since(self, first, values):
        """The node of the call that began when the next one was to get the number `first`; None if it has left none."""
        edges = [value.grad_fn for value in values if isinstance(value, torch.Tensor)]
        while edges:
            node = edges.pop()
            if node is None or node._sequence_nr() < first:
                continue
            if node.name() == "CompiledFunctionBackward":
                return node
            edges += [edge for edge, _ in node.next_functions]
        return None

    @contextlib.contextmanager
    def pretending(self, forward=None, backward=None):
        """The graphs do not run: calls inside get these values from them."""
        pretended = {self.traced.forward: forward, self.traced.backward: backward}
        self._pretended = {graph: values for graph, values in pretended.items() if values is not None}
        try:
            yield
        finally:
            self._pretended = {}

    @staticmethod
    def words_of_version(_position):
        """PyTorch's node finds it, and does not count."""
        return ("WG_E_VERSION",)

    @property
    def donates(self):
        return bool(self.document["graphs"][0]["saved"].get("donated"))

    def can_enter(self, tangents):
        """Can a backward be entered with these? Donated buffers are refused where autograd's engine does not run it. That runs none
        without tangents, and counts them itself."""
        return not self.donates or len(tangents) == len(self.last.tangents) and any(one is not None for one in tangents)

    # ---- the compiled functions ----

    def run_forward(self, args):
        results = self._run(self.traced.forward, args)
        for position in () if self._pretended else self._owners:
            get_tensor_symint(results[position])  # as the wrapper will ask for: a Blank of it knows which it is then
        self._returned = [Blank.of(value) for value in results]
        return results

    def _run_backward(self, args):
        results = self._run(self.traced.backward, args)
        if not self._pretended:
            self.gradients = [Blank.of(value) for value in results]
        return results

    def _run(self, graph_module, args):
        given = list(args)
        args.clear()
        if graph_module in self._pretended:
            results = list(self._pretended[graph_module])
        else:
            with torch.no_grad():
                results = graph_module(*given)
            results = list(results) if isinstance(results, (list, tuple)) else [results]
        self._remember(given)
        self._remember(results)
        return results

    def _remember(self, values):
        for value in values:
            if isinstance(value, torch.Tensor) and value.layout == torch.strided and not is_traceable_wrapper_subclass(value):
                memory = StorageWeakRef(value.untyped_storage())
                self._memory[memory.cdata] = memory

    def forget(self):
        """Lets go of what calls left: of tensors, and of what knows whether they are alive."""
        self.last = None
        self._memory.clear()

    def alive(self):
        """The addresses of those of its calls' storages that are still there, also if no object of Python is about them."""
        return {address for address, memory in self._memory.items() if not memory.expired()}


class _Call:
    """A call of a ModuleProgram, by its node."""

    def __init__(self, program, node):
        self._program, self._node = program, node
        self.tangents = tangents = []  # Blank: what the backward got
        if node is not None:
            node.register_prehook(lambda given: tangents.__setitem__(slice(None), map(Blank.of, given)))

    def enter_backward(self, tangents):
        with _refusals():
            if self._program.donates:
                there = [(GradientEdge(self._node, i), tangent) for i, tangent in enumerate(tangents) if tangent is not None]
                arguments = [GradientEdge(*edge) for edge in _nearest(self._node.next_functions)]
                torch.autograd.grad([edge for edge, _ in there], arguments, [one for _, one in there], allow_unused=True)
                return
            with torch.no_grad():  # as the engine runs it
                self._node(*tangents)


def _nearest(edges):
    """Those that no other one leads to, so that an engine which is to come as far as these runs nothing beyond them: the history of a
    written argument is the node of an earlier call, which has run, and may lead to another argument."""
    edges = [edge for edge in edges if edge[0] is not None]
    beyond = set()
    nodes = [node for node, _ in edges]
    while nodes:
        new = {node for node, _ in nodes.pop().next_functions if node is not None} - beyond
        beyond |= new
        nodes += new
    return [edge for edge in edges if edge[0] not in beyond]


def _number(entry, value):
    """The value; 0 where there is no such number, as the size of a tensor that is None: a variant that asks for it asks for the
    tensor, too."""
    kinds = {"int": int, "float": float, "bool": bool, "string": str}
    return kinds[entry["kind"]]() if value is None and entry["kind"] in kinds and not entry.get("nullable") else value


class ModuleDispatcher:
    """All graphs of a program as one module: calls go through the kernels that choose among them. `graphs` are Described,
    `programs` the ModuleProgram of each. `text` is the document, `choices` are its kernels."""

    def __init__(self, name, graphs, programs):
        collected = Graphs(name, described=graphs)
        _, self.notes, self.choices, self.outdone = collected.document()
        self.text = collected.yaml
        self._due = None
        programs = dict(zip((described.name for described in graphs), programs, strict=True))
        functions = {f"{described.name}_kernel": self._body(described, programs) for described in graphs}
        backwards = [described.name for described in graphs if described.traced.trains]
        functions |= {f"{each}_backward_kernel": programs[each]._run_backward for each in backwards}
        self._module = module_of(self.text, functions, graphs[-1].subclasses)

    def _body(self, described, programs):
        def run(args):
            if described is not self._due:
                raise WrapperError(f"the dispatcher chose {described.name}, Dynamo {self._due.name}")
            return programs[described.name].run_forward(args)

        return run

    def __call__(self, described, args):
        """A call for which Dynamo chose `described`, through its kernel; None if it is in none."""
        if described in self.outdone:
            raise WrapperError(f"Dynamo chose {described.name}, which another graph is said to take all calls of")
        choice = next((one for one in self.choices if described in one.variants), None)
        if choice is None:
            return None
        self._due = described
        found = choice.arguments(described, args, described.origin.frame())
        arguments = [_number(entry, value) for entry, value in zip(choice.document["args"], found, strict=True)]
        with _refusals():
            return list(getattr(self._module, choice.document["name"])(*arguments))
