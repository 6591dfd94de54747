#!/bin/sh
# SPDX-License-Identifier: MIT
# Whole models of transformers and timm, small and with random weights, through check(): models.py, whose table also goes to
# build/torch/models.txt. SHARE=10: every tenth program alone.
. "$(dirname "$0")/../shared/python.sh"
exec "$PYTHON" tests/torch/models/models.py "$@"
