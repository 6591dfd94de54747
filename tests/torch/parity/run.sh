#!/bin/sh
# SPDX-License-Identifier: MIT
# Real programs under wrapgen's wrappers and under PyTorch's own: parity.py, whose table also goes to build/torch/parity.txt
. "$(dirname "$0")/../shared/python.sh"
exec "$PYTHON" tests/torch/parity/parity.py "$@"
