# SPDX-License-Identifier: MIT
"""Keys of kernels from Python, compared with wg_key.py, which computes them in Python from the contract."""

import collections
import copy
import gc
import inspect
import random
import sys
import warnings

from scenario import contract, kernel_library, raises, test

import torch
from torch.testing._internal.two_tensor import TwoTensor
from wrapgen_torch.extension import load_extension


class Plain(torch.Tensor):
    """A subclass that C++ takes for a plain tensor."""


Config = collections.namedtuple("Config", "exact rate")  # in another order than in the YAML
Deep = collections.namedtuple("Deep", "deep")


def fresh():
    return load_extension(kernel_library())


def check(kernel, *args, extra=(), **named):
    """The same bytes as wg_key.py; returns the key."""
    wg_key, known = contract()
    numbers = dict(zip(known[kernel].key["key_extra"], extra))
    if kernel == "small":
        numbers = {"user_" if name == "user" else name: n for name, n in numbers.items()}
    key = getattr(check.module, f"{kernel}_key")(*args, **named, **numbers)
    if "lambda_" in named:
        named["lambda"] = named.pop("lambda_")
    words = known[kernel].key_of(*args, extra=[int(n) for n in extra], **named)
    assert bytes(key) == wg_key.to_bytes(words), f"{kernel}{args}: {key}"
    return key


def strided(chance, dtype, rank):
    """A tensor of any layout: sizes of 0 and 1, steps, transposed, expanded, an offset."""
    sizes = [chance.choice([0, 1, 1, 2, 3, 5]) for _ in range(rank)]
    t = torch.empty([size * 2 + 1 for size in sizes], dtype=dtype)
    for dim, size in enumerate(sizes):
        t = t.narrow(dim, chance.choice([0, 1]), size) if chance.random() < 0.5 else t.narrow(dim, 0, 2 * size)[(slice(None),) * dim + (slice(None, None, 2),)]
    t = t.permute(chance.sample(range(rank), rank))
    if rank and chance.random() < 0.3:
        dim = chance.randrange(rank)
        t = t.narrow(dim, 0, min(1, t.size(dim))) if t.size(dim) else t
        t = t.expand([4 if d == dim and t.size(d) == 1 else -1 for d in range(rank)])
    return t


def dressed(chance, t):
    """The same tensor as itself, a parameter, or a subclass of two kinds."""
    how = chance.randrange(5)
    if how == 0 and t.is_floating_point():
        return torch.nn.Parameter(t)
    if how == 1:
        return t.as_subclass(Plain)
    return TwoTensor(t, t) if how == 2 else t


@test
def keys_are_those_of_wg_key():
    check.module, chance, seen = fresh(), random.Random(11), {}
    dtypes = [torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.bool, torch.complex64, torch.uint8]
    for _ in range(400):
        a = dressed(chance, strided(chance, chance.choice(dtypes), chance.randrange(6)))
        b = dressed(chance, strided(chance, chance.choice(dtypes), chance.randrange(6)))
        pair = dressed(chance, strided(chance, torch.float32, 2))
        for key in (check("fixed", a, b), check("fixed", a), check("fixed", a, None), check("fixed", lambda_=b, a=a)):
            assert seen.setdefault(bytes(key), key) == key and hash(seen[bytes(key)]) == hash(key)
        check("bucketed", pair, dressed(chance, strided(chance, chance.choice(dtypes), 2)))
        plain = strided(chance, chance.choice(dtypes), chance.randrange(6))
        check("small", plain, chance.randrange(9), extra=(chance.randrange(-4, 4), chance.random() < 0.5, 90))
    assert len(set(seen.values())) == len(seen) > 500


@test
def one_key_however_a_tensor_is_dressed():
    module, x = fresh(), torch.ones(3, 4)
    keys = {module.fixed_key(t) for t in (x, torch.nn.Parameter(x), x.as_subclass(Plain), TwoTensor(x, x), x.clone(), x.requires_grad_())}
    assert len(keys) == 1
    others = {module.fixed_key(t) for t in (x.t(), x.double(), x[:, :2], torch.ones(3, 4, 1), torch.ones(3, 4, device="meta"), x[:0])}
    assert len(others) == 6 and not others & keys


@test
def tensors_too_large_to_pack():
    check.module = fresh()
    for sizes, strides in (((2**33, 2), (2, 1)), ((2, 2), (2**40, 1)), ((2**31,), (1,)), ((2**31 - 1,), (1,)), ((1, 3), (2**50, 1))):
        t = torch.empty_strided(sizes, strides, device="meta")
        check("fixed", t)
        if len(sizes) == 2:
            check("bucketed", t, t)
    with raises(ValueError, "'a'", "WG_E_SIZE"):
        check.module.small_key(torch.empty(2**31, device="meta"), user_=0, distributed=False, capability=0)


@test
def every_kind_of_argument():
    check.module, chance = fresh(), random.Random(5)
    x = torch.ones(3)
    for _ in range(200):
        rest = {"n": chance.choice([None, -7, 2**62, 0]), "rate": chance.choice([0.5, float("nan"), -0.0, 2.0]),
                "exact": chance.random() < 0.5, "mode": chance.choice(["", "fast", "exactly8", "zwölf" * 9]),
                "as_": chance.choice([torch.int8, torch.float8_e5m2]), "on": chance.choice([torch.device("cpu"), "mps", "cuda:3"])}  # fmt: skip
        sequence = chance.choice([list, tuple])
        deep = sequence([sequence([chance.random() < 0.5]) for _ in range(chance.randrange(3))])
        args = [sequence(chance.choice([x, x[1:], None]) for _ in range(chance.randrange(4))),
                sequence(chance.choice([None, 0, 1, -5]) for _ in range(chance.randrange(4))),
                sequence([chance.random(), "text", {"deep": deep}]),
                chance.choice([None, {"rate": 1.0, "exact": True}, {"exact": False, "rate": 3.5}]),
                torch.float16, chance.choice([None, torch.device("cuda:2"), "meta"]), None, 12]  # fmt: skip
        for leave in ([], list(rest)[3:], list(rest)):
            check("every", *args, **{name: value for name, value in rest.items() if name not in leave})
    key = check("none")
    assert bytes(key) == b"" and repr(key).startswith("<none")


@test
def a_record_is_a_dict_or_a_namedtuple():
    module = fresh()
    def key(config, deep):  # noqa: E306
        return module.every_key([], [], (1.0, "", deep), config, torch.int8, None, None, 1)

    assert key(Config(True, 2.5), Deep([])) == key({"rate": 2.5, "exact": True}, {"deep": ()})
    assert key(Config(False, 2.5), Deep([])) != key({"rate": 2.5, "exact": True}, {"deep": ()})
    for wrong, kind, words in (
        ((True, 2.5), TypeError, "'config' must be dict or namedtuple or None, not tuple"),
        ({"rate": 1.0}, ValueError, "'config' has no field 'exact'"),
        ({"rate": 1.0, "exact": True, "more": 1}, ValueError, "'config' has 3 fields, not 2"),
        (Deep([]), ValueError, "'config' has no field 'rate'"),
        ({"rate": "fast", "exact": True}, TypeError, "'config.rate' must be float, not str"),
    ):
        with raises(kind, "every_key()", words):
            key(wrong, Deep([]))
    with raises(TypeError, "'options[2].deep[1][0]' must be bool, not int"):
        key(None, Deep([[True], [1]]))


@test
def what_a_key_is():
    module, x = fresh(), torch.ones(3, 4)
    key = module.fixed_key(x)
    assert type(key) is module.Key and key == module.fixed_key(x.clone()) and not key != module.fixed_key(x.clone())
    assert module.fixed_key(x) is key, "the same call again gives the same object"
    other = module.fixed_key(x.t())
    assert key != other and key == module.fixed_key(x) is not key
    assert {key: 1, other: 2}[module.fixed_key(x.clone())] == 1
    assert key != bytes(key) and key != 3 and len({key, bytes(key)}) == 2
    alike = module.matmul_key(x, x)
    assert alike != module.fixed_key(x, x) and bytes(alike) == bytes(module.fixed_key(x, x)), "keys of two kernels"
    assert repr(key) == "<fixed: a=float32[3, 4] strides [4, 1] on cpu; lambda=null>", repr(key)
    assert copy.copy(key) is key and copy.deepcopy([key])[0] is key
    for problem, act in (
        (TypeError, lambda: module.Key()),
        (TypeError, lambda: key < other),
        (AttributeError, lambda: setattr(key, "x", 1)),
        (TypeError, lambda: setattr(module.Key, "x", 1)),
    ):
        with raises(problem):
            act()


@test
def keys_of_two_modules_differ_and_outlive_them():
    key, x = fresh().fixed_key(torch.ones(2)), torch.ones(2)
    gc.collect()
    other = fresh().fixed_key(x)
    assert key != other and bytes(key) == bytes(other) and repr(key) == repr(other)


@test
def numbers_besides_the_arguments():
    module, x = fresh(), torch.ones(2)
    keys = {module.small_key(x, user_=u, distributed=d, capability=c) for u in (0, 1) for d in (False, True) for c in (80, 90)}
    assert len(keys) == 8
    with raises(TypeError, "small_key() misses argument 'distributed'"):
        module.small_key(x, user_=1, capability=1)
    with raises(TypeError, "small_key() takes 2 arguments by position; 3 were given"):
        module.small_key(x, 3, 4)
    with raises(TypeError, "small_key(): argument 'distributed' must be bool, not int"):
        module.small_key(x, user_=1, distributed=1, capability=1)


@test
def what_keys_refuse():
    module, x = fresh(), torch.ones(2)
    with raises(TypeError, "fixed_key() takes 2 arguments by position; 3 were given"):
        module.fixed_key(x, x, x)
    with raises(TypeError, "fixed_key() misses argument 'a'"):
        module.fixed_key()
    with raises(TypeError, "fixed_key() has no argument 'lambda'"):
        module.fixed_key(x, **{"lambda": x})
    with raises(TypeError, "fixed_key() got argument 'a' twice"):
        module.fixed_key(x, a=x)
    with raises(TypeError, "fixed_key(): argument 'lambda_' must be torch.Tensor or None, not function"):
        module.fixed_key(x, lambda y: y)
    with raises(TypeError, "fixed_key(): argument 'a' must be torch.Tensor, not NoneType"):
        module.fixed_key(None)
    with raises(ValueError, "WG_E_LAZY", "'a'"):
        module.fixed_key(torch.ones(2, dtype=torch.complex64).conj())
    with raises(ValueError, "WG_E_LAZY", "'a'"):
        module.fixed_key(torch.ones(2, dtype=torch.complex64).conj().imag)
    with raises(ValueError, "WG_E_RANK", "'b'"):
        module.bucketed_key(x, x)
    with raises(TypeError, "WG_E_TYPE", "'a'"):
        module.small_key(x.as_subclass(Plain), user_=0, distributed=False, capability=0)
    rest = (torch.int8, None, None, 1)
    for change, kind, words in (
        ({"n": 1 << 63}, OverflowError, ""),
        ({"n": True}, TypeError, "'n' must be int or None, not bool"),
        ({"mode": "a\0b"}, ValueError, "'mode' has a zero character"),
        ({"mode": "x" * 505}, ValueError, "'mode'"),
        ({"mode": b"x"}, TypeError, "'mode' must be str, not bytes"),
        ({"as_": "float32"}, TypeError, "'as_' must be torch.dtype, not str"),
        ({"as_": torch.quint8}, ValueError, "'as_'"),
        ({"on": 3}, TypeError, "'on' must be torch.device, not int"),
        ({"on": "nowhere"}, RuntimeError, "nowhere"),
    ):
        with raises(kind, words):
            module.every_key([], [], (1.0, "", {"deep": []}), None, *rest, **change)
    for ts, words in (([x] * 4, "'ts'"), (x, "'ts' must be list or tuple, not Tensor"), ([x, 1], "'ts[1]' must be torch.Tensor or None, not int")):
        with raises(ValueError if words == "'ts'" else TypeError, words):
            module.every_key(ts, [], (1.0, "", {"deep": []}), None, *rest)
    with raises(ValueError, "'options' has 1 items, not 3"):
        module.every_key([], [], (1.0,), None, *rest)
    with raises(TypeError, "'unused' must be None, not int"):
        module.every_key([], [], (1.0, "", {"deep": []}), None, torch.int8, None, 0, 1)


@test
def sizes_that_are_symbols_are_refused():
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    module, x = fresh(), torch.ones(3, 4)
    mode = FakeTensorMode(shape_env=ShapeEnv())
    concrete = mode.from_tensor(x, static_shapes=True)
    assert bytes(module.fixed_key(concrete)) == bytes(module.fixed_key(x.clone()))
    symbolic = mode.from_tensor(x, symbolic_context=None, static_shapes=False)
    if any(type(size) is torch.SymInt for size in symbolic.shape):
        with raises(RuntimeError, "symbolic"):
            module.fixed_key(symbolic)


@test
def signatures_of_kernels():
    module = fresh()
    assert str(inspect.signature(module.fixed_key)) == "(a, lambda_=None)"
    assert str(inspect.signature(module.small_key)) == "(a, user=3, *, user_, distributed, capability)"
    every = "(ts, numbers, options, config, to, where, unused, plain, n=-7, rate=0.001, exact=True, mode=\"it's\\\\\", as_=Ellipsis, on=Ellipsis)"
    assert str(inspect.signature(module.every_key)) == every == str(inspect.signature(module.every)), inspect.signature(module.every_key)
    assert str(inspect.signature(module.none_key)) == "()"
    assert "    lambda_: tensor, may be None" in module.fixed_key.__doc__ and "on: device, default cuda:1" in module.every.__doc__
    assert not hasattr(module, "fixed"), "a kernel without variants has a key alone"


@test
def items_that_go_while_they_are_read():
    """An int that runs Python takes the list apart which it is in."""

    class Evil:
        def __init__(self, act):
            self.act = act

        def __index__(self):
            self.act()
            gc.collect()
            return 1

    module = fresh()
    numbers, tensors = [], [torch.ones(2), torch.ones(3)]
    numbers += [Evil(tensors.clear), Evil(numbers.clear), 3]
    key = module.every_key(tensors, numbers, (1.0, "", {"deep": []}), None, torch.int8, None, None, 1)
    assert numbers == tensors == []
    assert key == module.every_key([torch.ones(2), torch.ones(3)], [1, 1, 3], (1.0, "", {"deep": []}), None, torch.int8, None, None, 1)


@test
def keys_hold_nothing():
    module, x = fresh(), torch.ones(5)
    names = [[x], (1, 2), (1.0, "s", {"deep": [[True]]}), {"rate": 1.0, "exact": True}]
    before = [sys.getrefcount(thing) for thing in (x, *names, names[2][2])]
    for _ in range(50):
        module.every_key(*names, torch.int8, "cpu", None, 1)
        try:
            module.every_key(*names, torch.int8, "cpu", None, "wrong")
        except TypeError:
            pass
    assert [sys.getrefcount(thing) for thing in (x, *names, names[2][2])] == before
    with warnings.catch_warnings(record=True):
        assert sys.getrefcount(module.fixed_key(x)) <= 3
