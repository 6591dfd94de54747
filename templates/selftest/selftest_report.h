/* SPDX-License-Identifier: MIT */
/*
 * selftest_report - the lines of TAP, and at the end what was not tested.
 */
#ifndef SELFTEST_REPORT_H
#define SELFTEST_REPORT_H

#include "mock.h"

typedef struct SelftestGap {
    const char *text;
    struct SelftestGap *next;
} SelftestGap;

typedef struct SelftestReport {
    Arena *arena;
    uint32_t number; /* of the last test line */
    uint32_t num_failed;
    uint32_t num_skipped;
    SelftestGap *gaps; /* the last one first */
} SelftestReport;

void selftest_begin(SelftestReport *report, Arena *arena);
void selftest_line(SelftestReport *report, bool good, const char *name, const char *what, uint64_t calls);
/* Nothing could be tested that must be. */
void selftest_fail(SelftestReport *report, const char *name, const char *why);
/* A test that cannot be made. */
void selftest_skip(SelftestReport *report, const char *name, const char *why);
/* Something that no test looks at: said at the end. */
void selftest_not_covered(SelftestReport *report, const char *name, const char *what);
/* Returns the exit status; a run that could test nothing of what is there has failed. */
int selftest_end(SelftestReport *report);

#endif /* SELFTEST_REPORT_H */
