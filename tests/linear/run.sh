#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [CASE...] - time and memory of the generator grow no faster than what it reads. Each case (cases.awk) is a file that has
# n of something, in three sizes: n, 2n and 4n. Instructions are counted (valgrind), so a busy machine changes nothing; memory
# is the peak of a run.
#
# From n to 2n something is added, and twice as much of it from 2n to 4n. So what the second step costs is twice what the first
# one does, whatever a run costs before it reads anything, and four times if each of n looks at all the others. The bound is
# 2.3: with a n + b n^2 that allows b n = 0.06 a, so a loop over the others is found if it takes more than 60 instructions for
# each at n = 100, where one of n takes 100,000. Guards (2.25) come closest. Memory is taken in blocks and doubled arrays, so its
# bound is 3.
#
# Variants are compared in pairs on purpose (gen/dispatch/prove.c bounds the work of a kernel), so they are not among the cases;
# V=1 prints the counts.
. "$(dirname "$0")/../lib.sh"
here=$root/tests/linear
time_bound=2.3 memory_bound=3

make_file() { # CASE N
    awk -v kind="$1" -v n="$2" -f "$here/cases.awk" >"$scratch/$1.yaml"
}

# A command as one program, which succeeds when the tool ends as the case wants: with 2 where it refuses the file.
expect() { # CASE COMMAND...
    status=0
    [ "$1" != errors ] || status=2
    shift
    printf '#!/bin/sh\n%s "$@"\n[ $? -eq %d ]\n' "$*" $status >"$scratch/expect"
    chmod +x "$scratch/expect"
}

run() { # CASE COMMAND...: with the options of a run; warnings are not the matter here
    name=$1
    shift
    "$@" --in "$scratch/$name.yaml" --out "$scratch/$name.c" -Wno-overlap -Wno-uncovered >"$scratch/log" 2>&1
}

instructions() { # CASE N: "" if the run failed
    make_file "$1" "$2"
    rm -f "$scratch/$1.c"
    expect "$1" valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$WRAPGEN"
    run "$1" "$scratch/expect" &&
        sed -n 's/.*I *refs: *//p' "$scratch/log" | tr -d ,
}

# The peak of a run. How many pages of the libraries are resident differs from run to run by some 300 KiB, so this is the least
# of five runs.
kilobytes() { # CASE N: "" if a run failed
    make_file "$1" "$2"
    expect "$1" "$WRAPGEN"
    : >"$scratch/peaks"
    # shellcheck disable=SC2034 # counted, not read
    for round in 1 2 3 4 5; do
        run "$1" "$scratch/race" 1 "$scratch/$1.c" wrapgen "$scratch/expect" || return
        awk '$1 == "wrapgen" { print $5 }' "$scratch/log" >>"$scratch/peaks"
    done
    sort -n "$scratch/peaks" | head -n 1
}

steps() { # A B C: how much more the step from B to C costs than the one from A to B; 99: a run failed
    awk -v a="${1:-0}" -v b="${2:-0}" -v c="${3:-0}" 'BEGIN { printf "%.2f", (a > 0 && b > a && c > b) ? (c - b) / (b - a) : 99 }'
}

holds() { # RATIO BOUND
    awk -v ratio="$1" -v bound="$2" 'BEGIN { exit !(ratio <= bound) }'
}

judge() { # MEASURE CASE N BOUND WHAT
    one=$($1 "$2" "$3") two=$($1 "$2" $((2 * $3))) four=$($1 "$2" $((4 * $3)))
    growth=$(steps "$one" "$two" "$four")
    [ -z "${V-}" ] || echo "# $2: $3 cost $one, twice as many $two, four times $four"
    if holds "$growth" "$4"; then
        ok "$2: twice as many cost $growth times the $5, at most $4"
    else
        not_ok "$2: twice as many cost $growth times the $5, not at most $4" "$scratch/log"
    fi
}

# shellcheck disable=SC2086 # flags
$CC -std=c11 -D_POSIX_C_SOURCE=200809L -O1 -o "$scratch/race" "$root/tests/bench/race.c" || exit 1
awk -f "$here/cases.awk" -v kind=list >"$scratch/list"
while read -r kind few many; do
    case " ${*:-$kind} " in *" $kind "*) ;; *) continue ;; esac
    judge instructions "$kind" "$few" "$time_bound" time
    judge kilobytes "$kind" "$many" "$memory_bound" memory
done <"$scratch/list"
finish
