/* SPDX-License-Identifier: MIT */
/*
 * apart - which variants can never accept the same call, looking at each field alone?
 *
 * Variants share most of their sets of values, so it is sets that are compared, and not each two variants.
 */
#ifndef WRAPGEN_APART_H
#define WRAPGEN_APART_H

#include "dispatch.h"

typedef struct Apart Apart;

/* Lives in the arena, no longer than the dispatch. */
Apart *apart_new(Arena *arena, const Dispatch *dispatch);

/* Looks at one variant, compared with those before it; what was found for another one is forgotten. */
void apart_look(Apart *apart, uint32_t variant);

/* Can the variant looked at and this one before it never accept the same call? */
bool apart_from(const Apart *apart, uint32_t earlier);

#endif /* WRAPGEN_APART_H */
