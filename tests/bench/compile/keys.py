# SPDX-License-Identifier: MIT
"""keys.py ROUNDS JSON - specialization keys of calls from Python: of a module that wrapgen made, and in Python as Helion makes them.

Nanoseconds, first quartiles of batches, contestants in turns. Each makes the key of a call with so many float32 tensors of rank 2 and
looks it up in a dict, as before a launch:

  python    what schema/SPEC.md says of a key, in Python, written for speed: by the exact type of each argument, (dtype, sizes,
            strides, static indices); then the type of the device, its capability, a flag, the user's key. A dict finds the tuple.
  prepared  no key at all, in Python: the metadata of the last call, compared in place. It is only for the same call again.
  same      module.f_key(...), the same call again
  another   the same where calls with other sizes take turns, so that each makes an object
  bytes     the same as bytes
"""

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


def contestants(module, n):
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

    return {"python": python, "prepared": compared, "same": same, "another": another, "bytes": as_bytes}


def main():
    rounds, out = int(sys.argv[1]), Path(sys.argv[2])
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        module = module_of(folder)
        print("\n    key of a call and its place in a dict, ns")
        print(f"    {'tensors':8} {'python':>8} {'prepared':>9} {'same':>8} {'another':>8} {'bytes':>8}  python / same, another")
        for n in COUNTS:
            row = result[f"{n} tensors"] = measure(contestants(module, n), rounds)
            ratios = f"{row['python'] / row['same']:.1f}x, {row['python'] / row['another']:.1f}x"
            print(f"    {n:<8} {row['python']:8.0f} {row['prepared']:9.0f} {row['same']:8.0f} {row['another']:8.0f} {row['bytes']:8.0f}  {ratios}",
                  flush=True)  # fmt: skip
    out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    write_svg(out.with_suffix(".svg"), result, "ns")


if __name__ == "__main__":
    main()
