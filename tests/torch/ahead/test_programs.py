# SPDX-License-Identifier: MIT
"""Programs with their built wrappers, compared with torch.compile and eager mode: values, gradients, versions, aliases, modes."""

import contextlib
import tempfile
import warnings

import torch
import torch.nn as nn
from compared import compare, same
from torch._dynamo import mark_dynamic
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.autograd import forward_ad
from torch.testing._internal.two_tensor import TwoTensor
from wrapgen_torch import backend, build


def vector(n=8, grad=False):
    return torch.randn(n, requires_grad=grad)


def matrix(rows, columns, grad=False):
    return torch.randn(rows, columns, requires_grad=grad)


def test_sum():
    same(lambda x, y: x + y, lambda: (vector(), vector()))


def test_sum_with_gradients():
    """Twice: what the first backward of a graph calls is not what all later ones do."""
    same(lambda x, y: x * y + y, lambda: [(vector(grad=True), vector(grad=True)) for _ in range(2)])


def test_written_arguments():
    def program(x, y, z):
        x.add_(1)
        y.mul_(x)
        z.t_()
        return x * 2 + z.sum()

    same(program, lambda: (vector(), vector(grad=True) * 1, matrix(3, 4)), graphs=2)


def test_aliases():
    def program(x, y):
        z = x * y
        return x.view(2, 4), z.view(4, 2), z[1:3], y, z

    same(program, lambda: (vector(), vector()))
    same(program, lambda: (vector(grad=True), vector(grad=True)))


def test_arguments_that_share_memory():
    def program(x, y):
        x.add_(y.sum())
        return x * 2

    def shared():
        whole = vector()
        return whole[:6], whole[2:]

    def twin():
        whole = vector()
        return whole, whole

    same(program, shared)
    same(program, twin)


def test_gradients_of_a_shared_base():
    """Arguments are views of one tensor, and one is written: the gradient is that tensor's. Also with a base that is itself an argument,
    and with an argument that is not merged."""

    def program(x, y, w):
        x.mul_(2)
        return x * w[:6] + y.sum()

    def shared(views, grad=True):
        whole = vector(grad=grad) * 1
        return *views(whole), vector(grad=True)

    def halves(whole):
        return whole[:6], whole[2:]

    def base_last(whole):
        return whole[:6], whole

    def base_first(whole):
        return whole, whole[2:]

    same(program, lambda: shared(halves))
    same(program, lambda: shared(base_last))
    same(lambda x, y, w: (x.mul_(2), x * w + y.sum())[1], lambda: shared(base_first))
    same(program, lambda: shared(halves, grad=False))


def test_numbers_and_none():
    def program(x, n):
        return x * n, None, n + 1

    same(program, lambda: [(vector(), 2), (vector(), 3), (vector(), 5)], graphs=2)


def test_dynamic_sizes():
    def marked(n):
        x, y = matrix(n, 4, grad=True), matrix(n, 4)
        mark_dynamic(x, 0)
        mark_dynamic(y, 0)
        return x, y

    def program(x, y):
        return (x * y).sum(0), x.view(-1), y.shape[0] * 2

    same(program, lambda: [marked(3), marked(7), marked(12)])


def test_compiled_again():
    def program(x, y):
        return x @ y, x.t()

    same(program, lambda: [(matrix(n, 4), matrix(4, n, grad=True)) for n in (2, 3, 5, 6)], graphs=2)


def test_graph_breaks():
    def program(x, y):
        z = x * y
        torch._dynamo.graph_break()
        z = z + 1
        if z.sum() > 0:
            return z * 2
        return z * 3

    same(program, lambda: [(vector(grad=True), vector()), (vector(grad=True), vector())], graphs=3)


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.second = nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Linear(16, 4)

    def forward(self, x):
        return self.second(self.norm(self.first(x)).relu())


def test_module():
    torch.manual_seed(0)
    same(Layers(), lambda: [(matrix(6, 8),), (matrix(6, 8),)])
    same(Layers().eval(), lambda: [(matrix(6, 8),)])


def test_training_with_an_optimizer():
    def make():
        torch.manual_seed(0)
        model = Layers()
        optimizer = torch.optim.Adam(model.parameters(), lr=torch.tensor(0.1))

        def step(x, y):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
            return loss.detach(), [parameter.detach().clone() for parameter in model.parameters()]

        return step

    lines, report = compare(make, lambda: [(matrix(6, 8), matrix(6, 4))] * 3, factory=True, backward=False)
    assert not lines, "\n".join(lines[:8])
    assert report.misses == 0 and report.hits >= 2, str(report)


def test_without_gradients():
    same(lambda x, y: (x * y, x.view(2, 4)), lambda: (vector(grad=True), vector()), grad=False)
    same(lambda x, y: (x * y, x.view(2, 4)), lambda: (vector(), vector()), context=torch.inference_mode, backward=False, grad=False)


def test_no_grad_inside():
    def program(x, y):
        with torch.no_grad():
            z = x * y
        return z + y, z

    same(program, lambda: (vector(), vector(grad=True)))


def test_autocast():
    def program(x, y):
        return x @ y, x.t()

    def context():
        return torch.autocast("cpu", dtype=torch.bfloat16)

    same(program, lambda: (matrix(4, 4), matrix(4, 4, grad=True)), context=context, tolerance=(1e-2, 1e-2))


def test_subclasses():
    def two(grad=False):
        return TwoTensor(vector(), vector()).requires_grad_(grad)

    same(lambda x, y: x * y, lambda: (two(), two()))
    same(lambda x, y: x * y + 1, lambda: (two(grad=True), two()))


def test_random_numbers():
    same(lambda x: torch.nn.functional.dropout(x, 0.5), lambda: (vector(64, grad=True),))


def test_exceptions_of_kernels():
    def program(x, i):
        return x[i] * 2

    same(program, lambda: [(vector(), torch.tensor([1, 2])), (vector(), torch.tensor([1, 99]))], raises=True)


def test_retained_graph():
    def make():
        def run(x, y):
            z = (x * y).sin()
            z.sum().backward(retain_graph=True)
            z.sum().backward()
            return x.grad.clone()

        return run

    lines, report = compare(make, lambda: (vector(grad=True), vector()), factory=True, backward=False)
    assert not lines and report.misses == 0, "\n".join([*lines[:8], str(report)])


def test_saved_values_that_are_written_later():
    def run(x, y):
        z = x * y
        torch._dynamo.graph_break()
        with torch.no_grad():
            y.add_(1)
        return z

    same(run, lambda: (vector(grad=True), vector()), graphs=2, raises=True)


def test_hooks_of_saved_tensors():
    """Hooks that PyTorch calls run around our node, too; those that it traces into the graph would run twice."""

    def squares(pack, unpack):
        def run(x, y):
            return ((x * y) ** 2).sin()

        def context():
            return torch.autograd.graph.saved_tensors_hooks(pack, unpack)

        return compare(run, lambda: (vector(grad=True), vector()), context=context)

    lines, report = squares(lambda x: x * 2, lambda x: x * 1)
    assert not lines and report.misses == 0 and report.hits == 1, "\n".join([*lines[:8], str(report)])
    lines, report = squares(torch.fx.symbolic_trace(lambda x: x * 2), torch.fx.symbolic_trace(lambda x: x * 1))
    assert not lines, "\n".join([*lines[:8], str(report)])
    assert report.hits == 0 and "saved-tensor hooks are part of the graph" in str(report), str(report)


def test_inductor():
    def program(x, w, b):
        b.add_(1)
        return (x @ w + b).relu(), x.t()

    same(program, lambda: [(matrix(4, 3), matrix(3, 5, grad=True), vector(5)) for _ in range(2)], inner="inductor")


def jagged():
    return torch.nested.nested_tensor_from_jagged(torch.randn(6, 2), torch.tensor([0, 2, 3, 6])).requires_grad_()


@torch._dynamo.disable
def _gradients(loss, args):
    (loss.values() if loss.is_nested else loss).sum().backward()
    return [arg.grad.values() if arg.is_nested else arg.grad for arg in args if arg.grad is not None]


def _backward_from(program, which, make_inputs):
    """Results that the loss does not reach: their gradients are zeros, and only the result itself says how to make them."""

    def make():
        def run(*args):
            results = program(*args)
            torch._dynamo.graph_break()
            return _gradients(results[which], args)

        return run

    lines, report = compare(make, make_inputs, factory=True, backward=False)
    assert not lines and report.misses == 0 and report.hits >= 1, "\n".join([*lines[:8], str(report)])


def test_a_backward_from_one_of_several_jagged_results():
    for which in (0, 1):
        _backward_from(lambda x: (x * 2, x * 3), which, lambda: (jagged(),))


def test_a_backward_from_one_of_a_jagged_and_a_plain_result():
    for which in (0, 1):
        _backward_from(lambda x, y: (x * 2, y * 3), which, lambda: (jagged(), vector(grad=True)))


def test_a_backward_from_one_of_several_results_of_another_subclass():
    """PyTorch's own wrapper fails there, and eager mode does not: a miss that says so. Unproved, the wrapper refuses it by the tangent's name."""

    def program(t):
        return t * 2, t * 3

    def make():
        return (TwoTensor(torch.ones(3), torch.ones(3)).requires_grad_(),)

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = build(program, make, folder, inner="aot_eager")
        assert report.misses == 1 and "backward from 0 of 2 results fails" in str(report), report
        assert build(program, make, folder, inner="aot_eager", verify=False).hits == 1
        torch._dynamo.reset()
        compiled = torch.compile(program, backend=backend(folder, inner="aot_eager", fallback="error"))
        for which in (0, 1):
            (t,) = make()
            results = compiled(t)
            try:
                torch.autograd.backward(results[which], torch.ones_like(results[which]))
            except RuntimeError as problem:
                assert f"'output_{1 - which}': is a null pointer (tangent)" in str(problem) and t.grad is None, problem
            else:
                raise AssertionError("a gradient was made of half of the tangents")


def test_forward_mode_derivatives():
    """torch.compile drops them and says nothing, up to 2.14; here the call is refused. Since 2.15 it leaves such a call to eager mode."""

    def program(x):
        return (x**3).sum()

    for grad in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            build(program, lambda grad=grad: (vector(grad=grad) * 1,), folder, inner="aot_eager")
            ours = backend(folder, inner="aot_eager")
            compiled = torch.compile(program, backend=ours)
            x = vector(grad=grad) * 1
            with forward_ad.dual_level():
                dual = forward_ad.make_dual(x, torch.ones(8))
                try:
                    derivative = forward_ad.unpack_dual(compiled(dual)).tangent
                except RuntimeError as problem:
                    assert "has a forward-mode derivative, which a compiled graph would drop" in str(problem), problem
                else:
                    wanted = forward_ad.unpack_dual(program(dual)).tangent
                    assert derivative is not None and torch.equal(derivative, wanted), "a derivative was dropped"
                assert torch.equal(compiled(x), program(x))
            assert ours.report().misses == 0, ours.report()


def test_fake_tensors():
    """A program that is tried without memory runs under PyTorch's own wrapper, before and after a call that is a hit."""

    def program(x, w):
        return x.sin() @ w

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        build(program, lambda: (matrix(4, 4), matrix(4, 4, grad=True)), folder, inner="aot_eager")
        for order in ((True, False, True), (False, True, False)):
            torch._dynamo.reset()
            ours = backend(folder, inner="aot_eager")
            compiled = torch.compile(program, backend=ours)
            for fake in order:
                with FakeTensorMode() if fake else contextlib.nullcontext():
                    x, w = matrix(4, 4), matrix(4, 4, grad=True)
                    y = compiled(x, w)
                    assert isinstance(y, FakeTensor) == fake and y.shape == (4, 4) and y.requires_grad
                assert fake or torch.equal(y, program(x, w))
            assert ours.report().hits == 1 and "with fake tensors" in str(ours.report()), ours.report()


def test_compiled_autograd_in_the_settings():
    def program(x, w):
        loss = (x @ w).relu().sum()
        torch._dynamo.graph_break()
        loss.backward()
        return loss.detach(), w.grad.clone()

    def make():
        torch.manual_seed(1)
        return matrix(4, 4), matrix(4, 4, grad=True)

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        build(program, make, folder, inner="aot_eager")
        with torch._dynamo.config.patch(compiled_autograd=True):
            ours = backend(folder, inner="aot_eager")
            got = torch.compile(program, backend=ours)(*make())
        assert all(torch.equal(one, other) for one, other in zip(got, program(*make()), strict=True))
        hits = [row.code for row in ours.report() if row.hit]
        assert not any(code.startswith("program (") for code in hits) and "compiled autograd is on" in str(ours.report()), ours.report()


def test_compiled_autograd():
    def program(x, w):
        return (x @ w).relu().sum()

    with tempfile.TemporaryDirectory() as folder:
        build(program, lambda: (matrix(4, 4), matrix(4, 4, grad=True)), folder, inner="aot_eager")
        compiled = torch.compile(program, backend=backend(folder, inner="aot_eager"))
        loss = compiled(matrix(4, 4), matrix(4, 4, grad=True))
        with torch._dynamo.compiled_autograd._enable(torch.compile(backend="eager")):
            try:
                loss.backward()
            except RuntimeError as problem:
                assert "compiled autograd cannot trace CompiledFunctionBackward" in str(problem), problem
                assert "frame #" not in str(problem)
            else:
                raise AssertionError("compiled autograd traced a generated backward")
