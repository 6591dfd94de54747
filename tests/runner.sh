# SPDX-License-Identifier: MIT
#
# Sourced by what runs others: tests/run.sh and .ci/run.

# What a suite ends with.
closing='^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$'

# Runs a command, and leaves its exit code in `status` and in `cpu` how many seconds of a processor it took, which says more of a
# suite than the clock does where others are at work. `times` counts the children of the process that calls it: it cannot stand
# in a pipe, nor this function in $(...).
timed() { # FILE COMMAND...: the file is scratch
    clock=$1
    shift
    times >"$clock"
    "$@"
    status=$?
    times >>"$clock"
    cpu=$(tr 'ms' '  ' <"$clock" | awk 'NR % 2 == 0 { before = now; now = 60 * ($1 + $3) + $2 + $4 } END { printf "%.0f", now - before }')
    rm -f "$clock"
}

# The tests of a log that failed, each with its remarks, indented or not.
failures() { # LOG
    awk '/^ *not ok/ { shown = 1 } /^ *ok / || /[0-9] passed, [0-9]+ failed/ { shown = 0 } shown' "$1"
}
