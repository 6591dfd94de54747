/* SPDX-License-Identifier: MIT */
/*
 * callee - the compiled functions, in words: what each argument and each result is. It is made from what lowering
 * recorded in the plan (PlanValue), so it cannot differ from what the wrapper does; the header's table, --emit-contract
 * and --emit-kernel-stub show it.
 */
#ifndef WRAPGEN_CALLEE_H
#define WRAPGEN_CALLEE_H

#include "plan.h"

/* How a plan calls its function: a backward is always called with arrays. */
SpecConvention callee_convention(const Plan *plan);

/* The name of the compiled function: null if the graph calls a dispatcher. */
char *callee_symbol(const Plan *plan);

/* "input", "saved": the role as spelled in values.def. */
const char *callee_role(const PlanValue *value);

/* Always null. */
bool callee_is_null(const PlanValue *value);

/* The value's name in C: "in_x". It is distinct within a function. */
const char *callee_name(const Plan *plan, const PlanValues *values, uint32_t position);

/* Where the value is: "args[2].tensor", or its name if it is a parameter. */
const char *callee_place(const Plan *plan, const PlanValues *values, uint32_t position);

/* "w, float32[4, 3]; only read: its new value is outs[0].tensor", fit for a comment in C. */
const char *callee_text(const Plan *plan, const PlanValue *value);

/* What the YAML says of an AOTInductor model, a line each: the bounds of its symbols, its guards, its inputs and
 * outputs. A model is held to it when it is loaded. Returns their number. */
uint32_t callee_expects(const Plan *plan, const char ***lines);

#endif /* WRAPGEN_CALLEE_H */
