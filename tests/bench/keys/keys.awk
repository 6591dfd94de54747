# SPDX-License-Identifier: MIT
# keys.awk -v what=yaml|c - the kernels and the contestants of the key benchmark, for ranks 1 to 5 and three tensors.
BEGIN {
    if (what == "yaml") {
        print "wrapgen: 1\nkernels:"
        for (rank = 1; rank <= 5; rank++) {
            printf "  - name: static%d\n    args:\n", rank
            for (i = 0; i < 3; i++)
                printf "      - {name: x%d, kind: tensor, ndim: %d}\n", i, rank
            printf "  - name: dynamic%d\n    static_shapes: false\n    buckets: zero_one\n    args:\n", rank
            for (i = 0; i < 3; i++)
                printf "      - {name: x%d, kind: tensor, ndim: %d}\n", i, rank
        }
        exit
    }
    for (rank = 1; rank <= 5; rank++) {
        printf "static uint64_t floor%d(WgContext *ctx, WgTensor *const *t)\n{\n    uint64_t sum = 0;\n", rank
        for (i = 0; i < 3; i++) {
            printf "    sum += (uint64_t)wg_is_plain(ctx, t[%d]) + (uint64_t)wg_rank(ctx, t[%d]) + (uint64_t)wg_dtype(ctx, t[%d]) + (uint64_t)wg_device(ctx, t[%d]);\n", i, i, i, i
            for (d = 0; d < rank; d++)
                printf "    sum += (uint64_t)wg_size(ctx, t[%d], %d) ^ (uint64_t)wg_stride(ctx, t[%d], %d);\n", i, d, i, d
        }
        print "    return sum;\n}\n"
        split("static dynamic", modes, " ")
        for (m = 1; m <= 2; m++)
            contest(modes[m] rank)
        printf "static int fill%d(WgContext *ctx, WgTensor *const *t)\n{\n    return static%d_fill(ctx, t) | dynamic%d_fill(ctx, t);\n}\n\n", rank, rank, rank
    }
    print "static const Contest contests[] = {"
    for (rank = 1; rank <= 5; rank++) {
        printf "    {%d, {floor%d", rank, rank
        for (m = 1; m <= 2; m++)
            printf ", %s_do_key, %s_do_hash, %s_do_last, %s_do_found, loop", modes[m] rank, modes[m] rank, modes[m] rank, modes[m] rank
        printf "}, fill%d},\n", rank
    }
    print "};"
}

# The contestants of a kernel. `found`: of two keys that are asked
# for in turn, neither is the last one.
function contest(k) {
    printf "static %s_cache %s_last_cache;\nstatic %s_cache %s_found_cache;\n", k, k, k, k
    printf "static %s_cache_entry %s_entries[2][8];\nstatic WgTensor *const *%s_other;\n\n", k, k, k
    printf "static int %s_fill(WgContext *ctx, WgTensor *const *t)\n{\n    static int value;\n    int failed = 0;\n", k
    printf "    %s_cache_init(&%s_last_cache, %s_entries[0], 8);\n    %s_cache_init(&%s_found_cache, %s_entries[1], 8);\n", k, k, k, k, k, k
    printf "    for (int i = 0; i < 2; i++) {\n        const %s_args args = {t[3 * i], t[3 * i + 1], t[3 * i + 2]};\n        %s_key key;\n", k, k
    printf "        failed |= %s_key_of(ctx, &args, &key) | %s_cache_put(&%s_last_cache, &key, &value) | %s_cache_put(&%s_found_cache, &key, &value);\n    }\n", k, k, k, k, k
    printf "    %s_other = t + 3;\n    return failed;\n}\n\n", k
    head(k, "key", "t")
    print "    return key.words[key.num_words - 1];\n}\n"
    head(k, "hash", "t")
    printf "    return %s_key_hash(&key);\n}\n\n", k
    find(k, "last", "t")
    find(k, "found", "u")
}

function head(k, what, from) {
    printf "static uint64_t %s_do_%s(WgContext *ctx, WgTensor *const *t)\n{\n", k, what
    if (from == "u")
        printf "    static int turn;\n    WgTensor *const *const u = (turn ^= 1) != 0 ? t : %s_other;\n", k
    printf "    const %s_args args = {%s[0], %s[1], %s[2]};\n", k, from, from, from
    if (what == "key" || what == "hash")
        printf "    %s_key key;\n    (void)%s_key_of(ctx, &args, &key);\n", k, k
}

function find(k, what, from) {
    head(k, what, from)
    printf "    void *value = NULL;\n    (void)%s_cache_find_call(&%s_%s_cache, ctx, &args, &value);\n", k, k, what
    print "    return (uint64_t)(uintptr_t)value;\n}\n"
}
