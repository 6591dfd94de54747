# SPDX-License-Identifier: MIT
"""torch dtypes and their names in the YAML."""

import torch

from .errors import CaptureError

_NAMES = (
    "uint8 int8 int16 int32 int64 float16 float32 float64 complex32 complex64 complex128 bool bfloat16 float8_e5m2 "
    "float8_e4m3fn float8_e5m2fnuz float8_e4m3fnuz uint16 uint32 uint64"
).split()

_BY_DTYPE = {getattr(torch, name): name for name in _NAMES}


def dtype_name(dtype, where):
    if dtype not in _BY_DTYPE:
        raise CaptureError(f"{where}: the format has no element type {dtype}")
    return _BY_DTYPE[dtype]
