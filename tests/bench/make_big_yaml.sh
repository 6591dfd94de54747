#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prints a valid file of many small graphs, about 950 bytes each: 10,500 of them, some 10 MB, unless told otherwise.
#
#     sh tests/bench/make_big_yaml.sh [GRAPHS [EMPTY]] >big.yaml
#
# With EMPTY (any text) every graph also has an output of rank 0 (`size: []`), which libcyaml alone cannot tell from no size.
graphs=${1:-10500}
empty=${2:-}

awk -v graphs="$graphs" -v empty="$empty" 'BEGIN {
    print "# " graphs " graphs, made by make_big_yaml.sh"
    print "wrapgen: 1"
    print "prefix: big_"
    print "symbols:"
    print "  - {name: s0, min: 1, max: 4096, multiple_of: 8}"
    print "graphs:"
    for (i = 0; i < graphs; i++) {
        rows = i % 61 + 2
        printf "  - name: graph_%d\n", i
        print "    mode: inference"
        printf "    compiled: graph_%d_kernel\n", i
        print "    inputs:"
        printf "      - {name: x, dtype: float32, size: [s0, %d], stride: [%d, 1], storage_offset: 0, device: cpu}\n", rows, rows
        print "      - name: w"
        print "        dtype: float32"
        printf "        size: [%d, 64]\n", rows
        print "        stride: [64, 1]"
        print "        device: cpu"
        print "        mutates_data: true"
        print "      - {name: n, kind: int, value: s0}"
        print "    intermediate_bases:"
        printf "      - {name: b, dtype: float32, size: [s0, %d], stride: [%d, 1], storage_offset: 0, device: cpu}\n", rows, rows
        print "    outputs:"
        print "      - name: y"
        print "        type: non_alias"
        print "        dtype: float32"
        print "        size: [s0, 64]"
        print "        stride: [64, 1]"
        if (empty != "") {
            print "      - {name: loss, type: non_alias, dtype: float32, size: [], stride: []}"
        }
        print "      - name: t"
        print "        type: alias_of_intermediate_save_as_output"
        print "        base: b"
        print "        dtype: float32"
        printf "        size: [%d, s0]\n", rows
        printf "        stride: [1, %d]\n", rows
        print "        storage_offset: 0"
        print "        requires_grad: true"
        print "        view: [{op: transpose, dims: [0, 1]}]"
        print "      - {name: x_again, type: is_input, base: x}"
    }
}'
