# SPDX-License-Identifier: MIT
"""What moved between two installed versions of PyTorch, of what wrapgen_torch reads:

    python tests/torch/versions/moved.py .venv/bin/python .venv-2.15.0/bin/python

Prints, a line each with - or +, fields of the metadata, members of its enumerations, parameters of the functions that are replaced,
kinds of guards, and opcodes of the interpreter. Each line is a thing to read in PyTorch's source; wrapgen_torch/upstream.py says where
what came of it is stated.
"""

import difflib
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent.parent

_PROBE = """
import dataclasses, dis, inspect, os, sys, warnings
warnings.filterwarnings("ignore")
os.environ["WRAPGEN_ANY_TORCH"] = "1"
sys.path.insert(0, "cmd")
import torch
from torch._C._dynamo import guards
from torch._dynamo import convert_frame
from torch._dynamo.guards import GuardBuilder
from torch._functorch import aot_autograd
from torch._functorch._aot_autograd import graph_compile, runtime_wrappers, schemas
from torch._inductor import codecache
from torch._inductor.codegen.cpp_wrapper_cpu import CppWrapperCpu
from torch._inductor.graph import GraphLowering

for kind in sorted((one for one in vars(schemas).values() if dataclasses.is_dataclass(one)), key=lambda one: one.__name__):
    for field in dataclasses.fields(kind):
        print(f"field {kind.__name__}.{field.name}")
for kind in (runtime_wrappers.AOTDedupeWrapper, runtime_wrappers.AOTSyntheticBaseWrapper):
    for field in dataclasses.fields(kind):
        print(f"field {kind.__name__}.{field.name}")
for kind in (schemas.OutputType, schemas.MutationType):
    for member in kind:
        print(f"member {kind.__name__}.{member.name}")
for owner, name in [line.split() for line in sys.argv[1].splitlines()]:
    found = getattr({"aot_autograd": aot_autograd, "graph_compile": graph_compile, "runtime_wrappers": runtime_wrappers, "GraphLowering": GraphLowering,
                     "CppWrapperCpu": CppWrapperCpu, "codecache": codecache, "convert_frame": convert_frame,
                     "AOTDispatchAutograd": runtime_wrappers.AOTDispatchAutograd}[owner], name, None)
    print(f"function {owner}.{name}{'' if found is None else inspect.signature(found).replace(return_annotation=inspect.Signature.empty)}")
for name in sorted(name for name in vars(GuardBuilder) if name.isupper()):
    print(f"guard {name}")
for name in sorted(name for name in vars(guards) if name.isupper() or name.endswith(("Guard", "Guards"))):
    print(f"tested {name}")
for name in sorted(name for name in dis.opname if not name.startswith("<")):
    print(f"opcode {name}")
"""

# Those of the table in upstream.py, which cannot be imported where one of them is missing; test.py compares.
FUNCTIONS = """aot_autograd create_aot_state
aot_autograd aot_stage2_compile
aot_autograd should_use_local_autograd_cache
aot_autograd should_use_remote_autograd_cache
graph_compile _categorize_saved_tensors_for_backward
graph_compile _aot_stage2b_compile_forward_or_inference
graph_compile _aot_stage2c_make_inference_function
graph_compile _aot_stage2c_make_autograd_function
GraphLowering get_attr
CppWrapperCpu _write_aoti_interface_header
codecache CppBuilder
convert_frame compile_frame
convert_frame GuardedCode
runtime_wrappers _AutogradBackwardCompiler
runtime_wrappers _should_disable_saved_tensors_hooks
runtime_wrappers call_func_at_runtime_with_args
AOTDispatchAutograd process_runtime_tangent"""


def facts(python):
    return subprocess.run([python, "-c", _PROBE, FUNCTIONS], cwd=ROOT, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.splitlines()


def moved(old, new):
    return [line for line in difflib.ndiff(facts(old), facts(new)) if line[0] in "+-"]


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print("\n".join(moved(*sys.argv[1:])))
