#!/bin/sh
# SPDX-License-Identifier: MIT
# Python modules (--emit-python): calls, autograd, exceptions, threads and lifetimes beside PyTorch itself: pyext.py. The
# host's C++ is compiled once and kept in $BUILD/torch_python until it changes.
. "$(dirname "$0")/../../lib.sh"
cd "$root" || exit 1
WRAPGEN_CACHE=$BUILD/torch_python
export WRAPGEN_CACHE
exec "${PYTHON:-.venv/bin/python}" tests/torch/pyext/pyext.py "$@"
