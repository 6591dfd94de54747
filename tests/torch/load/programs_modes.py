# SPDX-License-Identifier: MIT
"""Programs under inference mode, and with tensors that were made under it."""

import torch
from programs import case, within
from wrapgen_torch import Call


def written(x, y):
    y.add_(x)
    return x.view(-1), y.t(), x * 2


def pair():
    return torch.randn(3, 4), torch.ones(3, 4)


def inference_tensors():
    with torch.inference_mode():
        return pair()


def calls_of_written():
    yield Call(pair(), context=torch.inference_mode)
    yield Call(inference_tensors(), context=torch.inference_mode)
    yield Call(pair(), context=torch.no_grad)


def play_written(f, _):
    found = []
    for make, context in ((pair, torch.inference_mode), (inference_tensors, torch.inference_mode), (pair, torch.no_grad)):
        x, y = make()
        with context():
            results = f(x, y)
        found += [one.clone() for one in (*results, y)]
        found += [one.is_inference() for one in (*results, y)]
        found += [None if one.is_inference() else one._version for one in (*results, y)]
        found += [results[0].data_ptr() == x.data_ptr(), results[1].data_ptr() == y.data_ptr()]
    return found


def wrong_written(f):
    (x, _), (_, y) = pair(), inference_tensors()
    yield "inference mode is on, which it was not when it was built", within(torch.inference_mode, lambda: f(x, y))
    yield "'y' is an inference tensor, and the one it was built with was not", within(torch.inference_mode, lambda: f(x, y))
    yield "'x' is an inference tensor, and the one it was built with was not", within(torch.no_grad, lambda: f(*inference_tensors()))
    yield "grad_mode differs", lambda: f(*pair())

    def below_autograd():
        x, y = pair()
        try:
            with torch._C._AutoDispatchBelowAutograd():
                f(x, y)
        finally:
            assert y.eq(1).all()  # what is refused has done nothing

    yield "dispatch key set mismatch", within(torch.no_grad, below_autograd)


case(name="inference mode", make=lambda: written, calls=lambda: list(calls_of_written()), play=play_written, graphs=3, wrong=wrong_written)


class Decoding(torch.nn.Module):
    """A step that keeps what it saw in a buffer."""

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)
        self.register_buffer("kept", torch.zeros(3, 4))

    def forward(self, x):
        self.kept.mul_(0.5).add_(x)
        return torch.softmax(self.linear(self.kept), -1)


def play_decoding(f, module):
    x = f(f(torch.randn(3, 4)))
    return [x.clone(), x.is_inference(), module.kept.clone(), module.kept.is_inference()]


case(name="inference mode of a module", make=Decoding, calls=lambda: inference_tensors()[:1], context=torch.inference_mode,
     around=torch.inference_mode, play=play_decoding, graphs=1, wraps=lambda loaded: {"bound": loaded.bind})  # fmt: skip


# ---- PyTorch's decorators ----


@torch.no_grad()
@torch.autocast("cpu", dtype=torch.bfloat16)
def narrow(x, w, *, bias=None):
    y = torch.relu(x @ w)
    return (y if bias is None else y + bias), torch.is_grad_enabled(), torch.is_autocast_enabled("cpu")


def weights():
    return torch.randn(3, 4, requires_grad=True), torch.randn(4, 5, requires_grad=True)


def play_narrow(f, _):
    result, grad, autocast = f(*weights())
    assert torch.is_grad_enabled() and not torch.is_autocast_enabled("cpu")
    return [result, grad, autocast]


def wrong_narrow(f):
    x, w = weights()
    yield "'x' rank mismatch", lambda: f(x[0].detach().requires_grad_(), w)
    yield "inference mode is on", within(torch.inference_mode, lambda: f(x, w))


case(name="a decorated function", make=lambda: narrow, calls=weights, play=play_narrow, wrong=wrong_narrow)


@torch.set_grad_enabled(False)
def without_grad(x):
    return x * 2, torch.is_grad_enabled()


def play_without_grad(f, _):
    assert torch.is_grad_enabled()
    return [*f(torch.randn(3, requires_grad=True)), torch.is_grad_enabled()]


case(name="a decorated function that sets the grad mode", make=lambda: without_grad, calls=lambda: (torch.randn(3, requires_grad=True),),
     play=play_without_grad)  # fmt: skip


def scaled_by(number):
    @torch.inference_mode()
    def scaled(x):
        return x * number

    return scaled


def play_scaled(f, _):
    with torch.no_grad():  # the decorator's mode counts
        return [f(torch.randn(3)).clone() for _ in range(2)]


def wraps_scaled(loaded):
    def bound(_):
        function = loaded.bind(number=2)
        assert function(torch.ones(3)).is_inference()  # which torch.compile traces away
        return function

    return {"bound": bound}


case(name="a decorated function of a function", make=lambda: scaled_by(2), calls=lambda: (torch.randn(3),), play=play_scaled, wraps=wraps_scaled)


class Encoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 3)
        self.dropout = torch.nn.Dropout(0.5)

    @torch.no_grad()
    def forward(self, x):
        return self.encode(x, 2)

    def encode(self, x, number=1, *, shift=None):
        y = self.dropout(self.linear(x)) * number
        return y if shift is None else y + shift

    @torch.inference_mode()
    def generate(self, x):
        for _ in range(3):
            x = torch.nn.functional.pad(self.linear(x), (0, 1))
        return x


def evaluated():
    return Encoder().eval()


def play_encode(f, _):
    x = torch.randn(2, 4, requires_grad=True)
    y = f(x, 1)
    y.sum().backward()
    return [y.detach(), x.grad, f(torch.randn(2, 4)).detach(), f(x, shift=torch.ones(3), number=3).detach()]


def calls_of_encode():
    x = torch.randn(2, 4, requires_grad=True)
    return [Call((x, 1)), Call((torch.randn(2, 4),)), Call((x,), {"number": 3, "shift": torch.ones(3)})]


def bound(loaded):
    return {"bound": lambda method: loaded.bind(method.__self__)}


def wrong_encode(f):
    yield "number is '1', not 1", lambda: f.bind(evaluated())(torch.randn(2, 4), "1")
    yield "training is True, not False", lambda: f.bind(Encoder())(torch.randn(2, 4, requires_grad=True))
    yield "unexpected keyword argument 'by'", lambda: f.bind(evaluated())(torch.randn(2, 4), by=1)
    yield "encode", lambda: f.bind(torch.nn.Identity())(torch.randn(2, 4))


case(name="a method of a module", make=lambda: evaluated().encode, calls=calls_of_encode, play=play_encode, graphs=3, wraps=bound, wrong=wrong_encode)
case(name="a decorated method of a module", make=lambda: evaluated().generate, calls=lambda: (torch.randn(2, 4),), wraps=bound,
     play=lambda f, _: [f(torch.randn(2, 4)).clone()])  # fmt: skip
case(name="a module whose forward is decorated", make=evaluated, calls=lambda: (torch.randn(2, 4),), play=lambda f, _: [f(torch.randn(2, 4))],
     wraps=lambda loaded: {"bound": loaded.bind})  # fmt: skip


# ---- modules that share weights, and that have tensors of both kinds ----


class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(5, 4)
        self.head = torch.nn.Linear(4, 5, bias=False)
        self.head.weight = self.embed.weight
        with torch.inference_mode():
            self.register_buffer("shift", torch.ones(5))

    def forward(self, x):
        return self.head(self.embed(x)) + self.shift


def tied():
    return Tied().requires_grad_(False)


def of_tied(loaded):
    def by_name(module):
        return loaded.bind(dict(module.named_parameters(remove_duplicate=False)) | dict(module.named_buffers()))

    return {"bound": loaded.bind, "bound by name": by_name}


def wrong_tied(f):
    module = tied()
    state = dict(module.named_parameters(remove_duplicate=False)) | dict(module.named_buffers())
    yield "embed.weight", lambda: f.bind({**state, "head.weight": state["head.weight"].clone()})(torch.tensor([1, 2]))


case(name="a module with tied weights", make=tied, calls=lambda: (torch.tensor([1, 2]),), play=lambda f, _: [f(torch.tensor([3, 4]))],
     wraps=of_tied, wrong=wrong_tied)  # fmt: skip
