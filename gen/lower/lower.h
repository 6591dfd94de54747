/* SPDX-License-Identifier: MIT */
/*
 * lower - from a graph's trusted metadata to its plan, one file per wrapper kind:
 *
 *     lower_emit.c       what all of them share: places, sections, names, integers
 *     lower_arguments.c  tests of the arguments; symbols
 *     lower_check_argument.c  what is stated about one tensor that the caller gave
 *     lower_overlap.c    tests that what is mutated shares no memory
 *     lower_synthetic.c  members of synthetic bases merged, and their metadata written back
 *     lower_results.c    what the compiled function returns
 *     lower_positions.c  where each of these values stands
 *     lower_check_results.c  what is stated about results, and about what the caller gets
 *     lower_identity.c   results that are objects of their own
 *     lower_storage.c    results whose geometry is applied to other tensors
 *     lower_unbacked.c   symbols that only a result tells
 *     lower_pack.c       what the compiled function gets
 *     lower_call.c       what is captured, packed and switched around the compiled call, and what it returns
 *     lower_guard.c      conditions among symbols
 *     lower_training.c   what the forward of a training graph does after the call
 *     lower_backward.c   the order of a backward's steps
 *     lower_tangent.c    what a backward is given
 *     lower_coerce.c     tangents of another type converted to the traced one
 *     lower_missing.c    zeros for tangents that are not given, and what the forward keeps for that
 *     lower_subclass.c   subclasses taken apart and put together again
 *     lower_mutation.c   the mutation epilogue
 *     lower_alias.c      output aliases, dynamic marks
 *     lower_delivery.c   delivery, and the release of the rest
 *     family.c           plans of graphs that are alike, made from one of them
 *
 * lower.c calls them in the order in which the wrapper acts. To add a wrapper kind: its keys in schema/, its rules in
 * validate, one lower_<kind>.c, a call in lower_graph(), golden cases.
 */
#ifndef WRAPGEN_LOWER_H
#define WRAPGEN_LOWER_H

#include "../base/diag.h"
#include "../algebra/geometry.h"
#include "../host/host.h"
#include "../facts/missing.h"
#include "../plan/fact_list.h"
#include "../plan/plan.h"

/* A flat argument that an input becomes: a tensor, or a size or stride of one. */
typedef struct FlatArgument {
    uint32_t slot;
    bool is_integer;
    bool is_stride;
    uint32_t dimension;
    bool is_opaque;       /* not a tensor: there is nothing to retain */
    const SpecInts *size; /* stated about a leaf; null: nothing */
    const SpecInts *stride;
} FlatArgument;

typedef struct FlatArguments {
    FlatArgument *at;
    uint32_t count;
    uint32_t capacity;
} FlatArguments;

/* One place in an argument that has an expression of symbols. */
typedef struct SymbolUse {
    uint32_t slot;
    const char *suffix;   /* an identifier that tells arguments apart */
    const char *argument; /* "x", "x.b" */
    const char *path;
    const void *where;
    OpKind read; /* integer_size, integer_stride, integer_offset, integer_nested, or load_integer: the value itself */
    int32_t dimension;
    const Expr *expr;
} SymbolUse;

/* A result that is a size or stride of a subclass, or of an attribute. */
typedef struct Symint {
    uint32_t result;
    const Expr *expr; /* null: an attribute has it, and the returned one is not read */
} Symint;

/* What is stated about one plain tensor: an argument, a result, a base, or a leaf of a subclass. */
typedef struct Statement {
    uint32_t slot;
    const char *suffix;
    const char *argument;
    int32_t dtype;
    int32_t device_type;
    int32_t device_index;
    const SpecInts *size;
    const SpecInts *stride;
    const SpecInt *offset; /* may be null; so may the next */
    const SpecInt *owns;
    const SpecNames *symbol_args;
    int32_t lazy; /* of an argument: WgLazy */
} Statement;

/* A result about which an unbacked symbol is stated: a tensor, or a number where `expr` says what it must be. */
typedef struct LateResult {
    Statement statement; /* of a number its names alone */
    bool tested;         /* else it may define symbols, and what is stated is tested on what the caller gets */
    const char *rule;
    int32_t dimension;
    IntegerRef number;
    const Expr *expr;
    const char *path;
    const void *where;
} LateResult;

/* What is known about a tensor that was made for the caller; null for unknown parts. */
typedef struct Known {
    const Integer **sizes;
    const Integer **strides;
    const Integer *offset;
    int32_t dtype; /* -1: not known; the same for devices */
    int32_t device_type;
    int32_t device_index;
    bool geometry; /* all of it */
} Known;

typedef struct Lower {
    Arena *arena;
    Diag *diag;
    const Host *host;
    const SpecGraph *graph;
    Plan *plan;
    OpList *list;       /* where ops are appended */
    const char *path;   /* where the next ops come from */
    const void *where;  /* the struct of that path */
    Integers *integers; /* values of the plan, hash-consed */
    IntegerRef *named;  /* by Integer id: the local that holds it; name is null until there is one */
    uint32_t named_count;
    uint32_t num_suffixes;
    SymbolUse *uses; /* the places of symbols in the arguments, in order */
    uint32_t num_uses;
    uint32_t uses_capacity;
    Symint *symints; /* results that are symbolic sizes of rebuilt subclasses, in order */
    uint32_t num_symints;
    uint32_t symints_capacity;
    LateResult *late; /* in the order of the results */
    uint32_t num_late;
    uint32_t late_capacity;
    FlatArguments *flat;   /* per input: the parts of a subclass; empty for others */
    uint32_t *value;       /* by position (lower_result_...): the slot of the result, with subclasses rebuilt */
    bool together;         /* so many results and arguments that they are looked at together (lower_identity.c) */
    bool arithmetic;       /* integer arithmetic that may fail was emitted since the last check_overflow */
    IntegerRef *symbols;   /* by symbol: the local that it is bound to; name is null while unbound */
    const Expr **bound_at; /* by symbol: the expression that binds or defines it */
    uint32_t *original;    /* per input: the slot of the caller's tensor in the epilogue: itself, loaded anew, or (with
                              consume_inputs) a kept reference */
    uint32_t *rng_state;   /* per generator state: the slot of the state that a training graph's forward found */
    uint32_t *synthetic;   /* per synthetic base: the slot of the merged tensor, kept for the epilogue */
    bool *checked;         /* by result: check_result was emitted */
    MissingList missing;   /* for a backward */
    uint32_t *given;       /* for a backward: by tangent, its slot, or that of its conversion */
    uint32_t *held;        /* for a backward: temporaries that are released after the call */
    size_t num_held;
    IntegerRef grad; /* whether any argument requires grad, if a training graph's results depend on it */
    uint32_t *final; /* per output: the slot that is delivered */
    bool refused;    /* something that is not generated */
} Lower;

/* One slot that the autograd node returns as a separate tensor (aliases are boxed, so autograd does not see them). */
typedef struct Returned {
    uint32_t slot;
    uint32_t position; /* among the values that the forward returns */
    const char *name;
    const SpecOutput *output; /* null: of an input, or a base */
    bool requires_grad;
    bool boxed; /* a TensorAlias: never marked itself, invisible to the others */
} Returned;

/* Values beyond this live in the context's scratch, not on the stack (8 bytes each). */
enum { STACK_VALUES = 256 };

/* Emits an op with its operands: LOWER_EMIT(lower, copy_, operand_tensor(dst), ...) */
#define LOWER_EMIT(lower, op, ...)                                                                                     \
    plan_emit((lower)->plan, (lower)->list, OP_##op, (lower)->path, (lower)->where,                                    \
              (const Operand[OP_MAX_OPERANDS + 1]){__VA_ARGS__})

/* Says where the next ops come from: a part of the graph ("", ".inputs", ".backward.tangents"), or an element of that
 * list.
 */
#define LOWER_WHOLE UINT32_MAX
void lower_at(Lower *lower, const void *where, const char *part, uint32_t index);

/* Ops emitted from here on belong to that layer and are labelled so; returns the previous section, for
 * lower_resume(). */
const PlanSection *lower_section(Lower *lower, Layer layer);
void lower_resume(Lower *lower, const PlanSection *section);

/* Reports a feature that is not, or cannot be, generated; there will be no plan. */
void lower_refuse(Lower *lower, const void *where, const char *what);

/* The site for a verb of the host. */
Operand lower_host_site(Lower *lower, const char *argument, const char *rule);

/* The caller's tensor, one of `num` that a later part reads. If there are more than a few they are loaded again there:
 * if kept from where they were tested they would fill the registers and then the stack, and a compiler's work on values
 * that are alive at so many exits is not linear (for 1,000 of them, reloading takes a quarter off the run time and a
 * third off compilation). With consume_inputs the call may null arguments, so lower_call.c keeps references instead. */
uint32_t lower_original(Lower *lower, uint32_t i, uint32_t num);

/* A temporary tensor, "<role>_<name>". */
uint32_t lower_temporary(Lower *lower, const char *role, const char *name);

/* A new named integer. */
IntegerRef lower_named_integer(Lower *lower, const char *name);

/* The local or literal that holds a value, computed here if it has not been. */
IntegerRef lower_integer(Lower *lower, const Integer *integer);
IntegerRef lower_expr(Lower *lower, const Expr *expr);

/* The same, operation by operation: in another order a sum may overflow that does not as it is written, or the other
 * way round. */
IntegerRef lower_as_written(Lower *lower, const Expr *expr);

/* Was the host read since the last check of its status (check_host)? */
bool lower_reads_are_unchecked(const Lower *lower);

/* Fails if one of them did. To be done before a compiled function is called, since that begins with errors forgotten.
 */
void lower_check_reads(Lower *lower);

void lower_check_overflow(Lower *lower, const char *argument);

/* The same if the argument's name is not an identifier ("x.a"); `suffix` is one. */
void lower_check_overflow_of(Lower *lower, const char *suffix, const char *argument);

/* Is the graph's `check` that level or a stricter one? */
bool lower_checks(const Lower *lower, SpecCheck level);

/* A suffix of local names that no other call got: `name`, or `name` and a number. */
const char *lower_new_suffix(Lower *lower, const char *name);

/* Every symbol of the expression has a value here. */
bool lower_is_bound(const Lower *lower, const Expr *expr);

/* lower_check_argument.c: tests a plain tensor against what is stated about it: literals here; symbols are recorded for
 * later. */
void lower_statement(Lower *lower, const Statement *statement);
void lower_check_tensor(Lower *lower, uint32_t slot, Operand facts, const Site *site); /* not null, plain, as stated */
void lower_use(Lower *lower, const Statement *statement, OpKind read, int32_t dimension, const Expr *expr);

/* What is tested of a symbol's declared bounds, in this order: ops that take (found, bound, dimension, site). Returns
 * how many there are. */
enum { BOUND_TESTS = 3 };
typedef struct BoundTest {
    OpKind op;
    int64_t bound;
} BoundTest;
uint32_t lower_bound_tests(const SpecSymbol *symbol, BoundTest tests[BOUND_TESTS]);

/* The declared bounds of the symbol that `use` binds to that value. */
void lower_bounds(Lower *lower, const SymbolUse *use, IntegerRef value);

/* Is what is stated about that input tested for itself: not where it is frozen, or a duplicate of one that is? */
bool lower_is_tested(const SpecInput *input);

/* Tests that no data mutation of one input reaches another: PyTorch assumes that these inputs do not overlap. Comes
 * after the inputs are taken apart. */
void lower_overlaps(Lower *lower);

/* The graph's guards, once all symbols are bound (lower_guard.c). */
void lower_guards(Lower *lower);

/* lower_subclass.c: an input taken apart into flat arguments; flat results put together again, at their position. */
void lower_unwrap(Lower *lower, uint32_t input);
void lower_spread(Lower *lower);
void lower_wrap_results(Lower *lower);
uint32_t lower_rebuild(Lower *lower, const SpecSubclass *tree, const char *name, uint32_t *flat);
uint32_t lower_flat_results(Lower *lower, const SpecSubclass *tree, const char *name, PlanValue value);
void lower_add_flat(Lower *lower, FlatArguments *flat, FlatArgument argument);

/* Fails when a tensor that the compiled function must have returned is null; once per slot. `name` may be null. */
void lower_check_result(Lower *lower, uint32_t slot, const char *name);

void lower_check_result_of(Lower *lower, uint32_t slot, const char *suffix, const char *name);
void lower_mark_checked(Lower *lower, uint32_t slot); /* another test has covered it */

/* Has the stride of that dimension an effect, as far as literal sizes tell? */
bool lower_stride_counts(const SpecInts *size, uint32_t dimension);

/* Tests what the compiled function returned against what is stated about it: all of the forward's results, or a tree at
 * a position. */
void lower_check_returned(Lower *lower);
void lower_check_tree(Lower *lower, const SpecSubclass *tree, const char *name, uint32_t position);

/* What is stated about one of them with unbacked symbols, once these are defined; and about a number. */
void lower_check_late(Lower *lower, const Statement *statement);
void lower_check_number(Lower *lower, const Statement *statement, const char *rule, int32_t dimension,
                        IntegerRef number, const Expr *expr);

/* lower_unbacked.c: notes a result, if an unbacked symbol is stated about it. true: its sizes define one, so that they
 * will be read. */
bool lower_is_unbacked(const Lower *lower, const Expr *expr);
bool lower_note_tensor(Lower *lower, const Statement *statement, bool tested);
void lower_note_number(Lower *lower, const Statement *statement, const char *rule, int32_t dimension, IntegerRef number,
                       const Expr *expr);
/* Once all results are noted. */
void lower_define_symbols(Lower *lower);

/* Tests what the caller gets as that output against what is stated about it, unless that follows from what is known. */
void lower_check_delivered(Lower *lower, const SpecOutput *output, uint32_t slot, const Known *known);

/* lower_identity.c: results that are an argument, or one object, become objects of their own, or are an error. */
void lower_check_identity(Lower *lower);
void lower_separate_outputs(Lower *lower);
void lower_separate_returned(Lower *lower, const Returned *returned, uint32_t count); /* of a training graph */

/* lower_storage.c: where geometry is taken from a result, it lies in the memory that the geometry is applied to. */
void lower_check_storages(Lower *lower);

/* The stages, in order. */
void lower_arguments(Lower *lower);
void lower_synthetic_bases(Lower *lower);
void lower_call(Lower *lower);
void lower_training(Lower *lower);
void lower_any_grad(Lower *lower); /* lower_training.c; before the call, which may take the arguments */
void lower_mutations(Lower *lower);
void lower_aliases(Lower *lower);
void lower_member_metadata(Lower *lower);
void lower_delivery(Lower *lower);

/* The YAML name of an inner argument. */
const char *lower_inner_name(const Lower *lower, const InnerArg *arg);

/* Positions in what the compiled function returns. */
uint32_t lower_result_mutated(const Lower *lower, uint32_t nth);
uint32_t lower_result_output(const Lower *lower, uint32_t output);
uint32_t lower_result_member(const Lower *lower, uint32_t nth);
uint32_t lower_result_base(const Lower *lower, uint32_t base);
uint32_t lower_result_rng(const Lower *lower);
uint32_t lower_result_saved(const Lower *lower, uint32_t nth);

/* One argument of the compiled function (lower_pack.c). */
typedef enum SourceKind {
    SOURCE_ARGUMENT,
    SOURCE_NULL,
    SOURCE_TEMPORARY, /* only needed for the call */
    SOURCE_KEPT,      /* needed by the epilogue, too */
    SOURCE_POINTER,   /* an object of the host: a generator */
    SOURCE_INTEGER
} SourceKind;

typedef struct ArgumentSource {
    SourceKind kind;
    uint32_t slot; /* argument or temporary */
    IntegerRef integer;
} ArgumentSource;

typedef struct Sources {
    ArgumentSource *at;
    uint32_t count;
} Sources;

/* lower_coerce.c: a tangent, or a part of one, or its conversion; a null `tree`, or a leaf, means plain. */
uint32_t lower_coerced(Lower *lower, uint32_t slot, const SpecSubclass *tree, const char *suffix, const char *argument);
/* The owned temporary of a backward stays alive until the compiled function has returned. */
void lower_hold(Lower *lower, uint32_t slot);

/* lower_missing.c: the forward's part; the tangent that the backward continues with, and, in *zeros, the tensor that
 * was made. */
void lower_shapes(Lower *lower);
uint32_t lower_given_tangent(Lower *lower, const Missing *missing, uint32_t nth, const char *name, uint32_t *zeros);

Sources lower_sources(Lower *lower);

/* The profiler's range, from the entry of a forward to just before the compiled call; for hosts that have one. */
bool lower_has_range(const Lower *lower);
void lower_begin_range(Lower *lower);
/* Per input: whether the compiled function gets a detached tensor. */
bool *lower_detached(const Lower *lower);
bool lower_sources_are_arguments(const Lower *lower, const Sources *sources);
void lower_pack(Lower *lower, const Sources *sources);

/* Declares every result of the forward (lower_results.c). */
void lower_results(Lower *lower);

/* Shared by forward and backward: declare results, then plan arrays, then make the call and check its count.
 */
void lower_add_result(Lower *lower, SlotType type, const char *name, PlanValue value);
void lower_arrays(Lower *lower, uint32_t num_call_args, bool packs);
void lower_clear_results(Lower *lower);

/* The graph's own generator of that index, as a slot; forward and backward have different ones. */
uint32_t lower_generator(Lower *lower, uint32_t index);

/* The operand that names that array, or NULL, since an array without elements does not exist. */
Operand lower_array_name(const char *name, uint32_t num_elements);
OpList *lower_enter_modes(Lower *lower, OpKind scope);
void lower_check_call(Lower *lower);

/* The plan of a training graph's backward; the forward's plan was made before. */
Plan *lower_backward(Arena *arena, Diag *diag, const Spec *spec, uint32_t graph_index, const Host *host,
                     const char *prefix);

/* Prepares a zeroed Lower for a new plan, and finishes the plan: pruned and verified; null when something was
 * reported. */
void lower_begin(Lower *lower, Arena *arena, Diag *diag, const Spec *spec, uint32_t graph_index, const Host *host,
                 const char *prefix);
Plan *lower_end(Lower *lower);

/* The plan of one graph, pruned and verified; null when something was reported. */
Plan *lower_graph(Arena *arena, Diag *diag, const Spec *spec, uint32_t graph_index, const Host *host,
                  const char *prefix);

#endif /* WRAPGEN_LOWER_H */
