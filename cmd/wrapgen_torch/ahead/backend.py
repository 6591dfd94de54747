# SPDX-License-Identifier: MIT
"""torch.compile(function, backend=wrapgen_torch.backend(DIR)): what was built takes the place of PyTorch's wrappers."""

import functools
import os

from ..errors import DirectoryError, FallbackWarning, NotBuilt, reason, warn
from ..upstream import require_torch
from .entry import direct
from .facts import nearest
from .missing import Missing
from .report import Report, Row
from .callables import callable_in, callable_of
from .hook import Hook, compiler_of
from .store import Directory

_FALLBACKS = ("torch", "error")
BACKGROUND = "background"
_BUILD_MISSING = (False, True, BACKGROUND)
FOLDER = "WRAPGEN_DIR"  # the directory of torch.compile(backend="wrapgen")
_OPTIONS = ("directory", "inner", "fallback", "build_missing")


class Backend:
    """A back end of torch.compile.

    directory       what build() wrote; DirectoryError if it was built for another torch, Python or machine, or is not whole. None:
                    nothing was, and build_missing must say what then
    inner           the back end that compiles the kernels: a name ("inductor", "aot_eager") or a callable that ends in AOTAutograd
    fallback        "torch": a graph that was not built gets PyTorch's own wrapper, and a FallbackWarning; "error": NotBuilt
    build_missing   True: such a graph is built now, into the cache, where later processes find it; "background": it is built meanwhile,
                    and this process falls back. What is built so was not compared with eager mode
    """

    __name__ = "wrapgen"

    def __init__(self, directory=None, inner="inductor", fallback="torch", build_missing=False):
        require_torch()
        if fallback not in _FALLBACKS:
            raise ValueError(f"fallback is one of {', '.join(_FALLBACKS)}, not {fallback!r}")
        if build_missing not in _BUILD_MISSING:
            raise ValueError(f"build_missing is one of {', '.join(map(repr, _BUILD_MISSING))}, not {build_missing!r}")
        if directory is None and not build_missing:
            raise ValueError("a directory that build() wrote, or build_missing=True")
        self._directory = None if directory is None else Directory(directory)
        self._missing = Missing() if build_missing else None
        self._in_background = build_missing == BACKGROUND
        self._inner = inner
        self._compile = compiler_of(inner)
        self._fallback = fallback
        self._report = Report()

    def __call__(self, module, args):
        before = len(self._report)
        with Hook(self._choose).installed(args):
            compiled = self._compile(module, list(args))
        if len(self._report) == before:
            self._miss("a graph", f"the back end {self._inner!r} does not use AOTAutograd")
        return direct(compiled)

    def report(self):
        return Report(self._report)

    def wait(self):
        """Until all that is built in the background is built."""
        if self._missing is not None:
            self._missing.wait()

    def _choose(self, site):
        if site.described is None:
            return self._miss(site.code, site.refusal)
        entry = None if self._directory is None else self._directory.find(site.digest)
        if entry is None:
            return self._miss(site.code, self._why_not(site, site.facts)) if self._missing is None else self._choose_missing(site)
        try:
            chosen = callable_of(self._directory, entry, site)
        except DirectoryError as problem:
            return self._miss(site.code, str(problem))
        except Exception as problem:  # noqa: BLE001 - told as the miss's reason, and PyTorch's own wrapper runs
            return self._miss(site.code, reason(problem))
        self._report.append(Row(site.code, True, f"graph {site.digest[:16]}"))
        return chosen

    def _choose_missing(self, site):
        try:
            folder = self._missing.built(site)
            now = folder is None
            if now and self._in_background:
                self._missing.begin(site)
                return self._miss(site.code, "its own is being built in the background, for the next process")
            if now:
                folder, refusal = self._missing.build(site)
                if refusal is not None:
                    return self._miss(site.code, refusal)
            chosen = callable_in(folder, site)
        except Exception as problem:  # noqa: BLE001 - as above
            return self._miss(site.code, reason(problem))
        self._report.append(Row(site.code, True, "built now" if now else "built when it was first met"))
        return chosen

    def _why_not(self, site, facts):
        directory = self._directory
        if not directory.graphs:
            return f"{directory.path} has no graphs"
        alike = [entry for entry in directory.graphs if entry.code == site.code]
        if not alike:
            codes = ", ".join(sorted({entry.code for entry in directory.graphs}))
            why = nearest(facts, directory.graphs, site.labels)
            return f"{directory.path} was built for another program, with graphs of {codes}; the nearest differs: {why}"
        why = nearest(facts, alike, site.labels)
        if directory.inner != str(self._inner):
            why += f"; it was built with the back end {directory.inner}, and this is {self._inner}"
        return why

    def _miss(self, code, why):
        if self._fallback == "error":
            raise NotBuilt(f"{code}: {why}")
        self._report.append(Row(code, False, why))
        warn(f"{code} runs under PyTorch's own wrapper: {why}", FallbackWarning)


def registered(module, args, *, mode=None, options=None):
    """torch.compile(function, backend="wrapgen"), by the entry point of pyproject.toml. `options` are those of Backend; the directory is
    also that of $WRAPGEN_DIR; without one graphs are built when they are first met."""
    if mode is not None:
        raise ValueError(f"torch.compile(backend='wrapgen') has no modes, and mode is {mode!r}; options has 'inner'")
    options = dict(options or {})
    unknown = [name for name in options if name not in _OPTIONS]
    if unknown:
        raise ValueError(f"options of torch.compile(backend='wrapgen') are {', '.join(_OPTIONS)}, not {', '.join(map(repr, unknown))}")
    options.setdefault("directory", os.environ.get(FOLDER) or None)
    options.setdefault("build_missing", options["directory"] is None)
    return _registered(tuple(sorted(options.items())))(module, args)


@functools.cache
def _registered(options):
    """One for all functions with these options, so that a directory is read once."""
    return Backend(**dict(options))
