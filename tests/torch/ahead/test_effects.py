# SPDX-License-Identifier: MIT
"""Ordered effects of operators happen as often as in eager mode, in the same order and with the same values, and what was built is a hit:
under a back end whose graphs take tokens, and under Inductor's, which take none."""

import importlib
import sys
import tempfile
import warnings
from pathlib import Path

import torch
from compared import same
from wrapgen_torch import backend, build

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "parity"))
effects = importlib.import_module("programs_effects")


def _inputs(kind, grad):
    torch.manual_seed(1)
    return effects.KINDS[kind](3, 4, grad=grad), torch.ones(3, 4)


def _noted(function, kind, grad, backward=True):
    effects.SEEN.clear()
    results = function(*_inputs(kind, grad))
    if grad and backward:
        results[0].sum().backward()
    return list(effects.SEEN)


def _notes_alike(body, kind, grad, inner):
    expected, calls = _noted(body, kind, grad), _noted(body, kind, grad, backward=False)
    assert not grad or len(expected) > len(calls), "nothing is noted in eager mode's backward"
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        effects.SEEN.clear()
        report = build(body, lambda: _inputs(kind, grad), folder, inner=inner)
        _are_alike(effects.SEEN, calls)
        assert report.misses == 0 and report.hits == 1, str(report)
        torch._dynamo.reset()
        found = backend(folder, inner=inner, fallback="error")
        _are_alike(_noted(torch.compile(body, backend=found), kind, grad), expected)
    assert found.report().hits == 1, str(found.report())


def _are_alike(seen, expected):
    assert [text for text, _ in seen] == [text for text, _ in expected], f"{seen}, not {expected}"
    torch.testing.assert_close([value for _, value in seen], [value for _, value in expected], rtol=1e-5, atol=1e-5)


def _test_of(body, kind, grad, inner):
    return lambda: _notes_alike(body, kind, grad, inner)


def _same_under_inductor(body, kind):
    return lambda: same(body, lambda: _inputs(kind, True), inner="inductor")


for _kind in effects.KINDS:
    for _inner in ("aot_eager", "inductor"):
        globals()[f"test_notes_{_kind}_{_inner}"] = _test_of(effects.in_both, _kind, True, _inner)
    globals()[f"test_notes_inference_{_kind}"] = _test_of(effects.in_both, _kind, False, "inductor")
    for _body in (effects.twice_in_the_backward, effects.beside_a_write):
        globals()[f"test_same_{_body.__name__}_{_kind}"] = _same_under_inductor(_body, _kind)
globals()["test_notes_of_the_backward_alone"] = _test_of(effects.in_the_backward, "plain", True, "inductor")
