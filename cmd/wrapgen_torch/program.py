# SPDX-License-Identifier: MIT
"""A captured graph as a running program: wrapgen writes the wrapper, the C compiler builds it, and it is called with real
tensors through the host in host/.

The compiled functions that the wrapper calls are the graphs that AOTAutograd traced, run by PyTorch. A compiled
function in C has no autograd node, so the call makes one: every value of the graph that requires grad hangs on one
node, whose backward calls the generated backward with the gradients of the values that the forward returned.
"""

import ctypes
import hashlib
import os
import subprocess
import sysconfig
import tempfile
import weakref
from pathlib import Path

import torch
from torch._functorch._aot_autograd.schemas import OutputType

from .errors import CaptureError
from .host import verbs

HERE = Path(__file__).resolve().parent
_UNALIASED = {OutputType.non_alias, OutputType.unsafe_view_alias, OutputType.custom_function_view}
_FLAGS = "-std=c11 -Wall -Wextra -Werror -O1 -g -fPIC -shared".split()


class WrapperError(RuntimeError):
    """The generated wrapper returned its own error; the text is wrapgen's."""


def wrapgen():
    """The tool: $WRAPGEN, the repository's build, or the one on the PATH."""
    built = HERE.parent.parent / "build" / "wrapgen"
    return os.environ.get("WRAPGEN") or (str(built) if built.exists() else "wrapgen")


def _run(command):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if result.returncode:
        raise CaptureError(f"{Path(command[0]).name} ended with {result.returncode}:\n{result.stderr}{result.stdout}")


class Host:
    """The shared library of the verbs, and the folder where programs are built. There is one per process."""

    _instance = None

    @classmethod
    def get(cls):
        if cls._instance is None:
            cls._instance = cls()
        return cls._instance

    def __init__(self):
        self._temporary = tempfile.TemporaryDirectory(prefix="wrapgen-torch-")
        self.folder = Path(self._temporary.name)
        self.parts = self.folder / "parts"
        _run([wrapgen(), "--print-templates", self.parts])
        self.includes = [f"-I{self.parts / 'core'}", f"-I{HERE / 'host'}"]
        self.compiler = os.environ.get("CC", "cc")
        python = sysconfig.get_paths()["include"]
        library = self.folder / "libwg_torch.so"
        sources = [HERE / "host" / "wg_torch.c", self.parts / "core" / "wg_cold.c"]
        _run([self.compiler, *_FLAGS, *self.includes, f"-I{python}", "-o", library, *sources])
        self.library = ctypes.PyDLL(str(library), mode=ctypes.RTLD_GLOBAL)
        for name, result, arguments in (
            ("wg_torch_context", ctypes.c_void_p, [ctypes.py_object, ctypes.py_object]),
            ("wg_torch_exception", ctypes.py_object, [ctypes.c_void_p]),
            ("wg_torch_bind", None, [ctypes.c_void_p, ctypes.py_object]),
            ("wg_torch_object", ctypes.py_object, [ctypes.c_void_p]),
            ("wg_error", ctypes.c_void_p, [ctypes.c_void_p]),
            ("wg_error_text", ctypes.c_size_t, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]),
        ):
            function = getattr(self.library, name)
            function.restype, function.argtypes = result, arguments

    def object(self, address):
        """The tensor at an address that C gave away: its reference becomes Python's."""
        if not address:
            return None
        value = self.library.wg_torch_object(address)
        ctypes.pythonapi.Py_DecRef(ctypes.py_object(value))
        return value


class _Value(ctypes.Union):
    _fields_ = [("tensor", ctypes.c_void_p), ("integer", ctypes.c_int64), ("real", ctypes.c_double)]


def _store(slot, value, kept):
    """Puts a value into a WgValue that its receiver borrows; `kept` holds the objects that must stay alive."""
    if value is None:
        slot.tensor = None
    elif isinstance(value, (bool, int)):
        slot.integer = int(value)
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
            if isinstance(value, (bool, int, torch.SymInt, torch.SymBool)):
                result.append("integer")
            elif isinstance(value, (float, torch.SymFloat)):
                result.append("real")
            else:
                result.append("object")
    return result


class Program:
    """One graph, built. Calling it is calling the generated wrapper with the graph's flat arguments."""

    def __init__(self, described):
        self._host = Host.get()
        self._described = described
        self._traced = described.traced
        self._name = described.name
        self._forward_kinds = _forward_kinds(self._traced)
        self._backward_kinds = _kinds(self._traced.backward) if self._traced.trains else []
        self._input_kinds = [_kind_of(geometry) for geometry in self._traced.inputs]
        self._output_kinds = [_output_kind(entry) for entry in described.document["graphs"][0]["outputs"]
                              if isinstance(entry, dict)]  # fmt: skip
        self._call = None
        self.document = described.document
        self.changes_geometry = any(info.mutates_metadata for info in self._traced.outer_meta.input_info)
        self.last = None  # the arguments of the last call that ended well, and what they were before it
        self._functions = {
            f"{self._name}_kernel": self._run_forward,
            f"{self._name}_backward_kernel": self._run_backward,
        }
        self._library = self._build()
        self._context = self._host.library.wg_torch_context(verbs, self._functions)
        self._bind()

    def _build(self):
        digest = hashlib.sha256(self._described.yaml.encode()).hexdigest()[:16]
        folder = Path(tempfile.mkdtemp(prefix=digest, dir=self._host.folder))
        (folder / "graph.yaml").write_text(self._described.yaml)
        (folder / "stub.c").write_text(self._stub())
        _run([wrapgen(), "--in", folder / "graph.yaml", "--host", HERE / "host" / "host.yaml", "--out", folder / "graph.c",
              "--header", folder / "graph.h"])  # fmt: skip
        library = folder / "graph.so"
        sources = [folder / "graph.c", folder / "stub.c"]
        _run([self._host.compiler, *_FLAGS, *self._host.includes, f"-I{folder}", "-o", library, *sources])
        return ctypes.PyDLL(str(library))

    def _stub(self):
        """The compiled functions, types and contexts that the generated code refers to."""
        lines = ['#include "wg_torch.h"', '#include "graph.h"', ""]
        names = [f"{self._name}_kernel"] + [f"{self._name}_backward_kernel"] * self._traced.trains
        for name in names:
            lines += [
                f"int32_t {name}(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)",
                "{",
                f'    return wg_torch_call(ctx, "{name}", args, num_args, outs, num_outs);',
                "}",
            ]
        for symbol in self._described.subclasses.types:
            lines += [f"WgTorchSlot {symbol}_slot;", f'const WgType {symbol} = {{ "{symbol}", &{symbol}_slot }};']
        for symbol in self._described.subclasses.contexts:
            lines += [f"WgTorchSlot {symbol}_slot;", f"const void *const {symbol} = &{symbol}_slot;"]
        if self._traced.trains:
            lines.append(f"const size_t saved_size = sizeof({self._described.prefix}{self._name}_saved);")
        return "\n".join(lines) + "\n"

    def _bind(self):
        things = {**self._described.subclasses.types, **self._described.subclasses.contexts}
        for symbol, thing in things.items():
            slot = ctypes.c_void_p.in_dll(self._library, f"{symbol}_slot")
            self._host.library.wg_torch_bind(ctypes.addressof(slot), thing)

    # ---- the forward ----

    def __call__(self, *args):
        outer, self._call = self._call, _Call(self, args)
        geometries = [geometry_of(value) for value in args]
        try:
            with verbs.running(self._call):
                results = self._call.run()
            self.last = (args, geometries)
            return results
        finally:
            self._call.ended()
            self._call = outer

    def enter(self, function, args, num_outs, kinds, *more):
        """Calls a generated entry; returns the values that it gave away."""
        values = (_Value * max(len(args), 1))()
        kept = []
        for slot, value in zip(values, args):
            _store(slot, value, kept)
        outs = (_Value * max(num_outs, 1))()
        entry = getattr(self._library, function)
        entry.restype = ctypes.c_int32
        where = [ctypes.c_void_p(self._context)]
        before, after = more
        status = entry(*where, *before, values, ctypes.c_size_t(len(args)), outs, ctypes.c_size_t(num_outs), *after)
        exception = self._host.library.wg_torch_exception(self._context)
        if status:
            if exception is not None:
                raise exception
            raise WrapperError(self._error())
        return [self._take(slot, kind) for slot, kind in zip(outs, kinds, strict=False)]

    def release_saved(self, saved):
        release = getattr(self._library, f"{self._described.prefix}{self._name}_saved_release")
        release.restype = None
        release(ctypes.c_void_p(self._context), saved)

    def _error(self):
        text = ctypes.create_string_buffer(4096)
        self._host.library.wg_error_text(self._host.library.wg_error(self._context), text, len(text))
        return text.value.decode()

    def _take(self, slot, kind):
        if kind == "object":
            return self._host.object(slot.tensor)
        if kind == "bool":
            return bool(slot.integer)
        return slot.integer if kind == "integer" else slot.real

    # ---- the compiled functions ----

    def _run_forward(self, args, num_args, outs, capacity):
        self._call.given = self._arguments(self._forward_kinds, args, num_args)
        results = self._run(self._traced.forward, self._call.given)
        count = len(self._traced.returns) if not self._traced.trains else self._traced.forward_returns
        if len(results) != count:
            raise CaptureError(f"the graph returned {len(results)} values, not {count}")
        if self._traced.trains and not self._described.subclasses.types:
            self._detach_saved(results)
            tokens = len(self._traced.outer_meta.tokens)
            for position in self._call.differentiable():
                value = results[tokens + position]
                if isinstance(value, torch.Tensor) and value._is_view():
                    results[tokens + position] = self._call.hang_view(position, value)
        return self._give(results, outs, capacity)

    def _detach_saved(self, results):
        """Like autograd's saved variables: a saved argument or result must not hold the node that it will hang on,
        since that holds it. Its version counter is the same."""
        first = len(self._traced.outer_meta.tokens) + self._traced.meta.num_forward
        given = {id(value) for value in [*self._call.given, *results[:first]]}
        for position in range(first, len(results)):
            value = results[position]
            if id(value) in given and isinstance(value, torch.Tensor):
                results[position] = value.detach()

    def _run_backward(self, args, num_args, outs, capacity):
        results = self._run(self._traced.backward, self._arguments(self._backward_kinds, args, num_args))
        return self._give(results, outs, capacity)

    def _arguments(self, kinds, args, num_args):
        if num_args != len(kinds):
            raise CaptureError(f"the wrapper passed {num_args} arguments to a graph that takes {len(kinds)}")
        values = ctypes.cast(args, ctypes.POINTER(_Value))
        arguments = []
        for position, kind in enumerate(kinds):
            if kind == "object":
                address = values[position].tensor
                arguments.append(self._host.library.wg_torch_object(address) if address else None)
            else:
                arguments.append(getattr(values[position], kind))
        return arguments

    def _run(self, graph_module, arguments):
        with torch.no_grad():
            result = graph_module(*arguments)
        return list(result) if isinstance(result, (list, tuple)) else [result]

    def _give(self, results, outs, capacity):
        if len(results) > capacity:
            raise CaptureError(f"the wrapper has room for {capacity} values, the graph returns {len(results)}")
        slots = ctypes.cast(outs, ctypes.POINTER(_Value))
        for position, value in enumerate(results):
            _store(slots[position], value, [])
            if value is not None and not isinstance(value, (bool, int, float)):
                ctypes.pythonapi.Py_IncRef(ctypes.py_object(value))
        return len(results)


def geometry_of(value):
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided:
        return None
    return tuple(value.size()), tuple(value.stride()), value.dtype


def _kind_of(geometry):
    if isinstance(geometry.scalar, (bool, int, torch.SymInt, torch.SymBool)):
        return "integer"
    return "real" if isinstance(geometry.scalar, (float, torch.SymFloat)) else "object"


def _output_kind(entry):
    return {"int": "integer", "bool": "bool", "float": "real"}.get(entry.get("kind"), "object")


class _Call:
    """One call of a graph: what its autograd node needs."""

    def __init__(self, program, args):
        self._program = program
        self._args = args
        self._traced = program._traced
        self._saved = None
        self._hub = None
        self.given = None  # what the compiled forward got
        self._positions = iter(self._boxed_out())
        self.gradients = {}

    def run(self):
        program = self._program
        before, after = [], []
        function = f"{program._described.prefix}{program._name}_boxed"
        if self._traced.trains:
            size = ctypes.c_size_t.in_dll(program._library, "saved_size").value
            self._saved = ctypes.create_string_buffer(size)
            after = [self._saved]
        outputs = program._output_kinds
        results = program.enter(function, self._args, len(outputs), outputs, before, after)
        if self._saved is not None:
            # As in PyTorch's node: saved values live as long as the call's node.
            weakref.finalize(self, program.release_saved, self._saved)
        return results

    def ended(self):
        """The call is over: things that only it needs must not live as long as its node."""
        self._args = self._hub = self.given = None

    def _boxed_out(self):
        """Positions, among the values that the graph returns, of those for which set_requires_grad is called, in
        order."""
        meta = self._traced.meta
        result = []
        for order, index in enumerate(meta.mutated_inp_runtime_indices):
            if meta.input_info[index].mutates_data:
                result.append(order)
        start = len(meta.mutated_inp_runtime_indices)
        entries = [entry for entry in self._program._described.document["graphs"][0]["outputs"] if isinstance(entry, dict)]
        for position, entry in enumerate(entries):
            if entry.get("kind", "tensor") == "tensor" and meta.output_info[position].output_type in _UNALIASED:
                result.append(start + position)
        start += len(entries)
        return result + [start + position for position in range(meta.num_intermediate_bases)]

    def differentiable(self):
        """Those of _boxed_out() that require grad."""
        meta = self._traced.meta
        flags = [meta.input_info[index].requires_grad for index in meta.mutated_inp_runtime_indices]
        flags += [info.requires_grad for info in meta.output_info]
        return [position for position in self._boxed_out() if position >= len(flags) or flags[position]]

    def set_requires_grad(self, tensor, wanted):
        position = next(self._positions)
        if not wanted:
            if tensor.requires_grad:
                raise CaptureError("a value that must not require grad does")
            return
        with torch.enable_grad():
            if tensor.requires_grad and tensor.grad_fn is not None:
                return
            if self._node().requires_grad:
                with torch.autograd._unsafe_preserve_version_counter(tensor):
                    _Hang.apply(self, position, self._hub, tensor)
            else:
                tensor.requires_grad_(True)

    def hang_view(self, position, tensor):
        """A view that the graph made under no_grad, of an input or of a tensor of its own, may not be changed in place
        to hang on the node. For it PyTorch's own node returns a view with the same base."""
        with torch.enable_grad():
            if self._node().requires_grad:
                return _HangView.apply(self, position, self._hub, tensor)
        return tensor.detach()

    def _node(self):
        if self._hub is None:
            self._hub = _Hub.apply(self, *self._leaves())
        return self._hub

    def _leaves(self):
        """The targets of the node's gradients, one for each argument of the graph; None for arguments that are not
        tensors."""
        result = []
        for which in self._traced.inner:
            value = self._args[which] if isinstance(which, int) else self._merged(which)
            # The wrapper passed these detached: no gradient flows through the graph to them.
            result.append(value if isinstance(value, torch.Tensor) else None)
        return result

    def _merged(self, group):
        for position in group:
            if self._args[position]._base is not None:
                return self._args[position]._base
        return self._args[group[0]]

    def backward(self):
        program = self._program
        meta = self._traced.meta
        returned = len(meta.mutated_inp_runtime_indices) + len(meta.output_info) + meta.num_intermediate_bases
        grads = [self.gradients.get(position) for position in range(returned)]
        self.gradients = {}
        entries = program._described.document["graphs"][0]["backward"]["grad_inputs"]
        there = [entry.get("kind") != "none" for entry in entries]
        count = sum(there)
        with verbs.running(self):
            function = f"{program._described.prefix}{program._name}_backward_boxed"
            results = iter(program.enter(function, grads, count, ["object"] * count, [self._saved], []))
        return [next(results) if one else None for one in there]


class _Hub(torch.autograd.Function):
    """The node of one call. Its one result, a scalar, only makes autograd run its backward after those of all values
    that hang on it."""

    @staticmethod
    def forward(ctx, call, *leaves):
        ctx.call = call
        ctx.num_leaves = len(leaves)
        return torch.zeros(())

    @staticmethod
    def backward(ctx, _):
        if torch.is_grad_enabled():  # create_graph: the result must not pass for a constant
            return (None, *_Once.apply(ctx.call, torch.zeros((), requires_grad=True)))
        return (None, *ctx.call.backward())


class _Once(torch.autograd.Function):
    """A backward whose results raise when they are differentiated, like those of PyTorch's own node."""

    @staticmethod
    def forward(ctx, call, _):
        return tuple(call.backward())

    @staticmethod
    def backward(ctx, *_):
        raise RuntimeError("a compiled backward cannot be differentiated again (double backward)")


class _Hang(torch.autograd.Function):
    """Makes `tensor`, in place, a value whose gradient goes to the call."""

    @staticmethod
    def forward(ctx, call, position, hub, tensor):
        ctx.call, ctx.position = call, position
        ctx.set_materialize_grads(False)
        ctx.mark_dirty(tensor)
        return tensor

    @staticmethod
    def backward(ctx, gradient):
        if gradient is not None:
            ctx.call.gradients[ctx.position] = gradient
        return None, None, torch.zeros(()), None


class _HangView(torch.autograd.Function):
    """Like _Hang, for a view: autograd returns an argument that is returned unchanged as a view of it."""

    @staticmethod
    def forward(ctx, call, position, hub, tensor):
        ctx.call, ctx.position = call, position
        ctx.set_materialize_grads(False)
        return tensor

    backward = _Hang.backward
