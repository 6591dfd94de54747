/* SPDX-License-Identifier: 0BSD */
/*
 * wg_dispatch.h - what generated dispatchers share: layouts, literals, and the tables that explain a miss.
 *
 * The tables say the same as the generated conditions; only wg_dispatch.c reads them, and it is cold. A field is a
 * number taken from the call (a rank, a size, the index of a string among literals), or -1 when there is none.
 */
#ifndef WG_DISPATCH_H
#define WG_DISPATCH_H

#include <string.h>

#include "wg_core.h"
#include "wg_cpu.h"
#include "wg_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The multiples of `multiple` from min to max. */
typedef struct WgDispatchRange {
    int64_t min;
    int64_t max;
    int64_t multiple;
} WgDispatchRange;

/* Holds when the field is in one of the ranges; with `equal_to` >= 0, when it equals that field. */
typedef struct WgDispatchAlternative {
    int32_t field;
    int32_t equal_to;
    uint32_t first_range;
    uint32_t num_ranges;
} WgDispatchAlternative;

/* Holds when an alternative does; the first is what the YAML says, the others are exceptions. */
typedef struct WgDispatchClause {
    uint32_t first_alternative;
    uint32_t num_alternatives;
    const char *expected; /* in words */
} WgDispatchClause;

typedef struct WgDispatchVariant {
    const char *symbol;
    uint32_t first_asked; /* in the table's `asked` */
    uint32_t num_asked;
} WgDispatchVariant;

/* A symbol of a guard. */
typedef struct WgDispatchSymbol {
    const char *name;
    int32_t field; /* what it is bound to */
} WgDispatchSymbol;

typedef struct WgDispatchField {
    const char *name;  /* "size of dim 0 of 'a'", "guard 's0 < s1'" */
    int32_t kind;      /* WgKind of its value */
    const char *words; /* names of 0, 1, ..., one string after another, then an empty one; NULL: numbers */
    const WgDispatchSymbol *symbols; /* of a guard; else NULL */
    uint32_t num_symbols;
} WgDispatchField;

typedef struct WgDispatchTable {
    const char *kernel;
    const WgDispatchField *fields;
    const WgDispatchRange *ranges;
    const WgDispatchAlternative *alternatives;
    const WgDispatchClause *clauses;   /* no duplicates; nor among ranges and alternatives */
    const uint32_t *asked;             /* numbers of clauses, variant after variant */
    const WgDispatchVariant *variants; /* after the last: what the declarations ask of every call */
    uint32_t num_variants;
} WgDispatchTable;

/* Why the variant was chosen, or why none was: one line, always terminated when capacity > 0; returns the length that a
 * large enough buffer would have held. The nearest variant is the one with the fewest failing conditions, the first in
 * the file among equals; its first failing condition is named with what was expected and found. */
size_t wg_dispatch_explain(const WgDispatchTable *table, const int64_t *fields, char *buffer, size_t capacity);

/* For wg_error_text(), which has written `length` characters: the same about an error WG_E_NO_VARIANT, after "; ", or
 * nothing if the error does not say. Returns the length as above, of everything. */
size_t wg_dispatch_reason(const WgError *error, char *buffer, size_t capacity, size_t length);

/* Records WG_E_NO_VARIANT for a call that no variant accepts; expected and found are those of the nearest variant. */
int32_t wg_dispatch_fail(WgContext *ctx, const WgSite *site, const WgDispatchTable *table, const int64_t *fields);

/* [is_contiguous()] of a tensor; null strides are compact. */
static inline int wg_is_contiguous(int32_t rank, const int64_t *sizes, const int64_t *strides)
{
    return strides == NULL || wg_is_in_format(WG_CONTIGUOUS, rank, sizes, strides);
}

/* [is_contiguous(memory_format=torch.channels_last)]; null strides are compact. */
static inline int wg_is_channels_last(int32_t rank, const int64_t *sizes, const int64_t *strides)
{
    int64_t compact[4];
    if (rank != 4) {
        return 0;
    }
    if (strides == NULL) {
        wg_format_strides(WG_CONTIGUOUS, rank, sizes, compact);
    }
    return wg_is_in_format(WG_CHANNELS_LAST, rank, sizes, strides != NULL ? strides : compact);
}

/* The index of the literal that equals the value, or the number of literals. */
static inline int64_t wg_find_string(const char *value, const char *const *literals, size_t num_literals)
{
    size_t i = 0;
    while (i < num_literals && strcmp(value, literals[i]) != 0) {
        i++;
    }
    return (int64_t)i;
}

/* The same for a float; literals are given by their bits. */
static inline int64_t wg_find_real(double value, const int64_t *literals, size_t num_literals)
{
    size_t i = 0;
    while (i < num_literals && !wg_is_real(value, literals[i])) {
        i++;
    }
    return (int64_t)i;
}

#ifdef __cplusplus
}
#endif

#endif /* WG_DISPATCH_H */
