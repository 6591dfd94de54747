#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `pip install ./cmd` into a virtual environment that is empty but for PyTorch, which .venv lends it; then, from another folder
# and without the repository on any path, the commands, and a program that is built and run with what was installed.
. "$(dirname "$0")/../../lib.sh"
: "${PYTHON:=$root/.venv/bin/python}"
place=$scratch/place
elsewhere=$scratch/elsewhere
mkdir "$elsewhere"
WRAPGEN_CACHE=$BUILD/torch_python # as shared/python.sh says
export WRAPGEN_CACHE
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
try 'wrapgen-torch build' "$place/bin/wrapgen-torch" build program.py --out built --inner aot_eager
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
