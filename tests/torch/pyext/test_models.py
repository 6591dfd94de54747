# SPDX-License-Identifier: MIT
"""AOTInductor models as compiled functions: no Python in a call."""

import contextlib
import faulthandler
import gc
import tempfile
import threading
import warnings

from scenario import kernel_library, library, raises, test

import torch
from wrapgen_torch.extension import load_extension


class Forward(torch.nn.Module):
    """product_kernel."""

    def forward(self, x, w):
        return x * w, x, w


class Backward(torch.nn.Module):
    """product_backward_kernel, but for the gradient that it does not have: AOTInductor takes no None."""

    def forward(self, x, dy):
        return (x * dy,)


_FOLDER = tempfile.TemporaryDirectory(prefix="models-")
_made = {}


def model(kind):
    examples = torch.ones(3), torch.ones(3)
    if kind not in _made:
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exported = torch.export.export(kind(), examples)
            path = f"{_FOLDER.name}/{kind.__name__}"  # a folder: it also gets the file with what is called through the proxy executor
            _made[kind] = torch._inductor.aot_compile(exported.module(), examples, options={"aot_inductor.output_path": path})
    return _made[kind]


def bound():
    module = load_extension(library())
    module.bind_model("product_kernel", model(Forward), [0, 1], [0, 1, 2])
    return module


@test
def a_model_forward_and_backward():
    module, x = bound(), torch.tensor([1.0, 2, 3])
    w = torch.tensor([4.0, 5, 6], requires_grad=True)
    module.bind_model("product_backward_kernel", model(Backward), [0, 2], [0, 0])
    (y,) = module.product(x, w)
    assert y.tolist() == [4, 10, 18] and y.requires_grad
    y.sum().backward()
    assert w.grad.tolist() == [1, 2, 3]


@test
def a_model_outlives_its_module():
    module, x = bound(), torch.tensor([1.0, 2, 3])
    w = torch.tensor([4.0, 5, 6], requires_grad=True)
    module.bind_model("product_backward_kernel", model(Backward), [0, 2], [0, 0])
    (y,) = module.product(x, w)
    del module
    gc.collect()
    y.sum().backward()
    assert w.grad.tolist() == [1, 2, 3]


@test
def binding_a_model():
    module, x = bound(), torch.ones(3)
    forward = model(Forward)
    for wrong, words in (
        (([0], [0, 1, 2]), "the model takes 2 tensors, not 1"),
        (([0, 2], [0, 1, 2]), "argument 2 is not a tensor that the function gets"),
        (([0, ~1], [0, 1, 2]), "argument 1 is not an int that the function gets"),
        (([0, 1], [0, 1]), "product_kernel returns 3 values, not 2"),
        (([0, 1], [0, 1, 3]), "result 2 cannot be output 3"),
        (([0, 1], [0, 1, ~0]), "result 2 cannot be a number"),
    ):
        with raises(ValueError, words):
            module.bind_model("product_kernel", forward, *wrong)
    with raises(RuntimeError, "cannot be opened"):
        module.bind_model("product_kernel", forward + ".gone", [0, 1], [0, 1, 2])
    with raises(TypeError, "takes 4 positional arguments"):
        module.bind_model("product_kernel", forward)
    with raises(ValueError, "no compiled function is called 'produkt'"):
        module.bind_model("produkt", forward, [0, 1], [0, 1, 2])
    with torch.no_grad():
        assert module.product(x, x * 2)[0].tolist() == [2, 2, 2]  # what was bound is still bound
        module.bind("product_kernel", lambda args: (args[0] + args[1], args[0], args[1]))
        assert module.product(x, x * 2)[0].tolist() == [3, 3, 3]
        module.bind_model("product_kernel", forward, [0, 1], [0, 1, 2])
        assert module.product(x, x * 2)[0].tolist() == [2, 2, 2]
        module.bind("product_kernel", None)
        with raises(RuntimeError, "nothing is bound to the compiled function 'product_kernel'"):
            module.product(x, x)


class Again(torch.nn.Module):
    """product_kernel, with an operator of the program's in it."""

    def forward(self, x, w):
        return torch.ops.wg_pyext.inside(x) * w, x, w


_inside = []  # what the operator runs


@torch.library.custom_op("wg_pyext::inside", mutates_args=())
def inside(x: torch.Tensor) -> torch.Tensor:
    if _inside:
        _inside[-1]()
    return x.clone()


@inside.register_fake
def _(x):
    return torch.empty_like(x)


def with_operator():
    module = load_extension(library())
    module.bind_model("product_kernel", model(Again), [0, 1], [0, 1, 2])
    return module


@contextlib.contextmanager
def ends_within(seconds):
    """A call that waits for itself has the GIL, or has not: the process ends either way, and says where it was."""
    faulthandler.dump_traceback_later(seconds, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


@test
def a_model_that_calls_itself():
    module, x, seen = with_operator(), torch.tensor([1.0, 2, 3]), []

    def again():
        _inside.clear()
        seen.append(module.product(x + 1, x)[0].tolist())

    _inside.append(again)
    try:
        with ends_within(60), torch.no_grad():
            assert module.product(x, x)[0].tolist() == [1, 4, 9]
    finally:
        _inside.clear()
    assert seen == [[2, 6, 12]]


@test
def a_model_on_two_threads_at_the_same_time():
    module, x = with_operator(), torch.tensor([1.0, 2, 3])
    both = threading.Barrier(2, timeout=30)
    found = {}

    def run(factor):
        with torch.no_grad():
            found[factor] = module.product(x, x * factor)[0].tolist()

    _inside.append(both.wait)
    try:
        with ends_within(60):
            threads = [threading.Thread(target=run, args=(factor,)) for factor in (2, 3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    finally:
        _inside.clear()
    assert found == {2: [2, 8, 18], 3: [3, 12, 27]}


@test
def a_model_as_the_variant_of_a_kernel():
    module = load_extension(kernel_library())
    for wrong in (0, 2):
        with raises(ValueError, f"argument {wrong} is not a tensor"):
            module.bind_model("product_model", model(Forward), [wrong, 3], [0, ~2])
    with raises(ValueError, "result 1 cannot be a number"):
        module.bind_model("product_model", model(Forward), [1, 3], [0, ~0])
    module.bind_model("product_model", model(Forward), [1, 3], [0, ~2])
    y, count = module.product((1, 2), torch.tensor([1.0, 2, 3]), 7, torch.tensor([4.0, 5, 6]))
    assert y.tolist() == [4, 10, 18] and count == 7


@test
def a_number_that_is_computed():
    module = load_extension(kernel_library())
    x, w = torch.tensor([1.0, 2, 3]), torch.tensor([4.0, 5, 6])

    def count(steps, number):
        module.bind_model("product_model", model(Forward), [1, 3], [0, steps])
        return module.product((1, 2), x, number, w)[1]

    n = [~2]
    for number in (7, -7, 0, 2**31):
        assert count([n, 4, "*", n, "+", 3, "-"], number) == 5 * number - 3
        assert count([n, 3, "//"], number) == number // 3 and count([n, 3, "%"], number) == number % 3
        assert count([n, -3, "//"], number) == number // -3 and count([n, -3, "%"], number) == number % -3
        assert count([n, 5, "max", 6, "min"], number) == min(max(number, 5), 6)
    assert count([12], 7) == 12
    for wrong in ([], [n, n], ["+"], [n, "+"], [[~1]], [[~9]], [[2]]):
        with raises(ValueError, "result 1 cannot be a number"):
            count(wrong, 7)
    with raises(ValueError, "not computed with '/'"):
        count([n, 2, "/"], 7)
    with raises(ValueError, "divided by 0"):
        count([3, n, "%"], 0)
    for verb in "+*":
        with raises(ValueError, "too large"):
            count([n, n, verb], 2**62)
    with raises(ValueError, "too large"):
        count([0, n, "-"], -(2**63))
