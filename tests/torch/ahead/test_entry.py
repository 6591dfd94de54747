# SPDX-License-Identifier: MIT
"""What Dynamo calls: the object of the extension module itself, unless something else is wrapped around the graph."""

import contextlib
import tempfile
import threading
import types
from unittest.mock import patch

import torch
from functorch.compile import make_boxed_func
from test_lifetimes import arguments, both, call, program, right
from torch._C._dynamo.eval_frame import get_eval_frame_callback
from torch._dynamo.backends.common import aot_autograd
from torch.testing._internal.two_tensor import TwoTensor
from wrapgen_torch import backend, build
from wrapgen_torch.ahead import entry

_folders = []  # until the process ends: Dynamo may compile a program again


def built(function, make_inputs):
    folder = tempfile.TemporaryDirectory()
    _folders.append(folder)
    build(function, make_inputs, folder.name, inner="aot_eager")
    torch._dynamo.reset()
    return folder.name


def copied(function):
    """The function with globals of its own, in which Dynamo installs what it calls."""
    names = {name: value for name, value in function.__globals__.items() if not name.startswith("__compiled_fn")}
    return types.FunctionType(function.__code__, names, function.__name__)


def installed(function):
    return [value for name, value in function.__globals__.items() if name.startswith("__compiled_fn")]


def is_direct(value):
    return type(value).__name__ == "Untraced"


def kernels_with(work):
    """A back end like aot_eager, whose kernels do some work first."""
    def compiler(module, _):
        def run(*args):
            work()
            return module.forward(*args)

        return make_boxed_func(run)

    return aot_autograd(fw_compiler=compiler)


def momentum():
    """A step of SGD whose state is there, and its parameters, which the graph holds itself."""
    torch.manual_seed(0)
    parameters = [torch.nn.Parameter(torch.randn(8)) for _ in range(3)]
    for parameter in parameters:
        parameter.grad = torch.randn(8)
    optimizer = torch.optim.SGD(parameters, lr=torch.tensor(0.1), momentum=0.9)
    optimizer.step()

    def step():
        optimizer.step()

    return step, parameters


def test_an_optimizer_calls_the_extension():
    found, given = backend(built(momentum()[0], lambda: ()), inner="aot_eager", fallback="error"), []

    def noting(module, args):
        given.append(found(module, args))
        return given[-1]

    (step, parameters), (theirs, expected) = momentum(), momentum()
    step, theirs = torch.compile(step, backend=noting), torch.compile(theirs, backend="aot_eager")
    for _ in range(3):
        step()
        theirs()
        assert all(map(torch.equal, parameters, expected))
    assert len(given) == 1 and is_direct(given[0]) and found.report().hits == 1


def test_dynamo_calls_the_extension():
    ran = copied(program)
    run = torch.compile(ran, backend=backend(built(program, both), inner="aot_eager", fallback="error"))
    for _ in range(3):
        for args in both():
            run(*args)
    values = installed(ran)
    assert len(values) == 2 and all(is_direct(value) for value in values), values
    y, w = call(run)
    y.sum().backward()
    assert right(w)


def test_what_others_put_around_a_graph_stays():
    called = []

    def around(module, args):
        compiled = found(module, args)

        def counted(*given):
            called.append(1)
            return compiled(*given)

        return counted

    ran = copied(program)
    found = backend(built(program, both), inner="aot_eager", fallback="error")
    run = torch.compile(ran, backend=around)
    for _ in range(2):
        run(*arguments())
    assert len(called) == 2 and not any(is_direct(value) for value in installed(ran))


def test_a_graph_of_pytorchs_own_wrapper_is_left_to_it():
    def other(x):
        return x + 3

    ran = copied(other)
    folder = built(program, both)
    run = torch.compile(ran, backend=backend(folder, inner="aot_eager"))
    assert torch.equal(run(torch.zeros(2)), torch.full((2,), 3.0)) and not any(is_direct(value) for value in installed(ran))


def test_tracing_is_off_in_kernels_and_back_after():
    seen = []
    inner = kernels_with(lambda: seen.append(get_eval_frame_callback()))

    def broken(x):
        y = x * 2
        torch._dynamo.graph_break()
        return helper(y) + 1

    def helper(y):
        return y * 3

    folder = tempfile.TemporaryDirectory()
    _folders.append(folder)
    build(broken, lambda: (torch.ones(3),), folder.name, inner=inner)
    torch._dynamo.reset()
    seen.clear()
    found = backend(folder.name, inner=inner, fallback="error")
    run = torch.compile(broken, backend=found)
    for _ in range(3):
        assert torch.equal(run(torch.ones(3)), torch.full((3,), 7.0))
    assert found.report().hits == 2, found.report()  # what comes after the break was traced, so tracing was back
    assert len(seen) == 6 and seen == [None] * 6
    assert get_eval_frame_callback() is None


def test_an_exception_of_a_kernel_leaves_tracing_as_it_was():
    failing = []

    def work():
        if failing:
            raise ArithmeticError("from the kernel")

    inner = kernels_with(work)

    def body(x):
        return x * 2

    folder = tempfile.TemporaryDirectory()
    _folders.append(folder)
    build(body, lambda: (torch.ones(3),), folder.name, inner=inner)
    torch._dynamo.reset()
    run = torch.compile(body, backend=backend(folder.name, inner=inner, fallback="error"))
    assert torch.equal(run(torch.ones(3)), torch.full((3,), 2.0))
    seen = []

    def within():
        """Under another compilation, so that there is something to go back to."""
        before = get_eval_frame_callback()
        failing.append(1)
        with contextlib.suppress(ArithmeticError):
            run(torch.ones(3))
        seen.append((before, get_eval_frame_callback()))
        failing.clear()

    within()
    torch.compiler.disable(within)()

    @torch._dynamo.disable(recursive=False)
    def skipped():
        within()

    torch.compile(skipped, backend="eager")()
    assert len(seen) == 3 and all(before is after for before, after in seen), seen


def test_errors_have_the_programs_names():
    def step(first, second):
        return first + second

    folder = built(step, lambda: (torch.ones(2, 3), torch.ones(2, 3)))
    ran = copied(step)
    run = torch.compile(ran, backend=backend(folder, inner="aot_eager", fallback="error"))
    run(torch.ones(2, 3), torch.ones(2, 3))
    (value,) = installed(ran)
    assert is_direct(value)
    try:
        value(torch.ones(2, 3), torch.ones(2, 4))
    except ValueError as problem:
        assert "'second'" in str(problem) and "input_" not in str(problem), problem
    else:
        raise AssertionError("a wrong size is taken")


def test_a_boxed_list_is_emptied():
    """Graphs that take lists are called boxed, so that arguments may end early."""
    kept = []
    original = entry.direct

    def boxed(compiled):
        forward = entry.innermost_fn(compiled)
        cells = dict(zip(forward.__code__.co_freevars, (cell.cell_contents for cell in forward.__closure__), strict=True))
        kept.append(cells["compiled_fn"])
        return original(compiled)

    folder = built(program, both)
    with patch("wrapgen_torch.ahead.backend.direct", boxed):
        run = torch.compile(program, backend=backend(folder, inner="aot_eager", fallback="error"))
        run(*arguments())
    (boxed_call,) = kept
    given = list(arguments())
    y, _ = boxed_call(given)
    assert given == [] and y.requires_grad


def test_stances_are_pytorchs_own():
    ran = copied(program)
    run = torch.compile(ran, backend=backend(built(program, both), inner="aot_eager", fallback="error"))
    for args in both():
        run(*args)
    for stance in ("eager_on_recompile", "fail_on_recompile", "default"):
        with torch.compiler.set_stance(stance):
            y, w = call(run)
            y.sum().backward()
            assert right(w)


def test_threads_call_what_one_has_compiled():
    run = torch.compile(copied(program), backend=backend(built(program, both), inner="aot_eager", fallback="error"))
    for args in both():
        run(*args)
    problems = []

    def work():
        try:
            for _ in range(30):
                y, w = call(run)
                y.sum().backward()
                assert right(w) and get_eval_frame_callback() is None
        except BaseException as problem:  # noqa: BLE001 - told in the thread that asked
            problems.append(problem)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not problems and not any(thread.is_alive() for thread in threads), problems[:1]


def test_one_compiled_function_calls_another():
    inside = copied(lambda x: x * 2)
    shared = built(inside, lambda: (torch.ones(3),))
    inner = torch.compile(inside, backend=backend(shared, inner="aot_eager", fallback="error"))
    inner(torch.ones(3))

    def outside(x):
        y = x + 1
        torch._dynamo.graph_break()
        return not_traced(y) + 1

    @torch._dynamo.disable
    def not_traced(y):
        return inner(y)

    run = torch.compile(outside, backend="aot_eager")
    for _ in range(2):
        assert torch.equal(run(torch.ones(3)), torch.full((3,), 5.0))


def test_the_class_of_a_guarded_argument_is_enough():
    """Dynamo tests a subclass's context before the call, so the wrapper asks the class nothing; another context is another graph."""
    asked = []
    flatten = TwoTensor.__tensor_flatten__

    def add(x, y):
        return x + y

    def pair():
        return TwoTensor(torch.ones(3), torch.zeros(3))

    ran = copied(add)
    run = torch.compile(ran, backend=backend(built(add, lambda: (pair(), pair())), inner="aot_eager", fallback="error"))
    run(pair(), pair())
    x, y = pair(), pair()
    (value,) = installed(ran)
    assert is_direct(value)
    TwoTensor.__tensor_flatten__ = lambda self: asked.append(1) or flatten(self)
    try:
        (z,) = value(x, y)
    finally:
        TwoTensor.__tensor_flatten__ = flatten
    assert not asked and torch.equal(z.a, torch.full((3,), 2.0)) and torch.equal(z.b, torch.zeros(3))
