#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes conversions.inc: what PyTorch's copy_ gives for every pair of dtypes.

    python3 tests/host/make_conversions.py > tests/host/conversions.inc      (measured with torch 2.13.0+cpu, x86-64)

SOURCE(dtype, bits of some elements) and CONVERSION(src, dst, bits of what they become), as hexadecimal bytes in memory
order; "xx" where there is no one answer. Each element is copied alone: on runs of elements PyTorch's vector code differs
from its scalar code where C leaves the result open (float to uint32 out of range, the payload of NaN; see open_in_c).

DECODE(dtype, digest): all bit patterns but NaN, in order, converted to float32.
ENCODE(dtype, digest): 200,000 float32 values converted to dtype; their bits are x -> 1664525 x + 1013904223 mod 2^32 from
x = 1, NaN replaced by 0, results that are NaN replaced by 0. A digest is FNV-1a, 64 bits, over the results' bytes.
"""
import array
import struct
import sys
import warnings

import torch

warnings.simplefilter("ignore")

DTYPES = {
    "WG_UINT8": torch.uint8, "WG_INT8": torch.int8, "WG_INT16": torch.int16, "WG_INT32": torch.int32,
    "WG_INT64": torch.int64, "WG_FLOAT16": torch.float16, "WG_FLOAT32": torch.float32, "WG_FLOAT64": torch.float64,
    "WG_COMPLEX32": torch.complex32, "WG_COMPLEX64": torch.complex64, "WG_COMPLEX128": torch.complex128,
    "WG_BOOL": torch.bool, "WG_BFLOAT16": torch.bfloat16, "WG_FLOAT8_E5M2": torch.float8_e5m2,
    "WG_FLOAT8_E4M3FN": torch.float8_e4m3fn, "WG_FLOAT8_E5M2FNUZ": torch.float8_e5m2fnuz,
    "WG_FLOAT8_E4M3FNUZ": torch.float8_e4m3fnuz, "WG_UINT16": torch.uint16, "WG_UINT32": torch.uint32,
    "WG_UINT64": torch.uint64,
}
SMALL = ["WG_FLOAT16", "WG_BFLOAT16", "WG_FLOAT8_E5M2", "WG_FLOAT8_E4M3FN", "WG_FLOAT8_E5M2FNUZ", "WG_FLOAT8_E4M3FNUZ"]
COMPLEX_PARTS = {torch.complex32: torch.float16, torch.complex64: torch.float32, torch.complex128: torch.float64}
INTEGERS = [0, 1, -1, 2, 100, 127, 128, 255, 256, -128, -129, 32767, 32768, 65535, 65536, 2049, 4097, 16777217, -16777217,
            2**31 - 1, -2**31, 2**31, 2**32 - 1, 2**32, 2**53 + 1, 2**63 - 1, -2**63, 4294967295 * 3 + 1, 2**60 + 2**36 + 1, 2**31 + 2**23 + 1,
            33554433 * 4097]
REALS = [3000000001.0, 0.0, -0.0, 1.0, -1.0, 1.5, -1.9, 0.1, 2.5, 126.7, 200.0, 255.9, 300.0, -129.0, 448.0, 464.0, 465.0, 480.0, 57344.0,
         61439.0, 61440.0, 65504.0, 65519.0, 65520.0, 70000.0, 3e9, -3e9, 5e9, 1e19, -1e19, 1.9e19, 1e38, 3.4e38, 1e39, 1e300,
         2.0**-24, 2.0**-25, 3 * 2.0**-25, 2.0**-14 * 1.0005, 2.0**-9, 2.0**-10, 3 * 2.0**-11, 2.0**-133, 2.0**-149, 1e-300,
         1 + 2.0**-11, 1 + 2.0**-11 + 2.0**-40, 1 + 3 * 2.0**-11, 1 + 2.0**-8, float("inf"), float("-inf"), float("nan")]


def to_bytes(tensor):
    return bytes(tensor.contiguous().view(torch.uint8).tolist())


def from_bytes(data, dtype):
    return torch.tensor(list(data), dtype=torch.uint8).view(dtype)


def source(dtype):
    if dtype in COMPLEX_PARTS:
        part = COMPLEX_PARTS[dtype]
        pairs = [(r, i) for r, i in zip(REALS, REALS[7:] + REALS[:7])] + [(0.0, 1.0), (0.0, float("nan")), (-0.0, -0.0)]
        flat = torch.tensor([x for pair in pairs for x in pair], dtype=torch.float64).to(part)
        return from_bytes(to_bytes(flat), dtype)
    if dtype.is_floating_point:
        return torch.tensor(REALS, dtype=torch.float64).to(dtype)
    if dtype == torch.bool:
        return torch.tensor([False, True])
    width = 8 * torch.empty(0, dtype=dtype).element_size()
    return from_bytes(b"".join((x % 2**width).to_bytes(width // 8, "little") for x in INTEGERS), dtype)


def open_in_c(src, dst, element):
    """No one answer: a float that uint32 cannot hold, where PyTorch's depends on how many elements are copied; and NaN of
    the fnuz types as an integer, where it is 0 while the same NaN by way of float32 is the smallest integer."""
    if dst.is_floating_point or dst in COMPLEX_PARTS or not (src.is_floating_point or src in COMPLEX_PARTS):
        return False
    real = element.to(torch.complex128).real.item()
    fnuz_nan = src in (torch.float8_e5m2fnuz, torch.float8_e4m3fnuz) and real != real
    return dst != torch.bool and (fnuz_nan or (dst == torch.uint32 and not -1.0 < real < 2.0**32))


def conversion(src_name, dst_name):
    src, dst = DTYPES[src_name], DTYPES[dst_name]
    results = ""
    for element in source(src):
        result = torch.zeros(1, dtype=dst)
        result.copy_(element.reshape(1))
        results += "xx" * result.element_size() if open_in_c(src, dst, element) else to_bytes(result).hex()
    print(f'CONVERSION({src_name}, {dst_name},\n           "{results}")')


def digest(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


def digests(name):
    dtype = DTYPES[name]
    size = torch.empty(0, dtype=dtype).element_size()
    patterns = from_bytes(b"".join(x.to_bytes(size, "little") for x in range(256**size)), dtype).to(torch.float32)
    print(f"DECODE({name}, UINT64_C(0x{digest(to_bytes(patterns[~patterns.isnan()])):016x}))")
    x, values = 1, array.array("I")
    for _ in range(200000):
        x = (1664525 * x + 1013904223) % 2**32
        values.append(x)
    floats = from_bytes(values.tobytes(), torch.float32)
    floats[floats.isnan()] = 0
    encoded = floats.to(dtype)
    encoded.view(torch.int8 if size == 1 else torch.int16)[encoded.to(torch.float32).isnan()] = 0
    print(f"ENCODE({name}, UINT64_C(0x{digest(to_bytes(encoded)):016x}))")


def main():
    assert sys.byteorder == "little" and struct.calcsize("I") == 4
    print("/* Made by make_conversions.py with torch " + torch.__version__ + "; not to be edited. */")
    for src in DTYPES:
        print(f'SOURCE({src},\n       "{to_bytes(source(DTYPES[src])).hex()}")')
        for dst in DTYPES:
            conversion(src, dst)
    for name in SMALL:
        digests(name)


main()
