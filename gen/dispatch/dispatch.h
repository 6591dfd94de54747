/* SPDX-License-Identifier: MIT */
/*
 * dispatch - a kernel's variants as conditions on numbers: the one form that the proof (prove.h), the generated
 * dispatcher and its miss explainer all work on.
 *
 * A node is an argument, or an item of one that a condition names. A field is a number that a call has: a rank, a size,
 * a dtype, an address, "is contiguous" as 0 or 1; for a float or string, the index of a literal, or the number of
 * literals for any other value. A field of something that does not exist (a dim beyond the rank, an item beyond the
 * length, null) is -1, and a variant with a condition on it has an earlier clause that requires it to exist. A clause
 * holds when its field is in its set, or equals another field, or when an `unless` of it holds: "the stride is 64,
 * unless the size is 1". A variant's `guards` are fields, too, which follow from others: relations.
 *
 * fields.def lists the fields, and says how to add one.
 */
#ifndef WRAPGEN_DISPATCH_H
#define WRAPGEN_DISPATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/arena.h"
#include "../algebra/expr.h"
#include "../algebra/intset.h"
#include "../base/table.h"
#include "../facts/kinds.h"
#include "../../schema/spec.h"

/* clang-format off */
typedef enum FieldKind {
#define FIELD(NAME, name, words, of, key, values, usual, shown) FIELD_##NAME,
#include "fields.def"
#undef FIELD
    FIELD_COUNT
} FieldKind;
/* clang-format on */

/* What has the field. */
typedef enum FieldOf {
    FIELD_OF_NODE,
    FIELD_OF_LIST,
    FIELD_OF_SCALAR,
    FIELD_OF_TENSOR,
    FIELD_OF_DIM,
    FIELD_OF_PAIR,
    FIELD_OF_LAYOUT,
    FIELD_OF_MACHINE,
    FIELD_OF_CALL
} FieldOf;

/* Which keys hold its very value. */
typedef enum FieldKey {
    FIELD_KEY_NONE,
    FIELD_KEY_HELD,
    FIELD_KEY_SHAPE,
    FIELD_KEY_SIZE,
    FIELD_KEY_STRIDE,
    FIELD_KEY_VALUE,
    FIELD_KEY_SAME
} FieldKey;

typedef enum FieldValues {
    VALUES_TRUTH,
    VALUES_NUMBER,
    VALUES_ADDRESS,
    VALUES_DTYPE,
    VALUES_DEVICE,
    VALUES_BY_KIND, /* of the argument: one of the others, or of these */
    VALUES_INTEGER,
    VALUES_LITERAL
} FieldValues;

/* A line of fields.def. */
typedef struct FieldSpec {
    const char *name;
    const char *words;
    FieldOf of;
    FieldKey key;
    FieldValues values;
    int64_t most;          /* of NUMBER */
    const char *truths[2]; /* of TRUTH */
    int64_t usual;
    const char *shown;
} FieldSpec;

extern const FieldSpec field_specs[FIELD_COUNT];

enum { DISPATCH_NONE = -1, DISPATCH_MAX_UNLESS = 2, DISPATCH_MAX_RANK = 64, DISPATCH_MAX_ITEMS = 64 };

typedef struct DispatchNode {
    const SpecArg *arg;
    const char *path;      /* "ts.0" */
    int32_t parent;        /* a node, DISPATCH_NONE at the top */
    uint32_t index;        /* index among the parent's items, or the arguments */
    const char **literals; /* for a float or string: the literals that conditions name */
    uint32_t num_literals;
    int32_t first_field; /* the fields that conditions read, DISPATCH_NONE: none */
    int32_t *places;     /* those but pairs, by kind and dim, as dispatch.c has it; null: none */
} DispatchNode;

/* A condition over several fields, and what it is called in the YAML. It is true only if it holds and can be computed
 * in 64 bits. */
typedef struct DispatchRelation {
    const Expr *expr; /* its symbols are fields */
    const char *text;
    const char **names; /* of the symbols in the text, in its order */
    uint32_t *fields;   /* the field that each is bound to */
    uint32_t num_names;
    uint32_t num_operands; /* of its expression, operators included: what evaluating it takes */
} DispatchRelation;

typedef struct DispatchField {
    FieldKind kind;
    uint32_t node;     /* of a RELATION or FEATURE: 0 */
    int32_t dimension; /* of a field of a dim; of a PAIR the other node, of a RELATION its index there, of a FEATURE its
                          number; else DISPATCH_NONE */
    IntSet domain;     /* if it exists */
    int32_t next;      /* of the same node */
} DispatchField;

typedef struct DispatchUnless {
    uint32_t field;
    IntSet set;
    IntSet complement;
} DispatchUnless;

typedef struct DispatchClause {
    uint32_t field;
    int32_t equal_to; /* another field, or DISPATCH_NONE: then `set` counts */
    IntSet set;
    IntSet complement;
    DispatchUnless unless[DISPATCH_MAX_UNLESS];
    uint32_t num_unless;
    const void *said; /* the value in the YAML, for a place; null if several made it */
} DispatchClause;

typedef struct DispatchVariant {
    const SpecVariant *spec; /* null: the declarations */
    DispatchClause *clauses; /* a clause that requires a thing to exist comes before conditions on it */
    uint32_t num_clauses;
    uint32_t capacity;
    Table by_field; /* of clauses, while they are added */
    bool says_more; /* it has a guard that none of the clauses is */
    bool trusts;    /* its graph states an expression that none of the clauses is, and does not test it */
} DispatchVariant;

typedef struct Dispatch {
    Arena *arena;
    const Spec *spec;
    const SpecKernel *kernel;
    bool tells_lazy;     /* the host has tensors that are conjugated or negated lazily */
    DispatchNode *nodes; /* the arguments first, in order */
    uint32_t num_nodes;
    Table paths; /* of nodes */
    DispatchField *fields;
    uint32_t num_fields;
    DispatchRelation *relations;
    uint32_t num_relations;
    uint32_t num_operands;    /* of all of them */
    DispatchVariant declared; /* what the declarations require of every call */
    DispatchVariant always;   /* what every variant requires */
    DispatchVariant *variants;
    uint32_t num_variants;
} Dispatch;

/* Everything lives in the arena; the kernel was validated. `tells_lazy`: the host has the verb wg_lazy, or it is not
 * known whether. Never fails. */
Dispatch *dispatch_new(Arena *arena, const Spec *spec, const SpecKernel *kernel, bool tells_lazy);

/* Adds the node of an argument, or of an item of `parent` (DISPATCH_NONE: an argument): the index-th there. */
uint32_t dispatch_add_node(Dispatch *dispatch, const SpecArg *arg, const char *path, int32_t parent, uint32_t index);

/* The node at a path, made when it is not there yet. */
uint32_t dispatch_node(Dispatch *dispatch, const char *path);

/* The same for a field. */
uint32_t dispatch_field(Dispatch *dispatch, FieldKind kind, uint32_t node, int32_t dimension);

/* The field that says whether two tensors are one, of the node that comes last. */
uint32_t dispatch_same_field(Dispatch *dispatch, uint32_t a, uint32_t b);

/* DISPATCH_NONE if no condition reads it. */
int32_t dispatch_find_field(const Dispatch *dispatch, FieldKind kind, uint32_t node, int32_t dimension);

/* dispatch_relation.c: the field of a guard whose symbols are bound to the fields in `field_of`, by symbol. */
uint32_t dispatch_relation(Dispatch *dispatch, const Expr *expr, const char *text, const uint32_t *field_of);

/* The relation that a field is about. */
const DispatchRelation *dispatch_relation_of(const Dispatch *dispatch, uint32_t field);

/* Does it hold for these values of the fields, as far as it can be computed in 64 bits? */
bool dispatch_relation_holds(const DispatchRelation *relation, const int64_t *values);

/* The values of a field, never BY_KIND. */
FieldValues dispatch_values(const Dispatch *dispatch, uint32_t field);

/* dispatch_field.c: all values that a field of that argument can have, if it exists. */
IntSet dispatch_domain(Arena *arena, FieldKind kind, const SpecArg *arg);

/* The index of a literal of a float or string. */
uint32_t dispatch_literal(Dispatch *dispatch, uint32_t node, const char *text);

/* Adds a clause; one on the same field is narrowed. Clauses that always hold are left out. */
void dispatch_add(Dispatch *dispatch, DispatchVariant *variant, uint32_t field, IntSet set, const void *said);
void dispatch_add_clause(Dispatch *dispatch, DispatchVariant *variant, const DispatchClause *clause);

/* Drops what a clause has under `unless` that cannot hold together with the others, and clauses where it always holds
 * or that the declarations require anyway. */
void dispatch_simplify(Dispatch *dispatch, DispatchVariant *variant);

/* What a clause without `unless` says about the field; null: none does. */
const IntSet *dispatch_plain_set(const DispatchVariant *variant, uint32_t field);

/* ---- dispatch_when.c ---- */

void dispatch_add_variant(Dispatch *dispatch, DispatchVariant *variant);
void dispatch_add_always(Dispatch *dispatch, DispatchVariant *variant);
void dispatch_add_inputs(Dispatch *dispatch, DispatchVariant *variant, const SpecGraph *graph, bool devices);
IntSet dispatch_condition(Dispatch *dispatch, const char *text, int64_t min, int32_t *symbol);
IntSet dispatch_dtypes(Dispatch *dispatch, const char *text);
IntSet dispatch_device(Dispatch *dispatch, const char *text);

/* For the proof: what variants that are graphs state about their inputs, as two more variants for each, after the
 * others: the one at num_variants + i has what the wrapper of variant i tests from `check: cheap` on (or full, where
 * noted), the one at 2 * num_variants + i also the device. A variant with a symbol has none. Expressions of symbols and
 * offsets are left out, and so are facts about a subclass and guards about either; the stride of a dim of size 1 is
 * ignored, as in conditions. */
void dispatch_add_graphs(Dispatch *dispatch);

/* Requires the node, and everything above it, to exist. */
void dispatch_require(Dispatch *dispatch, DispatchVariant *variant, uint32_t node, const void *said);

/* ---- dispatch_plan.c: how the choice is made ---- */

typedef enum DispatchStrategy { STRATEGY_AUTO, STRATEGY_CHAIN, STRATEGY_TREE, STRATEGY_HASH } DispatchStrategy;

/* Variants whose fields `keys` are literals are found by those; all others are tried one by one after them. */
typedef struct DispatchPlan {
    DispatchStrategy strategy; /* never AUTO */
    const char *why;           /* it was chosen, for people */
    uint32_t keys[4];
    uint32_t num_keys;
    uint32_t *keyed; /* variants in the order of the file */
    uint32_t num_keyed;
    uint32_t *rest;
    uint32_t num_rest;
    uint32_t num_fields; /* when it was made */
    bool *hoisted;       /* by field: every variant requires the same of it, so it is tested once */
    /* of a hash: */
    uint64_t factors[4]; /* odd; the hash is the sum of key * factor, modulo 2^64 */
    uint32_t bucket_bits;
    uint32_t slot_bits;
    uint32_t *displacements; /* by bucket, the hash's highest bits */
    int32_t *slots;          /* by (next bits + displacement): a group, or -1 */
    uint32_t *groups;        /* index into `keyed`, sorted by key, of the first of each group; and the end */
    uint32_t num_groups;
    bool uniform; /* one variant per group, all with the same fields, each one literal: rows of a table */
} DispatchPlan;

DispatchPlan dispatch_plan(Dispatch *dispatch, DispatchStrategy strategy);

/* The literal that a variant's clause without `unless` requires of a field. */
bool dispatch_literal_of(const DispatchVariant *variant, uint32_t field, int64_t *value);

/* Of the keyed variants from `first` to `end`, which agree in the keys before `depth`, those that also agree with the
 * first in that one: where they end, and the literal. A tree has a case for each such run. */
uint32_t dispatch_branch(const Dispatch *dispatch, const DispatchPlan *plan, uint32_t first, uint32_t end,
                         uint32_t depth, int64_t *value);

/* Is the clause already tested before every variant? */
bool dispatch_is_hoisted(const DispatchPlan *plan, const DispatchClause *clause);

/* Is it left to test for one variant, where the fields `known` were compared with its literals? */
bool dispatch_is_left(const DispatchPlan *plan, const DispatchClause *clause, const uint32_t *known,
                      uint32_t num_known);

/* ---- for people ---- */

/* The name of a variant, its symbol or its graph, and the address of that text for a place. */
char *const *dispatch_variant_name(const SpecVariant *variant);

/* A value of a field as written in the YAML: "float16", "cuda:0", "64", "'fast'". */
const char *dispatch_value_text(const Dispatch *dispatch, uint32_t field, int64_t value);

/* The name of a field's value i = 0, 1, ... if it is not a number: "not null", "contiguous", "'fast'". Null after the
 * last one, and for fields that are numbers, dtypes or devices. */
const char *dispatch_word(const Dispatch *dispatch, uint32_t field, uint32_t i);

/* The constant of wg_core.h for a dtype or device ("WG_FLOAT16"), null for any other number. */
const char *dispatch_value_constant(const Dispatch *dispatch, uint32_t field, int64_t value);

/* "size of dim 0 of 'a'" */
const char *dispatch_field_text(const Dispatch *dispatch, uint32_t field);

/* "size of dim 0 of 'a' is 16" */
const char *dispatch_test_text(Arena *arena, const Dispatch *dispatch, uint32_t field, int64_t value);

/* What a clause requires: "1..8 or a multiple of 16", "float16 or bfloat16" */
const char *dispatch_set_text(const Dispatch *dispatch, uint32_t field, const IntSet *set);

/* "size of dim 1 of 'b' is 1..64, or ...": a clause in the words of a miss, but "'b' is null". */
const char *dispatch_clause_text(Arena *arena, const Dispatch *dispatch, const DispatchClause *clause);

#endif /* WRAPGEN_DISPATCH_H */
