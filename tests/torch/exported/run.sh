#!/bin/sh
# SPDX-License-Identifier: MIT
# Exported programs under the wrappers that their YAML gives, and as PyTorch runs them: exported.py.
. "$(dirname "$0")/../shared/python.sh"
exec "$PYTHON" tests/torch/exported/exported.py "$@"
