/* SPDX-License-Identifier: MIT */
/*
 * check - what each unit test counts and prints. `return check_done();` ends main().
 */
#ifndef WRAPGEN_TESTS_CHECK_H
#define WRAPGEN_TESTS_CHECK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct CheckCount {
    int passed;
    int failed;
    int skipped;
} CheckCount;

static CheckCount check_count;

/* One test, named like printf. Returns what it was given. */
static inline bool __attribute__((format(printf, 2, 3))) check(bool holds, const char *format, ...)
{
    va_list args;

    check_count.passed += holds;
    check_count.failed += !holds;
    printf("%s %d - ", holds ? "ok" : "not ok", check_count.passed + check_count.failed + check_count.skipped);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    return holds;
}

/* Two texts; shows both when they differ. */
static inline bool check_text(const char *got, const char *expected, const char *name)
{
    if (!check(strcmp(got, expected) == 0, "%s", name)) {
        printf("#   expected: %s\n#   got:      %s\n", expected, got);
        return false;
    }
    return true;
}

static inline void check_skip(const char *name, const char *reason)
{
    check_count.skipped++;
    printf("ok %d - %s # SKIP %s\n", check_count.passed + check_count.failed + check_count.skipped, name, reason);
}

static inline int check_done(void)
{
    printf("%d passed, %d failed, %d skipped\n", check_count.passed, check_count.failed, check_count.skipped);
    return check_count.failed ? 1 : 0;
}

#endif /* WRAPGEN_TESTS_CHECK_H */
