# SPDX-License-Identifier: MIT
"""check.py CONTRACT CALLS: what wg_key.py gives for the calls of calls.c, and for the contract's vectors."""
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../templates/core"))
import wg_key  # noqa: E402


class Tensor:
    def __init__(self, data):
        self.dtype = data["dtype"]
        self.device = data["device"]
        self.shape = data["size"]
        self.stride = data["stride"]
        self.plain = data.get("plain", True)


def value_of(data, tensors):
    """The value; `tensors` has those of the call by what the data calls them, so that one object stays one."""
    if isinstance(data, dict):
        if "name" in data:
            return data["name"]
        if "bits" in data or "float" in data:
            return struct.unpack("<d", struct.pack("<Q", data.get("bits", data.get("float"))))[0]
        return tensors.setdefault(data["object"], Tensor(data)) if "object" in data else Tensor(data)
    return [value_of(item, tensors) for item in data] if isinstance(data, list) else data


def key(kernels, name, args, extra):
    tensors = {}
    return kernels[name].key_of(*[value_of(arg, tensors) for arg in args], extra=extra)


def takes_lazy(kernel, vector):
    """Does a call with a tensor get a key though PyTorch would only negate or conjugate that tensor when it is read?"""
    for bit in ("is_conj", "is_neg"):
        args = [value_of(arg, {}) for arg in vector["args"]]
        tensors = [arg for arg in args if isinstance(arg, Tensor)]
        if tensors:
            setattr(tensors[-1], bit, lambda: True)
            try:
                kernel.key_of(*args, extra=vector["extra"])
                return True
            except wg_key.CallError as error:
                if "lazily" not in str(error):
                    return True
    return False


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        contract = json.load(file)
    kernels = wg_key.load(sys.argv[1])
    wrong = 0
    numbers = ("capability", "distributed", "user")
    calls = 0
    with open(sys.argv[2], encoding="utf-8") as file:
        for line in file:
            call = json.loads(line)
            used = kernels[call["kernel"]].key["key_extra"]
            extra = [number for name, number in zip(numbers, call["extra"]) if name in used]
            try:
                words = key(kernels, call["kernel"], call["args"], extra)
            except wg_key.CallError:
                words = []
            data = b"".join(word.to_bytes(8, "little") for word in call["words"])
            calls += 1
            if wg_key.to_bytes(words) != data:
                wrong += 1
                print(call["kernel"], line[:400], words)
    print(f"# {calls} calls")
    vectors = 0
    for kernel in contract["kernels"]:
        for vector in kernel["key"]["vectors"]:
            vectors += 1
            if key(kernels, kernel["name"], vector["args"], vector["extra"]) != vector["words"]:
                wrong += 1
                print(kernel["name"], vector)
            if takes_lazy(kernels[kernel["name"]], vector):
                wrong += 1
                print(kernel["name"], "takes a lazy tensor")
    print(f"# {vectors} vectors")
    try:
        kernels[contract["kernels"][0]["name"]].key_of(*range(9))
        wrong += 1
    except wg_key.CallError as error:
        print(f"# {error}")
    return wrong != 0 or calls < 100 or vectors < 25


sys.exit(main())
