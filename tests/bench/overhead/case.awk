# SPDX-License-Identifier: MIT
#
# Loaded before each of the generators: reads cases.txt and calls one_case() for each case.
function shape_rank(i) { return i % 3 + 1 }
function shape_size(i, d) { return i % 3 == 0 ? 4 : i % 3 == 1 && d == 1 ? 3 : 2 }
function shape_stride(i, d,    k, n) {
    n = 1
    for (k = d + 1; k < shape_rank(i); k++)
        n *= shape_size(i, k)
    return n
}
function list(i, what,    d, text) {
    for (d = 0; d < shape_rank(i); d++)
        text = text (d ? ", " : "") (what == "size" ? shape_size(i, d) : shape_stride(i, d))
    return text
}
# Which shape input i has: slices of one storage are alike, and a duplicate is input 0 again.
function input_shape(i) { return merged || i >= inputs - drop ? 0 : i }
# May a result be the input i? An output is stated as the inputs of the first shape are; a merged one is given as part of its base.
function is_alike(i) { return i >= merged && i < inputs - drop && input_shape(i) % 3 == 0 }
function num_alike(    i, n) {
    for (i = 0; i < inputs && compares == "each"; i++)
        n += is_alike(i)
    return n + 0
}
function requires_grad(i) { return kind != "forward" && i < inputs - nograd }

/^#/ || NF == 0 { next }
{
    name = $1
    kind = ""
    inputs = mutations = in_graph = aliases = outputs = drop = merged = nograd = saved = unchecked = amp = depth = 0
    check = "cheap"
    for (f = 2; f <= NF; f++) {
        split($f, pair, "=")
        key = pair[1]; value = pair[2]
        if (key == "kind") kind = value
        else if (key == "inputs") inputs = value + 0
        else if (key == "mutations") mutations = value + 0
        else if (key == "in_graph") in_graph = value + 0
        else if (key == "aliases") aliases = value + 0
        else if (key == "outputs") outputs = value + 0
        else if (key == "drop") drop = value + 0
        else if (key == "merged") merged = value + 0
        else if (key == "check") check = value
        else if (key == "nograd") nograd = value + 0
        else if (key == "saved") saved = value + 0
        else if (key == "unchecked") unchecked = value + 0
        else if (key == "amp") amp = value + 0
        else if (key == "depth") depth = value + 0
        else { print "cases.txt: unknown key " key >"/dev/stderr"; exit 1 }
    }
    if (check == "none" && (outputs > 1 || mutations || aliases)) { print "cases.txt: " name ": the floor of check=none is for one output" >"/dev/stderr"; exit 1 }
    num_outs = aliases + outputs                   # of the wrapper
    num_written = in_graph || merged ? 0 : mutations # by the epilogue
    num_results = num_written + num_outs + saved + unchecked
    num_given = inputs - drop - merged + (merged ? 1 : 0)
    # How results are compared with one another and with what the compiled function was given: schema/SPEC.md, "Results that are one object".
    compares = outputs == 0 || depth || check == "none" ? "" : outputs * (outputs + num_given) > 256 ? "all" : "each"
    num_kept = merged ? 1 + inputs - merged : inputs - drop
    one_case()
}
