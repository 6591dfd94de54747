# SPDX-License-Identifier: MIT
"""Compiled against eager, for one recorded call: values, geometry, aliasing, identity, requires_grad.

Version counters are not compared: eager counts every in-place operation, a compiled graph counts one per mutated input
(or what the epilogue's copies do). Strides of fresh outputs are compared too; Inductor keeps them for tensors that a
user sees.
"""

import torch

from .errors import CaptureError
from .call_record import TensorRecord


def compare_with_eager(case, call, eager):
    compiled = call.after
    if compiled.grad_mode != eager.grad_mode:
        raise CaptureError(f"{_where(case, call)}: grad mode after the call differs from eager")
    for kind in ("inputs", "outputs"):
        for name, got in getattr(compiled, kind).items():
            _compare_value(case, call, name, got, getattr(eager, kind)[name], eager)
    if compiled.identical != eager.identical:
        raise CaptureError(f"{_where(case, call)}: outputs that are inputs differ from eager")
    _compare_sharing(case, call, eager)


def compare_gradients(case, call, compiled, eager):
    for name, got in compiled.items():
        wanted = eager[name]
        if (got is None) != (wanted is None):
            raise CaptureError(f"{_where(case, call)}: only one of compiled and eager has a gradient for '{name}'")
        relative, absolute = case.tolerance.get(f"grad_{name}", (0.0, 0.0))
        limits = {"rtol": max(relative, 1e-5), "atol": max(absolute, 1e-6)}
        if got is not None and not torch.allclose(got, wanted, equal_nan=True, **limits):
            worst = (got - wanted).abs().max().item()
            raise CaptureError(
                f"{_where(case, call)}: compiled and eager gradients of '{name}' differ by up to {worst:g}"
            )


def _where(case, call):
    return f"{case.name}, call {call.name}"


def _compare_value(case, call, name, got, wanted, eager):
    where = f"{_where(case, call)}, '{name}'"
    if not isinstance(got, TensorRecord):
        if got != wanted:
            raise CaptureError(f"{where}: compiled gave {got}, eager {wanted}")
        return
    for fact in ("dtype", "size", "stride", "offset", "requires_grad"):
        if getattr(got, fact) != getattr(wanted, fact):
            raise CaptureError(
                f"{where}: {fact} is {getattr(got, fact)} compiled and {getattr(wanted, fact)} in eager mode"
            )
    relative, absolute = case.tolerance.get(name, (0.0, 0.0))
    a = elements(call.after, got)
    b = elements(eager, wanted)
    if not torch.allclose(a, b, rtol=max(relative, 1e-6), atol=max(absolute, 1e-7), equal_nan=True):
        raise CaptureError(f"{where}: compiled and eager values differ by up to {(a - b).abs().max().item():g}")


def elements(snapshot, record):
    """The elements that a recorded tensor shows, as float64 (the bytes, for element types without a text form)."""
    values = snapshot.storages[record.storage].values
    if values.dtype != record.dtype:
        values = values.view(torch.uint8).view(record.dtype)
    shown = values.as_strided(record.size, record.stride, record.offset)
    return torch.view_as_real(shown).double() if shown.is_complex() else shown.double()


def _compare_sharing(case, call, eager):
    compiled = call.after
    tensors = {**compiled.inputs, **compiled.outputs}
    reference = {**eager.inputs, **eager.outputs}
    names = [name for name, value in tensors.items() if isinstance(value, TensorRecord)]
    for position, first in enumerate(names):
        for second in names[position + 1 :]:
            shares = tensors[first].storage == tensors[second].storage
            if shares != (reference[first].storage == reference[second].storage):
                raise CaptureError(
                    f"{_where(case, call)}: '{first}' and '{second}' "
                    f"{'share' if shares else 'do not share'} a storage when compiled, unlike in eager mode"
                )
