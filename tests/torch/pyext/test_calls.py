# SPDX-License-Identifier: MIT
"""Calls, what is refused, descriptions, what is bound, exceptions."""

import ast
import importlib.util
import inspect
import os
import shutil
import subprocess
import tempfile
import traceback
import warnings

from scenario import HERE, KERNELS, TorchHost, Special, arguments, fresh, library, raises, step_kernel, test

import torch
from torch.testing._internal.two_tensor import TwoTensor
from wrapgen_torch import capture
from wrapgen_torch.extension import build_extension, load_extension


# ---- calls ----


@test
def values_of_every_kind():
    module, args = fresh(), arguments()
    w, other, extra = args[0], args[1], args[5]
    result = module.step(*args)
    assert type(result) is tuple and len(result) == 6
    view, same, count, scaled, negated, nothing = result
    assert torch.equal(w, torch.full((4, 3), 2.0)) and w._version == 1
    assert view.shape == (3, 4) and view._base is w and view._version == 1
    assert same is other
    assert (count, scaled, negated, nothing) == (4, 0.25, False, None)
    assert (type(count), type(scaled), type(negated)) == (int, float, bool)
    assert extra == [3]


@test
def by_name_and_by_position():
    module, args = fresh(), arguments()
    names = ["w", "lambda_", "n", "rate", "flag", "extra", "constant"]
    for positional in range(8):
        named = dict(list(zip(names, args))[positional:])
        assert module.step(*args[:positional], **dict(reversed(list(named.items()))))[2] == 4
    # A name that is equal, but not the interned object.
    assert module.step(*args[:2], **{"".join(["", "n"]): 8, "rate": 1, "flag": False, "extra": [], "constant": None})[2] == 9
    assert module.empty() == () and module.empty(**{}) == ()


@test
def what_is_refused():
    module, args = fresh(), arguments()
    with raises(TypeError, "step() takes 7 arguments; 1 was given"):
        module.step(args[0])
    with raises(TypeError, "empty() takes 0 arguments; 2 were given"):
        module.empty(1, 2)
    with raises(TypeError, "step() takes 7 arguments; 8 were given"):
        module.step(*args, None)
    with raises(TypeError, "step() takes 7 arguments; 9 were given"):
        module.step(*args, None, w=args[0])
    with raises(TypeError, "step() has no argument 'q'"):
        module.step(*args[:6], q=1)
    with raises(TypeError, "step() got argument 'w' twice"):
        module.step(*args[:6], w=args[0])
    with raises(TypeError, "step() misses argument 'constant'"):
        module.step(*args[:5], extra=[])
    for position, wrong, expected in (
        (0, 1, "'w' must be torch.Tensor, not int"),
        (0, None, "'w' must be torch.Tensor, not NoneType"),
        (2, 1.0, "'n' must be int, not float"),
        (2, "1", "'n' must be int, not str"),
        (2, True, "'n' must be int, not bool"),
        (3, "x", "'rate' must be float, not str"),
        (3, True, "'rate' must be float, not bool"),
        (4, 1, "'flag' must be bool, not int"),
        (6, 3, "'constant' must be torch.Tensor or None, not int"),
    ):
        changed = list(args)
        changed[position] = wrong
        with raises(TypeError, expected):
            module.step(*changed)
    with raises(OverflowError):
        module.step(*args[:2], 1 << 63, *args[3:])
    assert args[0]._version == 0 and args[5] == []


@test
def facts_that_do_not_hold():
    module, args = fresh(), arguments()
    with raises(ValueError, "'w'", "size of dimension 0", "expected 4, found 5", "WG_E_SIZE"):
        module.step(torch.ones(5, 3), *args[1:])
    with raises(ValueError, "'w'", "expected float32, found float64", "WG_E_DTYPE"):
        module.step(torch.ones(4, 3).double(), *args[1:])
    with raises(ValueError, "WG_E_RANK"):
        module.step(torch.ones(12), *args[1:])
    with raises(TypeError, "WG_E_TYPE"):
        module.step(torch.ones(4, 3).as_subclass(type("Sub", (torch.Tensor,), {})), *args[1:])
    assert args[5] == []


@test
def parameters_are_plain():
    module, args = fresh(), arguments()
    with torch.no_grad():
        assert module.step(torch.nn.Parameter(args[0]), *args[1:])[2] == 4


@test
def integers_of_any_type():
    class Index:
        def __index__(self):
            return 41

    module, args = fresh(), arguments()
    for n in (41, Index(), torch.tensor(41)):
        assert module.step(*args[:2], n, *args[3:])[2] == 42
    for n in (-(1 << 63), -1):
        assert module.step(*args[:2], n, *args[3:])[2] == n + 1


@test
def descriptions():
    module = fresh()
    assert str(inspect.signature(module.step)) == "(w, lambda_, n, rate, flag, extra, constant)"
    assert str(inspect.signature(module.empty)) == "()"
    assert str(inspect.signature(module.bind)) == "(name, function, /)"
    assert "w: float32[4, 3], mutated" in module.step.__doc__ and "view: tensor, aliases w" in module.step.__doc__
    stub = (library().parent / "graphs.pyi").read_text()
    functions = {node.name: ast.unparse(node.args) + " -> " + ast.unparse(node.returns) for node in ast.parse(stub).body
                 if isinstance(node, ast.FunctionDef)}  # fmt: skip
    assert functions["product"] == "x: _torch.Tensor, w: _torch.Tensor -> _builtins.tuple[_torch.Tensor]", functions["product"]
    assert functions["empty"].endswith("-> _builtins.tuple[()]") and "constant: _torch.Tensor | None" in functions["step"]
    listed = {name for name in dir(module) if not name.startswith("_")}
    assert listed == set(functions), listed ^ set(functions)
    assert set(module.__compiled__) == set(KERNELS) and module.__types__ == () == module.__contexts__


@test
def the_golden_module_compiles():
    """Strictly, which tests/golden cannot do without Python's headers; and its stub file is Python."""
    folder, seen = HERE / "../../golden", 0
    strict = "-std=c11 -O2 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wcast-qual -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror"
    for source in folder.glob("*/module.c"):
        for compiler in filter(shutil.which, ("gcc", "clang")):
            command = [compiler, *strict.split(), *TorchHost.get().includes, f"-I{source.parent}", "-fsyntax-only", source]
            result = subprocess.run(command, capture_output=True, text=True)
            assert result.returncode == 0, result.stderr
            seen += 1
        ast.parse(source.with_suffix(".pyi").read_text())
    assert seen > 0


@test
def texts_are_written_and_read_as_utf_8():
    """Whatever the locale: each file of wrapgen_torch says so wherever it opens one, or reads what a program prints."""
    missing = []
    for path in (HERE / "../../../cmd/wrapgen_torch").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            given = {keyword.arg for keyword in node.keywords}
            binary = any(isinstance(arg, ast.Constant) and isinstance(arg.value, str) and arg.value.endswith("b") for arg in node.args)
            binary |= isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") in ("archive", "os")  # they open bytes
            texts = name in ("read_text", "write_text") or (name == "open" and not binary) or (name == "run" and "text" in given)
            missing += [f"{path.name}:{node.lineno}"] if texts and "encoding" not in given else []
    assert not missing, missing


@test
def compilers_of_two_words():
    """CC="ccache gcc"."""
    text = (HERE / "graphs.yaml").read_text(encoding="utf-8").replace("# Graphs", "# Gräphs")
    before = {name: os.environ.get(name) for name in ("CC", "CXX")}
    os.environ.update({name: f"env WRAPGEN_TEST=1 {value or default}" for (name, value), default in zip(before.items(), ("cc", "c++"))})
    try:
        with tempfile.TemporaryDirectory() as folder:
            made = build_extension(text, folder, "graphs")
            assert made.exists() and "Gräphs" in (made.parent / "graphs.yaml").read_text(encoding="utf-8")
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


# ---- what is bound ----


@test
def binding():
    module = load_extension(library())
    with raises(RuntimeError, "nothing is bound to the compiled function 'step_kernel' (bind)"):
        module.step(*arguments())
    with raises(ValueError, "no compiled function is called 'strep_kernel'", "step_kernel, empty_kernel"):
        module.bind("strep_kernel", step_kernel)
    with raises(TypeError, "must be callable, not int"):
        module.bind("step_kernel", 1)
    with raises(TypeError, "2 positional arguments"):
        module.bind("step_kernel")
    with raises(ValueError, "there are: none"):
        module.bind_type("TwoTensor", torch.Tensor)
    module.bind("empty_kernel", lambda args: ())
    assert module.empty() == ()
    module.bind("empty_kernel", None)
    with raises(RuntimeError, "nothing is bound"):
        module.empty()
    # Two modules of one library have separate bindings.
    other = load_extension(library())
    other.bind("empty_kernel", lambda args: [])
    assert other.empty() == ()
    with raises(RuntimeError, "nothing is bound"):
        module.empty()


@test
def results_that_cannot_be():
    module, args = fresh(), arguments()
    good = [torch.ones(4, 3), torch.ones(3, 4), args[1], 1, 1.0, True, None]
    for changed, kind, words in (
        (good[:6], RuntimeError, "returned 6 values, not 7"),
        (good + [1], RuntimeError, "returned 8 values, not 7"),
        (3, TypeError, "must return a list or tuple, not int"),
        ([1, *good[1:]], TypeError, "result 0 of the compiled function step_kernel must be a tensor, not int"),
        ([*good[:3], 1.0, *good[4:]], TypeError, "result 3 of the compiled function step_kernel must be an int, not float"),
        ([*good[:3], 1 << 64, *good[4:]], OverflowError, "too"),
        ([*good[:4], "1", *good[5:]], TypeError, "result 4 of the compiled function step_kernel must be a float, not str"),
        ([*good[:3], True, *good[4:]], TypeError, "result 3 of the compiled function step_kernel must be an int, not bool"),
        ([*good[:4], True, *good[5:]], TypeError, "result 4 of the compiled function step_kernel must be a float, not bool"),
        ([*good[:5], 1, None], TypeError, "result 5 of the compiled function step_kernel must be a bool, not int"),
        ([*good[:6], args[1]], TypeError, "result 6 of the compiled function step_kernel must be None, not Tensor"),
        ([None, *good[1:]], RuntimeError, "WG_E_RESULT"),
    ):
        module.bind("step_kernel", lambda _, changed=changed: changed)
        with raises(kind, words):
            module.step(*args)
    assert args[0]._version == 0


@test
def exceptions_pass_through():
    module, args = fresh(), arguments()
    raised = Special("mine", 3)

    def bad(_):
        raise raised

    module.bind("step_kernel", bad)
    for _ in range(2):
        try:
            module.step(*args)
        except Special as problem:
            assert problem is raised
            assert [frame.name for frame in traceback.extract_tb(problem.__traceback__)][-1] == "bad"
        else:
            raise AssertionError("nothing was raised")
    assert torch.is_grad_enabled() and args[0]._version == 0
    module.bind("step_kernel", step_kernel)
    assert module.step(*args)[2] == 4
    # What PyTorch raises within a verb: the epilogue writes into a leaf that requires grad.
    leaf = torch.ones(4, 3, requires_grad=True)
    try:
        leaf.copy_(torch.ones(4, 3))
    except RuntimeError as theirs:
        with raises(RuntimeError, str(theirs)):
            module.step(leaf, *args[1:])


@test
def warnings_and_exceptions_of_one_call():
    module = fresh()
    # PyTorch warns of the first write, since the new value is complex, and refuses the second, since it is into a leaf.
    module.bind("write_kernel", lambda _: [torch.ones(2, dtype=torch.complex64), torch.ones(2)])
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            with raises(RuntimeError, "a leaf Variable that requires grad"):
                module.write(torch.ones(2), torch.ones(2, requires_grad=True))
    finally:
        torch.set_warn_always(before)
    assert any("imaginary part" in str(one.message) for one in seen), seen


@test
def dynamic_dimensions_are_added():
    module = fresh()
    assert module.marked(torch.ones(2, 2))[0]._dynamo_propagated_dynamic_indices == {0}
    y = torch.ones(2, 2)
    y._dynamo_propagated_dynamic_indices = {1}
    module.bind("marked_kernel", lambda _: [y])
    module.marked(torch.ones(2, 2))
    assert y._dynamo_propagated_dynamic_indices == {0, 1}


@test
def recursion():
    module = fresh()
    depth = []

    def inner(args):
        if len(depth) < 20:
            depth.append(1)
            return list(module.taking(args.pop()))
        return [args.pop() + 1]

    module.bind("taking_kernel", inner)
    assert torch.equal(module.taking(torch.zeros(2))[0], torch.ones(2))


@test
def subclass_attributes_are_told_apart():
    """A class may flatten to other attributes than those for which the graph was compiled."""
    pair = TwoTensor(torch.ones(3), torch.ones(3))
    flatten = TwoTensor.__tensor_flatten__
    with tempfile.TemporaryDirectory() as folder:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text = capture(lambda x: x + 1, pair, name="plus")
        module = load_extension(build_extension(text, folder, "pairs"))
    module.bind("plus_kernel", lambda args: [one + 1 for one in args if isinstance(one, torch.Tensor)])
    with raises(RuntimeError, "no class is bound to the tensor subclass"):
        module.plus(pair)
    module.bind_type(module.__types__[0], TwoTensor)
    for name in module.__contexts__:
        module.bind_context(name, flatten(pair)[1])
    assert torch.equal(module.plus(pair)[0].a, torch.full((3,), 2.0))
    try:
        TwoTensor.__tensor_flatten__ = lambda self: (["b", "a"], flatten(self)[1])
        with raises(TypeError, "'x'", "WG_E_TYPE"):
            module.plus(pair)
    finally:
        TwoTensor.__tensor_flatten__ = flatten


@test
def planted_faults_have_their_place():
    """Those of ../sabotage.py, which is run by hand."""
    spec = importlib.util.spec_from_file_location("sabotage", HERE.parent / "sabotage.py")
    sabotage = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sabotage)
    assert not sabotage.without_place(), "\n".join(sabotage.without_place())
