/* SPDX-License-Identifier: MIT */
/* selftest_report - see selftest_report.h. */
#include "selftest_report.h"

#include <inttypes.h>

void selftest_begin(SelftestReport *report, Arena *arena)
{
    *report = (SelftestReport){.arena = arena};
    printf("TAP version 13\n");
}

void selftest_line(SelftestReport *report, bool good, const char *name, const char *what, uint64_t calls)
{
    report->number++;
    report->num_failed += good ? 0 : 1;
    printf("%s %" PRIu32 " - %s: %s, %" PRIu64 " calls\n", good ? "ok" : "not ok", report->number, name, what, calls);
}

void selftest_not_covered(SelftestReport *report, const char *name, const char *what)
{
    SelftestGap *gap = ARENA_NEW(report->arena, SelftestGap);
    gap->text = arena_printf(report->arena, "%s: %s", name, what);
    gap->next = report->gaps;
    report->gaps = gap;
}

void selftest_fail(SelftestReport *report, const char *name, const char *why)
{
    report->number++;
    report->num_failed++;
    printf("not ok %" PRIu32 " - %s: %s\n", report->number, name, why);
}

void selftest_skip(SelftestReport *report, const char *name, const char *why)
{
    report->number++;
    report->num_skipped++;
    printf("ok %" PRIu32 " - %s # SKIP %s\n", report->number, name, why);
    selftest_not_covered(report, name, why);
}

int selftest_end(SelftestReport *report)
{
    SelftestGap *gaps = NULL;
    while (report->gaps != NULL) { /* the first one first */
        SelftestGap *next = report->gaps->next;
        report->gaps->next = gaps;
        gaps = report->gaps;
        report->gaps = next;
    }
    if (report->number > 0 && report->number == report->num_skipped) {
        selftest_fail(report, "all", "nothing was tested");
    }
    for (; gaps != NULL; gaps = gaps->next) {
        printf("# not covered: %s\n", gaps->text);
    }
    printf("1..%" PRIu32 "\n", report->number);
    return report->num_failed != 0;
}
