# SPDX-License-Identifier: MIT
"""AOTAutograd's share of a call, and ours in its place: what is around the compiled kernels, without Dynamo and without autograd's
engine.

What Dynamo calls is called, with what it passes; its node's backward likewise, with the tangents that the engine passes. From
both the time of the kernels alone is taken off, called with what they get there.
"""

import contextlib
from unittest.mock import patch

import torch
from torch._inductor.compile_fx import compile_fx, compile_fx_inner
from torch.utils._python_dispatch import is_traceable_wrapper_subclass
from wrapgen_torch.ahead.hook import compiler_of


class _Kernel:
    """A compiled kernel, which notes what it gets in a call."""

    def __init__(self, compiled):
        self._boxed_call = True  # of the object: what wraps a function takes over only those
        self.compiled = compiled
        self.given = None

    def __call__(self, args):
        if self.given is None:
            self.given = list(args)
        return self.compiled(args)

    def alone(self):
        """Called as a wrapper calls it: this object, not what is in it."""
        self(list(self.given))


def without_gradients(call):
    """`call` as wrappers, and autograd's engine, call a kernel of a training graph. With None: the switching alone."""
    enable = torch._C._set_grad_enabled

    def calling():
        enable(False)
        if call is not None:
            call()
        enable(True)

    return calling


class Share:
    """Compile with `inner`, or with a back end over it; `calls()` are then what is timed."""

    def __init__(self, inner):
        self._kernels = []
        self._called = None
        self._given = None
        self._inner = inner

    def inner(self, module, args):
        """The back end that compiles the kernels, which are noted."""
        if self._inner == "inductor":
            return compile_fx(module, args, inner_compile=self._inductor)
        return compiler_of(self._inner)(module, args)

    def _inductor(self, module, example_inputs, **options):
        kernel = _Kernel(compile_fx_inner(module, example_inputs, **options))
        self._kernels.append(kernel)
        return kernel

    def around(self, compiler):
        """`compiler` as a back end whose only graph is noted."""

        def compile_one(module, args):
            assert self._called is None, "there is more than one graph"
            self._called = compiler(module, list(args))
            return self._noting

        return compile_one

    def _noting(self, *args):
        self._given = args
        return self._called(*args)

    def calls(self):
        """{part: (call, +1 or -1)}, after one call, and its backward if it has one, was made. None where kernels are not known."""
        if not self._kernels or self._called is None:
            return None
        called, given = self._called, self._given
        results = [one for one in called(*given) if isinstance(one, torch.Tensor) and one.grad_fn is not None]
        if len(self._kernels) != (2 if results else 1):
            return None
        alone = [kernel.alone for kernel in self._kernels]
        if not results:
            return {"forward": (lambda: called(*given), 1), "its kernel": (alone[0], -1)}
        return {
            "forward": (lambda: called(*given), 1),
            "its kernel": (without_gradients(alone[0]), -1),
            "switching": (without_gradients(None), 1),  # the wrapper switches itself; around the backward both are switched here
            "backward": (without_gradients(_backward_of(results)), 1),
            "kernel of that": (without_gradients(alone[1]), -1),
        }

    def rebuilding(self):
        """A call of what the classes of subclasses do themselves, in Python, to make the results of a call; None without any."""
        results = [one for one in self._called(*self._given) if is_traceable_wrapper_subclass(one)]
        kinds = {type(part) for one in results for part in _parts_of(one)}
        given = []
        with contextlib.ExitStack() as patches:
            for kind in kinds:
                patches.enter_context(_noted(kind, given))
            self._called(*self._given)

        def rebuild():
            for function, args in given:
                function(*args)

        return {"rebuilding": (rebuild, 1)} if given else None


def _parts_of(value):
    """The subclass, and those within it."""
    yield value
    for name in value.__tensor_flatten__()[0]:
        if is_traceable_wrapper_subclass(getattr(value, name)):
            yield from _parts_of(getattr(value, name))


def _noted(kind, given):
    original = kind.__tensor_unflatten__

    def unflatten(inner, *rest):
        given.append((original, (dict(inner), *rest)))
        return original(inner, *rest)

    return patch.object(kind, "__tensor_unflatten__", unflatten)


def _backward_of(results):
    """A call of the node's backward with what the engine passes it. The node is kept, and so are the tensors that it saved."""
    node = results[0].grad_fn
    tangents = []
    hook = node.register_prehook(tangents.append)
    torch.autograd.backward(results, [torch.ones_like(one) for one in results], retain_graph=True)
    hook.remove()
    (passed,) = tangents
    run = node.apply if isinstance(node, torch.autograd.function.BackwardCFunction) else node
    return lambda: run(*passed)
