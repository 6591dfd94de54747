#!/bin/sh
# SPDX-License-Identifier: MIT
# Wrappers built ahead of time, in use under torch.compile: test_*.py.
. "$(dirname "$0")/../shared/python.sh"
exec "$PYTHON" tests/torch/ahead/ahead.py "$@"
