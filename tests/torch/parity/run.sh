#!/bin/sh
# SPDX-License-Identifier: MIT
# Real programs under wrapgen's wrappers and under PyTorch's own: parity.py, whose table also goes to build/torch/parity.txt
cd "$(dirname "$0")/../../.." || exit 1
: "${BUILD:=$PWD/build}"
WRAPGEN_CACHE=$BUILD/torch_python # that of pyext, too: the host takes minutes to compile
export WRAPGEN_CACHE
exec "${PYTHON:-.venv/bin/python}" tests/torch/parity/parity.py "$@"
