# SPDX-License-Identifier: MIT
"""Tests with which something is wrong, and what upstream.py must say of them, lest its table be empty words."""

import math
import os
import signal
import time
import unittest
from unittest.mock import patch

import torch
from functorch.compile import aot_function, nop
from wrapgen_torch.ahead import callables

SECONDS = 4  # of a processor that each may take with PyTorch alone: a busy machine takes 0.6 to build a graph


def _other(folder, site):
    return lambda args: [value.clone() + 1 for value in args]


def _busy(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


class Planted(unittest.TestCase):
    def _sum(self):
        return aot_function(lambda x: x + 0, nop)(torch.ones(3))

    def right(self):
        self.assertEqual(self._sum().tolist(), [1, 1, 1])

    def wrong_value(self):
        with patch.object(callables, "callable_in", _other):
            self.right()

    def dies(self):
        with patch.object(callables, "callable_in", lambda *_: os.kill(os.getpid(), signal.SIGKILL)):
            self.right()

    def not_built(self):
        with patch.object(callables, "callable_in", lambda *_: 1 / 0):
            self.right()

    def slow(self):
        with patch.object(callables, "callable_in", lambda *_: _busy(SECONDS) or (lambda args: [args[0] + 0])):
            self.right()

    def endless(self):
        with patch.object(callables, "callable_in", lambda *_: _busy(math.inf)):
            self.right()

    def not_right_anyhow(self):
        self.assertEqual(self._sum().tolist(), [2, 2, 2])

    def no_graph(self):
        self.assertEqual(1, 1)


EXPECTED = {
    "right": "equal",
    "wrong_value": "different",
    "dies": "different",
    "not_built": "broken",
    "slow": "equal",
    "endless": "different",
    "not_right_anyhow": "absent",
    "no_graph": "uncompiled",
}


def check(tried):
    for name, status in EXPECTED.items():
        found = tried(lambda name=name: Planted(name), SECONDS)
        assert found[0] == status, f"planted: {name} is {status}, and was said to be {found}"
