# SPDX-License-Identifier: MIT
"""The proof of what is built: while build() runs a program, each call of a graph is made with copies of its arguments first, twice: by
the graph as Dynamo traced it, in eager mode, and by what was built of it, backwards included. A difference is the graph's
refusal. The program itself goes on with PyTorch's own wrapper, so that it cannot be led astray.

The program's code does not run for this, only its graphs: operators of the user's are called three times as often. Random states are put
back. The numbers of Inductor's random generator are not eager mode's, so where a graph draws any, values are compared with those
that PyTorch's own wrapper returns; and where memory is returned as it was, values are not compared.
"""

import copy

import torch

from ..errors import CaptureError, first_line, reason
from ..probes import Probes
from ..progress import step
from ..running import differentiable, random_gradients, sources_of_gradients
from ..snapshot import GRADIENTS, Snapshot, as_near_to, cancelled, differences, is_zero
from ..upstream import FakeTensor, HigherOrderOperator, OpOverload
from .copies import copies_of
from .in_float64 import InFloat64, wider

# A compiled program counts other writes than eager mode, and makes other chains of views.
_IGNORED = {"version", "is_view", "base", "protection", "bytes", "offset", "stride", "is_leaf"}
_SHOWN = 3  # differences of a graph


class Switch:
    """Takes the place of a graph's wrapper: what `ours` returns while a proof runs, else PyTorch's. `refusal` is a future of why there
    is none of ours, or None."""

    _boxed_call = True

    def __init__(self, ours, theirs, refusal):
        self._ours, self._theirs, self._refusal = ours, theirs, refusal
        self.on = False

    @property
    def is_built(self):
        return self._refusal.result() is None

    def __call__(self, args):
        return (self._ours() if self.on else self._theirs)(args)


class Proof:
    """Of the graphs that one call of a back end has compiled: `sites`, each with its `switch`, out of the FX module `module`."""

    def __init__(self, module, sites):
        self._graph = torch.fx.GraphModule(module, copy.deepcopy(module.graph))  # before a back end changes it
        self._sites = sites
        self._raised = None  # by eager mode

    def around(self, compiled):
        """`compiled`, and a proof before each call."""

        def proving(*args):
            with step(f"comparing a call of {self._sites[0].code} with eager mode" if self._sites else "calling a graph"):
                self._prove(compiled, args)
            try:
                return compiled(*args)
            except RuntimeError as problem:
                raise self._raised or problem from None  # a model says where in its C++ it failed, and not what is wrong

        proving.__dict__.update(compiled.__dict__)
        return torch._dynamo.disable(proving)

    def _can_prove(self, args):
        """Not within a proof of a graph around this one, nor under a mode that looks at all operations. CaptureError where it must not."""
        built = [site for site in self._sites if site.switch is not None and site.switch.is_built and site.disproved is None]
        fake = any(isinstance(one, FakeTensor) for one in args) or torch._C._len_torch_dispatch_stack() > 0
        if not built or fake:
            return False
        for site in self._sites:
            _refuse_to_repeat(site)
        return True

    def _prove(self, compiled, args):
        grad, self._raised = torch.is_grad_enabled(), None
        try:
            lines = self._compared(compiled, args) if self._can_prove(args) else []
        except Exception as problem:  # noqa: BLE001 - the program goes on, and a warning says so
            lines = []
            for site in self._sites:
                site.unproved = site.unproved or reason(problem)
        finally:
            torch.set_grad_enabled(grad)
        for site in self._sites:
            if lines and site.switch is not None and not site.disproved:
                site.disproved = "; ".join(lines[:_SHOWN])

    def _compared(self, compiled, args):
        state, copies = _random_state(), copies_of(args)
        try:
            eager = _observed(self._graph, copies)
        except Exception as problem:  # noqa: BLE001 - eager mode raises, and the compiled program may do what it likes
            self._raised = problem
            raise CaptureError(f"eager mode raises {type(problem).__name__}: {first_line(problem)}") from None
        finally:
            _set_random_state(state)
        try:
            ours = self._observed_with(True, compiled, args, state)
        except Exception as problem:  # noqa: BLE001 - the finding
            uncompiled = next((site.uncompiled for site in self._sites if site.uncompiled), None)
            return [uncompiled or f"it raises {type(problem).__name__}: {first_line(problem)}"]
        others = _zeros_for_none(ours, eager)
        if others:
            _take_over(others, eager, self._observed_with(False, compiled, args, state))
        if any(_uses(site, _leaves_unwritten) for site in self._sites):
            _forget_values(eager)
        elif any(_uses(site, _draws) for site in self._sites):
            theirs = self._observed_with(False, compiled, args, state)
            _forget_values(eager)
            return _against(ours, eager) + differences(ours, theirs, True)
        lines = _against(ours, eager)
        if lines and self._is_rounding(ours, eager, args, state):
            # Ours are right if PyTorch's own wrapper gets the same from the same kernels.
            return differences(ours, self._observed_with(False, compiled, args, state), True)
        return lines

    def _is_rounding(self, ours, eager, args, state):
        """Only gradients and written means that cancel, rounding of a narrower dtype than that of a result, as under autocast, or what is
        as near to the graph in float64 as eager mode is?"""
        rounding = _narrowest(self._sites) or True
        if not _against(ours, eager, rounding=rounding, excused=cancelled(eager)):
            return True
        try:
            copies = copies_of(args, wider)
            with InFloat64():
                exact = _observed(self._graph, copies)
        except Exception:  # noqa: BLE001 - it cannot be computed so, and tells nothing
            return False
        finally:
            _set_random_state(state)
        return not _against(ours, eager, rounding=rounding, excused=as_near_to(exact))

    def _observed_with(self, on, compiled, args, state):
        switches = [site.switch for site in self._sites if site.switch is not None and site.switch.is_built]
        for switch in switches:
            switch.on = on
        try:
            return _observed(compiled, copies_of(args))
        finally:
            for switch in switches:
                switch.on = False
            _set_random_state(state)


def _refuse_to_repeat(site):
    """A call that others notice."""
    if site.described is None:
        return
    traced = site.described.traced
    if any(_has_effects(module) for module in (traced.forward, traced.backward) if module is not None):
        raise CaptureError("its operators have effects, which would happen again")
    if any("c10d" in str(node.target) for node in traced.forward.graph.nodes):
        raise CaptureError("it calls other processes, which would be called again")


def _observed(function, args):
    """A Snapshot of a call: what came of it, and the gradients of every part of its results."""
    look = Probes(args, None)
    grad = torch.is_grad_enabled()
    results = tuple(function(*args))
    snapshot = Snapshot()
    mode = torch.is_grad_enabled()
    torch.set_grad_enabled(grad)
    snapshot.add("args", args)
    snapshot.add("results", results)
    snapshot.add_state(mode)
    with torch.enable_grad():
        look.after_call(snapshot, results, backward=grad)
        outputs = differentiable(args, results)
        if outputs and grad:
            torch.autograd.backward(outputs, random_gradients(outputs))
            snapshot.add_gradients("grad", [leaf.grad for leaf in sources_of_gradients(args, None)])
    snapshot.close()
    return snapshot


def _against(ours, eager, **allowed):
    return differences(ours, eager, False, (0, 0), _IGNORED, **{"rounding": True, **allowed})


def _zeros_for_none(ours, eager):
    """The names of gradients that are zeros here, and None in eager mode. A graph is one autograd function, which gives a gradient to each
    of its inputs, whichever of its results a backward runs from."""
    missing = [name for name, fact in eager.facts.items() if name.startswith(GRADIENTS) and fact.values == {"value": type(None)}]
    return [name for name in missing if all(fact.content is None or is_zero(fact.content) for fact in _parts(ours, name).values())]


def _take_over(names, eager, theirs):
    """PyTorch's own wrapper says what is to be there under these names."""
    for name in names:
        for key in _parts(eager, name):
            del eager.facts[key]
        eager.facts |= _parts(theirs, name)


def _parts(snapshot, name):
    """The facts under a name: of a value and the tensors in it, of a backward and all that it gives."""
    return {key: fact for key, fact in snapshot.facts.items() if key == name or key.startswith((f"{name}.", f"{name}[", f"{name} "))}


def _narrowest(sites):
    """The narrowest dtype of floats that the graphs compute in, if that is narrower than float32; else None."""
    modules = [part for site in sites if site.described is not None for part in (site.described.traced.forward, site.described.traced.backward)]
    values = [node.meta.get("val") for module in modules if module is not None for node in module.graph.nodes]
    narrow = {value.dtype for value in values if isinstance(value, torch.Tensor) and value.dtype.is_floating_point and value.dtype.itemsize < 4}
    return min(narrow, key=lambda dtype: (dtype.itemsize, torch.finfo(dtype).tiny), default=None)


def _forget_values(snapshot):
    for fact in snapshot.facts.values():
        fact.content = None


def _uses(site, kind):
    graph = site.described.traced.forward.graph if site.described is not None else None
    return graph is not None and any(node.op == "call_function" and kind(node.target) for node in graph.nodes)


def _has_effects(module):
    """Ordered ones. Tokens do not tell: Inductor's graphs take and return none."""
    graphs = (part.graph for part in module.modules() if isinstance(part, torch.fx.GraphModule))
    return any(node.target is torch.ops.higher_order.with_effects for graph in graphs for node in graph.nodes)


def _draws(target):
    """Random numbers."""
    return torch.Tag.nondeterministic_seeded in getattr(target, "tags", ()) or isinstance(target, HigherOrderOperator) and "rng" in target.name()


def _leaves_unwritten(target):
    """Returns memory as it was, so that values mean nothing."""
    return isinstance(target, OpOverload) and target.overloadpacket.__name__ in ("empty", "empty_like", "empty_strided", "new_empty",
                                                                                 "new_empty_strided", "empty_permuted")  # fmt: skip


def _random_state():
    return torch.get_rng_state(), torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []


def _set_random_state(state):
    torch.set_rng_state(state[0])
    if state[1]:
        torch.cuda.set_rng_state_all(state[1])
