/* SPDX-License-Identifier: MIT */
/*
 * portrait - what the code of a graph or kernel is to everybody around it, as lines of text that can be compared: for
 * its callers, for the compiled functions that it calls, and what it does. It is made from plans and from the rendered
 * declarations, so it cannot leave out what the code does.
 *
 * Numbers that a wrapper computes are written out where they are used, "in_x.size(0) + 1", so what symbols are called
 * makes no difference.
 */
#ifndef WRAPGEN_PORTRAIT_H
#define WRAPGEN_PORTRAIT_H

#include "../dispatch/kernel.h"
#include "../plan/plan.h"

typedef enum PortraitPart {
    PART_DECLARED, /* the C that callers see */
    PART_ARITY,    /* how many values a call passes and takes */
    PART_PROVIDED, /* the C of compiled functions, which somebody else writes */
    PART_TAKEN,    /* what each of those gets and returns, after its name */
    PART_CALLS,    /* what a call must be like: a line a test or fact */
    PART_RESULTS,  /* what the results of compiled functions must be like, likewise */
    PART_STEPS,    /* everything else that happens, in order */
    PART_VARIANTS, /* of a kernel, in the order in which they are tried */
    NUM_PARTS
} PortraitPart;

typedef struct PortraitLines {
    const char **at;
    uint32_t count;
    uint32_t capacity;
} PortraitLines;

/* A number that every accepted call has: "in_x.size(0)" is "4". */
typedef struct PortraitPin {
    const char *number;
    const char *literal;
} PortraitPin;

/* A condition that every accepted call meets; its symbols are numbers in `atoms`. */
typedef struct PortraitGuard {
    const char *line;
    const Expr *condition;
} PortraitGuard;

typedef struct Portrait {
    const char *symbol; /* "demo_block" */
    bool is_kernel;
    uint32_t
        family; /* graphs of both versions with the same number differ in names only; the caller sets it, 0: unknown */
    PortraitLines parts[NUM_PARTS];
    PortraitPin *pins;
    uint32_t num_pins;
    uint32_t pins_capacity;
    PortraitGuard *guards;
    uint32_t num_guards;
    PortraitLines atoms; /* numbers that are read: "in_x.size(0)" */
} Portrait;

/* Everything is copied to the arena, declarations too: C as it was rendered, whose comments count for nothing.
 * `backward` is null except for training. */
Portrait *portrait_graph(Arena *arena, const Plan *plan, const Plan *backward, const char *declarations);
Portrait *portrait_kernel(Arena *arena, Kernel *kernel, const char *declarations);

/* portrait_lines.c: appends a line, which is borrowed. */
void portrait_add(Arena *arena, PortraitLines *lines, const char *line);

/* The declarations as lines: those that name one of the functions in `provided` are PART_PROVIDED, those that number
 * values PART_ARITY, all others PART_DECLARED. Numbers that callers only use by name are left out. */
void portrait_declare(Arena *arena, Portrait *portrait, const char *declarations, const char *const *provided,
                      uint32_t num_provided);

#endif /* WRAPGEN_PORTRAIT_H */
