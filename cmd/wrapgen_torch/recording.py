# SPDX-License-Identifier: MIT
"""Records the calls of a program file under torch.compile, with what AOTAutograd knows about it.

Everything stays PyTorch's own: Dynamo traces, AOTAutograd builds its wrappers, Inductor compiles. The boundary is
torch._dynamo.backends.common.aot_module_simplified: it returns the wrapped graph, which is called with one flat list,
and it is the place to choose keep_inference_input_mutations. trace.py reads the metadata meanwhile.

Each call of the boundary is recorded (call_record.py) and repeated without compilation on equal inputs; a difference that
the program's tolerances do not allow is an error. describe.py turns the result into YAML.
"""

import contextlib
from dataclasses import dataclass, field
from unittest.mock import patch

import torch

from . import call_record
from .backward import TangentWatch, eager_gradients, record_backward
from .compare import compare_gradients, compare_with_eager
from .data_text import storage_rule
from .errors import CaptureError
from .expected_text import replay
from .trace import Traced, Watch, choose_names, is_lifted, lifted_value, tangent_names
from .upstream import InvalidCxxCompiler, compile_fx, dynamo_common, inductor_config, require_torch


@dataclass
class Capture:
    """The result: a traced graph, the names of its values, and recorded calls."""

    traced: Traced
    input_names: list
    output_names: list
    calls: list = field(default_factory=list)


class _Recorder:
    def __init__(self, case, starts):
        self._case = case
        self._starts = starts  # of each call that was recorded before
        self._known = {}  # id of a tensor -> the program's name for it
        self._alive = []
        self._traced = None
        self._tangents = TangentWatch()
        self.capture = None
        self.call_name = ""

    def know(self, named):
        for name, value in named:
            if isinstance(value, torch.Tensor):
                self._known.setdefault(id(value), name)
                self._alive.append(value)

    @contextlib.contextmanager
    def watching(self):
        with contextlib.ExitStack() as stack:
            stack.enter_context(patch.object(dynamo_common, "aot_module_simplified", self._compile))
            stack.enter_context(inductor_config.patch(force_disable_caches=True, **self._case.inductor))
            yield

    def _compile(self, module, args, *rest, **options):
        if self._traced is not None:
            raise CaptureError(
                f"call {self.call_name}: PyTorch compiled '{self._case.name}' a second time: the call broke a guard of "
                f"the first graph, or the program has a graph break (TORCH_LOGS=recompiles,graph_breaks tells)"
            )
        watch = Watch()
        self._traced = watch.traced
        options["keep_inference_input_mutations"] = self._case.keep_input_mutations
        with watch.watching(), self._tangents.watching():
            compiled = _ORIGINAL_AOT(module, args, *rest, **options)

        def boundary(*runtime_args):
            return self._run(module, compiled, runtime_args)

        boundary.__dict__.update(compiled.__dict__)
        return boundary

    def _run(self, module, compiled, runtime_args):
        if self._traced.meta is None:
            raise CaptureError("PyTorch called a graph that was not watched while it was compiled")
        lifted = [lifted_value(module, entry) for entry in self._traced.descriptors if is_lifted(entry)]
        args = lifted + list(runtime_args)
        if self.capture is None:
            self.capture = self._name(args)
        capture = self.capture
        named = list(zip(capture.input_names, args, strict=True))
        table = call_record.StorageTable()
        before = call_record.take_snapshot(table, named)
        if len(capture.calls) < len(self._starts):
            start = self._starts[len(capture.calls)]
            replay(start, before, named, lambda number: storage_rule(self._case, before, number))
        self._random_state = torch.get_rng_state()
        outputs = compiled(*runtime_args)
        results = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        after = call_record.take_snapshot(table, named, list(zip(capture.output_names, results, strict=True)))
        call = call_record.Call(self.call_name, before, after)
        gradients = None
        if self._traced.trains and self._case.backward:
            names = tangent_names(self._traced, capture.input_names, capture.output_names)
            call.backward, gradients = record_backward(
                self._tangents, self._traced, capture.input_names, args, results, names
            )
        self._compare(module, len(lifted), call, gradients)
        capture.calls.append(call)
        return outputs

    def _name(self, args):
        if len(args) != self._traced.num_outer_inputs:
            raise CaptureError(f"the graph has {self._traced.num_outer_inputs} inputs but was called with {len(args)}")
        inputs, outputs = choose_names(self._traced, args, self._known, self._case.outputs)
        return Capture(self._traced, inputs, outputs)

    def _compare(self, module, num_lifted, call, gradients):
        """The same graph without compilation, from the same start."""
        values = call_record.rebuild(call.before)
        args = [values[name] for name in self.capture.input_names]
        held = {self._traced.descriptors[i].target: args[i] for i in range(num_lifted)}
        with torch.set_grad_enabled(call.before.grad_mode), torch.random.fork_rng(devices=[]):
            torch.set_rng_state(self._random_state)
            if held:
                outputs = torch.func.functional_call(module, held, tuple(args[num_lifted:]))
            else:
                outputs = module(*args)
        results = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        table = call_record.StorageTable()
        inputs = list(zip(self.capture.input_names, args, strict=True))
        eager = call_record.take_snapshot(table, inputs, list(zip(self.capture.output_names, results, strict=True)))
        compare_with_eager(self._case, call, eager)
        if gradients is not None:
            reference = eager_gradients(self.capture.input_names, args, results, self._traced.output_info)
            compare_gradients(self._case, call, gradients, reference)


_ORIGINAL_AOT = dynamo_common.aot_module_simplified


class _Direct(torch.nn.Module):
    """A function as the module that AOTAutograd wants, without Dynamo."""

    def __init__(self, function):
        super().__init__()
        self._function = function

    def forward(self, *args):
        result = self._function(*args)
        return tuple(result) if isinstance(result, (list, tuple)) else (result,)


@contextlib.contextmanager
def _without_compiler():
    """That there is none is an error of its own; Inductor looks for one when it has kernels."""
    try:
        yield
    except Exception as error:
        if isinstance(getattr(error, "inner_exception", None), InvalidCxxCompiler):
            raise CaptureError("PyTorch found no C++ compiler for the kernels ($CXX, else g++); wrapgen_torch.capture() needs none") from error
        raise


def record_case(case, starts=()):
    """Runs every call of `case` (case.Case) and returns the Capture. `starts`: the values that recorded calls started
    from."""
    require_torch()
    torch._dynamo.reset()
    recorder = _Recorder(case, starts)
    recorder.know(case.named_tensors())
    compiled = None
    with recorder.watching():
        if case.frontend == "dynamo":
            compiled = torch.compile(case.function, fullgraph=case.fullgraph, dynamic=case.dynamic)
        for name, args in case.calls:
            recorder.know(case.named_arguments(args))
            recorder.call_name = name
            if compiled is None:
                compiled = compile_fx(_Direct(case.function), list(args))
            with torch.set_grad_enabled(case.grad_mode), _without_compiler():
                compiled(*args)
    if recorder.capture is None:
        raise CaptureError(f"nothing was compiled: '{case.name}' has no tensor operation, or no calls")
    if len(recorder.capture.calls) != len(case.calls):
        raise CaptureError(f"{len(case.calls)} calls ran the compiled graph {len(recorder.capture.calls)} times")
    return recorder.capture
