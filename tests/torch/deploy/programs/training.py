# SPDX-License-Identifier: MIT
"""A training step: forward, backward, and stochastic gradient descent with momentum, all in one model."""

import torch
from torch import nn

from wrapgen_torch import Case

net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))


def step(x, y, parameters, momentum):
    loss = nn.functional.mse_loss(torch.func.functional_call(net, parameters, (x,)), y)
    gradients = torch.autograd.grad(loss, list(parameters.values()))
    with torch.no_grad():
        for parameter, gradient, velocity in zip(parameters.values(), gradients, momentum):
            velocity.mul_(0.9).add_(gradient)
            parameter.sub_(0.1 * velocity)
    return loss.detach()


def case():
    parameters = {name: value.detach().clone().requires_grad_() for name, value in net.named_parameters()}
    momentum = [torch.zeros_like(value) for value in parameters.values()]
    calls = [(name, (torch.randn(5, 6), torch.randn(5, 2), parameters, momentum)) for name in ("first", "second")]
    return Case(step, calls, outputs=["loss"], trains=True)
