#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# make_cases.py - asks PyTorch what view sequences give, and prints one line for each.
#
#     python3 tests/property/geometry/make_cases.py >tests/property/geometry/cases.txt
#
# The table is in the tree, so that the test needs no Python. A line is a base geometry, a sequence, and after "=>" the
# sizes, strides, offset and dtype that PyTorch gives, or "error". view and reshape differ in one thing: reshape copies
# where it must, and a copy is not an alias, so it counts as an error.
#
# First each operation by itself over the whole range of its arguments on small tensors, then random sequences.

import itertools
import random
import sys
import warnings

warnings.filterwarnings("ignore")
import torch  # noqa: E402

DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (torch.uint8, torch.float16, torch.float32, torch.float64, torch.bool, torch.complex32, torch.complex64,
                  torch.complex128, torch.bfloat16)
}
SEEN = set()
STORAGE = torch.zeros(1 << 16, dtype=torch.uint8)


def dtype_name(dtype):
    return str(dtype).removeprefix("torch.")


def apply(x, op, a):
    """One operation, called as a user of PyTorch would."""
    if op == "as_strided":
        return x.as_strided(a["size"], a["stride"], *([a["offset"]] if "offset" in a else []))
    if op == "view":
        return x.view(a["size"])
    if op == "reshape":
        y = x.reshape(a["size"])
        if y.untyped_storage()._cdata != x.untyped_storage()._cdata:
            raise RuntimeError("a copy")
        return y
    if op == "expand":
        return x.expand(a["size"])
    if op == "transpose":
        return x.transpose(*a["dims"])
    if op == "permute":
        return x.permute(a["dims"])
    if op == "t":
        return x.t()
    if op == "alias":
        return torch.ops.aten.alias(x)
    if op == "detach":
        return x.detach()
    if op == "view_as_real":
        return torch.view_as_real(x)
    if op == "view_as_complex":
        return torch.view_as_complex(x)
    if op == "squeeze":
        return x.squeeze(tuple(a["dims"])) if "dims" in a else x.squeeze()
    if op == "unsqueeze":
        return x.unsqueeze(a["dim"])
    if op == "select":
        return x.select(a["dim"], a["index"])
    if op == "slice":
        return torch.ops.aten.slice(x, a.get("dim", 0), a.get("start"), a.get("end"), a.get("step", 1))
    if op == "view_dtype":
        return x.view(DTYPES[a["dtype"]])
    if op == "diagonal":
        return x.diagonal(a.get("offset", 0), a.get("dim1", 0), a.get("dim2", 1))
    if op == "unfold":
        return x.unfold(a["dim"], a["length"], a["step"])
    if op == "movedim":
        return x.movedim(tuple(a["source"]), tuple(a["destination"]))
    if op == "flatten":
        y = x.flatten(a.get("start_dim", 0), a.get("end_dim", -1))
        if y.untyped_storage()._cdata != x.untyped_storage()._cdata:
            raise RuntimeError("a copy")
        return y
    if op == "unflatten":
        return torch.ops.aten.unflatten(x, a["dim"], a["size"])
    if op == "split":
        return x.split(a["split_size"], a.get("dim", 0))[a["index"]]
    if op == "split_with_sizes":
        return x.split_with_sizes(a["sizes"], a.get("dim", 0))[a["index"]]
    if op == "chunk":
        return x.chunk(a["chunks"], a.get("dim", 0))[a["index"]]
    if op == "unbind":
        return x.unbind(a.get("dim", 0))[a["index"]]
    if op == "narrow":
        return x.narrow(a["dim"], a["start"], a["length"])
    raise AssertionError(op)


def base(dtype, sizes, strides, offset):
    whole = STORAGE.view(DTYPES[dtype])
    return whole.as_strided(sizes, strides, offset)


def listed(values):
    return "[" + ",".join(str(v) for v in values) + "]"


def put(dtype, sizes, strides, offset, sequence):
    x = base(dtype, sizes, strides, offset)
    try:
        for op, arguments in sequence:
            x = apply(x, op, arguments)
        if min(x.size(), default=0) < 0:
            raise RuntimeError("expand of a scalar lets -1 through, and makes a tensor of negative size")
        result = f"{listed(x.size())} {listed(x.stride())} {x.storage_offset()} {dtype_name(x.dtype)}"
    except (RuntimeError, IndexError, ValueError, TypeError):
        result = "error"
    words = [dtype, listed(sizes), listed(strides), str(offset)]
    for op, arguments in sequence:
        words += ["|", op]
        words += [f"{key}={listed(value) if isinstance(value, list) else value}" for key, value in arguments.items()]
    line = " ".join(words) + " => " + result
    if line not in SEEN:
        SEEN.add(line)
        print(line)


def contiguous(sizes):
    strides, stride = [], 1
    for size in reversed(sizes):
        strides.insert(0, stride)
        stride *= max(size, 1)
    return strides


def single_operations():
    three = ("float32", [2, 3, 4], [12, 4, 1], 5)
    empty = ("float32", [2, 0, 4], [4, 4, 1], 5)
    ones = ("float32", [1, 3, 1], [7, 1, 9], 2)
    scalar = ("float32", [], [], 3)
    line = ("float32", [7], [3], 1)
    square = ("float32", [3, 5], [1, 3], 4)
    bases = [three, empty, ones, scalar, line, square]
    for b in bases:
        rank = len(b[1])
        dims = range(-rank - 2, rank + 2)
        for dim in dims:
            put(*b, [("unsqueeze", {"dim": dim})])
            put(*b, [("squeeze", {"dims": [dim]})])
            put(*b, [("flatten", {"start_dim": dim})])
            put(*b, [("flatten", {"end_dim": dim})])
            put(*b, [("flatten", {"start_dim": 1, "end_dim": dim})])
            put(*b, [("movedim", {"source": [0], "destination": [dim]})])
            put(*b, [("movedim", {"source": [0, dim], "destination": [-1, 0]})])
            put(*b, [("transpose", {"dims": [dim, 0]})])
            put(*b, [("diagonal", {"dim1": dim})])
            put(*b, [("diagonal", {"offset": 1, "dim2": dim})])
            put(*b, [("slice", {"dim": dim, "start": 1})])
            put(*b, [("select", {"dim": dim, "index": 0})])
            put(*b, [("unfold", {"dim": dim, "length": 1, "step": 1})])
            put(*b, [("chunk", {"chunks": 2, "dim": dim, "index": 1})])
        for op in ("t", "alias", "detach", "squeeze", "flatten", "slice", "diagonal", "view_as_real", "view_as_complex"):
            put(*b, [(op, {})])
        put(*b, [("squeeze", {"dims": []})])
        put(*b, [("movedim", {"source": [], "destination": []})])
        put(*b, [("permute", {"dims": []})])
        for order in itertools.product(range(-rank, rank), repeat=min(rank, 2)):
            put(*b, [("permute", {"dims": list(order)})])
        for index in range(-9, 9):
            put(*b, [("select", {"dim": 0, "index": index})])
            put(*b, [("select", {"dim": -1, "index": index})])
            put(*b, [("unbind", {"index": index})])
            put(*b, [("diagonal", {"offset": index})])
            put(*b, [("split", {"split_size": 2, "index": index, "dim": -1})])
            put(*b, [("chunk", {"chunks": 3, "index": index, "dim": -1})])
            put(*b, [("split_with_sizes", {"sizes": [2, 0, 2], "index": index, "dim": -1})])
    for start, end in itertools.product((-9, -7, -2, -1, 0, 1, 3, 6, 7, 9), repeat=2):
        put(*line, [("slice", {"start": start, "end": end})])
        put(*line, [("slice", {"start": start, "end": end, "step": 3})])
        put(*line, [("narrow", {"dim": 0, "start": start, "length": end})])
    for step in (-1, 0, 1, 2, 6, 7, 8):
        put(*line, [("slice", {"step": step})])
        put(*line, [("slice", {"start": 2, "end": 9223372036854775807, "step": step})])
        for length in (-1, 0, 1, 3, 7, 8):
            put(*line, [("unfold", {"dim": 0, "length": length, "step": step})])
    put(*scalar, [("unfold", {"dim": 0, "length": 0, "step": 1})])
    put(*scalar, [("unfold", {"dim": 0, "length": 2, "step": 1})])
    for size in (0, 1, 2, 4, 5, 8):
        b = ("float32", [size, 2], [2, 1], 0)
        for parts in (-1, 0, 1, 2, 3, 4, 5, 9):
            for index in (0, 1, 2, 3, 4, 8):
                put(*b, [("chunk", {"chunks": parts, "index": index})])
                put(*b, [("split", {"split_size": parts, "index": index})])
    for sizes in ([3, 4], [7], [3, 5, -1], [], [8, -1], [0, 7], [7, 0], [6]):
        for index in range(-3, 3):
            put(*line, [("split_with_sizes", {"sizes": sizes, "index": index})])
    for b, sizes in itertools.product(bases, ([], [1], [-1], [-1, -1], [24], [2, 12], [6, 4], [3, 8], [-1, 4], [5, -1], [0], [0, -1],
                                              [4, 0, -1], [-1, 0], [2, 0, 4], [1, 1], [3], [1, 3, 1], [3, 1], [7, 1], [1, 7, 1], [-2, 12],
                                              [2, 3, 4], [-1, 3, 4], [2, -1, -1], [5, 2, 3, 4], [3, 5], [5, 3], [15], [2, 3, 2, 2, 1], [-5])):
        for op in ("view", "reshape", "expand"):
            put(*b, [(op, {"size": sizes})])
        for dim in (0, -1):
            put(*b, [("unflatten", {"dim": dim, "size": sizes})])
    for size, stride in (([2, 2], [1, 1]), ([2], [1, 1]), ([-1], [1]), ([2], [-1]), ([], []), ([0], [3])):
        put(*three, [("as_strided", {"size": size, "stride": stride})])
        put(*three, [("as_strided", {"size": size, "stride": stride, "offset": 9})])
        put(*three, [("as_strided", {"size": size, "stride": stride, "offset": -1})])
    for dtype in DTYPES:
        for sizes, strides, offset in (([2, 4], [4, 1], 0), ([2, 4], [4, 1], 4), ([2, 2], [3, 1], 2), ([2, 4], [8, 2], 0), ([], [], 2),
                                       ([3, 1], [8, 5], 0), ([1, 8], [3, 1], 0), ([0, 8], [3, 1], 16), ([2, 16], [16, 1], 16), ([4, 2], [1, 4], 8),
                                       ([16, 0], [16, 1], 0)):
            for target in DTYPES:
                put(dtype, sizes, strides, offset, [("view_dtype", {"dtype": target})])
            put(dtype, sizes, strides, offset, [("view_as_real", {})])
            put(dtype, sizes, strides, offset, [("view_as_complex", {})])


def some_dim(rng, rank):
    return rng.randint(-rank, rank - 1) if rank and rng.random() < 0.95 else rng.randint(-4, 4)


def factors(rng, number):
    """A random way to write a number as a product."""
    result = []
    while number > 1:
        choices = [f for f in range(2, number + 1) if number % f == 0]
        f = rng.choice(choices)
        result.append(f)
        number //= f
    for _ in range(rng.randint(0, 2)):
        result.insert(rng.randint(0, len(result)), 1)
    return result


def random_operation(rng, x):
    rank = x.dim()
    op = rng.choice(["as_strided", "view", "view", "view", "reshape", "expand", "transpose", "permute", "t", "alias", "detach",
                     "squeeze", "unsqueeze", "select", "slice", "slice", "diagonal", "unfold", "movedim", "flatten", "unflatten",
                     "split", "split_with_sizes", "chunk", "unbind", "narrow", "view_dtype", "view_as_real", "view_as_complex"])
    dim = some_dim(rng, rank)
    size = x.size(dim) if -rank <= dim < rank else 1
    if op == "as_strided":
        n = rng.randint(0, 3)
        a = {"size": [rng.randint(0, 4) for _ in range(n)], "stride": [rng.randint(0, 6) for _ in range(n)]}
        if rng.random() < 0.5:
            a["offset"] = rng.randint(0, 9)
        return op, a
    if op in ("view", "reshape"):
        sizes = factors(rng, x.numel()) if x.numel() else [rng.randint(0, 3) for _ in range(rng.randint(0, 3))]
        if sizes and rng.random() < 0.4:
            sizes[rng.randrange(len(sizes))] = -1
        return op, {"size": sizes}
    if op == "expand":
        sizes = [rng.choice([-1, s, 3]) if s != 1 else rng.choice([-1, 1, 2, 0]) for s in x.size()]
        return op, {"size": [rng.randint(1, 2) for _ in range(rng.randint(0, 1))] + sizes}
    if op == "transpose":
        return op, {"dims": [dim, some_dim(rng, rank)]}
    if op == "permute":
        dims = list(range(rank))
        rng.shuffle(dims)
        return op, {"dims": dims}
    if op == "squeeze":
        return op, rng.choice([{}, {"dims": [dim]}])
    if op == "unsqueeze":
        return op, {"dim": rng.randint(-rank - 1, rank)}
    if op in ("select", "unbind"):
        return op, {"dim": dim, "index": rng.randint(-size, size - 1) if size and rng.random() < 0.9 else rng.randint(-5, 5)}
    if op == "slice":
        a = {"dim": dim}
        if rng.random() < 0.8:
            a["start"] = rng.randint(-size - 1, size + 1)
        if rng.random() < 0.8:
            a["end"] = rng.randint(-size - 1, size + 1)
        if rng.random() < 0.5:
            a["step"] = rng.randint(1, 3)
        return op, a
    if op == "diagonal":
        return op, {"offset": rng.randint(-3, 3), "dim1": dim, "dim2": some_dim(rng, rank)}
    if op == "unfold":
        return op, {"dim": dim, "length": rng.randint(0, size), "step": rng.randint(1, 3)}
    if op == "movedim":
        n = rng.randint(0, rank)
        return op, {"source": rng.sample(range(rank), n), "destination": rng.sample(range(rank), n)}
    if op == "flatten":
        return op, {"start_dim": dim, "end_dim": some_dim(rng, rank)}
    if op == "unflatten":
        sizes = factors(rng, size) or [1]
        if rng.random() < 0.4:
            sizes[rng.randrange(len(sizes))] = -1
        return op, {"dim": dim, "size": sizes}
    if op == "split":
        return op, {"split_size": rng.randint(1, 3), "index": rng.randint(0, 2), "dim": dim}
    if op == "split_with_sizes":
        first = rng.randint(0, size)
        return op, {"sizes": [first, size - first], "index": rng.randint(0, 1), "dim": dim}
    if op == "chunk":
        return op, {"chunks": rng.randint(1, 4), "index": rng.randint(0, 2), "dim": dim}
    if op == "narrow":
        start = rng.randint(-size, size)
        return op, {"dim": dim, "start": start, "length": rng.randint(0, size - (start + size if start < 0 else start))}
    if op == "view_dtype":
        return op, {"dtype": rng.choice(list(DTYPES))}
    return op, {}


def random_sequences(count):
    rng = random.Random(20260713)
    for _ in range(count):
        sizes = [rng.choice([0, 1, 1, 2, 2, 3, 4, 6, 8]) if rng.random() < 0.9 else 12 for _ in range(rng.randint(0, 4))]
        strides = contiguous(sizes)
        if rng.random() < 0.4:
            order = rng.sample(range(len(sizes)), len(sizes))
            sizes, strides = [sizes[i] for i in order], [strides[i] for i in order]
        if rng.random() < 0.2 and sizes:
            strides[rng.randrange(len(sizes))] = rng.randint(0, 9)
        dtype = rng.choice(["float32", "float32", "complex64", "float16", "float64"])
        offset = rng.choice([0, 0, 2, 5, 8])
        x = base(dtype, sizes, strides, offset)
        sequence = []
        for _ in range(rng.randint(1, 6)):
            op, arguments = random_operation(rng, x)
            sequence.append((op, arguments))
            try:
                x = apply(x, op, arguments)
            except (RuntimeError, IndexError, ValueError, TypeError):
                if rng.random() < 0.9:
                    sequence.pop()  # most sequences should lead somewhere
                    continue
                break
        if sequence:
            put(dtype, sizes, strides, offset, sequence)


print("# Made by make_cases.py with PyTorch", torch.__version__.split("+")[0])
single_operations()
random_sequences(int(sys.argv[1]) if len(sys.argv) > 1 else 1600)
