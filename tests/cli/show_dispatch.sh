# SPDX-License-Identifier: MIT
# --show and --show-html of dispatchers: how a variant is found, for each strategy. The expected texts are written by hand from
# the conditions; then what is shown is compared with the generated code, for all kernels of the goldens and examples.
shows() { # NAME ARGUMENT...: --show prints `expected`
    name=$1
    shift
    run --show "$@"
    exits 0 "$name: is shown"
    if cmp -s expected "$scratch/stdout"; then ok "$case: $name"; else
        diff expected "$scratch/stdout" >"$scratch/difference"
        not_ok "$case: $name" "$scratch/difference"
    fi
}

# Sizes 8 and 16 of dim 0, then 4 and 6 of dim 1 tell three variants apart; all want float16, so that is tested once. An example
# call has null only where it is asked for, and otherwise any number.
cat >small.yaml <<'YAML'
wrapgen: 1
prefix: demo_
kernels:
  - name: tile
    args:
      - {name: q, kind: tensor, ndim: 2}
      - {name: scale, kind: float, nullable: true, default: 1.5}
    variants:
      - {symbol: tile_8_4, when: [{arg: q, dtype: float16, size: [8, 4]}]}
      - {symbol: tile_8_6, when: [{arg: q, dtype: float16, size: [8, 6]}, {arg: scale, is_null: true}]}
      - {symbol: tile_16_4, when: [{arg: q, dtype: float16, size: [16, 4]}]}
      - {symbol: tile_rows, when: [{arg: q, dtype: float16, size: ['64..', any]}]}
YAML
cat >top <<'TEXT'
kernel tile
  callers give
    0  q: a tensor
    1  scale: a number or null, 1.5 when it is left out
  this is true of every call
    'q' is not null
    number of dimensions of 'q' is 2
TEXT
cat >end <<'TEXT'
    3  tile_rows, a compiled function
         size of dim 0 of 'q' is 64..
         for example (q: float16[64, 2] stride [2, 1]; scale: any)
  none takes (q: float32[2, 2] stride [2, 1]; scale: any)
TEXT
cat top - end >expected <<'TEXT'
  chain: 4 variants are tried in order; for up to 6 variants, that costs least
  tested first, as every variant requires it
    dtype of 'q' is float16
    0  tile_8_4, a compiled function
         size of dim 0 of 'q' is 8
         size of dim 1 of 'q' is 4
         for example (q: float16[8, 4] stride [4, 1]; scale: any)
    1  tile_8_6, a compiled function
         size of dim 0 of 'q' is 8
         size of dim 1 of 'q' is 6
         'scale' is null
         for example (q: float16[8, 6] stride [6, 1]; scale: null)
    2  tile_16_4, a compiled function
         size of dim 0 of 'q' is 16
         size of dim 1 of 'q' is 4
         for example (q: float16[16, 4] stride [4, 1]; scale: any)
TEXT
shows 'a chain' small.yaml
cat top - end >expected <<'TEXT'
  tree: 3 of 4 variants are found by nested switches over 2 values; it was asked for
  tested first, as every variant requires it
    dtype of 'q' is float16
    if size of dim 0 of 'q' is 8
      if size of dim 1 of 'q' is 4
        0  tile_8_4, a compiled function
             takes every call that gets here
             for example (q: float16[8, 4] stride [4, 1]; scale: any)
      if size of dim 1 of 'q' is 6
        1  tile_8_6, a compiled function
             'scale' is null
             for example (q: float16[8, 6] stride [6, 1]; scale: null)
    if size of dim 0 of 'q' is 16
      if size of dim 1 of 'q' is 4
        2  tile_16_4, a compiled function
             takes every call that gets here
             for example (q: float16[16, 4] stride [4, 1]; scale: any)
  otherwise, in this order
TEXT
shows 'a tree' small.yaml --dispatch-strategy tree
cat top - end >expected <<'TEXT'
  hash: 3 of 4 variants are looked up in a table of 4 slots without collisions; it was asked for
  tested first, as every variant requires it
    dtype of 'q' is float16
  hashed
    size of dim 0 of 'q'
    size of dim 1 of 'q'
  what the table has for these values, which are compared once more
    8, 4
      0  tile_8_4, a compiled function
           takes every call that gets here
           for example (q: float16[8, 4] stride [4, 1]; scale: any)
    8, 6
      1  tile_8_6, a compiled function
           'scale' is null
           for example (q: float16[8, 6] stride [6, 1]; scale: null)
    16, 4
      2  tile_16_4, a compiled function
           takes every call that gets here
           for example (q: float16[16, 4] stride [4, 1]; scale: any)
  otherwise, in this order
TEXT
shows 'a hash' small.yaml --dispatch-strategy hash

# Why: the strategy that is chosen by cost, where what is asked for cannot be done, and where there is nothing to choose.
many() { # N: variants that one size tells apart
    printf 'wrapgen: 1\nkernels:\n  - name: many\n    args: [{name: q, kind: tensor, ndim: 1}]\n    variants:\n'
    for i in $(seq "$1"); do echo "      - {symbol: many_$i, when: [{arg: q, size: [$i]}]}"; done
}
why() { # N TEXT
    many "$1" >many.yaml
    run --show many.yaml
    prints "$2"
}
why 6 'chain: 6 variants are tried in order; for up to 6 variants, that costs least'
why 7 'tree: all 7 variants are found by nested switches over 1 value; for 7 to 64 such variants, nested switches cost least'
why 64 'tree: all 64 variants are found by'
why 65 'hash: all 65 variants are looked up in a table of 128 slots without collisions; for more than 64 such variants, one look-up costs'
why 1 'chain: 1 variant is tried; for up to 6 variants'
run --show "$root/examples/matmul_dispatch/graph.yaml" --dispatch-strategy tree
prints 'chain: 12 variants are tried in order; no single values tell them apart'
cat >late.yaml <<'YAML'
wrapgen: 1
kernels:
  - name: late
    args: [{name: q, kind: tensor, ndim: 2}]
    variants:
      - {symbol: late_even, when: [{arg: q, size: ['%2', any]}]}
      - {symbol: late_2, when: [{arg: q, size: [any, 2]}]}
      - {symbol: late_4, when: [{arg: q, size: [any, 4]}]}
YAML
run --show late.yaml --dispatch-strategy tree
prints 'chain: 3 variants are tried in order; any other order could choose a different one'
# of the four that options.0 tells apart, three may take calls of the first variant
run --show "$root/tests/golden/dispatch_chain/graph.yaml"
prints 'chain: 7 variants are tried in order; single values can find only 1 of them, and for up to 6, that costs least'
run --show "$root/tests/golden/kernel_args/graph.yaml"
prints '  no variants'
run --show "$root/tests/golden/dispatch_wrapper/graph.yaml"
prints ', a graph with its wrapper: demo_'

# What is shown against the code: the variants in the order in which the choice returns them, under as many cases.
returned() { # FILE: of all kernels: "case" for each case of a switch over values, a number for each variant
    awk '/^static int32_t [a-z_0-9]*_find\(/ { within = 1 } /^}/ { within = 0 }
        !within { next }
        / = \(\(uint32_t\)\(hash >> 32\)/ { table = 1 } /switch \(slots/ { table = 2 }
        /^ *case / && table != 2 { print "case" }
        /^ *return [0-9]+; \/\*/ { sub(/;.*/, ""); print $2 }
        table == 1 && /^ *\{ .*, [0-9]+ \},$/ { print $(NF - 1) }' "$1"
}
shown() { # FILE
    sed -n 's/^ *if .* is .*/case/p; s/^  *\([0-9]*\)  [^ ]*, a \(compiled function\|graph with its wrapper\).*/\1/p' "$1"
}
for yaml in "$root"/tests/golden/*/graph.yaml "$root"/examples/*/graph.yaml small.yaml; do
    grep -q '^kernels:' "$yaml" || continue
    for strategy in chain tree hash; do
        "$WRAPGEN" "$yaml" --dispatch-strategy $strategy --out choice.c --header choice.h 2>/dev/null &&
            "$WRAPGEN" --show "$yaml" --dispatch-strategy $strategy >text 2>/dev/null || { echo "$yaml fails" >>wrong; continue; }
        returned choice.c >code
        shown text >said
        if grep -q '    } rows\[\] = {' choice.c; then # rows are by slot, not by variant
            sort -o code code
            sort -o said said
        fi
        cmp -s code said || echo "$yaml: $strategy" >>wrong
        wc -l <said >>seen
    done
done
check "$case: every kernel is shown as its code chooses" sh -c '! cat wrong 2>/dev/null | grep .'
check "$case: which is many variants" sh -c 'test "$(awk "{ n += \$1 } END { print n }" seen)" -gt 300'

# The page says what the text says: each test and example, once.
for strategy in chain tree hash; do
    "$WRAPGEN" --show small.yaml --dispatch-strategy $strategy >text 2>/dev/null
    "$WRAPGEN" --show-html small.yaml --dispatch-strategy $strategy >page.html 2>/dev/null
    check "$case: $strategy: the page says the same" sh -c '
        sed -n "s/^ *for example (\(.*\))$/\1/p; s/^ *if /if /p; s/^         *\(.* is .*\)/\1/p" text | sed "s/^ *//" | grep -v "^for example" | sort -u >a
        sed "s/&gt;/>/g; s/&quot;/\"/g; s/<[^>]*>//g; s/^For example //" page.html | sort -u >b
        test -s a && test "$(comm -23 a b | wc -l)" -eq 0'
done
