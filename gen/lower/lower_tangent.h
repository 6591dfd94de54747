/* SPDX-License-Identifier: MIT */
/*
 * lower_tangent - tangents, and the flat arguments of the compiled backward that they become; shared by
 * lower_backward.c and lower_tangent.c.
 */
#ifndef WRAPGEN_LOWER_TANGENT_H
#define WRAPGEN_LOWER_TANGENT_H

#include "lower.h"

/* One flat argument of the compiled backward. */
typedef struct Packed {
    bool is_integer;
    bool is_pointer;
    uint32_t slot; /* a temporary, released after the call */
    IntegerRef integer;
    PlanValue value;
} Packed;

typedef struct Packing {
    Packed *items;
    uint32_t num_items;
    uint32_t num_tangents; /* the items before the tokens */
    uint32_t next;         /* free position of call_args */
} Packing;

void packing_add_tensor(Packing *packing, uint32_t slot, PlanValue value);

/* A tangent in the order in which the backward gets them. */
const SpecTangent *tangent_nth(const Lower *lower, uint32_t nth);

/* The slots of the caller's tangents. */
void tangent_add_slots(Lower *lower);

/* Loads them and tests their types. */
void tangent_check_all(Lower *lower);

/* Adds what the compiled backward gets for one of them. */
void tangent_coerce(Lower *lower, Packing *packing, uint32_t nth);

#endif /* WRAPGEN_LOWER_TANGENT_H */
