# SPDX-License-Identifier: MIT
"""Runs a graph in float64, whatever narrower floats it computes in. That tells rounding from a mistake: where the terms of a sum cancel,
eager mode and kernels return nothing but rounding, and how large that is says nothing; how far both are from this run does. PyTorch's
own tests of accuracy measure kernels in this way (same() in torch._dynamo.utils).
"""

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map

from ..errors import CaptureError
from ..upstream import _enter_autocast, _exit_autocast

_WIDER = {torch.float16: torch.float64, torch.bfloat16: torch.float64, torch.float32: torch.float64,
          torch.complex32: torch.complex128, torch.complex64: torch.complex128}  # fmt: skip
_INSTEAD = {
    torch.Tensor.half: torch.Tensor.double,
    torch.Tensor.bfloat16: torch.Tensor.double,
    torch.Tensor.float: torch.Tensor.double,
    torch.Tensor.chalf: torch.Tensor.cdouble,
    torch.Tensor.cfloat: torch.Tensor.cdouble,
}


def wider(dtype):
    return _WIDER.get(dtype, dtype)


class InFloat64(TorchFunctionMode):
    """Within it every function of PyTorch gets wider tensors and dtypes. CaptureError where a function looks at the bits of a tensor, or
    writes to one that is not wider."""

    def __enter__(self):
        self._default = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        return super().__enter__()

    def __exit__(self, *raised):
        torch.set_default_dtype(self._default)
        return super().__exit__(*raised)

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function in (_enter_autocast, _exit_autocast):  # it casts nothing that is float64
            return None
        if function is torch.Tensor.view and any(isinstance(one, torch.dtype) for one in [*args, *(kwargs or {}).values()]):
            raise CaptureError("it looks at the bits of a tensor")
        written = [(kwargs or {}).get("out"), *(args[:1] if _writes(function) else ())]
        if any(isinstance(one, torch.Tensor) and one.dtype in _WIDER for one in written):
            raise CaptureError("it writes to a tensor that is not wider")
        args, kwargs = tree_map(_widened, (tuple(args), kwargs or {}))
        return _INSTEAD.get(function, function)(*args, **kwargs)


def _writes(function):
    name = getattr(function, "__name__", "")
    return name in ("__setitem__", "__set__") or (name.endswith("_") and not name.endswith("__")) or name.startswith("__i")


def _widened(value):
    if isinstance(value, torch.dtype):
        return wider(value)
    if isinstance(value, torch.Tensor) and value.dtype in _WIDER:
        return value.to(wider(value.dtype))
    return value
