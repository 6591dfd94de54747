# SPDX-License-Identifier: MIT
"""What is read of PyTorch's ViewMetas is there to be read; views of what a matrix product returns are views of it, and views of an
argument that kernels copy are views of the argument."""

import tempfile
import warnings

import torch
from functorch.compile import make_boxed_func
from torch._C import _functionalization
from torch._dynamo.backends.common import aot_autograd
from wrapgen_torch import backend, build, views


def _kinds():
    return {name.removesuffix("_ViewMeta"): getattr(_functionalization, name) for name in dir(_functionalization) if name.endswith("_ViewMeta")}


def test_only_what_the_table_has_is_read():
    """Each kind of PyTorch's is in the table, with as many arguments as PyTorch says, after a header that ends with the inverse mode; or
    it is refused unread."""
    read = set()
    for overload, kind in _kinds().items():
        overload = views._INPLACE.get(overload, overload)
        if overload not in views._OPERATIONS:
            unread = type(kind.__name__, (), {"as_tuple": lambda self: (_ for _ in ()).throw(AssertionError(f"{type(self)} is read"))})
            try:
                views._operation(unread(), None, "x")
            except views.NotExpressible as problem:
                assert str(problem) == overload
                continue
            raise AssertionError(f"{overload} is not refused")
        read.add(overload)
        (said,) = [line for line in kind.__init__.__doc__.splitlines() if line.startswith("__init__")]
        _, mode, after = said.partition("InverseReturnMode")
        operation, names = views._OPERATIONS[overload]
        arguments = _top_level(after.partition("]) ->")[0])
        assert mode and len(arguments) == len(names), f"{overload}: {said}"
        assert (said.count("typing.SupportsInt", 0, said.index("InverseReturnMode")) > 0) == (operation in views._SEVERAL_OUTPUTS), said
    assert read == set(views._OPERATIONS) and {"_unsafe_view", "resize_"} <= _kinds().keys() - read


def _top_level(text):
    """The parts of ", a, b[c, d], e"."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "[") - (letter == "]")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def rows(x, w):
    h = x @ w
    return h.view(6, 4), h.transpose(0, 1), h


def rows_alone(x, w):
    h = x @ w
    return h.view(6, 4), h.transpose(0, 1)


def columns(x, w):
    h = w @ x.transpose(1, 2)
    return h[:, 1:3], h.flatten(), h


def batches(x, w):
    h = torch.bmm(x, w.expand(2, 4, 4))
    return h, h[0], h.select(2, 1), h.unsqueeze(0)


def of_a_view(x, w):
    h = (x @ w).transpose(0, 2)
    return h, h[1:]


def twice(x, w):
    h = (x @ w) @ w
    return h[0], h[:, 0], h


PROGRAMS = (rows, rows_alone, columns, batches, of_a_view, twice)


def _arguments(grad=True):
    torch.manual_seed(0)
    return torch.randn(2, 3, 4).requires_grad_(grad), torch.randn(4, 4).requires_grad_(grad)


def _facts(results):
    """What autograd knows about the results: whose view each is, where, and its shape; and what a write to the first of them does."""
    bases = {id(one): position for position, one in enumerate(results) if not one._is_view()}
    made = {}  # bases that are not returned, in order
    said = []
    for one in results:
        base = one._base
        of = None if base is None else bases.get(id(base), ("base", made.setdefault(id(base), len(made))))
        said.append((of, tuple(one.shape), one.stride(), one.storage_offset(), one.requires_grad, one._version))
    with torch.no_grad():
        results[0].add_(1)
    return said, [one._version for one in results], [one.detach().clone() for one in results]


def _gradients(function, args):
    results = function(*args)
    sum((position + 1) * one.square().sum() for position, one in enumerate(results)).backward()
    return [one.grad for one in args]


def test_views_of_a_product():
    for dynamic in (False, True):
        for program in PROGRAMS:
            with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                torch._dynamo.reset()
                build(program, lambda: [_arguments(), _arguments(False)], folder, inner="aot_eager", dynamic=dynamic)
                torch._dynamo.reset()
                found = backend(folder, inner="aot_eager", fallback="error")
                run = torch.compile(program, backend=found, dynamic=dynamic)
                compiled = torch.compile(program, backend="aot_eager", dynamic=dynamic)
                for grad in (True, False):
                    for one in (run, compiled):
                        one(*_arguments(grad))  # in the first call PyTorch's versions are higher
                    (*ours, values), (*pytorch, _), (*eager, right) = (_facts(one(*_arguments(grad))) for one in (run, compiled, program))
                    # Without gradients, a product may be a view of something hidden in PyTorch's compiled program.
                    assert ours == eager or not grad and ours == pytorch, f"{program.__name__}, {grad}: {ours}, {pytorch}, eager {eager}"
                    assert all(map(torch.allclose, values, right)), program.__name__
                mine, args = _gradients(run, _arguments()), _arguments()
                assert all(torch.allclose(a, b, atol=1e-5) for a, b in zip(mine, _gradients(program, args), strict=True)), program.__name__
                assert found.report().misses == 0


def _copying():
    """A back end whose kernels copy an argument that begins where no vector may, as Inductor's do on a GPU: what they return as its view
    is in another storage."""
    def compiler(module, _):
        def run(*args):
            return module(*(one.clone() if isinstance(one, torch.Tensor) and one.data_ptr() % 64 else one for one in args))

        return make_boxed_func(run)

    return aot_autograd(fw_compiler=compiler, bw_compiler=compiler)


def literal(x, _):
    return x[1:3], x.sin()


def by_size(x, _):
    return x[1 : x.shape[0] // 2], x.sin()


def by_result(x, start):
    first = start.item()
    torch._check(first >= 0)
    torch._check(first < x.shape[0])
    return x[first:], x.sin()


def _part(offset, length=8):
    return torch.arange(32.0)[offset : offset + length], torch.tensor(2)


def _told(view, x):
    return view.tolist(), view.storage_offset(), view._base is x._base


def test_views_of_a_copied_argument():
    """Replayed over the argument they are eager mode's. Where only a result tells the size, PyTorch takes the offset from the copy (from
    2.14 on it adds the argument's), and a wrapper refuses the call."""
    for program, dynamic in ((literal, False), (by_size, True), (by_result, False)):
        inner = _copying()
        capture = torch._dynamo.config.patch(capture_scalar_outputs=True)
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), capture:
            warnings.simplefilter("ignore")
            build(program, lambda: [_part(0), _part(0, 12)] if dynamic else [_part(0)], folder, inner=inner, dynamic=dynamic)
            torch._dynamo.reset()
            found = backend(folder, inner=inner, fallback="error")
            run = torch.compile(program, backend=found, dynamic=dynamic)
            for offset in (0, 3):
                args = _part(offset)
                try:
                    said = _told(run(*args)[0], args[0])
                except RuntimeError as problem:
                    assert "(storage) [WG_E_RESULT]" in str(problem), problem
                    said = "refused"
                right = _told(program(*args)[0], args[0])
                assert said == ("refused" if program is by_result and offset else right), f"{program.__name__}, {offset}: {said}, eager {right}"
            assert found.report().misses == 0
        torch._dynamo.reset()
