#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What a runner does with a command that does not end (tests/runner.sh): it is ended with all that it started, and counts as a
# failure; one that ends keeps its status.
. "$(dirname "$0")/lib.sh"
. "$root/tests/runner.sh"
cd "$scratch" || exit 1

hang() { # leaves `pid` of what it started itself
    timed clock 1 sh -c 'sleep 300 & echo $! >pid; wait' >said
}
hang
check 'a command that does not end is ended' test "$status" -eq 124
check 'that is a failure' grep -q '^not ok - it ends within 1 s$' said
is_gone() { # a process that ended waits for whoever adopted it, who may never ask: ended is enough
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        kill -0 "$(cat pid)" 2>/dev/null || return 0
        ! grep -q '^State:.Z' "/proc/$(cat pid)/status" 2>/dev/null || return 0
        sleep 0.2
    done
    return 1
}
check 'so is what it started' is_gone
timed clock 60 sh -c 'exit 7' >said
check 'a command that ends keeps its status' test "$status" -eq 7
check 'and is silent' test ! -s said
finish
