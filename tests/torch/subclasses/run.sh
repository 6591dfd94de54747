#!/bin/sh
# SPDX-License-Identifier: MIT
# Tensor subclasses as they are used: torchao, DTensor with two ranks, jagged tensors under torch.compile: test_*.py.
. "$(dirname "$0")/../shared/python.sh"
exec "$PYTHON" tests/torch/subclasses/subclasses.py "$@"
