# SPDX-License-Identifier: MIT
"""A module of PyTorch's own (nn.Sequential, nn.LSTM), built and loaded as the only part of another one."""

import torch


class Wrapped(torch.nn.Module):
    """Dynamo puts code of its own around the forward of PyTorch's modules, unless they are called by other code."""

    def __init__(self, wrapped):
        super().__init__()
        self.wrapped = wrapped

    def forward(self, *args, **options):
        return self.wrapped(*args, **options)


def is_own(function):
    """Is it a module of PyTorch's own?"""
    return isinstance(function, torch.nn.Module) and type(function).__module__.startswith("torch.")
