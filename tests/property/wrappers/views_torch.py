#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds views.c to PyTorch: replays random view sequences on real tensors and compares sizes, strides and offset.

    run.sh --print-views 20000 | python3 tests/property/wrappers/views_torch.py

Needs torch; so it is run by hand and by CI where torch is there. The reference interpreter rests on views.c.
"""
import json
import sys

import torch


def base_tensor(geometry):
    dtype = getattr(torch, geometry["dtype"])
    last = geometry["offset"] + sum((s - 1) * t for s, t in zip(geometry["size"], geometry["stride"]) if s > 0)
    storage = torch.zeros(max(last + 1, 1) + 64, dtype=torch.uint8).repeat(16).view(dtype)
    return storage.as_strided(geometry["size"], geometry["stride"], geometry["offset"])


def split(x, a):
    return x.split(a["split_size"], a.get("dim", 0))[a["index"]]


OPS = {
    "as_strided": lambda x, a: x.as_strided(a["size"], a["stride"], a.get("offset")),
    "view": lambda x, a: x.view(a["size"]),
    "reshape": lambda x, a: x.reshape(a["size"]),
    "expand": lambda x, a: x.expand(a["size"]),
    "transpose": lambda x, a: x.transpose(*a["dims"]),
    "permute": lambda x, a: x.permute(a["dims"]),
    "t": lambda x, a: x.t(),
    "alias": lambda x, a: torch.ops.aten.alias(x),
    "detach": lambda x, a: x.detach(),
    "view_as_real": lambda x, a: torch.view_as_real(x),
    "view_as_complex": lambda x, a: torch.view_as_complex(x),
    "squeeze": lambda x, a: x.squeeze(a["dims"]) if "dims" in a else x.squeeze(),
    "unsqueeze": lambda x, a: x.unsqueeze(a["dim"]),
    "select": lambda x, a: x.select(a["dim"], a["index"]),
    "slice": lambda x, a: torch.ops.aten.slice(x, a.get("dim", 0), a.get("start"), a.get("end"), a.get("step", 1)),
    "view_dtype": lambda x, a: x.view(getattr(torch, a["dtype"])),
    "diagonal": lambda x, a: x.diagonal(a.get("offset", 0), a.get("dim1", 0), a.get("dim2", 1)),
    "unfold": lambda x, a: x.unfold(a["dim"], a["length"], a["step"]),
    "movedim": lambda x, a: x.movedim(tuple(a["source"]), tuple(a["destination"])),
    "flatten": lambda x, a: x.flatten(a.get("start_dim", 0), a.get("end_dim", -1)),
    "unflatten": lambda x, a: x.unflatten(a["dim"], a["size"]),
    "split": split,
    "split_with_sizes": lambda x, a: x.split_with_sizes(a["sizes"], a.get("dim", 0))[a["index"]],
    "chunk": lambda x, a: x.chunk(a["chunks"], a.get("dim", 0))[a["index"]],
    "unbind": lambda x, a: x.unbind(a.get("dim", 0))[a["index"]],
    "narrow": lambda x, a: x.narrow(a["dim"], a["start"], a["length"]),
}


def replay(case):
    x = base_tensor(case["base"])
    for step in case["view"]:
        x = OPS[step["op"]](x, step)
    dtype = str(x.dtype).removeprefix("torch.")
    return {"dtype": dtype, "offset": x.storage_offset(), "size": list(x.size()), "stride": list(x.stride())}


def main():
    passed = failed = 0
    for line in sys.stdin:
        case = json.loads(line)
        try:
            found = replay(case)
        except (RuntimeError, IndexError, ValueError) as error:
            found = str(error).split("\n", maxsplit=1)[0]
        if found == case["result"]:
            passed += 1
            continue
        failed += 1
        print(f"not ok - {line.strip()}: PyTorch says {found}")
    print(f"{'ok' if failed == 0 else 'not ok'} - view operations against PyTorch {torch.__version__}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
