#!/bin/sh
# SPDX-License-Identifier: MIT
# Models that become C programs: deploy.py. Among all suites two of the models; called by its name, all.
. "$(dirname "$0")/../shared/python.sh"
exec "$PYTHON" tests/torch/deploy/deploy.py "$@"
