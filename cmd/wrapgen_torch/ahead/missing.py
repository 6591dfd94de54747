# SPDX-License-Identifier: MIT
"""Graphs that no build made, built when torch.compile first meets them: backend(..., build_missing=True).

They are kept in the cache, a folder each, named after the graph's description and all else that its wrapper depends on: the tool,
this package, torch, Python and the machine. So another process finds them, and does not find what is out of date. Their calls were not
compared with eager mode, as those of build() are.
"""

import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ..environment import HERE, cache_folder, put_in_place, wrapgen
from ..progress import shown
from .callables import compile_yaml
from .store import environment, refuse_writable

class Missing:
    def __init__(self):
        self.folder = cache_folder() / "graphs"
        self.folder.mkdir(exist_ok=True)
        self._building = {}  # place -> a process

    def built(self, site):
        """The folder of its wrapper, None if there is none."""
        place = self._place(site)
        if not place.is_dir():
            return None
        refuse_writable(self.folder, place, *place.iterdir())
        return place

    def build(self, site):
        """(the same, once it is built, or None; why it cannot be built, or None)."""
        with shown():
            refusal = _make(site.described.yaml, self._place(site))
        return (self.built(site), None) if refusal is None else (None, refusal)

    def begin(self, site):
        """Builds it in a process that outlives this one; the next one that compiles the graph has it."""
        place = self._place(site)
        if place in self._building:
            return
        command = [sys.executable, "-m", "wrapgen_torch.ahead.missing", place]
        paths = os.pathsep.join([str(HERE.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
        self._building[place] = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            env={**os.environ, "PYTHONPATH": paths})  # fmt: skip
        with self._building[place].stdin as given:
            given.write(site.described.yaml.encode())

    def wait(self):
        """Until all that was begun has ended."""
        for process in self._building.values():
            process.wait()

    def _place(self, site):
        return place_of(self.folder, site)


def _make(text, place):
    """Why it cannot be built, or None. Whatever ends this before it is done leaves `place` as it was: a compiler that fails may work the next
    time, so only a wrapper is kept."""
    new = Path(tempfile.mkdtemp(prefix=".new-", dir=place.parent))
    try:
        refusal = compile_yaml(text, new)
        if refusal is None:
            put_in_place(new, place)
        return refusal
    finally:
        shutil.rmtree(new, ignore_errors=True)  # empty, unless another process was faster


def place_of(folder, site):
    """The folder in `folder` of what is built for the graph of a Site."""
    return folder / hashlib.sha256(f"{_version()}\0{site.described.yaml}".encode()).hexdigest()[:32]


@functools.cache
def _version():
    return f"{hashlib.sha256(Path(wrapgen()).read_bytes()).hexdigest()} {environment()}"


if __name__ == "__main__":
    _make(sys.stdin.buffer.read().decode(), Path(sys.argv[1]))
