#!/bin/sh
# SPDX-License-Identifier: MIT
# Whole models of transformers and timm, small and with random weights, through check(): models.py, whose table also goes to
# build/torch/models.txt. SHARE=10: every tenth program alone.
cd "$(dirname "$0")/../../.." || exit 1
: "${BUILD:=$PWD/build}"
WRAPGEN_CACHE=$BUILD/torch_python # that of pyext, too: the host takes minutes to compile
export WRAPGEN_CACHE
exec "${PYTHON:-.venv/bin/python}" tests/torch/models/models.py "$@"
