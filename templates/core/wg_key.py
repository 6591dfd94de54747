# SPDX-License-Identifier: 0BSD
"""Computes keys of kernels in Python from what `wrapgen --emit-contract` wrote: the same words as the generated C.

    keys = wg_key.load("contract.json")
    words = keys["matmul"].key_of(a, b, n=4)         # a list of integers below 2**64
    data = wg_key.to_bytes(words)                    # little-endian

A tensor is any object with `dtype` (PyTorch's, or its name), `shape`, `stride()` or `stride`, and `device` (PyTorch's,
its name, or type * 256 + index). torch is not imported. An object is plain unless its attribute `plain` is false, or it
comes from torch but is neither exactly torch.Tensor nor torch.nn.Parameter. A symbolic size or stride is a pair
(environment, expression) of integers, or anything that `symbol` turns into one: key_of(..., symbol=function). The
encoding is described in wg_key.h.
"""
import json
import struct

NO_STRIDE = 1 << 63
SYMBOL = NO_STRIDE + 1
ABSENT = NO_STRIDE + 2
MASK = (1 << 64) - 1
DTYPES = {
    "uint8": 0, "int8": 1, "int16": 2, "int32": 3, "int64": 4, "float16": 5, "float32": 6, "float64": 7, "complex32": 8,
    "complex64": 9, "complex128": 10, "bool": 11, "bfloat16": 15, "float8_e5m2": 23, "float8_e4m3fn": 24,
    "float8_e5m2fnuz": 25, "float8_e4m3fnuz": 26, "uint16": 27, "uint32": 28, "uint64": 29}
DEVICES = {"cpu": 0, "cuda": 1, "hip": 6, "xla": 9, "xpu": 12, "mps": 13, "meta": 14, "hpu": 15, "privateuseone": 20}


class CallError(ValueError):
    """A call that the kernel does not take."""


def dtype_number(dtype):
    name = str(dtype).removeprefix("torch.")
    if name not in DTYPES:
        raise CallError(f"no dtype: {dtype!r}")
    return DTYPES[name]


def device_number(device):
    if isinstance(device, int):
        if device < 0:
            raise CallError(f"no device: {device!r}")
        return device
    name, _, index = str(device).partition(":")
    if name not in DEVICES:
        raise CallError(f"no device: {device!r}")
    return DEVICES[name] * 256 + int(index or 0)


def to_bytes(words):
    return struct.pack(f"<{len(words)}Q", *words)


def _is_plain(tensor):
    if hasattr(tensor, "plain"):
        return tensor.plain
    kind = type(tensor)
    return not kind.__module__.startswith("torch") or kind.__name__ in ("Tensor", "Parameter")


OPERATIONS = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "//": lambda a, b: a // b,
    "%": lambda a, b: a % b, "min": min, "max": max, "==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b),
    "<=": lambda a, b: int(a <= b), "<": lambda a, b: int(a < b), "and": lambda a, b: a & b, "or": lambda a, b: a | b}


def _compute(tree, symbols, text):
    """The value of an expression; every step must fit in 64 bits."""
    if not isinstance(tree, list):
        return symbols[tree] if isinstance(tree, str) else tree
    token, left, right = tree[0], _compute(tree[1], symbols, text), _compute(tree[2], symbols, text)
    if token in ("//", "%") and right == 0:
        raise CallError(f"'{text}' divides by 0")
    value = OPERATIONS[token](left, right)
    if not -1 << 63 <= value < 1 << 63:
        raise CallError(f"'{text}' does not fit in 64 bits")
    return value


class _Call:
    def __init__(self, kernel, symbol):
        self.kernel = kernel
        self.key = kernel.key
        self.symbol = symbol
        self.words = []
        self.tensors = []

    def dimension(self, value):
        """The words of a size or stride, and whether it is symbolic."""
        if self.symbol is not None:
            value = self.symbol(value)
        if isinstance(value, (tuple, list)):
            return [SYMBOL, value[0] & MASK, value[1] & MASK], True
        return [int(value) & MASK], False

    @staticmethod
    def fits(words):
        """Does a size or stride fit half a word?"""
        return len(words) == 1 and words[0] < 1 << 31

    def stride_words(self, size, stride):
        words, symbolic = self.dimension(size)
        return [NO_STRIDE] if not symbolic and words == [1] else self.dimension(stride)[0]

    def geometry(self, tensor):
        stride = tensor.stride
        return list(tensor.shape), list(stride() if callable(stride) else stride)

    def tensor(self, arg, tensor):
        if not all(hasattr(tensor, name) for name in ("dtype", "shape", "stride", "device")):
            raise CallError(f"'{arg['name']}' must be a tensor, not {type(tensor).__name__}")
        sizes, strides = self.geometry(tensor)
        rank = len(sizes)
        dtype = dtype_number(tensor.dtype)
        if str(tensor.dtype).removeprefix("torch.") not in arg["dtypes"]:
            raise CallError(f"'{arg['name']}' has dtype {tensor.dtype}")
        if rank not in arg["ranks"]:
            raise CallError(f"'{arg['name']}' has rank {rank}")
        if not arg["subclass_ok"] and not _is_plain(tensor):
            raise CallError(f"'{arg['name']}' is a subclass: {type(tensor).__name__}")
        lazy = [getattr(tensor, bit, bool)() for bit in ("is_conj", "is_neg")]
        if any(lazy) and not arg["lazy_ok"]:
            raise CallError(f"'{arg['name']}' is conjugated or negated lazily; resolve_conj() and resolve_neg() make it plain")
        count, known = 1, True
        for size in sizes:
            words, symbolic = self.dimension(size)
            known = known and not symbolic
            count *= words[0]
        wide = not known or count > 2**31 - 1
        if self.key["index_dtype"] == "int32" and wide:
            raise CallError(f"'{arg['name']}' has more than 2147483647 elements")
        device = device_number(tensor.device) // 256 if self.key["device_in_key"] else 255
        head = 1 | lazy[0] << 6 | lazy[1] << 7 | dtype << 8 | rank << 16 | device << 24
        below = []
        if self.key["static_shapes"]:
            head |= sum(1 << (32 + dim) for dim in arg["static_dims"])
            dims = [(self.dimension(size)[0], self.stride_words(size, stride)) for size, stride in zip(sizes, strides)]
            if all(self.fits(size) and (stride == [NO_STRIDE] or self.fits(stride)) for size, stride in dims):
                below = [size[0] | min(stride[0], (1 << 32) - 1) << 32 for size, stride in dims]
            else:
                head |= 32
                below = [word for size, _ in dims for word in size] + [word for _, stride in dims for word in stride]
        else:
            for dim, size in enumerate(sizes):
                words, symbolic = self.dimension(size)
                bucket = min(words[0], 2) if self.key["zero_one"] else 2
                if symbolic or dim in arg["static_dims"]:
                    bucket = 3
                    below += words
                head |= bucket << (32 + 2 * dim)
            head |= 16 if self.key["index_dtype"] == "auto" and wide else 0
        if self.key["same_in_key"]:
            self.words += self.again(tensor)
        self.words += [head] + below

    def again(self, tensor):
        """The word before a tensor that is one of those before it."""
        for number, before in enumerate(self.tensors):
            if before is tensor:
                return [2 | number << 8]
        self.tensors.append(tensor)
        return []

    def number(self, arg, value):
        wanted = {"int": int, "float": float, "bool": bool}[arg["kind"]]
        if type(value) is not wanted:
            raise CallError(f"'{arg['name']}' must be {arg['kind']}, not {type(value).__name__}")
        if not arg["constexpr"]:
            return
        if wanted is float:
            self.words.append(0x7FF8 << 48 if value != value else struct.unpack("<Q", struct.pack("<d", value))[0])
        elif -(1 << 63) <= value < 1 << 63:
            self.words.append(int(value) & MASK)
        else:
            raise CallError(f"'{arg['name']}' does not fit 64 bits")

    def string(self, arg, value):
        if not isinstance(value, str):
            raise CallError(f"'{arg['name']}' must be a string, not {type(value).__name__}")
        data = value.encode()
        if len(data) > 504 or b"\0" in data:
            raise CallError(f"'{arg['name']}' is not a string of at most 504 bytes")
        padded = data + bytes(-len(data) % 8)
        self.words += [len(data), *struct.unpack(f"<{len(padded) // 8}Q", padded)]

    def items(self, arg, value):
        if isinstance(value, dict):
            value = [value[item["name"]] for item in arg["items"]]
        if not isinstance(value, (list, tuple)):
            raise CallError(f"'{arg['name']}' must be a {arg['kind']}, not {type(value).__name__}")
        wanted = arg["items"] * len(value) if arg["kind"] == "list" else arg["items"]
        if len(value) != len(wanted) or len(value) not in arg.get("lengths", [len(value)]):
            raise CallError(f"'{arg['name']}' has {len(value)} items")
        if arg["kind"] == "list":
            self.words.append(len(value))
        for item, inner in zip(wanted, value):
            self.value(item, inner)

    def value(self, arg, value):
        if arg["kind"] == "null":
            if value is not None:
                raise CallError(f"'{arg['name']}' must be None")
            return
        if value is None:
            if not arg["nullable"]:
                raise CallError(f"'{arg['name']}' must not be None")
            self.words.append(0)
            return
        if arg["nullable"] and arg["kind"] != "tensor":
            self.words.append(1)
        if arg["kind"] == "dtype":
            self.words.append(dtype_number(value))
        elif arg["kind"] == "device":
            self.words.append(device_number(value))
        elif arg["kind"] in ("tuple", "list", "record"):
            self.items(arg, value)
        else:
            {"tensor": self.tensor, "string": self.string}.get(arg["kind"], self.number)(arg, value)

    def find(self, path, values):
        """What is at a path of the call; None: it is null, or in a null, or beyond the end of a list."""
        value, items, kind = values, self.kernel.args, "record"
        for step in path.split("."):
            if kind == "list":
                at, item = int(step), items[0]
            else:
                at = next(i for i, arg in enumerate(items) if arg["name"] == step) if kind == "record" else int(step)
                item = items[at]
            if value is None or at >= len(value):
                return None
            value = value[item["name"]] if isinstance(value, dict) else value[at]
            items, kind = item["items"], item["kind"]
        return value

    def number_of(self, number, values):
        """The words of the number that a symbol is bound to, and whether it is symbolic; None: there is no such number."""
        value = self.find(number["arg"], values)
        if value is None or (number["of"] == "size" and len(value.shape) <= number["dim"]):
            return None
        if number["of"] == "size":
            return self.dimension(value.shape[number["dim"]])
        plain = {"ndim": lambda: len(value.shape), "length": lambda: len(value), "value": lambda: int(value)}
        return [plain[number["of"]]() & MASK], False

    def formula(self, extra, values):
        found = [self.number_of(number, values) for number in extra["where"]]
        if None in found:
            return [0, 0]
        if any(symbolic for _, symbolic in found):
            return [2] + [word for words, _ in found for word in words]
        symbols = {}
        for number, (words, _) in zip(extra["where"], found):
            value = symbols[number["symbol"]] = words[0] - (words[0] >> 63 << 64)
            if (not number.get("min", value) <= value <= number.get("max", value)
                    or value % number.get("multiple_of", 1) != 0):
                raise CallError(f"'{number['arg']}' has {value} for symbol {number['symbol']}, which is not within its bounds")
        return [1, _compute(extra["tree"], symbols, extra["expr"]) & MASK]

    def extra(self, extra, values):
        if "expr" in extra:
            return self.formula(extra, values)
        value = self.find(extra["arg"], values)
        if value is None or len(value.shape) <= extra["dim"]:
            return [ABSENT]
        sizes, strides = self.geometry(value)
        dim = extra["dim"]
        return self.dimension(sizes[dim])[0] if extra["of"] == "size" else self.stride_words(sizes[dim], strides[dim])


class Kernel:
    def __init__(self, contract):
        self.name = contract["name"]
        self.args = contract["args"]
        self.key = contract["key"]

    def key_of(self, *args, extra=(), symbol=None, **named):
        """The words of a call's key; `extra` are the numbers of key_extra, in its order."""
        values = list(args)
        if len(values) > len(self.args):
            raise CallError(f"{self.name} takes {len(self.args)} arguments, not {len(values)}")
        for arg in self.args[len(values):]:
            if arg["name"] in named:
                values.append(named.pop(arg["name"]))
            elif "default" in arg:
                default = arg["default"]
                values.append(float(default) if arg["kind"] == "float" and default is not None else default)
            else:
                raise CallError(f"{self.name} takes {len(self.args)} arguments; '{arg['name']}' is missing")
        if named:
            raise CallError(f"{self.name} has no argument '{next(iter(named))}' left")
        if len(extra) != len(self.key["key_extra"]):
            raise CallError(f"{self.name} takes {len(self.key['key_extra'])} numbers besides its arguments")
        call = _Call(self, symbol)
        for arg, value in zip(self.args, values):
            call.value(arg, value)
        for component in self.key["extra"]:
            call.words += call.extra(component, values)
        call.words += [number & MASK for number in extra]
        return call.words


def load(path):
    """The kernels of a contract, by name."""
    with open(path, encoding="utf-8") as file:
        return {kernel["name"]: Kernel(kernel) for kernel in json.load(file)["kernels"]}
