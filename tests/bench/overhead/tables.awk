# SPDX-License-Identifier: MIT
#
# After case.awk: the metadata that the loop walks.
BEGIN {
    print "/* From cases.txt; do not edit. */\n#include \"cases.h\"\n"
    for (i = 0; i < 3; i++)
        printf "static const int64_t sizes_%d[] = {%s};\nstatic const int64_t strides_%d[] = {%s};\n", i, list(i, "size"), i, list(i, "stride")
}
function tensor(name, shape, offset, rank, duplicate, no_grad) {
    printf "    {\"%s\", sizes_%d, strides_%d, %d, %d, WG_FLOAT32, %d, %d},\n", name, shape % 3, shape % 3, offset, rank, duplicate, no_grad
}
# An array of the integers from first up to end; it has one element too many, so that it is never empty.
function indices(what, first, end,    i) {
    printf "static const int32_t %s_%s[] = {", name, what
    for (i = first; i < end; i++)
        printf "%d, ", i
    print "-1};"
}
# The nodes below one: their tables come first.
function tree(node, path, levels,    ends, e) {
    if (levels == 0)
        return
    split("a b", ends, " ")
    for (e = 1; e <= 2; e++)
        tree(node "_" ends[e], path "." ends[e], levels - 1)
    printf "static const LoopTree %s_attrs[] = {\n", node
    for (e = 1; e <= 2; e++)
        printf "    %s,\n", tree_node(node "_" ends[e], path "." ends[e], levels - 1)
    print "};"
}
function tree_node(node, path, levels) {
    return sprintf("{{\"%s\", sizes_0, strides_0, -1, 1, -1, -1, 0}, \"y0%s\", %s, %d}", path, substr(path, 3), levels ? "&TwoTensor, " node "_attrs" : "NULL, NULL", levels ? 2 : 0)
}
function one_case(    i) {
    printf "\nstatic const LoopTensor %s_inputs[] = {\n", name
    for (i = 0; i < inputs; i++)
        tensor("a" i, input_shape(i), merged ? 4 * i : -1, check == "none" ? -1 : shape_rank(input_shape(i)),
            i >= inputs - drop ? 0 : -1, i >= inputs - nograd)
    printf "};\nstatic const LoopTensor %s_stated[] = {\n", name
    tensor("y", 0, -1, check == "none" ? -1 : 1, -1, 0)
    printf "};\nstatic const LoopOutput %s_outputs[] = {\n", name
    for (i = 0; i < num_outs; i++)
        printf "    {\"y%d\", %s, %d, %d},\n", i, i < aliases || check == "none" ? "NULL" : name "_stated", i < aliases ? i : -1, kind != "forward"
    printf "    {NULL, NULL, -1, 0},\n};\nstatic const LoopTensor %s_tangents[] = {\n", name
    for (i = 0; i < (kind == "backward" ? outputs : 1); i++)
        tensor("y" i, 0, -1, 1, -1, 0)
    printf "};\nstatic const LoopTensor %s_gradients[] = {\n", name
    for (i = 0; i < inputs; i++)
        tensor("a" i, input_shape(i), -1, requires_grad(i) ? shape_rank(input_shape(i)) : -1, -1, 0)
    print "};"
    if (depth) {
        tree(name, "a0", depth)
        printf "static const LoopTree %s_tree = %s;\n", name, tree_node(name, "a0", depth)
    }
    indices("written", 0, num_written)
    indices("bumped", 0, mutations - num_written)
    if (drop || merged)
        indices("kept", merged, inputs - drop)
    indices("members", 0, merged)
    printf "static const int32_t %s_alike[] = {", name
    for (i = 0; i < inputs && compares == "each"; i++)
        if (is_alike(i))
            printf "%d, ", i
    print "-1};"
    printf "const LoopGraph loop_%s = {\"%s\", bench_kernel, %s_inputs, %s_outputs, %s_written, %s_bumped, %s, %s_members, %s_alike,\n", name,
        name, name, name, name, name, drop || merged ? name "_kept" : "NULL", name, name
    printf "    %s_tangents, %s_gradients, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %s, &two_context};\n", name, name, inputs, num_outs,
        aliases, num_written, mutations - num_written, inputs - drop - merged, merged, drop, num_alike(), compares == "each", compares == "all", saved, unchecked, inputs - nograd,
        kind != "forward", amp, depth ? 2 ^ depth : 0, depth ? "&" name "_tree" : "NULL"
}
