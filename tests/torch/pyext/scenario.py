# SPDX-License-Identifier: MIT
"""What the tests of this folder share: the module of graphs.yaml, its compiled functions in PyTorch's boxed convention, and
how tensors that are alive are counted."""

import contextlib
import gc
import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "../../../cmd"))

import torch  # noqa: E402
from wrapgen_torch.extension import TorchHost, build_extension, load_extension  # noqa: E402

tests = []


def test(function):
    tests.append(function)
    return function


class Special(Exception):
    pass


@contextlib.contextmanager
def raises(kind, *words):
    try:
        yield
    except kind as problem:
        assert type(problem) is kind, f"{type(problem).__name__}, not {kind.__name__}"
        for word in words:
            assert word in str(problem), f"{word!r} is not in: {problem}"
        return
    raise AssertionError(f"no {kind.__name__}")


# ---- the compiled functions, in PyTorch's boxed convention ----


def step_kernel(args):
    w, other, n, rate, flag, extra, constant = args
    args.clear()
    assert (type(n), type(rate), type(flag), constant) == (int, float, bool, None)
    assert not torch.is_grad_enabled() or not w.requires_grad
    extra.append(n)
    return [w * 2, w.detach().t(), other, n + 1, rate * 0.5, not flag, None]


def product_kernel(args):
    x, w = args
    args.clear()
    assert not torch.is_grad_enabled()
    return (x * w, x, w)


def product_backward_kernel(args):
    x, _, dy = args
    args.clear()
    assert not torch.is_grad_enabled()
    return (None, x * dy)


def exponent_kernel(args):
    y = torch.exp(args.pop())
    return [y, y]


def exponent_backward_kernel(args):
    y, dy = args
    return [y * dy]


def partly_kernel(args):
    y = torch.exp(args.pop())
    return [y, y.sum(0, keepdim=True).requires_grad_(), y]


def scale_kernel(args):
    x, w = args
    written = x * w
    return [written, written * 2, x.clone(), w]


def scale_backward_kernel(args):
    x, w, dx, dy = args
    d = dx + dy * 2
    return [d * w, d * x]


KERNELS = {
    "step_kernel": step_kernel,
    "empty_kernel": lambda args: [],
    "taking_kernel": lambda args: [args.pop() + 1],
    "product_kernel": product_kernel,
    "product_backward_kernel": product_backward_kernel,
    "exponent_kernel": exponent_kernel,
    "exponent_kernel_taking": exponent_kernel,
    "marked_kernel": lambda args: [args.pop() + 1],
    "write_kernel": lambda args: [x + 1 for x in args],
    "exponent_backward_kernel": exponent_backward_kernel,
    "partly_kernel": partly_kernel,
    "silent_kernel": lambda args: [args.pop().sign()],
    "silent_backward_kernel": lambda args: [None],
    "scale_kernel": scale_kernel,
    "scale_backward_kernel": scale_backward_kernel,
}


def fresh():
    """The module as it is after an import, with everything bound."""
    module = load_extension(library())
    for name, function in KERNELS.items():
        module.bind(name, function)
    return module


def arguments():
    return [torch.ones(4, 3), torch.arange(3.0), 3, 0.5, True, [], None]


def live():
    gc.collect()
    return sum(isinstance(thing, torch.Tensor) for thing in gc.get_objects())


def grown(act, rounds=5):
    """How many tensors and references to None more there are after some rounds of `act`, after a first one."""
    act()
    before = live()
    for _ in range(rounds):
        act()
    return live() - before


_built = []
_kernels = []


def library():
    """The module of graphs.yaml, built once."""
    if not _built:
        _built.append(tempfile.TemporaryDirectory())
        _built.append(build_extension((HERE / "graphs.yaml").read_text(), _built[0].name, "graphs"))
    return _built[1]


def kernel_library():
    """The module of kernels.yaml, with a variant in C, and its contract."""
    if not _kernels:
        kept = tempfile.TemporaryDirectory()
        folder = Path(kept.name)
        host = TorchHost.get()
        variant = folder / "spread.o"
        subprocess.run(["cc", "-std=c11", "-fPIC", "-Wall", "-Wextra", "-Werror", *host.includes, "-c", "-o", variant, HERE / "spread.c"], check=True)
        library = build_extension((HERE / "kernels.yaml").read_text(), folder, "kernels", objects=[variant],
                                  options=["--emit-contract", "contract.json", "--emit-limits", "limits.h"])  # fmt: skip
        _kernels.extend((kept, library))
    return _kernels[1]


def contract():
    """The kernels of kernels.yaml, as wg_key.py knows them."""
    library = kernel_library()
    spec = importlib.util.spec_from_file_location("wg_key", TorchHost.get().folder / "core" / "wg_key.py")
    wg_key = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(wg_key)
    return wg_key, wg_key.load(library.parent / "contract.json")
