#!/bin/sh
# SPDX-License-Identifier: MIT
# Tensor subclasses as they are used: torchao, DTensor with two ranks, jagged tensors under torch.compile: test_*.py.
cd "$(dirname "$0")/../../.." || exit 1
: "${BUILD:=$PWD/build}"
WRAPGEN_CACHE=$BUILD/torch_python # that of pyext, too: the host takes minutes to compile
export WRAPGEN_CACHE
exec "${PYTHON:-.venv/bin/python}" tests/torch/subclasses/subclasses.py "$@"
