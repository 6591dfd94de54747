#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Breaks one rule of the Python modules or of the back end at a time, and asks the suites to notice: a test of the tests. It is run
by hand: each row compiles half of the host again, which takes about half a minute.

  sabotage.py [WORD...]      only rows whose name contains a word; -l lists them

To add a row: what is wrong then, the file, the text in it, what takes its place, and the tests that must notice, as `SUITE WORDS`
(tests/torch/SUITE, programs or tests whose name contains a word). A text that is not in the file, or is there twice, is a failure,
so that the table does not rot.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOST = "templates/hosts/torch"
CALL, COMPILED, TYPE, MODULE, NODE = (
    f"{HOST}/python/wg_torch_python_call.cpp", f"{HOST}/python/wg_torch_python_compiled.cpp",
    f"{HOST}/python/wg_torch_python_type.cpp", f"{HOST}/python/wg_torch_python.cpp", f"{HOST}/wg_torch_node.cpp",
)  # fmt: skip
UNTRACED, NESTED = (f"{HOST}/python/wg_torch_python_{name}.cpp" for name in ("untraced", "nested"))
COLD, CHANGE, VIEWS, READ = (f"{HOST}/wg_torch_{name}.cpp" for name in ("cold", "change", "views", "read"))
AHEAD, LOADING = "cmd/wrapgen_torch/ahead", "cmd/wrapgen_torch/loading"

TABLE = (
    # ---- references ----
    ("an argument that is taken has one reference too few", CALL,
     "value.tensor = wg_torch_give(*WgTorchBorrowed(value.tensor));", ";", "pyext taken"),
    ("an argument that a call did not take is kept", CALL,
     "for_each([](WgValue &value) { (void)wg_torch_take(std::exchange(value.tensor, nullptr)); });", "", "pyext nothing_is_kept leak arguments_that"),
    ("a result of a compiled function has one reference too few", COMPILED,
     "out.tensor = wg_torch_give(THPVariable_Unpack(object));", "out.tensor = wg_torch_lend(THPVariable_Unpack(object));",
     "pyext values_of_every gradients_as"),
    ("results before one that is refused are kept", COMPILED,
     "(void)wg_torch_take(std::exchange(outs[i].tensor, nullptr));", "", "pyext exceptions_leak"),
    ("an int that was returned loses its reference", CALL,
     "return PyLong_FromLongLong(value.integer);",
     "{ PyObject *made = PyLong_FromLongLong(value.integer); Py_XINCREF(made); return made; }", "pyext memory"),
    ("a context is not used again", MODULE, "idle.push_back(ctx);", "(void)ctx;", "pyext memory"),
    ("a saved result keeps its own node alive", NODE, "tensors.emplace_back(tensor, tensor.grad_fn().get() == this);",
     "tensors.emplace_back(tensor, false);", "pyext leak gradients"),
    ("the node does not hold the module's state", NODE, "        if (table->hold != nullptr) {\n            table->hold(table->user);\n        }\n", "",
     "pyext outlive"),
    ("the node holds the module's state for ever", NODE, "table->let_go(table->user);", "", "pyext outlive"),
    ("saved values stay when a backward was run", NODE, "    tensors.clear();\n    nested.clear();\n    drop_objects();\n    saved.release();\n", "", "pyext saved_values"),
    # ---- results ----
    ("results are in the wrong order", CALL, "wg_python_object(state, graph.outputs[i].kind, values[i])",
     "wg_python_object(state, graph.outputs[graph.num_outputs - 1 - i].kind, values[graph.num_outputs - 1 - i])",
     "pyext values_of_every"),
    ("an int that is returned may be a bool", CALL, "if (kind == WG_PYTHON_BOOLEAN || PyBool_Check(object)) {",
     "if (kind == WG_PYTHON_BOOLEAN) {", "pyext refused"),
    ("a missing size is not noticed", COMPILED, "count == row.num_results || count + num_extents == row.num_results,", "count <= row.num_results,",
     "pyext results_that"),
    # ---- versions, writes ----
    ("the version of a mutated argument is not raised", CHANGE, "wg_torch_impl(t)->bump_version();", ";", "parity in_the_graph"),
    ("data is replaced under autograd", CHANGE, "WgTorchBorrowed(dst)->detach().copy_(", "WgTorchBorrowed(dst)->copy_(", "parity of_a_leaf"),
    ("a conjugated tangent passes for one in memory", CHANGE,
     "contiguous(format_of(memory_format)).resolve_conj().resolve_neg();", "contiguous(format_of(memory_format));", "pyext tangents_are"),
    # ---- refusals, exceptions ----
    ("a wrong size is an error of another kind", CALL, "    case WG_E_SIZE:\n", "", "pyext facts"),
    ("PyTorch's exception is not passed on", CALL, "torch::translate_exception_to_python(passed_on);",
     'PyErr_SetString(PyExc_RuntimeError, "something was wrong");', "pyext exceptions_pass"),
    ("what was written after it was saved is not noticed", NODE, "            stale.push_back(i);\n", "            (void)i;\n", "pyext what_the_graph_wrote"),
    ("a backward of donated buffers runs twice", NODE, "graph.donates == 0 || !torch::autograd::get_current_graph_task_keep_graph()", "true",
     "pyext donated"),
    ("a tensor with a forward-mode derivative is taken", CALL, "!wg_torch_has_tangent(value.tensor) || ", "true || ",
     "pyext derivative_of_any"),
    ("a view of a tensor with a forward-mode derivative is taken", READ, "return base != nullptr && base->fw_grad_ != nullptr;", "return false;",
     "pyext derivative_of_any"),
    ("a gradient with a forward-mode derivative is taken", NODE, "!t.defined() || !wg_torch_has_tangent(wg_torch_lend(t))", "true",
     "pyext derivative_of_a_gradient"),
    # ---- autograd ----
    ("a view passes for a parameter", NODE, "meta->grad_fn_ == nullptr && !meta->is_view_", "meta->grad_fn_ == nullptr", "pyext gradient_of_a_view"),
    ("gradients go to the first arguments", NODE, "gradients[graph.gradients[i]] = ", "gradients[i] = ", "pyext gradients_as"),
    ("a result hangs on the wrong output of its node", NODE,
     "set_gradient_edge(t, {node, node->add_input_metadata(t)});", "set_gradient_edge(t, {node, 0 * node->add_input_metadata(t)});", "pyext history"),
    ("views of one call may be written into", NODE, "if (num_attached > 1) {", "if (num_attached > 9) {", "pyext views_of"),
    ("a part of several views may be written into", VIEWS, "known->set_creation_meta(CreationMeta::MULTI_OUTPUT_NODE);", ";", "parity parts_of"),
    ("a gradient passes for a constant with create_graph", NODE, "if (c10::GradMode::is_enabled()) {", "if (false) {", "pyext double"),
    ("only arguments with a gradient make results require grad", NODE, "const WgTensor *t = argument(graph.asked[i]);",
     "const WgTensor *t = i < graph.num_gradients ? argument(graph.gradients[i]) : nullptr;", "pyext an_argument_without"),
    ("what must not require grad does", NODE, "        t.detach_();\n", "        (void)t;\n", "pyext what_must_not"),
    ("zeros of a jagged result are not made", NODE, "        nested.emplace_back(position, t);\n", "", "ahead jagged_results"),
    ("compiled autograd is refused without a reason", NODE, '"compiled autograd cannot trace "', '"nyi "', "ahead compiled_autograd"),
    # ---- threads ----
    ("a node runs twice at once", NODE,
     "variable_list TrainingNode::apply(variable_list &&grads)\n{\n    const std::lock_guard<std::mutex> lock(mutex_);\n",
     "variable_list TrainingNode::apply(variable_list &&grads)\n{\n", "pyext two_backwards"),
    ("the GIL is not given back after a backward", COMPILED, "    PyGILState_Release(static_cast<PyGILState_STATE>(held));\n", "    (void)held;\n",
     "pyext another_thread"),
    ("all calls share one context", MODULE, "        idle.pop_back();\n", "", "pyext recursion many_threads"),
    # ---- subclasses ----
    ("names of attributes are not compared", TYPE, "same = PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, row.attrs[i]) == 0;",
     "same = name != nullptr;", "pyext subclass"),
    ("a class with two declarations is tested alone", TYPE, "return type.by_class && count == 1;", "return type.by_class;", "pyext two_declarations"),
    ("a tangent's attributes are not compared", TYPE, "            return 0;\n        }\n    }\n    const int same",
     "            break;\n        }\n    }\n    const int same", "pyext tangents_are_asked"),
    ("one tensor's ragged size passes for another's", NESTED, "if (one.tensor._unsafe_get_target() == tensor) {", "if (tensor != nullptr) {",
     "pyext many_nested"),
    ("a DTensor is rebuilt with the sizes of another", f"{AHEAD}/rebuilding.py", "key = (id(mesh), id(context), size, stride)",
     "key = (id(mesh), id(context))", "subclasses rebuilt"),
    ("a jagged tensor has the nested int of one that is gone", f"{AHEAD}/rebuilding.py",
     "if owner is None or owner.of() is not offsets:", "if owner is None:", "subclasses owners_that"),
    ("a jagged tensor has the strides of another", f"{AHEAD}/rebuilding.py",
     "product = self._products.get(stride)", "product = self._products.get(next(iter(self._products), None))", "subclasses rebuilt"),
    ("jagged tensors are made as before by a class that has changed", f"{AHEAD}/rebuilding.py",
     "return facts(mine) == facts(theirs)", "return facts(mine) is not None", "subclasses another"),
    ("a subclass with another context is called", f"{LOADING}/subclasses.py", " and bool(context == self._context)", "", "load quantised"),
    ("a tensor of inference mode passes for another", f"{LOADING}/subclasses.py",
     "            and _keys(value).raw_repr() == self._keys\n", "", "load subclasses"),
    ("a class of subclasses that has changed is not noticed", f"{AHEAD}/programs.py", "            self._codes |= subclass_guards.codes(site)\n", "",
     "load code_of"),
    # ---- the back end ----
    ("the backward of another graph is bound", f"{AHEAD}/callables.py", 'module.bind(f"{NAME}_backward_kernel", compiled)',
     'module.bind(f"{NAME}_backward_kernel", lambda args: [None if one is None else one * 2 for one in compiled(args)])',
     "ahead sum_with_gradients"),
    ("the list of arguments is not emptied", f"{AHEAD}/callables.py", "        args.clear()\n", "", "ahead boxed_list"),
    ("tracing stays off after a call", UNTRACED, "    return restore(self, prior.get(), result);\n", "    return result;\n", "ahead tracing_is"),
    ("tracing stays off after an exception", UNTRACED, "        explain(self);\n    }\n", "        explain(self);\n        return nullptr;\n    }\n",
     "pyext exception_leaves"),
    ("tracing stays on during a call", UNTRACED, "prior(set_frame(self, Py_None));", "prior(Py_NewRef(Py_None));",
     "pyext nothing_is_traced"),
    ("first arguments are left out", UNTRACED, "all[i] = i < num_first ?", "all[i] = num_args > i + num_first ?", "pyext first_arguments"),
    ("a stance is not noticed", UNTRACED, "    return name.get() == self.parts[USUAL] ||", "    return true ||", "pyext left_to_pytorch"),
    ("Dynamo's wrapper stays around a graph", f"{AHEAD}/entry.py", "            value = made\n", "", "ahead dynamo_calls"),
    ("what others put around a graph is lost", f"{AHEAD}/entry.py",
     'if getattr(value, "_torchdynamo_orig_callable", None) is made:', "if True:", "ahead others_put"),
    ("a program's fake tensors are taken for tensors", f"{AHEAD}/hook.py", "if any(isinstance(arg, FakeTensor)", "if any(False", "ahead fake_tensors"),
    ("compiled autograd is left to a node in C", f"{AHEAD}/hook.py", "if trains and (dynamo_config.compiled_autograd", "if False and (dynamo_config.compiled_autograd",
     "ahead in_the_settings"),
    ("changed files are loaded", f"{AHEAD}/callables.py", "directory.verified(entry)", "directory.path / entry.folder",
     "ahead changed_files"),
)  # fmt: skip


def _copy(scratch):
    for part in ("cmd", "tests/torch", "templates"):
        shutil.copytree(ROOT / part, scratch / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "tests/lib.sh", scratch / "tests/lib.sh")
    tool = scratch / "wrapgen"
    real = os.environ.get("WRAPGEN", ROOT / "build" / "wrapgen")
    tool.write_text(f"""#!/bin/sh
# The tool, with the broken host
"{real}" "$@" || exit $?
while [ $# -gt 0 ]; do
    case $1 in --print-templates) cp -r "{scratch}/templates/hosts/torch/." "$2/hosts/torch/" ;; esac
    shift
done
""")
    tool.chmod(0o755)
    return tool


COMMANDS = {"pyext": "tests/torch/pyext/pyext.py", "parity": "tests/torch/parity/parity.py", "ahead": "tests/torch/ahead/ahead.py",
            "subclasses": "tests/torch/subclasses/subclasses.py", "load": "tests/torch/load/load.py"}  # fmt: skip


def _run(scratch, tool, test):
    suite, *words = test.split()
    cache = Path(os.environ.get("WRAPGEN_CACHE", ROOT / "build" / "torch_python"))
    environment = {**os.environ, "WRAPGEN": str(tool), "WRAPGEN_CACHE": str(cache), "PYTHONPATH": str(scratch / "cmd"),
                   "BUILD": str(scratch / "build")}  # fmt: skip
    command = [sys.executable, scratch / COMMANDS[suite], *words]
    try:
        ended = subprocess.run(command, env=environment, cwd=scratch, capture_output=True, text=True, timeout=900)
    except subprocess.TimeoutExpired:
        return "it never ends"
    if ended.returncode == 0 and "\n0 passed" not in f"\n{ended.stdout}":
        return None
    if ended.returncode == 0:
        raise SystemExit(f"{test} names no test")
    return next((line for line in ended.stdout.splitlines() if line.startswith("not ok")), f"exit status {ended.returncode}")


def without_place():
    """What can no longer be planted, as the code has changed. All of pyext's runs ask for it."""
    return [f"{name}: its text is {times} times in {path}" for name, path, old, _, _ in TABLE
            if (times := (ROOT / path).read_text().count(old)) != 1]  # fmt: skip


def _noticed(row):
    """By what; None if by nothing."""
    name, path, old, new, test = row
    with tempfile.TemporaryDirectory(prefix="sabotage-") as folder:
        scratch = Path(folder)
        tool = _copy(scratch)
        text = (scratch / path).read_text()
        if text.count(old) != 1:
            return None, f"its text is {text.count(old)} times in {path}"
        (scratch / path).write_text(text.replace(old, new))
        return _run(scratch, tool, test), f"by nothing in {test}"


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    rows = [row for row in TABLE if not words or any(word in row[0] for word in words)]
    if "-l" in sys.argv:
        print("\n".join(f"{name}: {test}" for name, _, _, _, test in rows))
        return 0
    failed = 0
    for number, row in enumerate(rows, 1):
        begin = time.time()
        by, why = _noticed(row)
        failed += by is None
        print(f"{'ok' if by else 'not ok'} {number} - {row[0]}: {by or why} ({time.time() - begin:.0f} s)", flush=True)
    print(f"{len(rows) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
