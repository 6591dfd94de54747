#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [SUITE...] - the tests that need PyTorch (.ci/setup.sh torch puts it into .venv): every tests/torch/<suite>/run.sh, or
# those named, which are then run whole. Each ends with "N passed, N failed, N skipped"; here they are added up. Logs: $BUILD/tests/logs/torch-*.log
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=$PWD/build}" "${WRAPGEN:=$BUILD/wrapgen}" "${PYTHON:=$PWD/.venv/bin/python}"
export BUILD WRAPGEN PYTHON
logs=$BUILD/tests/logs
mkdir -p "$logs" || exit 1

closing='^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$'
passed=0
failed=0
skipped=0
if [ $# -eq 0 ]; then
    : "${SHARE:=10}" # of the suites that take long: one program in ten; all of them when they are named
    export SHARE
    # shellcheck disable=SC2046 # names
    set -- $(for script in tests/torch/*/run.sh; do basename "$(dirname "$script")"; done)
fi
for suite in "$@"; do
    log=$logs/torch-$suite.log
    echo "torch/$suite:"
    sh "tests/torch/$suite/run.sh" >"$log" 2>&1
    status=$?
    last=$(tail -n 1 "$log")
    if ! echo "$last" | grep -Eq "$closing"; then
        tail -n 30 "$log" | sed 's/^/    /'
        echo "    died without a closing line (exit status $status)"
        failed=$((failed + 1))
        continue
    fi
    if [ -n "${V-}" ]; then
        sed 's/^/    /' "$log"
    else
        grep '^#=' "$log" | sed 's/^#=/   /'
        sed -n '/^not ok/,/^ok\|^[0-9]* passed/{/^ok/d;/passed,/d;p}' "$log" | sed 's/^/    /'
        echo "    $last"
    fi
    counts=$(echo "$last" | tr -cs '0-9' ' ')
    one_failed=$(echo "$counts" | cut -d' ' -f2)
    [ "$status" -eq 0 ] || [ "$one_failed" -gt 0 ] || one_failed=1
    passed=$((passed + $(echo "$counts" | cut -d' ' -f1)))
    failed=$((failed + one_failed))
    skipped=$((skipped + $(echo "$counts" | cut -d' ' -f3)))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
