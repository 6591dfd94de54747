/* SPDX-License-Identifier: MIT */
/*
 * condition - see condition.h. A range is kept tight: its ends are multiples themselves, so it is empty exactly when
 * min > max, and the intersection of two is (greater min, lesser max, least common multiple), tightened again.
 */
#include "condition.h"

#include <string.h>

#include "../base/str.h"
#include "../../templates/core/wg_compiler.h"

/* With more ranges than this an intersection keeps its first operand instead: input that multiplies unions deserves no
 * better. */
enum { CONDITION_MAX_RANGES = 1024 };

static const ConditionRange EMPTY = {1, 0, 1};

/* Moves both ends inwards to multiples, except where there is no bound. */
static ConditionRange range_tighten(ConditionRange range)
{
    const int64_t above = range.min == INT64_MIN ? 0 : range.min % range.multiple;
    const int64_t below = range.max == INT64_MAX ? 0 : range.max % range.multiple;
    const int64_t up = above > 0 ? range.multiple - above : -above;
    const int64_t down = below < 0 ? range.multiple + below : below;
    if (wg_ckd_add(&range.min, range.min, up) || wg_ckd_sub(&range.max, range.max, down)) {
        return EMPTY;
    }
    return range.min > range.max ? EMPTY : range;
}

int64_t greatest_common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static ConditionRange range_intersect(const ConditionRange *a, const ConditionRange *b)
{
    ConditionRange both;
    both.min = a->min > b->min ? a->min : b->min;
    both.max = a->max < b->max ? a->max : b->max;
    const int64_t factor = b->multiple / greatest_common_divisor(a->multiple, b->multiple);
    if (wg_ckd_mul(&both.multiple, a->multiple, factor)) {
        /* Of the common multiples only 0 is a 64-bit integer. */
        both.min = both.min > 0 ? both.min : 0;
        both.max = both.max < 0 ? both.max : 0;
        both.multiple = 1;
    }
    return range_tighten(both);
}

ConditionRange condition_range(int64_t min, int64_t max, int64_t multiple)
{
    return range_tighten((ConditionRange){min, max, multiple});
}

bool condition_range_is_empty(const ConditionRange *range)
{
    return range->min > range->max;
}

bool condition_is_empty(const Condition *condition)
{
    for (uint32_t i = 0; i < condition->num_ranges; i++) {
        if (!condition_range_is_empty(&condition->ranges[i])) {
            return false;
        }
    }
    return true;
}

Condition condition_interval(Arena *arena, int64_t min, int64_t max)
{
    Condition condition = {0};
    condition.ranges = ARENA_NEW(arena, ConditionRange);
    condition.num_ranges = 1;
    condition.ranges[0].min = min;
    condition.ranges[0].max = max;
    condition.ranges[0].multiple = 1;
    return condition;
}

Condition condition_intersect(Arena *arena, const Condition *a, const Condition *b)
{
    if ((uint64_t)a->num_ranges * b->num_ranges > CONDITION_MAX_RANGES) {
        return *a;
    }
    Condition both = {0};
    both.ranges = ARENA_ARRAY(arena, ConditionRange, (size_t)a->num_ranges * b->num_ranges);
    for (uint32_t i = 0; i < a->num_ranges; i++) {
        for (uint32_t j = 0; j < b->num_ranges; j++) {
            const ConditionRange range = range_intersect(&a->ranges[i], &b->ranges[j]);
            if (!condition_range_is_empty(&range)) {
                both.ranges[both.num_ranges++] = range;
            }
        }
    }
    return both;
}

int64_t condition_min(const Condition *condition)
{
    int64_t min = INT64_MAX;
    for (uint32_t i = 0; i < condition->num_ranges; i++) {
        const ConditionRange *range = &condition->ranges[i];
        min = !condition_range_is_empty(range) && range->min < min ? range->min : min;
    }
    return min;
}

int64_t condition_max(const Condition *condition)
{
    int64_t max = INT64_MIN;
    for (uint32_t i = 0; i < condition->num_ranges; i++) {
        const ConditionRange *range = &condition->ranges[i];
        max = !condition_range_is_empty(range) && range->max > max ? range->max : max;
    }
    return max;
}

/* ---- parsing ---- */

typedef struct ConditionParser {
    Arena *arena;
    const char *text;
    const char *at;
    const char *error; /* the first one */
    const char *error_at;
} ConditionParser;

static bool parser_fail(ConditionParser *parser, const char *at, const char *message)
{
    if (parser->error == NULL) {
        parser->error = message;
        parser->error_at = at;
    }
    return false;
}

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

/* INT, if there is one; *found says so. Cuts out the digits and gives them to the tool's one strict integer parser. */
static bool parse_integer(ConditionParser *parser, int64_t *value, bool *found)
{
    const char *start = parser->at;
    const char *end = start + (*start == '-' ? 1 : 0);
    while (is_digit(*end)) {
        end++;
    }
    *found = end > start;
    if (!*found) {
        return true;
    }
    parser->at = end;
    const char *digits = arena_copy(parser->arena, start, (size_t)(end - start));
    return expr_parse_integer(digits, value) ||
           parser_fail(parser, start, arena_printf(parser->arena, "'%s' is not a 64-bit decimal integer", digits));
}

/* %K, if there is one. */
static bool parse_multiple(ConditionParser *parser, int64_t *multiple)
{
    if (*parser->at != '%') {
        return true;
    }
    parser->at++;
    bool found = false;
    const char *start = parser->at;
    if (!parse_integer(parser, multiple, &found)) {
        return false;
    }
    return (found && *multiple >= 1) || parser_fail(parser, start, "'%' needs a positive integer after it");
}

static bool parse_alternative(ConditionParser *parser, ConditionRange *range)
{
    const char *start = parser->at;
    bool has_min = false;
    bool has_max = false;
    int64_t value = 0;
    if (!parse_integer(parser, &value, &has_min)) {
        return false;
    }
    *range = (ConditionRange){INT64_MIN, INT64_MAX, 1};
    range->min = has_min ? value : INT64_MIN;
    if (strncmp(parser->at, "..", 2) == 0) {
        parser->at += 2;
        if (!parse_integer(parser, &value, &has_max)) {
            return false;
        }
        range->max = has_max ? value : INT64_MAX;
    } else if (has_min) {
        range->max = value;
        return true; /* an integer alone takes no %K */
    } else if (*start != '%') {
        return parser_fail(parser, start, "expected an integer, a range like '1..8', '%K', 'any' or a symbol");
    }
    if (!parse_multiple(parser, &range->multiple)) {
        return false;
    }
    *range = range_tighten(*range);
    return true;
}

static bool parse_alternatives(ConditionParser *parser, Condition *condition)
{
    uint32_t capacity = 1;
    for (const char *c = parser->text; *c != '\0'; c++) {
        capacity += *c == '|' ? 1 : 0;
    }
    condition->ranges = ARENA_ARRAY(parser->arena, ConditionRange, capacity);
    for (;;) {
        if (!parse_alternative(parser, &condition->ranges[condition->num_ranges])) {
            return false;
        }
        condition->num_ranges++;
        if (*parser->at == '\0') {
            return true;
        }
        if (*parser->at != '|') {
            return parser_fail(parser, parser->at, "expected '|' or the end after an alternative");
        }
        parser->at++;
    }
}

bool condition_parse(Arena *arena, const char *text, ExprLookup lookup, void *ctx, Condition *condition,
                     const char **error, size_t *at)
{
    ConditionParser parser = {arena, text, text, NULL, NULL};
    memset(condition, 0, sizeof *condition);
    if (str_is_identifier(text)) {
        *condition = condition_interval(arena, INT64_MIN, INT64_MAX);
        if (strcmp(text, "any") == 0) {
            return true;
        }
        condition->is_symbol = true;
        if (lookup(ctx, text, strlen(text), &condition->symbol)) {
            return true;
        }
        *error = arena_printf(arena, "'%s' is not a declared symbol", text);
        *at = 0;
        return false;
    }
    if (parse_alternatives(&parser, condition)) {
        return true;
    }
    *error = parser.error;
    *at = (size_t)(parser.error_at - text);
    return false;
}
