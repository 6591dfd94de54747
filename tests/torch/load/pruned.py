# SPDX-License-Identifier: MIT
"""Kept bytecode does not read what the graph gets: functions are written as Dynamo writes them, and run before and after."""

import json
import tempfile
import types
from pathlib import Path

import torch
from wrapgen_torch import build
from wrapgen_torch.ahead.pruning import without_inputs

_CODE = """
def read(a, b):
    return __compiled_fn_1(a["x"], b.y["z"], 3, a["w"]), b

def named(a, b):
    m = b
    return __compiled_fn_1((n := m.y)["z"], (o := a["x"]), o, n["z"]), m

def nothing(a, b):
    return __compiled_fn_1(), a["x"]

def called(a, b):
    return __compiled_fn_1(a["x"])(a["w"]), b.y

def used(a, b):
    return __compiled_fn_1((n := a["x"]), a["w"]), n

def made(a, b):
    return __compiled_fn_1(list(a), a["x"]), b

def by_name(a, b):
    return __compiled_fn_1(a["x"], more=a["w"]), b

def spread(a, b):
    return __compiled_fn_1(*a["x"]), b

def chosen(a, b):
    return __compiled_fn_1(a["x"] if b else a["w"]), b

def either(a, b):
    return __compiled_fn_1(a["x"] or a["w"]), b

def twice(a, b):
    return __compiled_fn_1(a["x"]), __compiled_fn_1(a["w"])

def caught(a, b):
    try:
        return __compiled_fn_1(a["x"]), b
    except KeyError:
        return None

def none(a, b):
    return a["x"]

def looped(a, b):
    n, seen = 0, []
    for i in range(2):
        seen.append(n)
        r = __compiled_fn_1((n := a["x"]), a["w"])
    return seen

def deleted(a, b):
    r = __compiled_fn_1((n := a["x"]), a["w"])
    if b:
        r = 1
    del n
    return r

def deleted_caught(a, b):
    r = __compiled_fn_1((n := a["x"]), a["w"])
    try:
        del n
    except KeyError:
        r = 1
    return 1

def of_another(a, b):
    return __compiled_fn_1["k"](a["x"]), b
"""
_PRUNED = {"read", "named", "called"}


class _Counted(dict):
    """Counts what is read of it; so does y of _Owner."""

    def __getitem__(self, key):
        self.count = getattr(self, "count", 0) + 1
        return super().__getitem__(key)


def _run(code):
    """(what it returns, the arguments of each call of its graph, how often something was read)."""
    calls, a, owner = [], _Counted(x=(1, 2), w=0), types.SimpleNamespace(y=_Counted(z=5))

    def graph(*args, **more):
        calls.append((args, more))
        return lambda *rest: ("results", *rest)

    class Graph(dict):
        def __call__(self, *args, **more):
            return graph(*args, **more)

    result = types.FunctionType(code, {"__compiled_fn_1": Graph(k=graph), "list": list, "range": range, "KeyError": KeyError})(a, owner)
    shown = ["graph" if callable(one) else "owner" if one is owner else one for one in (result if isinstance(result, tuple) else (result,))]
    return shown, calls, getattr(a, "count", 0) + getattr(owner.y, "count", 0)


def what_the_graph_gets_is_not_read():
    namespace = {}
    exec(compile(_CODE, "dynamo", "exec"), namespace)  # noqa: S102
    found = set()
    for name, function in namespace.items():
        if name.startswith("__"):
            continue
        code = function.__code__
        pruned = without_inputs(code)
        (before, calls, count), (after, others, rest) = _run(code), _run(pruned)
        assert before == after, name
        if pruned is code:
            continue
        found.add(name)
        assert others == [((), {})] and len(calls) == 1, name
        assert rest == count - {"read": 3, "named": 3, "called": 1}[name], (name, count, rest)
    assert found == _PRUNED, found


def code_with_a_dict_as_a_constant_stays():
    namespace = {}
    exec(compile(_CODE, "dynamo", "exec"), namespace)  # noqa: S102
    code = namespace["read"].__code__
    code = code.replace(co_consts=(*code.co_consts, {"return": int}))  # as for the annotations of a function that is made
    assert without_inputs(code) is code


class _Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(4, 4) for _ in range(3))
        self.seen = None

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).relu()
        self.seen = 7
        return {"x": x, "seen": self.seen}


def the_bytecode_of_a_module_reads_no_parameters():
    with tempfile.TemporaryDirectory(prefix="pruned-") as folder:
        net = _Net()
        with torch.no_grad():
            build(net, lambda: (torch.ones(2, 4),), Path(folder, "built"), load=True, context=torch.no_grad, progress=False)
        (program,) = json.loads(Path(folder, "built", "index.json").read_text())["load"]["programs"]
        names = program["returned"]["code"]["code"]["names"]
        assert "seen" in str(program["returned"]), program["returned"]
        assert len(program["inputs"]) == 7 and len(program["returned"]["code"]["code"]["code"]) < 400, names


TESTS = [(f"pruned: {test.__name__}", test) for test in (what_the_graph_gets_is_not_read, code_with_a_dict_as_a_constant_stays, the_bytecode_of_a_module_reads_no_parameters)]
