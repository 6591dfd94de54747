#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs of several graphs through check(), and through the dispatchers that choose among them: graphs.py.
. "$(dirname "$0")/../shared/python.sh"
exec "$PYTHON" tests/torch/graphs/graphs.py "$@"
