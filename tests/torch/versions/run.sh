#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The versions of PyTorch that wrapgen_torch takes: test.py with the one that is here; and one PART in three another one, which
# .ci/setup.sh installs (some 4 GB where the index for the CPU cannot be reached), with the suites of tests/torch/run.sh, in shares.
# The first PART, which CI takes, installs nothing.
. "$(dirname "$0")/../../lib.sh"
: "${PYTHON:=$root/.venv/bin/python}"
cd "$root" || exit 1

count() { # FILE: adds its closing line to our numbers, and shows what is above it
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$1" | tail -n 1)
    if [ -z "$line" ]; then
        not_ok "$2" "$1"
        return
    fi
    grep -Ev '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$1"
    # shellcheck disable=SC2046 # three numbers
    set -- $(echo "$line" | tr -cs '0-9' ' ')
    passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

"$PYTHON" tests/torch/versions/test.py "$@" >"$scratch/log" 2>&1
count "$scratch/log" 'the table of upstream.py'

case $((PART % 3)) in
1) other=2.14.1 ;;
2) other=2.15.0 ;;
*) other= ;;
esac
if [ -z "${TORCH_VERSION-}" ] && [ -n "$other" ]; then
    if TORCH_VERSION=$other sh .ci/setup.sh torch >"$scratch/setup" 2>&1; then
        env -u PYTHON TORCH_VERSION="$other" SHARE=40 SHARE_OF_PROGRAMS=8 sh tests/torch/run.sh >"$scratch/log" 2>&1
        count "$scratch/log" "the suites with PyTorch $other"
    else
        sed 's/^/# /' "$scratch/setup" | tail -n 5
        skip "the suites with PyTorch $other" 'it could not be installed'
    fi
fi
finish
