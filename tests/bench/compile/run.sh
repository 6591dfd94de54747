#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [quick] [NAME...] - programs under torch.compile: eager mode, PyTorch's own wrappers, and what was built ahead of time, in
# one process (compile.py); then keys of calls from Python (keys.py), and a whole model from the start of a process to its first result
# (start.py). Without PyTorch (.ci/setup.sh torch) it says so. Results: tables
# here, $BUILD/bench/compile.json, python_keys.json, start.json, and bars as .svg in the same folder. With names, only
# those programs, and the JSON keeps the rows of the others.
. "$(dirname "$0")/../../lib.sh"
set -eu
cd "$root"
: "${PYTHON:=$root/.venv/bin/python}"
if ! "$PYTHON" -c 'import torch' 2>/dev/null; then
    echo '    PyTorch is not here (.ci/setup.sh torch): not measured'
    exit 0
fi
rounds=200
if [ "${1-}" = quick ]; then
    rounds=5
    QUICK=1
    export QUICK
    shift
fi
mkdir -p "$BUILD/bench"
WRAPGEN_CACHE=$BUILD/torch_python
export WRAPGEN_CACHE
"$PYTHON" tests/bench/compile/compile.py "$rounds" "$BUILD/bench/compile.json" "$@"
[ $# -eq 0 ] || exit 0
"$PYTHON" tests/bench/compile/keys.py "$rounds" "$BUILD/bench/python_keys.json"
if "$PYTHON" -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("transformers") is None)'; then
    "$PYTHON" tests/bench/compile/start.py $((rounds > 5 ? 5 : 1)) "$BUILD/bench/start.json"
else
    echo '    transformers is not here (.ci/setup.sh torch): starts of a whole model are not measured'
fi
