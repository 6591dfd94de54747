# SPDX-License-Identifier: MIT
"""Results that are rebuilt faster than by the class's own `__tensor_unflatten__`, and are the same.

Of a DTensor most of the time goes into its specification, which says how it is laid out over the mesh. It depends on nothing but
the mesh, the context, sizes and strides, and DTensors share theirs: whatever comes out of an operation has that of the operation's
cache. So the first result of each kind is made by the class, and the next ones get its specification.
"""

import sys

_KEPT = 64  # specifications; with dynamic shapes there may be any number


def rebuilder_of(kind):
    """What takes the place of `kind.__tensor_unflatten__`; None where nothing does."""
    module = sys.modules.get("torch.distributed.tensor")
    return _of_dtensor(kind) if module is not None and kind is getattr(module, "DTensor", None) else None


def _of_dtensor(kind):
    original = kind.__tensor_unflatten__
    known = {}

    def rebuild(inner, context, size, stride):
        if kind.__tensor_unflatten__ is not original:
            return kind.__tensor_unflatten__(inner, context, size, stride)  # somebody has changed the class
        mesh = inner["device_mesh"]
        key = (id(mesh), id(context), size, stride)
        found = known.get(key)
        if found is not None:
            return kind(inner["_local_tensor"], found[0], requires_grad=context[3])
        made = original(inner, context, size, stride)
        if len(known) >= _KEPT:
            known.clear()
        known[key] = (made._spec, mesh, context)  # kept: while they are, nothing else has their ids
        return made

    return rebuild
