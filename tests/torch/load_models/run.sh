#!/bin/sh
# SPDX-License-Identifier: MIT
# Whole models of transformers and timm, built for load() and called in a process without Dynamo: load_models.py, whose table also goes to
# build/torch/load_models.txt. SHARE=10: every tenth program alone.
. "$(dirname "$0")/../shared/python.sh"
exec "$PYTHON" tests/torch/load_models/load_models.py "$@"
