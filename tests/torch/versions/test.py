# SPDX-License-Identifier: MIT
"""wrapgen_torch/upstream.py against the PyTorch that is installed: its table says what there is; whatever PyTorch renames, adds or
takes away is an error that names it; other versions are refused.

The renames are planted in PyTorch's source as it is imported, in a process of its own, which takes seconds: among all suites one in four.
"""

import ast
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
sys.path[:0] = [str(ROOT / "cmd"), str(HERE), str(HERE.parent / "shared")]

import opcodes  # noqa: E402
import table  # noqa: E402
from moved import FUNCTIONS, facts  # noqa: E402
from share import is_taken, share  # noqa: E402

_PLANTING = """
import importlib.machinery, importlib.util, sys, warnings
warnings.filterwarnings("ignore")
OLD, NEW, ONLY = sys.argv[1:4]

class Planting(importlib.machinery.SourceFileLoader):
    def get_code(self, name):
        import re
        text = re.sub(OLD, NEW, self.get_data(self.path).decode())
        return compile(text, self.path, "exec", dont_inherit=True)

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if not name.startswith(ONLY):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = Planting(spec.loader.name, spec.loader.path)
        return spec

sys.meta_path.insert(0, Finder)
"""

_CAPTURE = """
import torch
sys.path.insert(0, "cmd")
from wrapgen_torch import CaptureError
try:
    from wrapgen_torch import capture
    capture(lambda x: (x * 2, x.t()), torch.ones(2, 3))
    print("captured")
except CaptureError as problem:
    print("CaptureError", problem)
except Exception as problem:
    cause = getattr(problem, "inner_exception", problem)
    print(type(cause).__name__, cause)
"""

# What is renamed in PyTorch's source, and what the error says.
_PLANTED = [
    (r"\bnum_backward_tokens\b", "num_tokens_of_bw", "ViewAndMutationMeta lacks num_backward_tokens and has the unknown num_tokens_of_bw"),
    (r"\bincluded_subclass_symints\b", "includes_symints", "SubclassCreationMeta lacks included_subclass_symints and has the unknown includes_symints"),
    (r"\bunwrapped_idx\b", "flat_index", "PlainTensorMeta lacks unwrapped_idx and has the unknown flat_index"),
    (r"(class OpaqueMeta:\n) +pass", r"\1    name: str = ''", "OpaqueMeta has the unknown name"),
    (r"\bmutates_metadata\b", "changes_metadata", "InputAliasInfo lacks mutates_metadata and has the unknown changes_metadata"),
    (r"\bbase_groups\b", "groups_of_bases", "AOTSyntheticBaseWrapper lacks base_groups and has the unknown groups_of_bases"),
    (r"\b_aot_stage2c_make_inference_function\b", "_make_inference_function", "graph_compile._aot_stage2c_make_inference_function is missing"),
    (r"\bfw_module\b", "forward_module", "lacks fw_module and has the unknown forward_module"),
    (r"\bSyntheticBaseAOTInput\b", "MergedAOTInput", "SyntheticBaseAOTInput"),
    (r'"alias_of_input",', '"alias_of_input", "alias_of_alias",', "OutputType has the unknown alias_of_alias"),
    (r"\bget_traced_code\b", "traced_code", "get_traced_code"),
]  # fmt: skip
# What is imported where Dynamo must not be.
_WITHOUT_DYNAMO = {"loading/tests.py", "deploying/cpu.py"}

_VERSION = """
import sys, warnings
warnings.filterwarnings("ignore")
import torch
torch.__version__ = sys.argv[1]
sys.path.insert(0, "cmd")
from wrapgen_torch import CaptureError, capture
try:
    print("captured" if "wrapgen: 1" in capture(lambda x: x * 2, torch.ones(2)) else "nothing")
except CaptureError as problem:
    print("CaptureError", problem)
"""

failed = passed = 0


def told(good, name, *said):
    global failed, passed
    passed, failed = passed + bool(good), failed + (not good)
    print(f"{'ok' if good else 'not ok'} {passed + failed} - {name}")
    for line in () if good else "\n".join(said).splitlines():
        print(f"#   {line}")


def run(text, *arguments, **environment):
    result = subprocess.run([sys.executable, "-c", text, *arguments], cwd=ROOT, capture_output=True, text=True, env={**os.environ, **environment})
    return (result.stdout.strip().splitlines() or [""])[-1] + (result.stderr[-600:] if result.returncode else "")


def test_table():
    import torch
    from wrapgen_torch import upstream

    told(torch.__version__.split("+")[0] in upstream.VERSIONS, "the installed version is one of those", torch.__version__)
    told(upstream.differences() == [], "the table says what there is in this version", *upstream.differences())
    usual = re.search(r"^torch==(.*)$", (ROOT / "cmd/wrapgen_torch/requirements.txt").read_text(), re.M)[1]
    others = [path.name[len("requirements-") : -len(".txt")] for path in (ROOT / "cmd/wrapgen_torch").glob("requirements-[0-9]*.txt")]
    told(sorted([usual, *others]) == sorted(upstream.VERSIONS), "setup.sh can install each", usual, *others)
    stated = re.search(r'"torch>=([\d.]+),<([\d.]+)"', (ROOT / "cmd/pyproject.toml").read_text())
    numbers = [tuple(map(int, version.split("."))) for version in upstream.VERSIONS]
    low, high = (tuple(map(int, bound.split("."))) for bound in stated.groups())
    good = low == numbers[0][: len(low)] and all(low <= one < high for one in numbers) and high == (2, numbers[-1][1] + 1)
    told(good, "the package's metadata have the range", *stated.groups())


def _private(path):
    """(names below torch._ that a file of the package imports, those that it reads as attributes)"""
    tree = ast.parse(path.read_text())
    imported = {f"{one.module}.{name.name}" for one in ast.walk(tree) if isinstance(one, ast.ImportFrom) and one.level == 0 for name in one.names}
    imported |= {name.name for one in ast.walk(tree) if isinstance(one, ast.Import) for name in one.names}
    read = {ast.unparse(one) for one in ast.walk(tree) if isinstance(one, ast.Attribute)}
    return ({name for name in names if re.fullmatch(r"torch\._[\w.]+", name)} for names in (imported, read))


def _is_there(name):
    """Names of modules are found by import, and what is in them by getattr."""
    words = name.split(".")
    found = importlib.import_module(words[0])
    for at, word in enumerate(words[1:], 2):
        if not hasattr(found, word):
            try:
                importlib.import_module(".".join(words[:at]))
            except ImportError:
                return False
        found = getattr(found, word, None)
    return True


def test_private_names():
    package = ROOT / "cmd/wrapgen_torch"
    names, elsewhere = set(), []
    for path in sorted(package.glob("**/*.py")):
        imported, read = _private(path)
        where = path.relative_to(package).as_posix()
        if where == "upstream.py":
            continue  # its import shows them, and some are of one version alone
        names |= imported | read
        elsewhere += [f"{where}: {name}" for name in sorted(imported) if where not in _WITHOUT_DYNAMO]
    told(not elsewhere, "private names are imported by upstream.py alone", *elsewhere)
    lacking = sorted(name for name in names if not _is_there(name))
    told(len(names) > 20 and not lacking, f"each of {len(names)} private names is there", *lacking)


def test_planted():
    for old, new, words in _PLANTED:
        if not is_taken(old, share("SHARE_OF_PROGRAMS")):
            continue
        said = run(_PLANTING + _CAPTURE, old, new, "torch._dynamo" if "traced_code" in old else "torch._functorch")
        told(said.startswith("CaptureError") and words in said, f"planted: {words}", said)
    said = run(_PLANTING + _CAPTURE, r"\bnothing_of_that_name\b", "x", "torch._functorch")
    told(said == "captured", "planted: nothing", said)


def test_versions():
    said = run(_VERSION, "2.12.1", WRAPGEN_ANY_TORCH="")
    told("this needs torch 2.13.0, 2.14.1 or 2.15.0, found 2.12.1; WRAPGEN_ANY_TORCH=1" in said, "another version is refused", said)
    import torch

    said = run(_VERSION, torch.__version__.rsplit(".", 1)[0] + ".99", WRAPGEN_ANY_TORCH="1")
    told(said == "captured", "it is tried where the environment says so", said)


def test_moved():
    from wrapgen_torch import upstream

    lines = facts(sys.executable)
    known = {f"{owner.__name__.rsplit('.', 1)[-1]} {name}" for owner, name in upstream._PARAMETERS}
    told(known == {*FUNCTIONS.splitlines()}, "moved.py looks at the functions of the table", *known ^ {*FUNCTIONS.splitlines()})
    lost = [line for line in lines if line.startswith("function ") and "(" not in line]
    told(not lost, "and finds each", *lost)
    few = ["field ViewAndMutationMeta.input_info", "member OutputType.is_input", "guard TENSOR_MATCH", "opcode LOAD_FAST"]
    told(all(one in lines for one in few) and any("function graph_compile._aot_stage2c" in line for line in lines), "moved.py finds all kinds", *lines[:3])


def test_results():
    from wrapgen_torch import upstream
    from wrapgen_torch.doctor import OLDEST_PYTHON

    found = table.results()
    told(table.PAGE.read_text() == table.page(), "README.md has the tables that results.txt and pairs.txt make: python tests/torch/versions/table.py")
    pairs = table.pairs()
    told({version for pair in pairs for version in pair} <= set(upstream.VERSIONS), "and pairs of versions that there are", *map(str, pairs))
    told({torch for torch, _, _ in found} == set(upstream.VERSIONS), "with rows for each version of PyTorch, and for no other", *map(str, found))
    unknown = [suite for _, _, suite in found if not (HERE.parent / suite / "run.sh").exists()]
    told(not unknown, "and columns for suites that there are", *unknown)
    old = [python for _, python, _ in found if tuple(map(int, python.split("."))) < OLDEST_PYTHON]
    told(not old, "and Pythons that are not refused", *old)
    told([key for key, (_, failed, _, _) in found.items() if failed] == [], "where nothing failed")
    made = table.table(table.results("2.14.1 3.11 load 8 0 0 abc\n2.13.0 3.12 load 9 1 2 abc\n2.13.0 3.9 parity 7 0 0 abc\n"))
    rows = ["| PyTorch | Python | load | parity |", "| --- | --- | --- | --- |", "| 2.13.0 | 3.9 | | 7 |", "| 2.13.0 | 3.12 | 9, 1 failed, 2 skipped | |", "| 2.14.1 | 3.11 | 8 | |"]
    told(made.splitlines() == rows, "a table says what failed and what was skipped", made)


def _refusal(instructions):
    """What read_frame says of them where they stand before the graph is called."""
    from wrapgen_torch import CaptureError
    from wrapgen_torch.ahead import bytecode

    usual, bytecode.instructions = bytecode.instructions, lambda code: instructions
    try:
        bytecode.read_frame(_refusal.__code__, ["x", "y"], {}, None)
    except CaptureError as problem:
        return str(problem)
    finally:
        bytecode.instructions = usual


def test_next_opcodes():
    from wrapgen_torch.ahead import bytecode

    known = [name for name, found in opcodes.documented() if all(hasattr(bytecode._Machine, f"_{one.opname.lower()}") for one in found)]
    told(known == opcodes.READ, "opcodes: of 3.14's those are read that were looked up", *{*known} ^ {*opcodes.READ})
    said = {name: _refusal(found) for name, found in opcodes.documented() if name not in opcodes.READ}
    wrong = [f"{name}: {words}" for name, words in said.items() if f"it does {name} of " not in (words or "")]
    told(not wrong, f"opcodes: each of the other {len(said)} is refused by its name", *wrong)


def test_opcodes():
    for good, name, said in opcodes.results():
        told(good, name, said)
    if sys.version_info >= (3, 11):  # what is built for load() needs it
        test_next_opcodes()


for test in (test_table, test_private_names, test_planted, test_versions, test_moved, test_results, test_opcodes):
    test()
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(failed > 0)
