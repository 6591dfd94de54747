# SPDX-License-Identifier: MIT
"""keys.py ROUNDS JSON - specialization keys of calls from Python: of a module that wrapgen made, Helion's own, and in Python.

Nanoseconds, first quartiles of batches, contestants in turns. Each makes the key of a call with so many float32 tensors of rank 2 and
looks it up in a dict, as before a launch:

  helion    Helion's own: Kernel.specialization_key(args) of a kernel with default settings, before it was first compiled, which adds
            to it. Helion needs no GPU for that, and no Triton; where it is not installed it is not measured
  python    what schema/SPEC.md says of a key, in Python, written for speed: by the exact type of each argument, (dtype, sizes,
            strides, static indices); then the type of the device, its capability, a flag, the user's key. A dict finds the tuple.
  prepared  no key at all, in Python: the metadata of the last call, compared in place. It is only for the same call again.
  same      module.f_key(...), the same call again
  another   the same where calls with other sizes take turns, so that each makes an object
  bytes     the same as bytes
"""

import importlib.util
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "cmd"))

import torch  # noqa: E402
from picture import write_svg  # noqa: E402
from wrapgen_torch.extension import build_extension, load_extension  # noqa: E402

try:
    import helion
except ImportError as problem:
    helion, WITHOUT_HELION = None, str(problem)

COUNTS = (2, 8, 16)


def module_of(folder):
    kernels = "".join(
        f"  - {{name: f{n}, args: [{', '.join(f'{{name: x{i}, kind: tensor, ndim: 2}}' for i in range(n))}]}}\n" for n in COUNTS
    )
    return load_extension(build_extension(f"wrapgen: 1\nhost: torch\nprefix: bench_\nkernels:\n{kernels}", folder, "keys"))


# ---- in Python ----

NOTHING = frozenset()


def plain_tensor(x):
    marked = x.__dict__.get("_dynamo_static_indices")
    return x.dtype, (*x.shape,), (*x.stride(),), NOTHING if marked is None else frozenset(marked)


EXTRACTORS = {torch.Tensor: plain_tensor, torch.nn.Parameter: plain_tensor, int: lambda x: int, float: lambda x: float}


def helion_kernel(n, folder):
    """A kernel of Helion's with so many arguments, or None. Helion reads the source of kernels, so it is in a file."""
    if helion is None:
        return None
    path = Path(folder, f"helion_{n}.py")
    arguments = ", ".join(f"x{i}: torch.Tensor" for i in range(n))
    path.write_text(f"import helion, torch\n\n\n@helion.kernel\ndef f({arguments}):\n    return x0\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


def python_key(args, extractors=EXTRACTORS):
    return (*[extractors[type(x)](x) for x in args], args[0].device.type, (0, 0), False, None)


class Prepared:
    def __init__(self, args, value):
        self.metadata = [(type(x), x.dtype, x.shape, x.stride(), x.device, x.__dict__.get("_dynamo_static_indices")) for x in args]
        self.value = value

    def find(self, args):
        for x, (kind, dtype, shape, stride, device, marked) in zip(args, self.metadata):
            if (
                type(x) is not kind
                or x.dtype is not dtype
                or x.shape != shape
                or x.stride() != stride
                or x.device != device
                or x.__dict__.get("_dynamo_static_indices") != marked
            ):
                return None
        return self.value


# ---- measuring ----


def quartile(times):
    return statistics.quantiles(times, n=4)[0]


def timed(act, calls):
    start = time.perf_counter_ns()
    act(calls)
    return (time.perf_counter_ns() - start) / calls


def measure(contestants, rounds):
    """In batches of some 300 us, so that many are not interrupted."""
    times = {name: [] for name in contestants}
    calls = {name: 2 * max(1, int(150e3 / min(timed(act, 10) for _ in range(20)))) for name, act in contestants.items()}
    for _ in range(10 * rounds):
        for name, act in contestants.items():
            times[name].append(timed(act, calls[name]))
    return {name: round(quartile(values), 1) for name, values in times.items()}


def contestants(module, n, folder):
    one, other = ([torch.ones(size + i, 3) for i in range(n)] for size in (2, 3))
    key_of = getattr(module, f"f{n}_key")
    cache = {key_of(*args): i for i, args in enumerate((one, other))}
    in_bytes = {bytes(key): i for key, i in cache.items()}
    in_python = {python_key(args): i for i, args in enumerate((one, other))}
    prepared = Prepared(one, 0)
    assert [cache[key_of(*args)] for args in (one, other, one)] == [0, 1, 0] == [in_python[python_key(args)] for args in (one, other, one)]
    assert prepared.find(one) == 0 and prepared.find(other) is None

    def python(calls):
        for _ in range(calls):
            in_python[python_key(one)]

    def compared(calls):
        for _ in range(calls):
            prepared.find(one)

    def same(calls):
        for _ in range(calls):
            cache[key_of(*one)]

    def another(calls):
        for _ in range(calls // 2):
            cache[key_of(*one)]
            cache[key_of(*other)]

    def as_bytes(calls):
        for _ in range(calls):
            in_bytes[bytes(key_of(*one))]

    return theirs_of(helion_kernel(n, folder), one, other) | {"python": python, "prepared": compared, "same": same, "another": another, "bytes": as_bytes}


def theirs_of(kernel, one, other):
    if kernel is None:
        return {}
    in_helion = {kernel.specialization_key(args): i for i, args in enumerate((one, other))}
    assert len(in_helion) == 2

    def theirs(calls):
        for _ in range(calls):
            in_helion[kernel.specialization_key(one)]

    return {"helion": theirs}


def main():
    rounds, out = int(sys.argv[1]), Path(sys.argv[2])
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        module = module_of(folder)
        print("\n    key of a call and its place in a dict, ns" + ("" if helion else f"; Helion is not here ({WITHOUT_HELION}): not measured"))
        print(f"    {'tensors':8} {'helion':>8} {'python':>8} {'prepared':>9} {'same':>8} {'another':>8} {'bytes':>8}"
              "  helion / same, python / same, another")  # fmt: skip
        for n in COUNTS:
            row = result[f"{n} tensors"] = measure(contestants(module, n, folder), rounds)
            theirs = f"{row['helion']:8.0f}" if helion else f"{'-':>8}"
            ratios = f"{row['helion'] / row['same']:.1f}x, " if helion else "-, "
            ratios += f"{row['python'] / row['same']:.1f}x, {row['python'] / row['another']:.1f}x"
            print(f"    {n:<8} {theirs} {row['python']:8.0f} {row['prepared']:9.0f} {row['same']:8.0f} {row['another']:8.0f} {row['bytes']:8.0f}  {ratios}",
                  flush=True)  # fmt: skip
    out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    write_svg(out.with_suffix(".svg"), result, "ns")


if __name__ == "__main__":
    main()
