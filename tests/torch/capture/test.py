#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of wrapgen-torch; they need torch, so `make test-torch` runs them.

  .venv/bin/python tests/torch/capture/test.py [--quick]      --quick leaves out the regeneration of the examples
"""

import os
import random
import re
import subprocess
import sys
import tempfile
import warnings
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

warnings.filterwarnings("ignore", module=r"torch\.")
warnings.filterwarnings("ignore", "`isinstance.treespec")
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "../../../cmd"))

import sympy  # noqa: E402
import torch  # noqa: E402
from torch.fx.experimental.symbolic_shapes import ShapeEnv  # noqa: E402
from torch.testing._internal.two_tensor import TwoTensor  # noqa: E402
from torch.utils._sympy.functions import FloorDiv, Max, Min, PythonMod
from torch.utils._sympy.singleton_int import SingletonInt  # noqa: E402
from torch.utils._sympy.value_ranges import ValueRanges  # noqa: E402
import wrapgen_torch.api as api  # noqa: E402
import wrapgen_torch.extension as building  # noqa: E402
import wrapgen_torch.choice as choosing  # noqa: E402
import wrapgen_torch.describe as describing  # noqa: E402
from wrapgen_torch import Case, CaptureError, CaptureWarning, capture  # noqa: E402
from wrapgen_torch import check as check_with_kernels  # noqa: E402
from wrapgen_torch.recording import record_case  # noqa: E402
from wrapgen_torch.data_text import to_data  # noqa: E402
from wrapgen_torch.expected_text import settle, starts  # noqa: E402
from wrapgen_torch.describe import describe  # noqa: E402
from wrapgen_torch.exported import exported  # noqa: E402
from wrapgen_torch.names import Names, from_source, identifier  # noqa: E402
from wrapgen_torch.ragged import Ragged  # noqa: E402
from wrapgen_torch.shapes import Symbols  # noqa: E402
from wrapgen_torch.upstream import COMPARES_NESTED_INTS_UNGUARDED  # noqa: E402
from wrapgen_torch.yaml_text import to_yaml  # noqa: E402

_results = {"passed": 0, "failed": 0}

check_program = partial(check_with_kernels, inner=None)  # what is planted here, traced graphs show


def check(name, good, note=""):
    _results["passed" if good else "failed"] += 1
    print(f"{'ok' if good else 'not ok'} {sum(_results.values())} - {name}", flush=True)
    if not good and note:
        print(f"# {note}")


def document_of(function, args, **options):
    case = Case(function=function, calls=[("only", args)], name="tried", **options)
    captured = record_case(case)
    document = describe(case, captured)
    to_yaml(document, [])
    to_data(case, captured, [])
    return document


def refused(name, wanted, function, args, **options):
    """The capture must fail, and its text must name the fact."""
    try:
        document_of(function, args, **options)
        check(name, False, "it was captured")
    except (CaptureError, torch._dynamo.exc.BackendCompilerFailed) as problem:
        check(name, wanted in str(problem), str(problem))


# ---- sizes that results tell ----


def test_unbacked():
    def found(x):
        places = x.clamp(min=0).nonzero()
        y = x[x > 0]
        return places, torch.cat([y, y, x[0]]), places.shape[0] - 1

    def only_twice(u0):
        y = u0[u0 > 0]
        return torch.cat([y, y]), y.numel() * 3

    def head(x, n):
        k = n.item()
        torch._check(k >= 0)
        torch._check(k <= x.shape[0])
        return x[:k]

    def head_of_more(x, n):
        return head(x, n + 1)

    x = torch.randn(4, 3)
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True, capture_scalar_outputs=True):
        document = document_of(found, (x,))
        twice = document_of(only_twice, (x,))
        alias = document_of(head, (x, torch.tensor(3)))
        view = document_of(head_of_more, (x, torch.tensor(3)))
    outputs = document["graphs"][0]["outputs"]
    bounds = {"unbacked": True, "min": 0, "max": 12}
    wanted = [{"name": "u0", **bounds}, {"name": "u1", "unbacked": True, "min": 3, "max": 27}]
    check("what a result tells is declared with PyTorch's bounds", document["symbols"] == wanted, document["symbols"])
    got = [outputs[0]["size"], outputs[0]["stride"], outputs[1]["size"], outputs[2]["value"]]
    check("what depends on it is stated", got == [["u0", 2], [1, "u0"], ["u1"], "u0-1"], got)
    wanted = [{"name": "u1", "unbacked": True, "min": 0, "max": 24, "multiple_of": 2}]
    check("a size that no result is by itself gets a symbol", twice["symbols"] == wanted, twice["symbols"])
    outputs = twice["graphs"][0]["outputs"]
    got = [outputs[0]["size"], outputs[1]["value"]]
    check("what else depends on that size is stated with it", got == [["u1"], "(u1//2)*3"], got)
    (output,) = view["graphs"][0]["outputs"]
    good = output["size"] == ["u0", 3] and output["view"] == [{"op": "slice", "dim": 0, "start": 0, "end": "u0", "step": 1}]
    check("a view may have such a size", good, output)
    # Dynamo makes an argument of the item of an input, and AOTAutograd's two tracings have different symbols for it.
    (output,) = alias["graphs"][0]["outputs"]
    good = output["size"] == ["u0", 3] and "view" not in output
    check("a view of another tracing's size has that of what is returned", good, output)


# ---- names ----


def test_names():
    wanted = {"x": "x", "layers.0.weight": "layers_0_weight", "_x__y_": "x_y", "2nd": "n2nd", "int": "int_value"}
    wanted["[]"] = "value"
    got = {text: identifier(text) for text in wanted}
    check("names become C identifiers", got == wanted, got)
    names = Names()
    got = [names.take(text) for text in ("a.b", "a_b", "a b", "a_b_2")]
    check("names are distinct", got == ["a_b", "a_b_2", "a_b_3", "a_b_2_2"], got)
    got = from_source("L['self']._modules['bn']._parameters['weight']")
    check("Dynamo's sources become readable names", got == "bn_weight", got)


# ---- expressions ----


def symbols_of(names):
    environment = ShapeEnv()
    result = [sympy.Symbol(name, integer=True, positive=True) for name in names]
    for symbol in result:
        environment.var_to_range[symbol] = ValueRanges(2, 1000)
    return Symbols(environment), result


def random_expression(generator, symbols, depth):
    if depth == 0:
        return generator.choice([*symbols, sympy.Integer(generator.randint(-5, 9))])
    left = random_expression(generator, symbols, depth - 1)
    right = random_expression(generator, symbols, depth - 1)
    divisor = sympy.Integer(generator.randint(1, 7))
    kind = generator.randrange(9)
    if kind == 8:
        return left ** generator.randint(0, 3)
    if kind > 5:
        return (FloorDiv, PythonMod)[kind - 6](left, divisor)
    return [left + right, left - right, left * right, Max(left, right), Min(left, right), -left][kind]


def random_condition(generator, symbols, depth):
    kind = generator.randrange(3) if depth else 0
    if kind:
        junction = (sympy.And, sympy.Or)[kind - 1]
        result = junction(random_condition(generator, symbols, depth - 1), random_condition(generator, symbols, depth - 1))
        return sympy.Not(result) if generator.random() < 0.3 else result
    left, right = random_expression(generator, symbols, 2), random_expression(generator, symbols, 1)
    compare = generator.choice([sympy.Eq, sympy.Ne, sympy.Lt, sympy.Le, sympy.Gt, sympy.Ge])
    return compare(left / generator.choice([1, 1, 1, 2, 3]), right)


def test_expressions():
    """What is printed, read by Python (whose notation is the format's), must give the same numbers."""
    generator = random.Random(1)
    bad = []
    for _ in range(400):
        printer, (a, b) = symbols_of(["s71", "s3"])
        condition = generator.random() < 0.5
        expression = random_condition(generator, [a, b], 2) if condition else random_expression(generator, [a, b], 3)
        if not expression.free_symbols:
            continue
        text = printer._print(sympy.sympify(expression), "test")
        values = {a: generator.randint(2, 50), b: generator.randint(2, 50)}
        wanted = expression.xreplace({symbol: sympy.Integer(value) for symbol, value in values.items()})
        wanted = int(wanted) if not condition else wanted == sympy.true
        got = eval(text, {name: values[symbol] for symbol, name in printer._names.items()})  # noqa: S307
        wanted, got = int(wanted), int(got)
        if got != wanted:
            bad.append(f"{expression} printed as {text}: {got}, not {wanted}")
    check("400 random expressions and conditions keep their value when printed", not bad, bad[:3])
    printer, (a, b) = symbols_of(["s1", "s2"])
    try:
        printer._print(sympy.sqrt(a), "size 0 of 'x'")
        check("an expression without a word in the format is refused", False)
    except CaptureError as problem:
        check("an expression without a word in the format is refused", "size 0 of 'x'" in str(problem), str(problem))


# ---- views ----

# Each entry of the YAML's `view`, applied with PyTorch: the reader's meaning of the format, independent of views.py.
APPLY = {
    "alias": lambda t: torch.ops.aten.alias(t),
    "as_strided": lambda t, size, stride, offset: t.as_strided(size, stride, offset),
    "detach": lambda t: t.detach(),
    "diagonal": lambda t, offset=0, dim1=0, dim2=1: t.diagonal(offset, dim1, dim2),
    "expand": lambda t, size: t.expand(size),
    "permute": lambda t, dims: t.permute(dims),
    "select": lambda t, dim, index: t.select(dim, index),
    "slice": lambda t, dim=0, start=None, end=None, step=1: torch.ops.aten.slice(t, dim, start, end, step),
    "split": lambda t, split_size, dim, index: t.split(split_size, dim)[index],
    "split_with_sizes": lambda t, sizes, dim, index: t.split(sizes, dim)[index],
    "squeeze": lambda t, dims=None: t.squeeze() if dims is None else t.squeeze(dims),
    "t": lambda t: t.t(),
    "transpose": lambda t, dims: t.transpose(*dims),
    "unbind": lambda t, dim, index: t.unbind(dim)[index],
    "unfold": lambda t, dim, length, step: t.unfold(dim, length, step),
    "unsqueeze": lambda t, dim: t.unsqueeze(dim),
    "view": lambda t, size: t.view(size),
    "view_as_complex": lambda t: torch.view_as_complex(t),
    "view_as_real": lambda t: torch.view_as_real(t),
    "view_dtype": lambda t, dtype: t.view(getattr(torch, dtype)),
}


def many_views(x, y, z):
    return (
        x.t(),
        x.transpose(0, -1)[1:],
        x[1:-1, ::2],
        x[-3:, 1],
        x.view(3, 2, -1).permute(2, 0, 1),
        x.unsqueeze(1).expand(-1, 3, -1),
        x.split(2, 1)[1],
        x.split([1, 3, 2])[1],
        x.chunk(3)[2],
        x.narrow(1, 1, 2),
        x.unfold(1, 3, 1),
        x.diagonal(1),
        x.movedim(0, 1),
        x.flatten(),
        x.unflatten(0, (2, 3)),
        x.as_strided((2, 2), (3, 1), 4),
        y.squeeze(),
        y.squeeze(0),
        y.squeeze((0, 2)),
        y.detach(),
        torch.view_as_real(z)[:, 0],
        torch.view_as_complex(x.view(6, 2, 2)),
        x.view(torch.int32),
        x.select(1, -1),
        x.swapaxes(0, 1),
        x.T,
        x.view_as(x)[2],
    )


def test_views():
    args = (torch.randn(6, 4), torch.randn(1, 3, 1, 2), torch.randn(3, dtype=torch.complex64))
    wanted = many_views(*args)
    document = document_of(many_views, args, frontend="direct")  # Dynamo would merge equal outputs
    bases = dict(zip("xyz", args))
    bad = []
    for entry, reference in zip(document["graphs"][0]["outputs"], wanted, strict=True):
        view = bases[entry["base"]]
        for operation in entry["view"]:
            arguments = {key: value for key, value in operation.items() if key != "op"}
            view = APPLY[operation["op"]](view, **arguments)
        same = (view.shape, view.stride(), view.storage_offset(), view.dtype) == (
            reference.shape,
            reference.stride(),
            reference.storage_offset(),
            reference.dtype,
        )
        if not same or view.data_ptr() != reference.data_ptr():
            bad.append(entry)
    check(f"{len(wanted)} captured view sequences give PyTorch's view", not bad, bad)


def test_symbolic():
    def function(x, n):
        return x[:, 1:n], x.view(-1), x * n

    x = torch.randn(7, 10)
    torch._dynamo.mark_dynamic(x, 0, min=3, max=128)
    torch._dynamo.mark_static(x, 1)
    document = document_of(function, (x, 5), dynamic=True)
    names = {entry["name"]: entry for entry in document["symbols"]}
    graph = document["graphs"][0]
    sizes = {entry["name"]: entry["size"] for entry in graph["inputs"] if "size" in entry}
    rows = sizes["x"][0]
    bounds = (names[rows]["min"], names[rows]["max"])
    check("a marked dimension is a symbol with its bounds", bounds == (3, 128), bounds)
    number = next(entry["value"] for entry in graph["inputs"] if entry["name"] == "n")
    check("an int argument binds a symbol that a view uses", graph["outputs"][0]["view"][-1]["end"] == number, graph)
    check("no input states a storage offset", not any("storage_offset" in entry for entry in graph["inputs"]))


# ---- refusals ----


def duplicates(x, y):
    x.add_(1)
    return x + y


def test_merged_inputs():
    x = torch.randn(4)
    graph = document_of(duplicates, (x, x), frontend="direct")["graphs"][0]
    got = graph["duplicates"]
    check("a mutated duplicate is named with what it is", got == [{"input": "x_2", "of": "x"}], got)
    base = torch.randn(8)
    graph = document_of(duplicates, (base[:6], base[2:]), frontend="direct")["graphs"][0]
    got = [(entry["base"], entry["members"]) for entry in graph["synthetic_bases"]]
    check("inputs that share a storage are merged into the tensor they are views of", got == [("view_base", ["x", "y"])], got)
    offsets = [entry["storage_offset"] for entry in graph["inputs"]]
    check("merged inputs state the offsets that the graph was traced with", offsets == [0, 2], offsets)


def test_refusals():
    x = torch.randn(4)
    refused("a tensor subclass", "a value of type TwoTensor", lambda x: x + 1, (TwoTensor(x, x),))
    refused("a conjugate view", "conj", lambda z: z.conj(), (torch.randn(3, dtype=torch.complex64),))

    a, b = torch.arange(5.0), torch.arange(6.0)  # whose sums are exact in any order
    torch._dynamo.mark_dynamic(a, 0)
    torch._dynamo.mark_dynamic(b, 0)
    document = document_of(lambda a, b: a.sum() * b.sum() if a.shape[0] != b.shape[0] else a + b, (a, b))
    check("a guard between two symbols is stated", document["graphs"][0].get("guards") == ["s0 != s1"], document["graphs"][0])

    calls = [("one", (torch.randn(3),)), ("two", (torch.randn(5),))]
    case = Case(function=lambda x: x + 1, calls=calls, name="tried", dynamic=False)
    try:
        record_case(case)
        check("a call that needs a second graph", False)
    except Exception as problem:  # noqa: BLE001 - Dynamo wraps what a back end raises
        check("a call that needs a second graph", "call two" in str(problem), str(problem))
    case = Case(function=lambda x: x + 1, calls=calls[:1], name="tried", tolerance={"nothing": (1.0, 1.0)})
    try:
        to_data(case, record_case(case), [])
        check("a tolerance for no value", False)
    except CaptureError as problem:
        check("a tolerance for no value", "'nothing'" in str(problem), str(problem))


class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(4, 4))
        self.register_buffer("count", torch.zeros(()))

    def forward(self, x):
        self.count.add_(1)
        return x @ self.weight


class Viewing(torch.nn.Module):
    def forward(self, x):
        return x.t()


def test_exported():
    program = torch.export.export(Counting(), (torch.randn(3, 4),), dynamic_shapes={"x": {0: torch.export.Dim("n", max=64)}})
    document = exported(program, "counting").document
    graph = document["graphs"][0]
    mutated = [entry["name"] for entry in graph["inputs"] if entry.get("mutates_data")]
    names = [entry["name"] for entry in graph["inputs"]]
    check("an exported program's buffer mutation is read", (names, mutated) == (["weight", "count", "x"], ["count"]), graph)
    check("an exported program's dynamic size is a symbol", document["symbols"][0]["max"] == 64, document)
    text = capture(program)
    check("what a signature does not say is named", "does not say" in text and "views of each other" in text, text)
    view = exported(torch.export.export(Viewing(), (torch.randn(3, 4),))).document["graphs"][0]["outputs"][0]
    check("an exported view of an input is one", view["base"] == "x" and view["view"] == [{"op": "t"}], view)


def test_capture():
    def program(x, w):
        return (x @ w).tanh()

    args = (torch.randn(3, 4, requires_grad=True), torch.randn(4, 5))
    check("capture in training has a backward", "    backward:" in capture(program, *args, mode="training"))
    check("capture for inference has none", "mode: inference" in capture(program, *args, mode="inference"))
    try:
        capture(program, args[0].detach(), args[1], mode="training")
        check("training without anything to train is refused", False)
    except CaptureError as problem:
        check("training without anything to train is refused", "has no backward" in str(problem), str(problem))

    # only the backward uses tanh's result; what was multiplied is an input, what is exp's result an output.
    def scaled(x, w):
        return ((x @ w).tanh() * x.shape[0]).exp()

    text = capture(scaled, torch.randn(5, 4), torch.randn(4, 3, requires_grad=True), dynamic=True)
    check("donated positions are counted after saved sizes", "donated: [1]" in text and "symints: 3" in text, text)


def broken(x, n):
    y = x.sin() * n
    torch._dynamo.graph_break()
    return y.cos()


def test_several_graphs():
    args = [(torch.randn(rows, 4), n) for rows, n in ((3, 2), (5, 2), (5, 3), (1, 2))]
    kept = [call[0].clone() for call in args]
    text = capture(broken, *args[0], calls=args[1:])
    names = re.findall(r"^  - name: (\w+)\n    mode", text, re.MULTILINE)
    check("all graphs are in one document, in the order of the calls", names == ["broken"] + [f"broken_{i}" for i in range(2, 8)], names)
    check("comments say what each call runs", "# Call 1 runs broken_3, broken_4.\n# Call 2 runs broken_5, broken_4." in text, text)
    check("and which graph is not chosen again", "# Graph broken_2 is never chosen again: PyTorch now tries broken_4 first" in text)
    variants = re.findall(r"graph: (\w+)", text)
    check("variants are tried as Dynamo tries them", variants == ["broken_6", "broken_5", "broken_7", "broken_4"], text[text.find("kernels"):])
    check("a size that is fixed is a condition", "{arg: x_size_0, value: 1}" in text and "{arg: x_size_0, value: s" in text, text)
    check("the inputs are not changed", all(torch.equal(a[0], b) for a, b in zip(args, kept)))
    ran = []

    def one_graph(x):
        return x.add_(1)

    capture(one_graph, kept[0])
    check("a program of one graph is not run", torch.equal(kept[0], args[0][0]))
    module = Counting()

    def around(x):
        torch._dynamo.graph_break()
        ran.append(1)
        return module(x)

    text = capture(around, torch.randn(3, 4))
    check("a program with a break is run", ran == [1] and "mutates_data" in text, text)
    text = capture(module.forward, torch.randn(3, 4), calls=[(torch.randn(5, 4),)])
    check("the module of a method is not changed", int(module.count) == 1, module.count)
    x = (torch.randn(3, requires_grad=True) * 2).clone()
    text = capture(broken, x, 2, mode="training")
    check("each graph of a program that trains has its backward", text.count("    backward:") == 2, text)


def test_check_sees_choices():
    """A kernel in another order than Dynamo's, and one without a condition, must be seen."""

    def make_inputs():
        return [(torch.randn(rows, 4), flag) for rows, flag in ((3, True), (5, True), (5, False))]

    def function(x, flag):
        return x.sin() if flag else x.cos()

    result = check_program(function, make_inputs, name="chosen", dynamic=False)
    check("the right dispatcher passes", result.ok and result.kernels == 1, result.report)
    original = choosing._conditions

    def without_flag(source, variant):
        return {} if source == "L['flag']" else original(source, variant)

    with patch.object(choosing, "_conditions", without_flag):
        result = check_program(function, make_inputs, name="chosen", dynamic=False)
    check("a condition that is missing is seen", not result.ok and "Dynamo chose" in result.report, result.report)

    def overlapping(x, y):
        return x.sum() + y.sum()

    def lengths():
        return [(torch.randn(a), torch.randn(b)) for a, b in ((3, 4), (5, 4), (3, 6))]

    def chosen(x, y):
        return y.exp() if x.shape[0] > 10 else y.tanh()

    def sizes():
        return [(torch.randn(a), torch.randn(3)) for a in (4, 20, 6)]

    result = check_program(chosen, sizes, name="chosen", grad=False)
    check("what Dynamo only looked at is an argument of the kernel", result.ok and "{arg: x, dtype: float32, size: [s" in result.document, result.report)

    def without_x(source, variant):
        return {} if source == "L['x']" else original(source, variant)

    with patch.object(choosing, "_conditions", without_x):
        result = check_program(chosen, sizes, name="chosen", grad=False)
    check("a condition on it that is missing is seen", not result.ok and "Dynamo chose" in result.report, result.report)

    order = choosing._in_order
    with patch.object(choosing, "_in_order", lambda group: order(group)[::-1]):
        result = check_program(overlapping, lengths, name="chosen")
    check("another order than Dynamo's is seen", not result.ok and "Dynamo" in result.report, result.report)


def test_untested():
    """What Dynamo tests of a tensor that the graph does not take, the user is told; of one that it takes, the wrapper tests."""

    def told(function, *args, **options):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            text = capture(function, *args, name="tried", **options)
        texts = [str(one.message) for one in caught if one.category is CaptureWarning]
        comments = " ".join(line for line in text.splitlines() if line.startswith("# "))
        check("a warning is a comment, too", all(one[1:] in comments for one in texts), comments)
        return texts

    a, b = torch.randn(10, 3), torch.randn(4)
    of_a = "graph tried is only for L['a'] of float32[{}]{}; it does not take L['a']"
    for what, chosen, size, guard in (
        ("a bound", lambda a, b: b + 1 if a.shape[0] < 25 else b * 2, "2..24, 2..", " where L['a'].size()[0] < 25"),
        ("a multiple", lambda a, b: b + 1 if a.shape[0] % 5 == 0 else b * 2, "5..%5, 2..", " where L['a'].size()[0]%5 == 0"),
        ("a gap", lambda a, b: b + 1 if a.shape[0] != 7 else b * 2, "2.., 2..", " where L['a'].size()[0] != 7"),
        ("a number", lambda a, b: b + 1 if a.shape[0] == 10 else b * 2, "10, 2..", ""),
        ("no guard", lambda a, b: b + 1 if a.dtype is torch.float32 else b * 2, "2.., 2..", ""),
    ):
        texts = told(chosen, a, b, dynamic=True)
        check(f"of a tensor that is not taken, {what} is told", len(texts) == 1 and texts[0].startswith(of_a.format(size, guard)), texts)
        taken = told(lambda a, b, chosen=chosen: chosen(a, b).sum() + a, a, b, dynamic=True)
        check(f"of one that is taken, {what} is not", taken == [], taken)
    texts = told(lambda a, b: b + 1 if a.shape[0] == b.shape[0] else b * 2, torch.randn(4), b, dynamic=True)
    check("so is a size that must be another's", len(texts) == 1 and "L['a'] of float32[s0];" in texts[0], texts)
    apart = [torch.nested.nested_tensor([torch.randn(n, 3) for n in (2, 4)], layout=torch.jagged) for _ in range(2)]
    texts = told(lambda a, b: b + 1 if a.shape[1] == b.shape[1] else b * 2, *apart)
    wanted = re.compile(r"L\['a'\] of float32\[2, any, 3\] where L\['[ab]'\].size\(\)\[1\] != L\['[ab]'\].size\(\)\[1\];")
    check("so is a ragged size that must not be another's", sum(bool(wanted.search(text)) for text in texts) == 1, texts)
    texts = told(lambda a, b: b + 1 if a.shape[0] < 25 else b * 2, a, b, dynamic=False)
    check("and a size that is a number", len(texts) == 1 and "L['a'] of float32[10, 3];" in texts[0], texts)
    texts = told(lambda a, b: b + 1 if a.shape[0] > b.shape[0] else b * 2, a, b, dynamic=True)
    check("and how a size compares with another's", len(texts) == 1 and " where L['a'].size()[0] > L['b'].size()[0];" in texts[0], texts)
    texts = told(lambda n, b: b + 1 if n < 5 else b * 2, 3, b, dynamic=True)
    check("and an integer", len(texts) == 1 and "only for L['n'] < 5;" in texts[0], texts)
    for what, function, args in (
        ("an integer that slices", lambda x, n: x[:n] + 1, (b, 3)),
        ("the eps of a norm", torch.nn.BatchNorm1d(3), (a,)),
        ("a tensor that is passed and not looked at", lambda x, y: x + 1, (b, a)),
    ):
        texts = told(function, *args, dynamic=True)
        check(f"nothing is told of {what}", texts == [], texts)


def test_check_sees():
    """check() must notice what a wrong wrapper does: the plan of a right one, with one fact of the YAML falsified."""
    x = torch.randn(6)

    def falsified(change):
        original = describing.describe_with_subclasses

        def describe(*arguments):
            document, subclasses = original(*arguments)
            change(document["graphs"][0])
            return document, subclasses

        with patch.object(api, "describe_with_subclasses", describe):
            return check_program(lambda x, y: (x.add_(1).sum(), y.view(2, 3)), lambda: (x.clone(), x.clone()), frontend="direct",
                                 keep_input_mutations=False, name="falsified")  # fmt: skip

    result = falsified(lambda graph: None)
    check("the right wrapper passes", result.ok, result.report)

    def other_view(graph):
        graph["outputs"][1]["view"] = [{"op": "view", "size": [2, 3]}, {"op": "slice", "dim": 0, "start": 0, "end": 2, "step": 1}]
        graph["outputs"][1]["requires_grad"] = True

    result = falsified(other_view)
    check("a wrong requires_grad is seen", "requires_grad" in result.report and not result.ok, result.report)
    result = falsified(lambda graph: graph["outputs"][1].update(type="non_alias", base=None) or _drop(graph["outputs"][1]))
    check("an alias that is not made anew is seen", not result.ok, result.report)
    result = falsified(lambda graph: graph.pop("keep_input_mutations"))
    check("a mutation that is not applied is seen", not result.ok, result.report)


def broken_program(edit, function, make_inputs, **options):
    """check() of a wrapper whose C was edited after it was generated."""
    original = building.run

    def run_and_edit(command, folder=None):
        printed = original(command, folder)
        if "--out" in command:
            path = Path(folder, command[command.index("--out") + 1])
            text = path.read_text()
            path.write_text(edit(text))
            check("the C is edited", path.read_text() != text)
        return printed

    with patch.object(building, "run", run_and_edit):
        return check_program(function, make_inputs, name="edited", **options)


def without(*patterns):
    """An edit that takes out every match; a pair is a pattern and what comes in its place."""

    def edit(text):
        for pattern in patterns:
            pattern, instead = pattern if isinstance(pattern, tuple) else (pattern, "")
            text, n = re.subn(pattern, instead, text)
            check(f"the C has {pattern}", n > 0)
        return text

    return edit


def untested(tensor):
    """A pair for without(), so that a tensor's type and facts are not tested."""
    return rf"({tensor}) == NULL \|\| !wg_matches\(ctx, \1, \w+, \d+\)", r"\1 == NULL"


def test_check_sees_guards():
    """A guard that is missing in the C must be seen, though all good calls are right without it."""

    def function(x, w):
        return (x @ w).tanh().relu()

    def make_inputs():
        return torch.randn(3, 4), torch.randn(4, 5, requires_grad=True)

    def seen(what, edit, wanted, function=function, make_inputs=make_inputs, **options):
        result = broken_program(edit, function, make_inputs, **options)
        for words in wanted:
            check(f"{what}: {words}, which is seen", f"{words} goes unnoticed" in result.report, result.report)

    seen("arguments that nothing tests", without(untested(r"in_\w+")),
         ["'x': another dtype", "'x': another rank", "'x': another size 0", "'w': another stride 1", "'x': a subclass"])  # fmt: skip
    seen("results that nothing tests", without(untested(r"(?:results|outs)\[\d+\]\.tensor")),
         ["another dtype returned for 'out'", "another rank returned for 'out'", "another size 1 returned for 'out'",
          "another stride 0 returned for 'out'", "a subclass returned for 'out'"])  # fmt: skip
    seen("a backward that tests nothing",
         without((r"if \(wg_deterministic\(ctx\)\)", "if (0)"), (r"if \((seen_\w+) != NULL && !wg_is_plain\(ctx, \1\)\)", "if (0)")),
         ["a backward in deterministic mode", "a tangent of 'out' of another subclass"])  # fmt: skip

    def merged(x, y):
        return x.add_(1) * y

    def halves():
        whole = torch.randn(8)
        return whole[:6], whole[2:]

    seen("merged inputs that nothing tests",
         without(untested(r"in_\w+"), (r"if \(!wg_same_storage", "if (0 && !wg_same_storage")),
         ["'input_0': another offset", "'input_1': another offset", "'input_1': an equal tensor in a storage of its own"],
         merged, halves, frontend="direct")  # fmt: skip
    seen("memory that nothing compares", without((r"status = wg_check_overlap\(ctx, ", "status = 0 && wg_check_overlap(ctx, ")),
         ["'y', which begins in the last element of 'x',", "'x', which begins in the last element of 'y',"],
         merged, lambda: (torch.randn(4), torch.randn(4)), full=True)  # fmt: skip
    seen("duplicates that nothing tests", without((r"!wg_same\(ctx, ", "0 && wg_same(ctx, ")),
         ["'input_1': an equal tensor in a storage of its own"],
         merged, lambda: halves()[:1] * 2, frontend="direct")  # fmt: skip
    result = broken_program(lambda text: text.replace("wg_set_view_replay(ctx, view_replay);", ";"), function, make_inputs)
    check("a changed view replay mode is seen", not result.ok and "view_replay" in result.report, result.report)
    torch._C._set_view_replay_enabled(False)
    result = broken_program(without(r"wg_release\(ctx, dense_out\);"), function, make_inputs)
    check("a tangent that nothing releases is seen", not result.ok and "outlive" in result.report, result.report)


def test_check_takes():
    """Values that most operations refuse, and programs that fail by themselves."""
    x = torch.randn(4)
    for name in ("float8_e4m3fn", "float8_e5m2", "uint16", "complex32", "bfloat16"):
        dtype = getattr(torch, name)
        result = check_program(lambda x: (x.to(dtype), x.clone()), lambda: (x.clone(),), name=name)
        check(f"a result of {name} is compared", result.ok, result.report)
    result = check_program(lambda x: x.float() * 2, lambda: (x.to(torch.float8_e5m2),), name="small")
    check("an argument of float8_e5m2 is compared", result.ok, result.report)
    result = check_program(lambda q: q, lambda: (torch.quantize_per_tensor(x, 0.1, 0, torch.quint8),), name="quantized")
    check("a quantized argument ends no process", result.status in ("equal", "uncompiled", "refused"), result.report)

    def fails(x):
        y = x + 1
        torch._dynamo.graph_break()
        raise ValueError(f"nothing works {y.shape}")

    result = check_program(fails, lambda: (x.clone(),), name="fails")
    check("an exception that every run raises is told", "nothing works" in (result.raised or ""), result.report)
    check("and each of the three is a note", sum("nothing works" in note for note in result.notes) == 3, result.report)


def _drop(entry):
    for key in ("base", "view"):
        entry.pop(key, None)


# Other machines in this one: the instructions that ATen (and with it Inductor), MKL and oneDNN may use, and threads.
MACHINES = {
    "default": {"MKL_ENABLE_INSTRUCTIONS": "SSE4_2", "ONEDNN_MAX_CPU_ISA": "SSE41", "OMP_NUM_THREADS": "2"},
    "avx2": {"MKL_ENABLE_INSTRUCTIONS": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2", "OMP_NUM_THREADS": "1"},
    "avx512": {"MKL_ENABLE_INSTRUCTIONS": "AVX512", "ONEDNN_MAX_CPU_ISA": "AVX512_CORE", "OMP_NUM_THREADS": "2"},
}
# A machine cannot be one with instructions that it does not have: they would end the program.
CAPABLE = ["default", "avx2", "avx512"].index(torch.backends.cpu.get_cpu_capability().lower().replace("no avx", "default"))
EXAMPLES = (HERE / "../../../examples").resolve()
COMMAND = HERE / "../../../cmd/wrapgen-torch"


def run(command, **environment):
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})


# What another PyTorch than the one that the examples are of says otherwise: its version, and since 2.14 which saved tensors are inputs.
OF_A_VERSION = re.compile(r"(?<=^# Captured by wrapgen-torch from torch )[\d.]+(?=;)|(?<=\d), graph_inputs: \[[\d, ]+\]")
COMMITTED = re.search(r"from torch ([\d.]+);", (EXAMPLES / "linear_tanh" / "graph.yaml").read_text())[1]


def stale_files(printed, version=torch.__version__.split("+")[0]):
    """Of the files that --check printed the differences of, those that PyTorch no longer gives."""
    _, *rest = re.split(r"^--- (.*)\n\+\+\+ .*\n", printed, flags=re.M)
    stale = []
    for name, lines in zip(rest[::2], rest[1::2]):
        sides = [[line[1:] for line in lines.splitlines() if line[:1] == sign] for sign in "-+"]
        if version != COMMITTED:
            sides = [[OF_A_VERSION.sub("", line) for line in side] for side in sides]
        if sides[0] != sides[1]:
            stale.append(name)
    return stale


def test_stale_files():
    def printed(before, after):
        return f"--- a/graph.yaml\n+++ a/graph.yaml (fresh)\n@@ -1 +1 @@\n # A sum.\n-{before}\n+{after}\n"

    header = "# Captured by wrapgen-torch from torch {}; do not edit. To regenerate:".format
    saved = "    saved: {{tensors: {}, donated: [1]}}".format
    of_a_version = printed(header(COMMITTED), header("9.1.0")) + printed(saved("2"), saved("2, graph_inputs: [0, 1]"))
    check("another version may say which it is, and what is an input", stale_files(of_a_version, "9.1.0") == [], of_a_version)
    check("the one that the examples are of may not", stale_files(of_a_version, COMMITTED) == ["a/graph.yaml"] * 2)
    for name, before, after in (("number", saved("2"), saved("3")), ("line", f"{header(COMMITTED)}\n-{saved('2')}", header("9.1.0"))):
        check(f"no version may say another {name}", stale_files(printed(before, after), "9.1.0") == ["a/graph.yaml"])
    check("nor lack a file", stale_files("--- a/graph.yaml\n+++ a/graph.yaml (fresh)\n@@ -0,0 +1 @@\n+wrapgen: 1\n", "9.1.0") == ["a/graph.yaml"])


def test_examples():
    programs = [program for program in sorted(EXAMPLES.glob("*/program.py")) if (program.parent / "expected.txt").exists()]
    for machine, settings in list(MACHINES.items())[: CAPABLE + 1]:
        settings = {"ATEN_CPU_CAPABILITY": machine, **settings}
        checked = run([COMMAND, "--check", *programs], **settings)
        stale = {Path(name).parent for name in stale_files(checked.stdout)}
        for program in programs:
            check(f"{program.parent.name}: PyTorch still gives the committed files ({machine})", program.parent not in stale, checked.stdout)
        ended = checked.returncode == ("--- " in checked.stdout)
        check(f"the examples are all checked ({machine})", ended and bool(programs), checked.stdout + checked.stderr)
        for record in sorted(EXAMPLES.glob("*/record.py")):
            checked = run([sys.executable, record, "--check"], **settings)
            name = f"{record.parent.name}: PyTorch still computes what was recorded ({machine})"
            check(name, checked.returncode == 0, checked.stderr)


def test_recorded():
    """--check lets pass what a stated tolerance allows, and nothing else; it starts from the recorded inputs."""
    text = (EXAMPLES / "linear_tanh" / "expected.txt").read_text()

    def changed(before, after):
        return settle(text, text.replace(before, after, 1)) == text

    result = next(line for line in text.splitlines() if line.startswith("storage") and "tolerance" in line)
    first = text.split(result + "\n")[1].split()[0]
    moved = {factor: (float.fromhex(first) * factor).hex() for factor in (1 + 1e-7, 1 + 1e-5)}
    check("a last bit of a result is let pass", changed(f"{result}\n  {first} ", f"{result}\n  {moved[1 + 1e-7]} "))
    check("more than the stated tolerance is not", not changed(f"{result}\n  {first} ", f"{result}\n  {moved[1 + 1e-5]} "))
    check("NaN for a number is not", not changed(f"{result}\n  {first} ", f"{result}\n  nan "))
    check("a version is compared exactly", not changed("version 1\nin", "version 2\nin"))
    exact = next(line for line in text.splitlines() if line.endswith(" exact"))
    second = text.split(exact + "\n")[1].split()[0]
    moved = (float.fromhex(second) * (1 + 1e-7)).hex()
    check("a last bit of what is exact is not let pass", not changed(f"{exact}\n  {second} ", f"{exact}\n  {moved} "))

    def case(values):
        return Case(function=lambda x: x * 2, calls=[("one", (values.clone(),))], name="tried", outputs=["y"])

    x = torch.randn(4)
    old = to_data(case(x), record_case(case(x)), [])
    for name, other, same in (("last bits", x * (1 + 1e-6), True), ("other numbers", x + 0.1, False)):
        tried = case(other)
        new = to_data(tried, record_case(tried, starts(old)), [])
        check(f"a call is started from the recorded inputs: {name}", (new == old) == same, new)


def test_command_line():
    with tempfile.TemporaryDirectory() as folder:
        for name, text, wanted in (
            ("no_case.py", "x = 1\n", "no function case()"),
            ("other.py", "def case():\n    return 1\n", "not a Case"),
            ("saved.pt2", "PK", "not a PROGRAM.py"),
            ("missing.py", None, "No such file"),
        ):
            path = Path(folder) / name
            if text is not None:
                path.write_text(text)
            ran = run([COMMAND, path], TORCH_LOGS="-all")  # PyTorch's own log misses Triton where there is none
            good = ran.returncode == 2 and wanted in ran.stderr and len(ran.stderr.splitlines()) == 1
            check(f"{name}: one line says what is wrong", good, ran.stderr)


def test_schema_for_editors():
    """The captured YAML refers to a schema that is there: the repository's for the examples, else one in its folder."""
    for graph in sorted(EXAMPLES.glob("*/graph.yaml")):
        first, *rest = graph.read_text().splitlines()
        if "# Captured by wrapgen-torch" in "\n".join(rest)[:2000]:
            referred = graph.parent / first.removeprefix("# yaml-language-server: $schema=")
            check(f"{graph.parent.name}: the schema is there", referred.resolve() == EXAMPLES.parent / "schema" / "graph.schema.json", first)
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program.py"
        program.write_text("\"\"\"A sum.\"\"\"\nimport torch\nfrom wrapgen_torch import Case\n\n\ndef case():\n"
                           "    return Case(function=lambda x: x + 1, calls=[('only', (torch.ones(3),))], grad_mode=False)\n")  # fmt: skip
        ran = run([COMMAND, program])
        made = Path(folder) / "graph.yaml"
        first = made.read_text().splitlines()[0] if made.exists() else ran.stderr
        check("elsewhere it is in the same folder", first == "# yaml-language-server: $schema=graph.schema.json", first)
        found = Path(folder) / "graph.schema.json"
        check("as in the repository", found.exists() and found.read_text() == (EXAMPLES.parent / "schema" / "graph.schema.json").read_text())
        check("and nothing is stale then", run([COMMAND, "--check", program]).returncode == 0)
        found.write_text("{}")
        check("but with another schema", run([COMMAND, "--check", program]).returncode == 1)


def test_ragged_guards():
    """Dynamo makes two guards about two ragged sizes: that they are equal, which makes them one, and that they are not. Where it makes
    none of its own, both are guards of the YAML."""
    a, b = (torch.nested.nested_tensor([torch.randn(n, 3) for n in (2, 4)], layout=torch.jagged) for _ in range(2))
    both = lambda a, b: (a * 2, b + 1) if a.shape[1] == b.shape[1] else (a + 1, b * 2)  # noqa: E731
    of_one = ["    guards: ['j0 == j1']"] if COMPARES_NESTED_INTS_UNGUARDED else []
    for name, other, guards in (("one", a * 1, of_one), ("not one", b, ["    guards: ['j0 != j1']"])):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text = capture(both, a, other, name="tried")
        found = [line for line in text.splitlines() if line.strip().startswith("guards:")]
        check(f"two ragged sizes that are {name}", found == guards and ("j1" in text) == bool(guards), text)
    x, y = sympy.symbols("x y", integer=True)
    env = SimpleNamespace(
        guards=[SimpleNamespace(expr=sympy.Ge(x, y))],
        var_to_sources={},
        replace=lambda expression: expression,
        backed_var_to_val={x: SingletonInt(1, coeff=1), y: SingletonInt(2, coeff=1)},
    )
    try:
        Symbols(env, nested={x: "j0", y: "j1"}).guards()
        check("another guard about ragged sizes is refused", False, "it was stated")
    except CaptureError as problem:
        check("another guard about ragged sizes is refused", "which compares nested ints" in str(problem), str(problem))
    z, inner = sympy.symbols("z inner", integer=True)
    env.guards = []
    env.backed_var_to_val = {x: SingletonInt(1, coeff=1), y: SingletonInt(2, coeff=1), inner: SingletonInt(2, coeff=1), z: SingletonInt(1, coeff=1)}
    env.var_to_sources = {symbol: [SimpleNamespace(is_ephemeral=lambda symbol=symbol: symbol is inner)] for symbol in env.backed_var_to_val}
    for unguarded, wanted in ((True, ["j0 != j1", "j0 == j2"]), (False, [])):
        with patch("wrapgen_torch.shapes.COMPARES_NESTED_INTS_UNGUARDED", unguarded):
            found = Symbols(env, nested={x: "j0", y: "j1", z: "j2"}).guards()
        check(f"what PyTorch does not guard is told of arguments: {unguarded}", found == wanted, found)
    ragged = Ragged.__new__(Ragged)
    ragged._by_symbol = {x: "j0"}
    forms = ((x * y, True), (x * (y + 1), True), (x * y + x, True), (x * 2, False), (x * y + 1, False), (y + 1, False))
    wrong = [form for form, multiple in forms if ragged._is_symbolic_multiple(form) != multiple]
    check("a ragged size times other sizes is known in any form", wrong == [], wrong)


def main():
    test_ragged_guards()
    test_unbacked()
    test_names()
    test_expressions()
    test_views()
    test_symbolic()
    test_merged_inputs()
    test_refusals()
    test_exported()
    test_capture()
    test_several_graphs()
    test_untested()
    test_check_sees()
    test_check_sees_choices()
    test_check_sees_guards()
    test_check_takes()
    test_recorded()
    test_command_line()
    test_schema_for_editors()
    test_stale_files()
    if "--quick" not in sys.argv:
        test_examples()
    print(f"{_results['passed']} passed, {_results['failed']} failed, 0 skipped")
    return 1 if _results["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
