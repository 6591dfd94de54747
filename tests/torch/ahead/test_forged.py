# SPDX-License-Identifier: MIT
"""An index that was written by somebody else, with the right hash: each key of it removed, and each value of another type. It is refused
with a DirectoryError, or the graph is a miss, or what was built runs all the same; no other exception comes out."""

import copy
import json
import tempfile
import warnings
from pathlib import Path

import torch
from wrapgen_torch import CaptureError, DirectoryError, backend, build
from wrapgen_torch.ahead import store

_OTHERS = (None, True, 7, 1.5, "text", "../text", [], {}, [1], {"a": 1})


def scaled(x, w):
    return x * w


def arguments():
    return torch.ones(3), torch.ones(3, requires_grad=True)


def _places(value, path=()):
    """The path of each item of dicts and lists, but not within the facts of a graph, which are compared as a whole."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        if key not in ("facts", "environment"):
            yield from _places(inner, (*path, key))


def _forged(index):
    for path in _places(index):
        for other in (KeyError, *_OTHERS):
            made = copy.deepcopy(index)
            at = made
            for key in path[:-1]:
                at = at[key]
            if other is KeyError:
                del at[path[-1]]
            else:
                at[path[-1]] = other
            yield path, other, made


def test_each_key_of_an_index():
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        build(scaled, arguments, folder, inner="aot_eager")
        file = Path(folder) / "index.json"
        index = json.loads(file.read_text())
        del index["hash"]
        (graph,) = index["graphs"]
        refused = 0
        for path, other, made in _forged(index):
            file.write_bytes(store._index_text(made))
            try:
                directory = store.Directory(folder)
                for entry in [*directory.graphs, *directory.models]:
                    directory.verified(entry)
                assert directory.find(graph["digest"]) is None or all(type(one) is str for one in directory.find(graph["digest"]).files.values())
            except DirectoryError:
                refused += 1
            except Exception as problem:
                problem.add_note(f"{path} is {other}")
                raise
        assert refused > 100, refused


def test_an_index_that_leads_elsewhere():
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        build(scaled, arguments, folder, inner="aot_eager")
        file = Path(folder) / "index.json"
        index = json.loads(file.read_text())
        index["graphs"][0]["folder"] = "../elsewhere"
        file.write_bytes(store._index_text(index))
        try:
            backend(folder)
        except DirectoryError as problem:
            assert "what no build writes" in str(problem), problem
        else:
            raise AssertionError("it is taken")
