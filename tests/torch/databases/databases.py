# SPDX-License-Identifier: MIT
"""PyTorch's own databases, which ship inside torch, through check(): op_db (the function, the forms that mutate, `out=`),
module_db (in training and evaluation) and optim_db.

  databases.py [NAME...]      programs whose name contains one of the words

Each operator is tried with one of its first samples, each module with one of its first inputs, chosen by its name; each optimizer
with all of its settings. A program is called twice.
"""

import contextlib
import copy
import itertools
import random
import sys
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))  # not the folder itself: triton/ is not Triton

import numpy  # noqa: E402
import torch  # noqa: E402
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402
from torch.testing._internal.common_modules import module_db  # noqa: E402
from torch.testing._internal.common_optimizers import optim_db  # noqa: E402

from sweep import NoProgram, main  # noqa: E402

FIRST = 5  # of the samples of an operator or module, one of so many
DTYPES = (torch.float32, torch.complex64, torch.int64, torch.bool)


def chosen(samples, name):
    """One of the first samples, the same for the same name."""
    random.seed(0)
    numpy.random.seed(0)
    first = list(itertools.islice(samples, FIRST))
    return first[zlib.crc32(name.encode()) % len(first)]


@contextlib.contextmanager
def memory_is_filled():
    """The result of `empty` is then not an accident of the allocator."""
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)


# ---- operators ----


def dtype_of(op):
    supported = op.supported_dtypes("cpu")
    return next(dtype for dtype in (*DTYPES, *supported) if dtype in supported)


def sample_of(op, name, differentiable):
    """With gradients, if the operator has them and its numbers can: PyTorch's makers of samples refuse them for integers."""
    dtype = dtype_of(op)
    grad = differentiable and (dtype.is_floating_point or dtype.is_complex)
    return chosen(op.sample_inputs("cpu", dtype, requires_grad=grad), name)


def function_form(op, name):
    def program(input, args, kwargs):
        return op.op(input, *args, **kwargs)

    def make_inputs():
        samples = [sample_of(op, name, op.supports_autograd) for _ in range(2)]
        return [(sample.input, sample.args, sample.kwargs) for sample in samples]

    return program, make_inputs


def mutating_form(variant):
    """For a value that is not a leaf, with gradients: autograd refuses to mutate leaves."""

    def form(op, name):
        def program(input, args, kwargs):
            return variant(op)(input, *args, **kwargs)

        def make_inputs():
            samples = [sample_of(op, name, op.supports_inplace_autograd) for _ in range(2)]
            return [(sample.input.clone(), sample.args, sample.kwargs) for sample in samples]

        return program, make_inputs

    return form


def room_for(result):
    """What `out=` takes for such a result: a tensor, or a tuple of them."""
    tensors, layout = torch.utils._pytree.tree_flatten(result)
    if not all(isinstance(tensor, torch.Tensor) for tensor in tensors):
        raise NoProgram(f"a result of type {type(result).__name__} has no form with out=")
    room = torch.utils._pytree.tree_unflatten([torch.zeros_like(tensor) for tensor in tensors], layout)
    return room if isinstance(result, torch.Tensor) else tuple(room)


def out_form(op, name):
    def program(input, args, kwargs, out):
        return op.op(input, *args, **kwargs, out=out)

    def make_inputs():
        calls = []
        for _ in range(2):
            sample = sample_of(op, name, False)
            out = room_for(op.op(sample.input, *sample.args, **sample.kwargs))
            calls.append((sample.input, sample.args, sample.kwargs, out))
        return calls

    return program, make_inputs


def operator_entry(op, name, form):
    def entry():
        return form(op, name), {"context": memory_is_filled}

    return entry


def operators():
    for op in op_db:
        if not op.supported_dtypes("cpu"):
            continue
        full = f"op {op.name}{'.' + op.variant_test_name if op.variant_test_name else ''}"
        forms = {"function": function_form}
        if op.inplace_variant is not None:
            forms["in place"] = mutating_form(lambda op: op.inplace_variant)
        if op.inplace_operator_variant is not None:
            forms["operator in place"] = mutating_form(lambda op: op.inplace_operator_variant)
        if op.supports_out:
            forms["out"] = out_form
        for form, make in forms.items():
            name = f"{full}, {form}"
            yield name, operator_entry(op, full, make)


# ---- modules ----


class Called(torch.nn.Module):
    """A module that takes its keywords as a dict."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, args, kwargs):
        return self.module(*args, **kwargs)


def module_entry(info, name, training):
    def inputs():
        made = info.module_inputs_func(info, device="cpu", dtype=torch.float32, requires_grad=True, training=training)
        return chosen(made, name)

    def make_inputs():
        return [(made.forward_input.args, made.forward_input.kwargs) for made in (inputs(), inputs())]

    def entry():
        torch.manual_seed(0)
        built = inputs().constructor_input
        module = info.module_cls(*built.args, **built.kwargs)
        return (Called(module.train(training)), make_inputs), {"context": memory_is_filled}

    return entry


def modules():
    for info in module_db:
        for training in (True, False):
            name = f"module {info.name}, {'train' if training else 'eval'}"
            yield name, module_entry(info, name, training)


# ---- optimizers ----


def optimizer_entry(info, number):
    def make():
        torch.manual_seed(6)
        matrices = info.optim_cls.__name__ == "Muon"
        parameters = [torch.nn.Parameter(torch.randn(4, 3)), torch.nn.Parameter(torch.randn((3, 5) if matrices else 5))]
        settings = copy.deepcopy(info.optim_inputs_func("cpu")[number].kwargs)
        optimizer = info.optim_cls(parameters, **settings)

        def step(gradients):
            for parameter, gradient in zip(parameters, gradients):
                parameter.grad = gradient
            optimizer.step()
            return [parameter.detach() for parameter in parameters]

        return step

    def make_inputs():
        shapes = ((4, 3), (3, 5) if info.optim_cls.__name__ == "Muon" else (5,))
        return [([torch.randn(*shape) for shape in shapes],) for _ in range(2)]

    return lambda: ((make, make_inputs), {"factory": True, "backward": False})


def optimizers():
    for info in optim_db:
        for number, settings in enumerate(info.optim_inputs_func("cpu")):
            yield f"optim {info.optim_cls.__name__} {number}, {settings.desc}", optimizer_entry(info, number)


def entries():
    result = {}
    for name, entry in itertools.chain(operators(), modules(), optimizers()):
        result.setdefault(name, entry)
    return result


# An output that is a view is made by one as_strided, whose backward adds up in another order, and gives another layout, than those of
# the view's own operations (SPEC.md, "What PyTorch does and generated code does not").
EXPECTED = {
    "op broadcast_to, function": ("different", "grad[0]: values differ in 3 of 5 elements, by up to 4.7"),
    "op broadcast_tensors, function": ("different", "grad[0]: values differ in 2 of 3 elements, by up to 1.4"),
    "op transpose, function": ("different", "grad[0]: stride is (6, 3, 1), not (1, 3, 1)"),
}

if __name__ == "__main__":
    sys.exit(main("databases", entries(), EXPECTED, least=0.85))
