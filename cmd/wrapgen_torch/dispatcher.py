# SPDX-License-Identifier: MIT
"""All graphs of a program as one document, built: calls go through the kernels that choose among its graphs."""

import ctypes

from .library import Host, Value, WrapperError, build, stub
from .graphs import Graphs
from .host import verbs
from .program import store


class Dispatcher:
    """`graphs` are Described, `programs` the Program of each. `text` is the document, `choices` are its kernels."""

    def __init__(self, name, graphs, programs):
        collected = Graphs(name, described=graphs)
        _, self.notes, self.choices, self.outdone = collected.document()
        self.text = collected.yaml
        self._programs = {described.name: program for described, program in zip(graphs, programs, strict=True)}
        self._due = None
        functions = {}
        for described in graphs:
            functions[f"{described.name}_kernel"] = self._body(described)
        self._prefix = graphs[0].prefix
        self._library = build(self.text, stub(graphs), graphs[-1].subclasses)
        self._host = Host.get()
        self._context = self._host.library.wg_python_context(verbs, functions)

    def _body(self, described):
        def run(*values):
            if described is not self._due:
                raise WrapperError(f"the dispatcher chose {described.name}, Dynamo {self._due.name}")
            return self._programs[described.name].run_forward(*values)

        return run

    def __call__(self, described, args):
        """A call for which Dynamo chose `described`, through its kernel; None if it is in none."""
        if described in self.outdone:
            raise WrapperError(f"Dynamo chose {described.name}, which another graph is said to take all calls of")
        choice = next((one for one in self.choices if described in one.variants), None)
        if choice is None:
            return None
        self._due = described
        frame = described.origin.frame()

        def enter(kinds):
            return self._enter(choice, choice.arguments(described, args, frame), kinds)

        return self._programs[described.name].call_through(enter, args)

    def _enter(self, choice, args, kinds):
        values = (Value * max(len(args), 1))()
        outs = (Value * max(len(kinds), 1))()
        kept = []
        for slot, value in zip(values, args):
            if isinstance(value, str):
                kept.append(ctypes.create_string_buffer(value.encode()))
                slot.tensor = ctypes.addressof(kept[-1])
            else:
                store(slot, value, kept)
        entry = getattr(self._library, f"{self._prefix}{choice.document['name']}")
        entry.restype = ctypes.c_int32
        num_outs = ctypes.c_size_t(len(kinds))
        status = entry(ctypes.c_void_p(self._context), values, ctypes.c_size_t(len(args)), outs, ctypes.byref(num_outs))
        self._host.raise_error(self._context, status)
        return [self._host.take(slot, kind) for slot, kind in zip(outs, kinds, strict=False)]
