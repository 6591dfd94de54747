#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [SUITE...] - the tests that need PyTorch (.ci/setup.sh torch puts it into .venv): every tests/torch/<suite>/run.sh, or
# those named, which are then run whole. tests/run.sh runs them, side by side, and says where the logs are.
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${PYTHON:=$PWD/.venv/bin/python}"
export PYTHON
if [ $# -eq 0 ]; then
    : "${SHARE:=10}" "${SHARE_OF_PROGRAMS:=4}" # shared/share.py; where suites are named, all of their programs
    export SHARE SHARE_OF_PROGRAMS
    # shellcheck disable=SC2046 # names
    set -- $(for script in tests/torch/*/run.sh; do basename "$(dirname "$script")"; done)
fi
# shellcheck disable=SC2046 # names
exec sh tests/run.sh $(printf 'torch/%s\n' "$@")
