/* SPDX-License-Identifier: MIT */
/*
 * callee - the compiled functions, in words: what each argument and each result is. Made of what lowering noted in the
 * plan (PlanValue), so that it cannot differ from what the wrapper does; the header's table, --emit-contract and
 * --emit-kernel-stub show it.
 */
#ifndef WRAPGEN_CALLEE_H
#define WRAPGEN_CALLEE_H

#include "plan.h"

/* How a plan calls its function: a backward is always called with arrays. */
SpecConvention callee_convention(const Plan *plan);

/* "input", "saved": the role as it is spelt in values.def. */
const char *callee_role(const PlanValue *value);

/* Always null. */
bool callee_is_null(const PlanValue *value);

/* What that value is called in C: "in_x". Distinct among all of one function. */
const char *callee_name(const Plan *plan, const PlanValues *values, uint32_t position);

/* Where it is found: "args[2].tensor", or its name where it is a parameter. */
const char *callee_place(const Plan *plan, const PlanValues *values, uint32_t position);

/* "w, float32[4, 3]; only read: its new value is outs[0].tensor", fit for a comment in C. */
const char *callee_text(const Plan *plan, const PlanValue *value);

/* How many results may be returned in place of all: the symbolic sizes are left out then. 0: all must be. */
uint32_t callee_fewer(const Plan *plan);

#endif /* WRAPGEN_CALLEE_H */
