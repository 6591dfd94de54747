# SPDX-License-Identifier: MIT
"""helion_code.py - what Helion does without a GPU: it binds a kernel to a call and writes Triton code for configurations that are given.
Triton compiles that for a GPU, with the warps of the configuration; grids are as long as its blocks demand."""

import tempfile
from pathlib import Path

import helion
import helion.language as hl
import torch
import triton
from triton.backends.compiler import GPUTarget

CONFIGS = [helion.Config(block_sizes=[64], num_warps=2), helion.Config(block_sizes=[1024], num_warps=8)]


@helion.kernel(configs=CONFIGS, static_shapes=True)
def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile] = x[tile] + y[tile]
    return out


def launched(bound, config, args):
    """What Helion's own code hands to its launcher: (kernel, grid, arguments, options)."""
    code, found, space = bound.to_triton_code(config), [], {}
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:  # Triton reads the source of kernels
        file.write(code)
    exec(compile(code, file.name, "exec"), space)  # noqa: S102 - what Helion wrote
    space["add"](*args, _launcher=lambda kernel, grid, *rest, **options: found.append((kernel, grid, rest, options)))
    Path(file.name).unlink()
    (one,) = found
    return one


def compiles():
    args = (torch.ones(4096), torch.ones(4096))
    for config in CONFIGS:
        block = config.block_sizes[0]
        kernel, grid, rest, options = launched(add.bind(args), config, args)
        assert grid == (4096 // block,) and options["num_warps"] == config.num_warps, (grid, options)
        types = {name: "*fp32" if isinstance(one, torch.Tensor) else "constexpr" for name, one in zip(kernel.arg_names, rest)}
        constants = {name: one for name, one in zip(kernel.arg_names, rest) if not isinstance(one, torch.Tensor)}
        types |= {name: "constexpr" for name in kernel.arg_names if name not in types}
        hints = {(i,): [["tt.divisibility", 16]] for i, one in enumerate(rest) if isinstance(one, torch.Tensor)}
        source = triton.compiler.ASTSource(fn=kernel, signature=types, constexprs=constants, attrs=hints)
        image = triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"num_warps": config.num_warps})
        assert f".reqntid {32 * config.num_warps}" in image.asm["ptx"] and len(image.asm["cubin"]) > 0, image.asm["ptx"][:1000]


compiles()
