# SPDX-License-Identifier: MIT
"""Programs whose graphs depend on what is not a tensor: an object that is data, as a configuration is, which is another one in another process
with the same attributes; layouts and memory formats.
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


def laid_out(x, layout, form=torch.channels_last):
    return x.contiguous(memory_format=form) + torch.ones(4, layout=layout), form, x.layout


def play_laid_out(f, _):
    x = torch.randn(2, 3, 4, 4)
    y, *others = f(x, torch.strided)
    z, *more = f(x, torch.strided, torch.contiguous_format)
    assert others == [torch.channels_last, torch.strided] and more == [torch.contiguous_format, torch.strided]
    return [y, z, *y.stride(), *z.stride()]


def calls_of_laid_out():
    x = torch.randn(2, 3, 4, 4)
    return [(x, torch.strided), (x, torch.strided, torch.contiguous_format)]


def wrong_laid_out(f):
    x = torch.randn(2, 3, 4, 4)
    yield "form is torch.preserve_format, not torch.contiguous_format", lambda: f(x, torch.strided, torch.preserve_format)
    yield "layout is torch.sparse_coo, not torch.strided", lambda: f(x, torch.sparse_coo)


case(name="layouts and memory formats", make=lambda: laid_out, calls=calls_of_laid_out, play=play_laid_out, graphs=2, wrong=wrong_laid_out)


class Spectral(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(4, 3))

    def forward(self, x):
        return self.inner(x)


def play_spectral(f, module):
    found = []
    for _ in range(2):
        y = f(torch.randn(5, 4))  # writes what the parametrization knows of the weight
        y.sum().backward()
        found.append(y.detach())
    parametrization = module.inner.parametrizations.weight
    return [*found, parametrization.original.grad, parametrization[0]._u.clone()]


case(name="a norm that is a parametrization", make=Spectral, calls=lambda: (torch.randn(5, 4),), play=play_spectral,
     wraps=lambda loaded: {"bound to a module": loaded.bind})  # fmt: skip
