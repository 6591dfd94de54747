#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs on a GPU: cuda.py. Where there is none they run on the CPU, and each that needs one is a skip.
. "$(dirname "$0")/../shared/python.sh"
exec "$PYTHON" tests/torch/cuda/cuda.py "$@"
