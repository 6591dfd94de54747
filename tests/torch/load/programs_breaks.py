# SPDX-License-Identifier: MIT
"""Programs with graph breaks: what is printed, numbers that a program reads out of a tensor, and branches that depend on them. Dynamo
compiles a function for what follows each break, with guards of its own. As programs.py."""

import io
import sys

import torch
from programs import case

OUT = io.StringIO()


def written():
    """What was printed since the last time."""
    text = OUT.getvalue()
    OUT.seek(0)
    OUT.truncate()
    return text


# ---- lines that are printed, and a branch that a tensor decides ----


def attention(q, k, factor, limit):
    scores = q @ k.mT / factor
    print("scores", tuple(scores.shape), file=OUT)
    if scores.amax() > limit:
        scores = scores - scores.amax(-1, keepdim=True)
    else:
        scores = scores.tanh() * limit
    print("weights", file=OUT)
    return scores.softmax(-1) @ k, scores


def small(factor=2.0):
    return torch.randn(2, 4) * 0.01, (torch.randn(3, 4) * 0.01).requires_grad_(), factor, 5


def large(factor=2.0):
    return torch.full((2, 4), 9.0), torch.ones(3, 4, requires_grad=True), factor, 5


def play_attention(f, _):
    found = []
    for arguments in (small(), large(), small()):
        written()
        mixed, scores = f(*arguments)
        assert written() == "scores (2, 3)\nweights\n"
        (mixed.sum() + scores.square().sum()).backward()
        found += [mixed.detach(), scores.detach(), arguments[1].grad]
    return found


def wrong_attention(f):
    def prints(expected, *arguments):
        written()
        try:
            f(*arguments)
        finally:
            assert written() == expected

    q, k, factor, _ = small()
    yield "attention(): no graph was built for this call: tensor 'q' size mismatch", lambda: prints("", torch.randn(3, 4), k, factor, 5)
    yield "factor is 3.0, not 2.0", lambda: prints("", q, k, 3.0, 5)
    # What comes before the break has happened by then.
    place = f"attention() from line {attention.__code__.co_firstlineno + 2} on"
    yield f"{place}: no graph was built for this call: limit is 6, not 5", lambda: prints("scores (2, 3)\n", q, k, factor, 6)


case(name="a branch that a tensor decides", make=lambda: attention, calls=lambda: [small(), large()], graphs=5, play=play_attention, wrong=wrong_attention)


# ---- a branch that no call of the build took ----


def checked(x, weights):
    y = x.mul(3).cos()
    if y.isnan().any():
        raise ValueError("not a number")
    total = y.sum().item()
    weights["total"] = total
    return y / total


def play_checked(f, _):
    found = []
    for _ in range(3):
        weights = {}
        found += [f(torch.randn(5), weights), torch.tensor(weights["total"])]
    return found


def wrong_checked(f):
    yield "no call of the build came here", lambda: f(torch.full((5,), float("nan")), {})
    yield "'x' size mismatch at index 0. expected 5, actual 6", lambda: f(torch.randn(6), {})
    yield "checked() from line ", lambda: f(torch.randn(5), {"total": 1})


case(name="a number that is read", make=lambda: checked, calls=lambda: [(torch.randn(5), {}), (torch.randn(5), {}), (torch.randn(5), {})], graphs=4,
     play=play_checked, wrong=wrong_checked)  # fmt: skip


# ---- a function that is made before a break and called after it ----


def across(x):
    y = x * 2

    def inner(z):
        return z + 1

    print(end="", file=OUT)
    return inner(y)


def play_across(f, _):
    return [f(torch.randn(5)) for _ in range(3)]


def wrong_across(f):
    yield "across(): no graph was built for this call: tensor 'x' size mismatch", lambda: f(torch.randn(6))


case(name="a function across a break", make=lambda: across, calls=lambda: [(torch.randn(5),)], graphs=2, play=play_across, wrong=wrong_across)


# ---- breaks in modules within a module, in training ----


class Part(torch.nn.Module):
    def __init__(self, width, name):
        super().__init__()
        self.inner, self.name, self.scale = torch.nn.Linear(width, width), name, 2
        self.register_buffer("seen", torch.zeros(()))

    def forward(self, x):
        y = self.inner(x) * self.scale
        self.seen += 1
        print(self.name, x.shape[0], file=OUT)
        return torch.nn.functional.silu(y) + x


class Parts(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.calls = Part(4, "first"), Part(4, "second"), 0

    def forward(self, x):
        y = self.second(self.first(x).exp())
        self.calls = self.calls + 1
        return y.mean(-1) if self.training else y


def play_parts(f, module):
    for parameter in module.parameters():
        parameter.grad = None
    written()
    module.calls = 0
    before = module.first.seen.clone()
    y = f(torch.randn(3, 4))
    y.square().sum().backward()
    assert written() == "first 3\nsecond 3\n" and module.calls == 1 and module.first.seen == before + 1
    return [y.detach(), *(parameter.grad for parameter in module.parameters())]


def wrong_parts(loaded):
    module, x = Parts(), torch.randn(3, 4)
    yield "more with its module than read tensors", lambda: loaded.bind(dict(module.named_parameters()) | dict(module.named_buffers()))
    module.second.scale = 3
    written()
    yield "scale is 3, not 2", lambda: loaded.bind(module)(x)
    assert written() == "first 3\n"
    module = Parts().eval()
    yield "training is False, not True", lambda: loaded.bind(module)(x)


case(name="breaks in inner modules", make=Parts, calls=lambda: (torch.randn(3, 4),), graphs=3, nested=True, play=play_parts, wrong=wrong_parts,
     wraps=lambda loaded: {"bound to a module": loaded.bind})  # fmt: skip


# ---- functions within a function, whose variables live across a break ----


def gathers(x, items):
    total = x.cumsum(0)

    def add(value):
        nonlocal total
        total = total + value
        return total

    items.append(add(x))
    print(len(items), file=OUT)
    with torch.no_grad():
        last = total + x.flip(0)
        print("last", file=OUT)
        last = last * 2
    total = total * last
    return total, lambda value: value + total


def play_gathers(f, _):
    x, items = torch.randn(4, requires_grad=True), []
    written()
    y, later = f(x, items)
    y.sum().backward()
    assert written() == "1\nlast\n" and len(items) == 1 and torch.is_grad_enabled() and items[0].requires_grad
    return [y.detach(), items[0].detach(), later(x).detach(), x.grad]


case(name="variables across a break", make=lambda: gathers, calls=lambda: (torch.randn(4, requires_grad=True), []), graphs=3, play=play_gathers)


# ---- loops that a tensor ends, and ends that no graph has ----


def doubles(x):
    while x.norm() < 100:
        x = x * 2
    return x.tolist()


def play_doubles(f, _):
    return [number for scale in (1, 5, 0.1) for number in f(torch.randn(3) * scale)]


# From Python 3.12 on what goes on after the break jumps back, and Dynamo leaves such a frame to Python.
case(name="a loop that a tensor ends", make=lambda: doubles, calls=lambda: (torch.ones(3),), graphs=2 if sys.version_info < (3, 12) else 1,
     play=play_doubles)  # fmt: skip


# ---- optimizers of PyTorch's: their steps are its own code ----


def network():
    return torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.GELU(), torch.nn.Linear(5, 2))


def learn(module, optimizer, x, y):
    loss = torch.nn.functional.cross_entropy(module(x), y)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(module.parameters(), 0.5)
    optimizer.step()
    optimizer.zero_grad()
    return loss.detach()


def accumulate(module, optimizer, x, y):
    torch.nn.functional.cross_entropy(module(x), y).backward()
    optimizer.step()


def learning(kind, **options):
    def made():
        module = network()
        return module, kind(module.parameters(), **options), torch.randn(4, 3), torch.tensor([0, 1, 1, 0])

    return made


def play_learning(made):
    def play(f, _):
        torch.manual_seed(3)
        module, optimizer, x, y = made()
        found = [f(module, optimizer, x, y) for _ in range(6)]
        state = [value for one in optimizer.state_dict()["state"].values() for value in one.values() if value is not None]
        return [*(one for one in found if one is not None), *(parameter.detach() for parameter in module.parameters()), *state]

    return play


def wrong_learning(f):
    module, optimizer, x, y = learning(torch.optim.SGD, lr=0.1)()
    yield "optimizer is a SGD, not of type torch.optim.", lambda: f(module, optimizer, x, y)
    yield "'x' size mismatch at index 0. expected 4, actual 5", lambda: f(module, optimizer, torch.randn(5, 3), y)


def case_of_learning(name, step, made, calls=1, **facts):
    case(name=name, make=lambda: step, calls=lambda: [made()] * calls, play=play_learning(made), optimizes=True, **facts)


case_of_learning("steps of SGD", accumulate, learning(torch.optim.SGD, lr=0.1, momentum=0.9), calls=2, graphs=2)
case_of_learning("steps of AdamW", learn, learning(torch.optim.AdamW, lr=0.01, amsgrad=True), graphs=3, wrong=wrong_learning)
