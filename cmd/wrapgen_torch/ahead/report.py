# SPDX-License-Identifier: MIT
"""What became of the graphs of a program: under a back end, and in a build."""

from dataclasses import dataclass

from ..progress import seconds_of, size_of


@dataclass
class Row:
    """What became of one graph."""

    code: str  # "forward (model.py)"
    hit: bool
    why: str

    def __str__(self):
        return self.said("hit", "miss")

    def said(self, good, bad):
        return f"{good if self.hit else bad:{max(len(good), len(bad))}}  {self.code}: {self.why}"


class Report(list):
    """The Rows in the order in which the graphs were compiled."""

    @property
    def hits(self):
        return sum(row.hit for row in self)

    @property
    def misses(self):
        return len(self) - self.hits

    def __str__(self):
        return "\n".join([f"{self.hits} hits, {self.misses} misses", *map(str, self)])


class Built(Report):
    """Of a build: a hit was built."""

    def __init__(self, rows, directory, seconds):
        super().__init__(rows)
        self.directory, self.seconds = directory, seconds

    def __str__(self):
        first = f"built {self.hits} of {len(self)} graphs in {seconds_of(self.seconds)}: {self.directory}, {size_of(self.directory)}"
        return "\n".join([first, *(row.said("built", "not built") for row in self)])
