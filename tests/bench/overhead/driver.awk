# SPDX-License-Identifier: MIT
#
# After case.awk: the table of cases, with a function of one shape for each contestant. All three cost one jump.
BEGIN { print "/* From cases.txt; do not edit. */\n#include \"cases.h\"\n#include \"wrappers.h\"" }
function one_case(    entry) {
    printf "\nint32_t floor_%s(WgContext *ctx, const WgValue *args, WgValue *outs, void *saved);\nextern const LoopGraph loop_%s;\n", name, name
    printf "static int32_t run_floor_%s(const Call *call)\n{\n    return floor_%s(call->ctx, call->args, call->outs, call->saved);\n}\n", name, name
    printf "static int32_t run_loop_%s(const Call *call)\n{\n", name
    if (kind == "backward")
        printf "    return loop_backward(call->ctx, &loop_%s, &call->arrays, call->args, call->outs);\n}\n", name
    else if (kind == "subclass")
        printf "    return loop_subclass(call->ctx, &loop_%s, call->args, call->outs);\n}\n", name
    else
        printf "    return loop_forward(call->ctx, &loop_%s, call->args, call->outs, &call->arrays);\n}\n", name
    printf "static int32_t run_generated_%s(const Call *call)\n{\n    return o_%s", name, name
    if (kind == "backward")
        printf "_backward(call->ctx, call->saved, (const o_%s_tangents *)call->args, (o_%s_gradients *)call->outs);\n}\n", name, name
    else
        printf "(call->ctx, (const o_%s_inputs *)call->args, (o_%s_outputs *)call->outs%s);\n}\n", name, name, kind == "training" ? ", call->saved" : ""
    rows = rows sprintf("    {\"%s\", {run_generated_%s, run_loop_%s, run_floor_%s}, &loop_%s, %d, ", name, name, name, name, name, kind == "backward")
    if (kind == "forward" || kind == "subclass")
        rows = rows "0, 0, 0, 0},\n"
    else {
        rows = rows sprintf("sizeof(o_%s_saved), %s, %s, %s},\n", name, saved ? "offsetof(o_" name "_saved, tensors)" : 0,
            saved ? "offsetof(o_" name "_saved, versions)" : 0, unchecked ? "offsetof(o_" name "_saved, unchecked)" : 0)
    }
}
END { printf "\nconst Case cases[] = {\n%s};\nconst size_t num_cases = sizeof cases / sizeof cases[0];\n", rows }
