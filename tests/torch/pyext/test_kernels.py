# SPDX-License-Identifier: MIT
"""Dispatchers from Python: variants in Python, in C, and graphs; misses; graphs that call a dispatcher."""

from scenario import Special, grown, kernel_library, raises, test

import torch
from wrapgen_torch.extension import load_extension


def fresh(**functions):
    module = load_extension(kernel_library())
    for name, function in {"wide_kernel": lambda args: (args[0] * 3, 64), **functions}.items():
        module.bind(name, function)
    return module


@test
def variants_in_python():
    called = []

    def row(args):
        called.append("row")
        a, b, scale = args
        args.clear()
        return [a @ b * scale, 1, 0.5, True, None]

    module = fresh(matmul_row=row, matmul_square=lambda args: (args[0], 2, 2, False, None))
    a, b = torch.arange(3.0)[None], torch.ones(3, 2)
    y, n, real, truth, nothing = module.matmul(a, b, scale=2.0)
    assert torch.equal(y, a @ b * 2) and (n, real, truth, nothing) == (1, 0.5, True, None) and called == ["row"]
    assert torch.equal(module.matmul(a, b=b)[0], a @ b), "the default of the YAML"
    square = torch.ones(2, 2)
    same, n, real, _, _ = module.matmul(square, square)
    assert same is square and (n, type(real)) == (2, float) and called == ["row", "row"]


@test
def a_miss_names_the_nearest_variant():
    module = fresh()
    with raises(ValueError, "WG_E_NO_VARIANT", "matmul: no variant accepts", "'matmul_row'", "size of dim 0 of 'b'", "3, found 4"):
        module.matmul(torch.ones(1, 3), torch.ones(4, 2))
    with raises(ValueError, "WG_E_DTYPE", "'b'", "expected float32, found float64"):
        module.matmul(torch.ones(2, 2), torch.ones(2, 2).double())
    with raises(ValueError, "WG_E_LAZY", "'x'"):
        module.spread(torch.ones(2, 2, dtype=torch.complex64).conj())
    with raises(TypeError, "matmul(): argument 'b' must be torch.Tensor, not list"):
        module.matmul(torch.ones(2, 2), [1])
    with raises(TypeError, "small_key() has no argument 'q'"):
        module.small_key(torch.ones(2), q=1)
    with raises(RuntimeError, "nothing is bound to the compiled function 'matmul_square' (bind)"):
        module.matmul(torch.ones(2, 2), torch.ones(2, 2))


@test
def variants_that_go_wrong():
    def special(args):
        raise Special("ours")

    module, x = fresh(matmul_square=special), torch.ones(2, 2)
    with raises(Special, "ours"):
        module.matmul(x, x)
    for wrong, words in (
        ([x, 1, 0.5, True], "returned 4 values, not 5"),
        ([x, 1.5, 0.5, True, None], "result 1 of the compiled function matmul_square must be an int, not float"),
        ([1, 1, 0.5, True, None], "result 0 of the compiled function matmul_square must be a tensor, not int"),
        ([x, 1, 0.5, True, x], "result 4 of the compiled function matmul_square must be None, not Tensor"),
        ({}, "must return a list or tuple, not dict"),
    ):
        module.bind("matmul_square", lambda args, wrong=wrong: wrong)
        try:
            module.matmul(x, x)
        except (RuntimeError, TypeError) as problem:
            assert words in str(problem), problem
        else:
            raise AssertionError(words)


@test
def variants_get_what_the_caller_gave():
    got = []
    module = fresh(every_python=lambda args: got.append(args[:]) or [None], none_python=lambda args: got.append(args[:]) or ())
    x = torch.ones(2)
    args = [[x, None], [3, None, -4], (0.5, "zwölf", {"deep": [(True,), (False,)]}), {"rate": 2.0, "exact": False},
            torch.float16, torch.device("cuda:2"), None, 9]  # fmt: skip
    assert module.every(*args) == (None,)
    assert got[0] == [*args, -7, 0.001, True, "it's\\", torch.bfloat16, torch.device("cuda:1")], got[0]
    assert got[0][0][0] is x and [type(value) for value in got[0][:4]] == [list, list, tuple, dict]
    assert module.every((), (), [1, "", {"deep": ()}], None, torch.int8, None, None, 1, None, on="cpu", exact=False) == (None,)
    assert got[1] == [[], [], (1.0, "", {"deep": []}), None, torch.int8, None, None, 1, None, 0.001, False, "it's\\", torch.bfloat16, torch.device("cpu")]
    assert module.none() == () and got[2] == []


@test
def variants_in_c_and_graphs():
    module = fresh(spread_python=lambda args: [args[0] + args[1], 5])
    x, double, wide = torch.ones(2, 3), torch.ones(2, 3).double(), torch.ones(2, 64)
    y, n = module.spread(x, 0.5)
    assert y is x and n == 6
    y, n = module.spread(double)
    assert torch.equal(y, double + 2) and n == 5
    y, n = module.spread(wide)
    assert torch.equal(y, wide * 3) and n == 64
    with raises(ValueError, "'spread_c' is a function in C"):
        module.bind("spread_c", print)
    with raises(RuntimeError, "spread: the variant failed with code 77: it cannot be 0"):
        module.spread(x, 0.0)
    with raises(ValueError, "nearest"):
        module.spread(x.int())


@test
def graphs_that_call_a_dispatcher():
    module = fresh(spread_python=lambda args: [args[0] + args[1], 5])
    x, double, wide = torch.ones(2, 3), torch.ones(2, 3).double(), torch.ones(2, 64)
    assert module.through(x, 1.5)[1] == 18 and module.through(double, 1.0)[1] == 5
    with raises(RuntimeError, "it is argument 'x' itself"):
        module.through(x, 0.5)
    y, n = module.through(wide, 1.0)
    assert torch.equal(y, wide * 3) and n == 64


@test
def dispatchers_hold_nothing():
    module, x, double = fresh(spread_python=lambda args: [args[0] + args[1], 5]), torch.ones(2, 3), torch.ones(2, 3).double()

    def act():
        module.spread(x, 0.5)
        module.spread(double)
        module.through(torch.ones(2, 64), 1.0)
        module.every_key([x[0], x[1]], [1], (1.0, "", {"deep": []}), None, torch.int8, None, None, 1)
        for wrong in (x.int(), x[0]):
            try:
                module.spread(wrong, 0.0)
            except ValueError:
                pass
        try:
            module.spread(x, 0.0)
        except RuntimeError:
            pass

    assert grown(act) == 0
