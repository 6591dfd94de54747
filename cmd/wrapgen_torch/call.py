# SPDX-License-Identifier: MIT
"""One call of a Program, and its autograd node.

A compiled function in C has no node, so the call makes one: every value of the graph that requires grad hangs on one
node, whose backward calls the generated backward with the gradients of the values that the forward returned.
"""

import ctypes
import weakref

import torch
from torch._functorch._aot_autograd.schemas import OutputType

from .blank import Blank
from .errors import CaptureError
from .host import verbs

_UNALIASED = {OutputType.non_alias, OutputType.unsafe_view_alias, OutputType.custom_function_view}


# A program that calls backward() under torch.compile has Dynamo trace whatever Python the engine then calls.
_untraced = torch._dynamo.disable


class Call:
    """One call of a graph: what its autograd node needs."""

    def __init__(self, program, args):
        self._program = program
        self._args = args
        self._traced = program.traced
        self._saved = None
        self._hub = None
        self.given = None  # what the compiled forward got
        self.returned = []  # Blank: what it returned
        self.tangents = []  # Blank: what the backward got
        self._positions = iter(self._boxed_out())
        self.gradients = {}

    def run(self):
        program = self._program
        before, after = [], []
        function = f"{program.described.prefix}{program.name}_boxed"
        if self._traced.trains:
            size = ctypes.c_size_t.in_dll(program.library, f"{program.name}_saved_size").value
            self._saved = ctypes.create_string_buffer(size)
            after = [self._saved]
        outputs = program.output_kinds
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
        entries = [entry for entry in self._program.described.document["graphs"][0]["outputs"] if isinstance(entry, dict)]
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
                if tensor.requires_grad:  # rebuilt with a context that says so: it has no history that could be lost
                    tensor.requires_grad_(False)
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
        self.tangents[:] = [Blank.of(grad) for grad in grads]
        return self.enter_backward(grads)

    def enter_backward(self, grads):
        """The gradients of the graph's arguments. `grads` has one for each value that the forward returned."""
        program = self._program
        entries = program.described.document["graphs"][0]["backward"]["grad_inputs"]
        there = [entry.get("kind") != "none" for entry in entries]
        count = sum(there)
        with verbs.running(self):
            function = f"{program.described.prefix}{program.name}_backward_boxed"
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
    @_untraced
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
    @_untraced
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
    @_untraced
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
