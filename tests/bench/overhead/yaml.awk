# SPDX-License-Identifier: MIT
#
# After case.awk: the YAML of the cases.
BEGIN { print "# From cases.txt; do not edit.\nwrapgen: 1\nprefix: o_\nsubclasses: [{name: TwoTensor, attrs: [{name: a}, {name: b}]}]\ngraphs:" }
# What a TwoTensor has in common inside and outside, and its parts; of an output, with its context and no sizes of leaves.
function two(levels, is_output,    inner) {
    inner = levels > 1 ? ", " two(levels - 1, is_output) : is_output ? "" : ", size: [4], stride: [1]"
    return sprintf("type: TwoTensor%s, outer_size: [4], outer_stride: [1], inner: [{attr: a%s}, {attr: b%s}]",
        is_output ? ", context: two_context" : "", inner, inner)
}
function one_case(    i, text) {
    printf "  - name: %s\n    mode: %s\n    compiled: bench_kernel\n    check: %s\n", name,
        kind == "forward" || depth ? "inference" : "training", check
    if (num_written)
        print "    keep_input_mutations: false"
    if (nograd)
        print "    debug_assert: true"
    if (amp)
        print "    disable_amp: true"
    print "    inputs:"
    if (depth) {
        printf "      - {name: a0, subclass: {%s}}\n    outputs:\n      - {name: y0, type: non_alias, subclass: {%s}}\n", two(depth, 0), two(depth, 1)
        return
    }
    for (i = 0; i < inputs; i++) {
        if (i >= inputs - drop) {
            printf "      - {name: a%d}\n", i
            continue
        }
        text = sprintf("dtype: float32, size: [%s], stride: [%s]", list(input_shape(i), "size"), list(input_shape(i), "stride"))
        if (merged)
            text = text sprintf(", storage_offset: %d", 4 * i)
        if (i < mutations || (merged && i == 0))
            text = text ", mutates_data: true"
        if (requires_grad(i))
            text = text ", requires_grad: true"
        printf "      - {name: a%d, %s}\n", i, text
    }
    print num_outs ? "    outputs:" : "    outputs: []"
    for (i = 0; i < aliases; i++)
        printf "      - {name: y%d, type: alias_of_input, base: a%d}\n", i, i
    for (; i < num_outs; i++)
        printf "      - {name: y%d, type: non_alias, dtype: float32, size: [4], stride: [1]%s}\n", i, kind == "forward" ? "" : ", requires_grad: true"
    if (drop) {
        print "    duplicates:"
        for (i = inputs - drop; i < inputs; i++)
            printf "      - {input: a%d, of: a0}\n", i
    }
    if (merged) {
        printf "    synthetic_bases: [{name: merged, base: storage, members: ["
        for (i = 0; i < merged; i++)
            printf "%sa%d", i ? ", " : "", i
        print "]}]"
    }
    if (kind == "forward")
        return
    printf "    saved: {tensors: %d, tensors_no_version_check: %d}\n", saved, unchecked
    print "    backward:\n      compiled: bench_kernel\n      deterministic: false\n      tangents:"
    for (i = 0; i < outputs; i++)
        printf "        - {of: y%d, size: [4], stride: [1]}\n", i
    print "      grad_inputs:"
    for (i = 0; i < inputs; i++)
        printf "        - {of: a%d%s}\n", i, requires_grad(i) ? "" : ", kind: none"
}
