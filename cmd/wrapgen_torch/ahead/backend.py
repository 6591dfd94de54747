# SPDX-License-Identifier: MIT
"""torch.compile(function, backend=wrapgen_torch.backend(DIR)): what was built takes the place of PyTorch's wrappers."""

from ..errors import DirectoryError, FallbackWarning, NotBuilt, reason, warn
from ..upstream import require_torch
from .entry import direct
from .facts import nearest
from .report import Report, Row
from .seam import callable_of
from .stand import Stand, compiler_of
from .store import Directory

_FALLBACKS = ("torch", "error")


class Backend:
    """A back end of torch.compile.

    directory   what build() wrote; DirectoryError if it was built for another torch, Python or machine, or is not whole
    inner       the back end that compiles the kernels: a name ("inductor", "aot_eager") or a callable that ends in AOTAutograd
    fallback    "torch": a graph that was not built gets PyTorch's own wrapper, and a FallbackWarning; "error": NotBuilt
    """

    __name__ = "wrapgen"

    def __init__(self, directory, inner="inductor", fallback="torch"):
        require_torch()
        if fallback not in _FALLBACKS:
            raise ValueError(f"fallback is one of {', '.join(_FALLBACKS)}, not {fallback!r}")
        self._directory = Directory(directory)
        self._inner = inner
        self._compile = compiler_of(inner)
        self._fallback = fallback
        self._report = Report()

    def __call__(self, module, args):
        before = len(self._report)
        with Stand(self._choose).standing(args):
            compiled = self._compile(module, list(args))
        if len(self._report) == before:
            self._miss("a graph", f"the back end {self._inner!r} does not use AOTAutograd")
        return direct(compiled)

    def report(self):
        return Report(self._report)

    def _choose(self, site):
        if site.described is None:
            return self._miss(site.code, site.refusal)
        entry = self._directory.find(site.digest)
        if entry is None:
            return self._miss(site.code, self._why_not(site, site.facts))
        try:
            chosen = callable_of(self._directory, entry, site)
        except DirectoryError as problem:
            return self._miss(site.code, str(problem))
        except Exception as problem:  # noqa: BLE001 - told as the miss's reason, and PyTorch's own wrapper runs
            return self._miss(site.code, reason(problem))
        self._report.append(Row(site.code, True, f"graph {site.digest[:16]}"))
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
