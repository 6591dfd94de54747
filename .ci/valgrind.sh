#!/bin/sh
# SPDX-License-Identifier: MIT
#
# valgrind.sh - a selection of cases with the tool WRAPGEN under valgrind, which takes about a second each: one in
# two of examples and golden cases (PART), one error in twelve, the small actions, and a run that has two threads.
. "$(dirname "$0")/../tests/lib.sh"
cd "$root" || exit 1

tool=$WRAPGEN
# As one program: exit code 99 when valgrind has something to say.
printf '#!/bin/sh\nexec valgrind -q --error-exitcode=99 --leak-check=full "%s" "$@"\n' "$tool" >"$scratch/wrapgen"
chmod +x "$scratch/wrapgen"
WRAPGEN=$scratch/wrapgen

expect() { # CODE NAME ARGUMENT...
    code=$1
    name=$2
    shift 2
    "$WRAPGEN" "$@" >"$scratch/stdout" 2>"$scratch/stderr"
    status=$?
    if [ $status -eq "$code" ]; then
        ok "$name"
    else
        echo "exit code $status, not $code" >"$scratch/exit"
        not_ok "$name" "$scratch/exit" "$scratch/stderr"
    fi
}

count=0
for graph in examples/*/graph.yaml tests/golden/*/graph.yaml; do
    count=$((count + 1))
    in_sample $count 2 && expect 0 "$graph" --in "$graph" --out "$scratch/a.c" --header "$scratch/a.h"
done
count=0
for graph in tests/errors/*/*.yaml; do
    count=$((count + 1))
    arguments=${graph%.yaml}.args
    in_sample $count 12 && [ ! -f "$arguments" ] && expect 2 "$graph" --in "$graph" --out "$scratch/b.c"
done
graph=tests/cli/graph.yaml
expect 0 'write' --in $graph --out "$scratch/c.c" --header "$scratch/c.h" --depfile "$scratch/c.d"
expect 0 'check, fresh' --check --in $graph --out "$scratch/c.c" --header "$scratch/c.h"
sed '3d' "$scratch/c.c" >"$scratch/d.c"
expect 1 'check, stale' --check --in $graph --out "$scratch/d.c" --header "$scratch/c.h"
for arguments in "--in $graph --dump plan" "--in $graph --dump view" --print-schema '--print-host native' \
    "--print-templates $scratch/templates" --help --version; do
    # shellcheck disable=SC2086 # lists
    expect 0 "$arguments" $arguments
done
expect 0 'own templates' --in $graph --out "$scratch/e.c" --templates "$scratch/templates"
expect 2 'usage' --ot "$scratch/f.c" --in
expect 3 'no input' --in "$scratch/none.yaml" --out "$scratch/f.c"

# The two threads of a large run.
check 'two threads' env WRAPGEN="$tool" RUN='valgrind -q --tool=helgrind --error-exitcode=99' sh tests/twin/run.sh
finish
