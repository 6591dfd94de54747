/* SPDX-License-Identifier: MIT */
/*
 * plan - a wrapper as straight-line operations: the heart of the generator. Lowering makes it from a graph's metadata;
 * the verifier, the dump, the view and everything else that explains or proves something read it. ops.def lists the
 * operations.
 *
 * A plan is one C function (its core, shared by the typed and the boxed entry). Values live in slots:
 *
 *     args[i]      what the caller passed, borrowed (with consume_inputs: owned by the wrapper from the call on)
 *     call_args[i] what the compiled function gets, if that differs from args
 *     results[j]   what it returned, each tensor an owned reference
 *     temporaries  owned references that ops made
 *     outs[i]      what the caller gets
 *
 * Every op knows the YAML path it came from. Ops that can fail name a site; nothing that can fail comes after the first
 * delivery, so a failure releases everything alive and delivers nothing.
 */
#ifndef WRAPGEN_PLAN_H
#define WRAPGEN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/arena.h"
#include "../facts/derive.h"
#include "../algebra/integer.h"
#include "../base/str.h"
#include "../base/table.h"
#include "../../schema/spec.h"

/* clang-format off */
typedef enum OpKind {
#define OP(name, effect, operands) OP_##name,
#include "ops.def"
#undef OP
    OP_COUNT
} OpKind;
/* clang-format on */

/* clang-format off */
typedef enum Layer {
#define LAYER(name, wraps, what) LAYER_##name,
#include "layers.def"
#undef LAYER
    LAYER_COUNT
} Layer;
/* clang-format on */

typedef struct LayerSpec {
    const char *name;
    bool wraps;
    const char *what;
} LayerSpec;

extern const LayerSpec layer_specs[LAYER_COUNT];

typedef enum OperandType {
    OPERAND_NONE,
    OPERAND_TENSOR,
    OPERAND_INTEGER,
    OPERAND_INTEGERS,
    OPERAND_REAL,
    OPERAND_COUNT,
    OPERAND_TEXT,
    OPERAND_NAME,
    OPERAND_SITE,
    OPERAND_FACTS,
    OPERAND_GEOMETRY,
    OPERAND_DTYPE,
    OPERAND_FLAG,
    OPERAND_VALUES,
    OPERAND_DIMS,
    OPERAND_SITES
} OperandType;

typedef enum OperandRole { OPERAND_USE, OPERAND_DEF, OPERAND_OWN, OPERAND_END } OperandRole;

enum { OP_MAX_OPERANDS = 8 };

/* The table of ops holds its texts: a pointer to each would have to be relocated at each start. */
enum { OP_NAME = 24, OP_EFFECT = 120 };

/* One operand, as declared in ops.def. */
typedef struct OperandSpec {
    char name[OP_NAME]; /* also its key in the template */
    OperandType type;
    OperandRole role;
    bool is_place; /* in an array: repeated ops may each have it one further */
} OperandSpec;

typedef struct OpSpec {
    char name[OP_NAME];
    char effect[OP_EFFECT];
    OperandSpec operands[OP_MAX_OPERANDS + 1]; /* ends with an empty name */
} OpSpec;

extern const OpSpec op_specs[OP_COUNT];

bool op_has_body(OpKind kind);
uint32_t op_num_operands(OpKind kind);

/* Does it call the compiled function, or a variant? */
bool op_is_call(OpKind kind);

/* Does it only compare, and fail or not? */
bool op_is_test(OpKind kind);

typedef enum SlotRole {
    SLOT_ARGUMENT,
    SLOT_RESULT,
    SLOT_TEMPORARY,
    SLOT_BORROWED, /* part of another tensor: declared where it is defined, never released */
    SLOT_CONSTANT  /* NULL, or an integer: a parameter of a direct call; or a member of a kernel's arguments */
} SlotRole;
typedef enum SlotType { SLOT_TENSOR, SLOT_INTEGER, SLOT_REAL, SLOT_POINTER } SlotType;

typedef struct Slot {
    SlotRole role;
    SlotType type;
    uint32_t index;   /* the position of an argument or result; a constant integer's number in the plan */
    const char *text; /* as C: "in_x", "results[2].tensor", "view_y" */
    const char *name; /* its name in the YAML, for people */
    bool owned;       /* holds a reference that the wrapper must release or give away */
} Slot;

/* A literal, or a named local. */
typedef struct IntegerRef {
    const char *name; /* null: a literal */
    int64_t literal;
    uint32_t id; /* for a named one: its number in the plan */
} IntegerRef;

typedef struct IntegerRefs {
    const IntegerRef *at;
    uint32_t count;
} IntegerRefs;

typedef enum FactRule {
    FACT_DTYPE,
    FACT_RANK,
    FACT_SIZE,
    FACT_STRIDE,
    FACT_OFFSET,
    FACT_DEVICE,
    FACT_DEVICE_TYPE,
    FACT_ALIGNMENT,
    FACT_LAZY
} FactRule;

/* What is stated about a tensor (WgFact): literals for an argument; for a result, values of symbols too. */
typedef struct Fact {
    FactRule rule;
    int32_t dimension; /* -1: none */
    IntegerRef expected;
} Fact;

typedef struct Facts {
    const char *symbol; /* of the table: "facts_x" */
    const Fact *at;
    uint32_t count;
    bool literal; /* everything is literal: the table is a constant of the function; else it is made where it is read */
} Facts;

/* A constant place that can fail (WgSite). Sites in a plan with the same argument and rule are the same. */
typedef struct Site {
    const char *symbol;   /* "site_dtype_x" */
    const char *argument; /* YAML name, or null */
    const char *rule;     /* a word of ours, or null */
    const char *code;     /* "WG_E_DTYPE" */
    const char *kind;     /* "WG_KIND_DTYPE" */
} Site;

/* The argument of wg_alias_as and similar verbs. */
typedef struct PlanGeometry {
    IntegerRefs sizes;
    IntegerRefs strides;
    IntegerRef offset;
    bool literal;      /* everything is literal: a constant table */
    int32_t size_from; /* take the sizes of this slot at run time; -1: as listed */
    int32_t stride_from;
} PlanGeometry;

typedef struct Operand {
    OperandType type;
    union {
        uint32_t slot; /* OPERAND_TENSOR */
        IntegerRef integer;
        IntegerRefs integers;
        int64_t bits; /* OPERAND_REAL: of a double */
        int64_t count;
        const char *text; /* OPERAND_TEXT, OPERAND_NAME */
        const Site *site;
        const Facts *facts;
        const PlanGeometry *geometry;
        int32_t dtype; /* -1: the base's */
        bool flag;
        const uint32_t *slots;    /* OPERAND_VALUES, num of them */
        const int64_t *dims;      /* OPERAND_DIMS, num of them */
        const Site *const *sites; /* OPERAND_SITES, num of them */
    } as;
    uint32_t num;
} Operand;

typedef struct OpList OpList;

/* A part of a layer: the ops made while this is the plan's section belong to it. */
typedef struct PlanSection {
    Layer layer;
    const char *path;
    const void *where;
} PlanSection;

/* clang-format off */
typedef enum ValueRole {
#define VALUE(role, stem, words) VALUE_##role,
#include "values.def"
#undef VALUE
    VALUE_COUNT
} ValueRole;
/* clang-format on */

/* One argument or result of the compiled function: everything that its author has to know. */
typedef struct PlanValue {
    ValueRole role;
    SlotType type;
    SpecKind kind;        /* if it has one; else SPEC_KIND_UNSET */
    const char *name;     /* the YAML name that it belongs to: "x", or "x.a" for a part; null: none */
    bool part;            /* of a subclass */
    bool optional;        /* a tensor that may be null */
    uint32_t number;      /* its dimension, or which of its kind */
    uint32_t index;       /* its index in the graph's list for that role */
    int32_t dtype;        /* -1: not stated */
    const SpecInts *size; /* null, or without text: not stated */
    const SpecInts *stride;
    SpecMemoryFormat format; /* for a tangent, instead of the stride */
    bool in_place;           /* the compiled function writes into it */
    bool has_updated;        /* instead, it returns the new value as the result `updated` */
    uint32_t updated;
} PlanValue;

typedef struct PlanValues {
    PlanValue *at;
    uint32_t count;
    uint32_t capacity;
} PlanValues;

typedef struct Op {
    OpKind kind;
    Layer layer;
    const PlanSection *section;
    const char *path;  /* YAML path: "graphs[0].inputs[1]" */
    const void *where; /* the loaded struct of that path, for diagnostics */
    Operand operands[OP_MAX_OPERANDS];
    OpList *body; /* null unless the kind has one */
    struct Op *next;
} Op;

struct OpList {
    Op *first;
    Op *last;
};

typedef struct Plan {
    Arena *arena;
    const Spec *spec;
    const SpecGraph *graph; /* null: a function of a kernel */
    uint32_t graph_index;
    bool backward;      /* the backward of a training graph, else its forward (or an inference graph) */
    const char *symbol; /* prefix and name: "demo_block" */
    const char *path;   /* "graphs[0]"; plan_graph_path */
    GraphFacts facts;

    uint32_t num_args; /* what the core gets: inputs, or surviving tangents */
    uint32_t num_outs; /* what it delivers: outputs, or gradients */

    Slot *slots;
    uint32_t num_slots;
    uint32_t slots_capacity;
    uint32_t first_argument; /* slot of args[0]; the others follow */
    uint32_t first_result;   /* slot of results[0]; the others follow */
    uint32_t num_results;    /* how many the compiled function must return */
    uint32_t num_fewer;      /* how many it may return instead, without the symbolic sizes; 0: all must be returned */
    uint32_t capacity;       /* how many it has room for (lower_arrays) */
    uint32_t num_call_args;
    PlanValues arguments;  /* what the compiled function gets */
    PlanValues returns;    /* what it returns: num_results of them */
    uint32_t num_integers; /* named ones */

    Site **sites;
    Table site_names; /* symbol to index in sites */
    uint32_t num_sites;
    uint32_t sites_capacity;
    Facts **fact_tables;
    Table fact_names; /* stated facts, byte by byte, to index in fact_tables */
    uint32_t num_fact_tables;
    uint32_t fact_tables_capacity;

    OpList ops;
    uint32_t num_ops;
    const PlanSection *section; /* for the ops that are made next */
    bool layers[LAYER_COUNT];   /* that take part */

    bool packs_arguments; /* the compiled function gets call_args, not args */
    bool direct_results;  /* it writes into outs: there is no results array */
    bool consumes;        /* the wrapper may give away the arguments' references (consume_inputs) */
    uint32_t *hung; /* of a training graph's forward: the positions, among the values that it returns, of those that it
                       says require grad or not, in that order */
    uint32_t num_hung;
    uint32_t *asked; /* of a training graph's forward: the arguments that make results require grad if one of them does:
                        inputs, then synthetic bases */
    uint32_t num_asked;
    uint32_t num_shapes;     /* numbers that a training graph's forward keeps of its results (missing.h) */
    uint32_t scratch;        /* values of the context's scratch for the arrays; 0: they are on the stack */
    uint32_t scratch_before; /* values that are taken, and given back, before the arrays are */
} Plan;

/* What comments and plans call the place of a graph: "graphs[0]", or by its name where the Spec says so. */
const char *plan_graph_path(Arena *arena, const Spec *spec, uint32_t graph_index);

/* An empty plan of a graph, without slots. */
Plan *plan_new(Arena *arena, const Spec *spec, uint32_t graph_index, const char *prefix);

/* An empty plan of a kernel's function. */
Plan *plan_new_function(Arena *arena, const Spec *spec, const char *symbol, const char *path);

/* Adds a slot; its text and name are borrowed. */
uint32_t plan_slot(Plan *plan, SlotRole role, SlotType type, uint32_t index, const char *text, const char *name);

/* Appends a value; `values` is one of the plan's lists. */
void plan_value(Plan *plan, PlanValues *values, PlanValue value);

/* The site for that argument and rule, made at its first use. `argument` may be null. The rule is a word without
 * '_'. */
const Site *plan_site(Plan *plan, const char *argument, const char *rule, const char *code, const char *kind);

/* The same when the argument is not an identifier ("x.b"): its site is named after `suffix`. */
const Site *plan_site_of(Plan *plan, const char *suffix, const char *argument, const char *rule, const char *code,
                         const char *kind);

/* The same, with a separate text instead of the rule for people to read ("rank 1..4"). */
const Site *plan_site_saying(Plan *plan, const char *suffix, const char *argument, const char *rule, const char *code,
                             const char *kind, const char *text);

/* The table of what is stated about a tensor, named "<role>_<suffix>"; `at` is borrowed. */
const Facts *plan_facts(Plan *plan, const char *role, const char *suffix, const Fact *at, uint32_t count);

/* The slot type for a value of that kind. */
SlotType plan_slot_type(SpecKind kind);
const char *plan_slot_member(SlotType type); /* of WgValue */

/* Appends an op. The operands are copied; there must be as many as in ops.def, and OPERAND_NONE after
 * them. Null: none. */
Op *plan_emit(Plan *plan, OpList *list, OpKind kind, const char *path, const void *where, const Operand *operands);

Operand operand_tensor(uint32_t slot);
Operand operand_integer(IntegerRef integer);
Operand operand_literal(int64_t value);
Operand operand_integers(const IntegerRef *at, uint32_t count);
Operand operand_real(int64_t bits);
Operand operand_count(int64_t count);
Operand operand_text(const char *text);
Operand operand_name(const char *name);
Operand operand_site(const Site *site);
Operand operand_facts(const Facts *facts);
Operand operand_geometry(const PlanGeometry *geometry);
Operand operand_dtype(int32_t dtype);
Operand operand_flag(bool flag);
Operand operand_values(const uint32_t *slots, uint32_t num);
Operand operand_dims(const int64_t *dims, uint32_t num);
Operand operand_sites(const Site *const *sites, uint32_t num);

/* Removes loads and integers that no op reads. */
void plan_prune(Plan *plan);

/* Puts an op `section` before every op whose layer differs from the previous op's. */
void plan_label(Plan *plan);

/* How many values of the context's scratch a call needs at once; null: none. */
uint32_t plan_scratch(const Plan *plan);

/* The wrappers that take part, outermost first: "dedup_wrapper > runtime_wrapper_orchestration". */
const char *plan_chain(const Plan *plan);

/* The layer of that name; false: there is none. */
bool plan_layer(const char *name, Layer *layer);

/* An operand as --dump plan writes it: a name in the generated C, a number, "{dtype float32, rank 2}". */
void plan_operand_text(const Plan *plan, const Operand *operand, Str *out);

/* "size[0]": what a fact is about. */
void plan_fact_text(const Fact *fact, Str *out);

/* Writes an operand; `ctx` is the caller's. */
typedef void (*PlanPutOperand)(void *ctx, const Plan *plan, const Operand *operand, Str *out);

/* An op as its effect in ops.def, with each operand's name replaced by what `put` writes for it:
 * "in_w.copy_(results[0].tensor)". Operands that the effect leaves out follow in parentheses, except sites and what is
 * there for messages only. */
void plan_sentence(const Plan *plan, const Op *op, PlanPutOperand put, void *ctx, Str *out);

/* The text form, one op per line, for people and golden tests: one layer's part, or all of it (LAYER_COUNT). */
void plan_dump(const Plan *plan, Layer layer, Str *out);

/* Checks that a plan is well-formed: operand types, definition before use, each owned reference released or given away
 * exactly once on the way to success, nothing that can fail after the first delivery. Returns null, or what is wrong (a
 * bug in lowering, never a mistake of the user). */
const char *plan_verify(const Plan *plan);

#endif /* WRAPGEN_PLAN_H */
