#!/bin/sh
# SPDX-License-Identifier: MIT
# PyTorch's own databases of operators, modules and optimizers through check(): databases.py, whose table also goes to
# build/torch/databases.txt. SHARE=10: every tenth program alone.
cd "$(dirname "$0")/../../.." || exit 1
: "${BUILD:=$PWD/build}"
WRAPGEN_CACHE=$BUILD/torch_python # that of pyext, too: the host takes minutes to compile
export WRAPGEN_CACHE
exec "${PYTHON:-.venv/bin/python}" tests/torch/databases/databases.py "$@"
