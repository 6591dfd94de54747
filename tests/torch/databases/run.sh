#!/bin/sh
# SPDX-License-Identifier: MIT
# PyTorch's own databases of operators, modules and optimizers through check(): databases.py, whose table also goes to
# build/torch/databases.txt. SHARE=10: every tenth program alone.
. "$(dirname "$0")/../shared/python.sh"
exec "$PYTHON" tests/torch/databases/databases.py "$@"
