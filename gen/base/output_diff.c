/* SPDX-License-Identifier: MIT */
/*
 * output_diff - numbers the lines of two texts so that equal lines have equal numbers, then compares numbers.
 *
 *   1. The common beginning and end are left aside.
 *   2. Myers' greedy search (E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", 1986) finds the shortest
 *      edit if it has at most MAX_EDITS lines; its memory is a square of that.
 *   3. When it has more, lines that occur once in either text, in the longest order they share, cut the problem into
 *      smaller ones (B. Cohen's "patience diff"), each of which starts again at 1.
 *   4. When there are no such lines, everything counts as replaced.
 *
 * So the result is always correct, it is the shortest if it is small, and otherwise time and memory stay nearly linear
 * in the input. It is kept as one mark for each line, "only in this text"; lines without a mark pair up in order.
 */
#include "output_diff.h"

#include <stdint.h>
#include <string.h>

enum { MAX_EDITS = 256, MAX_CUTS = 8, CONTEXT = 3 };

typedef struct Line {
    const char *text;
    size_t length; /* with the newline, which only the last may lack */
} Line;

typedef struct Side {
    Line *lines;
    size_t num_lines;
    uint32_t *numbers; /* of each line's text, the same in both sides */
    bool *only;        /* lines that the other side does not have */
    uint32_t *count;   /* by number: scratch of cut(), zero outside it */
    size_t *where;     /* by number: a line with that number */
} Side;

typedef struct Diff {
    Arena *arena; /* for this comparison only */
    Side old;
    Side new;
    uint32_t num_numbers;
    size_t *trace; /* for Myers' search: the furthest points of all steps, one after the other */
} Diff;

/* Ranges [old_first, old_end) and [new_first, new_end). */
typedef struct Range {
    size_t old_first;
    size_t old_end;
    size_t new_first;
    size_t new_end;
} Range;

static void compare(Diff *diff, Range range, int num_cuts);

/* ---- lines and numbers ---- */

static void split_lines(Arena *arena, Side *side, DiffText text)
{
    const char *at = text.data;
    const char *end = text.data + text.length;
    size_t num_lines = 0;

    for (const char *next = at; next < end; num_lines++) {
        const char *newline = memchr(next, '\n', (size_t)(end - next));
        next = newline ? newline + 1 : end;
    }
    side->lines = ARENA_ARRAY(arena, Line, num_lines);
    side->numbers = ARENA_ARRAY(arena, uint32_t, num_lines);
    side->only = ARENA_ARRAY(arena, bool, num_lines);
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *next = newline ? newline + 1 : end;
        side->lines[side->num_lines++] = (Line){.text = at, .length = (size_t)(next - at)};
        at = next;
    }
}

static uint64_t hash_line(Line line)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

    for (size_t i = 0; i < line.length; i++) {
        hash = (hash ^ (unsigned char)line.text[i]) * UINT64_C(0x100000001b3);
    }
    return hash ^ (hash >> 32);
}

typedef struct Slot {
    Line line;
    uint64_t hash;
    uint32_t number; /* + 1; 0 = empty */
} Slot;

static void number_lines(Diff *diff, Side *side, Slot *slots, size_t num_slots)
{
    for (size_t i = 0; i < side->num_lines; i++) {
        Line line = side->lines[i];
        uint64_t hash = hash_line(line);
        size_t at = (size_t)hash & (num_slots - 1);
        while (slots[at].number && !(slots[at].hash == hash && slots[at].line.length == line.length &&
                                     memcmp(slots[at].line.text, line.text, line.length) == 0)) {
            at = (at + 1) & (num_slots - 1);
        }
        if (!slots[at].number) {
            slots[at] = (Slot){.line = line, .hash = hash, .number = ++diff->num_numbers};
        }
        side->numbers[i] = slots[at].number - 1;
    }
}

static void prepare(Diff *diff, DiffText old, DiffText new)
{
    size_t num_slots = 64;
    Slot *slots = NULL;

    split_lines(diff->arena, &diff->old, old);
    split_lines(diff->arena, &diff->new, new);
    while (num_slots < 2 * (diff->old.num_lines + diff->new.num_lines)) {
        num_slots *= 2;
    }
    slots = ARENA_ARRAY(diff->arena, Slot, num_slots);
    number_lines(diff, &diff->old, slots, num_slots);
    number_lines(diff, &diff->new, slots, num_slots);
    diff->old.count = ARENA_ARRAY(diff->arena, uint32_t, diff->num_numbers);
    diff->new.count = ARENA_ARRAY(diff->arena, uint32_t, diff->num_numbers);
    diff->old.where = ARENA_ARRAY(diff->arena, size_t, diff->num_numbers);
    diff->new.where = ARENA_ARRAY(diff->arena, size_t, diff->num_numbers);
}

/* ---- Myers' search ---- */

/*
 * Step d of the search has the diagonals -d, -d + 2 .. d, diagonal k being where x - y = k; its furthest points are
 * kept one after the other, at index t the x of diagonal 2 * t - d. A point on the diagonal at t is reached either by
 * going down (a line of the new text) from index t of the step before, or right (a line of the old one) from its index
 * t - 1.
 */
static size_t *trace_step(const Diff *diff, size_t d)
{
    return diff->trace + d * (d + 1) / 2;
}

static bool comes_down(const size_t *before, size_t d, size_t t)
{
    return t == 0 || (t != d && before[t - 1] < before[t]);
}

/* Marks the edits of a path to the end of the range, going back over its `edits` steps. */
static void mark_path(Diff *diff, Range range, size_t edits)
{
    size_t x = range.old_end - range.old_first;
    size_t y = range.new_end - range.new_first;

    for (size_t d = edits; d > 0; d--) {
        const size_t *before = trace_step(diff, d - 1);
        size_t t = (x + d - y) / 2;
        if (comes_down(before, d, t)) {
            x = before[t];
            y = x + d - 2 * t - 1;
            diff->new.only[range.new_first + y] = true;
        } else {
            x = before[t - 1];
            y = x + d - 2 * t + 1;
            diff->old.only[range.old_first + x] = true;
        }
    }
}

/* Marks the shortest edit if it has at most MAX_EDITS lines; else false. */
static bool search(Diff *diff, Range range)
{
    const uint32_t *old = diff->old.numbers + range.old_first;
    const uint32_t *new = diff->new.numbers + range.new_first;
    size_t old_length = range.old_end - range.old_first;
    size_t new_length = range.new_end - range.new_first;

    if (!diff->trace) {
        diff->trace = ARENA_ARRAY(diff->arena, size_t, (MAX_EDITS + 1) * (MAX_EDITS + 2) / 2);
    }
    for (size_t d = 0; d <= MAX_EDITS; d++) {
        size_t *step = trace_step(diff, d);
        const size_t *before = d ? trace_step(diff, d - 1) : step;
        for (size_t t = 0; t <= d; t++) {
            size_t x = d == 0 ? 0 : comes_down(before, d, t) ? before[t] : before[t - 1] + 1;
            size_t y = x + d - 2 * t;
            while (x < old_length && y < new_length && old[x] == new[y]) {
                x++;
                y++;
            }
            step[t] = x;
            if (x == old_length && y == new_length) {
                mark_path(diff, range, d);
                return true;
            }
        }
    }
    return false;
}

/* ---- cutting at lines that are unique ---- */

typedef struct Match {
    size_t old;
    size_t new;
    size_t previous; /* in the longest sequence that ends here: index + 1 of the previous match, 0 = none */
} Match;

static void count_lines(Side *side, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        side->count[side->numbers[i]]++;
        side->where[side->numbers[i]] = i;
    }
}

static void uncount_lines(Side *side, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        side->count[side->numbers[i]] = 0;
    }
}

/* Lines that occur once in either range, in the order of the old one. */
static Match *unique_lines(Diff *diff, Range range, size_t *num_matches)
{
    size_t shorter = range.old_end - range.old_first;
    Match *matches = NULL;

    if (shorter > range.new_end - range.new_first) {
        shorter = range.new_end - range.new_first;
    }
    matches = ARENA_ARRAY(diff->arena, Match, shorter);
    *num_matches = 0;
    count_lines(&diff->old, range.old_first, range.old_end);
    count_lines(&diff->new, range.new_first, range.new_end);
    for (size_t i = range.old_first; i < range.old_end; i++) {
        uint32_t number = diff->old.numbers[i];
        if (diff->old.count[number] == 1 && diff->new.count[number] == 1) {
            matches[(*num_matches)++] = (Match){.old = i, .new = diff->new.where[number]};
        }
    }
    uncount_lines(&diff->old, range.old_first, range.old_end);
    uncount_lines(&diff->new, range.new_first, range.new_end);
    return matches;
}

/*
 * The longest sequence of matches that goes up in both texts: ends[n] is the match with the smallest new line with
 * which a sequence of n + 1 can end. Leaves it at the start of the array and returns its length.
 */
static size_t longest_order(Diff *diff, Match *matches, size_t num_matches)
{
    size_t *ends = ARENA_ARRAY(diff->arena, size_t, num_matches);
    Match *order = ARENA_ARRAY(diff->arena, Match, num_matches);
    size_t length = 0;
    size_t at = 0;

    for (size_t i = 0; i < num_matches; i++) {
        size_t low = 0;
        size_t high = length;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (matches[ends[middle]].new < matches[i].new) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        matches[i].previous = low ? ends[low - 1] + 1 : 0;
        ends[low] = i;
        length += low == length;
    }
    at = length ? ends[length - 1] + 1 : 0;
    for (size_t i = length; i > 0; i--) {
        order[i - 1] = matches[at - 1];
        at = matches[at - 1].previous;
    }
    if (length > 0) {
        memcpy(matches, order, length * sizeof *order);
    }
    return length;
}

/* Compares the parts between unique lines; false when there are no unique lines. */
static bool cut(Diff *diff, Range range, int num_cuts)
{
    size_t num_matches = 0;
    Match *matches = unique_lines(diff, range, &num_matches);
    Range part = range;

    num_matches = longest_order(diff, matches, num_matches);
    for (size_t i = 0; i < num_matches; i++) {
        part.old_end = matches[i].old;
        part.new_end = matches[i].new;
        compare(diff, part, num_cuts);
        part.old_first = matches[i].old + 1;
        part.new_first = matches[i].new + 1;
    }
    part.old_end = range.old_end;
    part.new_end = range.new_end;
    if (num_matches > 0) {
        compare(diff, part, num_cuts);
    }
    return num_matches > 0;
}

static void mark_all(bool *only, size_t first, size_t end)
{
    memset(only + first, true, end - first);
}

static void compare(Diff *diff, Range range, int num_cuts)
{
    const uint32_t *old = diff->old.numbers;
    const uint32_t *new = diff->new.numbers;
    bool both = false;

    while (range.old_first < range.old_end && range.new_first < range.new_end &&
           old[range.old_first] == new[range.new_first]) {
        range.old_first++;
        range.new_first++;
    }
    while (range.old_first < range.old_end && range.new_first < range.new_end &&
           old[range.old_end - 1] == new[range.new_end - 1]) {
        range.old_end--;
        range.new_end--;
    }
    both = range.old_first < range.old_end && range.new_first < range.new_end;
    if (both && (search(diff, range) || (num_cuts < MAX_CUTS && cut(diff, range, num_cuts + 1)))) {
        return;
    }
    mark_all(diff->old.only, range.old_first, range.old_end);
    mark_all(diff->new.only, range.new_first, range.new_end);
}

/* ---- writing ---- */

static void put_line(Str *out, char sign, Line line)
{
    str_putc(out, sign);
    str_add(out, line.text, line.length);
    if (line.text[line.length - 1] != '\n') {
        str_puts(out, "\n\\ No newline at end of file\n");
    }
}

/* "first,count": lines count from 1; an empty range names the line before it; a count of 1 is left out. */
static void put_numbers(Str *out, size_t first, size_t end)
{
    str_printf(out, "%zu", end > first ? first + 1 : first);
    if (end - first != 1) {
        str_printf(out, ",%zu", end - first);
    }
}

static void put_hunk(Str *out, const Diff *diff, Range hunk)
{
    size_t i = hunk.old_first;
    size_t j = hunk.new_first;

    str_puts(out, "@@ -");
    put_numbers(out, hunk.old_first, hunk.old_end);
    str_puts(out, " +");
    put_numbers(out, hunk.new_first, hunk.new_end);
    str_puts(out, " @@\n");
    while (i < hunk.old_end || j < hunk.new_end) {
        if (i < hunk.old_end && diff->old.only[i]) {
            put_line(out, '-', diff->old.lines[i++]);
        } else if (j < hunk.new_end && diff->new.only[j]) {
            put_line(out, '+', diff->new.lines[j++]);
        } else {
            put_line(out, ' ', diff->old.lines[i++]);
            j++;
        }
    }
}

static bool is_change(const Diff *diff, size_t i, size_t j)
{
    return (i < diff->old.num_lines && diff->old.only[i]) || (j < diff->new.num_lines && diff->new.only[j]);
}

/* The number of lines from i, j on that are the same, up to `most`. */
static size_t count_same(const Diff *diff, size_t i, size_t j, size_t most)
{
    size_t count = 0;

    while (count < most && i + count < diff->old.num_lines && !is_change(diff, i + count, j + count)) {
        count++;
    }
    return count;
}

/* Extends a hunk that begins with a change over all changes that follow with little between them. */
static void extend_hunk(const Diff *diff, Range *hunk)
{
    size_t same = 0;

    do {
        hunk->old_end += same;
        hunk->new_end += same;
        while (hunk->old_end < diff->old.num_lines && diff->old.only[hunk->old_end]) {
            hunk->old_end++;
        }
        while (hunk->new_end < diff->new.num_lines && diff->new.only[hunk->new_end]) {
            hunk->new_end++;
        }
        same = count_same(diff, hunk->old_end, hunk->new_end, 2 * CONTEXT + 1);
    } while (same <= 2 * CONTEXT && is_change(diff, hunk->old_end + same, hunk->new_end + same));
    same = same < CONTEXT ? same : CONTEXT;
    hunk->old_end += same;
    hunk->new_end += same;
}

static void put_hunks(Str *out, const Diff *diff)
{
    size_t i = 0;
    size_t j = 0;

    for (;;) {
        size_t same = count_same(diff, i, j, SIZE_MAX);
        size_t before = same < CONTEXT ? same : CONTEXT;
        Range hunk = {.old_first = i + same, .old_end = i + same, .new_first = j + same, .new_end = j + same};
        if (!is_change(diff, i + same, j + same)) {
            return;
        }
        extend_hunk(diff, &hunk);
        hunk.old_first -= before;
        hunk.new_first -= before;
        put_hunk(out, diff, hunk);
        i = hunk.old_end;
        j = hunk.new_end;
    }
}

/* "--- a/path": quoted like a C string where a control character, a quote or a backslash would confuse patch; a tab
 * ends a name with blanks. */
static void put_name(Str *out, Arena *arena, const char *sign, const char *side, const char *path)
{
    const char *name = arena_printf(arena, "%s%s%s", side, path[0] == '/' ? "" : "/", path);
    bool quote = false;

    for (const char *at = name; *at; at++) {
        quote = quote || (unsigned char)*at < 0x20 || *at == 0x7f || *at == '"' || *at == '\\';
    }
    str_puts(out, sign);
    if (quote) {
        str_put_c_literal(out, name);
    } else {
        str_puts(out, name);
        str_puts(out, strchr(name, ' ') ? "\t" : "");
    }
    str_putc(out, '\n');
}

void output_diff(Str *out, const char *path, bool is_missing, DiffText old, DiffText new)
{
    Arena arena;
    Diff diff = {.arena = &arena};

    if (!is_missing && old.length == new.length && (old.length == 0 || memcmp(old.data, new.data, old.length) == 0)) {
        return;
    }
    arena_init(&arena);
    arena.on_exhausted = out->arena->on_exhausted;
    arena.exhausted_ctx = out->arena->exhausted_ctx;
    prepare(&diff, old, new);
    compare(&diff, (Range){0, diff.old.num_lines, 0, diff.new.num_lines}, 0);
    if (is_missing) {
        str_puts(out, "--- /dev/null\n");
    } else {
        put_name(out, &arena, "--- ", "a", path);
    }
    put_name(out, &arena, "+++ ", "b", path);
    put_hunks(out, &diff);
    arena_release(&arena);
}
