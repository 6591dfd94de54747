#!/bin/sh
# SPDX-License-Identifier: MIT
# Exported programs under the wrappers that their YAML gives, and as PyTorch runs them: exported.py.
cd "$(dirname "$0")/../../.." || exit 1
: "${BUILD:=$PWD/build}"
WRAPGEN_CACHE=$BUILD/torch_python # that of pyext, too: the host takes minutes to compile
export WRAPGEN_CACHE
exec "${PYTHON:-.venv/bin/python}" tests/torch/exported/exported.py "$@"
