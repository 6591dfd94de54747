#!/bin/sh
# SPDX-License-Identifier: MIT
# What the suites beside it share, which imports no PyTorch itself: shared.py.
. "$(dirname "$0")/python.sh"
exec "$PYTHON" tests/torch/shared/shared.py "$@"
