# SPDX-License-Identifier: MIT
"""Programs that PyTorch splits: graph breaks, control flow that depends on data, optimizer steps, training steps."""

import torch
from program import program
from torch import nn
from torch.nn import functional


def calls(*shapes, **options):
    return lambda: [(torch.randn(*shape, **options),) for shape in shapes]


@program(calls((3, 4), (5, 4), (1, 4)), kernels=2, notes="never chosen again")
def break_in_the_middle(x):
    y = x.sin() * 2
    torch._dynamo.graph_break()
    return y.cos(), x + y


def _signs():
    return [(torch.full((n,), value),) for n in (3, 5, 1) for value in (1.0, -1.0)]


@program(_signs, kernels=3, notes="never chosen again")
def sign_of_the_sum(x):
    y = x * 2
    if y.sum() > 0:
        return y + 10
    return y - 10


@program(calls((3,), (6,), (1,)), kernels=2, notes="never chosen again")
def mutated_before_and_after(x):
    x.add_(1)
    torch._dynamo.graph_break()
    x.mul_(2)
    return x[1:], x.sum()


@program(calls((4, 3), (6, 3), (2, 3)), kernels=1, notes="apart by check_overlapping", grad=False)
def views_across_a_break(x):
    top, rest = x[:1], x[1:]
    torch._dynamo.graph_break()
    rest.zero_()
    return top.t(), rest, x


def helper(x):
    y = x.square()
    torch._dynamo.graph_break()
    return y + 1


@program(calls((3,), (5,), (7,)), notes="never chosen again", grad=False)
def break_in_a_helper(x):
    return helper(x).sqrt() + x


@program(calls((3, 3), (5, 3)))
def no_grad_across_a_break(x):
    with torch.no_grad():
        y = x * 2
        torch._dynamo.graph_break()
        z = y + 1
    return z, x * z


@program(lambda: [(torch.tensor(values),) for values in ([1, 3, 2, 5], [0, 2, 1], [6, 1, 1, 2, 3, 4, 7, 8])], grad=False)
def a_size_from_data(x):
    n = int(x.max())
    return x * n, x.float() / (n + 1)


def _counted():
    seen = []

    def count(x):
        y = x + len(seen)
        seen.append(len(seen))
        torch._dynamo.graph_break()
        return y * 2

    return count


program(calls((3,), (3,), (4,), (5,)), name="state_in_python", factory=True, grad=False)(_counted)


# ---- training ----


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.first, self.second = nn.Linear(4, 6), nn.Linear(6, 2)

    def forward(self, x):
        y = self.first(x).tanh()
        torch._dynamo.graph_break()
        return self.second(y)


program(calls((3, 4), (5, 4), (2, 4)), name="network_with_a_break", notes="trains, and a dispatcher returns only outputs",
        kernels=0)(Net())  # fmt: skip


def _training_step(optimizer_class, **settings):
    def make():
        torch.manual_seed(7)
        net = Net()
        optimizer = optimizer_class(net.parameters(), **settings)

        def step(x, target):
            optimizer.zero_grad()
            loss = functional.mse_loss(net(x), target)
            loss.backward()
            optimizer.step()
            return loss.detach(), [parameter.detach() for parameter in net.parameters()]

        return step

    return make


def _batches():
    return [(torch.randn(n, 4), torch.randn(n, 2)) for n in (3, 3, 5)]


program(_batches, name="training_step", factory=True, backward=False, notes="trains, and a dispatcher returns only outputs")(
    _training_step(torch.optim.SGD, lr=0.1)
)


def _optimizer_alone(optimizer_class, **settings):
    def make():
        torch.manual_seed(8)
        parameters = [nn.Parameter(torch.randn(4, 3)), nn.Parameter(torch.randn(5))]
        optimizer = optimizer_class(parameters, **settings)

        def step(first, second):
            parameters[0].grad, parameters[1].grad = first, second
            optimizer.step()
            return [parameter.detach() for parameter in parameters]

        return step

    return make


def _gradients():
    return [(torch.randn(4, 3), torch.randn(5)) for _ in range(3)]


for label, kind, settings in (
    ("nesterov", torch.optim.SGD, {"lr": 0.1, "momentum": 0.9, "nesterov": True}),
    ("nadam", torch.optim.NAdam, {"lr": 0.1}),
):
    program(_gradients, name=f"step_of_{label}", factory=True, backward=False)(
        _optimizer_alone(kind, **settings)
    )
