/* SPDX-License-Identifier: MIT */
/* change - see change.h. */
#include "change.h"

#include <stdlib.h>
#include <string.h>

#include "bound.h"
#include "implied.h"

const char *change_words(Change change)
{
    static const char *const words[] = {
        "the same",           "compatible",
        "accepts more calls", "refuses what was accepted",
        "breaks the build",   "silently changes behaviour",
    };
    return words[change];
}

/* ---- lists of lines ---- */

typedef enum Relation { LINES_SAME, LINES_MORE, LINES_FEWER, LINES_OTHER } Relation;

static Table lines_table(Arena *arena, const PortraitLines *lines)
{
    Table table;
    table_init(&table, arena);
    for (uint32_t i = 0; i < lines->count; i++) {
        table_add(&table, lines->at[i], strlen(lines->at[i]), 0, i);
    }
    return table;
}

/* Lines of `lines` that are not in `others`, each once. */
static PortraitLines lines_without(Arena *arena, const PortraitLines *lines, const PortraitLines *others)
{
    PortraitLines rest = {0};
    Table known = lines_table(arena, others);
    for (uint32_t i = 0; i < lines->count; i++) {
        const char *line = lines->at[i];
        if (table_add(&known, line, strlen(line), 0, 0) == NULL) {
            portrait_add(arena, &rest, line);
        }
    }
    return rest;
}

/* As sets: their order makes no difference. */
static Relation lines_as_sets(Arena *arena, const PortraitLines *old, const PortraitLines *new)
{
    const bool fewer = lines_without(arena, old, new).count > 0;
    const bool more = lines_without(arena, new, old).count > 0;
    return fewer && more ? LINES_OTHER : fewer ? LINES_FEWER : more ? LINES_MORE : LINES_SAME;
}

/* LINES_MORE: the new ones come after all the old ones. */
static Relation lines_in_order(const PortraitLines *old, const PortraitLines *new)
{
    for (uint32_t i = 0; i < old->count; i++) {
        if (i >= new->count || !str_equal(old->at[i], new->at[i])) {
            return LINES_OTHER;
        }
    }
    return new->count > old->count ? LINES_MORE : LINES_SAME;
}

typedef struct Comparison {
    Arena *arena;
    const Portrait *old;
    const Portrait *new;
    const PortraitLines *provided; /* compiled functions that there were, of all graphs and kernels */
    Table old_pins;                /* numbers that each tests for literals */
    Table new_pins;
    Str *out;
    Change worst;
} Comparison;

/* ---- numbers that are pinned ---- */

static bool is_of_name(char c)
{
    return str_is_of_identifier(c) || c == '.';
}

/* How long what a portrait may pin is, "in_x.size(0)", if it begins here: a name and a number in parentheses; else 0.
 */
static size_t pin_length(const char *text)
{
    size_t length = 0;
    while (is_of_name(text[length])) {
        length++;
    }
    const size_t digits = length > 0 && text[length] == '(' ? strspn(text + length + 1, "0123456789") : 0;
    return digits > 0 && text[length + 1 + digits] == ')' ? length + digits + 2 : 0;
}

static Table pins_table(Arena *arena, const Portrait *portrait)
{
    Table table;
    table_init(&table, arena);
    for (uint32_t i = 0; i < portrait->num_pins; i++) {
        table_add(&table, portrait->pins[i].number, strlen(portrait->pins[i].number), 0, i);
    }
    return table;
}

/* The line with literals in place of what is pinned; `pins` is the table of the portrait's. */
static const char *with_pins(Arena *arena, const char *line, const Portrait *portrait, const Table *pins)
{
    Str out = str_new(arena);
    for (bool in_name = false; *line != '\0';) {
        const size_t length = in_name ? 0 : pin_length(line);
        const TableEntry *pin = length > 0 ? table_find(pins, line, length) : NULL;
        in_name = is_of_name(*line);
        if (pin != NULL) {
            str_puts(&out, portrait->pins[pin->index].literal);
            line += length;
        } else {
            str_putc(&out, *line++);
        }
    }
    return str_text(&out);
}

/* In a call that both accept, a number that either of them tests for a literal is that literal in both. */
static PortraitLines pinned(const Comparison *c, const PortraitLines *lines)
{
    PortraitLines result = {0};
    for (uint32_t i = 0; i < lines->count; i++) {
        const char *line = with_pins(c->arena, lines->at[i], c->old, &c->old_pins);
        portrait_add(c->arena, &result, with_pins(c->arena, line, c->new, &c->new_pins));
    }
    return result;
}

/* ---- one graph or kernel ---- */

static void put_lines(Comparison *c, const char *sign, const PortraitLines *lines)
{
    for (uint32_t i = 0; i < lines->count; i++) {
        str_printf(c->out, "    %s %s\n", sign, lines->at[i]);
    }
}

/* What is in one of the two only. Lines that only changed places are not shown, but said. */
static void put_difference(Comparison *c, const PortraitLines *old, const PortraitLines *new)
{
    const PortraitLines gone = lines_without(c->arena, old, new);
    const PortraitLines added = lines_without(c->arena, new, old);
    put_lines(c, "-", &gone);
    put_lines(c, "+", &added);
    if (gone.count == 0 && added.count == 0) {
        str_puts(c->out, "    the same lines in another order, or another number of times\n");
    }
}

static void conclude(Comparison *c, Change change, const char *reason, PortraitPart part)
{
    str_printf(c->out, "  %s\n", reason);
    put_difference(c, &c->old->parts[part], &c->new->parts[part]);
    c->worst = change > c->worst ? change : c->worst;
}

/* Is there a member that is not a tensor? Callers that are compiled again without knowing it leave it zero, which only
 * a tensor cannot be. In which order members are is another matter. */
static bool has_silent_member(const PortraitLines *lines)
{
    static const char aligned[] = "alignas(WgValue) ";
    for (uint32_t i = 0; i < lines->count; i++) {
        const char *line = lines->at[i];
        const char *declared = str_starts(line, aligned) ? line + strlen(aligned) : line;
        const bool is_member = strchr(declared, '(') == NULL && line[strlen(line) - 1] == ';' && line[0] != '}';
        if (is_member && !str_starts(declared, "WgTensor *") && !str_starts(declared, "extern ")) {
            return true;
        }
    }
    return false;
}

static void compare_declared(Comparison *c)
{
    const PortraitLines *const old = c->old->parts;
    const PortraitLines *const new = c->new->parts;
    const Relation declared = lines_as_sets(c->arena, &old[PART_DECLARED], &new[PART_DECLARED]);
    const PortraitLines added = lines_without(c->arena, &new[PART_DECLARED], &old[PART_DECLARED]);
    if (has_silent_member(&added)) {
        conclude(c, CHANGE_SILENT, "callers that do not know of a new member pass 0", PART_DECLARED);
    } else if (declared == LINES_OTHER || declared == LINES_FEWER) {
        conclude(c, CHANGE_BUILD, "what callers write is declared in another way", PART_DECLARED);
    } else if (declared == LINES_MORE) {
        conclude(c, CHANGE_COMPATIBLE, "more is declared for callers", PART_DECLARED);
    } else if (lines_in_order(&old[PART_DECLARED], &new[PART_DECLARED]) != LINES_SAME) {
        conclude(c, CHANGE_SILENT, "members change places, and so do values in arrays", PART_DECLARED);
    }
    if (lines_as_sets(c->arena, &old[PART_ARITY], &new[PART_ARITY]) != LINES_SAME) {
        conclude(c, CHANGE_BUILD, "callers pass or take another number of values", PART_ARITY);
    }
    const PortraitLines provided = lines_without(c->arena, &new[PART_PROVIDED], &old[PART_PROVIDED]);
    if (lines_as_sets(c->arena, &old[PART_PROVIDED], &new[PART_PROVIDED]) != LINES_SAME) {
        const bool known = lines_without(c->arena, &provided, c->provided).count < provided.count;
        const PortraitLines gone = lines_without(c->arena, &old[PART_PROVIDED], &new[PART_PROVIDED]);
        const bool renamed = provided.count > 0 && gone.count > 0;
        conclude(c,
                 known     ? CHANGE_SILENT
                 : renamed ? CHANGE_BUILD
                           : CHANGE_COMPATIBLE,
                 known     ? "compiled functions are called that others called before"
                 : renamed ? "compiled functions under other names must be linked"
                           : "more compiled functions are called, or fewer",
                 PART_PROVIDED);
    }
}

/* "fails unless 7 >= 2": does the test hold whatever is passed? Only for two literals. */
static bool always_holds(const char *line)
{
    char *end;
    const char *unless = strstr(line, "fails unless ");
    if (unless == NULL) {
        return false;
    }
    const char *text = unless + strlen("fails unless ");
    const long long lhs = strtoll(text, &end, 10);
    const size_t operation = strcspn(end, "-0123456789");
    const char *rest = end + operation;
    const long long rhs = strtoll(rest, &end, 10);
    if (text == rest || (*end != '\0' && !str_starts(end, " (")) || operation < 3) {
        return false;
    }
    const char *words = rest - operation;
    return (str_starts(words, " = ") && lhs == rhs) || (str_starts(words, " >= ") && lhs >= rhs) ||
           (str_starts(words, " <= ") && lhs <= rhs) || (str_starts(words, " divides ") && lhs > 0 && rhs % lhs == 0);
}

static bool follows_from_any(const char *line, const PortraitLines *others)
{
    for (uint32_t i = 0; i < others->count; i++) {
        if (bound_follows(line, others->at[i])) {
            return true;
        }
    }
    return false;
}

/* The tests, except those that follow from what the other version tests for literals, or from a closer bound or
 * a stronger guard of it. */
static PortraitLines unimplied(const Comparison *c, const Portrait *one, const Portrait *other, const Table *pins)
{
    const PortraitLines *lines = &one->parts[PART_CALLS];
    const PortraitLines others = lines_without(c->arena, &other->parts[PART_CALLS], lines);
    PortraitLines result = {0};
    for (uint32_t i = 0; i < lines->count; i++) {
        const char *line = with_pins(c->arena, lines->at[i], other, pins);
        const bool follows = follows_from_any(line, &others) || implied_guard(c->arena, one, lines->at[i], other);
        if (!always_holds(line) && !follows) {
            portrait_add(c->arena, &result, lines->at[i]);
        }
    }
    return result;
}

static Relation compare_calls(Comparison *c)
{
    const PortraitLines before = unimplied(c, c->old, c->new, &c->new_pins);
    const PortraitLines after = unimplied(c, c->new, c->old, &c->old_pins);
    const Relation calls = lines_as_sets(c->arena, &before, &after);
    if (calls == LINES_MORE) {
        conclude(c, CHANGE_REFUSES, "calls that were accepted are refused", PART_CALLS);
    } else if (calls == LINES_FEWER) {
        conclude(c, CHANGE_COMPATIBLE, "calls that were refused are accepted", PART_CALLS);
    } else if (calls == LINES_OTHER) {
        conclude(c, CHANGE_REFUSES, "other calls are accepted", PART_CALLS);
    }
    return calls;
}

/* Does what happens in a call that both accept differ, or are results accepted that were refused? No call that passes
 * or takes another number of values is accepted by both. */
static bool compare_steps(Comparison *c)
{
    const Relation arity = lines_as_sets(c->arena, &c->old->parts[PART_ARITY], &c->new->parts[PART_ARITY]);
    if (arity != LINES_SAME) {
        return true;
    }
    const PortraitLines old = pinned(c, &c->old->parts[PART_STEPS]);
    const PortraitLines new = pinned(c, &c->new->parts[PART_STEPS]);
    const PortraitLines old_results = pinned(c, &c->old->parts[PART_RESULTS]);
    const PortraitLines new_results = pinned(c, &c->new->parts[PART_RESULTS]);
    const Relation results = lines_as_sets(c->arena, &old_results, &new_results);
    const bool same = lines_in_order(&old, &new) == LINES_SAME;
    if (!same) {
        conclude(c, CHANGE_SILENT, "a call does something else", PART_STEPS);
    }
    if (results == LINES_MORE) {
        conclude(c, CHANGE_REFUSES, "results that were accepted are refused", PART_RESULTS);
    } else if (results != LINES_SAME) {
        conclude(c, CHANGE_SILENT, "results that were refused are accepted", PART_RESULTS);
    }
    return !same || results == LINES_FEWER || results == LINES_OTHER;
}

/* Compiled functions under the same names: what they get and return is not known to any linker. One that gets only
 * calls that it was made for, and does the same, need not be made anew; what it returns is tested. */
static void compare_taken(Comparison *c, Relation calls, bool differs)
{
    const PortraitLines *const old = c->old->parts;
    const PortraitLines *const new = c->new->parts;
    const bool renamed = lines_as_sets(c->arena, &old[PART_PROVIDED], &new[PART_PROVIDED]) != LINES_SAME;
    const bool calls_any = !c->old->is_kernel || old[PART_VARIANTS].count > 0;
    const bool wider = calls == LINES_FEWER || calls == LINES_OTHER;
    if (renamed || (!wider && !differs)) {
        return;
    }
    if (!c->old->is_kernel && lines_in_order(&old[PART_TAKEN], &new[PART_TAKEN]) != LINES_SAME) {
        conclude(c, CHANGE_SILENT, "the compiled function must be made anew, and has its old name", PART_TAKEN);
    } else if (wider && calls_any) {
        str_puts(c->out, "  compiled functions, which have their old names, must be right for these calls, too\n");
        c->worst = c->worst < CHANGE_ACCEPTS ? CHANGE_ACCEPTS : c->worst;
    }
}

/* What a kernel states that its variants return. */
static void compare_stated(Comparison *c)
{
    const PortraitLines *const old = &c->old->parts[PART_TAKEN];
    const PortraitLines *const new = &c->new->parts[PART_TAKEN];
    if (!c->old->is_kernel || lines_in_order(old, new) == LINES_SAME) {
        return;
    }
    if (old->count == 0 || new->count == 0) {
        conclude(c, CHANGE_COMPATIBLE, "only one version states what the variants return", PART_TAKEN);
    } else {
        conclude(c, CHANGE_SILENT, "variants are said to return something else", PART_TAKEN);
    }
}

static void compare_variants(Comparison *c)
{
    compare_stated(c);
    const Relation variants = lines_in_order(&c->old->parts[PART_VARIANTS], &c->new->parts[PART_VARIANTS]);
    if (variants == LINES_MORE) {
        conclude(c, CHANGE_COMPATIBLE, "more variants, after the others", PART_VARIANTS);
    } else if (variants != LINES_SAME) {
        conclude(c, CHANGE_SILENT, "another variant may be chosen", PART_VARIANTS);
    }
}

static Change compare(Arena *arena, const Portrait *old, const Portrait *new, const PortraitLines *provided, Str *out)
{
    Str reasons = str_new(arena);
    Comparison comparison = {.arena = arena, .old = old, .new = new, .provided = provided, .out = &reasons};
    comparison.old_pins = pins_table(arena, old);
    comparison.new_pins = pins_table(arena, new);
    compare_declared(&comparison);
    if (old->family == 0 || old->family != new->family) {
        const Relation calls = compare_calls(&comparison);
        const bool differs = compare_steps(&comparison);
        compare_taken(&comparison, calls, differs);
        compare_variants(&comparison);
    }
    str_printf(out, "%s: %s\n%s", new->symbol, change_words(comparison.worst), str_text(&reasons));
    return comparison.worst;
}

/* ---- all of them ---- */

static const Portrait *find(Portrait *const *list, uint32_t count, const char *symbol)
{
    for (uint32_t i = 0; i < count; i++) {
        if (str_equal(list[i]->symbol, symbol)) {
            return list[i];
        }
    }
    return NULL;
}

static Change worse(Change a, Change b)
{
    return a > b ? a : b;
}

Change change_of(Arena *arena, Portrait *const *old, uint32_t num_old, Portrait *const *new, uint32_t num_new, Str *out)
{
    Change worst = CHANGE_NONE;
    PortraitLines provided = {0};
    for (uint32_t i = 0; i < num_old; i++) {
        const PortraitLines *lines = &old[i]->parts[PART_PROVIDED];
        for (uint32_t p = 0; p < lines->count; p++) {
            portrait_add(arena, &provided, lines->at[p]);
        }
    }
    for (uint32_t i = 0; i < num_old; i++) {
        const Portrait *now = find(new, num_new, old[i]->symbol);
        if (now == NULL) {
            str_printf(out, "%s: %s\n  it is gone\n", old[i]->symbol, change_words(CHANGE_BUILD));
            worst = worse(worst, CHANGE_BUILD);
        } else {
            worst = worse(worst, compare(arena, old[i], now, &provided, out));
        }
    }
    for (uint32_t i = 0; i < num_new; i++) {
        if (find(old, num_old, new[i]->symbol) == NULL) {
            str_printf(out, "%s: %s\n  it is new\n", new[i]->symbol, change_words(CHANGE_COMPATIBLE));
            worst = worse(worst, CHANGE_COMPATIBLE);
        }
    }
    return worst;
}
