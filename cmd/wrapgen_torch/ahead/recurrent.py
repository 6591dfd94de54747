# SPDX-License-Identifier: MIT
"""Recurrent networks (nn.LSTM, nn.GRU, nn.RNN). Dynamo traces them if it is told to, and then PyTorch takes them apart into layers,
and most of these into steps, one for each position of the sequence.

Two things are wrong there. The dropout between layers is left out, so that is refused. And a layer of an LSTM that stays whole, as it
does on CPUs, cannot be compiled together with its backward, so that is taken apart, too.
"""

import contextlib
from itertools import chain
from unittest.mock import patch

import torch

from ..upstream import decompositions
from .constants import own_constants

_NAMES = ("lstm", "gru", "rnn_tanh", "rnn_relu")
_WEIGHTS, _LAYERS, _DROPOUT, _TRAINS = 2, 4, 5, 6  # their arguments, as torch.nn passes them
_select = decompositions.select_one_layer_lstm_function


@contextlib.contextmanager
def traced():
    """Dynamo traces them, where it would break the graph, and what asks for gradients. It also measures nothing around the graph: what it
    writes for that has branches since 2.15, and `load` runs none of it."""
    settings = torch._dynamo.config.patch(allow_rnn=True, trace_autograd_ops=True, record_runtime_overhead=False,
                                            fail_on_recompile_limit_hit=True)  # fmt: skip
    with settings, own_constants(), patch.object(decompositions, "select_one_layer_lstm_function", _layer):
        yield


def _layer(x, state, weights):
    trains = torch.is_grad_enabled() and any(one.requires_grad for one in (x, *state, *chain.from_iterable(weights)))
    return decompositions.one_layer_lstm if trains else _select(x, state, weights)


def refusal(module):
    """Why the graph that Dynamo traced would not compute what the program does; None if it would."""
    for node in module.graph.nodes:
        if node.op == "call_function" and getattr(node.target, "__name__", None) in _NAMES and node.target.__module__ == "torch":
            if len(node.args) <= _TRAINS or not isinstance(node.args[_WEIGHTS], (list, tuple)):
                return f"it calls torch.{node.target.__name__} otherwise than torch.nn does"
            if node.args[_TRAINS] is not False and node.args[_LAYERS] != 1 and node.args[_DROPOUT] != 0:
                return f"PyTorch would leave out the dropout between the layers of torch.{node.target.__name__}"
    return None
