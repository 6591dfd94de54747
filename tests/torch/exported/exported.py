# SPDX-License-Identifier: MIT
"""Exported programs under the wrapper that their YAML gives, around the functional graph, and as PyTorch runs them: values,
aliases, identity, what is mutated; with three sizes where sizes vary."""

import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

warnings.filterwarnings("ignore")
sys.path.insert(0, str(Path(__file__).resolve().parent / "../../../cmd"))

import torch  # noqa: E402
from torch.export import Dim, export  # noqa: E402

from wrapgen_torch import CaptureError  # noqa: E402
from wrapgen_torch.exported import exported, shared_by  # noqa: E402
from wrapgen_torch.module_program import module_of  # noqa: E402


class Ran:
    """An exported program, built. Calling it takes and returns what program.module() does, flat."""

    def __init__(self, program):
        self._program = program.run_decompositions({})
        written = exported(program, "tried")
        assert exported(self._program, "tried", shared=shared_by(program)).document == written.document, "a program that is functional is described otherwise"
        self.graph = written.document["graphs"][0]
        self._module = module_of(written.yaml, {"tried_kernel": self._body}, SimpleNamespace(types={}, contexts={}))

    def _body(self, args):
        return self._program.graph_module(*args)

    def __call__(self, *args):
        with torch.no_grad():
            return self._module.tried(*args)


class Module(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        torch.manual_seed(2)
        self.function = function
        self.weight = torch.nn.Parameter(torch.randn(4, 4))
        self.register_buffer("count", torch.zeros(4))

    def forward(self, *args):
        return self.function(self, *args)


def difference(function, calls, dynamic=None):
    """What the wrapper does differently; None: nothing."""
    module = Module(function)
    program = export(module, calls[0], dynamic_shapes=None if dynamic is None else {"args": dynamic})
    ran = Ran(program)
    for args in calls:
        theirs, ours = program.module(), [module.weight.detach().clone(), module.count.clone()]
        mine, yours = ([a.clone() if isinstance(a, torch.Tensor) else a for a in args] for _ in range(2))
        wanted = theirs(*yours)
        wanted = list(wanted) if isinstance(wanted, (tuple, list)) else [wanted]
        got = ran(*ours, *mine)
        held = [theirs.weight, theirs.count]
        if len(got) != len(wanted):
            return f"{len(got)} results, not {len(wanted)}"
        for number, (one, other) in enumerate(zip([*got, *ours, *mine], [*wanted, *held, *yours])):
            if isinstance(other, torch.Tensor) != isinstance(one, torch.Tensor) or not _equal(one, other):
                return f"value {number} is {one}, not {other}"
        for number, (one, other) in enumerate(zip(got, wanted)):
            if isinstance(one, torch.Tensor) and _shared(one, ours + mine) != _shared(other, held + yours):
                return f"result {number} shares {_shared(one, ours + mine)}, not {_shared(other, held + yours)}"
    return None


def _equal(a, b):
    return torch.equal(a, b) and a.stride() == b.stride() if isinstance(a, torch.Tensor) else a == b


def _shared(tensor, others):
    """The tensors that it is, and those whose storage it has."""
    pointer = tensor.untyped_storage().data_ptr()
    return [(tensor is other, other.untyped_storage().data_ptr() == pointer) for other in others if isinstance(other, torch.Tensor)]


@torch.library.custom_op("wrapgen_tests::raise_by", mutates_args={"x"})
def raise_by(x: torch.Tensor, y: torch.Tensor) -> None:
    x.add_(y)


def _mutates_all(module, x, y):
    module.count.add_(y.sum(0))
    y.mul_(2)
    x.add_(1)
    return y @ module.weight


def _mutates_by_an_op(module, x):
    raise_by(x, module.count + 1)
    return x * 2


def _mutates_in_a_branch(module, x):
    y = torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos() - 1, (x,))
    module.count.add_(y.sum(0))
    return y


def _writes_a_row(module, x, y):
    row = x[1]
    row.add_(y)
    return row, x.t(), y * 2


def _copies(module, x):
    y = x.sin()
    x.copy_(y)
    return y, x[0]


def _replaces(module, x):
    module.count = module.count + x.sum(0)
    return module.count, module.count[1:], x * 2


def _copies_into_a_buffer(module, x):
    y = x.sum(0)
    module.count.copy_(y)
    return y, module.count[1:], module.count


def _views(module, x):
    return x.t(), x[1:, ::2], x.split(2, 1)[1], x.unsqueeze(0).expand(2, -1, -1), x.view(-1), x.unbind(0)[1], x.diagonal()


def rows(*counts):
    return [(torch.randn(count, 4),) for count in counts]


s = Dim("s", min=2, max=50)
PROGRAMS = {
    "an input that is returned": (lambda m, x: (x, x * 2), rows(3)),
    "a weight and a buffer that are returned": (lambda m, x: (m.weight, x @ m.weight, m.count), rows(3)),
    "views of an input": (_views, rows(3)),
    "views of an input of any size": (lambda m, x: (x[1:], x.t(), x.view(-1)), rows(3, 5, 9), ({0: Dim("t", min=3, max=50)},)),
    "a view of a weight": (lambda m, x: (m.weight.t(), x + 1), rows(3)),
    "an operation between a view and its input": (lambda m, x: (x.t() + 1)[0], rows(3)),
    "a size that is twice another": (
        lambda m, x, y: x[::2] + y, [(torch.randn(2 * n, 4), torch.randn(n, 4)) for n in (3, 5, 9)], ({0: 2 * s}, {0: s})),
    "a size that is one more": (
        lambda m, x, y: x[1:] * y, [(torch.randn(n + 1, 4), torch.randn(n, 4)) for n in (3, 5, 9)], ({0: s + 1}, {0: s})),
    "a branch": (lambda m, x: torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: -x, (x,)), rows(3, 5, 9), ({0: s},)),
    "a branch and a buffer": (_mutates_in_a_branch, rows(3, 5, 9), ({0: s},)),
    "a buffer and two inputs that are mutated": (_mutates_all, [(torch.randn(3, 4), torch.randn(3, 4))]),
    "a custom operation that mutates": (_mutates_by_an_op, rows(3)),
    "a view of what is mutated": (lambda m, x: x.add_(1).view(-1), rows(3)),
    "a row of what is mutated, in part": (_writes_a_row, [(torch.randn(3, 4), torch.randn(4))]),
    "what is copied into an input, returned": (_copies, rows(3)),
    "what is mutated, returned": (lambda m, x: (x.add_(1), x * 2), rows(3)),
    "a buffer that is mutated, returned": (lambda m, x: (m.count.add_(x.sum(0)), m.count[1:]), rows(3)),
    "a buffer that is replaced, returned": (_replaces, rows(3)),
    "a buffer that is copied into, returned": (_copies_into_a_buffer, rows(3)),
    "numbers that are burnt in": (lambda m, x, r, b, n: (x * r, x + n) if b else x, [(torch.randn(3), 2.5, True, 4)]),
    "numbers and nothing": (lambda m, x: (x + 1, None, 3, 2.5), rows(3)),
}  # fmt: skip

REFUSED = {
    "a size that is even": (lambda m, x: x.sum(0), rows(4), ({0: 2 * s},), False, "no size is s0 alone, only s0*2"),
    "a text that is burnt in": (lambda m, x, n: x * len(n), [(torch.randn(3), "abc")], None, False, "burnt into the graph"),
    "a weight that a model returns": (lambda m, x: (m.weight, x + 1), rows(3), None, True, "inside of the model"),
    "a number that a model returns": (lambda m, x: (x + 1, x.shape[0]), rows(3), ({0: s},), True, "return it as a tensor"),
}


def refusal(function, calls, dynamic, aoti):
    program = export(Module(function), calls[0], dynamic_shapes=None if dynamic is None else {"args": dynamic})
    try:
        exported(program, "tried", aoti)
    except CaptureError as problem:
        return str(problem)
    return "nothing"


def of_a_model():
    """What AOTInductor makes of a program has the weights inside, and takes what the user passes."""
    program = export(Module(_mutates_all), (torch.randn(3, 4), torch.randn(3, 4)))
    document = exported(program, "model", aoti=True).document
    graph = document["graphs"][0]
    facts = [(entry["name"], entry.get("mutates_data", False)) for entry in graph["inputs"]]
    return document["host"], graph["convention"], graph["compiled"], facts, "keep_input_mutations" in graph


def main():
    results = [(name, difference(*program)) for name, program in PROGRAMS.items()]
    for name, (*program, words) in REFUSED.items():
        said = refusal(*program)
        results.append((f"{name} is refused", None if words in said else said))
    wanted = ("aoti", "aoti", "compiled_model", [("args_0", True), ("args_1", True)], False)
    results.append(("the model of AOTInductor takes two arguments", None if of_a_model() == wanted else of_a_model()))
    for number, (name, problem) in enumerate(results, 1):
        print(f"{'ok' if problem is None else 'not ok'} {number} - {name}")
        if problem is not None:
            print(f"# {problem}")
    failed = sum(problem is not None for _, problem in results)
    print(f"{len(results) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
