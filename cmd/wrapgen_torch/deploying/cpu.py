# SPDX-License-Identifier: MIT
"""What code that is compiled with some options needs of a CPU: the macros that the compiler then defines, in the words of
/proc/cpuinfo. What the compiler assumes without options needs no word."""

import platform
import re
import subprocess

from torch._inductor import config, cpp_builder
from torch._inductor.cpu_vec_isa import pick_vec_isa

from ..errors import CaptureError

# The macros of gcc and clang whose names are not the kernel's.
_KERNEL = {
    "AVX512BITALG": "avx512_bitalg", "AVX512VPOPCNTDQ": "avx512_vpopcntdq", "AVX512VBMI2": "avx512_vbmi2",
    "AVX512VNNI": "avx512_vnni", "AVX512BF16": "avx512_bf16", "AVX512FP16": "avx512_fp16", "AVX512VP2INTERSECT": "avx512_vp2intersect",
    "AVXVNNI": "avx_vnni", "AVX512IFMA": "avx512ifma", "AVX512VBMI": "avx512vbmi",
    "AVX512F": "avx512f", "AVX512CD": "avx512cd", "AVX512BW": "avx512bw", "AVX512DQ": "avx512dq", "AVX512VL": "avx512vl",
    "AVX": "avx", "AVX2": "avx2", "FMA": "fma", "F16C": "f16c", "BMI": "bmi1", "BMI2": "bmi2", "LZCNT": "abm", "POPCNT": "popcnt",
    "MOVBE": "movbe", "SSE3": "pni", "SSSE3": "ssse3", "SSE4_1": "sse4_1", "SSE4_2": "sse4_2", "AES": "aes", "VAES": "vaes",
    "PCLMUL": "pclmulqdq", "VPCLMULQDQ": "vpclmulqdq", "GFNI": "gfni", "SHA": "sha_ni", "ADX": "adx",
    "AMX_TILE": "amx_tile", "AMX_INT8": "amx_int8", "AMX_BF16": "amx_bf16",
    "ARM_FEATURE_SVE": "sve", "ARM_FEATURE_SVE2": "sve2", "ARM_FEATURE_BF16": "bf16", "ARM_FEATURE_ATOMICS": "atomics",
    "ARM_FEATURE_DOTPROD": "asimddp", "ARM_FEATURE_MATMUL_INT8": "i8mm", "ARM_FEATURE_FP16_VECTOR_ARITHMETIC": "asimdhp",
}  # fmt: skip

# By Inductor's names, for packages that say only which instructions their loops use.
_OF_ISA = {"AVX2": "avx2 fma", "AVX512": "avx512f avx512dq avx512vl avx512bw fma", "AVX512_VNNI": "avx512_vnni"}


def compiler():
    try:
        return cpp_builder.get_cpp_compiler()
    except Exception as problem:  # noqa: BLE001 - which one depends on what is missing
        raise CaptureError("AOTInductor needs a C++ compiler, and there is none: install g++, or name one with CXX") from problem


def _macros(options):
    command = [compiler(), *options, "-dM", "-E", "-x", "c++", "/dev/null"]
    ended = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    if ended.returncode:
        raise CaptureError(f"the compiler does not know this CPU: {ended.stderr.strip().splitlines()[0]}")
    return set(re.findall(r"^#define (\w+) ", ended.stdout, re.MULTILINE))


def settings(cpu):
    """Inductor's settings for code that runs on every such CPU: "native", or what -march may name."""
    if cpu == "native":
        return {}
    macros = _macros([f"-march={cpu}"])
    width = 512 if "__AVX512VL__" in macros else 256 if "__AVX2__" in macros else 1
    return {"cpp.march": cpu, "cpp.simdlen": width}


def needs(cpu):
    """The words that a model needs which is compiled with these settings."""
    with config.patch(settings(cpu)):
        options = [f"-{one}" for one in cpp_builder._get_cpu_arch_cflags(compiler())]
        options += (pick_vec_isa().build_arch_flags() or "").split() if cpu == "native" else []
    extra = _macros(options) - _macros([])
    return sorted({_KERNEL[name.strip("_")] for name in extra if name.strip("_") in _KERNEL})


def needs_of_isa(names):
    words = {word for name in names.split() for word in _OF_ISA.get(name, "").split()}
    return sorted(words)


def machine():
    return platform.machine()
