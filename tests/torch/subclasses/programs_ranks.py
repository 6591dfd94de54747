# SPDX-License-Identifier: MIT
"""What rank.py runs in two processes: DTensor, fully sharded parameters, collectives, DistributedDataParallel."""

import tempfile
import warnings
from unittest.mock import patch

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as collectives
import torch.nn as nn
from compared import compare, same
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel
from wrapgen_torch import FallbackWarning, NotBuilt, backend, build
from wrapgen_torch.ahead.building import Recorder

PROGRAMS = {}
VERSION = tuple(map(int, torch.__version__.split(".")[:2]))
MESH = []  # that of both ranks, once there is one


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def spread(*size, placement=Shard(0), grad=False):
    return distribute_tensor(torch.randn(size), MESH[0], [placement]).requires_grad_(grad)


def local(*size):
    """Other values in each rank."""
    return torch.randn(size) + dist.get_rank()


# ---- DTensor ----


@program
def dtensors(_):
    def run(x, w):
        return x @ w, x.sin(), w.sum()

    same(run, lambda: (spread(6, 4), spread(4, 4, placement=Replicate())), grad=False, backward=False)


@program
def gradients_that_are_dtensors(_):
    def run(x, w):
        return (x @ w).relu()

    same(run, lambda: (spread(6, 4, grad=True), spread(4, 4, placement=Replicate(), grad=True)))


@program
def redistributed(_):
    def run(x):
        return x.redistribute(placements=[Shard(1)]), x.redistribute(placements=[Replicate()]) * 2

    same(run, lambda: (spread(6, 4),), grad=False, backward=False)
    same(lambda x: x.redistribute(placements=[Shard(1)]) * 2, lambda: (spread(6, 4, grad=True),))


@program
def partial_sums(_):
    def run(x):
        y = DTensor.from_local(x, MESH[0], [Partial()])
        return y.redistribute(placements=[Replicate()]).to_local() * 2

    same(run, lambda: (local(4, 4),), grad=False, backward=False)


@program
def mutated_buffers(_):
    def run(x, total):
        total.add_(x)
        return total * 2

    same(run, lambda: [(spread(6, 4), spread(6, 4)) for _ in range(2)], grad=False, backward=False)


@program
def dynamic_batches(_):
    def run(x, w):
        return (x @ w).relu()

    def calls():
        weight = spread(4, 4, placement=Replicate(), grad=True)
        return [(spread(size, 4, grad=True), weight) for size in (4, 8, 12)]

    same(run, calls, graphs=2)


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 16), nn.Linear(16, 8)

    def forward(self, x):
        return self.second(self.first(x).relu())


@program
def tensor_parallel_layers(_):
    """When PyTorch compiles them for the first time in a process, it saves a mesh for the backward; after that it does not."""
    torch.manual_seed(0)
    model = parallelize_module(Layers(), MESH[0], {"first": ColwiseParallel(), "second": RowwiseParallel()})
    torch.compile(model, backend="aot_eager")(torch.randn(4, 8, requires_grad=True)).sum().backward()
    model.zero_grad()
    same(model, lambda: [(torch.randn(4, 8, requires_grad=True),)] * 2)


# ---- collectives ----


@program
def collectives_within(_):
    def run(x):
        return collectives.all_reduce(x * 2, "sum", MESH[0]) + 1

    same(run, lambda: (local(4, 4),), grad=False, backward=False)


@program
def collectives_that_are_under_way(_):
    """An argument whose value a call must wait for: with and without a subclass as another argument."""

    def started():
        return collectives.all_reduce(local(256, 256), "sum", MESH[0])

    def run(x, y):
        return x * 2 + y, y

    assert isinstance(started(), collectives.AsyncCollectiveTensor)
    same(run, lambda: [(started(), torch.randn(256, 256)) for _ in range(3)], grad=False, backward=False)
    same(lambda x, y: (x * 2, y.sin()), lambda: [(started(), spread(6, 4)) for _ in range(2)], grad=False, backward=False)
    same(lambda x, y: x * y, lambda: [(started(), torch.randn(256, 256, requires_grad=True)) for _ in range(2)])


@program
def a_collective_within_a_subclass(_):
    """Since 2.14 a call waits for it. Before, PyTorch's wrapper reads the local tensor as it is, so ours leaves that to it, and says so."""

    def started():
        return spread(256, 256).redistribute(placements=[Replicate()], async_op=True)

    def both(x, y):
        return x * 2, y + x, y.sin()

    assert isinstance(started().to_local(), collectives.AsyncCollectiveTensor)
    if VERSION >= (2, 14):
        same(double, lambda: [(started(),) for _ in range(3)], grad=False, backward=False)
        same(both, lambda: [(started(), spread(256, 256, placement=Replicate())) for _ in range(2)], grad=False, backward=False)
        same(lambda x, w: x * w, lambda: [(started(), spread(256, 256, placement=Replicate(), grad=True)) for _ in range(2)])
        same(double, lambda: [(started(),), (spread(256, 256, placement=Replicate()),), (started(),)], grad=False, backward=False)
        same(double, lambda: [(spread(256, 256, placement=Replicate()),), (started(),)], graphs=2, grad=False, backward=False)
        return
    _, report = compare(double, lambda: (started(),), grad=False, backward=False)
    assert report.hits == 0 and "an asynchronous collective within a subclass" in str(report), str(report)


# ---- fully sharded ----


def sharded():
    torch.manual_seed(0)
    model = nn.Sequential(Layers(), Layers())
    for layers in model:
        fully_shard(layers, mesh=MESH[0])
    return fully_shard(model, mesh=MESH[0])


def rows_of(report):
    assert report.misses == 0 and report.hits >= 1, str(report)


@program
def fully_sharded_training(_):
    """The layers are compiled, and FSDP's hooks run around them; the optimizer's step is not compiled."""

    def step(model):
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
        results = []
        for number in range(3):
            torch.manual_seed(number)
            loss = model(local(4, 8)).square().mean()
            loss.backward()
            grads = [parameter.grad for parameter in model.parameters()]
            assert all(isinstance(grad, DTensor) for grad in grads)
            results += [loss.detach(), *(grad.to_local().clone() for grad in grads)]
            optimizer.step()
            optimizer.zero_grad()
        return results + [parameter.detach().to_local() for parameter in model.parameters()]

    def run(back_end):
        torch._dynamo.reset()
        return step(torch.compile(sharded(), backend=back_end))

    with tempfile.TemporaryDirectory() as folder:
        recorder = Recorder("aot_eager")
        run(recorder)
        recorder.write(folder, "sharded")
        ours = backend(folder, inner="aot_eager", fallback="error")
        mine, theirs = run(ours), run("aot_eager")
    assert all(torch.equal(one, other) for one, other in zip(mine, theirs, strict=True))
    rows_of(ours.report())


@program
def steps_over_sharded_parameters(_):
    """A step of an optimizer, compiled: parameters, gradients and states are DTensors that it changes in place."""

    def make():
        torch.manual_seed(0)
        weights = [spread(8, 4).requires_grad_(), spread(4, 8).requires_grad_()]
        optimizer = torch.optim.SGD(weights, lr=0.1, momentum=0.9)

        def step(*grads):
            for weight, grad in zip(weights, grads, strict=True):
                weight.grad = grad
            optimizer.step()
            return [weight.detach().to_local().clone() for weight in weights]

        return step

    lines, report = compare(make, lambda: [(spread(8, 4), spread(4, 8)) for _ in range(3)], factory=True, grad=False, backward=False)
    assert not lines, "\n".join(lines[:8])
    rows_of(report)


# ---- what the ranks build ----


def double(x):
    return (x * 2).sin()


def built(folder, make_inputs):
    """What the ranks have built, each in a directory of its own: the first rank's, for both."""
    with torch.no_grad():
        build(double, make_inputs, folder / f"built{dist.get_rank()}", inner="aot_eager")
    dist.barrier()
    return folder / "built0"


@program
def built_by_one_rank_for_both(folder):
    """Facts of a graph are those of the local tensors, and the same in both ranks if these are alike."""
    ours = backend(built(folder, lambda: (spread(6, 4),)), inner="aot_eager", fallback="error")
    x = spread(6, 4)
    with torch.no_grad():
        assert torch.equal(torch.compile(double, backend=ours)(x).to_local(), double(x).to_local())
    rows_of(ours.report())


@program
def uneven_shards(folder):
    """Of five rows one rank has three and the other two: the second one's graph is not in what the first has built."""
    path = built(folder, lambda: (spread(5, 4),))
    ours, mine = (backend(each, inner="aot_eager", fallback="error") for each in (path, folder / f"built{dist.get_rank()}"))
    x = spread(5, 4)
    with torch.no_grad():
        assert torch.equal(torch.compile(double, backend=mine)(x).to_local(), double(x).to_local())
        torch._dynamo.reset()
        try:
            torch.compile(double, backend=ours)(x)
            refused = ""
        except Exception as problem:  # noqa: BLE001 - Dynamo wraps it
            refused = f"{problem!r} {problem}"
    rows_of(mine.report())
    if dist.get_rank() == 0:
        assert not refused, refused
    else:
        assert NotBuilt.__name__ in refused and "_local_tensor.size of x is [2, 4], and [3, 4] was built" in refused, refused


# ---- refused by name ----


@program
def distributed_data_parallel(folder):
    """Its optimizer makes the first call with fake tensors: PyTorch's wrappers stay, with a warning, and are right."""

    def train(back_end):
        torch._dynamo.reset()
        torch.manual_seed(0)
        model = DistributedDataParallel(Layers(), bucket_cap_mb=0.0001)
        run = torch.compile(model, backend=back_end)
        for step in range(2):
            torch.manual_seed(step)
            run(local(4, 8)).square().sum().backward()
        return [parameter.grad for parameter in model.parameters()]

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        path = built(folder, lambda: (spread(6, 4),))
        ours = backend(path, inner="aot_eager")
        with patch.object(dist, "_DEFAULT_FIRST_BUCKET_BYTES", 1):  # else there is one bucket, and nothing to split
            mine, theirs = train(ours), train("aot_eager")
    assert all(torch.equal(one, other) for one, other in zip(mine, theirs, strict=True))
    report = ours.report()
    assert report.hits == 0 and report.misses >= 2 and "first call is made with fake tensors" in str(report), str(report)
    assert any(issubclass(warning.category, FallbackWarning) for warning in caught)
    with torch._dynamo.config.patch(optimize_ddp=False):
        lines, report = compare(
            lambda: DistributedDataParallel(Layers()), lambda: [(local(4, 8).requires_grad_(),)] * 2, factory=True, tolerance=(1e-4, 1e-5)
        )
    assert not lines, "\n".join(lines[:8])
    rows_of(report)
