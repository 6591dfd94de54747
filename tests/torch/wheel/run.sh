#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `pip install ./cmd` into a virtual environment that is empty but for PyTorch, which .venv lends it; then, from another folder
# and without the repository on any path, the commands, what needs no compiler, and a program that is built and run with what was installed.
. "$(dirname "$0")/../../lib.sh"
: "${PYTHON:=$root/.venv/bin/python}"
place=$scratch/place
elsewhere=$scratch/elsewhere
mkdir "$elsewhere"
WRAPGEN_CACHE=$BUILD/torch_python # as shared/python.sh says
export WRAPGEN_CACHE
shared_tool=$WRAPGEN
unset WRAPGEN BUILD VARIANT EXTRA MAKEFLAGS PYTHONPATH

run() { (cd "$elsewhere" && "$@") >"$scratch/log" 2>&1; } # COMMAND...
try() { # NAME COMMAND...
    name=$1
    shift
    if run "$@"; then ok "$name"; else not_ok "$name" "$scratch/log"; fi
}
says() { # NAME WORDS: did the last command print them?
    if grep -q "$2" "$scratch/log"; then ok "$1"; else not_ok "$1" "$scratch/log"; fi
}

before=$(cd "$root" && git status --porcelain 2>/dev/null)
try 'a virtual environment' "$PYTHON" -m venv "$place"
"$PYTHON" -c 'import site; print(site.getsitepackages()[0])' >"$("$place/bin/python" -c 'import site; print(site.getsitepackages()[0])')/lent.pth"

# A compiler for which a library is not there.
cat >"$scratch/cc" <<'CC'
#!/bin/sh
case " $* " in *" -lcyaml "*) exit 1 ;; esac
exec cc "$@"
CC
chmod +x "$scratch/cc"
if run env CC="$scratch/cc" "$place/bin/python" -m pip install "$root/cmd"; then
    not_ok 'without libcyaml it is not installed' "$scratch/log"
else
    ok 'without libcyaml it is not installed'
fi
says 'and a line says what is missing' 'needs: libcyaml-dev\.$'

try 'pip install ./cmd' "$place/bin/python" -m pip install "$root/cmd"
after=$(cd "$root" && git status --porcelain 2>/dev/null)
check 'it leaves nothing in the repository' test "$before" = "$after"

# What the wheel says of the systems that it is for, against the tool that it brings.
tool=$(find "$place" -path '*/wrapgen_torch/bin/wrapgen')
libraries() { LC_ALL=C ldd "$1" | sed 's/^[[:space:]]*//; s/ .*//; s,.*/,,' | grep -vE '^(linux-vdso|ld-linux)' | tr '\n' ' '; }
newest() { objdump -T "$1" | sed -n 's/.*[ (]GLIBC_\([0-9]*\.[0-9]*\).*/\1/p' | sort -V | tail -n 1 | tr . _; }
tag=$(sed -n 's/^Tag: //p' "$place"/lib/python*/site-packages/wrapgen_torch-*.dist-info/WHEEL)
echo "$tag; needs $(libraries "$tool")and GLIBC $(newest "$tool")" >"$scratch/log"
if [ "$(libraries "$tool")" = 'libc.so.6 ' ]; then ok 'its tool needs the C library alone'; else not_ok 'its tool needs the C library alone' "$scratch/log"; fi
if [ "$tag" = "py3-none-manylinux_$(newest "$tool")_$(uname -m)" ]; then ok 'and the wheel says which'; else not_ok 'and the wheel says which' "$scratch/log"; fi
platform() { # TOOL: what setup.py says of it
    "$PYTHON" - "$root/cmd/setup.py" "$1" <<'ASK'
import importlib.util, sys
spec = importlib.util.spec_from_file_location("setup_of_wrapgen", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
print(module.platform_of(sys.argv[2], "linux_x86_64"))
ASK
}
if [ "$(platform "$shared_tool")" = linux_x86_64 ]; then ok 'of a tool that needs libyaml it claims nothing'; else not_ok 'of a tool that needs libyaml it claims nothing'; fi

try 'wrapgen is there' "$place/bin/wrapgen" --help
try 'with its templates' "$place/bin/wrapgen" --print-templates parts
check 'a host among them' test -f "$elsewhere/parts/hosts/torch/host.yaml"
try 'wrapgen-torch is there' "$place/bin/wrapgen-torch" --help
try 'and python -m wrapgen_torch' "$place/bin/python" -m wrapgen_torch build --help

cat >"$elsewhere/program.py" <<'PROGRAM'
"""A sum, and a view of an argument."""
import torch
from wrapgen_torch import Case

def total(x, y):
    return x + y, x.view(2, 2)

def case():
    return Case(function=total, calls=[("only", (torch.ones(4, requires_grad=True), torch.ones(4)))])
PROGRAM
# Without a compiler, or anything else that is installed.
bare() { env PATH="$place/bin" CC=/none CXX=/none "$@"; }
cat >"$elsewhere/captured.py" <<'CAPTURED'
import torch, wrapgen_torch
from program import total

print(wrapgen_torch.capture(total, torch.ones(4, requires_grad=True), torch.ones(4)), file=open("graph.yaml", "w"))
CAPTURED
try 'without a compiler a program is captured' bare "$place/bin/python" captured.py
try 'C is generated' bare "$place/bin/wrapgen" graph.yaml --out total.c --header total.h
try 'a document is checked' bare "$place/bin/wrapgen" --check graph.yaml --out total.c --header total.h
if run bare "$place/bin/wrapgen-torch" program.py; then not_ok 'kernels are not compiled'; else ok 'kernels are not compiled'; fi
says 'and the command says so' '^program.py: error: PyTorch found no C++ compiler'
sed 's/^wrapgen: 1/wrapgen: 0/' "$elsewhere/graph.yaml" >"$elsewhere/wrong.yaml"
if run bare "$place/bin/wrapgen" wrong.yaml --out wrong.c; then not_ok 'a wrong one is refused'; else ok 'a wrong one is refused'; fi
says 'with its line' 'wrong.yaml:[0-9]*:[0-9]*: error'
if run env WRAPGEN_CACHE="$scratch/empty" PATH="$place/bin" CC=/none CXX=/none "$place/bin/wrapgen-torch" prepare; then not_ok 'the host is not compiled'; else ok 'the host is not compiled'; fi
says 'and the compiler is named' '^wrapgen-torch prepare: error: .*/none'

try 'wrapgen-torch prepare' "$place/bin/wrapgen-torch" prepare
says 'says where the host is' "^prepared: $WRAPGEN_CACHE/libwg_torch-.*\.so$"
touch "$scratch/prepared"
try 'a second time' "$place/bin/wrapgen-torch" prepare --quiet
check 'it compiles nothing' test -z "$(find "$WRAPGEN_CACHE" -newer "$scratch/prepared" -name '*.o')"
try 'wrapgen-torch build' "$place/bin/wrapgen-torch" build program.py --out built --inner aot_eager
check 'nor does that compile the host' test -z "$(find "$WRAPGEN_CACHE" -maxdepth 1 -newer "$scratch/prepared" -name '*.o')"
cat >"$elsewhere/use.py" <<'USE'
import torch, wrapgen_torch
from program import total

assert "site-packages" in wrapgen_torch.__file__, wrapgen_torch.__file__
found = wrapgen_torch.backend("built", inner="aot_eager", fallback="error")
x = torch.arange(4.0, requires_grad=True)
y, view = torch.compile(total, backend=found)(x, torch.ones(4))
(y * 2).sum().backward()
assert y.tolist() == [1, 2, 3, 4] and view._base is x and x.grad.tolist() == [2] * 4, (y, view, x.grad)
assert found.report().hits == 1
USE
try 'what was built is used' "$place/bin/python" use.py
cat >"$elsewhere/named.py" <<'USE'
import torch
from program import total

x = torch.arange(4.0, requires_grad=True)
y, view = torch.compile(total, backend="wrapgen", options={"inner": "aot_eager", "fallback": "error"})(x, torch.ones(4))
(y * 2).sum().backward()
assert y.tolist() == [1, 2, 3, 4] and view._base is x and x.grad.tolist() == [2] * 4, (y, view, x.grad)
USE
try 'torch.compile finds the back end by its name' env WRAPGEN_DIR=built "$place/bin/python" named.py
try 'and builds what it meets without a directory' "$place/bin/python" named.py
check 'what deploy writes C from is there' test -n "$(find "$place" -path '*/wrapgen_torch/deploying/files/main.c.in')"
try 'wrapgen-torch deploy is there' "$place/bin/wrapgen-torch" deploy --help
finish
