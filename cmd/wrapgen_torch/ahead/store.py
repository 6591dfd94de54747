# SPDX-License-Identifier: MIT
"""A directory of built wrappers.

    index.json             what it was built for, and each graph: its facts, their hash, its files with the hash of each
    graph-<hash>/          the YAML of one graph, the C that was generated, the library; or the models of one, for load()

Every folder is written under a temporary name, which no reader will open, and renamed when it is complete; it never changes after that.
index.json is renamed last, and names all files with their hashes; it has a hash of its own, too. So a reader sees what one build wrote, or
what another did, and never half of it; and a build that is cut short leaves what was there before.

A build replaces and removes only what a build wrote and what has not been changed since: an index.json with the right hash, and a folder
whose name is the hash of its contents, or whose files are all in the index. Everything else stays, and if it is in the way the error names
it.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import platform
import shutil
import stat
import sysconfig
import tempfile
from dataclasses import dataclass
from pathlib import Path

import torch

from ..environment import HERE, put_in_place
from ..errors import DirectoryError, first_line

FORMAT = 5
WRONG = (LookupError, TypeError, AttributeError, ValueError, SyntaxError, RuntimeError)  # what comes of an index that says what no build writes
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
        with self.reading():
            for name, kind in _KINDS.items():
                _expect(index, name, kind)
            self.program, self.inner = index["program"], index["inner"]
            self.graphs = [Entry(**entry) for entry in index["graphs"]]
            self.refused = index["refused"]
            self.load = index.get("load")
            self.models = [Models(**entry) for entry in index.get("models", ())]
            for entry in [*self.graphs, *self.models]:
                for name, kind in _ENTRY_KINDS.items():
                    _expect(vars(entry), name, kind)
                if any(Path(name).name != name for name in (entry.folder, *entry.files)):
                    raise ValueError(f"{entry.folder} has a file elsewhere")
            self._by_digest = {entry.digest: entry for entry in self.graphs}

    @contextlib.contextmanager
    def reading(self):
        """What is read of the index is read under this: its hash is right, and yet it may say what no build writes."""
        try:
            yield
        except WRONG as problem:
            said = f"{type(problem).__name__}: {first_line(problem)}"
            raise DirectoryError(f"{self.path / _INDEX} says what no build writes ({said}). Remove it, and build {self.path} again") from problem

    def _read(self):
        if os.path.lexists(self.path) and not self.path.is_dir():
            raise DirectoryError(f"{self.path} is a file, not a directory that a build wrote: build into another")
        if not self.path.is_dir():
            raise DirectoryError(f"{self.path} is not there: build it first (wrapgen_torch.build, or wrapgen-torch build)")
        path = self.path / _INDEX
        refuse_writable(self.path, path)
        try:
            text = path.read_bytes()
            index = json.loads(text)
            built = dict(index["environment"])
        except FileNotFoundError:
            raise DirectoryError(f"{self.path} has no {_INDEX}: no build has ended there. Build it again") from None
        except OSError as problem:
            raise DirectoryError(f"{path} cannot be read ({problem.strerror}). Build {self.path} again") from None
        except (ValueError, KeyError, TypeError, RecursionError):
            raise DirectoryError(f"{path} is not what a build writes. Remove it, and build {self.path} again") from None
        self._refuse_another(built)  # first: what another version writes may have another form
        if text != _index_text(index):
            raise DirectoryError(f"{path} is not the file that was built. Remove it, and build {self.path} again")
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
        refuse_writable(self.path / entry.folder)
        for name, digest in entry.files.items():
            path = self.path / entry.folder / name
            refuse_writable(path)
            try:
                found = _hash(path)
            except OSError as problem:
                raise DirectoryError(f"{path} cannot be read ({problem.strerror}); {self.path} was built again, or is not whole") from None
            if found != digest:
                raise DirectoryError(f"{path} is not the file that was built. Remove {path.parent}, and build {self.path} again")
        return self.path / entry.folder


_KINDS = {"program": str, "inner": str, "graphs": list, "refused": list, "load": dict, "models": list}
_ENTRY_KINDS = {"digest": str, "facts": dict, "code": str, "folder": str, "files": dict}


def _expect(values, name, kind):
    if name in values and type(values[name]) is not kind:
        raise TypeError(f"{name} is a {type(values[name]).__name__}")


def _index_text(index):
    """The bytes of an index, with the hash of all that it says."""
    said = {key: value for key, value in index.items() if key != "hash"}
    digest = hashlib.sha256(json.dumps(said).encode()).hexdigest()
    return (json.dumps({**said, "hash": digest}, indent=1) + "\n").encode()


def _hash(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _name_of(files):
    """The name of a folder with these files: name -> hash."""
    return f"graph-{hashlib.sha256(json.dumps(files).encode()).hexdigest()[:16]}"


def refuse_writable(*paths):
    """What is opened runs as this process, so no other user may be able to write to it. A group is trusted with its files; in a directory
    with the sticky bit, other users cannot replace files."""
    for path in paths:
        with contextlib.suppress(OSError):  # told by whoever opens it
            mode = os.stat(path).st_mode
            if mode & stat.S_IWOTH and not (stat.S_ISDIR(mode) and mode & stat.S_ISVTX):
                raise DirectoryError(f"everybody can write to {path}, so what is in it may be anybody's: chmod o-w {path}")


class Writer:
    """`with Writer(path) as writer:` - folders are made in writer.new, and publish() puts all of them in place."""

    def __init__(self, path):
        self._path = Path(path)

    def __enter__(self):
        try:
            self._path.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise DirectoryError(f"{self._path} cannot be made ({problem.strerror}): build elsewhere") from None
        refuse_writable(self._path)
        self._known_files()  # what is in the way is said before minutes of compiling
        self.new = Path(tempfile.mkdtemp(prefix=".new-", dir=self._path))
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.new, ignore_errors=True)

    def publish(self, program, inner, graphs, refused, load=None, models=()):
        """`graphs` are mappings of what an Entry has, but for its files, and with a folder that is in writer.new. `load` is what
        loading/ reads, and `models` the folders to which it refers by number."""
        with self._alone():
            known = self._known_files()
            folders = {folder: _files_of(folder) for folder in [*(graph["folder"] for graph in graphs), *models]}
            for files in folders.values():
                self._refuse_in_the_way(files)
            entries = [{**graph, **self._placed(graph["folder"], folders)} for graph in graphs]
            placed = [self._placed(folder, folders) for folder in models]
            index = {"environment": environment(), "program": program, "inner": inner, "graphs": entries, "refused": refused}
            if load is not None:
                index |= {"load": load, "models": placed}
            written = self.new / _INDEX
            written.write_bytes(_index_text(index))
            _close(written)
            os.replace(written, self._path / _INDEX)
            self._remove_others({entry["folder"] for entry in [*entries, *placed]}, known)

    @contextlib.contextmanager
    def _alone(self):
        """Builders publish one after the other."""
        path = self._path / ".lock"
        try:
            lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
        except OSError as problem:
            raise DirectoryError(f"{path} is in the way ({problem.strerror}): it is to be a plain file") from None
        try:
            if not stat.S_ISREG(os.fstat(lock).st_mode):
                raise DirectoryError(f"{path} is in the way: it is to be a plain file")
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def _known_files(self):
        """What the index of the last build says: folder -> its files. An index that no build wrote is in the way."""
        path = self._path / _INDEX
        if not os.path.lexists(path):
            return {}
        try:
            text = path.read_bytes() if stat.S_ISREG(os.lstat(path).st_mode) else b""
            index = json.loads(text)
            if isinstance(index, dict) and text == _index_text(index):
                return {entry["folder"]: entry["files"] for entry in [*index["graphs"], *index.get("models", ())]}
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            pass
        raise DirectoryError(f"{path} is in the way: no build wrote it, or it was changed since. Move it, or build elsewhere")

    def _refuse_in_the_way(self, files):
        """Where a folder with these files is to be there may be the same, or what is left of it."""
        place = self._path / _name_of(files)
        if os.path.lexists(place) and not _is_part(place, files):
            raise DirectoryError(f"{place} is in the way: no build wrote it, or it was changed since. Move it, or build elsewhere")

    def _placed(self, folder, folders):
        """Renames a folder to the name that its content gives it: {its name, the hash of each file}."""
        files = folders[folder]
        place = self._path / _name_of(files)
        if place.exists() and _files_of(place) != files:
            shutil.rmtree(place)  # the rest of it is the same
        for path in (folder, *folder.iterdir()):
            _close(path)
        put_in_place(folder, place)
        return {"folder": place.name, "files": files}

    def _remove_others(self, kept, known):
        for path in self._path.iterdir():
            if path.name.startswith("graph-") and path.name not in kept and _is_ours(path, known.get(path.name, {})):
                shutil.rmtree(path, ignore_errors=True)


def _close(path):
    """Takes from others the right to write, whatever the umask gave them."""
    os.chmod(path, stat.S_IMODE(os.stat(path).st_mode) & ~stat.S_IWOTH)


def _files_of(folder):
    """name -> hash of each file of a folder, which has nothing but plain files; None of anything else."""
    if folder.is_symlink() or not folder.is_dir():
        return None
    paths = sorted(folder.iterdir())
    plain = all(stat.S_ISREG(os.lstat(path).st_mode) for path in paths)
    return {path.name: _hash(path) for path in paths} if plain else None


def _is_part(folder, files):
    found = _files_of(folder)
    return found is not None and found.items() <= files.items()


def _is_ours(folder, known):
    """Did a build write all that is in there? `known`: the files that its index names."""
    found = _files_of(folder)
    return bool(found is not None and (_name_of(found) == folder.name or known and found.items() <= known.items()))
