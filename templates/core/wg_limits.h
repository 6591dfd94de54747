/* SPDX-License-Identifier: 0BSD */
/*
 * wg_limits.h - what graphs and variants of kernels take, as constant data that a program can ask before a call: names,
 * dtypes, ranks, and for each dimension which sizes. `wrapgen --emit-limits FILE.h` writes a table of a program's,
 * <prefix>limits[]; nothing else uses it.
 *
 * A call that is outside of a variant's limits is refused by it. One that is within them is taken if `is_whole` and the
 * tensors are contiguous and plain, on the CPU, aligned and share no memory; else more is tested, which the YAML says.
 */
#ifndef WG_LIMITS_H
#define WG_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The multiples of `multiple` from min to max; INT64_MIN and INT64_MAX: no bound. */
typedef struct WgLimitRange {
    int64_t min;
    int64_t max;
    int64_t multiple; /* at least 1 */
} WgLimitRange;

/* One size, or the value of an int or bool: in one of the ranges. If as_argument is not -1, it is also equal to an
 * earlier one: the size of dimension as_dimension of that argument, or its value if as_dimension is -1. */
typedef struct WgLimitNumber {
    const WgLimitRange *ranges;
    uint32_t num_ranges;
    int32_t as_argument;
    int32_t as_dimension;
    const char *text; /* "rows", "s0*4": what the YAML says; null: only what the ranges say */
} WgLimitNumber;

/* Items of lists, tuples and records are arguments of their own if a variant tests them: "opts.rate". */
typedef struct WgLimitArgument {
    const char *name;
    const char *kind;    /* "tensor", "int": the YAML's words */
    int32_t may_be_null; /* and then it has nothing of the rest; always null: no dtypes */
    uint64_t dtypes;     /* of a tensor: a bit for each WgDtype */
    uint64_t ranks;      /* of a tensor: a bit for each number of dimensions, 0 to 63 */
    const WgLimitNumber
        *numbers; /* of a tensor: its sizes, as far as something is known; of an int or bool its value */
    uint32_t num_numbers;
} WgLimitArgument;

typedef struct WgLimitVariant {
    const char *name; /* the C function */
    int32_t is_whole;
    const WgLimitArgument *arguments;
    uint32_t num_arguments;
} WgLimitVariant;

/* A graph, which has one variant, or a kernel, whose variants are tried as the YAML says. */
typedef struct WgLimits {
    const char *name;
    int32_t is_kernel;
    const WgLimitVariant *variants;
    uint32_t num_variants;
} WgLimits;

#ifdef __cplusplus
}
#endif

#endif /* WG_LIMITS_H */
