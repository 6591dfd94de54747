# SPDX-License-Identifier: MIT
"""Modules and training loops: normalisation, recurrence, attention, optimizers, a small transformer."""

import torch
from program import program
from torch import nn
from torch._functorch import config
from torch.nn import functional


def matrix(*shape, grad=False):
    return torch.randn(*shape, requires_grad=grad)


def rows(count, *shape):
    return lambda: [(torch.randn(*shape),) for _ in range(count)]


for label, module, shape in (
    ("batch_norm_1d", nn.BatchNorm1d(4), (6, 4)),
    ("batch_norm_2d", nn.BatchNorm2d(3), (2, 3, 4, 4)),
    ("instance_norm", nn.InstanceNorm1d(3, affine=True, track_running_stats=True), (2, 3, 5)),
    ("group_norm", nn.GroupNorm(2, 4), (3, 4, 5)),
    ("layer_norm", nn.LayerNorm(5), (3, 5)),
    ("rms_norm", nn.RMSNorm(5), (3, 5)),
    ("spectral_norm", nn.utils.parametrizations.spectral_norm(nn.Linear(4, 5)), (3, 4)),
    ("spectral_norm_hooks", nn.utils.spectral_norm(nn.Linear(4, 5)), (3, 4)),
    ("weight_norm", nn.utils.parametrizations.weight_norm(nn.Linear(4, 5)), (3, 4)),
    ("convolution", nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(inplace=True), nn.MaxPool2d(2)), (2, 3, 8, 8)),
):
    program(rows(2, *shape), name=label, tolerance=(1e-4, 1e-5))(module)

# The average over all batches so far divides by a number that the graph does not know.
program(rows(2, 6, 4), name="batch_norm_cumulative", uncompiled="compiled nothing")(nn.BatchNorm1d(4, momentum=None))
program(rows(2, 4, 4), name="batch_norm_in_evaluation")(nn.BatchNorm1d(4).eval())


class Carried(nn.Module):
    """A recurrent cell whose state is a buffer, written in place after every step."""

    def __init__(self, cell, state):
        super().__init__()
        self.cell = cell
        self.register_buffer("state", state)

    def forward(self, x):
        with torch.no_grad():
            previous = self.state.clone()
        new = self.cell(x, previous)
        self.state.copy_(new.detach())
        return new


program(rows(3, 2, 4), name="gru_cell_carried")(Carried(nn.GRUCell(4, 5), torch.zeros(2, 5)))
program(rows(3, 2, 4), name="rnn_cell_carried")(Carried(nn.RNNCell(4, 5), torch.zeros(2, 5)))


@program(lambda: [(matrix(2, 4), (matrix(2, 5), matrix(2, 5)))], name="lstm_cell_state_in_place", factory=True)
def lstm_cell_state_in_place():
    torch.manual_seed(4)
    cell = nn.LSTMCell(4, 5)

    def step(x, state):
        h, c = cell(x, (state[0].clone(), state[1].clone()))
        with torch.no_grad():
            state[0].copy_(h)
            state[1].copy_(c)
        return h, c

    return step


def attend(q, keys, values):
    return functional.scaled_dot_product_attention(q, keys, values)


def _static_cache():
    torch.manual_seed(5)
    keys, values = torch.zeros(1, 2, 6, 4), torch.zeros(1, 2, 6, 4)
    return [(matrix(1, 2, 1, 4), keys, values, torch.tensor([at])) for at in range(3)]


@program(_static_cache, grad=False)
def attention_static_cache(x, keys, values, at):
    keys.index_copy_(2, at, x)
    values.index_copy_(2, at, x * 2)
    return attend(x, keys, values), keys[:, :, :3]


def _growing_cache():
    return [(matrix(1, 2, 1, 4), matrix(1, 2, n, 4), matrix(1, 2, n, 4)) for n in (3, 4, 5)]


@program(_growing_cache, dynamic=True, grad=False)
def attention_growing_cache(x, keys, values):
    keys = torch.cat([keys, x], 2)
    values = torch.cat([values, x], 2)
    return attend(x, keys, values), keys, values[:, :, -1]


program(lambda: (torch.tensor([[1, 2, 3], [4, 5, 1]]),), name="embedding_training")(nn.Embedding(10, 4, padding_idx=1))


@program(lambda: (matrix(10, 4), torch.tensor([1, 3, 1]), matrix(3, 4)), grad=False)
def embedding_update(table, index, gradient):
    table.index_add_(0, index, gradient, alpha=-0.1)
    return table[index]


@program(lambda: (matrix(3, 4, grad=True), matrix(3, 4)))
def moving_average(w, average):
    with torch.no_grad():
        average.lerp_(w, 0.1)
    return (w - average).square().mean()


@program(lambda: [([matrix(4, 3), matrix(5)], [matrix(4, 3), matrix(5)])] * 2, grad=False)
def moving_average_of_lists(averages, weights):
    torch._foreach_mul_(averages, 0.9)
    torch._foreach_add_(averages, weights, alpha=0.1)
    return averages[0] * 1


class Checkpointed(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 4))

    def forward(self, x):
        return torch.utils.checkpoint.checkpoint(self.inner, x, use_reentrant=False)


program(rows(1, 3, 4), name="checkpointed")(Checkpointed())


class Tied(nn.Module):
    """One weight under two names."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(7, 4)
        self.out = nn.Linear(4, 7, bias=False)
        self.out.weight = self.embed.weight

    def forward(self, tokens):
        return self.out(self.embed(tokens).tanh())


program(lambda: (torch.tensor([[1, 2, 3]]),), name="tied_weights")(Tied())


@program(rows(2, 3, 4), name="graph_break", factory=True)
def graph_break():
    torch.manual_seed(4)
    first, second = nn.Linear(4, 4), nn.BatchNorm1d(4)

    def step(x):
        h = first(x)
        torch._dynamo.graph_break()
        return second(h)

    return step


# ---- optimizers: the whole step compiled, parameters and state mutated in place ----

OPTIMIZERS = {
    "sgd": (torch.optim.SGD, {"lr": 0.1}),
    "sgd_momentum": (torch.optim.SGD, {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01}),
    "adam": (torch.optim.Adam, {"lr": 0.1}),
    "adam_amsgrad": (torch.optim.Adam, {"lr": 0.1, "amsgrad": True, "weight_decay": 0.01}),
    "adamw": (torch.optim.AdamW, {"lr": 0.1}),
    "adamax": (torch.optim.Adamax, {"lr": 0.1}),
    "nadam": (torch.optim.NAdam, {"lr": 0.1}),
    "radam": (torch.optim.RAdam, {"lr": 0.1}),
    "adagrad": (torch.optim.Adagrad, {"lr": 0.1}),
    "adadelta": (torch.optim.Adadelta, {"lr": 0.1}),
    "rmsprop": (torch.optim.RMSprop, {"lr": 0.1, "momentum": 0.9, "centered": True}),
    "rprop": (torch.optim.Rprop, {"lr": 0.1}),
    "asgd": (torch.optim.ASGD, {"lr": 0.1}),
    "adafactor": (torch.optim.Adafactor, {"lr": 0.1}),
    "muon": (getattr(torch.optim, "Muon", None), {"lr": 0.1}),
}
UNCOMPILED = {"adafactor"}  # without an argument
FUSED = {"sgd", "adam", "adamw", "adagrad"}


def optimizer_program(kind, settings):
    """() -> step(gradients): three steps on the same parameters; it returns parameters and state."""

    def make():
        torch.manual_seed(6)
        shapes = ((4, 3), (3, 5)) if kind is OPTIMIZERS["muon"][0] else ((4, 3), (5,))
        parameters = [nn.Parameter(torch.randn(*shape)) for shape in shapes]
        optimizer = kind(parameters, **settings)

        def step(gradients):
            for parameter, gradient in zip(parameters, gradients):
                parameter.grad = gradient
            optimizer.step()
            state = [value for parameter in parameters for value in optimizer.state[parameter].values()]
            return [parameter.detach() for parameter in parameters], state

        return step

    return make


def gradients_of(name):
    shapes = ((4, 3), (3, 5)) if name == "muon" else ((4, 3), (5,))
    return lambda: [([torch.randn(*shape) for shape in shapes],) for _ in range(3)]


def kept(kind, **settings):
    """step() of an optimizer that was there before check() and has all of its state: no run adds to it, and no result holds it."""
    parameter = nn.Parameter(torch.ones(3, 4))
    parameter.grad = torch.ones(3, 4)
    optimizer = kind([parameter], **settings)
    optimizer.step()
    return lambda: optimizer.step()


program(tuple, name="optim_kept_adam_tensor", inner=None)(kept(torch.optim.Adam, lr=torch.tensor(0.1)))

for label, (kind, settings) in OPTIMIZERS.items():
    if kind is None:
        continue
    compiled = {} if label not in UNCOMPILED else {"uncompiled": "PyTorch compiled nothing of it"}
    program(tuple, name=f"optim_kept_{label}", inner=None, **compiled)(kept(kind, **settings))
    program(gradients_of(label), name=f"optim_{label}", factory=True, backward=False)(
        optimizer_program(kind, {**settings, "foreach": False} if label != "muon" else settings)
    )
    if label not in ("adafactor", "muon"):
        program(gradients_of(label), name=f"optim_{label}_foreach", factory=True, backward=False)(
            optimizer_program(kind, {**settings, "foreach": True})
        )
    if label in FUSED:
        program(gradients_of(label), name=f"optim_{label}_fused", factory=True, backward=False)(
            optimizer_program(kind, {**settings, "fused": True})
        )


# ---- a small transformer, trained ----


class Transformer(nn.Module):
    def __init__(self, words=17, width=16, heads=2):
        super().__init__()
        self.heads = heads
        self.embed = nn.Embedding(words, width)
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(3)])
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.head = nn.Linear(width, words)

    def forward(self, tokens):
        x = self.embed(tokens)
        n, length, width = x.shape
        q, k, v = self.qkv(self.norms[0](x)).view(n, length, 3, self.heads, width // self.heads).unbind(2)
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        attended = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(n, length, width))
        x = x + self.mlp(self.norms[1](x))
        return self.head(self.norms[2](x))


def training_program():
    """The loss is compiled; 50 steps of backward and optimizer around it are Python's."""
    torch.manual_seed(7)
    model = Transformer()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)

    def loss_of(tokens):
        logits = model(tokens[:, :-1])
        return functional.cross_entropy(logits.reshape(-1, logits.size(-1)), tokens[:, 1:].reshape(-1))

    def around(compiled):
        def train(tokens):
            curve = []
            for start in range(50):
                batch = tokens.roll(start, 0)[:4]
                loss = compiled(batch)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                curve.append(loss.detach())
            return torch.stack(curve), [parameter.detach() for parameter in model.parameters()]

        return train

    loss_of.around = around
    return loss_of


program(
    lambda: (torch.randint(0, 17, (8, 9)),), name="transformer_50_steps", factory=True, backward=False, tolerance=(1e-2, 1e-3),
    inner=None,  # rounding adds up
)(training_program)


def penalised():
    """A gradient that is differentiated again: an error, not a constant."""

    def loss(x, w):
        return (x @ w).tanh().sum()

    def around(compiled):
        def run(x, w):
            y = compiled(x, w)
            (gradient,) = torch.autograd.grad(y, x, create_graph=True)
            (y + gradient.square().sum()).backward()
            return x.grad, w.grad

        return run

    loss.around = around
    return loss


program(lambda: (matrix(3, 4, grad=True), matrix(4, 5, grad=True)), name="double_backward", factory=True, backward=False, broken=True)(
    penalised
)


def _grad_where_none_was():
    return [(matrix(3, 4), matrix(4, 5, grad=True)), (matrix(3, 4, grad=True), matrix(4, 5, grad=True))]


@program(_grad_where_none_was, frontend="direct", context=lambda: config.patch(debug_assert=True))
def debug_assert(x, w):
    return (x @ w).tanh()
