#!/bin/sh
# SPDX-License-Identifier: MIT
# The capture: names, expressions, views, refusals, and the committed examples against what PyTorch gives today.
cd "$(dirname "$0")/../../.." || exit 1
exec "${PYTHON:-.venv/bin/python}" tests/torch/capture/test.py "$@"
