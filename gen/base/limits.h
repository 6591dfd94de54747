/* SPDX-License-Identifier: MIT */
/*
 * limits - how much is too much. A number in a small file can ask for gigabytes of C, usually because of a slip;
 * anything beyond these bounds is refused (E_LIMIT), and --limit raises them for those who mean it.
 *
 * To add one, add a line here, the check in gen/, and a case in tests/cli/limit.sh.
 */
#ifndef WRAPGEN_LIMITS_H
#define WRAPGEN_LIMITS_H

#include <stdint.h>

/* LIMIT(name for --limit, default, what it counts) */
#define LIMITS(LIMIT)                                                                                                  \
    LIMIT(count, 16384, "tokens, generators, or saved values of one kind")                                             \
    LIMIT(rank, 64, "dimensions of a tensor")                                                                          \
    LIMIT(output, 268435456, "bytes of C in an output")                                                                \
    LIMIT(expansion, 10000000, "templates and sections beyond one a byte")

/* The most that --limit takes: a count or a dimension still fits its type in generated code. */
#define LIMIT_MOST INT64_C(2147483647)

typedef struct Limits {
#define LIMIT(name, number, about) int64_t name;
    LIMITS(LIMIT)
#undef LIMIT
} Limits;

static inline Limits limits_default(void)
{
    return (Limits){
#define LIMIT(name, number, about) .name = (number),
        LIMITS(LIMIT)
#undef LIMIT
    };
}

#endif /* WRAPGEN_LIMITS_H */
