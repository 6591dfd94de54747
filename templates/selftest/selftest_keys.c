/* SPDX-License-Identifier: MIT */
/* selftest_keys - the key of one call: its words, what it equals, and what a cache finds for it. */
#include "selftest_call.h"

#include <inttypes.h>
#include <string.h>

static void open_words(SelftestWords *words, Arena *arena, size_t room)
{
    words->at = ARENA_ARRAY(arena, uint64_t, room + 1);
}

void test_open(KernelTest *test, Arena *arena)
{
    const size_t room = test->kernel->key_words;
    test->memory = arena;
    open_words(&test->base, arena, room);
    open_words(&test->due, arena, room);
    open_words(&test->found, arena, room);
    open_words(&test->boxed, arena, room);
    for (uint32_t i = 0; i < CACHE_ROOM; i++) {
        test->kept[i].words = ARENA_ARRAY(arena, uint64_t, room + 1);
    }
    test->cache = arena_alloc(arena, test->kernel->cache_size);
    (void)test->kernel->cache(test->ctx, test->cache, CACHE_EMPTY, NULL, NULL, NULL);
}

/* The key as text, in memory of its own; *length is what the printer says. */
static char *printed(const KernelTest *test, Arena *arena, const SelftestWords *words, size_t *length)
{
    *length = test->kernel->print(words->at, words->n, NULL, 0);
    char *text = arena_alloc(arena, *length + 1);
    (void)test->kernel->print(words->at, words->n, text, *length + 1);
    return text;
}

void test_base(KernelTest *test, const KernelCall *call)
{
    arena_reset(&test->arena);
    test->call = call;
    bool bounds = false;
    test->has_base = kernel_breach(test->spec, test->declared, call, true).code == 0 &&
                     kernel_key_breach(&test->arena, test->spec, test->declared, call, &bounds).code == 0;
    if (test->has_base) {
        const char *text = kernel_describe(&test->arena, test->spec, test->declared, call);
        test->base_text = arena_copy(test->memory, text, strlen(text));
        test_pass(test, NULL);
        test->has_base = test_key_of(test, test->values, test->call->extra, &test->base) == 0;
        size_t length = 0;
        test->base_print = test->has_base ? printed(test, test->memory, &test->base, &length) : NULL;
    }
}

int32_t test_key_of(KernelTest *test, const WgValue *values, const int64_t *extra, SelftestWords *words)
{
    return test->kernel->key(test->ctx, values, extra, words->at, &words->n, &words->hash);
}

int32_t test_key_boxed(KernelTest *test, const WgValue *values, size_t num_values, SelftestWords *words)
{
    return test->kernel->key_boxed(test->ctx, values, num_values, test->call->extra, words->at, &words->n,
                                   &words->hash);
}

static bool is_equal(const KernelTest *test, const SelftestWords *a, const SelftestWords *b)
{
    return test->kernel->equal(a->at, a->n, b->at, b->n) != 0;
}

/* ---- words ---- */

static bool is_due(const KernelTest *test, const SelftestWords *words)
{
    return words->n == test->due.n && memcmp(words->at, test->due.at, words->n * sizeof *words->at) == 0;
}

static void expect_words(KernelTest *test, const SelftestWords *words, const char *who)
{
    size_t i = 0;
    while (i < words->n && i < test->due.n && words->at[i] == test->due.at[i]) {
        i++;
    }
    test_expect(test, KERNEL_KEY, is_due(test, words),
                "%s: %zu words, due are %zu; word %zu is 0x%" PRIx64 ", due is 0x%" PRIx64, who, words->n, test->due.n,
                i, i < words->n ? words->at[i] : 0, i < test->due.n ? test->due.at[i] : 0);
}

static void test_refused(KernelTest *test, const KernelBreach *due)
{
    void *value = test;
    wg_error_clear(test->ctx);
    int32_t status = test_key_of(test, test->values, test->call->extra, &test->found);
    test_expect(test, KERNEL_KEY, status == due->code && test->found.n == 0 && test_is_noted(test, due),
                "status is %s, due is %s for '%s'", wg_status_name(status), wg_status_name(due->code),
                due->arg != NULL ? due->arg : "an expression");
    wg_error_clear(test->ctx);
    status = test_key_boxed(test, test->values, test->call->num_given, &test->boxed);
    test_expect(test, KERNEL_KEY, status == due->code && test->boxed.n == 0 && test_is_noted(test, due),
                "boxed: status is %s, due is %s for '%s'", wg_status_name(status), wg_status_name(due->code),
                due->arg != NULL ? due->arg : "an expression");
    status = test->kernel->cache(test->ctx, test->cache, CACHE_FIND_CALL, test->values, test->call->extra, &value);
    test_expect(test, KERNEL_CACHE, status == due->code && value == NULL,
                "the cache is asked for a call without a key: status is %s, due is %s", wg_status_name(status),
                wg_status_name(due->code));
}

/* ---- equality ---- */

static void test_equality(KernelTest *test)
{
    test->calls[KERNEL_EQUAL]++;
    test_expect(test, KERNEL_EQUAL, is_equal(test, &test->found, &test->boxed) && test->found.hash == test->boxed.hash,
                "two keys of one call are not equal");
    if (!test->has_base) {
        return;
    }
    const bool same =
        strcmp(kernel_describe(&test->arena, test->spec, test->declared, test->call), test->base_text) == 0;
    test_expect(test, KERNEL_EQUAL, is_equal(test, &test->base, &test->found) == same,
                same ? "two keys where one would do" : "one key for two calls that differ");
    test_expect(test, KERNEL_EQUAL, (test->base.hash == test->found.hash) == same,
                same ? "two hashes of equal keys" : "one hash for two keys");
}

/* Keys that differ are told apart by their texts too; each argument is named, in order. */
static void test_text(KernelTest *test)
{
    size_t length = 0;
    const char *text = printed(test, &test->arena, &test->found, &length);
    const char *at = text;
    test->calls[KERNEL_TEXT]++;
    test_expect(test, KERNEL_TEXT,
                strlen(text) == length && strncmp(text, test->declared->name, strlen(test->declared->name)) == 0,
                "%zu bytes are said to be in: %.200s", length, text);
    for (uint32_t i = 0; i < test->declared->args_count; i++) {
        const char *next = strstr(at, arena_printf(&test->arena, " %s=", test->declared->args[i].name));
        test_expect(test, KERNEL_TEXT, next != NULL, "'%s' is not in: %.200s", test->declared->args[i].name, text);
        at = next != NULL ? next : at;
    }
    test_expect(test, KERNEL_TEXT, length == 0 || text[length - 1] != '?', "the key is too short for: %.200s", text);
    if (test->has_base) {
        const bool same = test->base.n == test->found.n &&
                          memcmp(test->base.at, test->found.at, test->found.n * sizeof *test->found.at) == 0;
        test_expect(test, KERNEL_TEXT, (strcmp(text, test->base_print) == 0) == same,
                    same ? "two texts of one key: %.200s" : "one text of two keys: %.200s", text);
    }
}

/* ---- the cache ---- */

static KernelKept *kept_for(KernelTest *test)
{
    for (uint32_t i = 0; i < test->num_kept; i++) {
        const KernelKept *kept = &test->kept[i];
        if (kept->n == test->due.n && memcmp(kept->words, test->due.at, kept->n * sizeof *kept->words) == 0) {
            return &test->kept[i];
        }
    }
    return NULL;
}

static void expect_found(KernelTest *test, const void *due)
{
    void *by_call = test;
    void *by_key = test;
    const int32_t status =
        test->kernel->cache(test->ctx, test->cache, CACHE_FIND_CALL, test->values, test->call->extra, &by_call);
    test_expect(test, KERNEL_CACHE, status == 0 && by_call == due, "%s is found for the call",
                by_call == NULL ? "nothing"
                : due == NULL   ? "something that was put for another"
                                : "something else");
    (void)test->kernel->cache(test->ctx, test->cache, CACHE_FIND, NULL, NULL, &by_key);
    test_expect(test, KERNEL_CACHE, by_key == due, "%s is found for the key",
                by_key == NULL ? "nothing"
                : due == NULL  ? "something that was put for another"
                               : "something else");
}

static void test_cache(KernelTest *test)
{
    const SelftestKernel *kernel = test->kernel;
    KernelKept *kept = kept_for(test);
    void *value = test;
    test->calls[KERNEL_CACHE]++;
    expect_found(test, kept == NULL ? NULL : &kept->values[kept->turn]);
    if (kept == NULL && test->num_kept == CACHE_ROOM) {
        test_expect(test, KERNEL_CACHE, kernel->cache(test->ctx, test->cache, CACHE_PUT, NULL, NULL, &value) == -1,
                    "a full cache takes one more");
        (void)kernel->cache(test->ctx, test->cache, CACHE_EMPTY, NULL, NULL, NULL);
        test->num_kept = 0;
        expect_found(test, NULL);
    }
    if (kept == NULL) {
        kept = &test->kept[test->num_kept++];
        kept->n = test->due.n;
        memcpy(kept->words, test->due.at, kept->n * sizeof *kept->words);
    }
    kept->turn = 1 - kept->turn; /* of a key that it has, another value takes the place of the one that was there */
    value = &kept->values[kept->turn];
    test_expect(test, KERNEL_CACHE, kernel->cache(test->ctx, test->cache, CACHE_PUT, NULL, NULL, &value) == 0,
                "a cache that has room does not take a value");
    expect_found(test, value);
}

void test_key(KernelTest *test)
{
    const SelftestKernel *kernel = test->kernel;
    bool bounds = false;
    const KernelBreach due = test->all.code != 0
                                 ? test->all
                                 : kernel_key_breach(&test->arena, test->spec, test->declared, test->call, &bounds);
    if (bounds && test->declared->check < SPEC_CHECK_CHEAP) {
        return; /* not tested there: the call is not made */
    }
    test->calls[KERNEL_KEY]++;
    test_pass(test, NULL);
    if (due.code != 0) {
        test_refused(test, &due);
        return;
    }
    test->due.n = kernel_encode(&test->arena, test->spec, test->declared, test->call, test->due.at, kernel->key_words);
    int32_t status = test_key_of(test, test->values, test->call->extra, &test->found);
    test_expect(test, KERNEL_KEY, status == 0, "status is %s", wg_status_name(status));
    expect_words(test, &test->found, "key_of");
    test_expect(test, KERNEL_KEY, test->due.n <= kernel->key_words, "%zu words where the header says at most %zu",
                test->due.n, kernel->key_words);
    status = test_key_boxed(test, test->values, test->call->num_given, &test->boxed);
    test_expect(test, KERNEL_KEY, status == 0, "boxed: status is %s", wg_status_name(status));
    expect_words(test, &test->boxed, "key_of_boxed");
    test_no_violation(test, KERNEL_KEY);
    if (!test->failed[KERNEL_KEY]) {
        test_equality(test);
        test_text(test);
        test_cache(test);
    }
}
