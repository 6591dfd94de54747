/* SPDX-License-Identifier: MIT */
/*
 * dispatch - a kernel's variants as conditions on numbers: the one form that the proof (prove.h), the generated
 * dispatcher and its miss explainer all work on.
 *
 * A node is an argument, or an item of one that a condition names. A field is a number that a call has: a rank, a size,
 * a dtype, an address, "is contiguous" as 0 or 1; of a float or string the index of a literal, or how many there are
 * for any other. A field of what is not there (a dim beyond the rank, an item beyond the length, null) is -1, and a
 * variant that asks something of it has a clause before that asks it to be there. A clause holds when its field is in
 * its set, or equals another field, or when one of its guards holds: "the stride is 64, or the size is 1".
 *
 * To add a condition: a FieldKind with its domain here and in dispatch.c, what `when` says of it in dispatch_when.c,
 * how it is read in view_dispatch.c and templates/dispatch/field/, a value for it in prove_witness.c.
 */
#ifndef WRAPGEN_DISPATCH_H
#define WRAPGEN_DISPATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/arena.h"
#include "../algebra/intset.h"
#include "../base/table.h"
#include "../../schema/spec.h"

/* FIELD(name, word for people): NUMBER is how values are shown. */
#define DISPATCH_FIELDS(FIELD)                                                                                         \
    FIELD(PRESENT, "presence")                                                                                         \
    FIELD(LENGTH, "length")                                                                                            \
    FIELD(PLAIN, "type")                                                                                               \
    FIELD(DTYPE, "dtype")                                                                                              \
    FIELD(RANK, "number of dimensions")                                                                                \
    FIELD(SIZE, "size")                                                                                                \
    FIELD(STRIDE, "stride")                                                                                            \
    FIELD(ADDRESS, "alignment")                                                                                        \
    FIELD(DEVICE, "device")                                                                                            \
    FIELD(CONTIGUOUS, "layout")                                                                                        \
    FIELD(CHANNELS_LAST, "layout")                                                                                     \
    FIELD(VALUE, "value")

typedef enum FieldKind {
#define FIELD(name, words) FIELD_##name,
    DISPATCH_FIELDS(FIELD)
#undef FIELD
        FIELD_COUNT
} FieldKind;

enum { DISPATCH_NONE = -1, DISPATCH_MAX_GUARDS = 2, DISPATCH_MAX_RANK = 64, DISPATCH_MAX_ITEMS = 64 };

typedef struct DispatchNode {
    const SpecArg *arg;
    const char *path;      /* "ts.0" */
    int32_t parent;        /* a node, DISPATCH_NONE at the top */
    uint32_t index;        /* among the parent's items, or the arguments */
    const char **literals; /* of a float or string: what conditions name */
    uint32_t num_literals;
    int32_t first_field; /* what conditions look at of it, DISPATCH_NONE: nothing */
} DispatchNode;

typedef struct DispatchField {
    FieldKind kind;
    uint32_t node;
    int32_t dimension; /* of SIZE and STRIDE, else DISPATCH_NONE */
    IntSet domain;     /* of what is there */
    int32_t next;      /* of the same node */
} DispatchField;

typedef struct DispatchGuard {
    uint32_t field;
    IntSet set;
    IntSet complement;
} DispatchGuard;

typedef struct DispatchClause {
    uint32_t field;
    int32_t equal_to; /* another field, or DISPATCH_NONE: then `set` counts */
    IntSet set;
    IntSet complement;
    DispatchGuard guards[DISPATCH_MAX_GUARDS];
    uint32_t num_guards;
    const void *said; /* the value in the YAML, for a place; null where several made it */
} DispatchClause;

typedef struct DispatchVariant {
    const SpecVariant *spec; /* null: the declarations */
    DispatchClause *clauses; /* what asks a thing to be there comes before what asks something of it */
    uint32_t num_clauses;
    uint32_t capacity;
} DispatchVariant;

typedef struct Dispatch {
    Arena *arena;
    const Spec *spec;
    const SpecKernel *kernel;
    DispatchNode *nodes; /* the arguments first, in order */
    uint32_t num_nodes;
    Table paths; /* of nodes */
    DispatchField *fields;
    uint32_t num_fields;
    DispatchVariant declared; /* what the declarations ask of every call */
    DispatchVariant *variants;
    uint32_t num_variants;
} Dispatch;

/* Everything lives in the arena; the kernel was validated. Never fails. */
Dispatch *dispatch_new(Arena *arena, const Spec *spec, const SpecKernel *kernel);

/* Adds the node of an argument, or of an item of `parent` (DISPATCH_NONE: an argument): the index-th there. */
uint32_t dispatch_add_node(Dispatch *dispatch, const SpecArg *arg, const char *path, int32_t parent, uint32_t index);

/* The node at a path, made when it is not there yet. */
uint32_t dispatch_node(Dispatch *dispatch, const char *path);

/* The same of a field. */
uint32_t dispatch_field(Dispatch *dispatch, FieldKind kind, uint32_t node, int32_t dimension);

/* DISPATCH_NONE where no condition looks at it. */
int32_t dispatch_find_field(const Dispatch *dispatch, FieldKind kind, uint32_t node, int32_t dimension);

/* The index of a literal of a float or string. */
uint32_t dispatch_literal(Dispatch *dispatch, uint32_t node, const char *text);

/* Adds a clause; one on the same field is narrowed. Clauses that always hold are left out. */
void dispatch_add(Dispatch *dispatch, DispatchVariant *variant, uint32_t field, IntSet set, const void *said);
void dispatch_add_guarded(Dispatch *dispatch, DispatchVariant *variant, const DispatchClause *clause);

/* Drops guards that cannot hold beside the variant's other clauses, and clauses whose guards always do or that the
 * declarations ask anyway. */
void dispatch_simplify(Dispatch *dispatch, DispatchVariant *variant);

/* ---- dispatch_when.c ---- */

void dispatch_add_variant(Dispatch *dispatch, DispatchVariant *variant);
void dispatch_add_inputs(Dispatch *dispatch, DispatchVariant *variant, const SpecGraph *graph, bool devices);
IntSet dispatch_condition(Dispatch *dispatch, const char *text, int64_t min, int32_t *symbol);
IntSet dispatch_dtypes(Dispatch *dispatch, const char *text);
IntSet dispatch_device(Dispatch *dispatch, const char *text);

/* For the proof: what variants that are graphs state of their inputs, behind the variants as two more for each: that of
 * variant i at num_variants + i has what the wrapper tests from `check: cheap` on (or full, where it says so), the one
 * at 2 * num_variants + i the device too. A symbol's variant has none. Expressions of symbols and offsets are left out,
 * and so is what is known of a subclass; the stride of a dim of size 1 counts as little as in conditions. */
void dispatch_add_graphs(Dispatch *dispatch);

/* Asks that the node is there, and everything above it. */
void dispatch_require(Dispatch *dispatch, DispatchVariant *variant, uint32_t node, const void *said);

/* ---- dispatch_plan.c: how the choice is made ---- */

typedef enum DispatchStrategy { STRATEGY_AUTO, STRATEGY_CHAIN, STRATEGY_TREE, STRATEGY_HASH } DispatchStrategy;

/* Variants whose fields `keys` are literals, found by those; all the others one by one behind them. */
typedef struct DispatchPlan {
    DispatchStrategy strategy; /* never AUTO */
    uint32_t keys[4];
    uint32_t num_keys;
    uint32_t *keyed; /* variants in the order of the file */
    uint32_t num_keyed;
    uint32_t *rest;
    uint32_t num_rest;
    uint32_t num_fields; /* when it was made */
    bool *hoisted;       /* by field: every variant asks the same of it, so it is asked once */
    /* of a hash: */
    uint64_t factors[4]; /* odd; the hash is the sum of key * factor, modulo 2^64 */
    uint32_t bucket_bits;
    uint32_t slot_bits;
    uint32_t *displacements; /* by bucket, the hash's highest bits */
    int32_t *slots;          /* by (next bits + displacement): a group, or -1 */
    uint32_t *groups;        /* index into `keyed`, sorted by key, of the first of each group; and the end */
    uint32_t num_groups;
    bool uniform; /* one variant a group, all of the same fields, each one literal: rows of a table */
} DispatchPlan;

DispatchPlan dispatch_plan(Dispatch *dispatch, DispatchStrategy strategy);

/* The literal that a variant's clause without guards asks of a field. */
bool dispatch_literal_of(const DispatchVariant *variant, uint32_t field, int64_t *value);

/* ---- for people ---- */

/* What a variant is called, its symbol or its graph, and the address of that text for a place. */
char *const *dispatch_variant_name(const SpecVariant *variant);

/* A value of a field as the YAML would write it: "float16", "cuda:0", "64", "'fast'". */
const char *dispatch_value_text(const Dispatch *dispatch, uint32_t field, int64_t value);

/* What a field's value i = 0, 1, ... is called where it is no number: "not null", "contiguous", "'fast'". Null behind
 * the last one, and for fields that are numbers, dtypes or devices. */
const char *dispatch_word(const Dispatch *dispatch, uint32_t field, uint32_t i);

/* The constant of wg_core.h that a dtype or device is in C ("WG_FLOAT16"), null for every other number. */
const char *dispatch_value_constant(const Dispatch *dispatch, uint32_t field, int64_t value);

/* Is the field's value a dtype? */
bool dispatch_is_dtype(const Dispatch *dispatch, uint32_t field);

/* "size of dim 0 of 'a'" */
const char *dispatch_field_text(const Dispatch *dispatch, uint32_t field);

/* What a clause asks: "1..8 or a multiple of 16", "float16 or bfloat16" */
const char *dispatch_set_text(const Dispatch *dispatch, uint32_t field, const IntSet *set);

#endif /* WRAPGEN_DISPATCH_H */
