# SPDX-License-Identifier: MIT
"""Plays what load_models.py has built in a process in which nothing was compiled. transformers and timm import torch._dynamo themselves, so
that it is not imported cannot be tested here; ../load does."""

import faulthandler
import os
import traceback
from pathlib import Path

import timm  # noqa: F401
import torch
import transformers  # noqa: F401
from configurations import played
from torch._dynamo.utils import counters
from wrapgen_torch import load


class Child:
    """A fork of this process, made before anything is built, that plays when it is told to."""

    def __init__(self, name, folder):
        self._folder = Path(folder)
        told, self._tell = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(self._tell)
            os._exit(self._main(name) if os.read(told, 1) else 2)
        os.close(told)

    def _main(self, name):
        try:
            faulthandler.dump_traceback_later(1200, exit=True)
            fn = load(self._folder / "built").fn
            torch.save(played(name, lambda called: fn.bind(getattr(called, "__self__", called))), self._folder / "loaded.pt")
            compiled = {kind: dict(found) for kind, found in counters.items() if found}
            assert not compiled, f"something was compiled: {compiled}"
        except Exception:  # noqa: BLE001 - the parent is told
            (self._folder / "raised.txt").write_text(traceback.format_exc())
            return 1
        return 0

    def values(self):
        os.write(self._tell, b"1")
        status = self.close()
        raised = self._folder / "raised.txt"
        assert status == 0, raised.read_text() if raised.exists() else f"exit status {status}"
        return torch.load(self._folder / "loaded.pt")

    def close(self):
        """The exit status; 2 of one that was not told to play."""
        if self._pid is None:
            return None
        os.close(self._tell)
        pid, self._pid = self._pid, None
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
