# SPDX-License-Identifier: 0BSD
"""variants.py FOLDER [--check] - compiles kernels.py ahead of time with Triton, in FOLDER, and makes graph.yaml and variants.c of what
Triton's headers then say of each variant, and images/ of the PTX that it compiled. With --check it compares them with those that are here.

Triton's own tools do it: triton.tools.compile, whose hints (`:16`, `:1`) and constants are part of a variant, and the parser of
triton.tools.link. They ask a driver for the GPU, and there is none here: NoGpu names one, since nothing is launched.
"""

import sys
from pathlib import Path

import triton
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.driver import ty_to_cpp
from triton.tools.compile import CompileArgs, compile_kernel
from triton.tools.link import HeaderParser

HERE = Path(__file__).resolve().parent
TARGET = GPUTarget("cuda", 80, 32)

# What Triton is asked for: (signature, num_warps). Hints say that an address or number is a multiple of 16, or is 1.
ASKED = [
    ("*fp32:16, *fp32:16, *fp32:16, i32:16, fp32, 1024", 4),
    ("*fp32, *fp32, *fp32, i32:1, fp32, 1024", 4),
    ("*fp32, *fp32, *fp32, i32, fp32, 1024", 4),
    ("*fp32:16, *fp32:16, *fp32:16, i32:16, fp32, 256", 2),
]

HEAD = """\
# yaml-language-server: $schema=../../schema/graph.schema.json
# Made by variants.py of what Triton {version} says about kernels.py for {target}. A hint of 16 on an address is `align`, a
# hint on n is about the size; the constants and the number of warps are an algorithm, in Triton's order. `out` is made by the call,
# so it is aligned.
wrapgen: 1
prefix: demo_
symbols: [{{name: n, max: 2147483647}}]
kernels:
  - name: scale_add
    args:
      - {{name: x, kind: tensor, ndim: 1, dtype: float32, subclass_ok: false}}
      - {{name: y, kind: tensor, ndim: 1, dtype: float32, subclass_ok: false}}
      - {{name: alpha, kind: float}}
      - {{name: algorithm, kind: int, default: 0}}
    outputs:
      - {{name: out, dtype: float32, size: [n], allocate: x}}
    where:
      - {{symbol: n, arg: x, of: size, dim: 0}}
    variants:
"""

SOURCE = """\
/* SPDX-License-Identifier: 0BSD */
/* variants.c - made by variants.py: each variant with what Triton says of its launch. */
#include "launch.h"
"""

VARIANT = """
int32_t {symbol}(WgContext *ctx, const WgValue *args, size_t n, WgValue *outs, size_t *num_outs)
{{
    static const Image image = {{"{symbol}", {block}, {threads}, {takes_n}}};
    (void)ctx;
    (void)n;
    (void)outs;
    return launch(&image, args, num_outs);
}}
"""


class NoGpu:
    def get_current_target(self):
        return TARGET

    def map_python_to_cpp_type(self, kind):
        return ty_to_cpp(kind)


def compiled(folder):
    """{symbol: (block, num_warps, ptx)} of all that was asked for; headers and images are in the folder."""
    triton.runtime.driver.set_active(NoGpu())
    triton.knobs.compilation.disable_line_info = True  # PTX would name files of this machine
    found, ptx = {}, []
    compiles = triton.compile

    def compile_and_keep(*args, **kwargs):
        made = compiles(*args, **kwargs)
        ptx.append(made.asm["ptx"])
        return made

    triton.compile = compile_and_keep
    for signature, num_warps in ASKED:
        block = int(signature.split(",")[-1])
        grid = f"(n + {block - 1}) / {block},1,1"
        symbol, _ = compile_kernel(CompileArgs(path=str(HERE / "kernels.py"), kernel_name="scale_add", signature=signature, grid=grid,
                                               num_warps=num_warps, out_name="scale_add", out_path=folder / "scale_add"))  # fmt: skip
        found[symbol] = (block, num_warps, ptx[-1])
    return found


def linked(folder):
    """Algorithms in Triton's order, each with its variants, the most special first, as in make_kernel_hints_dispatcher()."""
    parser = HeaderParser()
    for header in sorted(folder.glob("*.h")):
        parser.extract_linker_meta(header.read_text())
    return [sorted(variants, key=lambda one: -one.num_specs) for variants in parser.kernels.values()]


def when_of(variant, algorithm):
    hints = dict(zip(variant.arg_names, variant.sizes, strict=True))
    assert set(hints) == {"x", "y", "out", "n", "alpha"} and hints["alpha"] is None, hints
    size = "1" if hints["n"] == 1 else "n"
    tensors = [f"{{arg: {one}, size: [{size}], stride: [1]{', align: 16' if hints[one] == 16 else ''}}}" for one in ("x", "y")]
    guards = ", guards: [n % 16 == 0]" if hints["n"] == 16 else ""
    return f"when: [{', '.join([*tensors, f'{{arg: algorithm, value: {algorithm}}}'])}]{guards}"


def made(folder):
    facts = compiled(folder)
    yaml = HEAD.format(version=triton.__version__, target=f"{TARGET.backend} {TARGET.arch}")
    source = SOURCE
    files = {}
    for algorithm, variants in enumerate(linked(folder)):
        for variant in variants:
            symbol = f"{variant.orig_kernel_name}_{variant.sig_hash}_{variant.suffix}"
            block, num_warps, files[f"images/{symbol}.ptx"] = facts[symbol]
            yaml += f"      - {{symbol: {symbol}, {when_of(variant, algorithm)}}}\n"
            takes_n = int(dict(zip(variant.arg_names, variant.sizes, strict=True))["n"] != 1)  # Triton leaves out a parameter that is 1
            source += VARIANT.format(symbol=symbol, block=block, threads=num_warps * TARGET.warp_size, takes_n=takes_n)
    return {"graph.yaml": yaml, "variants.c": source, **files}


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    stale = []
    for name, text in made(folder).items():
        if "--check" not in sys.argv:
            (HERE / name).write_text(text)
        elif not (HERE / name).exists() or (HERE / name).read_text() != text:
            stale.append(name)
    for name in stale:
        print(f"{name}: not what Triton {triton.__version__} says; run variants.py without --check", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
