#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Large inputs take time and memory, and make C, in proportion to their size; and so does a call of what is made. Each case is a file of one kind at a size where
# what grows faster than the input would not end in the time it gets, or fill the memory it gets; the bound on the C is in bytes
# for each byte of YAML.
#
# To add a case: a function that prints the file, and a line that calls grows. What a call costs is counted by programs, overlaps.c and
# results.c, and so is what a proof of a kernel's variants costs: proofs.c.
. "$(dirname "$0")/../lib.sh"
. "$root/tests/unit/library.sh"
case " $EXTRA " in
*sanitize*) seconds=60 memory=unlimited ;; # sanitizers reserve addresses without end
*) seconds=10 memory=2000000 ;;
esac
cd "$scratch" || exit 1

grows() { # NAME MOST: the file that FUNCTION $name prints makes at most MOST bytes of C for each of its own
    "$1" >"$1.yaml"
    if ! (ulimit -t $seconds && ulimit -v $memory && exec "$WRAPGEN" --in "$1.yaml" --out "$1.c" -Wno-overlap -Wno-uncovered) 2>log; then
        not_ok "$1: it is generated in $seconds seconds of the processor's time" log
        return
    fi
    check "$1: $(wc -c <"$1.yaml") bytes make $(wc -c <"$1.c"), at most $2 for each" \
        test "$(wc -c <"$1.c")" -le $(($(wc -c <"$1.yaml") * $2))
}

head_of_graph() {
    printf 'wrapgen: 1\ngraphs:\n  - name: g\n    mode: inference\n    compiled: g_kernel\n    check: full\n    inputs:\n'
}

mutated_inputs() { # all pairs could share memory
    head_of_graph
    awk 'BEGIN { for (i = 0; i < 6000; i++) printf "      - {name: x%d, mutates_data: true, size: [4]}\n", i; print "    outputs: []" }'
}

or_guards() { # what one kernel costs is bounded, so eight of them take eight times as long
    printf 'wrapgen: 1\nsymbols: [{name: m}, {name: k}, {name: n}]\nkernels:\n'
    awk 'BEGIN {
        for (f = 0; f < 8; f++) {
            printf "  - name: f%d\n    args: [{name: x, kind: tensor, ndim: 3}]\n    variants:\n", f
            for (i = 0; i < 60; i++) {
                a = (37 * i + 11 * f) % 50 + 1; b = (29 * i + 7 * f) % 50 + 1; c = (13 * i + f) % 19 + 2
                printf "      - {symbol: v%d_%d, when: [{arg: x, size: [m, k, n]}], guards: [\"m > %d*k or k %% %d == %d or n < %d\"]}\n", f, i, a, c, b % c, b
            }
        }
    }'
}

long_guards() { # a guard of 60 operations takes longer to try than one of three
    printf 'wrapgen: 1\nsymbols: [{name: m}, {name: k}, {name: n}]\nkernels:\n  - name: f\n    args: [{name: x, kind: tensor, ndim: 3}]\n    variants:\n'
    awk 'BEGIN {
        for (i = 0; i < 60; i++) {
            printf "      - {symbol: v%d, when: [{arg: x, size: [m, k, n]}], guards: [\"", i
            for (j = 0; j < 20; j++)
                printf "%s(m + %d*k) %% %d == %d and n*m < %d", j ? " or " : "", j % 7 + 1, i * j % 11 + 2, j % 2, (i + j) * 100
            print "\"]}"
        }
    }'
}

merged_inputs() {
    head_of_graph
    awk 'BEGIN {
        for (i = 0; i < 4000; i++)
            printf "      - {name: x%d, mutates_data: true, size: [4], stride: [1], storage_offset: %d, dtype: float32}\n", i, 4 * i
        printf "    synthetic_bases: [{name: base, base: storage, members: ["
        for (i = 0; i < 4000; i++) printf "%sx%d", i ? ", " : "", i
        print "]}]\n    outputs: []"
    }'
}

aliases() {
    head_of_graph
    awk 'BEGIN {
        print "      - {name: x, size: [4, 4]}\n    outputs:"
        for (i = 0; i < 6000; i++) printf "      - {name: y%d, type: alias_of_input, base: x, view: [{op: transpose, dims: [0, 1]}]}\n", i
    }'
}

symbols() {
    printf 'wrapgen: 1\nsymbols:\n'
    awk 'BEGIN { for (i = 0; i < 3000; i++) printf "  - {name: s%d, min: 1}\n", i }'
    head_of_graph | sed 1d
    awk 'BEGIN {
        for (i = 0; i < 3000; i++) printf "      - {name: x%d, size: [s%d, s%d]}\n", i, i, (i + 7) % 3000
        print "    outputs: []"
    }'
}

graphs() {
    printf 'wrapgen: 1\ngraphs:\n'
    awk 'BEGIN { for (i = 0; i < 3000; i++) printf "  - {name: g%d, mode: inference, compiled: k%d, inputs: [{name: x}], outputs: [{name: y, type: non_alias}]}\n", i, i }'
}

nested_tuples() {
    awk 'BEGIN {
        printf "wrapgen: 1\nkernels:\n  - name: k\n    args:\n"
        for (a = 0; a < 20; a++) {
            printf "      - {name: t%d, kind: tuple, items: [", a
            for (i = 0; i < 60; i++) {
                printf "%s{kind: tuple, items: [", i ? ", " : ""
                for (n = 0; n < 60; n++) printf "%s{kind: int}", n ? ", " : ""
                printf "]}"
            }
            print "]}"
        }
    }'
}

variants() {
    awk 'BEGIN {
        printf "wrapgen: 1\nkernels:\n  - name: k\n    args: [{name: n, kind: int}]\n    variants:\n"
        for (i = 0; i < 2000; i++) printf "      - {symbol: v%d, when: [{arg: n, value: %d}]}\n", i, i
    }'
}

grows or_guards 40
grows long_guards 40
grows mutated_inputs 60
grows merged_inputs 100
grows aliases 40
grows symbols 60
grows graphs 60
grows nested_tuples 20
grows variants 30

# 18 MB make 43 MB of C in less than 150 MB, since the C is in a file while it is made.
[ "$memory" = unlimited ] || memory=180000
sh "$root/tests/bench/make_big_yaml.sh" 20000 >many.yaml
generate_many() {
    (ulimit -v "$memory" && exec "$WRAPGEN" --in many.yaml --out many.c)
}
check 'many graphs take little memory' generate_many
cat many.c many.c many.c many.c >stale.c # more than there is room for
mv stale.c many.c
check 'a large old output takes no more' generate_many
rm many.c many.yaml

# Nothing but tables grows with the inputs of a training graph: the compiler sees the same code.
training() { # INPUTS
    awk -v n="$1" 'BEGIN {
        print "wrapgen: 1\ngraphs:\n  - name: g\n    mode: training\n    compiled: forward_kernel\n    saved: {tensors: 1}"
        print "    outputs: [{name: y, type: non_alias, requires_grad: true, dtype: float32, size: [4]}]\n    inputs:"
        for (i = 0; i < n; i++) printf "      - {name: x%d, dtype: float32, size: [4], stride: [1], requires_grad: true}\n", i
        print "    backward:\n      compiled: backward_kernel\n      tangents: [{of: y, memory_format: contiguous}]\n      grad_inputs:"
        for (i = 0; i < n; i++) printf "        - {of: x%d}\n", i
    }'
}

code_of_training() { # INPUTS: how many lines, but those of tables
    training "$1" >training.yaml && "$WRAPGEN" --in training.yaml --out training.c --header training.h || return 1
    grep -vc '^        { "g", ' training.c
}
few=$(code_of_training 500)
many=$(code_of_training 1000)
check "a training graph of 1,000 inputs has as many lines of code as one of 500 ($many, $few)" test "$many" -le "$((few + 2))"

# Facts that are stated again and again stand in the C once.
bytes_each() { # KIND MOST: bytes of C that each of 1,000 inputs costs
    awk -v kind="$1" -v n=1000 -f "$root/tests/bench/large/yaml.awk" >large.yaml &&
        "$WRAPGEN" --in large.yaml --out large.c --header large.h || return 1
    check "$1: each of 1,000 inputs makes $(($(wc -c <large.c) / 1000)) bytes, at most $2" test "$(wc -c <large.c)" -le $(($2 * 1000))
}
bytes_each plain 200
bytes_each optimizer 200
bytes_each training 200
bytes_each subclass 800

# Every other input is written.
overlaps() {
    printf 'wrapgen: 1\nprefix: t_\ngraphs:\n'
    awk 'BEGIN {
        for (n = 1000; n <= 2000; n += 1000) {
            printf "  - {name: %s, mode: inference, compiled: kernel, check: full, outputs: [], inputs: [", n == 1000 ? "few" : "many"
            for (i = 0; i < n; i++) printf "%s{name: x%d%s}", i ? ", " : "", i, i % 2 ? "" : ", mutates_data: true"
            print "]}"
        }
    }'
}

# As many results as arguments.
results() {
    printf 'wrapgen: 1\nprefix: t_\ngraphs:\n'
    awk 'BEGIN {
        for (n = 1000; n <= 2000; n += 1000) {
            printf "  - {name: %s, mode: inference, compiled: kernel, inputs: [", n == 1000 ? "few" : "many"
            for (i = 0; i < n; i++) printf "%s{name: x%d}", i ? ", " : "", i
            printf "], outputs: ["
            for (i = 0; i < n; i++) printf "%s{name: y%d, type: non_alias}", i ? ", " : "", i
            print "]}"
        }
    }'
}

build_counted() { # NAME: the program NAME.c of the wrappers of what NAME prints, whose blocks are counted
    host=$root/templates/hosts/native
    include="-I$root/templates/core -I$host -I."
    "$1" >"$1.yaml" && "$WRAPGEN" --in "$1.yaml" --out wrappers.c --header wrappers.h || return 1
    # shellcheck disable=SC2046,SC2086 # lists of flags, and of files
    $CC -std=c11 -O0 $EXTRA $include -fsanitize-coverage=trace-pc -c wrappers.c "$root/templates/core/wg_overlap.c" &&
        $CC -std=c11 -O1 $EXTRA $include -I"$root/tests/scale" -o "$1" "$root/tests/scale/$1.c" wrappers.o wg_overlap.o \
            $(ls "$root"/templates/core/*.c | grep -v /wg_overlap.c) "$host"/*.c
}
take_log() { # NAME: the tests in the log are ours
    while IFS= read -r line; do
        case $line in
        'ok '*) ok "$1: ${line#*- }" ;;
        'not ok '*) not_ok "$1: ${line#*- }" log ;;
        esac
    done <log
    check "$1: the program ends well" grep -q ' 0 failed, 0 skipped$' log
}

for counted in overlaps results; do
    check "$counted: wrappers for 1,000 and 2,000 of them compile" build_counted $counted
    ./$counted >log
    take_log $counted
done

# Proofs with much to do besides looking at clauses, which is what their limit counts.
proofs='hints tensors same lists pairs'
build_proofs() {
    for kind in $proofs; do
        awk -v kind="$kind" -f "$root/tests/scale/proofs.awk" >"$kind.yaml" || return 1
    done
    (cd "$root" && for source in gen/dispatch/*.c gen/algebra/*.c; do
        $CC -std=c11 -D_POSIX_C_SOURCE=200809L -I. -O1 -fsanitize-coverage=trace-pc -c -o "$scratch/$(basename "$source" .c).o" "$source" || exit 1
    done) || return 1
    # shellcheck disable=SC2046,SC2086 # flags and files; those that count come first, and the library has the rest
    (cd "$root" && ls gen/dispatch/*.c gen/algebra/*.c) | sed 's,.*/\(.*\)c,\1o,' >objects && build_library &&
        $CC -std=c11 -D_POSIX_C_SOURCE=200809L -I"$root" -O1 $EXTRA -o proofs "$root/tests/scale/proofs.c" $(cat objects) "$library" -lcyaml -lyaml
}
check 'proofs: the program that counts what they do compiles' build_proofs
# shellcheck disable=SC2046,SC2086 # a list of files
./proofs $(printf '%s.yaml ' $proofs) >log
take_log proofs
finish
