# SPDX-License-Identifier: MIT
"""Tensor subclasses: taken apart, passed, put together again, with gradients and mutations."""

import torch
from program import program
from torch.testing._internal.two_tensor import TwoTensor


def two(*shape, grad=False):
    value = TwoTensor(torch.randn(*shape), torch.randn(*shape))
    return value.requires_grad_() if grad else value


def nested(*shape, grad=False):
    value = TwoTensor(two(*shape), two(*shape))
    return value.requires_grad_() if grad else value


@program(lambda: (two(4, 4), torch.randn(4, 4)))
def two_tensor(x, y):
    return x @ y, x + 1, y * 2


@program(lambda: (two(4, 4, grad=True), torch.randn(4, 4, requires_grad=True)))
def two_tensor_training(x, y):
    return x @ y, x * 2


@program(lambda: (nested(3, 4),))
def nested_two_tensor(x):
    return x.sin(), x.sum(1)


@program(lambda: (nested(3, 4, grad=True),))
def nested_two_tensor_training(x):
    return x.sin(), x * 3


@program(lambda: (two(4),))
def two_tensor_mutated(x):
    x.add_(1)
    return x * 2


@program(lambda: (two(4),), keep_input_mutations=False)
def two_tensor_mutated_in_the_epilogue(x):
    x.add_(1)
    return x * 2


@program(lambda: (two(4), two(4)), frontend="direct")
def two_tensor_returned(x, y):
    return x, y + x, x.a if False else y * 2


@program(lambda: (two(4, 2),), frontend="direct")
def two_tensor_view(x):
    return x.view(-1), x + 1


def _dynamic_two():
    calls = []
    for n in (3, 5):
        x = two(n, 4)
        torch._dynamo.mark_dynamic(x, 0)
        calls.append((x,))
    return calls


@program(_dynamic_two)
def two_tensor_dynamic(x):
    return x * 2, x.sum(0)


def _dynamic_training():
    return [(two(n, 4, grad=True),) for n in (3, 5)]


@program(_dynamic_training, dynamic=True)
def two_tensor_dynamic_training(x):
    return x * 2


@program(lambda: [(nested(n, 4), torch.randn(n, 4)) for n in (3, 5)], dynamic=True)
def nested_two_tensor_dynamic(x, y):
    x.add_(y)
    return x * 2, x.sum(0)


@program(lambda: [(nested(n, 4, grad=True), torch.randn(n, 4)) for n in (3, 5)], dynamic=True)
def nested_two_tensor_dynamic_training(x, y):
    return x * y, (x + 1).sum(1)


class Quantized(torch.Tensor):
    """Eight bits and one scale; every operation computes on what they stand for."""

    @staticmethod
    def __new__(cls, codes, scale):
        return torch.Tensor._make_wrapper_subclass(cls, codes.shape, dtype=scale.dtype, device=codes.device)

    def __init__(self, codes, scale):
        self.codes, self.scale = codes, scale

    def __tensor_flatten__(self):
        return ["codes", "scale"], None

    @staticmethod
    def __tensor_unflatten__(inner, _context, _size, _stride):
        return Quantized(inner["codes"], inner["scale"])

    def dequantize(self):
        return self.codes.to(self.scale.dtype) * self.scale

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        if function in (torch.ops.aten.detach.default, torch.ops.aten.alias.default):
            return Quantized(function(args[0].codes), function(args[0].scale))
        if function is torch.ops.aten.clone.default:
            return Quantized(args[0].codes.clone(), args[0].scale.clone())
        plain = [arg.dequantize() if isinstance(arg, Quantized) else arg for arg in args]
        return function(*plain, **(kwargs or {}))

    __torch_function__ = torch._C._disabled_torch_function_impl


def quantized(*shape):
    return Quantized(torch.randint(-128, 127, shape, dtype=torch.int8), torch.tensor(0.05))


@program(lambda: (quantized(5, 4), torch.randn(3, 4, requires_grad=True)))
def quantized_weight(w, x):
    return torch.nn.functional.linear(x, w), w


@program(lambda: (quantized(5, 4), quantized(5, 4)), grad=False)
def quantized_both(a, b):
    return a + b, a


def jagged():
    parts = [torch.randn(n, 3) for n in (2, 4, 3)]
    return (torch.nested.nested_tensor(parts, layout=torch.jagged),)


@program(jagged, grad=False, frontend="direct", uncompiled="shape_env must not be None")
def jagged_nested_without_dynamo(x):
    return x.sin() * 2


_mesh = []


def distributed():
    import os
    import tempfile

    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Shard, distribute_tensor

    if not _mesh:
        os.environ.setdefault("MASTER_ADDR", "localhost")
        store = dist.FileStore(tempfile.mktemp(), 1)
        dist.init_process_group("gloo", rank=0, world_size=1, store=store)
        _mesh.append(init_device_mesh("cpu", (1,)))
    return (distribute_tensor(torch.randn(4, 4), _mesh[0], [Shard(0)]), torch.randn(4))


@program(distributed, grad=False)
def dtensor_one_rank(x, y):
    return x.sin() * 2
