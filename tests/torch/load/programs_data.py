# SPDX-License-Identifier: MIT
"""A program whose graph depends on an object that is data, as a configuration is: another one in another process, with the same attributes.
This file is imported where torch._dynamo must not be."""

import copy

import torch
from programs import case

FACTOR = 3.0


def times_its_own(x):
    return x * FACTOR


class Settings:
    def __init__(self, **values):
        self.width, self.layers, self.names = 3, [1, 2], {"first": 0.5}
        vars(self).update(values)


class WithSettings(torch.nn.Module):
    def __init__(self, **values):
        super().__init__()
        self.settings = Settings(**values)

    def forward(self, x):
        mine = copy.deepcopy(self.settings)  # Dynamo tests by their identity what it copies
        return x * mine.width + mine.layers[1] + mine.names["first"]


def play_settings(f, module):
    first = f(torch.randn(3))
    module.settings.names = {"first": 0.5}  # another object, which under torch.compile is compiled for again
    return [first, f(torch.randn(3))]


def wrong_settings(loaded):
    x, shared = torch.ones(3), [1, 2]
    yield "self.settings has 4 as its 'width', not 3", lambda: loaded.bind(WithSettings(width=4))(x)
    yield "self.settings has True as its 'width', not 3", lambda: loaded.bind(WithSettings(width=True))(x)
    yield "self.settings has [1, 2.0] as its 'layers', not [1, 2]", lambda: loaded.bind(WithSettings(layers=[1, 2.0]))(x)
    yield "self.settings has the attribute 'more'", lambda: loaded.bind(WithSettings(more=None))(x)
    yield "has [[1, 2], [1, 2]] as its 'layers'", lambda: loaded.bind(WithSettings(layers=[shared, shared]))(x)
    changed = WithSettings()
    bound = loaded.bind(changed)
    bound(x)
    changed.settings.layers[0] = 5
    yield "self.settings has [5, 2] as its 'layers', not [1, 2]", lambda: bound(x)
    other = WithSettings()
    other.settings = type("Other", (), vars(other.settings))()
    yield "self.settings is a Other, not of type programs_data.Settings", lambda: loaded.bind(other)(x)


case(name="settings", make=WithSettings, calls=lambda: (torch.randn(3),), play=play_settings, wrong=wrong_settings,
     wraps=lambda loaded: {"bound to a module": loaded.bind})  # fmt: skip
