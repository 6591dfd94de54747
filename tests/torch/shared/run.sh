#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests what the suites of tests/torch share, without importing PyTorch: shared.py.
. "$(dirname "$0")/python.sh"
exec "$PYTHON" tests/torch/shared/shared.py "$@"
