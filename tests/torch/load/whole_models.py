# SPDX-License-Identifier: MIT
"""Whole models of transformers and timm (../models): what load() needs of each is described, with the models of their graphs left out, in
inference and in training, called as people call them: by name, and with results of the library's own classes."""

import contextlib
import importlib.util
import warnings
from dataclasses import dataclass
from pathlib import Path

import torch
from refusals import described
from wrapgen_torch import Call

_LIST = Path(__file__).resolve().parents[1] / "models" / "models.py"


@dataclass
class Model:
    name: str
    kind: str
    training: bool


def _lists():
    spec = importlib.util.spec_from_file_location("models_to_load", _LIST)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def models():
    lists = _lists()
    pairs = [("transformers", name) for name in lists.TRANSFORMERS] + [("timm", name) for name in lists.TIMM]
    return [Model(f"{kind} {name}, {'train' if training else 'eval'}", kind, training) for kind, name in pairs for training in (False, True)]


def _made(model):
    """(the module, its call)"""
    lists, name = _lists(), model.name.partition(" ")[2].partition(",")[0]
    if model.kind == "timm":
        (module, calls), _ = lists.timm_entry(name, model.training)()
        return module, calls()[0]
    import transformers

    kind, config, settings, inputs = lists.TRANSFORMERS[name]
    torch.manual_seed(0)
    module = getattr(transformers, kind)(getattr(transformers, config)(**settings, use_cache=False))
    return module.train(model.training), Call(kwargs=inputs())


def test_of(model):
    def test():
        module, call = _made(model)
        with warnings.catch_warnings(), contextlib.nullcontext() if model.training else torch.no_grad():
            warnings.simplefilter("ignore")
            found = described(module, call)
        (program,) = found["programs"]
        assert program["tests"] and program["inputs"] and (model.kind == "timm" or "code" in program["returned"]), list(program["returned"])

    return test
