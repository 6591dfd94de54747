# SPDX-License-Identifier: MIT
"""What a compiled model reaches outside itself and libtorch: operators that only a proxy executor calls, and weights that the library
does not have. A program in C has neither, so such models are refused before anything is written."""

import ctypes
import json
import re

from ..errors import CaptureError

_PROXY = b"\0aoti_torch_proxy_executor_call_function\0"  # among the names that the library wants from others


def refuse_proxy(name, library, nodes):
    """`library`: its bytes. `nodes`: texts of the JSON files in its folder; one of them lists such calls."""
    if _PROXY not in library:
        return
    found = ", ".join(f"'{one}'" for one in _operators(nodes)) or "one that the compiler does not name"
    raise CaptureError(
        f"{name}: it calls an operator that AOTInductor has no C function for: {found}. A program in C cannot call it; "
        "write it with PyTorch's operators, or leave it out of the model"
    )


def _operators(nodes):
    """Names of operators, as they are registered: mine::clip."""
    found = set()
    for text in nodes:
        listed = json.loads(text)
        for entry in listed.get("nodes", []) if isinstance(listed, dict) else []:
            target = entry.get("node", {}).get("target", "")
            parts = re.sub(r"^torch\.ops\.", "", target).replace("::", ".").split(".")
            found.add("::".join(parts[:2]) if len(parts) > 1 else target)
    return sorted(found - {""})


def refuse_without_weights(name, path, source):
    """The library of a package, whose C++ lists its weights. PyTorch's own loader crashes when there are none."""
    if "constants_info_[0]" in source and _num_weight_bytes(path) <= 1:  # of none, the compiler makes one byte
        raise CaptureError(f"{name}: its weights are not in the package, and AOTInductor packages do not say which file has them; deploy the exported program, with --weights beside")


def _num_weight_bytes(path):
    library = ctypes.CDLL(str(path))
    first, end = (ctypes.addressof(ctypes.c_char.in_dll(library, f"_binary_constants_bin_{which}")) for which in ("start", "end"))
    return end - first
