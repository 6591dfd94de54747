# SPDX-License-Identifier: MIT
"""Safetensors files: eight bytes with the length of a header, the header in JSON, the data. Written here, since PyTorch alone is
required; read in C (wg_aoti_tensors.c), and by whoever has the library."""

import ctypes
import json

import torch

from ..errors import CaptureError

WORDS = {
    torch.bool: "BOOL", torch.uint8: "U8", torch.int8: "I8", torch.int16: "I16", torch.uint16: "U16", torch.int32: "I32",
    torch.uint32: "U32", torch.int64: "I64", torch.uint64: "U64", torch.float16: "F16", torch.bfloat16: "BF16",
    torch.float32: "F32", torch.float64: "F64", torch.float8_e4m3fn: "F8_E4M3", torch.float8_e5m2: "F8_E5M2",
}  # fmt: skip


def write_tensors(path, tensors, metadata=None):
    """`tensors` by name. Strides that are not contiguous become metadata, "stride NAME"."""
    metadata, header, pieces, at = dict(metadata or {}), {}, [], 0
    for name, tensor in tensors.items():
        if tensor.dtype not in WORDS:
            raise CaptureError(f"'{name}' is {tensor.dtype}, for which safetensors files have no word")
        if not tensor.is_contiguous():
            metadata[f"stride {name}"] = " ".join(map(str, tensor.stride()))
        whole = tensor.detach().cpu().contiguous()
        num_bytes = whole.numel() * whole.element_size()
        header[name] = {"dtype": WORDS[whole.dtype], "shape": list(whole.shape), "data_offsets": [at, at + num_bytes]}
        pieces.append(whole)
        at += num_bytes
    text = json.dumps({**({"__metadata__": metadata} if metadata else {}), **header}, ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for whole in pieces:
            if whole.numel():
                file.write(ctypes.string_at(whole.data_ptr(), whole.numel() * whole.element_size()))
