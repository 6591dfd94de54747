# SPDX-License-Identifier: MIT
"""What compile.py measures: name -> Program."""

import os
from dataclasses import dataclass

import torch
import torch.nn as nn
from torch.nested import nested_tensor
from torch.testing._internal.two_tensor import TwoTensor


@dataclass
class Program:
    make: object  # () -> (function or module, arguments)
    backward: bool = False  # a call is a forward and a backward
    inner: str = "inductor"  # the back end that compiles the kernels
    quick: str = ""  # what is measured in quick mode: "" nothing, "built", or also what is "loaded"


def vector(n=4, grad=False):
    return torch.randn(n, requires_grad=grad)


class Layers(nn.Module):
    """Linear layers, each with two parameters."""

    def __init__(self, layers, width):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x


class Many(nn.Module):
    """Many parameters and little to compute: what wrappers do for each of them is what is measured."""

    def __init__(self, count, width):
        super().__init__()
        self.many = nn.ParameterList(torch.randn(width) for _ in range(count))

    def forward(self, x):
        return x * torch.stack(list(self.many)).sum(0)


class Quantised(nn.Module):
    """A linear layer whose weight is torchao's int8 tensor subclass."""

    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, width)

    def forward(self, x):
        return self.layer(x)


def count(x, total):
    total.add_(1)
    return x + total


def views(x, y):
    return x.view(2, 2), y.view(2, 2), x[1:], y[:2]


def add(x, y):
    return x + y


def pair():
    return TwoTensor(vector(), vector())


def nested():
    return TwoTensor(pair(), pair())


def twice(x):
    return x * 2


def jagged(grad=False):
    return nested_tensor([torch.randn(2, 4), torch.randn(3, 4)], layout=torch.jagged, requires_grad=grad)


def optimizer():
    """A step of SGD with momentum over ten parameters, whose state is there."""
    parameters = [nn.Parameter(torch.randn(8)) for _ in range(10)]
    for parameter in parameters:
        parameter.grad = torch.randn(8)
    made = torch.optim.SGD(parameters, lr=torch.tensor(0.01), momentum=0.9)
    made.step()

    def step():
        made.step()

    return step, ()


def quantised():
    from torchao.quantization import Int8WeightOnlyConfig, quantize_

    module = Quantised(16).requires_grad_(False)
    quantize_(module, Int8WeightOnlyConfig())
    return module, (torch.randn(2, 16),)


def distributed():
    """DTensors over one rank."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Shard, distribute_tensor

    if not torch.distributed.is_initialized():
        store = torch.distributed.HashStore()
        torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    mesh = init_device_mesh("cpu", (1,))
    return add, tuple(distribute_tensor(vector(), mesh, [Shard(0)]) for _ in range(2))


PROGRAMS = {
    "add": Program(lambda: (add, (vector(), vector())), quick="built"),
    "add, gradients": Program(lambda: (add, (vector(grad=True), vector(grad=True))), backward=True, quick="loaded"),
    "a buffer written": Program(lambda: (count, (vector(), vector())), quick="built"),
    "views as outputs": Program(lambda: (views, (vector(), vector())), quick="built"),
    "MLP of 40 parameters, gradients": Program(lambda: (Layers(20, 8), (torch.randn(2, 8),)), backward=True),
    "MLP of 40 parameters": Program(lambda: (Layers(20, 8).requires_grad_(False), (torch.randn(2, 8),))),
    "100 parameters, gradients": Program(lambda: (Many(100, 8), (torch.randn(8),)), backward=True),
    "300 parameters, gradients": Program(lambda: (Many(300, 8), (torch.randn(8),)), backward=True),
    "1000 parameters, gradients": Program(lambda: (Many(1000, 8), (torch.randn(8),)), backward=True),
    "an optimizer's step": Program(optimizer),
    "TwoTensor": Program(lambda: (add, (pair(), pair())), quick="built"),
    "TwoTensor of TwoTensor": Program(lambda: (add, (nested(), nested()))),
    "a jagged tensor": Program(lambda: (twice, (jagged(),))),
    "a quantised linear layer": Program(quantised),
    "DTensor, one rank": Program(distributed),
}

if "INNER" in os.environ:
    for program in PROGRAMS.values():
        program.inner = os.environ["INNER"]
