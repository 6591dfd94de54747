#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [CASE...] - whatever is written as loops compiles as strictly as what is not. Every golden case, every program of
# tests/exec and every example is generated with loops of 2, 3 and 4 operations, and so are long graphs of one kind, at the length
# that is the default. gcc and clang, where they are there, compile what differs: each knows of things unused that the other does not
# see. What the long ones do is looked at by their self-tests.
. "$(dirname "$0")/../lib.sh"
. "$root/tests/golden/generate.sh"

strict='-std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wcast-qual -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror'
include="-I$root/templates/core -I$selftest_library -I$root/templates/hosts/native -I$root/templates/hosts/aoti -I$root/templates/hosts/dlpack -I$root/templates/hosts/torch"
compilers=$(for name in gcc clang; do command -v "$name" >/dev/null 2>&1 && echo "$name"; done)
: "${compilers:=$CC}"
case " $EXTRA " in *sanitize*) compilers= ;; esac # the tool is what is looked at: the run without sanitizers compiles the same text

compile() { # FOLDER: what is generated there
    for compiler in $compilers; do
        # shellcheck disable=SC2086 # lists of flags
        $compiler $strict -O1 $include -I"$1" -I"$graph_folder" -c -o "$1/object.o" "$1/wrappers.c" || return 1
    done
}

# Runs `make_it FOLDER ARGUMENT...` with and without loops.
try() { # NAME
    mkdir -p "$scratch/straight" "$scratch/looped"
    if ! make_it "$scratch/straight" --loop-from 0 >"$scratch/log" 2>&1; then
        not_ok "$1 is generated" "$scratch/log"
        return
    fi
    seen=$(cksum <"$scratch/straight/wrappers.c")
    for from in 2 3 4 ''; do
        if ! make_it "$scratch/looped" ${from:+--loop-from $from} >"$scratch/log" 2>&1; then
            not_ok "$1 is generated with loops from $from" "$scratch/log"
            continue
        fi
        sum=$(cksum <"$scratch/looped/wrappers.c")
        case "$seen" in
        *"$sum"*) same=$((same + 1)) ;;
        *)
            seen="$seen,$sum"
            if [ -n "$compilers" ]; then
                check "$1 compiles with loops from ${from:-the default}" compile "$scratch/looped"
            else
                ok "$1 is generated with loops from ${from:-the default}"
            fi
            ;;
        esac
    done
}

same=0
for case in $(golden_cases "$@"); do
    graph_folder=$root/tests/golden/$case
    ! grep -qx -- --loop-from "$graph_folder/args" 2>/dev/null || continue # it says from when on itself
    make_it() { golden_generate "$case" "$@"; }
    try "$case"
done
[ $# -eq 0 ] || finish

generate() ( # GRAPH FOLDER ARGUMENT...
    cd "$(dirname "$1")" || exit 1
    folder=$2
    shift 2
    "$WRAPGEN" --in graph.yaml --out "$folder/wrappers.c" --header "$folder/wrappers.h" "$@"
)
for graph in "$root"/tests/exec/*/graph.yaml "$root"/examples/*/graph.yaml; do
    graph_folder=$(dirname "$graph")
    make_it() { generate "$graph" "$@"; }
    try "$(basename "$graph_folder")"
done

# ---- long graphs of one kind ----

head_of() { # MODE
    echo 'wrapgen: 1'
    echo 'graphs:'
    echo '  - name: many'
    echo "    mode: $1"
    echo '    compiled: many_kernel'
    echo '    inputs:'
}

long_inputs() { # NUMBER DUPLICATE: one input is another; with $mutated
    head_of inference
    seq "$1" | sed "s/.*/      - {name: in&, dtype: float32, size: [4, 3], stride: [3, 1]$mutated}/; $2s/in[0-9]*.*/in$2}/"
    echo '    outputs:'
    seq "$1" | sed 's/.*/      - {name: y&, type: non_alias}/'
    echo "    duplicates: [{input: in$2, of: in1}]"
}

long_tangents() { # NUMBER FORMAT
    head_of training
    echo '      - {name: x, dtype: float32, size: [4], stride: [1], requires_grad: true}'
    echo '    outputs:'
    seq "$1" | sed 's/.*/      - {name: y&, type: non_alias, dtype: float32, size: [4], stride: [1], requires_grad: true}/'
    echo '    saved: {tensors: 1}'
    echo '    backward:'
    echo '      compiled: many_bw_kernel'
    echo '      tangents:'
    seq "$1" | sed "s/.*/        - {of: y&, $2}/"
    echo '      grad_inputs: [{of: x}]'
}

one_result() { # NUMBER: of arguments, which all require grad
    head_of training
    seq "$1" | sed 's/.*/      - {name: in&, dtype: float32, size: [4], stride: [1], requires_grad: true}/'
    echo '    outputs:'
    echo '      - {name: y, type: non_alias, dtype: float32, size: [4], stride: [1], requires_grad: true}'
    echo '    saved: {}'
    echo '    backward:'
    echo '      compiled: many_bw_kernel'
    echo '      tangents: [{of: y, memory_format: contiguous}]'
    echo '      grad_inputs:'
    seq "$1" | sed 's/.*/        - {of: in&, kind: none}/'
}

core=$(printf "$root/templates/core/%s.c " wg_cold wg_overlap wg_dispatch wg_key_text)" $scratch/wg_selftest.o"
# shellcheck disable=SC2086
$CC -std=c11 -w $EXTRA -O1 $include -c -o "$scratch/wg_selftest.o" "$selftest_library/wg_selftest.c" || exit 1
passes() { # FOLDER: the self-test, which knows nothing of loops, with what was generated last
    # shellcheck disable=SC2086
    $CC -std=c11 -w $EXTRA -O1 $include -I"$1" -o "$1/self" "$1/self.c" $core && "$1/self"
}

try_long() { # NAME
    try "$1"
    [ "$number" -lt 300 ] || return 0 # that takes minutes
    generate "$scratch/long/graph.yaml" "$scratch/looped" --emit-selftest "$scratch/looped/self.c" >/dev/null
    check "$1: its self-test passes" passes "$scratch/looped"
}

mkdir -p "$scratch/long"
graph_folder=$scratch/long
make_it() { generate "$scratch/long/graph.yaml" "$@"; }
while read -r number duplicate mutated; do
    long_inputs "$number" "$duplicate" >"$scratch/long/graph.yaml"
    try_long "$number inputs${mutated:+, all mutated}, number $duplicate a duplicate"
done <<CASES
6 3
110 110
110 3 , mutates_data: true
300 3
CASES
for number in 120; do
    for format in 'memory_format: contiguous' 'size: [4], stride: [1]'; do
        long_tangents "$number" "$format" >"$scratch/long/graph.yaml"
        try_long "$number tangents with $format"
    done
done
one_result 270 >"$scratch/long/graph.yaml" # beyond 256 comparisons
number=270 try_long '270 arguments and one result'
echo "#= $same had been compiled before"
finish
