/* SPDX-License-Identifier: MIT */
/* fact_list - the facts that one test of a tensor looks at, in order. */
#ifndef WRAPGEN_FACT_LIST_H
#define WRAPGEN_FACT_LIST_H

#include "plan.h"

/* Facts are of the plan's arena. */
typedef struct FactList {
    Plan *plan;
    Fact *at;
    uint32_t count;
    uint32_t capacity;
} FactList;

/* dimension -1: of the whole tensor. */
void fact_add(FactList *list, FactRule rule, int32_t dimension, IntegerRef expected);
void fact_add_literal(FactList *list, FactRule rule, int32_t dimension, int64_t expected);

/* The rank that sizes state, or strides; nothing if neither are stated. */
void fact_add_rank(FactList *list, const SpecInts *size, const SpecInts *stride);

/* A device, or with an index of -1 any of that type; with a type of -1 nothing. */
void fact_add_device(FactList *list, int32_t type, int32_t index);

/* The table of these facts (plan_facts). */
Operand fact_operand(const FactList *list, const char *role, const char *suffix);

#endif /* WRAPGEN_FACT_LIST_H */
