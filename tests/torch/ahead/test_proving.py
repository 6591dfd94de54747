# SPDX-License-Identifier: MIT
"""What build() proves: a graph whose wrapper or kernels do something else than eager mode is a miss that says what, and the
program notices nothing of the proof."""

import contextlib
import operator
import tempfile
import warnings
from unittest.mock import patch

import torch
from functorch.compile import make_boxed_func
from torch._dynamo.backends.common import aot_autograd
from torch._inductor.exc import InductorError
from torch._inductor.virtualized import V
from torch.testing._internal.two_tensor import TwoTensor
from wrapgen_torch import CaptureError, build
from wrapgen_torch.ahead import callables, models, proving
from wrapgen_torch.ahead.proving import _against
from wrapgen_torch.snapshot import Snapshot, as_near_to


def numbers(*size, grad=False):
    return torch.arange(1.0, 1 + torch.Size(size).numel()).view(size).clone().requires_grad_(grad)


def reported(function, make_inputs, inner="aot_eager", **options):
    """(the Report, the texts of all warnings)"""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        return build(function, make_inputs, folder, inner=inner, **options), [str(one.message) for one in said]


def proved(function, make_inputs, graphs=1, **options):
    report, said = reported(function, make_inputs, **options)
    assert (report.hits, report.misses) == (graphs, 0), str(report)
    assert not any("not compared" in text for text in said), said


def planted(forward=lambda results: results, backward=lambda results: results):
    """A back end like aot_eager, whose graphs return something else."""
    def compiler(change):
        return lambda module, _: make_boxed_func(lambda *args: change(list(module(*args))))

    return aot_autograd(fw_compiler=compiler(forward), bw_compiler=compiler(backward))


def missed(words, function, make_inputs, **options):
    report, said = reported(function, make_inputs, **options)
    assert report.misses == 1 and words in report[0].why, str(report)
    assert any(words in text for text in said), said
    unproved, _ = reported(function, make_inputs, verify=False, **options)
    assert unproved.hits == 1, "without the proof it is built"


def square(x):
    return x * x


def pair(x):
    return x.sin(), x.cos()


def test_wrong_kernels_are_a_miss():
    values = planted(lambda results: [results[0] + 1, *results[1:]])
    missed("results[0]: values differ in 3 of 3 elements, by up to 1", pair, lambda: (numbers(3),), inner=values)
    shared = planted(lambda results: [results[0], results[0].view(3)])
    missed("results[1]: storage is results[0], not results[1]", lambda x: (x * 2, x + x), lambda: (numbers(3),), inner=shared)
    gradient = planted(backward=lambda results: [results[0] * 2])
    missed("values differ in 3 of 3", pair, lambda: (numbers(3, grad=True),), inner=gradient)


def test_gradients_that_cancel_may_differ():
    """That of a bias before a batch norm is zero: what kernels compute is rounding of larger numbers."""
    def centred(x, scale, bias):
        y = x * scale + bias
        return y - y.mean(0)

    def inputs():
        return numbers(8, 3).sin(), numbers(3, grad=True), numbers(3, grad=True)

    def off(by):
        return planted(backward=lambda results: [*results[:-1], results[-1] + by])

    proved(centred, inputs, inner=off(3e-8))
    missed("values differ in 3 of 3 elements", centred, inputs, inner=off(1e-3))
    missed("values differ", centred, inputs, inner=off(float("nan")))
    with patch.object(proving, "_against", lambda ours, eager, **_: _against(ours, eager)):
        missed("values differ", centred, inputs, inner=off(3e-8))  # so there is something to allow


def test_what_is_as_near_to_float64_as_eager_mode_may_differ():
    """The gradients of squares after a layer norm cancel, and so do those of a softmax's sum."""

    def squares(x, w):
        return torch.nn.functional.layer_norm(x @ w, (4,)).square().mean()

    def shares(x, w):
        return torch.softmax(x @ w, -1).sum()

    def inputs():
        return numbers(3, 4).sin().detach().requires_grad_(), numbers(4, 4).cos().detach().requires_grad_()

    def off(by):
        return planted(backward=lambda results: [results[0] + by, *results[1:]])

    for function in (squares, shares):
        proved(function, inputs, inner=off(3e-7))
        missed("values differ in 12 of 12", function, inputs, inner=off(1e-5))
        missed("values differ", function, inputs, inner=off(float("nan")))
    with patch.object(proving, "InFloat64", side_effect=CaptureError("none")):
        missed("values differ", shares, inputs, inner=off(3e-7))  # so there is something to allow

    def even():  # here eager mode has no rounding
        return numbers(3, 4).mul(0).detach().requires_grad_(), numbers(4, 4).cos().detach().requires_grad_()

    proved(shares, even, inner=off(3e-7))

    def small(x, w):
        return shares(x, w) * 1e-6 + (x * 1e-6).sum()

    proved(small, inputs, inner=off(0))
    missed("values differ in 12 of 12", small, inputs, inner=off(1e-7))  # small, but not zero


def test_a_run_in_float64_that_computes_something_else_excuses_nothing():
    def results(value):
        snapshot = Snapshot()
        snapshot.add("results", (value,))
        return snapshot

    def excused(ours, eager, exact):
        return not _against(results(numbers(3) * ours), results(numbers(3) * eager), excused=as_near_to(results(numbers(3).double() * exact)))

    assert not excused(1.5, 1, 1)
    assert excused(1 + 5e-3, 1 + 6e-4, 1)  # 8 times as far
    assert not excused(1 + 9e-3, 1 + 6e-4, 1)  # 15 times
    assert not excused(1.5, 1, 2)  # it is nearer, but to something else


def test_a_mask_is_not_a_scale():
    """What is added to numbers to take them out is larger than all of them, and says nothing of their rounding."""
    least = torch.finfo(torch.float32).min

    def masked(x, mask, kept):
        kept.mul_(0.5).add_(x)
        return torch.softmax(kept + mask, -1), kept * 2

    def inputs():
        return numbers(4).sin(), torch.tensor([0, least, 0, 0]), torch.zeros(4)

    def off(by):
        return planted(lambda results: [results[0] + by, *results[1:]])

    proved(masked, inputs, inner=off(0))
    missed("args[0]: values differ in 4 of 4", masked, inputs, inner=off(1))


def test_gradients_that_are_tiny_are_not_zero():
    def tiny(x):
        return (x.sin() * 1e-16).sum()

    def off(factor, by):
        return planted(backward=lambda results: [results[0] * factor + by])

    def inputs():
        return (numbers(4, grad=True),)

    proved(tiny, inputs, inner=off(1, 0))
    missed("values differ in 4 of 4", tiny, inputs, inner=off(-7, 1e-7))


def test_the_run_in_float64_leaves_no_autocast():
    def narrow(x, w):
        with torch.autocast("cpu", torch.bfloat16):
            y = x @ w
            return y, y.view(torch.int16), torch.softmax(x @ w, -1).float().sum()

    def inputs():
        return numbers(3, 4).sin(), numbers(4, 4).cos()

    before = torch.get_autocast_dtype("cpu")
    missed("values differ", narrow, inputs, inner=planted(lambda results: [results[0] + 1, *results[1:]]))
    assert torch.get_autocast_dtype("cpu") == before and not torch.is_autocast_enabled("cpu")
    assert torch.autocast_increment_nesting() == 1
    torch.autocast_decrement_nesting()


def test_graphs_that_are_not_run_in_float64_are_proved_as_before():
    """Where bits are looked at, or something narrower is written, which float64 would not see."""

    def bits(x, w):
        y = torch.softmax(x @ w, -1)
        return y.sum() + y.detach().view(torch.int32).sum() * 0

    def inputs():
        return numbers(3, 4).sin().detach().requires_grad_(), numbers(4, 4).cos().detach().requires_grad_()

    def off(by):
        return planted(backward=lambda results: [results[0] + by, *results[1:]])

    proved(bits, inputs, inner=off(0))
    missed("values differ in 12 of 12", bits, inputs, inner=off(3e-7))

    narrow, wide = numbers(3), numbers(3).double()
    for write in (lambda x: x.add_(1), lambda x: x.__setitem__(0, 5), lambda x: torch.add(x, 1, out=x), lambda x: operator.iadd(x, 1)):
        with proving.InFloat64():
            write(wide)
            assert (narrow + wide).dtype == narrow.float().dtype == torch.zeros(2).dtype == torch.zeros(2, dtype=torch.float32).dtype == torch.float64
            try:
                write(narrow)
            except CaptureError:
                continue
        raise AssertionError("a write to a tensor that is not wider was lost")


def test_written_means_that_cancel_may_differ():
    """A batch norm keeps the mean of what another one has centred."""

    def keeping(x, mean):
        y = x - x.mean(0)
        mean.mul_(0.9).add_(y.mean(0), alpha=0.1)
        return y * 2

    def inputs():
        return numbers(8, 3).sin(), torch.zeros(3)

    def off(by):
        return planted(lambda results: [results[0] + by, *results[1:]])

    proved(keeping, inputs, inner=off(3e-8))
    missed("args[1]: values differ in 3 of 3 elements", keeping, inputs, inner=off(1e-3))
    missed("args[1]: values differ", keeping, inputs, inner=off(float("nan")))


def test_rounding_of_a_narrower_dtype_may_differ():
    """A float32 result of a product in bfloat16, as under autocast, is as far from eager mode's as bfloat16 rounds."""

    def narrow(x, w):
        return (x.bfloat16() @ w.bfloat16()).float()

    def wide(x, w):
        return x @ w

    def inputs():
        return numbers(3, 3).sin(), numbers(3, 3).cos()

    def off(by):
        return planted(lambda results: [results[0] + by, *results[1:]])

    proved(narrow, inputs, inner=off(2**-7))
    missed("values differ", narrow, inputs, inner=off(1))

    calls = []

    def first_call_off(results):
        calls.append(1)
        return [results[0] + (2**-7 if len(calls) == 1 else 0), *results[1:]]

    # The kernels are not the reason then: PyTorch's own wrapper gets other bits from them.
    report, _ = reported(narrow, inputs, inner=planted(first_call_off))
    assert report.misses == 1 and "values differ" in report[0].why, str(report)
    missed("values differ", wide, inputs, inner=off(2**-7))


def test_a_later_call_is_proved():
    calls = []

    def later(results):
        calls.append(1)
        return [results[0] + (calls[-1:] and len(calls) > 6), *results[1:]]

    missed_later, _ = reported(pair, lambda: [(numbers(3),)] * 4, inner=planted(later))
    assert missed_later.misses == 1 and "values differ" in missed_later[0].why, str(missed_later)


def test_a_gradient_of_zeros_that_eager_mode_does_not_have():
    """A backward from one result of two gives the arguments of the other one zeros, as PyTorch's own does."""

    def apart(x, y):
        return x.sin(), y.cos()

    def inputs():
        return numbers(3, grad=True), numbers(3, grad=True)

    def with_dropout(x, y):
        return torch.nn.functional.dropout(x), y.cos()

    proved(apart, inputs)
    proved(with_dropout, inputs)
    missed("backward from 1 of 2 results fails", apart, lambda: (TwoTensor(numbers(3), numbers(3)).requires_grad_(), numbers(3, grad=True)))
    missed("values differ in 3 of 3", apart, inputs, inner=planted(backward=lambda results: [results[0], results[1] * 2]))
    missed("is torch.float32, not None", apart, inputs, inner=planted(backward=lambda results: [results[0] + 1, results[1]]))
    with patch.object(proving, "_take_over", lambda *_: None):
        missed("is torch.float32, not None", apart, inputs)  # PyTorch's own wrapper is asked


@contextlib.contextmanager
def falsified(old, new):
    """The YAML of each graph says something else."""
    original = callables.build_extension

    def build_extension(text, *rest, **options):
        assert old in text, text
        return original(text.replace(old, new), *rest, **options)

    with patch.object(callables, "build_extension", build_extension):
        yield


def test_a_wrong_wrapper_is_a_miss():
    def flat(x):
        return x.mul_(2), x.view(6)

    with falsified("view: [{op: view, size: [6]}]", "view: [{op: view, size: [6]}, {op: detach}]"):
        report, _ = reported(flat, lambda: (numbers(2, 3, grad=True).clone(),))
    assert report.misses == 1 and "results[1]: requires_grad is False, not True" in report[0].why, str(report)


def test_other_graphs_are_built():
    def two_graphs(x):
        y = x.sin()
        torch._dynamo.graph_break()
        return y + 1, y * 2

    report, _ = reported(two_graphs, lambda: (numbers(3),), inner=planted(lambda results: [results[-1], *results[1:]]))
    assert [row.hit for row in report] == [True, False], str(report)


def test_the_program_notices_nothing():
    def run(verify):
        torch.manual_seed(0)
        seen, state, w = [], torch.zeros(3), numbers(3, grad=True)

        def program(x):
            seen.append(1)
            torch._dynamo.graph_break()
            state.add_(x)
            return torch.nn.functional.dropout(w * x) + state

        report, _ = reported(program, lambda: [(numbers(3),), (numbers(3) * 2,)], verify=verify)
        assert report.misses == 0, str(report)
        return len(seen), state, w.grad, state._version, w._version, torch.get_rng_state()

    with_proof, without = run(True), run(False)
    assert with_proof[0] == without[0] == 2 and torch.equal(with_proof[1], numbers(3) * 3)
    assert with_proof[2] is without[2] is None and with_proof[3:5] == without[3:5]
    assert torch.equal(with_proof[5], without[5])


def test_what_is_copied():
    """Arguments of all kinds are copied as they are, so that what is right is not found wrong."""
    def written_parts(x, y):
        x.mul_(3)
        return x + y[:2], y * 2

    def parts():
        whole = numbers(6, grad=True).clone()
        return whole[:2], whole[2:]

    def plain_parts():
        whole = numbers(6)
        return whole[:2], whole[1:5]

    def same():
        x = numbers(3)
        return x, x

    proved(written_parts, parts)
    proved(written_parts, plain_parts)
    proved(lambda x, y: (x.add_(1), y * 2), same)
    proved(lambda x: x.t().mul_(2), lambda: (numbers(2, 3).t(),))
    proved(lambda x: (*x.unbind(0), x.view(6)), lambda: (numbers(2, 3, grad=True).clone(),))  # protected in another way than in eager mode
    proved(lambda x: x.conj() * 2, lambda: (torch.view_as_complex(numbers(3, 2)).conj(),))
    proved(lambda t: (t * 2, t + 1), lambda: (TwoTensor(numbers(3), numbers(3)),))
    proved(lambda t: t.sin(), lambda: (torch.nested.nested_tensor_from_jagged(numbers(6, 2), torch.tensor([0, 2, 3, 6])),))
    proved(torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Dropout()), lambda: [(numbers(2, 3),)] * 2)
    proved(lambda x: (torch.empty_like(x), x + 1), lambda: (numbers(3),))
    proved(lambda x: torch.rand_like(x) + x, lambda: (numbers(3, grad=True),))
    with torch.no_grad():
        proved(lambda x: x.add_(1), lambda: (numbers(3, grad=True),))


@contextlib.contextmanager
def failing_as_a_model(place):
    """AOTInductor cannot compile the graph that is the `place`."""
    compile_one = models.compile_fx_inner

    def compile_fx_inner(module, args, **options):
        if V.aot_compilation and bool(options.get("is_backward")) == (place == "backward"):
            raise InductorError(NotImplementedError("no kernel for it\nand more"), None)
        return compile_one(module, args, **options)

    with patch.object(models, "compile_fx_inner", compile_fx_inner):
        yield


def test_a_backward_that_is_not_compiled():
    """It is compiled within the proof, or without that when the directory is written, and does not count as a difference from eager mode."""

    def refused(words, place, **options):
        with failing_as_a_model(place), tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                build(square, lambda: (numbers(3, grad=True),), f"{folder}/built", load=True, **options)
            except CaptureError as problem:
                assert words in str(problem) and "differs" not in str(problem) and "\n" not in str(problem), problem
                return
        raise AssertionError("it is built")

    why = "square (test_proving.py): AOTInductor cannot compile its backward: NotImplementedError: no kernel for it"
    refused(why, "backward")
    refused(why, "backward", verify=False)
    refused("AOTInductor cannot compile its forward: NotImplementedError: no kernel for it", "forward")

    def unable(module, args):
        raise KeyError("sine")

    inner = aot_autograd(fw_compiler=lambda module, _: make_boxed_func(module), bw_compiler=unable)
    report, said = reported(square, lambda: (numbers(3, grad=True),), inner=inner)
    assert report.misses == 1 and report[0].why == "PyTorch cannot compile its backward: KeyError: 'sine'", str(report)


def test_what_is_not_proved_is_named():
    def with_history():
        return (TwoTensor(numbers(3), numbers(3)).requires_grad_() * 1,)

    report, said = reported(lambda t: t * 2, with_history)
    assert report.hits == 1 and any("not compared with eager mode: an argument, a TwoTensor, has a history" in text for text in said), said
