#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [SUITE...] - the tests that need PyTorch (.ci/setup.sh torch puts it into .venv): every tests/torch/<suite>/run.sh, or
# those named, which are then run whole. tests/run.sh runs them, side by side, and says where the logs are.
#
# With TORCH_VERSION, one that setup.sh has put into .venv-$TORCH_VERSION: with that version, and a build folder for it; and with
# PYTHON_VERSION under that Python, in .venv-py$PYTHON_VERSION. Then, where none is named, those suites run that a version must pass to
# be one of those that the package takes (versions/).
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${TORCH_VERSION:=}" "${PYTHON_VERSION:=}" "${BUILD:=$PWD/build}"
[ "torch==$TORCH_VERSION" != "$(grep '^torch==' cmd/wrapgen_torch/requirements.txt)" ] || TORCH_VERSION=
if [ -n "$TORCH_VERSION$PYTHON_VERSION" ]; then
    which=${TORCH_VERSION:+-$TORCH_VERSION}${PYTHON_VERSION:+-py$PYTHON_VERSION}
    PYTHON=$PWD/.venv$which/bin/python
    [ -x "$PYTHON" ] || { echo "there is no $PYTHON: TORCH_VERSION=$TORCH_VERSION PYTHON_VERSION=$PYTHON_VERSION sh .ci/setup.sh torch" >&2; exit 1; }
    : "${WRAPGEN:=$BUILD/wrapgen}"
    BUILD=$BUILD/torch$which
    mkdir -p "$BUILD" || exit 1
    export WRAPGEN BUILD
    if [ $# -eq 0 ]; then
        : "${SHARE:=10}" "${SHARE_OF_PROGRAMS:=4}"
        export SHARE SHARE_OF_PROGRAMS
        suites='versions parity capture ahead load deploy'
        [ -z "$TORCH_VERSION" ] || suites='versions parity subclasses capture ahead load deploy aoti'
        # shellcheck disable=SC2086 # names
        set -- $suites
    fi
fi
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
