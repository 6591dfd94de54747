# SPDX-License-Identifier: MIT
"""A directory of built wrappers.

    index.json             what it was built for, and each graph: its facts, their hash, its files with the hash of each
    graph-<hash>/          the YAML of one graph, the C that was generated, the library; or the models of one, for load()

Every folder is written beside its place, under a name that nobody reads, and renamed when it is whole; it never changes after
that. index.json is renamed last, and names all files with their hashes; it has a hash of its own, too. So a reader sees what one
build wrote, or what another did, and never half of it; and a build that is cut short leaves what was there before.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import platform
import shutil
import sysconfig
import tempfile
from dataclasses import dataclass
from pathlib import Path

import torch

from ..environment import HERE, put_in_place
from ..errors import DirectoryError

FORMAT = 3
_INDEX = "index.json"
_WORDS = {
    "format": "the format of the directory",
    "torch": "torch",
    "python": "Python",
    "machine": "the machine",
    "package": "the source of wrapgen_torch",
}


def environment():
    """What built files depend on, other than the graph."""
    digest = hashlib.sha256()
    for path in sorted(path for kind in ("py", "c", "h", "yaml") for path in HERE.rglob(f"*.{kind}")):
        digest.update(str(path.relative_to(HERE)).encode() + b"\0" + path.read_bytes())
    return {
        "format": FORMAT,
        "torch": f"{torch.__version__} ({torch.version.git_version[:12]})",
        "python": f"{platform.python_version_tuple()[0]}.{platform.python_version_tuple()[1]} {sysconfig.get_config_var('SOABI')}",
        "machine": f"{platform.system()} {platform.machine()}",
        "package": digest.hexdigest()[:16],
    }


@dataclass
class Entry:
    """One built graph, as the index has it."""

    digest: str
    facts: dict
    code: str
    folder: str
    files: dict  # name -> hash


@dataclass
class Models:
    """The AOTInductor models of one graph."""

    folder: str
    files: dict  # name -> hash


class Directory:
    """What one build wrote. Raises DirectoryError if it cannot be used here."""

    def __init__(self, path):
        self.path = Path(path)
        index = self._read()
        self.program, self.inner = index["program"], index["inner"]
        self.graphs = [Entry(**entry) for entry in index["graphs"]]
        self.refused = index["refused"]
        self.load = index.get("load")
        self.models = [Models(**entry) for entry in index.get("models", ())]
        self._by_digest = {entry.digest: entry for entry in self.graphs}

    def _read(self):
        if not self.path.is_dir():
            raise DirectoryError(f"{self.path} is not there: build it first (wrapgen_torch.build, or wrapgen-torch build)")
        path = self.path / _INDEX
        try:
            text = path.read_bytes()
            index = json.loads(text)
            built = dict(index["environment"])
        except FileNotFoundError:
            raise DirectoryError(f"{self.path} has no {_INDEX}: no build has ended there. Build it again") from None
        except OSError as problem:
            raise DirectoryError(f"{path} cannot be read ({problem.strerror}). Build {self.path} again") from None
        except (ValueError, KeyError, TypeError, RecursionError):
            raise DirectoryError(f"{path} is not what a build writes. Build it again") from None
        self._refuse_another(built)  # first: what another version writes may have another form
        if text != _index_text(index):
            raise DirectoryError(f"{path} is not the file that was built. Build {self.path} again")
        return index

    def _refuse_another(self, built):
        here = environment()
        wrong = [
            f"{words} is {here[key]}, and was {built.get(key, 'not stated')} when it was built"
            for key, words in _WORDS.items()
            if built.get(key) != here[key]
        ]
        if wrong:
            raise DirectoryError(f"{self.path} was built for something else: {'; '.join(wrong)}. Build it again")

    def find(self, digest):
        return self._by_digest.get(digest)

    def verified(self, entry):
        """The folder of a graph or of models, all of whose files are those that were built."""
        for name, digest in entry.files.items():
            path = self.path / entry.folder / name
            try:
                found = _hash(path)
            except OSError as problem:
                raise DirectoryError(f"{path} cannot be read ({problem.strerror}); {self.path} was built again, or is not whole") from None
            if found != digest:
                raise DirectoryError(f"{path} is not the file that was built. Build {self.path} again")
        return self.path / entry.folder


def _index_text(index):
    """The bytes of an index, with the hash of all that it says."""
    said = {key: value for key, value in index.items() if key != "hash"}
    digest = hashlib.sha256(json.dumps(said).encode()).hexdigest()
    return (json.dumps({**said, "hash": digest}, indent=1) + "\n").encode()


def _hash(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Writer:
    """`with Writer(path) as writer:` - folders are made in writer.new, and publish() puts all of them in place."""

    def __init__(self, path):
        self._path = Path(path)

    def __enter__(self):
        self._path.mkdir(parents=True, exist_ok=True)
        self.new = Path(tempfile.mkdtemp(prefix=".new-", dir=self._path))
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.new, ignore_errors=True)

    def publish(self, program, inner, graphs, refused, load=None, models=()):
        """`graphs` are mappings of what an Entry has, but for its files, and with a folder that is in writer.new. `load` is what
        loading/ reads, and `models` the folders to which it refers by number."""
        with self._alone():
            entries = []
            for graph in graphs:
                place, files = self._place(graph["folder"])
                entries.append({**graph, "folder": place, "files": files})
            placed = [self._place(folder) for folder in models]
            index = {"environment": environment(), "program": program, "inner": inner, "graphs": entries, "refused": refused}
            if load is not None:
                index |= {"load": load, "models": [{"folder": place, "files": files} for place, files in placed]}
            written = self.new / _INDEX
            written.write_bytes(_index_text(index))
            os.replace(written, self._path / _INDEX)
            self._remove_others({entry["folder"] for entry in entries} | {place for place, _ in placed})

    @contextlib.contextmanager
    def _alone(self):
        """Builders publish one after the other."""
        with open(self._path / ".lock", "wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _place(self, folder):
        """Renames a folder to the name that its content gives it; (the name, the hash of each file)."""
        files = {path.name: _hash(path) for path in sorted(folder.iterdir()) if path.is_file()}
        name = f"graph-{hashlib.sha256(json.dumps(files).encode()).hexdigest()[:16]}"
        place = self._path / name
        if place.exists() and any(not (place / one).exists() or _hash(place / one) != digest for one, digest in files.items()):
            shutil.rmtree(place)  # somebody changed it
        put_in_place(folder, place)
        return name, files

    def _remove_others(self, kept):
        for path in self._path.iterdir():
            if path.name.startswith("graph-") and path.name not in kept:
                shutil.rmtree(path, ignore_errors=True)
