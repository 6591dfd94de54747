# SPDX-License-Identifier: MIT
"""A step of training as one function: the loss, its gradients, and the update of the parameters. As programs.py."""

import torch
from programs import case


def network():
    return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))


def loss_of(module, x, y):
    return (module(x) - y).square().mean()


def batch():
    x = torch.randn(6, 4)
    return x, x.sum(1, keepdim=True)


def descend(module, x, y):
    for parameter in module.parameters():
        parameter.grad = None
    loss = loss_of(module, x, y)
    loss.backward()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.sub_(parameter.grad, alpha=0.1)
    return loss.detach()


def adam(module, first, second, count, x, y):
    loss = loss_of(module, x, y)
    parameters = list(module.parameters())
    gradients = torch.autograd.grad(loss, parameters)
    with torch.no_grad():
        count += 1
        for parameter, gradient, mean, square in zip(parameters, gradients, first, second):
            mean.lerp_(gradient, 0.1)
            square.lerp_(gradient * gradient, 0.001)
            parameter.sub_(0.01 * (mean / (1 - 0.9**count)) / ((square / (1 - 0.999**count)).sqrt() + 1e-8))
    return loss.detach()


def accumulate(module, x, y):
    loss = loss_of(module, x, y)
    loss.backward()
    return loss.detach()


def forget(module, x, y):
    """What is None is not the gradient, which was, and is again."""
    weight = module[0].weight
    weight.grad = None
    before = weight.grad
    loss = loss_of(module, x, y)
    loss.backward()
    return loss.detach(), before, None


def zeros(module):
    return [torch.zeros_like(parameter) for parameter in module.parameters()]


def state():
    module = network()
    return module, zeros(module), zeros(module), torch.zeros(())


def play_descent(f, _):
    module = network()
    losses = [f(module, *batch()) for _ in range(20)]
    assert losses[-1] < losses[0], losses
    return [*losses, *(parameter.detach() for parameter in module.parameters()), *(parameter.grad for parameter in module.parameters())]


def play_accumulation(f, _):
    module = network()
    losses = [f(module, *batch()) for _ in range(3)]
    return [*losses, *(parameter.grad for parameter in module.parameters())]


def play_forgetting(f, _):
    module, found = network(), []
    for _ in range(3):
        for parameter in [*module.parameters()][1:]:
            parameter.grad = None  # as when it was built
        loss, before, nothing = f(module, *batch())
        found += [loss, before is None, nothing is None]
    assert all(found[1::3] + found[2::3]), found
    return found


def accumulation_calls():
    module = network()
    return [(module, *batch()), (module, *batch())]


def play_adam(f, _):
    module, first, second, count = state()
    losses = [f(module, first, second, count, *batch()) for _ in range(20)]
    assert all(parameter.grad is None for parameter in module.parameters())
    return [*losses, count, *first, *second, *(parameter.detach() for parameter in module.parameters())]


def wrong_descent(loaded):
    module = network()
    module[0].weight.requires_grad_(False)
    yield "requires_grad", lambda: loaded(module, *batch())
    with torch.no_grad():
        yield "grad_mode", lambda: loaded(network(), *batch())


case(name="a training step with backward()", make=lambda: descend, calls=lambda: (network(), *batch()), play=play_descent, wrong=wrong_descent)
case(name="a training step that returns None", make=lambda: forget, calls=lambda: (network(), *batch()), play=play_forgetting)
case(name="a training step that adds to gradients", make=lambda: accumulate, calls=accumulation_calls, graphs=2, play=play_accumulation)
case(name="a training step of Adam", make=lambda: adam, calls=lambda: (*state(), *batch()), play=play_adam)
