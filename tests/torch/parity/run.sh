#!/bin/sh
# SPDX-License-Identifier: MIT
# Real programs under wrapgen's wrappers and under PyTorch's own: parity.py, whose table also goes to build/torch/parity.txt
cd "$(dirname "$0")/../../.." || exit 1
exec "${PYTHON:-.venv/bin/python}" tests/torch/parity/parity.py "$@"
