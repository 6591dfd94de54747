#!/bin/sh
# SPDX-License-Identifier: MIT
#
# dispatch.sh [ROUNDS] - what a choice among 1 to 1,024 variants costs, a hit and a miss, by each strategy, compared with a hand-written
# chain of compares and a walk over a table. Ratios to the hand-written chain count: contestants take turns.
#
# Prints a table; dispatch.json in $BUILD/bench has the same numbers, with bytes of code and tables of each dispatcher. The
# last column of bytes is what explains a miss, the same for every strategy.
. "$(dirname "$0")/../lib.sh"
set -eu
folder=$BUILD/bench/dispatch
rounds=${1:-31}
mkdir -p "$folder"
include="-I$root/templates/core -I$root/templates/hosts/native"
: >"$folder/rows"
: >"$folder/sizes"

shapes() { # N: twelve sizes a line
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) {
        a = 1 + i % 4; m = 16 * (1 + int(i / 4) % 16); k = 64 * (1 + int(i / 64) % 16)
        print a, 8, m, k, a, 8, k, 128, a, 8, m, 128 } }'
}

yaml() { # of shapes
    echo 'wrapgen: 1'
    echo 'kernels:'
    echo '  - name: k'
    echo '    args: [{name: a, kind: tensor}, {name: b, kind: tensor}, {name: c, kind: tensor}]'
    echo '    variants:'
    awk '{ printf "      - {symbol: v%d, when: [", NR - 1
        for (t = 0; t < 3; t++) { p = 4 * t
            printf "%s{arg: %s, dtype: float16, size: [%d, %d, %d, %d], stride: [%d, %d, %d, 1]}", t ? ", " : "", \
                substr("abc", t + 1, 1), $(p+1), $(p+2), $(p+3), $(p+4), $(p+2) * $(p+3) * $(p+4), $(p+3) * $(p+4), $(p+4) }
        print "]}" }'
}

by_hand() { # of shapes
    echo '#include "wg_native.h"'
    echo 'typedef struct Args { WgTensor *a; WgTensor *b; WgTensor *c; } Args;'
    echo 'int32_t hand_select(WgContext *ctx, const Args *args);'
    echo 'int32_t hand_select(WgContext *ctx, const Args *args) {'
    echo '    const WgTensor *const a = args->a, *const b = args->b, *const c = args->c; (void)ctx;'
    awk '{ printf "    if (1"
        for (t = 0; t < 3; t++) { p = 4 * t; x = substr("abc", t + 1, 1)
            printf " && %s->dtype == 5 && %s->rank == 4", x, x
            for (d = 0; d < 4; d++) printf " && %s->sizes[%d] == %d", x, d, $(p+1+d)
            printf " && %s->strides[0] == %d && %s->strides[1] == %d && %s->strides[2] == %d && %s->strides[3] == 1", \
                x, $(p+2) * $(p+3) * $(p+4), x, $(p+3) * $(p+4), x, $(p+4), x }
        printf ") return %d;\n", NR - 1 }'
    echo '    return -1;'
    echo '}'
}

bytes() { # OBJECT: of the choice, code and tables; what explains a miss is cold, and apart
    nm -S --radix=d "$1" | awk '$4 ~ /_(select|choose|find)$|^(rows|slots|displacements)/ { sum += $2 } END { print sum + 0 }'
}

cold_bytes() { # OBJECT: of the tables that explain a miss, texts aside
    nm -S --radix=d "$1" |
        awk '$4 ~ /_k_(field_names|ranges|alternatives|clauses|asked|variants|table)$/ { sum += $2 } END { print sum + 0 }'
}

for n in ${DISPATCH_SIZES:-1 4 16 64 256 1024}; do
    shapes "$n" >"$folder/shapes"
    { echo "enum { NUM_VARIANTS = $n };"; echo 'static const long SHAPES_[][12] = {'
        awk '{ gsub(/ /, ", "); print "    {" $0 "}," }' "$folder/shapes"; echo '};'; } |
        sed 's/static const long SHAPES_/static const int64_t SHAPES/; 1i #include <stdint.h>' >"$folder/shapes.h"
    yaml <"$folder/shapes" >"$folder/k.yaml"
    by_hand <"$folder/shapes" >"$folder/hand.c"
    objects=
    for strategy in chain tree hash auto; do
        option="--dispatch-strategy $strategy"
        [ $strategy != auto ] || option=
        # shellcheck disable=SC2086 # words
        "$WRAPGEN" -Wno-uncovered $option --prefix "${strategy}_" --in "$folder/k.yaml" --out "$folder/$strategy.c" --header "$folder/$strategy.h"
        # The choice alone: no variants are there to be called.
        sed -i "/^int32_t ${strategy}_k(WgContext/,/^}/d" "$folder/$strategy.c"
        # shellcheck disable=SC2086
        $CC -std=c11 -O2 -w $include -c -o "$folder/$strategy.o" "$folder/$strategy.c"
        objects="$objects $folder/$strategy.o"
        echo "$n $strategy $(bytes "$folder/$strategy.o") $(cold_bytes "$folder/$strategy.o")" >>"$folder/sizes"
    done
    # shellcheck disable=SC2086
    $CC -std=c11 -O2 $include -c -o "$folder/hand.o" "$folder/hand.c"
    echo "$n hand $(bytes "$folder/hand.o")" >>"$folder/sizes"
    # shellcheck disable=SC2086
    $CC -std=c11 -D_POSIX_C_SOURCE=200809L -O2 $include -I"$folder" -o "$folder/race" "$root/tests/bench/dispatch_race.c" \
        "$folder/hand.o" $objects "$root"/templates/core/*.c "$root"/templates/hosts/native/*.c -lm
    "$folder/race" "$rounds" >>"$folder/rows"
done

awk 'NR == FNR { bytes[$1 " " $2] = $3; if ($4 != "") cold[$1] = $4; next }
    { at = $1 " " $3; if (!(at in seen)) { order[++num] = at; seen[at] = 1 } ns[at " " $2] = $4 }
    END {
        split("hand walk chain tree hash auto", names, " ")
        printf "%-14s", "dispatch, ns"; for (c = 1; c <= 6; c++) printf "%9s", names[c]; print "   auto/hand"
        for (i = 1; i <= num; i++) {
            printf "%-14s", order[i]
            for (c = 1; c <= 6; c++) printf "%9.1f", ns[order[i] " " names[c]]
            printf "%12.2f\n", ns[order[i] " auto"] / ns[order[i] " hand"]
        }
        printf "%-14s", "bytes"; print sprintf("%63s", "a miss")
        for (i = 1; i <= num; i += 2) { split(order[i], p, " "); printf "%-14s", p[1]
            for (c = 1; c <= 6; c++) printf "%9s", names[c] == "walk" ? "-" : bytes[p[1] " " names[c]]; printf "%9s\n", cold[p[1]] }
    }' "$folder/sizes" "$folder/rows"
{
    echo '['
    awk 'NR == FNR { bytes[$1 " " $2] = $3; next }
        { at = $1 " " $2; size = at in bytes ? bytes[at] : "null"; between = FNR > 1 ? ",\n" : ""
          printf "%s  {\"variants\": %d, \"contestant\": \"%s\", \"call\": \"%s\", \"ns\": %s, \"bytes\": %s}", \
              between, $1, $2, $3, $4, size } END { print "" }' \
        "$folder/sizes" "$folder/rows"
    echo ']'
} >"$BUILD/bench/dispatch.json"
