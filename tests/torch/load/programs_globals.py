# SPDX-License-Identifier: MIT
"""Programs whose graphs take what is in modules of Python: tensors, models, a dict of tensors. It is read there at each call."""

import sys
from unittest.mock import patch

import programs_data
import torch
from programs import case

torch.manual_seed(3)
factor = torch.tensor(2.0)
table = {"w": torch.randn(4, 4)}
model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Tanh())
distance = torch.nn.MSELoss()
counted = torch.zeros(3)
HERE = sys.modules[__name__]
programs_data.kept_elsewhere = torch.randn(4)


def read(x):
    counted.add_(1)
    return (x * factor) @ table["w"] + programs_data.kept_elsewhere, factor, x.shape[0] * 2


def play_read(f, _):
    found = []
    with torch.no_grad():
        for value in (2.0, 5.0):
            with patch.object(HERE, "factor", torch.tensor(value)), patch.dict(table, {"w": torch.eye(4) * value}):
                before = counted.clone()
                result, same, rows = f(torch.randn(2, 4))
                assert same is factor and torch.equal(counted, before + 1)
                found += [result, same, rows]
    return found


def wrong_read(f):
    def with_factor(value):
        with torch.no_grad(), patch.object(HERE, "factor", value):
            f(torch.randn(2, 4))

    yield "programs_globals.factor", lambda: with_factor(torch.ones(2))
    yield "dtype mismatch", lambda: with_factor(torch.tensor(2))
    yield "programs_globals.factor", lambda: with_factor(2.0)


case(name="globals that are tensors", make=lambda: read, calls=lambda: (torch.randn(2, 4),), context=torch.no_grad, play=play_read, wrong=wrong_read)


def coded(x):
    return {"code": table["w"], "y": x * 2}


def play_coded(f, _):
    found = f(torch.ones(3))
    assert found["code"] is table["w"]
    return [found["y"]]


case(name="a global that is returned as the code", make=lambda: coded, calls=lambda: (torch.ones(3),), context=torch.no_grad, play=play_coded)


def step(x, y):
    return distance(model(x), y)


def play_step(f, _):
    found = []
    for _ in range(2):
        model.zero_grad()
        loss = f(torch.randn(5, 4), torch.randn(5, 3))
        loss.backward()
        found += [loss.detach(), *(parameter.grad.clone() for parameter in model.parameters())]
    return found


def wrong_step(f):
    def call():
        with patch.object(model[0], "weight", torch.nn.Parameter(torch.ones(3, 4).double())):
            f(torch.randn(5, 4), torch.randn(5, 3))

    yield "'programs_globals.model._modules['0']._parameters['weight']' dtype mismatch", call


case(name="a global that is a model", make=lambda: step, calls=lambda: (torch.randn(5, 4), torch.randn(5, 3)), play=play_step, wrong=wrong_step)


class Instances(dict):
    """As transformers has of activations: it has classes, and gives objects."""

    def __getitem__(self, name):
        return super().__getitem__(name)()


instances = Instances(tanh=torch.nn.Tanh, relu=torch.nn.ReLU)


def activated(x):
    return instances["tanh"](x) * 2


def wrong_activated(f):
    def call():
        with patch.dict(instances, {"tanh": torch.nn.ReLU}):
            f(torch.ones(3))

    yield "programs_globals.instances['tanh']", call


case(name="a dict that gives something else than it has", make=lambda: activated, calls=lambda: (torch.randn(3),),
     play=lambda f, _: [f(torch.randn(3))], wrong=wrong_activated)  # fmt: skip
