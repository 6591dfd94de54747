#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [CASE... | core [DRIVER...]] - shows with Frama-C's Eva that the golden wrappers are safe: analyses the file of --emit-proof of each golden
# case (all, or those named), and the drivers of functions of templates/core (core.sh; `core` takes these alone). A case passes when
# there is no alarm, and when the analysis came to all of its code but what `unreached` lists. Then it breaks wrappers on purpose,
# and each fault must be found.
#
# PROVE_EVERY=N takes every Nth case, and PROVE_FIRST says which is the first. PROVE_JOBS analyses run side by side (2).
# `open` lists the cases that Eva does not finish, or not without an alarm, and says why: they are counted, and one that passes
# must leave the list.
. "$(dirname "$0")/../lib.sh"
. "$root/tests/golden/generate.sh"
here=$root/tests/prove

command -v frama-c >/dev/null 2>&1 || {
    skip 'the wrappers are safe' 'there is no frama-c'
    finish
}

# ---- generating and analysing: one process a case, results in its folder ----

generate_case() { # CASE: into a folder of its own
    mkdir -p "$scratch/cases/$1"
    for header in "$root/tests/golden/$1"/wg_*.h; do # of a host that belongs to the case
        [ ! -f "$header" ] || cp "$header" "$scratch/cases/$1"
    done
    golden_generate "$1" "$scratch/cases/$1" --emit-proof "$scratch/cases/$1/proof.c" >"$scratch/cases/$1/generated" 2>&1 || return 1
    [ -f "$scratch/cases/$1/proof.c" ] && return
    cd "$root/tests/golden/$1" || return 1 # a case without a header
    # shellcheck disable=SC2046 # one argument a line
    "$WRAPGEN" --in graph.yaml --out "$scratch/cases/$1/wrappers.c" $([ ! -f args ] || cat args) --emit-proof "$scratch/cases/$1/proof.c"
}

analyse_all() { # reads names of folders below cases
    xargs -P "${PROVE_JOBS:-2}" -I{} sh -c 'begin=$(date +%s%N); sh "$1/analyse.sh" "$2/cases/$3"; echo $? >"$2/cases/$3/status"
        echo $((($(date +%s%N) - begin) / 10000000)) >"$2/cases/$3/time"' sh "$here" "$scratch" {}
}

# ---- what came out ----

# Functions of the wrappers with statements that were not reached, and calls in wrappers or driver.
gaps_of() { # FOLDER
    sed -nE 's/^(static )?(inline )?(WG_COLD )?(__attribute__\(\([a-z_]+\)\) )?[a-z_0-9A-Z]+ \**([a-zA-Z_0-9]+)\(.*\)$/\5/p' "$1/wrappers.c" | sort -u >"$1/functions"
    awk 'NR == FNR { reached[$1] = $2; all[$1] = $3; next }
        !($1 in all) { print $1 " was never entered"; next }
        all[$1] - reached[$1] > 4 { print $1 ": " all[$1] - reached[$1] " of " all[$1] " statements" }' "$1/reached" "$1/functions"
    cat "$1/never"
}

# Those that have a reason: `unreached` has a pattern a line, then " # " and why.
without_reason() {
    sed -nE '/^#/d; s/ # .*//p' "$here/unreached" >"$scratch/patterns"
    grep -vE -f "$scratch/patterns"
}

row() { # CASE: for the table
    awk -v case="$1" -v time="$(cat "$scratch/cases/$1/time")" -v alarms="$(grep -c '^\[' "$scratch/cases/$1/alarms" 2>/dev/null)" \
        'NR == FNR { mine[$1] = 1; next }
        $1 in mine { functions++; reached += $2; all += $3 }
        END { printf "%-24s %9d %10d %8d %7d %7.1f\n", case, functions, all, reached, alarms, time / 100 }' \
        "$scratch/cases/$1/functions" "$scratch/cases/$1/reached"
}

is_open() { # CASE
    grep -qE "^$1 " "$here/open"
}

judge() { # CASE: empty when all is shown
    folder=$scratch/cases/$1
    if [ "$(cat "$folder/status" 2>/dev/null)" != 0 ]; then
        tail -n 5 "$folder/log"
        return
    fi
    gaps_of "$folder" | without_reason
    cat "$folder/alarms"
}

if [ "${1-}" = core ]; then
    shift
    . "$here/core.sh"
    finish
fi

golden_cases "$@" | awk -v every="${PROVE_EVERY:-1}" -v first="${PROVE_FIRST:-0}" '(NR + every - 1 - first) % every == 0' >"$scratch/chosen"
: >"$scratch/names"
while read -r case; do
    if generate_case "$case"; then
        echo "$case" >>"$scratch/names"
    else
        not_ok "$case: the proof is generated" "$scratch/cases/$case/generated"
    fi
done <"$scratch/chosen"
if [ $# -eq 0 ]; then
    grep -vxF "$(sed -nE '/^#/d; s/ .*//p' "$here/open")" "$scratch/names" >"$scratch/closed"
else
    cp "$scratch/names" "$scratch/closed"
fi
analyse_all <"$scratch/closed"

printf '%-24s %9s %10s %8s %7s %7s\n' case functions statements reached alarms seconds >"$scratch/table"
while read -r case; do
    judge "$case" >"$scratch/verdict"
    [ ! -f "$scratch/cases/$case/functions" ] || row "$case" >>"$scratch/table"
    if [ ! -s "$scratch/verdict" ]; then
        ok "$case: no alarm, and all was reached"
    else
        not_ok "$case: no alarm, and all was reached" "$scratch/verdict"
    fi
done <"$scratch/closed"
sed 's/^/# /' "$scratch/table"
awk 'NR > 1 { f += $2; s += $3; r += $4; a += $5; t += $6 } END { printf "# %d functions, %d statements, %d reached, %d alarms, %d seconds\n", f, s, r, a, t }' "$scratch/table"
sed -nE '/^#/d; s/^/# open: /p' "$here/open"

[ $# -gt 0 ] || . "$here/planted.sh"
[ $# -gt 0 ] || . "$here/core.sh"
finish
