# SPDX-License-Identifier: MIT
"""start.py ROUNDS JSON - a whole model in a new process, from its start to its first result and per call: under torch.compile with a
warm cache, by load() of what was built, by PyTorch's own aot_compile() and load_compiled_function(), and in eager mode; in turns.

The model is a Qwen3 configuration of 28 layers with random weights, for inference. "To the first result" is without the import of
PyTorch and without making the model, which all ways do. Seconds are of the clock, medians of processes. What was built first is
compared with torch.compile's cold compilation, and with the size of its cache. A way that PyTorch refuses has its reason. Calls of what
load() gives are made in turns with calls of the model in it alone, which is what AOTInductor compiled.

QUICK=1: two layers.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

IMPORTED = time.monotonic()
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[2] / "cmd"), str(HERE.parents[1] / "torch" / "load_models")]
LAYERS = 2 if "QUICK" in os.environ else 28
_CALLS = 30


def model_and_input():
    import configurations  # noqa: F401 - before what imports torchvision
    import transformers

    torch.manual_seed(0)
    config = transformers.Qwen3Config(
        hidden_size=64, num_hidden_layers=LAYERS, num_attention_heads=4, num_key_value_heads=2, head_dim=16, intermediate_size=96,
        vocab_size=256, max_position_embeddings=64,
    )  # fmt: skip
    return transformers.Qwen3ForCausalLM(config).eval(), {"input_ids": torch.randint(0, 256, (1, 16))}


class Logits(torch.nn.Module):
    """A function of tensors that returns one, which is what aot_compile takes."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids):
        return self.model(input_ids=input_ids, use_cache=False).logits


def called(way, model, folder):
    """The function that a process calls."""
    if way == "compile":
        return torch.compile(model)
    if way == "load":
        from wrapgen_torch import load

        return load(f"{folder}/built").fn.bind(model)
    if way == "aot_compile":
        module = Logits(model)
        with open(f"{folder}/aot.pt", "rb") as file:
            function = torch.compiler.load_compiled_function(file)
        return lambda input_ids: function(module, input_ids)
    return model


def child(way, folder, started):
    torch.set_num_threads(1)
    model, kwargs = model_and_input()
    made = time.monotonic()
    with torch.no_grad():
        if way == "aot_compile to a file":
            function = torch.compile(Logits(model), fullgraph=True).forward.aot_compile(((kwargs["input_ids"],), {}))
            function.save_compiled_function(f"{folder}/aot.pt")
        elif way == "build":
            from wrapgen_torch import Call, build

            report = build(model, lambda: Call((), kwargs), f"{folder}/built", load=True, context=torch.no_grad, progress=False)
            assert report.misses == 0, str(report)
        else:
            function = called(way, model, folder)
            function(**kwargs)
    first = time.monotonic()
    times, alone = [0.0], [0.0]
    if way in WAYS:
        kernels = kernels_of(folder, model, kwargs) if way == "load" else float
        with torch.no_grad():
            times, alone = zip(*[(timed(lambda: function(**kwargs)), timed(kernels)) for _ in range(_CALLS)])
    weights = sum(4 * parameter.numel() for parameter in model.parameters())
    found = {"import": IMPORTED - started, "weights": weights, "first": first - made, "call": quarter(times), "kernels": quarter(alone)}
    print(json.dumps(found))


def kernels_of(folder, model, kwargs):
    """Calls the model that was built with what a loaded call gives it, and returns what that returns: no test, no wrapper."""
    from wrapgen_torch.loading.frames import reader

    (program,) = json.loads(Path(folder, "built", "index.json").read_text())["load"]["programs"]
    (compiled,) = program["compiled"].values()
    (file,) = Path(folder, "built").rglob(compiled["file"])
    frame = {"self": model, "kwargs": kwargs, **kwargs}  # its forward has decorators, which take **kwargs
    given = [reader(path, [*frame])([*frame.values()]) for path in program["inputs"]]
    taken = [given[at] if at >= 0 else torch.empty_strided((given[~at],), (0,), dtype=torch.uint8) for at in compiled["arguments"]]
    runner = torch._C._aoti.AOTIModelContainerRunnerCpu(str(file), 1)
    return lambda: runner.run(taken)


def quarter(times):
    """A quarter of them are shorter."""
    return statistics.quantiles([*times, *times], n=4)[0]


def timed(call):
    before = time.perf_counter()
    call()
    return time.perf_counter() - before


WAYS = ("compile", "load", "aot_compile", "eager")


def process(way, folder):
    """What a process says; text where it fails."""
    environment = os.environ | {"TORCHINDUCTOR_CACHE_DIR": f"{folder}/{'cold' if way == 'build' else 'cache'}", "PYTHONWARNINGS": "ignore"}
    call = f"import sys; sys.path.insert(0, {str(HERE)!r}); import start; start.child({way!r}, {folder!r}, {time.monotonic()})"
    command = [sys.executable, "-c", call]
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    lines = [line for line in result.stdout.splitlines() if line.startswith("{")]
    if result.returncode == 0 and lines:
        return json.loads(lines[-1])
    return next((line for line in reversed(result.stderr.splitlines()) if line and not line.startswith(" ")), f"status {result.returncode}")


def size_of(path):
    path = Path(path)
    return sum(file.stat().st_size for file in (path.rglob("*") if path.is_dir() else [path]) if file.is_file())


def main(rounds, out):
    with tempfile.TemporaryDirectory(prefix="start-") as folder:
        cold = process("compile", folder)
        built = process("build", folder)
        saved = process("aot_compile to a file", folder)
        ways = [way for way in WAYS if way != "aot_compile" or isinstance(saved, dict)]
        runs = {way: [process(way, folder) for _ in range(rounds)] for way in ways}
        for name, found in {"cold": [cold], "build": [built], **runs}.items():
            for one in found:
                assert isinstance(one, dict), f"{name}: {one}"
        places = {"compile": "cache", "load": "built", "aot_compile": "aot.pt"}
        sizes = {way: size_of(f"{folder}/{place}") for way, place in places.items() if way in ways}
    table = {way: {what: statistics.median(run[what] for run in found) for what in ("import", "first", "call", "kernels")} for way, found in runs.items()}
    print(f"    a model of {LAYERS} layers, {cold['weights'] / 1e6:.1f} MB of weights; first use: torch.compile {cold['first']:.1f} s, build {built['first']:.1f} s "
          f"({built['first'] / cold['first']:.2f} times)")  # fmt: skip
    print("    way            import torch s    to the first result s    a call ms    on disk MB")
    for way, row in table.items():
        size = f"{sizes[way] / 1e6:10.1f}" if way in sizes else ""
        print(f"    {way:14} {row['import']:14.2f} {row['first']:24.2f} {row['call'] * 1e3:12.3f} {size}")
    load = table["load"]
    print(f"    a call of load()'s, in turns with its model alone: {load['call'] / load['kernels']:.2f} times {load['kernels'] * 1e3:.3f} ms")
    if isinstance(saved, str):
        print(f"    aot_compile: {saved[:200]}")
    Path(out).write_text(json.dumps({"layers": LAYERS, "cold": cold, "built": built, "ways": table, "sizes": sizes, "aot_compile": saved}, indent=1) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
