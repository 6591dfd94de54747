#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [quick | check] [PATTERN] - what a generated wrapper costs, compared with a loop over the same metadata and with a wrapper written
# by hand for that one graph (the floor: the same tests, verbs and new objects). First all three are held to the same results, also for
# broken arguments; when they differ nothing is timed. `check` ends there. `quick` times little; PATTERN selects cases (grep -E). Times are
# noisy, so compare them within a run; instructions repeat exactly.
#
# With SHARED=1 in the environment every graph is generated together with a like one, so that what is measured is shared code.
#
# Results: a table here, $BUILD/bench/overhead.json, $BUILD/bench/overhead.svg.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../lib.sh"
set -eu
cd "$root"
mode=${1-full}
pattern=${2-.}
out=$BUILD/bench/overhead
rm -rf "$out"
mkdir -p "$out"
batches=201
[ "$mode" = full ] || batches=11
if [ "$mode" = quick ] && [ "$pattern" = . ]; then
    pattern='_(none_)?[0-9_]*5 |_of_2|_[0-9] |forward_|subclass'
fi

# One folder a case, so that bytes and seconds can be told apart.
grep -E "$pattern" "$here/cases.txt" | grep -v '^#' >"$out/cases.txt" || true
rows=$out/rows
: >"$rows"
flags="-std=c11 -D_POSIX_C_SOURCE=200809L -O2 -Itemplates/core -Itemplates/hosts/native -I$out -I$here $EXTRA"

make_part() { # KIND FILE
    awk -f "$here/case.awk" -f "$here/$1.awk" "$out/cases.txt" >"$out/$2"
}

compile() { # OBJECT SOURCE
    # shellcheck disable=SC2086 # flags
    $CC $flags -c -o "$out/$1" "$2"
}

text_of() { # OBJECT: text and constants; relocated constants count as data
    size "$out/$1" | awk 'NR == 2 { print $1 + $2 }'
}

cpu_seconds() { # COMMAND...: user and system seconds of the children
    ("$@" && times) | tail -n 1 | sed 's/[ms]/ /g' | awk '{ printf "%.2f\n", $1 * 60 + $2 + $3 * 60 + $4 }'
}

objects=
cp "$out/cases.txt" "$out/all.txt"
while read -r name rest; do
    [ -n "$name" ] || continue
    printf '%s %s\n' "$name" "$rest" >"$out/cases.txt"
    make_part yaml "$name.yaml"
    make_part tables "$name.tables.c"
    make_part floor "$name.floor.c"
    like=
    if [ -n "${SHARED-}" ]; then
        like=$out/$name.like.yaml
        sed 's/^  - name: .*/&_like/' "$out/$name.yaml" >"$like"
    fi
    # shellcheck disable=SC2086 # one word or none
    "$WRAPGEN" "$out/$name.yaml" $like --out "$out/$name.c" --header "$out/$name.h"
    sed -i 's/"wrappers.h"/"'"$name"'.h"/' "$out/$name.floor.c"
    generated=$(cpu_seconds compile "$name.o" "$out/$name.c")
    tables=$(cpu_seconds compile "$name.tables.o" "$out/$name.tables.c")
    compile "$name.floor.o" "$out/$name.floor.c"
    echo "size $name generated $(wc -c <"$out/$name.c") $(text_of "$name.o") $generated" >>"$rows"
    echo "size $name loop $(wc -c <"$out/$name.tables.c") $(text_of "$name.tables.o") $tables" >>"$rows"
    objects="$objects $out/$name.o $out/$name.tables.o $out/$name.floor.o"
done <"$out/all.txt"
mv "$out/all.txt" "$out/cases.txt"

make_part driver table.c
for name in $(awk '{ print $1 }' "$out/cases.txt"); do
    echo "#include \"$name.h\""
done >"$out/wrappers.h"
for source in "$out/table.c" "$here/driver.c" "$here/fixture.c" "$here/observe.c" "$here"/loop*.c templates/core/*.c templates/hosts/native/*.c; do
    object=$(basename "$source" .c).o
    compile "$object" "$source"
    objects="$objects $out/$object"
done
# shellcheck disable=SC2086 # objects
$CC $flags -o "$out/driver" $objects -lm

if ! "$out/driver" check >"$out/check"; then
    grep '^not ok' "$out/check" | head -n 20
    tail -n 1 "$out/check"
    exit 1
fi
tail -n 1 "$out/check"
[ "$mode" != check ] || exit 0

"$out/driver" time "$batches" >>"$rows"
if command -v valgrind >/dev/null 2>&1; then
    # What makes or changes something, and what that calls; giving back is the wrapper's own work.
    nm "$out"/wg_native*.o "$out"/wg_cop*.o | awk '$2 ~ /[tT]/ && $3 !~ /^wg_(release_run|host_error_slot)$/ { print $3 }' >"$out/verbs"
    mkdir "$out/callgrind"
    if valgrind --tool=callgrind --collect-atstart=no --callgrind-out-file="$out/callgrind/out" "$out/driver" count \
        >"$out/callgrind/log" 2>&1; then
        calls=$(sed -n 's/.* CALLS = \([0-9]*\).*/\1/p' "$here/driver.c")
        awk -v calls="$calls" -f "$here/callgrind.awk" "$out/verbs" "$out"/callgrind/out.* >>"$rows"
    fi
fi
awk -v json="$BUILD/bench/overhead.json" -v svg="$BUILD/bench/overhead.svg" -f "$here/report.awk" "$rows"
