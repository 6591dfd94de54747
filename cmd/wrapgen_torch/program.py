# SPDX-License-Identifier: MIT
"""A captured graph as a running program: wrapgen writes the wrapper, the C compiler builds it, and it is called with real
tensors through the host in host/.

The compiled functions that the wrapper calls are the graphs that AOTAutograd traced, run by PyTorch.
"""

import contextlib
import ctypes
import hashlib
import os
import subprocess
import sysconfig
import tempfile
from pathlib import Path

import torch

from .blank import Blank, Seen
from .call import Call
from .errors import CaptureError
from .host import verbs
from .trace import output_nodes

HERE = Path(__file__).resolve().parent
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
        self.described = described
        self.traced = described.traced
        self.name = described.name
        self._forward_kinds = _forward_kinds(self.traced)
        self._backward_kinds = _kinds(self.traced.backward) if self.traced.trains else []
        self._input_kinds = [_kind_of(geometry) for geometry in self.traced.inputs]
        self.output_kinds = [_output_kind(entry) for entry in described.document["graphs"][0]["outputs"]
                              if isinstance(entry, dict)]  # fmt: skip
        self._call = None
        self.document = described.document
        self.last = None  # Seen, of the last call that ended well
        self.gradients = []  # Blank: what the compiled backward returned last
        self._pretended = {}  # graph -> what it returns without running
        self._functions = {
            f"{self.name}_kernel": self._run_forward,
            f"{self.name}_backward_kernel": self._run_backward,
        }
        self.library = self._build()
        self._context = self._host.library.wg_torch_context(verbs, self._functions)
        self._bind()

    def _build(self):
        digest = hashlib.sha256(self.described.yaml.encode()).hexdigest()[:16]
        folder = Path(tempfile.mkdtemp(prefix=digest, dir=self._host.folder))
        (folder / "graph.yaml").write_text(self.described.yaml)
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
        names = [f"{self.name}_kernel"] + [f"{self.name}_backward_kernel"] * self.traced.trains
        for name in names:
            lines += [
                f"int32_t {name}(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)",
                "{",
                f'    return wg_torch_call(ctx, "{name}", args, num_args, outs, num_outs);',
                "}",
            ]
        for symbol in self.described.subclasses.types:
            lines += [f"WgTorchSlot {symbol}_slot;", f'const WgType {symbol} = {{ "{symbol}", &{symbol}_slot }};']
        for symbol in self.described.subclasses.contexts:
            lines += [f"WgTorchSlot {symbol}_slot;", f"const void *const {symbol} = &{symbol}_slot;"]
        if self.traced.trains:
            lines.append(f"const size_t saved_size = sizeof({self.described.prefix}{self.name}_saved);")
        return "\n".join(lines) + "\n"

    def _bind(self):
        things = {**self.described.subclasses.types, **self.described.subclasses.contexts}
        for symbol, thing in things.items():
            slot = ctypes.c_void_p.in_dll(self.library, f"{symbol}_slot")
            self._host.library.wg_torch_bind(ctypes.addressof(slot), thing)

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
        values = (_Value * max(len(args), 1))()
        kept = []
        for slot, value in zip(values, args):
            _store(slot, value, kept)
        outs = (_Value * max(num_outs, 1))()
        entry = getattr(self.library, function)
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
        release = getattr(self.library, f"{self.described.prefix}{self.name}_saved_release")
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
        results = self._run(self.traced.forward, self._call.given)
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
        slots = ctypes.cast(outs, ctypes.POINTER(_Value))
        for position, value in enumerate(results):
            _store(slots[position], value, [])
            if value is not None and not isinstance(value, (bool, int, float)):
                ctypes.pythonapi.Py_IncRef(ctypes.py_object(value))
        return len(results)


def _kind_of(geometry):
    if isinstance(geometry.scalar, (bool, int, torch.SymInt, torch.SymBool)):
        return "integer"
    return "real" if isinstance(geometry.scalar, (float, torch.SymFloat)) else "object"


def _output_kind(entry):
    return {"int": "integer", "bool": "bool", "float": "real"}.get(entry.get("kind"), "object")
