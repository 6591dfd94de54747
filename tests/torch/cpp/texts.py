# SPDX-License-Identifier: MIT
#
# What AOTAutograd's own node says when it refuses something: one text a line, named, for test_autograd.cpp.
import torch
import torch._functorch.config


def text_of(call):
    try:
        call()
    except RuntimeError as error:
        return str(error).split("\n")[0]
    return "nothing"


def say(name, call):
    print("%s: %s" % (name, text_of(call)))


def program(backend):
    torch._dynamo.reset()
    return torch.compile(lambda x, w: (x * w).tanh().sin(), backend=backend)


def second():
    x, w = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    y = program("aot_eager")(x, w)
    (gradient,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    gradient.sum().backward()


def twice():
    x, w = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    y = program("aot_eager")(x, w)
    y.sum().backward()
    y.sum().backward()


def donated():
    x, w = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    with torch._functorch.config.patch(donated_buffer=True):
        compiled = program("aot_eager")
        compiled(x, w).sum().backward()
        compiled(x, w).sum().backward(retain_graph=True)


say("second", second)
say("twice", twice)
say("donated", donated)
