# SPDX-License-Identifier: MIT
#
# Sourced by what runs others: tests/run.sh and .ci/run.

# What a suite ends with.
closing='^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$'

# Runs a command, and leaves its exit code in `status` and in `cpu` how many seconds of a processor it took, which says more of a
# suite than the clock does where others are at work. `times` counts the children of the process that calls it: it cannot stand
# in a pipe, nor this function in $(...). A command that does not end in time is ended, with all that it started, so that one test
# that hangs is one failure and not the end of the run.
timed() { # FILE SECONDS COMMAND...: the file is scratch
    clock=$1
    limit=$2
    shift 2
    times >"$clock"
    timeout --kill-after=20 "$limit" "$@" &
    running=$!
    trap 'kill "$running"; exit 1' HUP INT TERM # `timeout` has its own process group, so it gets no signal otherwise
    wait "$running"
    status=$?
    trap - HUP INT TERM
    [ $status -ne 124 ] && [ $status -ne 137 ] || printf 'not ok - it ends within %s s\n' "$limit"
    times >>"$clock"
    cpu=$(tr 'ms' '  ' <"$clock" | awk 'NR % 2 == 0 { before = now; now = 60 * ($1 + $3) + $2 + $4 } END { printf "%.0f", now - before }')
    rm -f "$clock"
}

# The tests of a log that failed, each with its remarks, indented or not.
failures() { # LOG
    awk '/^ *not ok/ { shown = 1 } /^ *ok / || /[0-9] passed, [0-9]+ failed/ { shown = 0 } shown' "$1"
}
