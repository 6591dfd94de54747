# SPDX-License-Identifier: MIT
#
# After overhead/case.awk: the table of ours.c, with a function of one shape for each case's generated wrapper.
BEGIN { print "/* From cases.txt; do not edit. */\n#include \"ours.h\"\n#include \"wrappers.h\"" }
function one_case(    into) {
    into = sprintf("(const o_%s_inputs *)args, (o_%s_outputs *)outs", name, name)
    printf "\nstatic int32_t run_%s(WgContext *ctx, const WgValue *args, WgValue *outs, void *saved)\n{\n", name
    if (kind == "backward")
        printf "    return o_%s_backward(ctx, saved, (const o_%s_tangents *)args, (o_%s_gradients *)outs);\n}\n", name, name, name
    else if (kind == "training")
        printf "    return o_%s(ctx, %s, saved);\n}\n", name, into
    else
        printf "    (void)saved;\n    return o_%s(ctx, %s);\n}\n", name, into
    rows = rows sprintf("    {\"%s\", run_%s, %d, %d, %d, %d, %d, %d, %s, %s, %s, %s},\n", name, name, kind == "backward", depth,
        num_written, aliases, drop, merged, kind == "backward" || kind == "training" ? "sizeof(o_" name "_saved)" : 0,
        saved ? "offsetof(o_" name "_saved, tensors)" : 0, saved ? "offsetof(o_" name "_saved, versions)" : 0,
        unchecked ? "offsetof(o_" name "_saved, unchecked)" : 0)
}
END { printf "\nconst Case cases[] = {\n%s};\nconst size_t num_cases = sizeof cases / sizeof cases[0];\n", rows }
