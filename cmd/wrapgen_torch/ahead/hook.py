# SPDX-License-Identifier: MIT
"""Where a wrapper of ours takes the place of PyTorch's.

AOTAutograd ends with one of two functions: `_aot_stage2c_make_inference_function` and
`_aot_stage2c_make_autograd_function` (graph_compile.py) put PyTorch's wrappers around what the inner back end has compiled.
By then all facts are settled. Here they are written down, and whoever asked may return a callable instead.

Two settings of PyTorch are off while a graph is compiled here. Its AOTAutograd cache skips the tracing that tells the facts, even where
the environment asks for it (TORCHINDUCTOR_AUTOGRAD_CACHE), which no setting overrules; the cache of what Inductor compiles stays on.
Donated buffers: whether a backward may overwrite what was saved would be decided when the backward is first run, after the wrapper
was chosen.
"""

import contextlib
from dataclasses import dataclass
from unittest.mock import patch

import torch
from functorch.compile import make_boxed_func
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from ..api import Described, _Captured, _Names
from ..choice import Origin
from ..describe import describe_with_subclasses
from ..errors import CaptureError, failure, reason
from ..trace import Traced, Watch, choose_names, name_of
from ..upstream import FakeTensor, InstructionTranslator, TracingContext, aot_autograd, compiled_autograd
from ..upstream import dynamo_config, flat_count, functorch_config, graph_compile, lookup_backend, runtime_wrappers
from .facts import digest_of, facts_of
from .labels import NAME, code_name

PREFIX = "ahead_"


@dataclass
class Site:
    """One graph for which a wrapper is wanted."""

    described: Described | None  # its values are called input_0, output_0, and so on
    refusal: str | None  # why there is no description
    labels: dict  # those names -> the program's
    code: str  # "forward (model.py)"
    forward: object = None  # what the inner back end compiled, boxed
    backward: object = None  # () -> the same of the backward, compiled when it is first wanted
    uncompiled: str | None = None  # why the backward cannot be compiled, once that was tried
    theirs: object = None  # () -> PyTorch's own wrapper
    switch: object = None  # Switch, where what is built is proved
    unproved: str | None = None  # why a call of it was not compared with eager mode
    disproved: str | None = None  # what differed
    facts: dict | None = None  # of what is described
    digest: str = ""  # of its facts
    models: object = None  # Models, for load()
    unloaded: str | None = None  # why load() must not have it
    codes: tuple = ()  # the code objects that Dynamo traced, for load()


def compiler_of(inner):
    return lookup_backend(inner) if isinstance(inner, str) else inner


class Hook(Watch):
    """`choose` gets a Site and returns a callable that takes the list of a call's arguments, or None for PyTorch's own wrapper."""

    def __init__(self, choose):
        super().__init__()
        self._choose = choose
        self._forward = None
        self._problem = None  # the first of this graph's
        self._args = ()

    @contextlib.contextmanager
    def reading(self):
        """PyTorch goes on whatever we cannot read, and the graph gets no wrapper."""
        try:
            yield
        except Exception as problem:  # noqa: BLE001 - told as the graph's refusal
            self._problem = self._problem or problem

    @contextlib.contextmanager
    def installed(self, args=()):
        """While the inner back end compiles a graph for these arguments, as far as they are known."""
        self._args = args
        compile_one = self._watch_compile(graph_compile._aot_stage2b_compile_forward_or_inference)
        inference = self._replace_inference(graph_compile._aot_stage2c_make_inference_function)
        autograd = self._replace_autograd(graph_compile._aot_stage2c_make_autograd_function)
        with (
            self.watching(),
            patch.object(graph_compile, "_aot_stage2b_compile_forward_or_inference", compile_one),
            patch.object(graph_compile, "_aot_stage2c_make_inference_function", inference),
            patch.object(graph_compile, "_aot_stage2c_make_autograd_function", autograd),
            patch.object(aot_autograd, "should_use_local_autograd_cache", _never),
            patch.object(aot_autograd, "should_use_remote_autograd_cache", _never),
            functorch_config.patch(donated_buffer=False),
        ):
            yield

    def _watch_state(self, original):
        watched = super()._watch_state(original)

        def create_aot_state(*args, **options):
            self.traced, self._problem = Traced(), None  # a back end may compile what it gets in several graphs
            return watched(*args, **options)

        return create_aot_state

    def _watch_compile(self, original):
        def compile_forward(module, args, subclasses, metadata, config, compiler, **options):
            def keeping(*given):
                compiled = compiler(*given)
                self._forward = compiled if getattr(compiled, "_boxed_call", False) else make_boxed_func(compiled)
                return self._forward

            return original(module, args, subclasses, metadata, config, keeping, **options)

        return compile_forward

    def _replace_inference(self, original):
        def make_inference_function(config, metadata, compiled, wrappers, entry):
            site = self._site()
            site.theirs = lambda: original(config, metadata, compiled, wrappers, entry)[0]
            chosen = self._choose(site)
            return (chosen or site.theirs(), metadata)

        return make_inference_function

    def _replace_autograd(self, original):
        def make_autograd_function(config, flat_args, metadata, subclasses, wrappers, forward, backward, bw_compiler, lazy, *rest):
            ours, bw_compiler = None, _once(bw_compiler)
            with self.reading():
                ours = _backward_of(config, metadata, backward, bw_compiler, lazy)
            site = self._site()
            site.backward = ours and _noting_failure(ours, site)
            if metadata.bw_donated_idxs is None:
                metadata.bw_donated_idxs = []  # PyTorch's wrapper asks the setting again at each call, and takes None for some
            theirs = (config, flat_args, metadata, subclasses, wrappers, forward, backward, bw_compiler, lazy, *rest)
            site.theirs = lambda: original(*theirs)[0]
            chosen = self._choose(site)
            return (chosen or site.theirs(), metadata)

        return make_autograd_function

    def _site(self):
        forward, self._forward = self._forward, None
        site = Site(None, None, {}, "a graph", forward)
        with self.reading():
            self._describe(site)
        if self._problem is not None:
            site.described, site.refusal = None, in_words_of(reason(self._problem), site.labels)
        return site

    def _describe(self, site):
        origin = Origin.current()
        site.code = _code_of(origin)
        if self._problem is not None:
            return
        self.settle()
        traced = self.traced
        traced.frozen = _frozen_inputs()
        traced.tracked = []  # what Dynamo tests of tensors that the graph does not take it tests before any wrapper is called
        inputs = [f"input_{position}" for position in range(traced.num_outer_inputs)]
        outputs = [f"output_{position}" for position in range(len(traced.output_info))]
        known = choose_names(traced, traced.fakes, {}, None)
        site.labels = dict(zip([*inputs, *outputs], [*known[0], *known[1]], strict=True))
        _refuse_what_is_elsewhere(traced.trains, self._args)
        _refuse_what_is_miscounted(traced)
        _refuse_classes(traced)
        document, subclasses = describe_with_subclasses(_Names(NAME, PREFIX), _Captured(traced, inputs, outputs), guarded=True)
        site.described = Described(NAME, traced, document, subclasses, inputs, outputs, None, [], origin)
        site.facts = facts_of(document)
        site.digest = digest_of(site.facts)


def _frozen_inputs():
    """Positions of the inputs that Inductor's `freezing` has made constants: as PyTorch's own wrapper finds them."""
    context = TracingContext.try_get()
    if context is None or not context.params_flat:
        return frozenset()
    return frozenset(position for position, value in enumerate(context.params_flat) if value is None)


def _refuse_what_is_miscounted(traced):
    """The graph must take as many values as a wrapper passes. With what was frozen it takes fewer, and drops those itself."""
    meta = traced.outer_meta
    metas = meta.subclass_inp_meta
    flat = sum(map(flat_count, metas)) if metas else len(traced.inner)
    flat += len(traced.meta.tokens) + (2 if meta.is_rng_op_functionalized else 0)
    taken = sum(node.op == "placeholder" for node in traced.forward.graph.nodes)
    if taken != flat and not traced.frozen:
        raise CaptureError(f"the graph takes {taken} values, and a wrapper would pass {flat}: not done")


def _refuse_classes(traced):
    """Arguments must be of classes that a wrapper can tell: a fake tensor has the class of none, so those that are passed are asked."""
    for position, value in _passed(traced):
        kind = type(value)
        known = kind in (torch.Tensor, torch.nn.Parameter) or is_traceable_wrapper_subclass(value) or isinstance(value, FakeTensor)
        if isinstance(value, torch.Tensor) and not known:
            raise CaptureError(f"input_{position} is a {kind.__module__}.{kind.__qualname__}, a tensor of a class without __tensor_flatten__: not done")


def _passed(traced):
    """(position, value) of those inputs that Dynamo or AOTAutograd can still show."""
    context = TracingContext.try_get()
    yield from enumerate(context.params_flat or () if context is not None else ())
    try:
        arguments = InstructionTranslator.current_tx().output.graphargs
    except AttributeError:
        return  # without Dynamo
    positions = {name_of(source): position for position, source in enumerate(traced.sources or ()) if source is not None}
    for argument in arguments:
        position = None if argument.source is None else positions.get(name_of(argument.source))
        if position is not None and argument.is_tensor and not argument.pass_arg_as_tensor:
            yield position, argument.example


def _refuse_what_is_elsewhere(trains, args):
    """What PyTorch's wrappers do for reasons that are not in the metadata."""
    context = TracingContext.try_get()
    if context is not None and context.fakify_first_call:
        raise CaptureError("the first call is made with fake tensors (DistributedDataParallel's optimizer): not done")
    if trains and runtime_wrappers._should_disable_saved_tensors_hooks():
        raise CaptureError("saved-tensor hooks are part of the graph, and must not run again around it: not done")
    if any(isinstance(arg, FakeTensor) and (context is None or arg.fake_mode is not context.fake_mode) for arg in args):
        raise CaptureError("the program calls it with fake tensors, which have no memory: not done")
    if trains and (dynamo_config.compiled_autograd or compiled_autograd.compiled_autograd_enabled):
        raise CaptureError("compiled autograd is on (torch._dynamo.config.compiled_autograd), and traces no backward in C: not done")


def _backward_of(config, metadata, compiled, bw_compiler, lazy):
    """PyTorch's own way to compile a backward when it is first run, with the contexts of the forward."""
    compiler = runtime_wrappers._AutogradBackwardCompiler(
        compiled_bw=compiled,
        lazy_backward_info=lazy,
        disable_amp=torch._C._is_any_autocast_enabled(),
        bw_compiler=bw_compiler,
        aot_config=config,
        fw_metadata=metadata,
        try_save_cache_entry=None,
    )

    def backward():
        function = compiler.get_or_compile(saved_tensors_use_once=True)
        return function if getattr(function, "_boxed_call", False) else make_boxed_func(function)

    return backward


def _never():
    return False


def _noting_failure(backward, site):
    """`backward`, and the Site says so if it cannot be compiled."""

    def noting():
        try:
            return backward()
        except Exception as problem:
            site.uncompiled = failure("PyTorch", "its backward", problem)
            raise

    return noting


def _once(compiler):
    """Both wrappers around a graph may ask for its backward."""
    made = []
    if compiler is None:
        return None

    def compile_backward(*given, **options):
        if not made:
            made.append(compiler(*given, **options))
        return made[0]

    return compile_backward


def _code_of(origin):
    if origin is None:
        return "a graph without Dynamo"
    return code_name(origin.code)


def in_words_of(text, labels):
    """`text` with the program's names in place of ours, longest first: input_12 begins with input_1."""
    for name in sorted(labels, key=len, reverse=True):
        text = text.replace(name, labels[name])
    return text
