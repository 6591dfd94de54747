#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Generates, compiles and runs the examples, and compares them with what PyTorch gave.
#
#   WRAPGEN=build/wrapgen CC=gcc sh examples/demo/run.sh [GRAPH...]
#
# Every folder of examples/ with a graph.yaml and an expected.txt is a case: its graph bears the folder's name,
# expected.txt has the recorded calls, kernel.c the compiled function. A case without a kernel.c is skipped by name.
# After them examples/training is run. Everything goes to demo/ next to the tool. EXTRA adds flags to every compilation
# (-fsanitize=address, say), DEMO_FLAGS arguments of the demo (--quiet); DEMO_OUT is another folder, RUNNER what runs programs for
# another machine.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
WRAPGEN=${WRAPGEN:-$root/build/wrapgen}
WRAPGEN=$(cd "$(dirname "$WRAPGEN")" && pwd)/$(basename "$WRAPGEN")
CC=${CC:-cc}
out=${DEMO_OUT:-$(dirname "$WRAPGEN")/demo}
flags="-std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wvla -Wcast-qual
    -Wmissing-prototypes -Werror -O2 -g -D_POSIX_C_SOURCE=200809L ${EXTRA:-}"
cd "$root"
mkdir -p "$out"

if [ $# -eq 0 ]; then
    for data in examples/*/expected.txt; do
        folder=$(dirname "$data")
        if [ -f "$folder/graph.yaml" ]; then set -- "$@" "$(basename "$folder")"; fi
    done
fi

graphs=
training=
skipped=0
for name in "$@"; do
    folder=examples/$name
    if [ ! -f "$folder/kernel.c" ]; then
        echo "$name: skipped, it has no kernel.c"
        skipped=$((skipped + 1))
        continue
    fi
    echo "wrapgen --in $folder/graph.yaml --out $name.c --header $name.h"
    "$WRAPGEN" --in "$folder/graph.yaml" --out "$out/$name.c" --header "$out/$name.h"
    # A training wrapper also fills a struct of saved values.
    if grep -q "_saved_release" "$out/$name.h"; then training="$training $name"; else graphs="$graphs $name"; fi
done

{
    echo "/* Made by examples/demo/run.sh. */"
    for name in $graphs $training; do echo "#include \"$name.h\""; done
    printf '#define DEMO_CASES(X)'
    for name in $graphs; do printf ' X(%s)' "$name"; done
    printf '\n#define DEMO_TRAINING_CASES(X)'
    for name in $training; do printf ' X(%s)' "$name"; done
    printf '\nenum { DEMO_NUM_SKIPPED = %d };\n' "$skipped"
} >"$out/cases.h"

# Source files as "path object"; two at a time.
{
    for name in $graphs $training; do
        echo "$out/$name.c $out/$name.o"
        echo "examples/$name/kernel.c $out/$name.kernel.o"
    done
    for source in templates/core/*.c templates/hosts/native/*.c examples/demo/*.c; do
        echo "$source $out/$(basename "$source" .c).host.o"
    done
} >"$out/sources"
echo "$CC -O2 (strict warnings): $(wc -l <"$out/sources") files"
COMPILE="$CC $flags -I$out -Itemplates/core -Itemplates/hosts/native"
export COMPILE
# shellcheck disable=SC2016 # the inner shell expands
xargs -P 2 -L 1 sh -c '$COMPILE -c "$0" -o "$1"' <"$out/sources"
# shellcheck disable=SC2086,SC2046 # flags and paths are words
$CC ${EXTRA:-} -o "$out/demo" $(cut -d" " -f2 "$out/sources") -lm
echo
# shellcheck disable=SC2086
case "$* " in
*"mlp mlp_step "*) ;;
*) exec ${RUNNER:-} "$out/demo" examples ${DEMO_FLAGS:-} ;;
esac

# examples/training uses the wrappers of two cases: one line more before the totals.
$COMPILE -c examples/training/main.c -o "$out/training.o"
# shellcheck disable=SC2046,SC2086
$CC ${EXTRA:-} -o "$out/training" "$out/training.o" "$out/mlp.o" "$out/mlp.kernel.o" "$out/mlp_step.o" \
    "$out/mlp_step.kernel.o" $(sed -n 's|^templates/[^ ]* ||p' "$out/sources") -lm
status=0
# shellcheck disable=SC2086
${RUNNER:-} "$out/demo" examples ${DEMO_FLAGS:-} >"$out/log" || status=$?
totals=$(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p' "$out/log")
if [ -z "$totals" ]; then
    cat "$out/log"
    exit 1
fi
sed '$d' "$out/log"
if ${RUNNER:-} "$out/training" examples/training --summary; then trained=1; else trained=0 status=1; fi
# shellcheck disable=SC2086 # three numbers
set -- $totals
echo "$(($1 + trained)) passed, $(($2 + 1 - trained)) failed, $3 skipped"
exit $status
