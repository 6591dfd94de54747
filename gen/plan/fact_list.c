/* SPDX-License-Identifier: MIT */
#include "fact_list.h"

void fact_add(FactList *list, FactRule rule, int32_t dimension, IntegerRef expected)
{
    if (list->count == list->capacity) {
        const uint32_t wider = list->capacity == 0 ? 8 : 2 * list->capacity;
        list->at = arena_grow(list->plan->arena, list->at, list->capacity * sizeof(Fact), wider * sizeof(Fact));
        list->capacity = wider;
    }
    list->at[list->count++] = (Fact){rule, dimension, expected};
}

void fact_add_literal(FactList *list, FactRule rule, int32_t dimension, int64_t expected)
{
    fact_add(list, rule, dimension, (IntegerRef){NULL, expected, 0});
}

void fact_add_rank(FactList *list, const SpecInts *size, const SpecInts *stride)
{
    const SpecInts *ints = size->text != NULL ? size : stride;
    if (ints->text != NULL) {
        fact_add_literal(list, FACT_RANK, -1, ints->text_count);
    }
}

void fact_add_device(FactList *list, int32_t type, int32_t index)
{
    if (type >= 0 && index >= 0) {
        fact_add_literal(list, FACT_DEVICE, -1, (int64_t)type * 256 + index);
    } else if (type >= 0) {
        fact_add_literal(list, FACT_DEVICE_TYPE, -1, type);
    }
}

Operand fact_operand(const FactList *list, const char *role, const char *suffix)
{
    return operand_facts(plan_facts(list->plan, role, suffix, list->at, list->count));
}
