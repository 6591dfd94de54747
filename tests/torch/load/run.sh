#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions that are called without Dynamo: load.py.
. "$(dirname "$0")/../shared/python.sh"
exec "$PYTHON" tests/torch/load/load.py "$@"
