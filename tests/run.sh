#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [SUITE...] - runs every suite, or those named ("golden", "property/wrappers", "layers"), and adds them up.
#
# A suite is a script tests/<suite>/run.sh, tests/property/<suite>/run.sh or tests/<suite>.sh; it needs no registration. It
# prints lines that begin with "ok" or "not ok", ends with one line "N passed, N failed, N skipped", and fails when a test did.
# One that ends in any other way counts as a failure.
#
# WITHOUT=SUITE,... leaves those out where none is named; a name that is not a suite is an error.
#
# Suites run side by side, JOBS of them at a time (as many as there are processors), the one that took longest last time
# first. So no two of them may write the same file: each has a folder of its own below $BUILD/tests. A line is printed as a
# suite ends, with its failures, its skips and its remarks ("#=") under it; V=1 shows all of its output. Everything is in
# $BUILD/tests/logs/*.log.
set -u
cd "$(dirname "$0")/.." || exit 1

# These need more than a compiler, or are not tests; .ci/run and `make bench` have them.
elsewhere='bench coverage editor fuzz install linear pages portability prove torch'

: "${BUILD:=$PWD/build}" "${EXTRA:=}"
WRAPGEN=${WRAPGEN:-$BUILD/wrapgen}
: "${SUITE_SECONDS:=2700}" # a suite that takes longer hangs
: "${JOBS:=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}"
export BUILD WRAPGEN SUITE_SECONDS
logs=$BUILD/tests/logs
. tests/runner.sh

# These suites compile more than they run. With sanitizers, optimising makes a compiler several times as slow.
compiling='cli examples exec launch property/keys property/wrappers'

# The long ones first, which is the order of a first run; each once.
suites() {
    for script in tests/selftest/run.sh tests/property/*/run.sh tests/*/run.sh tests/*.sh; do
        suite=${script#tests/}
        suite=${suite%/run.sh}
        suite=${suite%.sh}
        case " $elsewhere run lib runner " in
        *" $suite "*) ;;
        *) [ -f "$script" ] && echo "$suite" ;;
        esac
    done | awk '!seen[$0]++'
}

script_of() {
    if [ -f "tests/$1/run.sh" ]; then echo "tests/$1/run.sh"; else echo "tests/$1.sh"; fi
}

log_of() {
    echo "$logs/$(echo "$1" | tr / -)"
}

# A suite that was never timed goes before all others: it may be a long one.
longest_first() { # SUITE...
    for suite in "$@"; do
        seconds=$(cat "$(log_of "$suite").seconds" 2>/dev/null)
        echo "${seconds:-9999} $suite"
    done | sort -s -k1,1nr | cut -d' ' -f2
}

# The flags that a suite gets. -O0 stands last, so it counts.
flags_of() { # SUITE
    case " $EXTRA / $compiling " in
    *' -fsanitize'*/*" $1 "*) echo "$EXTRA -O0" ;;
    *) echo "$EXTRA" ;;
    esac
}

# Leaves LOG.counts (passed, failed, skipped) and LOG.seconds, and prints what there is to say in one piece.
run_suite() { # SUITE
    log=$(log_of "$1")
    begin=$(date +%s)
    timed "$log.times" "$SUITE_SECONDS" env EXTRA="$(flags_of "$1")" sh "$(script_of "$1")" >"$log.log" 2>&1 </dev/null
    seconds=$(($(date +%s) - begin))
    last=$(tail -n 1 "$log.log")
    {
        printf '%-26s %s   %s s (%s s computing)\n' "$1" "$last" "$seconds" "$cpu"
        if echo "$last" | grep -Eq "$closing"; then
            # shellcheck disable=SC2046 # three numbers
            set -- $(echo "$last" | tr -cs '0-9' ' ')
            [ -n "${V-}" ] || failures "$log.log" | sed 's/^/    /'
            [ -n "${V-}" ] || grep '# SKIP' "$log.log" | sed 's/^/    /'
            [ -n "${V-}" ] || sed -n 's/^#=/   /p' "$log.log"
            if [ $status -ne 0 ] && [ "$2" -eq 0 ]; then
                echo "    no test failed, but the suite ended with status $status"
                set -- "$1" 1 "$3"
            fi
        else
            [ -n "${V-}" ] || tail -n 30 "$log.log" | sed 's/^/    /'
            echo "    died without a closing line (exit status $status)"
            set -- 0 1 0
        fi
        [ -z "${V-}" ] || sed 's/^/    /' "$log.log"
        echo "$1 $2 $3" >"$log.counts"
    } >"$log.said"
    echo "$seconds" >"$log.seconds"
    cat "$log.said"
}

if [ "${1-}" = --one ]; then
    run_suite "$2"
    exit 0
fi

[ -x "$WRAPGEN" ] || make -s BUILD="$BUILD" || exit 1
mkdir -p "$logs" || exit 1
left_out=$(echo "${WITHOUT-}" | tr ',' '\n' | sed '/^$/d')
for suite in $left_out; do
    suites | grep -qxF "$suite" || { echo "tests/run.sh: WITHOUT names '$suite', which is not a suite" >&2; exit 2; }
done
# shellcheck disable=SC2046 # names of suites
[ $# -gt 0 ] || set -- $(suites | grep -vxF "$left_out")
for suite in "$@"; do rm -f "$(log_of "$suite").counts"; done
longest_first "$@" | xargs -P "$JOBS" -n 1 sh tests/run.sh --one

passed=0
failed=0
skipped=0
for suite in "$@"; do
    counts=$(log_of "$suite").counts
    [ -f "$counts" ] || echo '0 1 0' >"$counts"
    read -r ok not_ok skip <"$counts"
    passed=$((passed + ok))
    failed=$((failed + not_ok))
    skipped=$((skipped + skip))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
