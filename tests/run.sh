#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [SUITE...] - runs every suite, or those named ("golden", "property/wrappers", "layers"), and adds them up.
#
# A suite is a script tests/<suite>/run.sh, tests/property/<suite>/run.sh or tests/<suite>.sh; it needs no registration. It
# prints lines that begin with "ok" or "not ok", ends with one line "N passed, N failed, N skipped", and fails when a test did.
# One that ends in any other way counts as a failure. Here only failures, skips and closing lines are shown; V=1 shows all,
# and everything is in $BUILD/tests/*.log.
set -u
cd "$(dirname "$0")/.." || exit 1

# These need more than a compiler, or are no tests; .ci/run and `make bench` have them.
elsewhere='bench fuzz torch'

: "${BUILD:=$PWD/build}"
WRAPGEN=${WRAPGEN:-$BUILD/wrapgen}
export BUILD WRAPGEN
[ -x "$WRAPGEN" ] || make -s BUILD="$BUILD" || exit 1
logs=$BUILD/tests/logs
mkdir -p "$logs" || exit 1

suites() {
    for script in tests/*/run.sh tests/property/*/run.sh tests/*.sh; do
        suite=${script#tests/}
        suite=${suite%/run.sh}
        suite=${suite%.sh}
        case " $elsewhere run lib " in
        *" $suite "*) ;;
        *) [ -f "$script" ] && echo "$suite" ;;
        esac
    done
}

script_of() {
    if [ -f "tests/$1/run.sh" ]; then echo "tests/$1/run.sh"; else echo "tests/$1.sh"; fi
}

closing='^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$'
passed=0
failed=0
skipped=0
[ $# -gt 0 ] || set -- $(suites)
for suite in "$@"; do
    log=$logs/$(echo "$suite" | tr / -).log
    printf '%s:\n' "$suite"
    if [ -n "${V-}" ]; then
        { sh "$(script_of "$suite")" 2>&1; echo $? >"$log.status"; } | tee "$log"
    else
        sh "$(script_of "$suite")" >"$log" 2>&1
        echo $? >"$log.status"
    fi
    status=$(cat "$log.status")
    last=$(tail -n 1 "$log")
    if ! echo "$last" | grep -Eq "$closing"; then
        [ -n "${V-}" ] || tail -n 30 "$log" | sed 's/^/    /'
        echo "    died without a closing line (exit status $status)"
        failed=$((failed + 1))
        continue
    fi
    counts=$(echo "$last" | tr -cs '0-9' ' ')
    one_passed=$(echo "$counts" | cut -d' ' -f1)
    one_failed=$(echo "$counts" | cut -d' ' -f2)
    one_skipped=$(echo "$counts" | cut -d' ' -f3)
    if [ -z "${V-}" ]; then
        sed -n '/^not ok/,/^ok\|^[0-9]* passed/{/^ok/d;/passed,/d;p}' "$log" | sed 's/^/    /'
        grep '# SKIP' "$log" | sed 's/^/    /'
        echo "    $last"
    fi
    if [ "$status" -ne 0 ] && [ "$one_failed" -eq 0 ]; then
        echo "    no test failed, but the suite ended with status $status"
        one_failed=1
    fi
    passed=$((passed + one_passed))
    failed=$((failed + one_failed))
    skipped=$((skipped + one_skipped))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
