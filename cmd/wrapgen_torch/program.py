# SPDX-License-Identifier: MIT
"""A captured graph as a running program: wrapgen writes the wrapper, the C compiler builds it, and it is called with real
tensors through the host in host/.

The compiled functions that the wrapper calls are the graphs that AOTAutograd traced, run by PyTorch.
"""

import contextlib
import ctypes

import torch

from .blank import Blank, Seen
from .library import Host, Value, build, stub
from .call import Call
from .errors import CaptureError
from .host import verbs
from .ragged import is_nested_int
from .returned import owners_returned
from .trace import output_nodes


def store(slot, value, kept):
    """Puts a value into a WgValue that its receiver borrows; `kept` holds the objects that must stay alive."""
    if value is None:
        slot.tensor = None
    elif isinstance(value, (bool, int)) or is_nested_int(value):
        slot.integer = verbs.number_of(value)
    elif isinstance(value, float):
        slot.real = value
    else:
        slot.tensor = id(value)
        kept.append(value)


def _forward_kinds(traced):
    """Like _kinds(); an int that was burnt into the graph leaves no trace in its placeholder."""
    kinds = _kinds(traced.forward)
    own = [_kind_of(traced.inputs[which]) if isinstance(which, int) else "object" for which in traced.inner]
    if len(kinds) == len(own) + len(traced.outer_meta.tokens):
        kinds[len(kinds) - len(own) :] = own
    return kinds


def _kinds(graph_module):
    """How to read each argument of a graph: "integer", "real" or "object"."""
    result = []
    for node in graph_module.graph.nodes:
        if node.op == "placeholder":
            value = node.meta.get("val")
            if is_nested_int(value):
                result.append("nested")
            elif isinstance(value, (bool, int, torch.SymInt, torch.SymBool)):
                result.append("integer")
            elif isinstance(value, (float, torch.SymFloat)):
                result.append("real")
            else:
                result.append("object")
    return result


class Program:
    """One graph, built. Calling it is calling the generated wrapper with the graph's flat arguments. `library`: what was
    built of it before."""

    def __init__(self, described, library=None):
        self._host = Host.get()
        self.described = described
        self.traced = described.traced
        self.name = described.name
        self._forward_kinds = _forward_kinds(self.traced)
        self._backward_kinds = _kinds(self.traced.backward) if self.traced.trains else []
        self._input_kinds = [_kind_of(geometry) for geometry in self.traced.inputs]
        nested = {symbol["name"] for symbol in described.document.get("symbols", ()) if symbol.get("nested")}
        self.output_kinds = [_output_kind(entry, nested) for entry in described.document["graphs"][0]["outputs"]
                              if isinstance(entry, dict)]  # fmt: skip
        self._call = None
        self.document = described.document
        self.why = ""  # no other host calls it
        self.last = None  # Seen, of the last call that ended well
        self.gradients = []  # Blank: what the compiled backward returned last
        self._owners = list(owners_returned(self, fresh=True))
        self._pretended = {}  # graph -> what it returns without running
        self._functions = {
            f"{self.name}_kernel": self.run_forward,
            f"{self.name}_backward_kernel": self._run_backward,
        }
        self.library = library or build(self.described.yaml, stub([self.described]), self.described.subclasses)
        self._context = self._host.library.wg_python_context(verbs, self._functions)

    # ---- the forward ----

    def __call__(self, *args):
        return self.start(args)[1]

    def start(self, args):
        """(the call, for its backward; what the wrapper returned)"""
        outer, self._call = self._call, Call(self, args)
        before = [Blank.of(value) for value in args]
        try:
            with verbs.running(self._call):
                results = self._call.run()
            if not self._pretended:
                self.last = Seen(args, before, self._call.returned, self._call.tangents)
            return self._call, results
        finally:
            self._call.ended()
            self._call = outer

    def call_through(self, enter, args):
        """A call with the graph's flat arguments in which `enter`, with the kinds of its outputs, calls generated code."""
        outer, self._call = self._call, Call(self, args)
        try:
            with verbs.running(self._call):
                return enter(self.output_kinds)
        finally:
            self._call.ended()
            self._call = outer

    @contextlib.contextmanager
    def pretending(self, forward=None, backward=None):
        """The graphs do not run: calls inside get these values from them."""
        pretended = {self.traced.forward: forward, self.traced.backward: backward}
        self._pretended = {graph: values for graph, values in pretended.items() if values is not None}
        try:
            yield
        finally:
            self._pretended = {}

    def enter(self, function, args, num_outs, kinds, *more):
        """Calls a generated entry; returns the values that it gave away."""
        values = (Value * max(len(args), 1))()
        kept = []
        for slot, value in zip(values, args):
            store(slot, value, kept)
        outs = (Value * max(num_outs, 1))()
        entry = getattr(self.library, function)
        entry.restype = ctypes.c_int32
        where = [ctypes.c_void_p(self._context)]
        before, after = more
        status = entry(*where, *before, values, ctypes.c_size_t(len(args)), outs, ctypes.c_size_t(num_outs), *after)
        self._host.raise_error(self._context, status)
        return [self._host.take(slot, kind) for slot, kind in zip(outs, kinds, strict=False)]

    def release_saved(self, saved):
        release = getattr(self.library, f"{self.described.prefix}{self.name}_saved_release")
        release.restype = None
        release(ctypes.c_void_p(self._context), saved)

    @staticmethod
    def words_of_version(position):
        """Of the error about a saved tensor that was changed."""
        return f"saved tensor {position}", "WG_E_VERSION"

    def forget(self):
        self.last = None

    @staticmethod
    def alive():
        """All its tensors are objects of Python, which are counted."""
        return set()

    @staticmethod
    def can_enter(_tangents):
        """Can a backward be entered with these?"""
        return True

    # ---- the compiled functions ----

    def run_forward(self, args, num_args, outs, capacity):
        self._call.given = self._arguments(self._forward_kinds, args, num_args)
        results = self._run(self.traced.forward, self._call.given)
        for position in () if self._pretended else self._owners:
            verbs.nested_int(results[position])  # as the wrapper will ask for: a Blank of it knows which it is then
        self._call.returned = [Blank.of(value) for value in results]
        if self.traced.trains and not self.described.subclasses.types:
            self._detach_saved(results)
            tokens = len(self.traced.outer_meta.tokens)
            for position in self._call.differentiable():
                for value in results[tokens + position : tokens + position + 1]:  # a test may return too few
                    if isinstance(value, torch.Tensor) and value._is_view():
                        results[tokens + position] = self._call.hang_view(position, value)
        return self._give(results, outs, capacity)

    def _detach_saved(self, results):
        """Like autograd's saved variables: a saved argument or result must not hold the node that it will hang on,
        since that holds it. Its version counter is the same."""
        first = len(self.traced.outer_meta.tokens) + self.traced.meta.num_forward
        given = {id(value) for value in [*self._call.given, *results[:first]]}
        for position in range(first, len(results)):
            value = results[position]
            if id(value) in given and isinstance(value, torch.Tensor):
                results[position] = value.detach()

    def _run_backward(self, args, num_args, outs, capacity):
        results = self._run(self.traced.backward, self._arguments(self._backward_kinds, args, num_args))
        if not self._pretended:
            self.gradients = [Blank.of(value) for value in results]
        return self._give(results, outs, capacity)

    def _arguments(self, kinds, args, num_args):
        if num_args != len(kinds):
            raise CaptureError(f"the wrapper passed {num_args} arguments to a graph that takes {len(kinds)}")
        values = ctypes.cast(args, ctypes.POINTER(Value))
        arguments = []
        for position, kind in enumerate(kinds):
            if kind == "object":
                address = values[position].tensor
                arguments.append(self._host.library.wg_python_object(address) if address else None)
            elif kind == "nested":
                arguments.append(verbs.nested_int_of(values[position].integer))
            else:
                arguments.append(getattr(values[position], kind))
        return arguments

    def _run(self, graph_module, arguments):
        if graph_module in self._pretended:
            return list(self._pretended[graph_module])
        with torch.no_grad():
            result = graph_module(*arguments)
        results = list(result) if isinstance(result, (list, tuple)) else [result]
        wanted = len(output_nodes(graph_module))
        if len(results) != wanted:
            raise CaptureError(f"the graph returned {len(results)} values, not {wanted}")
        return results

    def _give(self, results, outs, capacity):
        if len(results) > capacity:
            raise CaptureError(f"the wrapper has room for {capacity} values, the graph returns {len(results)}")
        slots = ctypes.cast(outs, ctypes.POINTER(Value))
        for position, value in enumerate(results):
            store(slots[position], value, [])
            if value is not None and not isinstance(value, (bool, int, float)) and not is_nested_int(value):
                ctypes.pythonapi.Py_IncRef(ctypes.py_object(value))
        return len(results)


def _kind_of(geometry):
    if is_nested_int(geometry.scalar):
        return "nested"
    if isinstance(geometry.scalar, (bool, int, torch.SymInt, torch.SymBool)):
        return "integer"
    return "real" if isinstance(geometry.scalar, (float, torch.SymFloat)) else "object"


def _output_kind(entry, nested):
    if entry.get("kind") == "int" and entry.get("value") in nested:
        return "nested"
    return {"int": "integer", "bool": "bool", "float": "real"}.get(entry.get("kind"), "object")
