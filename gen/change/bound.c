/* SPDX-License-Identifier: MIT */
/* bound - see bound.h. */
#include "bound.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/str.h"

/* "... <= 9": what stands before the number, the number, and what stands after it. */
typedef struct Bound {
    const char *line;
    size_t before;
    long long number;
    const char *after;
} Bound;

static bool read_number(Bound *bound, const char *line, const char *at)
{
    char *end;
    errno = 0;
    *bound = (Bound){.line = line, .before = (size_t)(at - line), .number = strtoll(at, &end, 10), .after = end};
    return end != at && errno == 0;
}

static bool same_but_for_number(const Bound *a, const Bound *b)
{
    return a->before == b->before && strncmp(a->line, b->line, a->before) == 0 && str_equal(a->after, b->after);
}

/* Both lines with a number after the relation, which may be followed by nothing but a remark. */
static bool both_end_with(const char *relation, const char *line, const char *from, Bound *wider, Bound *closer)
{
    const char *in_line = strstr(line, relation);
    const char *in_from = strstr(from, relation);
    return in_line != NULL && in_from != NULL && read_number(wider, line, in_line + strlen(relation)) &&
           read_number(closer, from, in_from + strlen(relation)) &&
           (*wider->after == '\0' || str_starts(wider->after, " (")) && same_but_for_number(wider, closer);
}

/* "fails unless 4 divides sym_k" */
static bool both_divide(const char *line, const char *from, Bound *wider, Bound *closer)
{
    static const char unless[] = "fails unless ";
    const char *in_line = strstr(line, unless);
    const char *in_from = strstr(from, unless);
    return in_line != NULL && in_from != NULL && read_number(wider, line, in_line + strlen(unless)) &&
           read_number(closer, from, in_from + strlen(unless)) && str_starts(wider->after, " divides ") &&
           wider->number > 0 && same_but_for_number(wider, closer);
}

bool bound_follows(const char *line, const char *from)
{
    Bound wider;
    Bound closer;
    if (both_end_with(" <= ", line, from, &wider, &closer)) {
        return closer.number <= wider.number;
    }
    if (both_end_with(" >= ", line, from, &wider, &closer)) {
        return closer.number >= wider.number;
    }
    return both_divide(line, from, &wider, &closer) && closer.number % wider.number == 0;
}
