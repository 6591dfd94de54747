/* SPDX-License-Identifier: MIT */
/*
 * check.h - the few lines that the host's test programs share: tests are functions that CHECK things, run() names them.
 * Prints TAP-like lines and one last line of totals. Included once by each program, hence the static state.
 */
#ifndef CHECK_H
#define CHECK_H

#include <inttypes.h>
#include <stdio.h>

static int check_passed;
static int check_failed;
static int check_bad; /* failed CHECKs of the test that runs */

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            check_bad++;                                                                                               \
            printf("# %s:%d: %s\n", __FILE__, __LINE__, #condition);                                                   \
        }                                                                                                              \
    } while (0)

/* Two integers that must be equal; shows both. */
#define CHECK_EQUAL(found, expected)                                                                                   \
    do {                                                                                                               \
        const int64_t check_found = (int64_t)(found);                                                                  \
        const int64_t check_expected = (int64_t)(expected);                                                            \
        if (check_found != check_expected) {                                                                           \
            check_bad++;                                                                                               \
            printf("# %s:%d: %s is %" PRId64 ", expected %" PRId64 "\n", __FILE__, __LINE__, #found, check_found,      \
                   check_expected);                                                                                    \
        }                                                                                                              \
    } while (0)

static inline void run(const char *name, void (*test)(void))
{
    check_bad = 0;
    test();
    check_passed += check_bad == 0;
    check_failed += check_bad != 0;
    printf("%s %d - %s\n", check_bad == 0 ? "ok" : "not ok", check_passed + check_failed, name);
    fflush(stdout);
}

/* What main returns. */
static inline int finish(void)
{
    printf("%d passed, %d failed, 0 skipped\n", check_passed, check_failed);
    return check_failed != 0;
}

#endif /* CHECK_H */
