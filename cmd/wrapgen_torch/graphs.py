# SPDX-License-Identifier: MIT
"""All graphs of a program as one document: the back end that collects them, and what is written of them together."""

from dataclasses import dataclass, field

import torch

from .choice import choices
from .yaml_text import to_yaml


@dataclass
class Shared:
    """What the graphs of one document share: each symbol has one meaning in it, and each name of a subclass."""

    taken: set = field(default_factory=set)  # names of symbols and values
    subclasses: object = None


@dataclass
class Graphs:
    """The graphs of one program in the order in which PyTorch compiled them, and what its calls ran."""

    name: str
    described: list = field(default_factory=list)
    calls: list = field(default_factory=list)  # for each call of the program, the graphs that ran, by name
    shared: Shared = field(default_factory=Shared)

    def next_name(self):
        return self.name if not self.described else f"{self.name}_{len(self.described) + 1}"

    def ran(self, described):
        if self.calls:
            self.calls[-1].append(described.name)

    def document(self):
        """(the document, notes, the kernels as Choice, the graphs that are never chosen again)"""
        kernels, notes, outdone = choices(self.described)
        documents = [described.document for described in self.described]
        result = {key: value for key, value in documents[0].items() if key in ("wrapgen", "prefix")}
        for key in ("symbols", "subclasses"):
            entries = {entry["name"]: entry for document in documents for entry in document.get(key, ())}
            entries |= {entry["name"]: entry for kernel in kernels if key == "symbols" for entry in kernel.symbols}
            if entries:
                result[key] = list(entries.values())
        result["graphs"] = [graph for document in documents for graph in document["graphs"]]
        if kernels:
            result["kernels"] = [kernel.document for kernel in kernels]
        return result, notes, kernels, outdone

    @property
    def yaml(self):
        document, notes, *_ = self.document()
        notes = [note for described in self.described for note in described.notes] + notes
        header = [f"Captured by wrapgen-torch from torch {torch.__version__.split('+')[0]}."]
        if len(self.described) > 1:
            header += [f"Call {number} runs {', '.join(names) or 'no graph'}." for number, names in enumerate(self.calls)]
        return to_yaml(document, header + [f"{note[0].upper()}{note[1:]}." for note in notes])
