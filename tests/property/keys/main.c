/* SPDX-License-Identifier: MIT */
/*
 * main - make SEED COUNT YAML GLUE: writes that many random kernels and what calls them.
 *        call SEED COUNT CALLS [JSON]: calls each so often, compares keys with what they must be.
 *
 * Of each call: it fails exactly when it is not acceptable; its words are those of encode.c, within the room that the
 * header declares; and compared with a second call that differs in one argument or none, words and hashes are equal
 * exactly when the texts are. A cache is asked about each call, too: what it finds was put for the same words. Prints
 * TAP lines. JSON gets each twentieth call whose arguments are acceptable, without words where an expression is
 * refused.
 */
#include "keys.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#ifdef MAKE
static void make_glue(const Kernel *kernel, int number, FILE *out)
{
    const bool extra = kernel->capability || kernel->distributed || kernel->user;
    fprintf(out, "    case %d: {\n        demo_k%d_key key;\n", number, number);
    fprintf(out, "        memset(&key, 0x5a, sizeof key);\n");
    if (extra) {
        fprintf(out, "        const demo_k%d_key_extra more = {%s%s%s};\n", number,
                kernel->capability ? "extra[0], " : "", kernel->distributed ? "extra[1], " : "",
                kernel->user ? "extra[2]" : "");
    }
    fprintf(out, "        const int32_t status = demo_k%d_key_of_boxed(ctx, values, num_values%s, &key);\n", number,
            extra ? ", &more" : "");
    fprintf(out, "        *num_words = key.num_words;\n        *room = DEMO_K%d_KEY_WORDS;\n", number);
    fprintf(out, "        memcpy(words, key.words, key.num_words * sizeof *words);\n");
    fprintf(out, "        *hash = demo_k%d_key_hash(&key);\n", number);
    fprintf(out, "        static demo_k%d_cache cache;\n        static demo_k%d_cache_entry entries[NUM_KEPT];\n",
            number, number);
    fprintf(out, "        static Kept kept[NUM_KEPT];\n        demo_k%d_args args;\n        void *value = NULL;\n",
            number);
    fprintf(out, "        if (cache.table.rows == NULL || cache.table.num_used == NUM_KEPT) {\n");
    fprintf(out, "            demo_k%d_cache_init(&cache, entries, NUM_KEPT);\n        }\n", number);
    fprintf(out, "        if (demo_k%d_unbox(ctx, values, num_values, &args) != WG_OK) {\n", number);
    fprintf(out, "            return status;\n        }\n");
    fprintf(out, "        if (demo_k%d_cache_find_call(&cache, ctx, &args%s, &value) != status ||\n", number,
            extra ? ", &more" : "");
    fprintf(out, "            (status == WG_OK && !is_kept(value, words, *num_words))) {\n            *num_words = "
                 "1;\n            return -2;\n        }\n");
    fprintf(out, "        if (status == WG_OK && value == NULL) {\n            value = &kept[cache.table.num_used];\n");
    fprintf(out, "            keep(value, words, *num_words);\n");
    fprintf(out, "            void *found = NULL;\n");
    fprintf(out, "            if (demo_k%d_cache_put(&cache, &cache.call, value) != 0 ||\n", number);
    fprintf(out,
            "                demo_k%d_cache_find_call(&cache, ctx, &args%s, &found) != WG_OK || found != value) {\n",
            number, extra ? ", &more" : "");
    fprintf(out,
            "                *num_words = 1;\n                return -2;\n            }\n        }\n        return "
            "status;\n    }\n");
}

int main(int argc, char **argv)
{
    if (argc != 6 || strcmp(argv[1], "make") != 0) {
        return 2;
    }
    FILE *yaml = fopen(argv[4], "w");
    FILE *glue = fopen(argv[5], "w");
    if (yaml == NULL || glue == NULL) {
        return 2;
    }
    fprintf(yaml, "wrapgen: 1\nprefix: demo_\n%skernels:\n", formula_symbols);
    fprintf(glue, "#include <string.h>\n#include \"keys.h\"\n#include \"wrappers.h\"\n\nint32_t call_kernel(int "
                  "number, WgContext "
                  "*ctx, const WgValue *values, size_t num_values, const int64_t *extra, uint64_t *words, size_t "
                  "*num_words, uint64_t *hash, size_t *room)\n{\n    (void)extra;\n    switch (number) {\n");
    for (int i = 0; i < atoi(argv[3]); i++) {
        Kernel kernel;
        make_kernel((uint64_t)atoi(argv[2]) * 1000003 + (uint64_t)i, &kernel);
        make_yaml(&kernel, i, yaml);
        make_glue(&kernel, i, glue);
    }
    fprintf(glue, "    default:\n        return -1;\n    }\n}\n");
    return fclose(yaml) != 0 || fclose(glue) != 0;
}
#else

typedef struct Result {
    int32_t status;
    uint64_t words[MAX_WORDS];
    size_t num_words;
    size_t room;
    uint64_t hash;
} Result;

static int complaints;
static long num_calls;
static long num_refused;
static long num_equal;
static long num_formulas;

static void complain(int number, uint64_t seed, const char *what)
{
    if (complaints++ < 10) {
        printf("# kernel k%d, call %" PRIu64 ": %s\n", number, seed, what);
    }
}

static void run(WgContext *ctx, int number, const Kernel *kernel, const Call *call, Result *result)
{
    WgValue values[MAX_ARGS + 1];
    for (int i = 0; i < call->num_given; i++) {
        values[i] = pass(&kernel->args[i], &call->args[i]);
    }
    result->status = call_kernel(number, ctx, values, (size_t)call->num_given, call->extra, result->words,
                                 &result->num_words, &result->hash, &result->room);
    num_calls++;
}

static void make_call(uint64_t *state, const Kernel *kernel, bool wild, Call *call)
{
    *call =
        (Call){.num_given = kernel->num_required + random_below(state, kernel->num_args - kernel->num_required + 1)};
    for (int i = 0; i < kernel->num_args; i++) {
        if (i < call->num_given) {
            make_value(state, &kernel->args[i], wild, &call->args[i]);
        } else {
            make_default(&kernel->args[i], &call->args[i]);
        }
    }
    for (int i = 0; i < 3; i++) {
        call->extra[i] = random_below(state, 3) - 1;
    }
    for (int i = 0; i < 2 && random_chance(state, 25); i++) {
        join_tensors(state, kernel, call);
    }
}

/* The same call again, perhaps with another value in one place. */
static void vary(uint64_t *state, const Kernel *kernel, Call *call)
{
    const int place = random_below(state, kernel->num_args + 2);
    if (random_chance(state, 10)) {
        join_tensors(state, kernel, call);
        return;
    }
    if (place < call->num_given && kernel->args[place].kind == TENSOR && !call->args[place].is_null &&
        random_chance(state, 50)) {
        change_dim(state, &call->args[place]);
    } else if (place < call->num_given) {
        make_value(state, &kernel->args[place], false, &call->args[place]);
    } else if (place < kernel->num_args) {
        call->num_given = kernel->num_args; /* defaults given */
    } else if (place == kernel->num_args) {
        call->extra[random_below(state, 3)] ^= 1;
    }
}

static bool compare(int number, uint64_t seed, const Kernel *kernel, const Call *call, const Result *result)
{
    static uint64_t words[MAX_WORDS];
    if (!is_acceptable(kernel, call) || !has_formulas(kernel, call)) {
        num_refused++;
        if (result->status == 0 || result->num_words != 0) {
            complain(number, seed, "accepted what it must refuse");
        }
        return false;
    }
    const size_t n = encode(kernel, call, words);
    if (result->status != 0) {
        complain(number, seed, "refused what it must accept");
        return false;
    }
    if (n != result->num_words || memcmp(words, result->words, n * sizeof *words) != 0) {
        complain(number, seed, "other words");
    }
    if (result->num_words > result->room) {
        complain(number, seed, "more words than room");
    }
    return true;
}

static void one(WgContext *ctx, int number, const Kernel *kernel, uint64_t seed, FILE *json)
{
    static Result first;
    static Result second;
    static char first_text[1 << 16];
    static char second_text[1 << 16];
    uint64_t state = seed;
    Call call;
    memory_reset();
    make_call(&state, kernel, random_chance(&state, 15), &call);
    run(ctx, number, kernel, &call, &first);
    if (json != NULL && seed % 20 == 0 && is_acceptable(kernel, &call)) {
        print_call(kernel, number, &call, first.words, first.num_words, json);
    }
    if (!compare(number, seed, kernel, &call, &first)) {
        return;
    }
    num_formulas += kernel->num_extra > 0 && kernel->extra[kernel->num_extra - 1].formula != NULL;
    describe(kernel, &call, first_text, sizeof first_text);
    vary(&state, kernel, &call);
    run(ctx, number, kernel, &call, &second);
    if (!compare(number, seed, kernel, &call, &second)) {
        return;
    }
    describe(kernel, &call, second_text, sizeof second_text);
    const bool same_words = first.num_words == second.num_words &&
                            memcmp(first.words, second.words, first.num_words * sizeof *first.words) == 0;
    const bool same_text = strcmp(first_text, second_text) == 0;
    num_equal += same_text;
    if (same_words != same_text) {
        complain(number, seed, same_text ? "two keys where one would do" : "one key for two");
    }
    if (same_words != (first.hash == second.hash)) {
        complain(number, seed, "hashes and words disagree");
    }
}

int main(int argc, char **argv)
{
    WgContext *ctx = NULL;
    FILE *json = argc == 6 ? fopen(argv[5], "w") : NULL;
    if (argc < 5 || strcmp(argv[1], "call") != 0 || wg_context_create(NULL, &ctx) != 0) {
        return 2;
    }
    for (int i = 0; i < atoi(argv[3]); i++) {
        Kernel kernel;
        make_kernel((uint64_t)atoi(argv[2]) * 1000003 + (uint64_t)i, &kernel);
        for (int call = 0; call < atoi(argv[4]); call++) {
            one(ctx, i, &kernel, (uint64_t)i * 1000000 + (uint64_t)call, json);
        }
    }
    wg_context_destroy(ctx);
    printf("# %ld calls, %ld refused, %ld pairs of equal keys, %ld keys with expressions\n", num_calls, num_refused,
           num_equal, num_formulas);
    const int thin = num_calls < 1000 || num_refused * 100 < num_calls || num_equal * 50 < num_calls ||
                     num_formulas * 20 < num_calls;
    printf("%s 1 - keys are what they must be\n", complaints == 0 ? "ok" : "not ok");
    printf("%s 2 - enough calls were refused, and enough pairs were equal\n", thin ? "not ok" : "ok");
    printf("%d passed, %d failed, 0 skipped\n", (complaints == 0) + !thin, (complaints != 0) + thin);
    return (json != NULL && fclose(json) != 0) || complaints != 0 || thin;
}
#endif
