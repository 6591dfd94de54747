# SPDX-License-Identifier: MIT
"""What takes the place of a class's `__tensor_unflatten__` makes what that makes."""

from unittest.mock import patch

import torch
import torch.nn as nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Shard
from torch.nested._internal.nested_tensor import NestedTensor
from torch.testing._internal.two_tensor import TwoTensor
from wrapgen_torch.ahead.rebuilding import rebuilder_of


def test_dtensors_are_rebuilt_as_by_their_class():
    if not torch.distributed.is_initialized():
        torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
    meshes = [init_device_mesh("cpu", (1,)), init_device_mesh("cpu", (1, 1))]
    rebuild, contexts = rebuilder_of(DTensor), {}
    assert rebuilder_of(TwoTensor) is None
    for _ in range(2):
        for rows, grad in ((2, False), (3, False), (3, True)):
            for mesh in meshes:
                local = torch.randn(rows, 4)
                given = DTensor.from_local(local, mesh, [Shard(0)] * mesh.ndim).requires_grad_(grad)
                _, context = contexts.setdefault((grad, mesh.ndim), given.__tensor_flatten__())
                inner = {"_local_tensor": local, "device_mesh": mesh}
                mine, theirs = (each(dict(inner), context, (rows, 4), (4, 1)) for each in (rebuild, DTensor.__tensor_unflatten__))
                assert type(mine) is DTensor and mine._spec == theirs._spec and mine.device_mesh is mesh and mine._local_tensor is local
                assert mine.shape == theirs.shape == (rows, 4) and mine.stride() == theirs.stride()
                assert mine.requires_grad is theirs.requires_grad is grad
    with patch.object(DTensor, "__tensor_unflatten__", lambda *_: "changed"):
        assert rebuild(dict(inner), context, (rows, 4), (4, 1)) == "changed"


def seen(jagged):
    """What a program can see of a jagged tensor, of the tensors in it as well; those are the same objects."""
    attributes = {name: value for name, value in vars(jagged).items() if not isinstance(value, (dict, torch.Tensor))}
    parts = {name: id(value) for name, value in (vars(jagged) | jagged._metadata_cache).items() if isinstance(value, torch.Tensor)}
    marks = [vars(value) for value in (jagged._values, jagged._offsets, *jagged._metadata_cache.values())]
    geometry = jagged.size(), jagged.stride(), jagged.storage_offset(), jagged.untyped_storage().nbytes(), jagged.layout
    kind = type(jagged), jagged.dtype, jagged.device, jagged.requires_grad, jagged.is_leaf, str(torch._C._dispatch_keys(jagged))
    return attributes, parts, marks, geometry, kind


def jagged_parts():
    """(attributes, context) of jagged tensors of several geometries, dtypes and owners, with and without the extremes of lengths."""
    extremes = {"_min_seqlen_tensor": torch.zeros(2, 0), "_max_seqlen_tensor": torch.zeros(3, 0)}
    rows = torch.randn(5, 8)
    owners = torch.tensor([0, 2, 5]), torch.tensor([0, 1, 2, 5]), torch.tensor([0, 2, 5])
    for values in (rows, torch.randn(5), rows.double(), torch.randn(8, 5).t(), torch.randn(40)[:5], torch.randn(5, 2, 3)):
        for offsets in owners:
            for ragged in range(1, values.ndim + 1):
                for more in ({}, extremes):
                    for grad in (False, True):
                        yield {"_values": values, "_offsets": offsets, **more}, {"ragged_idx": ragged, "requires_grad": grad}


class ByClass:
    """Counts the tensors that the class itself makes."""

    def __init__(self):
        self.original, self.count = NestedTensor.__tensor_unflatten__, 0

    def __call__(self, *args):
        self.count += 1
        return self.original(*args)


def test_jagged_tensors_are_rebuilt_as_by_their_class():
    by_class = ByClass()
    with patch.object(NestedTensor, "__tensor_unflatten__", by_class):
        rebuild = rebuilder_of(NestedTensor)
        for turn in range(2):
            by_class.count = 0
            for inner, context in jagged_parts():
                mine = rebuild(dict(inner), context, None, None)
                theirs = by_class.original(dict(inner), context, None, None)
                assert seen(mine) == seen(theirs), (seen(mine), seen(theirs))
                owned = mine._size[context["ragged_idx"]]
                assert owned is theirs._size[context["ragged_idx"]] and mine._size is not theirs._size
        assert turn == 1 and by_class.count == 0  # the second time each kind was known
        offsets = torch.tensor([0, 2, 5])
        others = {"_lengths": torch.tensor([1, 2])}, {"_values": TwoTensor(torch.randn(5), torch.randn(5))}, {"_offsets": nn.Parameter(offsets, False)}
        for more in others:
            rebuild({**inner, "_offsets": offsets, **more}, {"ragged_idx": 1, "requires_grad": False}, None, None)
        assert by_class.count == len(others)
        for offsets, words in (torch.zeros(1, 3), "offsets must be 1D"), (torch.zeros(3, device="meta"), "must be on the same device"):
            assert words in refused(lambda: rebuild({**inner, "_offsets": offsets}, context, None, None))


def refused(call):
    """What the class says."""
    try:
        call()
    except AssertionError as problem:
        return str(problem)
    return ""


def test_owners_that_are_gone():
    """New offsets have a nested int of their own, also where they lie in the memory of old ones."""
    rebuild, values, numbers, places = rebuilder_of(NestedTensor), torch.randn(5, 8), set(), set()
    for middle in range(1, 5):
        for _ in range(10):
            offsets = torch.tensor([0, middle, 5])
            made = rebuild({"_values": values, "_offsets": offsets}, {"ragged_idx": 1, "requires_grad": False}, None, None)
            numbers.add(str(made.shape[1]))
            places.add(id(offsets))
            del offsets, made
    assert len(numbers) == 40 > len(places), (numbers, places)


def test_jagged_tensors_of_a_class_that_is_another():
    """A class that makes more than it did when this was written makes all its objects, and so does one that was changed later."""
    inner, context = {"_values": torch.randn(5, 8), "_offsets": torch.tensor([0, 2, 5])}, {"ragged_idx": 1, "requires_grad": False}
    new = NestedTensor.__new__

    def labelling(kind, *args, **options):
        made = new(kind, *args, **options)
        made._label = "new"
        return made

    with patch.object(NestedTensor, "__new__", labelling):
        rebuild = rebuilder_of(NestedTensor)
        assert [rebuild(dict(inner), context, None, None)._label for _ in range(3)] == ["new"] * 3
    rebuild = rebuilder_of(NestedTensor)
    assert not any(hasattr(rebuild(dict(inner), context, None, None), "_label") for _ in range(3))
    with patch.object(NestedTensor, "__new__", labelling):
        assert rebuild(dict(inner), context, None, None)._label == "new"
    with patch.object(NestedTensor, "__tensor_unflatten__", lambda *_: "changed"):
        assert rebuild(dict(inner), context, None, None) == "changed"
