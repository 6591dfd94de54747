# SPDX-License-Identifier: MIT
#
# After case.awk: the floor of each case, written by hand but for the counting. See floor.h.
BEGIN {
    print "/* From cases.txt; do not edit. */\n#include \"floor.h\"\n#include \"wrappers.h\" /* for the structs of saved values */"
    split("is_vector is_matrix is_cube", test, " ")
}
function tests(    i, s, condition) {
    for (i = inputs - drop; i < inputs; i++)
        printf "    if (args[%d].tensor != args[0].tensor) {\n        return fail(ctx, \"a%d\", WG_E_IDENTITY, NULL, 0, outs, %d);\n    }\n", i, i, num_outs
    for (i = 0; i < inputs - drop; i++) {
        s = input_shape(i)
        condition = check == "none" ? "is_plain" : test[s % 3 + 1]
        printf "    if (!%s(args[%d].tensor)%s) {\n", condition, i, merged ? sprintf(" || args[%d].tensor->offset != %d", i, 4 * i) : ""
        printf "        static const int64_t geometry[] = {%s, %s, %d};\n", list(s, "size"), list(s, "stride"), merged ? 4 * i : -1
        printf "        return fail_tensor(ctx, \"a%d\", args[%d].tensor, %d, geometry, outs, %d);\n    }\n", i, i,
            check == "none" ? -1 : shape_rank(s), num_outs
        if (i >= inputs - nograd)
            printf "    if (args[%d].tensor->requires_grad) {\n        return fail(ctx, \"a%d\", WG_E_GRAD, NULL, 0, outs, %d);\n    }\n", i, i, num_outs
    }
    for (i = 1; i < merged; i++)
        printf "    if (args[%d].tensor->storage != args[0].tensor->storage) {\n        return fail(ctx, \"a%d\", WG_E_IDENTITY, NULL, 0, outs, %d);\n    }\n", i, i, num_outs
}
# The call with grad mode off and, of a training graph, view replay on, and what it can do wrong.
function call(replay, passed, num_passed, array, count, clean) {
    if (count)
        printf "    memset(%s, 0, %d * sizeof *%s);\n", array, count, array
    print "    const int32_t grad_mode = ctx->grad_mode;"
    print "    ctx->grad_mode = 0;"
    if (replay)
        print "    const int32_t view_replay = ctx->view_replay;\n    ctx->view_replay = 1;"
    if (amp)
        print "    const uint32_t autocast = ctx->autocast;\n    ctx->autocast = 0;"
    printf "    size_t n = %d;\n    ctx->error.error.site = NULL;\n    ctx->error.error.status = WG_OK;\n", count
    printf "    const int32_t status = bench_kernel(ctx, %s, %d, %s, &n);\n", passed, num_passed, array
    print "    ctx->grad_mode = grad_mode;"
    if (replay)
        print "    ctx->view_replay = view_replay;"
    if (amp)
        print "    ctx->autocast = autocast;"
    if (clean)
        print clean
}
function check_call(array, count, outs_count, leave) {
    printf "    if (!LIKELY(status == 0 && n == %d)) {\n%s        return fail(ctx, NULL, status != 0 ? WG_E_COMPILED : WG_E_OUTPUTS, %s, status != 0 ? 0 : n, outs, %d);\n    }\n",
        count, leave, array, outs_count
}
function result(i, of, count,    what) {
    printf "    if (results[%d].tensor == NULL) {\n        code = WG_E_RESULT;\n        name = %s;\n        goto failed;\n    }\n", i, of
}
# The call fails because of an output, before anything is done with what came back.
function refuse(i, code, leave) {
    printf "%s", leave
    if (kind == "training")
        print "        memset(saved, 0, sizeof *saved);"
    printf "        return fail(ctx, \"y%d\", %s, results, %d, outs, %d);\n    }\n", i, code, num_results, num_outs
}
# An output that is passed through: float32[4].
function stated(i, leave) {
    printf "    if (!is_vector(results[%d].tensor)) {\n", num_written + i
    refuse(i, "WG_E_RESULT", leave)
}
# same_R: is result R an argument that is stated as it is, or the base that was merged of some?
function find_argument(r,    i, text) {
    text = merged ? "is_base" : ""
    if (num_alike() > 8) {
        printf "    int same_%d = %s;\n    for (size_t i = 0; i < %d; i += 3) {\n", r, merged ? text : "0", inputs - drop
        printf "        same_%d |= results[%d].tensor == args[i].tensor;\n    }\n", r, r
        return
    }
    for (i = 0; i < inputs; i++)
        if (is_alike(i))
            text = text (text == "" ? "" : " || ") sprintf("results[%d].tensor == args[%d].tensor", r, i)
    printf "    const int same_%d = %s;\n", r, text == "" ? "0" : text
}
# So many results and arguments that they are looked at together: is any of them there twice?
function find_twice(    bits, first) {
    first = num_written + aliases
    print "    int same = 0;"
    if (outputs == 1) {
        printf "    for (size_t i = 0; i < %d; i++) {\n        same |= results[%d].tensor == args[i].tensor;\n    }\n", inputs - drop, first
        return
    }
    if (first)
        printf "    const WgValue *own = results + %d;\n", first
    first = first ? "own" : "results"
    for (bits = 6; 2 ^ bits < 2 * outputs; bits++) {}
    printf "    uint16_t seen[%d] = {0};\n", 2 ^ bits
    printf "    for (size_t i = 0; i < %d && !same; i++) {\n        size_t place = place_of(%s[i].tensor, %d);\n", outputs, first, bits
    printf "        for (; seen[place] != 0 && !same; place = (place + 1) %% %d) {\n", 2 ^ bits
    printf "            same = %s[seen[place] - 1].tensor == %s[i].tensor;\n        }\n        seen[place] = (uint16_t)(i + 1);\n    }\n", first, first
    printf "    for (size_t i = 0; i < %d && !same; i++) {\n        size_t place = place_of(args[i].tensor, %d);\n", inputs, bits
    printf "        for (; seen[place] != 0 && !same; place = (place + 1) %% %d) {\n", 2 ^ bits
    printf "            same = %s[seen[place] - 1].tensor == args[i].tensor;\n        }\n    }\n", first
}
function own(condition, first, count, as_view, leave) {
    printf "    if (!LIKELY(!(%s)) && !own_objects(ctx, results + %d, %d, %d)) {\n", condition, first, count, as_view
    refuse(0, "WG_E_HOST", leave)
}
# None of the results is another one, or an argument: an error, or each becomes an object of its own.
function identity(leave,    i, k, text) {
    if (compares == "all") {
        find_twice()
        own("same", num_written + aliases, outputs, kind == "training", leave)
        return
    }
    for (i = aliases; i < num_outs; i++) {
        find_argument(num_written + i)
        if (kind == "training")
            own("same_" num_written + i, num_written + i, 1, 1, leave)
        else {
            printf "    if (!LIKELY(!same_%d)) {\n", num_written + i
            refuse(i, "WG_E_RESULT", leave)
        }
    }
    for (i = aliases + 1; i < num_outs; i++) {
        text = ""
        for (k = aliases; k < i; k++)
            text = text (text == "" ? "" : " || ") sprintf("results[%d].tensor == results[%d].tensor", num_written + i, num_written + k)
        own(text, num_written + i, 1, 0, leave)
    }
}
function host(code, of) {
    printf "    if (%s != 0) {\n        code = WG_E_HOST;\n        name = %s;\n        goto failed;\n    }\n", code, of
}
function forward(    i, needs, large, passed, num_passed, leave) {
    needs = num_written || aliases || kind == "training"
    large = num_results > 128
    printf "\nint32_t floor_%s(WgContext *ctx, const WgValue *args, WgValue *outs, void *into)\n{\n", name
    if (kind == "training")
        printf "    o_%s_saved *saved = into;\n", name
    printf "    if (args == NULL || outs == NULL%s) {\n        return wg_fail_null(ctx, NULL, outs, %d * sizeof *outs);\n    }\n", kind == "training" ? " || saved == NULL" : "", num_outs
    if (kind != "training")
        print "    (void)into;"
    tests()
    passed = "args"; num_passed = inputs
    if (merged) {
        printf "    WgValue packed[%d];\n", 1 + inputs - merged
        print "    packed[0].tensor = NULL;\n    if (wg_storage_base(ctx, args[0].tensor, &packed[0].tensor) != 0) {"
        printf "        return fail(ctx, \"merged\", WG_E_HOST, NULL, 0, outs, %d);\n    }\n", num_outs
        print "    (void)wg_bump_version(ctx, packed[0].tensor);"
        passed = "packed"; num_passed = 1 + inputs - merged
    }
    if (drop)
        num_passed = inputs - drop # they are the last: the array begins as it should
    for (i = 0; i < mutations - num_written; i++)
        printf "    (void)wg_bump_version(ctx, args[%d].tensor);\n", i
    if (needs && large)
        printf "    WgValue *results = wg_scratch_take(ctx, %d);\n    if (results == NULL) {\n        return fail(ctx, NULL, WG_E_SCRATCH, NULL, 0, outs, %d);\n    }\n", num_results, num_outs
    else if (needs)
        printf "    WgValue results[%d];\n", num_results
    else
        print "    WgValue *results = outs;"
    call(kind == "training", passed, num_passed, "results", num_results, merged ? "    const int is_base = results[0].tensor == packed[0].tensor;\n    wg_release(ctx, packed[0].tensor);" : "")
    check_call("results", num_results, num_outs, needs && large ? sprintf("        wg_scratch_give(ctx, %d);\n", num_results) : "")
    if (check == "none") {
        print "    return WG_OK;\n}"
        return
    }
    leave = needs && large ? sprintf("        wg_scratch_give(ctx, %d);\n", num_results) : ""
    for (i = aliases; i < num_outs; i++)
        stated(i, leave)
    if (compares != "")
        identity(leave)
    print "    const char *name;\n    int32_t code;"
    for (i = 0; i < aliases; i++) { # its geometry is taken, so it must lie in the memory of the input
        result(num_written + i, "\"y" i "\"")
        printf "    if (!wg_same_storage(ctx, results[%d].tensor, args[%d].tensor)) {\n", num_written + i, i
        printf "        code = WG_E_RESULT;\n        name = \"y%d\";\n        goto failed;\n    }\n", i
    }
    for (i = 0; i < num_written; i++) {
        result(i, "\"a" i "\"")
        host(sprintf("(args[%d].tensor->requires_grad ? wg_copy_leaf_ : wg_copy_)(ctx, args[%d].tensor, results[%d].tensor)", i, i, i), "\"a" i "\"")
    }
    for (i = num_written + num_outs; i < num_results; i++) {
        result(i, "NULL")
        printf "    if (results[%d].tensor->is_view) {\n        WgTensor *detached;\n", i
        host(sprintf("wg_detach(ctx, results[%d].tensor, &detached)", i), "NULL")
        printf "        wg_release(ctx, results[%d].tensor);\n        results[%d].tensor = detached;\n    }\n", i, i
        if (i < num_written + num_outs + saved)
            printf "    saved->versions[%d] = wg_version(ctx, results[%d].tensor);\n", i - num_written - num_outs, i
    }
    for (i = 0; i < num_outs; i++) {
        if (i < aliases)
            host(sprintf("wg_alias_like(ctx, args[%d].tensor, results[%d].tensor, 0, &outs[%d].tensor)", i, num_written + i, i), "\"y" i "\"")
        else if (kind == "training")
            host(sprintf("wg_set_requires_grad(ctx, results[%d].tensor, 1)", num_written + i), "\"y" i "\"")
    }
    if (needs)
        for (i = aliases; i < num_outs; i++)
            printf "    outs[%d] = results[%d];\n", i, num_written + i
    for (i = 0; i < saved; i++)
        printf "    saved->tensors[%d] = results[%d].tensor;\n", i, num_outs + i
    for (i = 0; i < unchecked; i++)
        printf "    saved->unchecked[%d] = results[%d].tensor;\n", i, num_outs + saved + i
    if (num_written + aliases > 8)
        printf "    for (size_t i = 0; i < %d; i++) {\n        wg_release(ctx, results[i].tensor);\n    }\n", num_written + aliases
    else
        for (i = 0; i < num_written + aliases; i++)
            printf "    wg_release(ctx, results[%d].tensor);\n", i
    if (needs && large)
        printf "    wg_scratch_give(ctx, %d);\n", num_results
    print "    return WG_OK;"
    if (num_results) {
        print "failed:"
        if (needs && large)
            printf "    wg_scratch_give(ctx, %d);\n", num_results
        if (kind == "training")
            print "    memset(saved, 0, sizeof *saved);"
        # outs of the aliases that were made are the first ones
        if (aliases)
            printf "    wg_release_run(ctx, outs, (size_t)(name[0] == 'y' ? atoi(name + 1) < %d ? atoi(name + 1) : %d : 0));\n", aliases, aliases
        printf "    return fail(ctx, name, code, results, %d, outs, %d);\n}\n", num_results, num_outs
    } else
        print "    (void)name;\n    (void)code;\n}"
}
function backward(    i, kept, large, count) {
    kept = saved + unchecked
    count = kept + outputs
    large = count > 128
    printf "\nint32_t floor_%s(WgContext *ctx, const WgValue *args, WgValue *outs, void *from)\n{\n    const o_%s_saved *saved = from;\n", name, name
    printf "    if (saved == NULL || args == NULL || outs == NULL) {\n        return wg_fail_null(ctx, NULL, outs, %d * sizeof *outs);\n    }\n", inputs
    if (saved) {
        printf "    for (size_t i = 0; i < %d; i++) {\n", saved
        print "        if (saved->tensors[i] == NULL || wg_version(ctx, saved->tensors[i]) != saved->versions[i]) {"
        printf "            return fail(ctx, NULL, WG_E_VERSION, NULL, 0, outs, %d);\n        }\n    }\n", inputs
    }
    printf "    if (ctx->deterministic) {\n        return fail(ctx, NULL, WG_E_MODE, NULL, 0, outs, %d);\n    }\n", inputs
    for (i = 0; i < outputs; i++)
        printf "    if (args[%d].tensor != NULL && !is_plain(args[%d].tensor)) {\n        return fail_tensor(ctx, \"y%d\", args[%d].tensor, -1, NULL, outs, %d);\n    }\n", i, i, i, i, inputs
    if (large)
        printf "    WgValue *packed = wg_scratch_take(ctx, %d);\n    if (packed == NULL) {\n        return fail(ctx, NULL, WG_E_SCRATCH, NULL, 0, outs, %d);\n    }\n", count, inputs
    else
        printf "    WgValue packed[%d];\n", count
    if (saved)
        printf "    memcpy(packed, saved->tensors, %d * sizeof *packed);\n", saved
    if (unchecked)
        printf "    memcpy(packed + %d, saved->unchecked, %d * sizeof *packed);\n", saved, unchecked
    print "    static const int64_t sizes[] = {4};\n    static const int64_t strides[] = {1};\n    static const WgGeometry dense = {sizes, strides, 0, 1};"
    for (i = 0; i < outputs; i++) {
        printf "    if (args[%d].tensor == NULL) {\n        if (wg_zeros(ctx, sizes, 1, 0, 0, &packed[%d].tensor) != 0) {\n", i, kept + i
        printf "            return fail(ctx, \"y%d\", WG_E_HOST, NULL, 0, outs, %d);\n        }\n", i, inputs
        printf "    } else if (args[%d].tensor->rank == 1 && args[%d].tensor->sizes[0] == 4 && args[%d].tensor->strides[0] == 1) {\n", i, i, i
        printf "        packed[%d] = args[%d];\n        wg_native_keep(&args[%d].tensor->references);\n", kept + i, i, i
        printf "    } else if (wg_coerce_strides(ctx, args[%d].tensor, &dense, &packed[%d].tensor) != 0) {\n", i, kept + i
        printf "        wg_release_run(ctx, packed + %d, %d);\n%s", kept, i, large ? sprintf("        wg_scratch_give(ctx, %d);\n", count) : ""
        printf "        return fail(ctx, \"y%d\", WG_E_HOST, NULL, 0, outs, %d);\n    }\n", i, inputs
    }
    print "    WgValue *results = outs;"
    call(0, "packed", count, "results", inputs, "")
    for (i = 0; i < outputs; i++)
        printf "    wg_release(ctx, packed[%d].tensor);\n", kept + i
    if (large)
        printf "    wg_scratch_give(ctx, %d);\n", count
    check_call("results", inputs, inputs, "")
    if (inputs > 8) {
        printf "    static const char *const names[] = {"
        for (i = 0; i < inputs; i++)
            printf "%s\"a%d\"", i ? ", " : "", i
        printf "};\n    for (size_t i = 0; i < %d; i++) {\n        if (results[i].tensor == NULL) {\n", inputs
        printf "            return fail(ctx, names[i], WG_E_RESULT, results, %d, outs, %d);\n        }\n    }\n", inputs, inputs
    } else
        for (i = 0; i < inputs; i++)
            printf "    if (results[%d].tensor == NULL) {\n        return fail(ctx, \"a%d\", WG_E_RESULT, results, %d, outs, %d);\n    }\n", i, i, inputs, inputs
    print "    return WG_OK;\n}"
}
# The tests of one subclass and of all inside it; leaves are local variables t_PATH.
function subclass_tests(path, what, levels,    ends, e) {
    if (levels == 0) {
        printf "    if (!is_plain_vector(%s)) {\n        static const int64_t geometry[] = {4, 1, -1};\n", what
        printf "        return fail_tensor(ctx, \"%s\", %s, 1, geometry, outs, 1);\n    }\n    packed[%d].tensor = %s;\n", path, what, leaf++, what
        return
    }
    printf "    if (!is_two_tensor(%s)) {\n        return fail_two_tensor(ctx, \"%s\", %s, outs);\n    }\n", what, path, what
    split("a b", ends, " ")
    for (e = 1; e <= 2; e++)
        subclass_tests(path "." ends[e], what "->subclass->attrs[" e - 1 "]", levels - 1)
}
# Makes the subclass of results[first], ...; its variable is t_FIRST_LEVELS.
function subclass_make(first, levels,    half, a, b) {
    half = 2 ^ (levels - 1)
    if (levels > 1) {
        subclass_make(first, levels - 1)
        subclass_make(first + half, levels - 1)
        a = "t_" first "_" levels - 1
        b = "t_" first + half "_" levels - 1
    } else {
        a = "results[" first "].tensor"
        b = "results[" first + 1 "].tensor"
    }
    printf "    WgTensor *attrs_%d_%d[] = {%s, %s};\n    WgTensor *t_%d_%d;\n", first, levels, a, b, first, levels
    printf "    if (wg_rebuild(ctx, &TwoTensor, two_context, attrs_%d_%d, 2, &outer, &t_%d_%d) != 0) {\n", first, levels, first, levels
    for (a = 0; a < first; a += 2 * half)
        printf "        wg_release(ctx, t_%d_%d);\n", a, levels
    printf "        return fail(ctx, \"y0\", WG_E_HOST, results + %d, %d, outs, 1);\n    }\n", first + 2 * half, 2 ^ depth - first - 2 * half
}
# Of the leaf of that number: ".b.a" of 2 in a tree of two levels.
function leaf_path(i, levels) {
    return levels == 0 ? "" : (i >= 2 ^ (levels - 1) ? ".b" : ".a") leaf_path(i % 2 ^ (levels - 1), levels - 1)
}
function subclass(    i, leaves) {
    leaves = 2 ^ depth
    printf "\nint32_t floor_%s(WgContext *ctx, const WgValue *args, WgValue *outs, void *into)\n{\n    (void)into;\n", name
    print "    static const int64_t sizes[] = {4};\n    static const int64_t strides[] = {1};\n    static const WgGeometry outer = {sizes, strides, 0, 1};"
    print "    if (args == NULL || outs == NULL) {\n        return wg_fail_null(ctx, NULL, outs, sizeof *outs);\n    }"
    printf "    WgValue packed[%d];\n    WgValue results[%d];\n", leaves, leaves
    leaf = 0
    subclass_tests("a0", "args[0].tensor", depth)
    call(0, "packed", leaves, "results", leaves, "")
    check_call("results", leaves, 1, "")
    for (i = 0; i < leaves; i++)
        printf "    if (results[%d].tensor == NULL) {\n        return fail(ctx, \"y0%s\", WG_E_RESULT, results, %d, outs, 1);\n    }\n", i, leaf_path(i, depth), leaves
    subclass_make(0, depth)
    printf "    outs[0].tensor = t_0_%d;\n    return WG_OK;\n}\n", depth
}
function one_case() {
    if (depth)
        subclass()
    else if (kind == "backward")
        backward()
    else
        forward()
}
