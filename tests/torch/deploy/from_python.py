# SPDX-License-Identifier: MIT
"""models.py in a process of its own.

  from_python.py calls FOLDER PROGRAM   the program's own calls, with tensors of PyTorch, and what they leave
  from_python.py decoder FOLDER         what is refused, what is freed, threads, arrays of NumPy, closing
  from_python.py limits FOLDER          what the table says, and what is taken
  from_python.py aliases FOLDER         who keeps memory that a result shares with an argument
"""

import gc
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "cmd"), sys.argv[2]]

import models  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402

FOLDER = Path(sys.argv[2])


def recorded(name):
    from safetensors import safe_open

    with safe_open(FOLDER / "data" / name, "pt") as file:
        return {key: file.get_tensor(key) for key in file.keys()}, file.metadata() or {}


# ---- the program's own calls ----


def calls(program):
    from wrapgen_torch.case import load_cases
    from wrapgen_torch.deploying.passed import Passed, names_of
    from wrapgen_torch.names import identifier

    torch.manual_seed(0)
    cases, num_compared = load_cases(Path(program)), 0
    with models.Models(convert=torch.from_dlpack) as net:
        for case in cases:
            for name, args in case.calls:
                entry = next(one for one in models.ENTRIES if one.name == (case.name or Path(program).stem))
                tensors, limits = recorded(f"{entry.name}_{identifier(str(name))}.safetensors")
                flat = [one.detach().clone() if isinstance(one, torch.Tensor) else one for one in args] if case.trains else args
                leaves = Passed(entry.name, names_of(case.function), case.calls[0][1]).tensors(name, flat)
                state = [tensors[f"in {one}"].clone() for one in entry.inputs[len(leaves) :]]
                for leaf, one in zip(leaves, entry.inputs):  # calls of one Case may share what they write to
                    leaf.detach().copy_(tensors[f"in {one}"])
                results = net[entry.name](*_detached(flat), *state)
                for one, result in zip(entry.outputs, results, strict=True):
                    num_compared += close(f"out {one}", result, tensors, limits)
                for one, value in zip(entry.inputs, [*leaves, *state], strict=True):
                    num_compared += close(f"after {one}" if one in entry.written else f"in {one}", value.detach(), tensors, limits)
    assert num_compared


def _detached(args):
    from torch.utils._pytree import tree_map

    return tree_map(lambda one: one.detach() if isinstance(one, torch.Tensor) else one, tuple(args))


def close(name, found, tensors, limits):
    relative, absolute = map(float, limits.get(f"tolerance {name}", "0 0").split())
    torch.testing.assert_close(found, tensors[name], rtol=relative, atol=absolute, equal_nan=True, msg=lambda text: f"{name}: {text}")
    return 1


# ---- refusals ----


def refused(kind, words, call):
    try:
        call()
    except kind as problem:
        text = str(problem)
        assert words in text and "\n" not in text, text
        return
    raise AssertionError(f"not refused: {words}")


def fresh():
    tensors, _ = recorded("decoder_word_0.safetensors")
    return {name: tensors[f"in {name}"] for name in models.ENTRIES[0].inputs}


def wrong_calls(net):
    good = fresh()

    def with_(**changed):
        return lambda: net.decoder(**{**good, **changed})

    refused(ValueError, "decoder: 'token': dtype: expected int64, found int32", with_(token=good["token"].int()))
    refused(ValueError, "decoder: 'token': ", with_(token=good["token"].view(1, 1)))
    refused(ValueError, "decoder: 'keys': size", with_(keys=torch.zeros(2, 9, 8)))
    refused(ValueError, "decoder: 'keys': stride", with_(keys=torch.zeros(2, 8, 8).transpose(1, 2)))
    refused(ValueError, "shares memory", with_(values=good["keys"]))
    refused(ValueError, "decoder: 'keys': memory that is read-only, and the model writes to it", with_(keys=_read_only(good["keys"])))
    refused(ValueError, "decoder: 'keys': ", with_(keys=good["keys"].clone().requires_grad_()))
    refused(ValueError, "decoder: 'token': dimension 0 has size 2 and stride -1", lambda: net.decoder(np.arange(2)[::-1], *list(good.values())[1:]))
    refused(TypeError, "decoder: 'token': 3 has no __dlpack__()", with_(token=3))
    refused(TypeError, "decoder: 'token': None has no __dlpack__()", with_(token=None))
    refused(TypeError, "decoder(): 'values' is missing; it takes token, position, keys, values", lambda: net.decoder(*list(good.values())[:3]))
    refused(TypeError, "decoder() takes 4 arguments (token, position, keys, values), and 5 were given", lambda: net.decoder(*good.values(), None))
    refused(TypeError, "'token' is given twice", lambda: net.decoder(*good.values(), token=good["token"]))
    refused(TypeError, "'tokens' is not an argument", with_(tokens=good["token"]))
    refused(TypeError, "not one of", lambda: net.tensor([1], "bfloat16"))
    refused(TypeError, "not of one length", lambda: net.tensor([[1, 2], [3]]))
    refused(RuntimeError, "No such file", lambda: net.read("data/nothing"))
    refused(RuntimeError, "open already", models.Models)
    refused(RuntimeError, "no such library", lambda: models.Models(library="/nowhere/libmodels.so"))
    refused(RuntimeError, "undefined symbol", lambda: models.Models(library=FOLDER / "models" / "decoder.so"))
    refused(BufferError, "without a copy", lambda: net.decoder(**good).logits.__dlpack__(copy=True))
    used = good["token"].__dlpack__()
    torch.from_dlpack(used)
    refused(TypeError, "no capsule of DLPack that is unused", with_(token=type("Used", (), {"__dlpack__": lambda self: used})()))
    token = np.array([3])
    token.flags.writeable = False
    net.decoder(token, *list(good.values())[1:])  # it is only read


def _read_only(tensor):
    array = tensor.numpy().copy()
    array.flags.writeable = False
    return array


# ---- what is freed ----


def resident():
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no VmRSS")


def grown(call, times=20000):
    """The bytes that this many calls leave."""
    for _ in range(2000):
        call()
    gc.collect()
    before = resident()
    for _ in range(times):
        call()
    gc.collect()
    return resident() - before


def bad_call(net, good):
    try:
        net.decoder(good["token"], good["position"], good["keys"], good["token"])
    except ValueError:
        return
    raise AssertionError("not refused")


def leaks(net):
    good = fresh()
    bfloat = net.tensor([1.0])
    for name, call in (
        ("a call", lambda: net.decoder(**good)),
        ("results taken by PyTorch", lambda: torch.from_dlpack(net.decoder(**good).logits)),
        ("results taken by NumPy", lambda: np.from_dlpack(net.decoder(**good).logits)),
        ("a call that is refused", lambda: bad_call(net, good)),
        ("a capsule that nothing takes", lambda: bfloat.__dlpack__(max_version=(1, 0))),
        ("an old capsule that nothing takes", lambda: bfloat.__dlpack__()),
        ("lists", lambda: net.tensor([[1.0, 2.0], [3.0, 4.0]]).tolist()),
    ):
        assert (left := grown(call)) < 3 << 20, f"{name}: {left} bytes are left"


def references(net):
    """An array has the references that it had, after calls that are good and refused, and while its memory is used it has more."""
    arrays = {name: value.numpy().copy() for name, value in fresh().items()}
    before = {name: sys.getrefcount(value) for name, value in arrays.items()}
    for _ in range(10):
        net.decoder(**arrays)
        bad_call(net, arrays)
    gc.collect()
    assert before == {name: sys.getrefcount(value) for name, value in arrays.items()}


def capsule_with_an_exception(net):
    """NumPy drops a capsule that it cannot use while its exception is on its way."""
    from safetensors.torch import save_file

    save_file({"x": torch.ones(2, dtype=torch.bfloat16)}, FOLDER / "build" / "bfloat.safetensors")
    x = net.read("build/bfloat.safetensors")["x"]
    for _ in range(1000):
        refused(Exception, "", lambda: np.from_dlpack(x))
    refused(TypeError, "Python has no bfloat16", x.tolist)
    assert torch.equal(torch.from_dlpack(x), torch.ones(2, dtype=torch.bfloat16))


# ---- threads, and the end ----


def threads(net):
    """Each thread has a state of its own and a context, which goes with it, and all get what one gets."""
    wanted, problems = net.decoder(**fresh()).logits.tolist(), []
    destroy, destroyed = net._library.wg_context_destroy, []
    net._library.wg_context_destroy = lambda context: destroyed.append(destroy(context))

    def work():
        try:
            for _ in range(200):
                assert net.decoder(**fresh_copy(good)).logits.tolist() == wanted
        except Exception as problem:  # noqa: BLE001 - it is told
            problems.append(problem)

    good = fresh()
    every = [threading.Thread(target=work) for _ in range(4)]
    for one in every:
        one.start()
    for one in every:
        one.join()
    assert not problems and len(destroyed) == 4, (problems, destroyed)


def fresh_copy(tensors):
    return {name: value.clone() for name, value in tensors.items()}


def closing(net):
    """close() waits for the calls that run, later ones are refused, results stay, and the models can be opened again."""
    kept, problems, started = net.decoder(**fresh()).logits, [], threading.Event()

    def work():
        good = fresh()
        try:
            while True:
                net.decoder(**good)
                started.set()
        except models.Failed as problem:
            problems.append(str(problem))

    worker = threading.Thread(target=work)
    worker.start()
    started.wait()
    net.close()
    worker.join()
    assert problems == ["decoder: the models are closed"], problems
    net.close()
    assert len(kept.tolist()[0]) == 11
    with models.Models() as again:
        assert again.decoder(**fresh()).logits.tolist() == kept.tolist()


def decoder():
    net = models.Models(runners=2)
    assert list(net) == ["decoder"] and net["decoder"] is net.decoder and "token int64[1]" in net.decoder.__doc__
    for test in (wrong_calls, references, capsule_with_an_exception, threads, leaks, closing):
        test(net)


# ---- limits ----


def within(limits, tensors):
    """Does a variant's table take these tensors, by name?"""
    for name, argument in limits["arguments"].items():
        tensor = tensors[name]
        if str(tensor.dtype).removeprefix("torch.") not in argument["dtypes"] or tensor.dim() not in argument["ranks"]:
            return False
        for found, size in zip(tensor.shape, argument["sizes"]):
            if not any((least is None or least <= found) and (most is None or found <= most) and found % multiple == 0 for least, most, multiple in size["ranges"]):
                return False
            if size["same"] is not None and found != tensors[size["same"][0]].shape[size["same"][1]]:
                return False
    return True


def limits():
    """Each entry point of `shared`: sizes and dtypes near what it takes."""
    counts = {True: 0, False: 0}
    with models.Models() as net:
        assert len(net.limits("read")) == 2 and len(net.limits("score")) == 1
        refused(KeyError, "nothing", lambda: net.limits("nothing"))
        for entry in models.ENTRIES:
            table = net.limits(entry.name)
            assert all(variant["whole"] for variant in table), table
            (name,) = entry.inputs
            for sizes in [(), *((n,) for n in range(9)), *((n, m) for n in range(5) for m in (7, 8, 9)), (2, 8, 1)]:
                for dtype in (torch.int64, torch.float32, torch.float64):
                    tensor = torch.zeros(sizes, dtype=dtype)
                    says = any(within(variant, {name: tensor}) for variant in table)
                    try:
                        net[entry.name](tensor)
                        taken = True
                    except ValueError:
                        taken = False
                    assert taken == says, (entry.name, tensor.shape, dtype, taken, table)
                    counts[taken] += 1
    assert counts[True] >= 4 and counts[False] >= 100, counts


# ---- results that share memory with arguments ----


def aliases():
    with models.Models(convert=np.from_dlpack) as net:
        x = np.arange(12, dtype=np.float32).reshape(3, 4)
        before = sys.getrefcount(x)
        result = net.viewed(x)
        x[1, 0] = 50
        assert result.columns[0, 1] == 50 and result.half[0, 0] == 50 and result.other[1, 0] == 8
        columns = result.columns
        del result
        gc.collect()
        assert sys.getrefcount(x) > before, "nothing keeps the memory of a view"
        address = x.ctypes.data
        del x
        gc.collect()
        assert columns.ctypes.data == address and columns[0, 1] == 50
        x = np.zeros((3, 4), dtype=np.float32)
        before = sys.getrefcount(x)
        assert net.counted(x)[0].ctypes.data == x.ctypes.data and x[2, 3] == 1
        net.viewed(x)
        gc.collect()
        assert sys.getrefcount(x) == before
        result = net.written(x, np.ones(4, dtype=np.float32))
        assert result.row.tolist() == [2, 2, 2, 2] and result.columns[0].tolist() == [1, 2, 1]
        x[1] = 7
        assert result.row.tolist() == [7, 7, 7, 7] and result.columns[0].tolist() == [1, 7, 1] and result.other.tolist() == [2, 2, 2, 2]


if __name__ == "__main__":
    {"calls": calls, "decoder": decoder, "aliases": aliases, "limits": limits}[sys.argv[1]](*sys.argv[3:])
    print("all hold")
