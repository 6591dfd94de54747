# SPDX-License-Identifier: MIT
# --size-report: every byte of source and header is counted once, and nothing is written.
sums() { # YAML ARGUMENT...: the parts that are reported add up to the sum that is reported, and that is the size of the file
    yaml=$1
    shift
    run "$yaml" --size-report "$@"
    [ "$status" -eq 0 ] || return 1
    cp "$scratch/stdout" report
    run "$yaml" --out sized.c "$@"
    awk '/^bytes of the / { sum = 0 }
        /^ *[0-9]+  in all$/ { if (sum != $1) exit 1; print $1; next }
        /^functions|^no graphs/ { exit }
        { sum += $1 }' report >sums && [ -s sums ] || return 1
    for file in sized.c sized.h; do
        [ ! -f "$file" ] || wc -c <"$file" | tr -d ' '
    done | cmp - sums
}

for yaml in "$root"/tests/golden/*/graph.yaml "$root"/examples/*/graph.yaml; do
    case $yaml in */view_base/* | */range_*) continue ;; esac # a host of their own, in the same folder
    rm -f sized.*
    sums "$yaml" || not_ok "$case: $yaml: parts add up" report sums
    sums "$yaml" --header sized.h || not_ok "$case: $yaml, with a header: parts add up" report sums
    ! grep -q ' other ' report || not_ok "$case: $yaml: every template belongs to a part" report
done
ok "$case: the parts of every file add up"

rm -f ./*.c ./*.h
run "$root/tests/golden/alike/graph.yaml" --size-report --header w.h
exits 0 'without --out'
check "$case: nothing is written" test ! -e w.h
prints 'for 3 graphs, from demo_layer0 on: saves'
prints 'mutation_epilogue '
# What sharing saves is what the function of another graph would have had: with one byte more in a name it is not shared.
shared=$(sed -n 's/^ *\([0-9]*\)  for 3 graphs, from demo_layer0 on.*/\1/p' "$scratch/stdout")
sed 's/name: layer2/name: apart1/; s/size: \[4, 5\], stride: \[5, 1\]/size: [4, 3], stride: [3, 1]/; s/layer2_kernel/apart1_kernel/' \
    "$root/tests/golden/alike/graph.yaml" >four.yaml
run four.yaml --size-report
check "$case: a fourth like graph adds as much as the third" grep -qF "for 4 graphs, from demo_layer0 on: saves $((3 * shared))" "$scratch/stdout"
run "$root/tests/golden/alike_training/graph.yaml" --size-report
prints 'saved by sharing'
run graph.yaml --size-report
prints 'no graphs share functions'
refuses "'--size-report' and '--check' exclude each other" graph.yaml --size-report --check
