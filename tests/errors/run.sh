#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Errors: tests/errors/<stage>/<case>.yaml is refused with exit code 2 and exactly the text of <case>.err on standard error,
# and the outputs that are there already keep their content, their time and their inode. An optional <case>.args adds
# arguments, one a line. At the end: every code that the tool can report is in some case.
#
# To add a case: the YAML, then `run.sh --update <stage>/<case>`, then read the .err. It is run in its folder.
. "$(dirname "$0")/../lib.sh"

update=
[ "${1-}" = --update ] && update=1 && shift

cases() {
    if [ $# -gt 0 ]; then
        printf '%s\n' "$@"
        return
    fi
    for yaml in "$root"/tests/errors/*/*.yaml; do
        [ -f "$yaml" ] || continue
        case=${yaml#"$root/tests/errors/"}
        echo "${case%.yaml}"
    done
}

refuse() ( # CASE: runs it; the exit code is the tool's
    cd "$root/tests/errors/$(dirname "$1")" || exit 99
    case=$(basename "$1")
    set --
    if [ -f "$case.args" ]; then
        while IFS= read -r line; do
            set -- "$@" "$line"
        done <"$case.args"
    fi
    "$WRAPGEN" --in "$case.yaml" --out "$scratch/out/wrappers.c" --header "$scratch/out/wrappers.h" "$@" \
        >"$scratch/stdout" 2>"$scratch/stderr"
)

state() { # of the outputs: content, time to the nanosecond, inode, other files
    ls -A "$scratch/out"
    stat -c '%n %y %i %s' "$scratch/out"/*
    cat "$scratch/out"/*
}

mkdir "$scratch/out"
for case in $(cases "$@"); do
    echo 'was here before' >"$scratch/out/wrappers.c"
    echo 'this too' >"$scratch/out/wrappers.h"
    touch -d '2001-02-03 04:05:06' "$scratch/out"/*
    state >"$scratch/before"
    refuse "$case"
    status=$?
    state >"$scratch/after"
    expected=$root/tests/errors/$case.err
    [ -n "$update" ] && cp "$scratch/stderr" "$expected"
    if [ $status -ne 2 ]; then
        echo "exit code $status, not 2" | cat - "$scratch/stderr" >"$scratch/diff"
        not_ok "$case: exit code 2" "$scratch/diff"
    elif ! diff -u "$expected" "$scratch/stderr" >"$scratch/diff" 2>&1; then
        not_ok "$case: the text" "$scratch/diff"
    elif ! cmp -s "$scratch/before" "$scratch/after"; then
        not_ok "$case: outputs untouched" "$scratch/after"
    elif [ -s "$scratch/stdout" ]; then
        not_ok "$case: nothing on standard output" "$scratch/stdout"
    else
        ok "$case"
    fi
done

# What needs a command line, not only a file, has its cases in tests/cli; E_INTERNAL has none.
if [ $# -eq 0 ]; then
    for code in $(codes); do
        case $code in
        E_INTERNAL) ;;
        E_USAGE | E_IO | E_STALE | E_INCOMPATIBLE | E_HOST | E_TEMPLATE | W_UNUSED_TEMPLATE | W_HOST_*) check "$code has a case in tests/cli" grep -q "$code" "$root"/tests/cli/*.sh ;;
        *) check "$code has a case" sh -c "cat '$root'/tests/errors/*/*.err | grep -q '\\[$code\\]'" ;;
        esac
    done
fi
finish
