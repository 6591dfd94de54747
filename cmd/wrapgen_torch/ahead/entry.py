# SPDX-License-Identifier: MIT
"""What Dynamo calls, without the layers of Python that it and AOTAutograd put around a graph.

AOTAutograd makes a function that puts the arguments into a list, after the tensors that the graph itself holds (an optimizer's
parameters and states), and Dynamo wraps that in `torch._dynamo.disable`, which switches tracing off for the time of the call. An
object of the extension module (`untraced`) does both in C++. It takes the place of AOTAutograd's function where that does nothing
else; and of Dynamo's, in the globals of the code that Dynamo writes, because the translation that is under way is asked to install
it there. Nothing of PyTorch is patched, and each layer that somebody else has put around the graph stays.
"""

from types import CodeType

import torch

from ..upstream import InstructionTranslator, aot_autograd, innermost_fn

_VARIADIC = 0x04
_FORWARD = next(
    (code for code in aot_autograd.aot_module_simplified.__code__.co_consts
     if isinstance(code, CodeType) and code.co_name == "forward" and code.co_flags & _VARIADIC),
    None,
)  # fmt: skip


def direct(compiled):
    """`compiled`, which came out of AOTAutograd, or what does the same with less around it."""
    forward = innermost_fn(compiled)
    if _FORWARD is None or getattr(forward, "__code__", None) is not _FORWARD:
        return compiled
    cells = dict(zip(_FORWARD.co_freevars, (cell.cell_contents for cell in forward.__closure__), strict=True))
    untraced = getattr(cells["compiled_fn"], "untraced", None)
    if untraced is None:
        return compiled
    otherwise = compiled if compiled is not forward else torch._dynamo.disable(forward)
    made = untraced(otherwise, tuple(cells["params_buffers_flat"]))
    made.__dict__.update(forward.__dict__, __name__=forward.__name__)
    _ask_for(made)
    return made


def _ask_for(made):
    """Has Dynamo install `made` itself where it would install a wrapper of it."""
    try:
        output = InstructionTranslator.current_tx().output
    except AttributeError:
        return  # without Dynamo
    install = output.install_global_unsafe

    def installing(name, value):
        if getattr(value, "_torchdynamo_orig_callable", None) is made:
            output.install_global_unsafe = install
            value = made
        install(name, value)

    output.install_global_unsafe = installing
