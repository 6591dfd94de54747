# SPDX-License-Identifier: MIT
"""PyTorch throws in every verb that a wrapper calls, one after the other: after the good calls of a program, `tripped` repeats the
last one, and its backward, once for each call of a verb. What comes out must be PyTorch's exception, with the modes as they were;
check() itself sees afterwards whether a tensor was lost.

The linker puts a function before each verb (--wrap) that counts, and at the chosen call has another operation fail.
"""

import ctypes
import re
import tempfile
from collections import Counter
from pathlib import Path

import torch
from wrapgen_torch.environment import compiler, run
from wrapgen_torch.errors import WrapperError
from wrapgen_torch.extension import _C_FLAGS, TorchHost
from wrapgen_torch.module_program import ModuleProgram
from wrapgen_torch.negative import as_they_came
from wrapgen_torch.returned import where_they_lie

_HOSTS = Path(__file__).resolve().parents[3] / "templates" / "hosts"

# Of these PyTorch's cannot throw: generated code clears the context between the first and the compiled function, and with it what
# was noted; the others have no status and only set or read what belongs to the thread, or end a reference.
_CANNOT_FAIL = {"requires_grad", "release", "release_run", "grad_mode", "set_grad_mode", "view_replay", "set_view_replay",
                "autocast_off", "autocast_restore", "deterministic", "call_model"}  # fmt: skip
# No program's wrapper calls these: facts are asked for at once (wg_matches), PyTorch's graphs write themselves what `.data =` and
# set_() do, and streams, collectives and random states are not captured.
NEVER_TRIPPED = {"data", "lazy", "sizes", "strides", "symbol", "set_", "shallow_copy_data_", "empty_strided", "wait",
                 "rng_get", "rng_set", "generator_get", "generator_state", "generator_restore"}  # fmt: skip

num_tripped = Counter()  # by verb, over all programs


def _verbs():
    """(name, result, parameters, whether it is a read) of each that the host `torch` defines as a function, in VERBS.md's words."""
    text = (_HOSTS / "VERBS.md").read_text()
    header = (_HOSTS / "torch" / "wg_torch.h").read_text()
    reads = text[text.index("## Read") : text.index("## Mutate")]
    known = set(re.findall(r"^  - wg_(\w+)$", (_HOSTS / "torch" / "host.yaml").read_text(), re.M))
    for result, star, name, parameters in re.findall(r"^    (\w[\w ]*?) +(\*?)wg_(\w+)\((.*?)\);", text, re.M | re.S):
        if name in known - _CANNOT_FAIL and not re.search(rf"static inline .*\bwg_{name}\(", header):
            yield name, f"{result} {star}", " ".join(parameters.split()), f"wg_{name}(" in reads


def _function(number, name, result, parameters, is_read):
    names = [re.search(r"(\w+)$", one)[1] for one in parameters.split(", ")]
    outs = re.findall(r"\*\*(out|owned|waited|attr|seed|offset|state|generator)\b", parameters)
    tensor = next((name for name, one in zip(names, parameters.split(", ")) if one.startswith("const WgTensor *")), None)
    fail = [f"*{out} = NULL;" for out in outs]
    if name == "rebuild":
        # It takes its attributes also when it fails, and only the host knows which of them are opaque.
        fail.append(f"if (__real_wg_{name}({', '.join(names)}) == 0) {{ wg_release(ctx, *out); }} *out = NULL;")
    fail.append(f"(void)__real_wg_size(ctx, {tensor}, 77);" if is_read else "return fail(ctx);")
    declared = f"({parameters})"
    return f"""
{result} __real_wg_{name}{declared};
{result} __wrap_wg_{name}{declared};
{result} __wrap_wg_{name}{declared}
{{
    if (trips({number})) {{
        {" ".join(fail)}
    }}
    return __real_wg_{name}({", ".join(names)});
}}
"""


_BEGIN = """
#include "wg_core.h"
#include "wg_torch.h"

extern int64_t wg_trip_at, wg_num_calls, wg_tripped;
int64_t wg_trip_at = -1; /* the call that fails, counted from 0 */
int64_t wg_num_calls;
int64_t wg_tripped = -1; /* the verb that did */

int64_t __real_wg_size(WgContext *ctx, const WgTensor *t, int32_t dimension);
int32_t __real_wg_empty_strided(WgContext *ctx, const WgGeometry *geometry, int32_t dtype, int32_t device, WgTensor **out);

static int trips(int verb)
{
    if (wg_trip_at < 0 || wg_num_calls++ != wg_trip_at) {
        return 0;
    }
    wg_tripped = verb;
    return 1;
}

static int32_t fail(WgContext *ctx)
{
    static const int64_t sizes[] = {-77}, strides[] = {1};
    const WgGeometry geometry = {sizes, strides, 0, 1};
    WgTensor *out = NULL;
    return __real_wg_empty_strided(ctx, &geometry, WG_FLOAT32, 0, &out);
}
"""
_NAMES = []


def verb_names():
    return [name for name, *_ in _verbs()]


def _linked():
    """What a module is linked with: the functions before the verbs, and the words for the linker."""
    folder = tempfile.TemporaryDirectory(prefix="trips-")
    verbs = list(_verbs())
    _NAMES.extend(name for name, *_ in verbs)
    source = Path(folder.name) / "trips.c"
    source.write_text(_BEGIN + "".join(_function(number, *verb) for number, verb in enumerate(verbs)))
    run([*compiler(), *_C_FLAGS, "-Wall", "-Wextra", "-Werror", *TorchHost.get().includes, "-c", "-o", source.with_suffix(".o"), source])
    Tripping.kept = folder
    return [source.with_suffix(".o"), *(f"-Wl,--wrap=wg_{name}" for name in _NAMES)]


class Tripping(ModuleProgram):
    """A ModuleProgram with such functions before its verbs."""

    linked = ()

    def __init__(self, described):
        if not Tripping.linked:
            Tripping.linked = _linked()
        super().__init__(described)
        self.library = ctypes.CDLL(self.module.__file__)  # it is loaded, and found by its name

    def number(self, name):
        return ctypes.c_int64.in_dll(self.library, name)


def tripped(program, around):
    """What is wrong with the calls in which PyTorch throws, as lines."""
    if not isinstance(program, Tripping) or program.last is None:
        return []
    seen = program.last

    def forward():
        args = as_they_came(program)
        with program.pretending(forward=where_they_lie(program, [blank.make() for blank in seen.returned], args)):
            return program.start(args)[0]

    lines = _each(program, "a call", around, lambda: None, lambda _: forward())
    if seen.tangents and program.gradients and program.can_enter(seen.tangents):

        def backward(call):
            with program.pretending(backward=[blank.make() for blank in program.gradients]):
                call.enter_backward([blank.make() for blank in seen.tangents])

        lines += _each(program, "a backward", around, forward, backward)
    return lines


def _each(program, what, around, before, act):
    trip_at, num_calls, which = map(program.number, ("wg_trip_at", "wg_num_calls", "wg_tripped"))
    lines, number = [], 0
    while True:
        with around():
            prepared, modes, said = before(), _modes(), None
            trip_at.value, num_calls.value = number, 0
            try:
                act(prepared)
            except (RuntimeError, IndexError) as problem:
                said = problem
            finally:
                trip_at.value = -1
            if num_calls.value <= number:
                break
            verb = _NAMES[which.value]
            num_tripped[verb] += 1
            wrong = _wrong(said) or (None if _modes() == modes else "leaves another mode")
            if wrong:
                lines.append(f"{what} in which wg_{verb} throws, which is call {number} of a verb, {wrong}")
                torch.set_grad_enabled(modes[0])
            number += 1
    if said is not None:
        lines.append(f"{what} that nothing threw in, after those, ends in {type(said).__name__}: {said}")
    return lines


def _wrong(problem):
    if problem is None:
        return "ends well"
    words = "77" in str(problem) and ("imension" in str(problem) or "invalid index" in str(problem))  # of a jagged tensor an ArrayRef says it
    good = words and not isinstance(problem, WrapperError) and "[WG_E_" not in str(problem)
    return None if good else f"ends in {type(problem).__name__}: {problem}"


def _modes():
    return (torch.is_grad_enabled(), torch._C._is_view_replay_enabled(), torch.is_autocast_enabled("cpu"),
            torch.is_inference_mode_enabled(), torch.are_deterministic_algorithms_enabled())  # fmt: skip
