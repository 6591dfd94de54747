# SPDX-License-Identifier: MIT
"""Every graph of AOTAutograd, whatever compiles it, gets a wrapper that is built when it is first seen: the wrappers of
torch.compile, with every back end, of aot_function and of aot_module."""

import contextlib
import functools
import re
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

import torch._functorch.aot_autograd as aot_autograd
from torch._functorch import config as functorch_config
from wrapgen_torch.ahead import callables
from wrapgen_torch.ahead.missing import place_of
from wrapgen_torch.ahead.hook import Hook
from wrapgen_torch.environment import put_in_place

# What is wrong with us, and not with the graph; an error of wrapgen, too, that does not say that something is not done.
_MISTAKE = re.compile(r"a mistake of wrapgen_torch|\S+ ended with \d")


@contextlib.contextmanager
def as_built():
    """PyTorch's settings while graphs are compiled for a wrapper of ours (hook.py), whatever a test sets: so PyTorch alone runs under
    them, too, and no test differs for them."""
    original = aot_autograd.aot_stage2_compile

    def stage2(*args, **options):
        with functorch_config.patch(donated_buffer=False):
            return original(*args, **options)

    with (
        functorch_config.patch(donated_buffer=False),
        patch.object(aot_autograd, "should_use_local_autograd_cache", lambda: False),
        patch.object(aot_autograd, "should_use_remote_autograd_cache", lambda: False),
        patch.object(aot_autograd, "aot_stage2_compile", stage2),
    ):
        yield


@dataclass
class FirstSight:
    """`with sight.installed():`, and then `refused` and `broken` say why graphs have PyTorch's own wrapper."""

    folder: Path  # what is built stays there
    built: int = 0
    refused: list = field(default_factory=list)  # what wrapgen does not do, and says
    broken: list = field(default_factory=list)  # what it should do

    @contextlib.contextmanager
    def installed(self):
        with as_built(), Hook(self._choose).installed():
            yield

    def _choose(self, site):
        try:
            refusal, folder = (site.refusal, None) if site.described is None else self._build(site)
            if refusal is None:
                chosen = callables.callable_in(folder, site)
                self.built += 1
                return chosen
        except Exception as problem:  # noqa: BLE001 - whatever it is, a test may swallow it
            self.broken.append(f"{type(problem).__name__}: {problem}")
        else:
            (self.broken if _MISTAKE.match(refusal) else self.refused).append(refusal)
        return None

    def _build(self, site):
        """(the refusal or None, the folder). What was built for the same graph once is found again."""
        place = place_of(self.folder, site)
        said = place / "refused"
        if not place.exists():
            new = Path(tempfile.mkdtemp(prefix=".new-", dir=self.folder))
            with patch.object(callables, "build_extension", functools.partial(callables.build_extension, passing=True)):
                refusal = callables.compile_site(site, new)
            if refusal is not None:
                (new / said.name).write_text(refusal)
            put_in_place(new, place)
            shutil.rmtree(new)  # empty, unless another process was faster
        return (said.read_text() if said.exists() else None), place
