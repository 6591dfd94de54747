#!/bin/sh
# SPDX-License-Identifier: MIT
# Python modules (--emit-python): calls, autograd, exceptions, threads and lifetimes compared with PyTorch itself: pyext.py.
. "$(dirname "$0")/../shared/python.sh"
exec "$PYTHON" tests/torch/pyext/pyext.py "$@"
