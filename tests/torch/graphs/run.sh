#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs of several graphs through check(), and through the dispatchers that choose among them: graphs.py.
cd "$(dirname "$0")/../../.." || exit 1
: "${BUILD:=$PWD/build}"
WRAPGEN_CACHE=$BUILD/torch_python # that of pyext, too: the host takes minutes to compile
export WRAPGEN_CACHE
exec "${PYTHON:-.venv/bin/python}" tests/torch/graphs/graphs.py "$@"
