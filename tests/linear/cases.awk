# SPDX-License-Identifier: MIT
#
# cases.awk -v kind=CASE -v n=N prints a file with N of something; kind=list prints the cases, one a line, each with the smallest N
# at which instructions are counted, and the one at which memory is. The ops of a plan become loops from 96 on, so the smallest N
# makes at least as many.
#
# To add a case: its function, a line in the list, and a line at the end.
BEGIN {
    if (kind == "list") {
        print "graphs 50 1000\nlike_graphs 50 1000\ninputs 200 2000\nresults 200 2000\nmutated 200 2000\nchecked_pairs 100 2000\nmerged 100 2000\nbases 100 500"
        print "aliases 100 2000\nsymbols 100 2000\nguards 60 500\nsubclasses 100 1000\ntraining 100 2000\nsaved 100 2000"
        print "kernels 30 500\nkernel_arguments 50 200\nerrors 100 2000"
        exit
    }
    print "wrapgen: 1"
    files()
}

function head(mode) {
    printf "graphs:\n  - name: g\n    mode: %s\n    compiled: g_kernel\n", mode ? mode : "inference"
}

function tensor(name, i, more) {
    return sprintf("      - {name: %s%d, dtype: float32, size: [%d, 4], stride: [4, 1]%s}\n", name, i, i % 97 + 1, more)
}

function inputs(more, i) {
    print "    inputs:"
    for (i = 0; i < n; i++)
        printf "%s", tensor("x", i, more)
}

function outputs(more, i) {
    print "    outputs:"
    for (i = 0; i < n; i++)
        printf "%s", tensor("y", i, ", type: non_alias" more)
}

# Many graphs: each unlike the others, or in families whose members differ only in names.
function graphs(alike, i, size) {
    print "graphs:"
    for (i = 0; i < n; i++) {
        size = alike ? 4 : i + 1
        printf "  - {name: g%d, mode: inference, compiled: k%d, inputs: [{name: x, size: [%d], mutates_data: true}, {name: w}],", i, i, size
        printf " outputs: [{name: y, type: non_alias, size: [%d]}, {name: v, type: alias_of_input, base: x}]}\n", size
    }
}

function merged(i) {
    head()
    print "    inputs:"
    for (i = 0; i < n; i++)
        printf "      - {name: x%d, mutates_data: true, size: [4], stride: [1], storage_offset: %d, dtype: float32}\n", i, 4 * i
    printf "    synthetic_bases: [{name: base, base: storage, members: ["
    for (i = 0; i < n; i++)
        printf "%sx%d", i ? ", " : "", i
    print "]}]\n    outputs: []"
}

# Pairs of slices, each pair of a storage of its own, and as many results: such a storage may be a result.
function bases(i) {
    head()
    print "    inputs:"
    for (i = 0; i < 2 * n; i++)
        printf "      - {name: x%d, mutates_data: true, size: [4], stride: [1], storage_offset: %d, dtype: float32}\n", i, i % 2 * 4
    print "    synthetic_bases:"
    for (i = 0; i < n; i++)
        printf "      - {name: base%d, base: storage, members: [x%d, x%d]}\n", i, 2 * i, 2 * i + 1
    outputs()
}

function aliases(i) {
    head()
    print "    inputs: [{name: x, size: [4, 6]}]\n    outputs:"
    for (i = 0; i < n; i++)
        printf "      - {name: y%d, type: alias_of_input, base: x, view: [{op: transpose, dims: [0, 1]}]}\n", i
}

function declare_symbols(i) {
    print "symbols:"
    for (i = 0; i < n; i++)
        printf "  - {name: s%d, min: 1}\n", i
}

function symbols(i) {
    declare_symbols()
    head()
    print "    inputs:"
    for (i = 0; i < n; i++)
        printf "      - {name: x%d, size: [s%d, s%d], dtype: float32}\n", i, i, (i + 7) % n
    print "    outputs: []"
}

function guards(i) {
    declare_symbols()
    head()
    printf "    guards: ["
    for (i = 0; i < n; i++)
        printf "%ss%d %% 8 == 0", i ? ", " : "", i
    print "]\n    inputs:"
    for (i = 0; i < n; i++)
        printf "      - {name: x%d, size: [s%d]}\n", i, i
    print "    outputs: []"
}

function subclasses(i) {
    print "subclasses: [{name: Two, attrs: [{name: a}, {name: b}]}]"
    head()
    print "    inputs:"
    for (i = 0; i < n; i++)
        printf "      - {name: x%d, subclass: {type: Two, outer_size: [4], outer_stride: [1], inner: [{attr: a, size: [4]}, {attr: b}]}}\n", i
    print "    outputs:"
    for (i = 0; i < n; i++)
        printf "      - {name: y%d, type: non_alias, subclass: {type: Two, context: c, outer_size: [4], outer_stride: [1], inner: [{attr: a}, {attr: b}]}}\n", i
}

function training(i) {
    head("training")
    inputs(", requires_grad: true")
    outputs(", requires_grad: true")
    print "    saved: {tensors: 1}\n    backward:\n      compiled: backward_kernel\n      tangents:"
    for (i = 0; i < n; i++)
        printf "        - {of: y%d, memory_format: contiguous}\n", i
    print "      grad_inputs:"
    for (i = 0; i < n; i++)
        printf "        - {of: x%d}\n", i
}

function saved() {
    head("training")
    print "    inputs: [{name: x, requires_grad: true}]\n    outputs: [{name: y, type: non_alias, requires_grad: true}]"
    printf "    saved: {tensors: %d, tensors_no_version_check: %d, symints: %d}\n", n, n, n
    print "    backward: {compiled: b_kernel, tangents: [{of: y, memory_format: contiguous}], grad_inputs: [{of: x}]}"
}

function kernels(i) {
    print "kernels:"
    for (i = 0; i < n; i++) {
        printf "  - name: k%d\n    args: [{name: x, kind: tensor, ndim: 2}, {name: m, kind: int}]\n", i
        printf "    variants: [{symbol: a%d, when: [{arg: m, value: 1}]}, {symbol: b%d, when: [{arg: m, value: 2}]}]\n", i, i
    }
}

function kernel_arguments(i) {
    print "kernels:\n  - name: k\n    args:"
    for (i = 0; i < n; i++)
        printf "      - {name: x%d, kind: tensor, ndim: 1}\n", i
}

# Every graph is refused: each message has its places, and quotes the line of the file.
function errors(i) {
    print "graphs:"
    for (i = 0; i < n; i++)
        printf "  - {name: g%d, mode: inference, compiled: k%d, inputs: [], outputs: [{name: y, type: alias_of_input, base: none%d}]}\n", i, i, i
}

function files() {
    if (kind == "graphs") graphs(0)
    else if (kind == "like_graphs") graphs(1)
    else if (kind == "inputs") { head(); inputs(); outputs() }
    else if (kind == "results") { head(); print "    inputs: []"; outputs() }
    else if (kind == "bases") bases()
    else if (kind == "mutated") { head(); inputs(", mutates_data: true"); print "    outputs: []" }
    else if (kind == "checked_pairs") { head(); print "    check: full"; inputs(", mutates_data: true"); print "    outputs: []" }
    else if (kind == "merged") merged()
    else if (kind == "aliases") aliases()
    else if (kind == "symbols") symbols()
    else if (kind == "guards") guards()
    else if (kind == "subclasses") subclasses()
    else if (kind == "training") training()
    else if (kind == "saved") saved()
    else if (kind == "kernels") kernels()
    else if (kind == "kernel_arguments") kernel_arguments()
    else if (kind == "errors") errors()
}
