# SPDX-License-Identifier: MIT
"""Programs under inference mode, and with tensors that were made under it."""

import torch
from programs import case, within
from wrapgen_torch import Call


def written(x, y):
    y.add_(x)
    return x.view(-1), y.t(), x * 2


def pair():
    return torch.randn(3, 4), torch.ones(3, 4)


def inference_tensors():
    with torch.inference_mode():
        return pair()


def calls_of_written():
    yield Call(pair(), context=torch.inference_mode)
    yield Call(inference_tensors(), context=torch.inference_mode)
    yield Call(pair(), context=torch.no_grad)


def play_written(f, _):
    found = []
    for make, context in ((pair, torch.inference_mode), (inference_tensors, torch.inference_mode), (pair, torch.no_grad)):
        x, y = make()
        with context():
            results = f(x, y)
        found += [one.clone() for one in (*results, y)]
        found += [one.is_inference() for one in (*results, y)]
        found += [None if one.is_inference() else one._version for one in (*results, y)]
        found += [results[0].data_ptr() == x.data_ptr(), results[1].data_ptr() == y.data_ptr()]
    return found


def wrong_written(f):
    (x, _), (_, y) = pair(), inference_tensors()
    yield "inference mode is on, which it was not when it was built", within(torch.inference_mode, lambda: f(x, y))
    yield "'y' is an inference tensor, and the one it was built with was not", within(torch.inference_mode, lambda: f(x, y))
    yield "'x' is an inference tensor, and the one it was built with was not", within(torch.no_grad, lambda: f(*inference_tensors()))
    yield "grad_mode differs", lambda: f(*pair())


case(name="inference mode", make=lambda: written, calls=lambda: list(calls_of_written()), play=play_written, graphs=3, wrong=wrong_written)


class Decoding(torch.nn.Module):
    """A step that keeps what it saw in a buffer."""

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)
        self.register_buffer("kept", torch.zeros(3, 4))

    def forward(self, x):
        self.kept.mul_(0.5).add_(x)
        return torch.softmax(self.linear(self.kept), -1)


def play_decoding(f, module):
    x = f(f(torch.randn(3, 4)))
    return [x.clone(), x.is_inference(), module.kept.clone(), module.kept.is_inference()]


case(name="inference mode of a module", make=Decoding, calls=lambda: [(torch.randn(3, 4),), inference_tensors()[:1]], context=torch.inference_mode,
     play=play_decoding, graphs=2, wraps=lambda loaded: {"bound": loaded.bind})  # fmt: skip
