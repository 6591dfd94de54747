#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [SUITE...] - which lines of gen/ the suites run, or those named, counted by gcov: percent by room, and each line that nothing
# ran and that `explained` does not explain. `make coverage` builds the tool for it, anew with SUITES unset; $BUILD/coverage/lines has
# all. A row of `explained` that no line needs any more is a failure, and so is a line that is neither run nor explained.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
here=$root/tests/coverage
out=$BUILD/coverage

[ $# -gt 0 ] || set -- golden errors conformance unit schema replay keys limits codes cli sharing scale skeleton exec examples property/callee property/geometry \
    property/dispatch property/variant_graphs property/keys property/wrappers
for suite in "$@"; do
    script=tests/$suite/run.sh
    [ -f "$script" ] || script=tests/$suite.sh
    # Programs that are linked with the tool's objects need what those need. Others would only litter folders that tests look into.
    if grep -q 'build_library\|libwrapgen\.a' "$script"; then extra=$EXTRA; else extra=; fi
    EXTRA=$extra JOBS=1 sh tests/run.sh "$suite" >"$scratch/log" 2>&1
    status=$?
    check "$suite: $(tail -n 1 "$scratch/log")" sh -c 'cat "$1"; exit "$2"' sh "$scratch/log" $status
done

# What the suites selftest, prove, exec and torch/pyext have generated, but not compiled, which would take most of the time.
generate_all() {
    for yaml in tests/golden/*/graph.yaml tests/selftest/*/graph.yaml examples/*/graph.yaml; do
        for more in '--emit-selftest more.c' '--host torch --emit-proof more.c' '--host torch --emit-python more.c' '--emit-kernel-stub more.c' --show; do
            # shellcheck disable=SC2086 # arguments
            (cd "$scratch" && "$WRAPGEN" "$root/$yaml" --out a.c --header a.h $more) >"$scratch/log" 2>&1
            echo "$?"
        done
        cp "$yaml" "$scratch/same.yaml"
        "$WRAPGEN" --diff "$yaml" "$scratch/same.yaml" >"$scratch/log" 2>&1
        echo "$?"
    done
}
check 'most of what can be generated besides wrappers is' sh -c 'test "$(echo "$1" | grep -c "^0$")" -gt 300' sh "$(generate_all)"

# gcov writes where it is, and looks for sources from there.
mkdir -p "$out"
rm -f "$out"/*.gcov
ln -sf "$root/gen" "$root/schema" "$root/templates" "$out"
(cd "$out" && find "$BUILD/gen" -name '*.gcda' | xargs gcov -p >gcov.log 2>&1)
awk -f "$here/lines.awk" "$out"/*.gcov | sort -t: -k1,1 -k2,2n >"$out/lines"
check 'gcov counted' grep -q '^room lower ' "$out/lines"
awk '$1 == "room" { printf "#= gen/%-9s %6d lines, %6.2f percent run\n", $2, $3, 100 * $4 / $3; lines += $3; run += $4 }
    END { printf "#= all of gen/ %6d lines, %6.2f percent run\n", lines, 100 * run / lines }' "$out/lines"

sed -n 's/^line //p' "$out/lines" >"$scratch/left"
grep -v '^#' "$here/explained" | sed '/^$/d' >"$scratch/rows"
while IFS='|' read -r place text why; do
    place=$(echo "$place" | sed 's/ *$//')
    text=$(echo "$text" | sed 's/^ *//; s/ *$//')
    check "explained, and still so: $place, '$text':$why" grep -qE "^gen/$place:[0-9]+:.*$text" "$scratch/left"
    grep -vE "^gen/$place:[0-9]+:.*$text" "$scratch/left" >"$scratch/still"
    mv "$scratch/still" "$scratch/left"
done <"$scratch/rows"
cp "$scratch/left" "$out/unexplained"
check 'every line is run or explained' sh -c 'cat "$1"; test ! -s "$1"' sh "$scratch/left"
finish
