# SPDX-License-Identifier: MIT
# turns.py OURS NATIVE CASES PATTERN ROUNDS MICROSECONDS JSON - PyTorch's wrappers and ours, in turns, in one process, on the same tensors;
# and ours on the native host. First, both sides must give the same results on PyTorch's tensors.
#
# A wrapper's own time is that of a call less that of the compiled function alone, on the same side; below 1 ns it counts as 1 ns.
# Both are first quartiles of many batches, since other programs only add to a time; half the distance of the quartiles is shown.
# Prints the table of them, and of how often ours fits into theirs; writes all medians and quartiles as JSON.
#
#   PyTorch   everything that PyTorch runs around the compiled function (theirs.py: chain); it tests no arguments, which its guards
#             do elsewhere, while each of ours tests all of them but in the identity_none cases
#   step      the generated Python of the one step that the case is about; loop: what that step was before it was generated
#   aoti      our wrapper on the same tensors; floor: the same with the fewest calls of libtorch (ours.c)
#   native    our wrapper on the native host
import ctypes
import gc
import itertools
import json
import re
import statistics
import sys
import time
import warnings

warnings.filterwarnings("ignore")
import torch  # noqa: E402

if not torch.__version__.startswith("2.13."):  # what is called here is not PyTorch's public interface
    print(f"    PyTorch is {torch.__version__}, not 2.13: not measured")
    sys.exit(0)
import theirs  # noqa: E402
from torch._C._aoti import alloc_tensors_by_stealing_from_void_ptrs, unsafe_alloc_void_ptrs_from_tensors  # noqa: E402

pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
capsule_of = ctypes.pythonapi.PyCapsule_New
capsule_of.restype, capsule_of.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def declare(library, name, result, *arguments):
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments
    return function


class Ours:
    """A case of ours.c with the tensors of this process."""

    def __init__(self, path):
        library = ctypes.CDLL(path)
        self._make = declare(library, "ours_make", ctypes.c_void_p, ctypes.c_char_p)
        self._give = declare(library, "ours_give", ctypes.c_int32, ctypes.c_void_p, ctypes.c_char, ctypes.c_void_p, ctypes.c_size_t)
        self._once = declare(library, "ours_once", ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
        self._time = declare(library, "ours_time", ctypes.c_double, ctypes.c_void_p, ctypes.c_char, ctypes.c_int64)
        self._shim = declare(library, "ours_shim", ctypes.c_double, ctypes.c_char, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
        self._why = declare(library, "ours_why", ctypes.c_char_p, ctypes.c_void_p)

    def make(self, case, tensors):
        fixture = self._make(case.name.encode())
        num_outs = case.inputs if case.kind == "backward" else 1 if case.depth else case.aliases + case.outputs
        results = tensors.results + (tensors.saved + tensors.unchecked if case.kind == "training" else [])
        self.give(fixture, b"a", tensors.leaves or tensors.args)
        self.give(fixture, b"r", results)
        if case.kind == "backward":
            self.give(fixture, b"s", tensors.saved)
            self.give(fixture, b"u", tensors.unchecked)
        self._give(fixture, b"o", None, num_outs)
        return fixture

    def give(self, fixture, what, tensors):
        handles = [pointer_of(capsule, None) for capsule in unsafe_alloc_void_ptrs_from_tensors(tensors)] if tensors else []
        if self._give(fixture, what, (ctypes.c_void_p * (len(handles) + 1))(*handles), len(handles)) != 0:
            sys.exit("turns.py: a handle was not taken")

    def once(self, fixture):
        handles = (ctypes.c_void_p * 4096)()
        n = self._once(fixture, handles, 4096)
        if n < 0:
            sys.exit("turns.py: " + self._why(fixture).decode())
        return alloc_tensors_by_stealing_from_void_ptrs([capsule_of(handles[i], None, None) for i in range(n)])

    def shim(self, which):
        """Nanoseconds of one call of libtorch's C ABI, the least of several runs."""
        handles = [pointer_of(capsule, None) for capsule in unsafe_alloc_void_ptrs_from_tensors([torch.ones(4), torch.ones(4)])]
        return min(self._shim(which, *handles, 20000) for _ in range(9))

    def batch(self, fixture, who):
        return lambda calls: self._time(fixture, who, calls)


# ---- the same results ----


def facts(t, with_view):
    values = t.detach().flatten().tolist()
    view = (t._is_view(), t.storage_offset()) if with_view else ()
    return (tuple(t.shape), t.stride(), t.dtype, t.requires_grad, values) + view


def observe(call, args):
    """What one call does: facts of its outputs, which storage they share, what the arguments hold and how often they changed."""
    before = [t._version for t in args]
    with torch.no_grad():
        values = [t.detach().clone() for t in args]
    outs = call()
    found = []
    for out in outs:
        shares = [i for i, t in enumerate(args) if t.untyped_storage().data_ptr() == out.untyped_storage().data_ptr()]
        found.append((facts(out, bool(shares)), shares))
    found.append([(facts(t, True), t._version - b) for t, b in zip(args, before)])
    for t, value in zip(args, values):
        t.data.copy_(value)
    return found


def as_list(outs):
    return [outs] if isinstance(outs, torch.Tensor) else list(outs)


def check_same(case, sides, ours, fixture, tensors):
    if case.depth:  # ours gives a subclass, which is not PyTorch's; tests/torch/aoti and parity look into them
        return
    theirs_found = observe(lambda: as_list(sides["chain"]()), tensors.args)
    ours_found = observe(lambda: ours.once(fixture), tensors.args)
    if theirs_found != ours_found:
        sys.exit(f"turns.py: {case.name} differs\n  PyTorch {theirs_found}\n  ours    {ours_found}")


# ---- time ----


def python_batch(call):
    def batch(calls):
        begin = time.perf_counter_ns()
        for _ in itertools.repeat(None, calls):
            call()
        return (time.perf_counter_ns() - begin) / calls

    return batch


def calls_for(batch, nanoseconds):
    calls = 1
    while True:
        took = batch(calls)
        if took < 0:
            sys.exit("turns.py: a call failed")
        if took * calls >= nanoseconds / 4 or calls > 1 << 22:
            return max(1, int(nanoseconds / max(took, 0.5)))
        calls *= 4


def measure(contestants, rounds, nanoseconds):
    """{name: (median, first quartile, third quartile)} of nanoseconds a call."""
    plan = [(name, batch, calls_for(batch, nanoseconds), []) for name, batch in contestants.items()]
    for turn in range(rounds):
        for i in range(len(plan)):
            name, batch, calls, times = plan[(turn + i) % len(plan)]
            times.append(batch(calls))
            if times[-1] < 0:
                sys.exit(f"turns.py: a call of {name} failed")
    made = {}
    for name, _, _, times in plan:
        quartiles = statistics.quantiles(times, n=4) if len(times) > 1 else times * 3
        made[name] = (statistics.median(times), quartiles[0], quartiles[2])
    return made


# ---- the table ----

THEIRS = {"chain": "bare", "step": "bare", "loop": "bare"}
OURS = {"aoti": "aoti_bare", "aoti_floor": "aoti_bare", "native": "native_bare", "native_loop": "native_bare"}


def own_times(times, without):
    bases = {**THEIRS, **{name: "nothing" for name in without}, **OURS}
    return {name: max(1.0, times[name][1] - times[base][1]) for name, base in bases.items() if name in times}


def ratio(own, a, b):
    return f"{own[a] / own[b]:.1f}" if a in own and b in own else "-"


COLUMNS = (("chain", "aoti"), ("step", "aoti"), ("loop", "aoti"), ("chain", "native"), ("step", "native"), ("aoti", "aoti_floor"))


def heading():
    print(f"{'own time, ns':21} {'PyTorch':>16} {'step':>16} {'loop':>8} {'aoti':>14} {'floor':>7} {'native':>13}   "
          + " ".join(f"{a}/{b.replace('aoti_floor', 'floor')}".rjust(12) for a, b in COLUMNS))


def cell(times, own, name, width):
    if name not in own:
        return "-".rjust(width)
    _, low, high = times[name]
    return f"{own[name]:.0f} (+-{(high - low) / 2:.0f})".rjust(width)


def row(case, times, own):
    plain = {name: f"{own[name]:.0f}" if name in own else "-" for name in ("loop", "aoti_floor")}
    print(f"{case.name:21} {cell(times, own, 'chain', 16)} {cell(times, own, 'step', 16)} {plain['loop']:>8} "
          f"{cell(times, own, 'aoti', 14)} {plain['aoti_floor']:>7} {cell(times, own, 'native', 13)}   "
          + " ".join(ratio(own, a, b).rjust(12) for a, b in COLUMNS), flush=True)


def closing(chosen, own, ours):
    """The aims: 50 times and more where no data is copied, and never slower."""
    parts = (("a read", b"r"), ("a handle", b"h"), ("copy_", b"c"), ("a view", b"v"), ("an operator by name", b"n"))
    print("\none call of libtorch's C ABI, ns: " + ", ".join(f"{name} {ours.shim(which):.1f}" for name, which in parts))
    for host in ("native", "aoti"):
        ratios = {case.name: own[case.name]["chain"] / own[case.name][host] for case in chosen}
        still = {case.name: ratios[case.name] for case in chosen if not case.num_written}
        least = min(ratios, key=ratios.get)
        below = sorted((r, name) for name, r in still.items() if r < 50)
        print(f"{host}: PyTorch takes {ratios[least]:.1f} times as long at least ({least}); 50 times and more in "
              f"{len(still) - len(below)} of the {len(still)} cases that copy nothing"
              + ("; below: " + ", ".join(f"{name} {r:.0f}" for r, name in below) if below else ""))


def run_case(case, ours, native, rounds, nanoseconds):
    tensors = theirs.make_tensors(case)
    sides, without = theirs.make_sides(case, tensors)
    mine = tensors
    if case.kind == "training":  # what PyTorch returned belongs to its autograd node
        mine = theirs.Tensors(tensors.args, theirs.make_results(case, tensors.args), tensors.saved, tensors.unchecked)
    with torch.set_grad_enabled(case.kind != "backward"):
        fixture = ours.make(case, mine)
        check_same(case, sides, ours, fixture, tensors)
        contestants = {name: python_batch(call) for name, call in sides.items()}
        contestants.update(aoti=ours.batch(fixture, b"o"), aoti_bare=ours.batch(fixture, b"b"), aoti_floor=ours.batch(fixture, b"f"))
        in_native = native.make(case.name.encode())
        for name, who in (("native", b"o"), ("native_bare", b"b"), ("native_loop", b"l")):
            contestants[name] = lambda calls, who=who: native.time(in_native, who, calls)
        times = measure(contestants, rounds, nanoseconds)
    own = own_times(times, without)
    row(case, times, own)
    return own, [{"case": case.name, "who": name, "median_ns": round(m, 2), "q1_ns": round(low, 2), "q3_ns": round(high, 2),
             **({"own_ns": round(own[name], 2)} if name in own else {})} for name, (m, low, high) in times.items()]


class Native:
    def __init__(self, path):
        library = ctypes.CDLL(path)
        self.make = declare(library, "native_make", ctypes.c_void_p, ctypes.c_char_p)
        self.time = declare(library, "native_time", ctypes.c_double, ctypes.c_void_p, ctypes.c_char, ctypes.c_int64)


def main():
    ours_path, native_path, cases, pattern, rounds, microseconds, out = sys.argv[1:]
    torch.set_num_threads(1)
    ours, native = Ours(ours_path), Native(native_path)
    chosen = [case for case in theirs.read_cases(cases) if re.search(pattern, case.name + " ")]
    rows, own = [], {}
    heading()
    gc.disable()
    for case in chosen:
        own[case.name], measured = run_case(case, ours, native, int(rounds), 1e3 * float(microseconds))
        rows += measured
        gc.collect()
    closing(chosen, own, ours)
    with open(out, "w") as file:
        json.dump(rows, file, indent=0)


main()
