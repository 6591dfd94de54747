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
        for (m = 1; m <= 2; m++) {
            k = modes[m] rank
            printf "static uint64_t %s_key(WgContext *ctx, WgTensor *const *t)\n{\n    const %s_args args = {t[0], t[1], t[2]};\n    %s_key key;\n    (void)%s_key_of(ctx, &args, &key);\n    return key.words[key.num_words - 1];\n}\n\n", k "_bench", k, k, k
            printf "static uint64_t %s_hash(WgContext *ctx, WgTensor *const *t)\n{\n    const %s_args args = {t[0], t[1], t[2]};\n    %s_key key;\n    (void)%s_key_of(ctx, &args, &key);\n    return %s_key_hash(&key);\n}\n\n", k "_bench", k, k, k, k
        }
    }
    print "static const Contest contests[] = {"
    for (rank = 1; rank <= 5; rank++)
        printf "    {%d, floor%d, static%d_bench_key, static%d_bench_hash, dynamic%d_bench_key, dynamic%d_bench_hash},\n", rank, rank, rank, rank, rank, rank
    print "};"
}
