#!/bin/sh
# SPDX-License-Identifier: MIT
# The capture: names, expressions, views, refusals, and the committed examples against what PyTorch gives today.
. "$(dirname "$0")/../shared/python.sh"
exec "$PYTHON" tests/torch/capture/test.py "$@"
