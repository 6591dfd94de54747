#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The command line: every tests/cli/<case>.sh is sourced in a fresh folder that holds graph.yaml, a small good input. To add a
# case: a file. What a case can use, in addition to tests/lib.sh:
#
#   run ARGUMENT...    runs the tool; leaves `status`, and the files stdout and stderr outside the folder
#   exits CODE NAME    a test: the last run ended so
#   says TEXT          a test: the last run said TEXT on standard error
#   prints TEXT        a test: the last run printed TEXT on standard output
#   silent NAME        a test: nothing on either
#   refuses TEXT ARGUMENT...   run with these gives exit code 2, says TEXT, writes nothing
. "$(dirname "$0")/../lib.sh"

run() {
    "$WRAPGEN" "$@" >"$scratch/stdout" 2>"$scratch/stderr"
    status=$?
}

exits() {
    if [ "$status" -eq "$1" ]; then
        ok "$case: $2"
    else
        echo "exit code $status, not $1" >"$scratch/exit"
        not_ok "$case: $2" "$scratch/exit" "$scratch/stderr"
    fi
}

holds() { # FILE TEXT NAME
    if grep -qF -- "$2" "$1"; then ok "$case: $3"; else not_ok "$case: $3" "$1"; fi
}

says() {
    holds "$scratch/stderr" "$1" "says: $1"
}

prints() {
    holds "$scratch/stdout" "$1" "prints: $1"
}

silent() {
    if [ -s "$scratch/stdout" ] || [ -s "$scratch/stderr" ]; then
        not_ok "$case: $1" "$scratch/stdout" "$scratch/stderr"
    else
        ok "$case: $1"
    fi
}

refuses() {
    text=$1
    shift
    ls -lA --time-style=full-iso >"$scratch/listing"
    run "$@"
    ls -lA --time-style=full-iso >"$scratch/listing.after"
    if [ "$status" -ne 2 ]; then
        echo "exit code $status, not 2" >"$scratch/exit"
        not_ok "$case: refuses $*" "$scratch/exit" "$scratch/stderr"
    elif ! grep -qF -- "$text" "$scratch/stderr"; then
        echo "not said: $text" >"$scratch/exit"
        not_ok "$case: refuses $*" "$scratch/exit" "$scratch/stderr"
    elif ! cmp -s "$scratch/listing" "$scratch/listing.after"; then
        not_ok "$case: $* writes nothing" "$scratch/listing.after"
    else
        ok "$case: refuses $*: $text"
    fi
}

[ $# -gt 0 ] || set -- $(cd "$root/tests/cli" && ls ./*.sh | sed 's|^\./||; s|\.sh$||' | grep -v '^run$')
for case in "$@"; do
    mkdir -p "$scratch/cli/$case"
    cd "$scratch/cli/$case" || exit 1
    cp "$root/tests/cli/graph.yaml" .
    . "$root/tests/cli/$case.sh"
done
cd "$root" || exit 1
finish
