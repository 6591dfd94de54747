/* SPDX-License-Identifier: MIT */
/*
 * Tests of gen/base/output_diff.c: exact texts after the description of the unified format in POSIX (diff -U), and a
 * strict reader of it here which applies each difference and must get the new text, with hunks where their headers say.
 * For small texts the number of edits is compared with that of the longest common subsequence, by the textbook table.
 */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "gen/base/output_diff.h"
#include "tests/unit/check.h"

static DiffText text(const char *data)
{
    return (DiffText){data, strlen(data)};
}

static void test_exact(void)
{
    static const struct {
        const char *name;
        const char *old;
        const char *new;
        const char *diff; /* after the two lines with names */
    } cases[] = {
        {"one line changed", "a\nb\nc\n", "a\nB\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"},
        {"one of one", "a\n", "b\n", "@@ -1 +1 @@\n-a\n+b\n"},
        {"from nothing", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"},
        {"to nothing", "a\n", "", "@@ -1 +0,0 @@\n-a\n"},
        {"added in front", "b\n", "a\nb\n", "@@ -1 +1,2 @@\n+a\n b\n"},
        {"added at the end", "a\nb\nc\nd\n", "a\nb\nc\nd\ne\n", "@@ -2,3 +2,4 @@\n b\n c\n d\n+e\n"},
        {"newline lost", "a\nb\n", "a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n"},
        {"newline won", "a\nb", "a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"},
        {"no newline in either", "a\nb", "A\nb", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n"},
        {"six lines between join", "1\n2\n3\n4\n5\n6\n7\n8\n", "x\n2\n3\n4\n5\n6\n7\ny\n",
         "@@ -1,8 +1,8 @@\n-1\n+x\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+y\n"},
        {"seven lines between do not", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "x\n2\n3\n4\n5\n6\n7\n8\ny\n",
         "@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+y\n"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Arena arena = {0};
        Str out = str_new(&arena);
        output_diff(&out, "w.c", false, text(cases[i].old), text(cases[i].new));
        check_text(str_text(&out), arena_printf(&arena, "--- a/w.c\n+++ b/w.c\n%s", cases[i].diff), cases[i].name);
        arena_release(&arena);
    }
}

static void test_names(void)
{
    Arena arena = {0};
    Str out = str_new(&arena);

    output_diff(&out, "w.c", false, text("a\n"), text("a\n"));
    check_text(str_text(&out), "", "equal texts give nothing");
    output_diff(&out, "w.c", true, text(""), text(""));
    check_text(str_text(&out), "--- /dev/null\n+++ b/w.c\n", "a missing file that should be empty");
    out = str_new(&arena);
    output_diff(&out, "/tmp/a b", true, text(""), text("x"));
    check_text(str_text(&out), "--- /dev/null\n+++ b/tmp/a b\t\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n",
               "an absolute path with a blank");
    out = str_new(&arena);
    output_diff(&out, "a\n\"b", false, text(""), text("x\n"));
    check_text(str_text(&out), "--- \"a/a\\012\\\"b\"\n+++ \"b/a\\012\\\"b\"\n@@ -0,0 +1 @@\n+x\n",
               "a path that needs quotes");
    arena_release(&arena);
}

/* ---- a strict reader ---- */

typedef struct Patch {
    const char *at; /* in the difference */
    const char *old;
    size_t old_line; /* lines of the old text that are copied or deleted so far */
    size_t new_line;
    Str result;
    size_t num_edits;
} Patch;

static const char *next_line(const char *line)
{
    const char *newline = strchr(line, '\n');

    return newline ? newline + 1 : line + strlen(line);
}

static void copy_old_line(Patch *patch)
{
    const char *next = next_line(patch->old);

    str_add(&patch->result, patch->old, (size_t)(next - patch->old));
    patch->old = next;
    patch->old_line++;
    patch->new_line++;
}

/* One line of a hunk; false when it does not fit the old text. */
static bool apply_line(Patch *patch, size_t *num_old, size_t *num_new)
{
    char sign = *patch->at++;
    const char *next = next_line(patch->at);
    size_t length = (size_t)(next - patch->at);

    if (*next == '\\') { /* the newline belongs to the format */
        length--;
        next = next_line(next);
    }
    if (sign != '+') {
        if (strncmp(patch->old, patch->at, length) != 0 || (size_t)(next_line(patch->old) - patch->old) != length) {
            return false;
        }
        patch->old += length;
        patch->old_line++;
        ++*num_old;
    }
    if (sign != '-') {
        str_add(&patch->result, patch->at, length);
        patch->new_line++;
        ++*num_new;
    }
    patch->num_edits += sign != ' ';
    patch->at = next;
    return sign == ' ' || sign == '+' || sign == '-';
}

static bool read_number(const char **at, const char *before, size_t *number)
{
    char *end = NULL;
    size_t length = strlen(before);

    if (strncmp(*at, before, length) != 0) {
        return false;
    }
    *number = strtoul(*at + length, &end, 10);
    *at = end;
    return true;
}

static bool read_range(const char **at, const char *before, size_t *first, size_t *count)
{
    *count = 1;
    if (!read_number(at, before, first)) {
        return false;
    }
    if (**at == ',' && !read_number(at, ",", count)) {
        return false;
    }
    *first -= *count > 0; /* lines before the hunk: a count of 0 names the line before */
    return true;
}

static bool apply_hunk(Patch *patch)
{
    size_t first[2] = {0, 0};
    size_t count[2] = {0, 0};
    size_t done[2] = {0, 0};

    if (!read_range(&patch->at, "@@ -", &first[0], &count[0]) || !read_range(&patch->at, " +", &first[1], &count[1]) ||
        strncmp(patch->at, " @@\n", 4) != 0) {
        return false;
    }
    patch->at += 4;
    while (patch->old_line < first[0] && *patch->old) {
        copy_old_line(patch);
    }
    if (patch->old_line != first[0] || patch->new_line != first[1]) {
        return false;
    }
    while (*patch->at && *patch->at != '@') {
        if (!apply_line(patch, &done[0], &done[1])) {
            return false;
        }
    }
    return done[0] == count[0] && done[1] == count[1];
}

/* Whether the difference of two texts leads from one to the other; sets its number of edits. */
static bool leads(const char *old, const char *new, size_t *num_edits)
{
    Arena arena = {0};
    Str out = str_new(&arena);
    Patch patch = {.old = old, .result = str_new(&arena)};
    bool good = true;

    output_diff(&out, "x", false, text(old), text(new));
    patch.at = strcmp(old, new) == 0 ? str_text(&out) : next_line(next_line(str_text(&out)));
    while (good && *patch.at) {
        good = apply_hunk(&patch);
    }
    while (*patch.old) {
        copy_old_line(&patch);
    }
    good = good && strcmp(str_text(&patch.result), new) == 0;
    *num_edits = patch.num_edits;
    arena_release(&arena);
    return good;
}

/* ---- random texts ---- */

/* Lines of one letter out of `num_letters`; now and then without the last newline. */
static size_t random_lines(char *dst, size_t most, int num_letters)
{
    size_t count = (size_t)rand() % (most + 1);

    for (size_t i = 0; i < count; i++) {
        *dst++ = (char)('a' + rand() % num_letters);
        *dst++ = '\n';
    }
    if (count > 0 && rand() % 4 == 0) {
        dst--;
    }
    *dst = '\0';
    return count;
}

/* The longest common subsequence of lines, by its table. `b`'s last newline counts as part of its line. */
static size_t common_lines(const char *a, const char *b)
{
    static size_t table[32][32];
    size_t n = strlen(a);
    size_t m = strlen(b);
    size_t num_a = (n + 1) / 2;
    size_t num_b = (m + 1) / 2;

    for (size_t i = 0; i <= num_a; i++) {
        for (size_t j = 0; j <= num_b; j++) {
            table[i][j] = 0;
            if (i > 0 && j > 0) {
                bool same = a[2 * i - 2] == b[2 * j - 2] && (2 * i - 1 < n) == (2 * j - 1 < m);
                size_t up = table[i - 1][j];
                size_t left = table[i][j - 1];
                table[i][j] = same ? table[i - 1][j - 1] + 1 : up > left ? up : left;
            }
        }
    }
    return table[num_a][num_b];
}

static void test_small(void)
{
    bool leads_all = true;
    bool shortest = true;

    srand(5);
    for (int i = 0; i < 5000; i++) {
        char old[64];
        char new[64];
        size_t num_edits = 0;
        size_t num_old = random_lines(old, 20, 1 + rand() % 5);
        size_t num_new = random_lines(new, 20, 1 + rand() % 5);
        leads_all = leads(old, new, &num_edits) && leads_all;
        shortest = shortest && num_edits == num_old + num_new - 2 * common_lines(old, new);
    }
    check(leads_all, "5000 differences of small random texts lead from one to the other, seed 5");
    check(shortest, "and none has an edit too many");
}

/* Numbered lines; each is changed, dropped or doubled once in `rate`; every third is one of few that repeat. */
static char *large_text(size_t num_lines, int rate)
{
    char *whole = malloc(num_lines * 48 + 1);
    char *dst = whole;

    for (size_t i = 0; i < num_lines; i++) {
        int what = rate ? rand() % rate : 9;
        if (what == 0) {
            continue;
        }
        for (int copies = what == 1 ? 2 : 1; copies > 0; copies--) {
            dst += i % 3 ? sprintf(dst, "line %zu%s\n", i, what == 2 ? " changed" : "") : sprintf(dst, "}%zu\n", i % 7);
        }
    }
    *dst = '\0';
    return whole;
}

static void test_large(void)
{
    static const int rates[] = {20000, 2000, 200, 20, 4};
    static const size_t num_lines = 60000;
    char *old = large_text(num_lines, 0);
    size_t num_edits = 0;

    srand(6);
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        char *new = large_text(num_lines, rates[i]);
        bool good = leads(old, new, &num_edits);
        check(good, "60000 lines, three edits in %d lines: %zu edits", rates[i], num_edits);
        /* Each line has one of three fates with chance 1/rate: 1, 1 or 2 edits. Cutting may cost some more. */
        check(num_edits < 4 * num_lines / (size_t)rates[i] * 3 / 2 + 100, "and not many more than were made");
        free(new);
    }
    free(old);
}

/* Nothing in common, and one line that repeats: the inputs on which a plain search takes quadratic time. */
static void test_hopeless(void)
{
    const size_t num_lines = 200000;
    char *old = malloc(num_lines * 16);
    char *new = malloc(num_lines * 16);
    char *dst[2] = {old, new};
    size_t num_edits = 0;
    clock_t start = clock();

    for (size_t i = 0; i < num_lines; i++) {
        dst[0] += sprintf(dst[0], "a%zu\n", i);
        dst[1] += sprintf(dst[1], "b%zu\n", i);
    }
    check(leads(old, new, &num_edits) && num_edits == 2 * num_lines, "200000 lines with nothing in common");
    dst[0] = old;
    dst[1] = new;
    for (size_t i = 0; i < num_lines; i++) {
        dst[0] += sprintf(dst[0], "%c\n", i % 5 ? 'x' : 'y');
        dst[1] += sprintf(dst[1], "%c\n", i % 7 ? 'x' : 'y');
    }
    check(leads(old, new, &num_edits), "200000 lines of two kinds");
    dst[0] = old;
    dst[1] = new;
    for (size_t i = 0; i < num_lines; i++) {
        dst[0] += sprintf(dst[0], "%zu\n", i);
        dst[1] += sprintf(dst[1], "%zu\n", num_lines - i);
    }
    check(leads(old, new, &num_edits), "200000 lines the other way round");
    printf("# %.1f s of processor time\n", (double)(clock() - start) / CLOCKS_PER_SEC);
    free(old);
    free(new);
}

int main(void)
{
    test_exact();
    test_names();
    test_small();
    test_large();
    test_hopeless();
    return check_done();
}
