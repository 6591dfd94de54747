# SPDX-License-Identifier: MIT
"""torchao's quantised weights, optimizer states and training under what was built: bit for bit what torch.compile computes, with
each graph a hit, and no subclass taken apart by Python.

The configurations are those of torchao that run on a CPU. Of the others, torchao's own refusal is stated, so that one which
begins to run is noticed.
"""

import contextlib
from unittest.mock import patch

import torch
import torch.nn as nn
import torchao.quantization.quant_api as quant
from compared import compare
from torch._functorch._aot_autograd import subclass_codegen
from torchao.float8 import Float8LinearConfig, convert_to_float8_training
from torchao.optim.adam import single_param_adam
from torchao.optim.subclass_4bit import OptimState4bit
from torchao.optim.subclass_8bit import OptimState8bit
from torchao.prototype.quantized_training import int8_weight_only_quantized_training
from torchao.quantization import quantize_
from torchao.quantization.granularity import PerGroup, PerTensor
from torchao.quantization.quantize_.workflows.nf4.nf4_tensor import linear_nf4, to_nf4

LOOSE = (1, 1)  # what quantisation and Inductor do to eager mode's values is not what is tested


@contextlib.contextmanager
def counted_calls():
    """A list that gets an item whenever a function that PyTorch has generated takes subclasses apart."""
    calls, original = [], subclass_codegen._compile_and_exec_source

    def generate(source, names, name, *rest, **options):
        function = original(source, names, name, *rest, **options)

        def counted(args):
            calls.append(name)
            return function(args)

        return counted if name == "inner_fn" else function

    with patch.object(subclass_codegen, "_compile_and_exec_source", generate):
        yield calls


def same(function, make_inputs, *, graphs, subclasses=True, **options):
    """As that of ahead/; and the C takes the subclasses apart. PyTorch does so where it compiles by itself, in two runs."""
    with counted_calls() as calls:
        lines, report = compare(function, make_inputs, tolerance=LOOSE, **options)
    assert not lines, "\n".join(lines[:8])
    assert report.misses == 0 and report.hits == graphs, str(report)
    given = make_inputs()
    wanted = 2 * (len(given) if isinstance(given, list) else 1) if subclasses else 0
    assert len(calls) == wanted, f"PyTorch took subclasses apart in {len(calls)} calls, not {wanted}"


class Layers(nn.Module):
    """Three linear layers whose weights a configuration quantises."""

    def __init__(self, dtype=torch.float32):
        super().__init__()
        self.first, self.second, self.third = nn.Linear(64, 96), nn.Linear(96, 96), nn.Linear(96, 32)
        self.to(dtype)

    def forward(self, x):
        return self.third(self.second(self.first(x).relu()).relu())


def quantized(config, dtype=torch.float32):
    torch.manual_seed(0)
    model = Layers(dtype).eval()
    quantize_(model, config)
    return model


def batches(*sizes, dtype=torch.float32, grad=False):
    """Calls with batches of these sizes: PyTorch compiles the first and, with a dynamic size, the second."""
    return lambda: [(torch.randn(size, 64, dtype=dtype, requires_grad=grad),) for size in sizes]


def infers(config, **options):
    same(quantized(config), batches(4, 7, 9), graphs=2, grad=False, backward=False, **options)


def test_int8_weights():
    infers(quant.Int8WeightOnlyConfig(set_inductor_config=False))
    infers(quant.Int8WeightOnlyConfig(granularity=PerTensor(), set_inductor_config=False))
    infers(quant.Int8WeightOnlyConfig(granularity=PerGroup(32), set_inductor_config=False))


def test_int8_activations():
    infers(quant.Int8DynamicActivationInt8WeightConfig(set_inductor_config=False))
    asymmetric = quant.MappingType.ASYMMETRIC
    infers(quant.Int8DynamicActivationInt8WeightConfig(act_mapping_type=asymmetric, set_inductor_config=False))


def test_int4_weights():
    infers(quant.IntxWeightOnlyConfig(weight_dtype=torch.int4, granularity=PerGroup(32)))
    infers(quant.Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4, weight_granularity=PerGroup(32)))


def test_float8_weights():
    infers(quant.Float8WeightOnlyConfig(set_inductor_config=False))


def test_kernels_of_inductor():
    infers(quant.Int8WeightOnlyConfig(set_inductor_config=False), inner="inductor")
    infers(quant.Int8DynamicActivationInt8WeightConfig(set_inductor_config=False), inner="inductor")


def test_what_torchao_refuses_on_a_cpu():
    configs = {
        "mslk": quant.Int4WeightOnlyConfig(group_size=32, set_inductor_config=False),
        "CUDA": quant.Float8DynamicActivationFloat8WeightConfig(set_inductor_config=False),
    }
    for word, config in configs.items():
        try:
            quantized(config, torch.bfloat16)
        except (ImportError, AssertionError) as problem:
            assert word in str(problem), str(problem)
        else:
            raise AssertionError(f"torchao runs {type(config).__name__} here: test it like the others")


def test_weights_that_are_returned():
    weight = quantized(quant.Int8WeightOnlyConfig(set_inductor_config=False)).first.weight

    def program(x, w):
        return x @ w.dequantize().t(), w, w[2:6].dequantize()

    same(program, lambda: [(torch.randn(n, 64), weight) for n in (3, 5)], graphs=1, grad=False, backward=False, dynamic=True)


def test_training_beside_frozen_weights():
    class Adapted(nn.Module):
        def __init__(self):
            super().__init__()
            self.base, self.down, self.up = nn.Linear(64, 32), nn.Linear(64, 4, bias=False), nn.Linear(4, 32, bias=False)

        def forward(self, x):
            return self.base(x) + self.up(self.down(x))

    torch.manual_seed(0)
    model = Adapted()
    config = quant.Float8WeightOnlyConfig(set_inductor_config=False)
    quantize_(model, config, filter_fn=lambda module, name: name == "base")
    same(model, batches(3, 5, 6, grad=True), graphs=2)


def test_nf4():
    weight = to_nf4(torch.randn(64, 64), 64, 64)
    same(lambda x, w: linear_nf4(x, w), lambda: [(torch.randn(n, 64, requires_grad=True), weight) for n in (3, 5)], graphs=2)


def test_training_of_int8_weights():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 16))
    quantize_(model, int8_weight_only_quantized_training())
    same(model, batches(3, 5, 6, grad=True), graphs=2)


def test_float8_training():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 16))
    convert_to_float8_training(model, config=Float8LinearConfig(emulate=True))
    same(model, batches(16, 32, grad=True), graphs=2, subclasses=False)


def test_states_of_optimizers():
    """A step changes its states in place: subclasses with a mutation in each attribute."""

    def step(weight, grad, count, first, second, rate):
        single_param_adam(weight, grad, count, first, second, None, rate, 0.9, 0.999, 1e-2, 1e-8, True, False)
        return weight

    def states(kind, block):
        def make():
            zeros = [kind.zeros((64, 64), signed, block) for signed in (True, False)]
            return torch.randn(64, 64), torch.randn(64, 64), torch.tensor(1.0), *zeros, torch.tensor(0.1)

        return lambda: [make(), make()]

    same(step, states(OptimState8bit, 256), graphs=1, grad=False, backward=False)
    same(step, states(OptimState4bit, 128), graphs=1, grad=False, backward=False)
