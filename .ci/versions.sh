#!/bin/sh
# SPDX-License-Identifier: MIT
#
# versions.sh NAME=VALUE - installs another version (TORCH_VERSION=2.14.1, PYTHON_VERSION=3.12: .ci/setup.sh), and runs a share of the
# suites that tests/torch/run.sh has for it. A Python that is not on this machine is a skip: Debian 12 installs only its own.
. "$(dirname "$0")/../tests/lib.sh"
cd "$root" || exit 1
[ $# -eq 1 ] || { echo 'usage: versions.sh TORCH_VERSION=...|PYTHON_VERSION=...' >&2; exit 2; }

# PART chooses the version in .ci/run (one of five), and here the programs: shares that 5 does not divide leave out no program for good.
: "${SHARE:=39}" "${SHARE_OF_PROGRAMS:=8}"
export SHARE SHARE_OF_PROGRAMS
[ -x "$WRAPGEN" ] || make -s BUILD="$BUILD" || exit 1

if env "$1" sh .ci/setup.sh torch >"$scratch/setup" 2>&1; then
    env -u PYTHON "$1" sh tests/torch/run.sh >"$scratch/log" 2>&1
    add_counts "$scratch/log" "the suites with $1"
elif grep -qE "^setup: (could not install|missing):.* python${1#PYTHON_VERSION=}( |\$)" "$scratch/setup"; then
    skip "the suites with $1" 'that Python is not on this machine, and Debian does not have it'
else
    not_ok "$1 is installed" "$scratch/setup"
fi
finish
