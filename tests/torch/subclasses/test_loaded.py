# SPDX-License-Identifier: MIT
"""torchao's quantised weights without Dynamo: what load() gives is equal to torch.compile, bit for bit."""

import tempfile

import torch
import torch.nn as nn
import torchao.quantization as quant
from wrapgen_torch import CallError, build, load

CONFIGURATIONS = (quant.Int8WeightOnlyConfig, quant.Int8DynamicActivationInt8WeightConfig, quant.IntxWeightOnlyConfig, quant.Float8WeightOnlyConfig)


def network(configuration, width=64):
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(64, width), nn.ReLU(), nn.Linear(width, 32)).eval().requires_grad_(False)
    quant.quantize_(module, configuration)
    return module


def test_quantised_networks_are_loaded():
    for kind in CONFIGURATIONS:
        module, x = network(kind()), torch.randn(3, 64)
        with tempfile.TemporaryDirectory() as folder:
            report = build(module, lambda x=x: (x,), folder, load=True, context=torch.no_grad)
            assert report.misses == 0 and type(module[0].weight) not in (torch.Tensor, nn.Parameter), str(report)
            called = load(folder).fn
            torch._dynamo.reset()
            other = network(kind())  # of another process, say
            with torch.no_grad():
                for given in (x, torch.randn(3, 64)):
                    assert torch.equal(called.bind(other)(given), torch.compile(module)(given)), kind
                for wrong in (network(kind(), 32), nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 32)).requires_grad_(False)):
                    try:
                        called.bind(wrong)(x)
                    except CallError as problem:
                        assert "no graph was built for this call" in str(problem), problem
                    else:
                        raise AssertionError(f"{kind}: it is called with {wrong}")
