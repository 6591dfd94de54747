# SPDX-License-Identifier: MIT
#
# yaml.awk -v kind=plain|optimizer|training|subclass -v n=N - one graph with N inputs:
#
#   plain      with N outputs                    optimizer  each is written, nothing is returned
#   training   each requires grad; a backward    subclass   two-part subclasses, and as many come out
BEGIN {
    print "wrapgen: 1\nprefix: l_\nsubclasses: [{name: TwoTensor, attrs: [{name: a}, {name: b}]}]\ngraphs:"
    printf "  - name: %s\n    mode: %s\n    compiled: kernel\n    inputs:\n", kind, kind == "training" ? "training" : "inference"
    for (i = 0; i < n; i++)
        printf "      - {name: x%d, %s%s}\n", i, kind == "subclass" ? "subclass: {" two("") "}" : plain(i),
            kind == "optimizer" ? ", mutates_data: true" : kind == "training" ? ", requires_grad: true" : ""
    print kind == "optimizer" ? "    outputs: []" : "    outputs:"
    if (kind == "training")
        training()
    for (i = 0; i < n && (kind == "plain" || kind == "subclass"); i++)
        printf "      - {name: y%d, type: non_alias, %s}\n", i, kind == "subclass" ? "subclass: {" two(", context: c") "}" : plain(i)
}

# Parameters of a model come in a few shapes.
function plain(i,    rows) {
    rows = 2 ^ (i % 5 + 2)
    return sprintf("dtype: float32, size: [%d, 64], stride: [64, 1]", rows)
}

function two(context) {
    return "type: TwoTensor" context ", outer_size: [4, 3], outer_stride: [3, 1], inner: [{attr: a" (context ? "" : ", size: [4, 3]") "}, {attr: b}]"
}

function training() {
    print "      - {name: y, type: non_alias, dtype: float32, size: [4], stride: [1], requires_grad: true}"
    print "    saved: {tensors: 3}\n    backward:\n      compiled: backward_kernel\n      tangents: [{of: y, size: [4], stride: [1]}]\n      grad_inputs:"
    for (i = 0; i < n; i++)
        printf "        - {of: x%d}\n", i
}
