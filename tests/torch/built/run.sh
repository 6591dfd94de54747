#!/bin/sh
# SPDX-License-Identifier: MIT
# PyTorch's databases and whole models with wrappers that were built ahead of time: built.py, whose table also goes to
# build/torch/built.txt. SHARE=10: every fortieth program alone.
. "$(dirname "$0")/../shared/python.sh"
exec "$PYTHON" tests/torch/built/built.py "$@"
