# SPDX-License-Identifier: MIT
"""launch.py FOLDER BATCHES - from a call in Python to cuLaunchKernel, over a driver that counts (driver.c): a module that wrapgen made
("module"), Triton's own launcher, `kernel[grid](...)` ("triton"), and where Helion is installed a kernel of Helion ("helion") and one
that is bound to the call already ("bound"). The tensors are of the CPU: the driver takes any address. FOLDER is what make.py wrote. A
line for each: number of tensors, name, nanoseconds (first quartile of batches, contestants in turns)."""

import ctypes
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]

import triton  # noqa: E402
from triton.backends.nvidia.driver import CudaDriver  # noqa: E402

DRIVER = CudaDriver()  # before PyTorch is imported, or it asks PyTorch for the GPU
triton.runtime.driver.set_active(DRIVER)

import torch  # noqa: E402

sys.path[:0] = [str(ROOT / "cmd"), str(HERE)]

import kernels  # noqa: E402
from wrapgen_torch.extension import TorchHost, build_extension, load_extension  # noqa: E402

try:
    import helion_kernels
except ImportError:
    helion_kernels = None

CALLS = 200
LENGTH = 4096


def our_module(folder):
    objects = []
    flags = ["-O2", "-fPIC", "-w", "-include", "stdlib.h", f"-I{folder}", f"-I{Path(triton.__file__).parent}/backends/nvidia/include"]
    for source in [folder / "variants.c", *sorted(folder.glob("two.*.c")), *sorted(folder.glob("sixteen.*.c"))]:
        objects.append(source.with_suffix(".o"))
        subprocess.run([os.environ.get("CC", "cc"), *flags, '-DHOST="wg_torch.h"', *TorchHost.get().includes, "-c", "-o", objects[-1], source], check=True)
    yaml = (folder / "kernels.yaml").read_text().replace("wrapgen: 1\n", "wrapgen: 1\nhost: torch\n")
    return load_extension(build_extension(yaml, folder / "python", "launched", objects=[*objects, folder / "libcuda.so.1"]))


def contestants(folder):
    module = our_module(folder)
    for name, count in (("two", 2), ("sixteen", 16)):
        tensors = [torch.zeros(LENGTH) for _ in range(count)]
        ours, theirs = getattr(module, name), getattr(kernels, name)
        yield count, "module", lambda ours=ours, tensors=tensors: ours(*tensors)
        yield count, "triton", lambda theirs=theirs, tensors=tensors: theirs[(4,)](*tensors, LENGTH, BLOCK=1024, num_warps=4)
        if helion_kernels is not None:
            kernel = getattr(helion_kernels, name)
            bound = kernel.bind(tuple(tensors))
            yield count, "helion", lambda kernel=kernel, tensors=tensors: kernel(*tensors)
            yield count, "bound", lambda bound=bound, tensors=tensors: bound(*tensors)


def main():
    folder, batches = Path(sys.argv[1]), int(sys.argv[2])
    launches = ctypes.c_uint64.in_dll(ctypes.CDLL(str(folder / "libcuda.so.1")), "num_launches")
    rows = [(count, name, call, []) for count, name, call in contestants(folder)]
    for _, _, call, _ in rows:
        call()  # compiles
    for _ in range(batches):
        for count, name, call, times in rows:
            before, begin = launches.value, time.perf_counter_ns()
            for _ in range(CALLS):
                call()
            times.append((time.perf_counter_ns() - begin) / CALLS)
            if launches.value != before + CALLS:
                sys.exit(f"{name} with {count} tensors made {launches.value - before} launches in {CALLS} calls")
    for count, name, _, times in rows:
        print(count, name, f"{sorted(times)[len(times) // 4]:.1f}")


if __name__ == "__main__":
    main()
