#!/bin/sh
# SPDX-License-Identifier: MIT
# Models that become C programs: deploy.py. Among all suites two of the models; called by its name, all.
cd "$(dirname "$0")/../../.." || exit 1
exec "${PYTHON:-.venv/bin/python}" tests/torch/deploy/deploy.py "$@"
