# SPDX-License-Identifier: MIT
# keys.awk -v what=yaml|c|cases - the kernels and the contestants of the key benchmark: three tensors of rank 1 to 5, and 2, 8 and
# 16 tensors of rank 2. `cases` lists them: rank and number of tensors.
BEGIN {
    num_cases = split("1 3,2 3,3 3,4 3,5 3,2 2,2 8,2 16", cases, ",")
    if (what == "yaml")
        print "wrapgen: 1\nkernels:"
    for (c = 1; c <= num_cases; c++) {
        split(cases[c], case_of, " ")
        rank = case_of[1]
        tensors = case_of[2]
        if (what == "yaml")
            kernels()
        else if (what == "c")
            contestants()
        else
            print rank, tensors
    }
    if (what == "c")
        print "static const Contest contests[] = {\n" rows "};"
}

function arguments(i) {
    for (i = 0; i < tensors; i++)
        printf "      - {name: x%d, kind: tensor, ndim: %d}\n", i, rank
}

function kernels() {
    printf "  - name: static%dx%d\n    args:\n", rank, tensors
    arguments()
    printf "  - name: dynamic%dx%d\n    static_shapes: false\n    buckets: zero_one\n    args:\n", rank, tensors
    arguments()
}

function contestants(i, d, m, k) {
    printf "static uint64_t floor%dx%d(WgContext *ctx, WgTensor *const *t)\n{\n    uint64_t sum = 0;\n", rank, tensors
    for (i = 0; i < tensors; i++) {
        printf "    sum += (uint64_t)wg_is_plain(ctx, t[%d]) + (uint64_t)wg_rank(ctx, t[%d]) + (uint64_t)wg_dtype(ctx, t[%d]) + (uint64_t)wg_device(ctx, t[%d]);\n", i, i, i, i
        for (d = 0; d < rank; d++)
            printf "    sum += (uint64_t)wg_size(ctx, t[%d], %d) ^ (uint64_t)wg_stride(ctx, t[%d], %d);\n", i, d, i, d
    }
    print "    return sum;\n}\n"
    rows = rows sprintf("    {%d, %d, {floor%dx%d", rank, tensors, rank, tensors)
    split("static dynamic", modes, " ")
    for (m = 1; m <= 2; m++) {
        k = modes[m] rank "x" tensors
        contest(k)
        rows = rows sprintf(", %s_do_key, %s_do_hash, %s_do_last, %s_do_next, %s_do_found, loop", k, k, k, k, k)
    }
    rows = rows sprintf("}, fill%dx%d},\n", rank, tensors)
    printf "static int fill%dx%d(WgContext *ctx, WgTensor *const *t)\n{\n", rank, tensors
    printf "    return static%dx%d_fill(ctx, t) | dynamic%dx%d_fill(ctx, t);\n}\n\n", rank, tensors, rank, tensors
}

# The tensors of a call, as an initializer.
function list(from, i, text) {
    for (i = 0; i < tensors; i++)
        text = text (i ? ", " : "") from "[" i "]"
    return "{" text "}"
}

# The contestants of a kernel. `next`: of two keys that are asked for in turn, neither is the last one. `found`: of three, each is
# followed by another one than the last time.
function contest(k) {
    printf "static %s_cache %s_last_cache;\nstatic %s_cache %s_next_cache;\nstatic %s_cache %s_found_cache;\n", k, k, k, k, k, k
    printf "static %s_cache_entry %s_entries[3][8];\nstatic WgTensor *const *%s_calls;\n\n", k, k, k
    printf "static int %s_fill(WgContext *ctx, WgTensor *const *t)\n{\n    static int value;\n    int failed = 0;\n", k
    printf "    %s_cache_init(&%s_last_cache, %s_entries[0], 8);\n    %s_cache_init(&%s_next_cache, %s_entries[1], 8);\n", k, k, k, k, k, k
    printf "    %s_cache_init(&%s_found_cache, %s_entries[2], 8);\n", k, k, k
    printf "    for (int i = 0; i < 3; i++) {\n        WgTensor *const *u = t + %d * i;\n        const %s_args args = %s;\n        %s_key key;\n", tensors, k, list("u"), k
    printf "        failed |= %s_key_of(ctx, &args, &key) | %s_cache_put(&%s_last_cache, &key, &value) | %s_cache_put(&%s_next_cache, &key, &value) | %s_cache_put(&%s_found_cache, &key, &value);\n    }\n", k, k, k, k, k, k, k
    printf "    %s_calls = t;\n    return failed;\n}\n\n", k
    head(k, "key", "t")
    print "    return key.words[key.num_words - 1];\n}\n"
    head(k, "hash", "t")
    printf "    return %s_key_hash(&key);\n}\n\n", k
    find(k, "last", "t")
    find(k, "next", "u")
    find(k, "found", "u")
}

function head(k, what, from) {
    printf "static uint64_t %s_do_%s(WgContext *ctx, WgTensor *const *t)\n{\n", k, what
    if (from == "u")
        printf "    static const int order[] = {%s};\n    static int turn;\n    turn = turn == %d ? 0 : turn + 1;\n    (void)t;\n    WgTensor *const *const u = %s_calls + %d * order[turn];\n",
            what == "next" ? "0, 1" : "0, 1, 2, 0, 2, 1", what == "next" ? 1 : 5, k, tensors
    printf "    const %s_args args = %s;\n", k, list(from)
    if (what == "key" || what == "hash")
        printf "    %s_key key;\n    (void)%s_key_of(ctx, &args, &key);\n", k, k
}

function find(k, what, from) {
    head(k, what, from)
    printf "    void *value = NULL;\n    (void)%s_cache_find_call(&%s_%s_cache, ctx, &args, &value);\n", k, k, what
    print "    return (uint64_t)(uintptr_t)value;\n}\n"
}
