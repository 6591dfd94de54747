# SPDX-License-Identifier: MIT
"""Recurrent networks, which Dynamo traces only if it is told to. Like programs.py, this is imported where torch._dynamo must not be."""

import torch
from programs import case, of_module


# ---- without gradients: an LSTM stays whole, so its sequences have any length ----


class Reader(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = torch.nn.LSTM(3, 4, num_layers=2, dropout=0.5, bidirectional=True)
        self.last = torch.nn.Linear(8, 2)
        self.eval()

    def forward(self, x, state=None):
        y, state = self.rnn(x, state)
        return self.last(y), state


def state_of(batch):
    return torch.randn(4, batch, 4), torch.randn(4, batch, 4)


def reader_calls():
    return [(torch.randn(5, 2, 3),), (torch.randn(5, 2, 3), state_of(2))]


def play_reader(f, _):
    found = []
    for length, batch in ((5, 2), (2, 3), (7, 6)):
        y, state = f(torch.randn(length, batch, 3))
        z, last = f(torch.randn(length, batch, 3), state)
        again, _ = f(torch.randn(length, batch, 3), state_of(batch))
        found += [y, *state, z, *last, again]
    return found


def wrong_reader(loaded):
    def changed(change):
        module = Reader()
        change(module)
        with torch.no_grad():
            loaded.bind(module)(torch.randn(5, 2, 3))

    def given(x, state):
        with torch.no_grad():
            loaded.bind(Reader())(x, state)

    def other_weight(module):
        module.rnn.weight_hh_l0 = torch.nn.Parameter(torch.zeros_like(module.rnn.weight_hh_l0))

    def other_in_the_list(module):
        module.rnn._flat_weights[1] = torch.nn.Parameter(torch.zeros_like(module.rnn.weight_hh_l0))

    yield "not the same object as self._modules['rnn']._flat_weight_refs[1]()", lambda: changed(other_weight)
    yield "not the same object as self._modules['rnn']._flat_weights[1]", lambda: changed(other_in_the_list)
    yield "_modules['rnn'].training is True, not False", lambda: changed(lambda module: module.train())
    yield "_modules['rnn'].batch_first is True, not False", lambda: changed(lambda module: setattr(module.rnn, "batch_first", True))
    yield "'x' dtype mismatch", lambda: given(torch.randn(5, 2, 3).double(), None)
    yield "'state[0]': size of dimension 1: expected 2, found 3", lambda: given(torch.randn(5, 2, 3), state_of(3))
    yield "'state[0]' size mismatch at index 2. expected 4, actual 5", lambda: given(torch.randn(5, 2, 3), (torch.randn(4, 2, 5), torch.randn(4, 2, 4)))
    yield "grad_mode differs", lambda: loaded.bind(Reader())(torch.randn(5, 2, 3))


case(name="reader", make=Reader, calls=reader_calls, play=play_reader, wrong=wrong_reader, wraps=of_module, graphs=2, dynamic=True,
     context=torch.no_grad)  # fmt: skip


# ---- with gradients: as many steps as the sequence that was built is long ----


class Learner(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.LSTM(3, 4, batch_first=True)
        self.second = torch.nn.GRU(4, 2, batch_first=True, bidirectional=True)

    def forward(self, x):
        y, (_, cells) = self.first(x)
        z, last = self.second(y)
        return z.sum() + last.square().sum() + cells.mean()


def play_learner(f, module):
    module.zero_grad()
    found = []
    for _ in range(2):
        total = f(torch.randn(2, 3, 3))
        total.backward()
        found += [total.detach(), *(one.grad.clone() for one in module.parameters())]
    return found


def wrong_learner(loaded):
    def call(x):
        return lambda: loaded.bind(Learner())(x)

    yield "'x' size mismatch at index 1. expected 3, actual 4", call(torch.randn(2, 4, 3))
    yield "'x' requires_grad mismatch", call(torch.randn(2, 3, 3, requires_grad=True))


case(name="learner", make=Learner, calls=lambda: (torch.randn(2, 3, 3),), play=play_learner, wrong=wrong_learner, wraps=of_module)
