# SPDX-License-Identifier: MIT
"""Runs the backward of a recorded call and records it at the boundary of AOTAutograd's backward wrappers: the tangents
as the autograd engine passes them, before they are coerced, and the gradients that the compiled backward returns.

The gradients of the outputs are random multiples of 1/256, the same on every CPU, and for an output with two or more
dimensions they have the reverse memory order, so that the coercion of tangents has something to do. Outputs that alias
an input get none: their gradient flows past the graph.
"""

from unittest.mock import patch

import torch

from . import call_record
from .errors import CaptureError
from .upstream import OutputType, runtime_wrappers

_PAST_THE_GRAPH = {OutputType.alias_of_input, OutputType.is_input}


class TangentWatch:
    """Sees each tangent as it comes in. watching() must be on while AOTAutograd builds its wrappers."""

    def __init__(self):
        self._seen = None
        self.grad_mode = False  # the autograd engine's, while the backward runs

    def watching(self):
        original = runtime_wrappers.AOTDispatchAutograd.process_runtime_tangent

        def process_runtime_tangent(tangent, *rest, **options):
            if self._seen is not None:
                self._seen.append(tangent)
                self.grad_mode = torch.is_grad_enabled()
            return original(tangent, *rest, **options)

        return patch.object(
            runtime_wrappers.AOTDispatchAutograd, "process_runtime_tangent", staticmethod(process_runtime_tangent)
        )

    def run(self, inputs, outputs, gradients):
        """torch.autograd.grad through the compiled graph. Returns (gradients of inputs, tangents, raw gradients)."""
        returned = []
        original = runtime_wrappers.call_func_at_runtime_with_args

        def call(function, args, **options):
            results = original(function, args, **options)
            returned.append(list(results))
            return results

        self._seen = []
        with patch.object(runtime_wrappers, "call_func_at_runtime_with_args", call):
            try:
                result = torch.autograd.grad(outputs, inputs, gradients, allow_unused=True)
            except RuntimeError as problem:
                text = f"PyTorch cannot run the backward (backward=False leaves it out): {problem}"
                raise CaptureError(text) from None
        tangents, self._seen = self._seen, None
        if len(returned) != 1:
            raise CaptureError(f"the compiled backward ran {len(returned)} times")
        return result, tangents, returned[0]


def output_gradients(results, output_info):
    """(outputs, gradients): what to differentiate, and with what."""
    generator = torch.Generator().manual_seed(1)
    outputs, gradients = [], []
    for value, info in zip(results, output_info, strict=True):
        if isinstance(value, torch.Tensor) and value.requires_grad and info.output_type not in _PAST_THE_GRAPH:
            backwards = _multiples(tuple(reversed(value.shape)), generator, value.dtype)
            outputs.append(value)
            gradients.append(backwards.permute(tuple(reversed(range(value.dim())))))
    return outputs, gradients


def _multiples(shape, generator, dtype):
    def some():
        return torch.randint(-512, 513, shape, generator=generator).double() / 256

    return (torch.complex(some(), some()) if dtype.is_complex else some()).to(dtype)


def _differentiable(names, args):
    pairs = zip(names, args, strict=True)
    return {name: value for name, value in pairs if isinstance(value, torch.Tensor) and value.requires_grad}


def record_backward(watch, traced, names, args, results, tangent_names):
    """(tangents, gradients) as Snapshots, and the gradients of the inputs by name."""
    outputs, gradients = output_gradients(results, traced.output_info)
    wanted = _differentiable(names, args)
    table = call_record.StorageTable()
    by_name, tangents, raw = watch.run(list(wanted.values()), outputs, gradients)
    before = call_record.take_snapshot(table, list(zip(tangent_names, tangents, strict=True)))
    raw = raw[: len(raw) - traced.meta.num_backward_tokens - traced.meta.num_outputs_rng_offset]
    kept = [(name, value) for name, value in zip(names, raw, strict=True) if value is not None]
    after = call_record.take_snapshot(table, [], kept)
    before.grad_mode = after.grad_mode = watch.grad_mode
    return (before, after), dict(zip(wanted, by_name))


def eager_gradients(names, args, results, output_info):
    outputs, gradients = output_gradients(results, output_info)
    wanted = _differentiable(names, args)
    return dict(zip(wanted, torch.autograd.grad(outputs, list(wanted.values()), gradients, allow_unused=True)))
