# SPDX-License-Identifier: MIT
"""wrapgen-torch init: what it writes builds, says what is to be filled in, and tells a right kernel from a wrong one."""

import contextlib
import io
import os
import re
import subprocess
import tempfile
from pathlib import Path

from wrapgen_torch.cli import main
from wrapgen_torch.environment import wrapgen

PROGRAM = '''"""Counts rows."""
import torch
from wrapgen_torch import Case

def step(x, steps):
    x.add_(1)
    return x * steps, x > 3, x / (steps - steps)

def case():
    return Case(function=step, calls=[("first", (CALL))], grad_mode=False)
'''
CALL = "torch.tensor([[0.1, 2.0], [3.0, 4.0], [5.0, 6.0]]).t(), torch.tensor([1, 2, 3])"
KERNEL = """
#include <math.h>
#include "wg_native.h"
#include "wrappers.h"
int32_t step_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    const WgGeometry geometry = {(const int64_t[]){2, 3}, (const int64_t[]){1, 2}, 0, 2};
    float *x = wg_data(ctx, args[0].tensor);
    const int64_t *steps = wg_data(ctx, args[1].tensor);
    (void)num_args;
    const int32_t dtypes[3] = {WG_FLOAT32, WG_BOOL, WG_FLOAT32};
    for (int i = 0; i < 3; i++) {
        if (wg_empty_strided(ctx, &geometry, dtypes[i], WG_CPU, &outs[i].tensor) != WG_OK) {
            return WG_E_COMPILED;
        }
    }
    for (int i = 0; i < 6; i++) {
        x[i] += 1;
        ((float *)wg_data(ctx, outs[0].tensor))[i] = x[i] * (float)steps[i / 2];
        ((unsigned char *)wg_data(ctx, outs[1].tensor))[i] = x[i] > 3;
        ((float *)wg_data(ctx, outs[2].tensor))[i] = INFINITY;
    }
    *num_outs = 3;
    return WG_OK;
}
"""
_ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}


def _init(place, program, *more):
    """(exit code, stdout, stderr)"""
    Path(place, "step.py").write_text(program)
    with contextlib.redirect_stderr(io.StringIO()) as wrong, contextlib.redirect_stdout(io.StringIO()) as said:
        status = main(["init", f"{place}/step.py", "--out", f"{place}/first", *more])
    return status, said.getvalue(), wrong.getvalue()


def _made(folder, *words):
    made = subprocess.run(["make", "-C", folder, f"WRAPGEN={wrapgen()}", "CFLAGS=-O0 -Wall -Wextra -Werror", *words], env=_ENVIRONMENT, capture_output=True, text=True)
    return made.returncode, made.stdout + made.stderr


def test_init_writes_what_builds():
    with tempfile.TemporaryDirectory() as place:
        status, said, wrong = _init(place, PROGRAM.replace("CALL", CALL))
        assert status == 0 and not wrong, wrong
        folder = Path(place, "first")
        assert sorted(path.name for path in folder.iterdir()) == ["Makefile", "graph.schema.json", "graph.yaml", "kernel.c", "main.c"]
        assert f"make -C {folder} test" in said, said
        assert (folder / "graph.yaml").read_text().startswith("# yaml-language-server: $schema=graph.schema.json\n")
        assert _init(place, PROGRAM.replace("CALL", CALL))[0] == 0, "the same files may be written again"
        status, said = _made(folder)
        assert status != 0 and "\nstep_kernel: the compiled function failed (stub) [WG_E_COMPILED]\n" in said, said
        (folder / "kernel.c").write_text(KERNEL)
        status, said = _made(folder)
        assert status == 0 and said.count("elements, as PyTorch computed\n") == 4, said
        wrong = KERNEL.replace("x[i] += 1", "x[i] += 1.001f").replace("> 3", "> 5").replace("INFINITY", "1e30f").replace("i / 2", "0")
        (folder / "kernel.c").write_text(wrong)
        status, said = _made(folder)
        differing = re.findall("^(.*): element . differs from PyTorch's$", said, re.MULTILINE)
        assert status != 0 and differing == ["x", "out_0", "out_1", "out_2"], said
        status, _, said = _init(place, PROGRAM.replace("CALL", CALL))
        assert status == 2 and "kernel.c exists and differs; nothing is written" in said, said


def test_init_refuses():
    for call, words in (
        ("torch.ones(2, 3, dtype=torch.bfloat16), torch.ones(3)", "is of bfloat16, for which C has no type"),
        ("torch.ones(300, 300), torch.ones(300)", "more than 65536 elements"),
        ("*torch.ones(2, 3).unbind(),", "share memory"),
    ):
        with tempfile.TemporaryDirectory() as place:
            status, _, said = _init(place, PROGRAM.replace("CALL", call))
            assert status == 2 and said.count("\n") == 1 and words in said, said
            assert not Path(place, "first").exists()
    with tempfile.TemporaryDirectory() as place:
        training = PROGRAM.replace("(CALL)", "(torch.ones(3, requires_grad=True) * 1, torch.ones(3))").replace(", grad_mode=False", "").replace("x.add_(1)", "pass")
        status, _, said = _init(place, training)
        assert status == 2 and "its graph trains" in said, said
