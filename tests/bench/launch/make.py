# SPDX-License-Identifier: MIT
"""make.py FOLDER - kernels.py compiled ahead of time, for addresses and a length that are multiples of 16 and for any: what
triton.tools.compile and triton.tools.link write, the YAML that says the same to wrapgen (kernels.yaml), and functions of its variants
(variants.c), which call what Triton wrote. Nothing asks for a GPU."""

import sys
from pathlib import Path

import triton
from triton.tools.compile import CompileArgs, compile_kernel

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "examples/triton"))
from variants import NoGpu  # noqa: E402

KERNELS = {"two": 2, "sixteen": 16}
BLOCK = 1024


def compiled(folder, name, count, hint):
    """The symbol of a variant: `hint` is ":16" or nothing."""
    signature = ", ".join([f"*fp32{hint}"] * count + [f"i32{hint}", str(BLOCK)])
    symbol, _ = compile_kernel(CompileArgs(path=str(HERE / "kernels.py"), kernel_name=name, signature=signature,
                                           grid=f"(n + {BLOCK - 1}) / {BLOCK},1,1", num_warps=4, out_name=name,
                                           out_path=folder / name))  # fmt: skip
    return symbol


def variant_of(symbol, names, hint):
    align = ", align: 16" if hint else ""
    when = ", ".join(f"{{arg: {one}, size: [n], stride: [1]{align}}}" for one in names)
    return f"      - {{symbol: run_{symbol}, when: [{when}]{', guards: [n % 16 == 0]' if hint else ''}}}\n"


def function_of(symbol, count):
    addresses = "CUdeviceptr, " * count
    given = ", ".join(f"(CUdeviceptr)(uintptr_t)wg_data(ctx, args[{i}].tensor)" for i in range(count))
    return (
        f"\nCUresult {symbol}(CUstream stream, {addresses}int32_t n);\n\n"
        f"int32_t run_{symbol}(WgContext *ctx, const WgValue *args, size_t n, WgValue *outs, size_t *num_outs)\n"
        f"{{\n    (void)n;\n    (void)outs;\n    *num_outs = 0;\n"
        f"    return (int32_t){symbol}(NULL, {given}, (int32_t)wg_size(ctx, args[0].tensor, 0));\n}}\n"
    )


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    triton.runtime.driver.set_active(NoGpu())
    yaml = "wrapgen: 1\nprefix: our_\nsymbols: [{name: n, max: 2147483647}]\nkernels:\n"
    source = '/* Made by make.py. */\n#include <cuda.h>\n\n#include HOST\n#include "kernels.h"\n'
    for name, count in KERNELS.items():
        names = [*(f"x{i}" for i in range(count - 1)), "out"]
        args = "".join(f"      - {{name: {one}, kind: tensor, ndim: 1, dtype: float32, subclass_ok: false}}\n" for one in names)
        yaml += f"  - name: {name}\n    args:\n{args}    results: []\n    variants:\n"
        for hint in (":16", ""):
            symbol = compiled(folder, name, count, hint)
            yaml += variant_of(symbol, names, hint)
            source += function_of(symbol, count)
    (folder / "kernels.yaml").write_text(yaml)
    (folder / "variants.c").write_text(source)


if __name__ == "__main__":
    sys.exit(main())
