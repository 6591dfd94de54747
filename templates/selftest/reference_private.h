/* SPDX-License-Identifier: MIT */
/*
 * reference_private - the state of one reference call, shared by reference_arguments.c (what is tested first) and
 * reference.c (everything after that).
 */
#ifndef REFERENCE_PRIVATE_H
#define REFERENCE_PRIVATE_H

#include "evaluate.h"
#include "reference.h"

/* One place of an argument where a symbol stands, and what stands there in this call. */
typedef struct Use {
    const char *name;
    const Expr *expr;
    int32_t code;
    int32_t dimension;
    int64_t found;
} Use;

/* One place of a result where an unbacked symbol stands, and what stands there in this call. */
typedef struct ResultUse {
    const void *result; /* tells results apart: a tensor or a number */
    const char *name;
    const Expr *expr;
    const char *rule;
    int32_t dimension;
    int64_t found;
    bool defines;       /* the symbol is this */
    bool tested;        /* else on the tensor that is made for the caller */
    bool leads_nowhere; /* a stride by which no element is reached */
} ResultUse;

/* One flat value that an argument which is a subclass consists of. */
typedef struct Part {
    SpecKind kind;
    WgValue value;
} Part;

typedef struct Reference {
    WgContext *ctx;
    const Layout *layout;
    const SpecGraph *graph;
    const Call *call;
    ReferenceError *error;
    int64_t *values; /* of symbols */
    bool *bound;
    Symbols symbols; /* both of them */
    WgValue *args;   /* what the caller gave */
    Use *uses;
    uint32_t num_uses;
    uint32_t uses_capacity;
    bool *claimed; /* by symbol: a result was seen that defines it */
    ResultUse *late;
    uint32_t num_late;
    uint32_t late_capacity;
    Part *parts; /* of all inputs that are subclasses, in their order */
    uint32_t num_parts;
    uint32_t parts_capacity;
    uint32_t *first_part;     /* by input */
    WgTensor **waited;        /* by input: what a plain one turned into; else null */
    WgTensor **merged;        /* by synthetic base */
    WgTensor **states;        /* by generator: where a training graph's forward found it */
    const LayoutCall *inside; /* the compiled function */
    WgValue *call_args;       /* what it gets */
    bool *call_arg_owned;     /* must be given back after the call */
    uint32_t num_call_args;
    WgTensor **given; /* by tangent: what came, or what it was turned into */
    WgTensor **held;  /* what was turned, until after the call */
    uint32_t num_held;
    uint32_t held_capacity;
    bool any_grad; /* training: an argument that autograd sees requires grad */
    WgValue *flat; /* what it returned; tensors that are still to be given back */
    size_t num_flat;
    WgValue *results; /* the same by position, subclasses put together */
    WgTensor **final; /* by output: an alias that was made for it */
} Reference;

/* Notes what is wrong and returns false. */
bool reference_fails(Reference *reference, int32_t code, const char *argument);
bool reference_fails_with(Reference *reference, int32_t code, const char *argument, int32_t dimension, int64_t expected,
                          int64_t found);

/* A verb's status; 0 goes on. `argument` is what the error names. */
bool reference_did(Reference *reference, int32_t status, const char *argument);

/* A tensor was returned at that position. */
bool reference_has_result(Reference *reference, size_t position, const char *name);

/* The size or stride that an entry of symbol_args means. */
int64_t reference_symbol_arg(const WgTensor *t, const char *text);

/* Appends what the compiled function gets. */
void reference_give(Reference *reference, WgValue value, bool owned);
bool reference_give_rng(Reference *reference, const WgValue *states);

/* The compiled call in its modes, and its status and count looked at. */
bool reference_call_compiled(Reference *reference, CompiledFunction *compiled, bool training);
/* Puts subclasses together; tensors that are none move on. [first, end): positions. reference_flat.c */
bool reference_wrap(Reference *reference, size_t first, size_t end);
/* Looks at how many values there are, and fills symbolic sizes in that were left out. */
bool reference_count(Reference *reference);
bool reference_set_generator(Reference *reference);
void reference_begin(Reference *reference, WgContext *ctx, const Layout *layout, const LayoutCall *inside,
                     ReferenceError *error);
/* Everything that the compiled function returned and that went nowhere. */
void reference_drop_results(Reference *reference);
void reference_drop_arguments(Reference *reference);

/* What the autograd node does after the call. reference_training.c */
bool reference_training(Reference *reference);
void reference_look_for_grad(Reference *reference);

/* What travels as it is, is an object of its own: outputs before anything is written, then whatever autograd sees, or
 * without it outputs. reference_identity.c */
bool reference_check_identity(Reference *reference);
bool reference_separate(Reference *reference);

/* What gives geometry to another tensor lies in that one's memory. reference_storages.c */
bool reference_check_storages(Reference *reference);

/* A symbol without a value has that one; false: it is not within its bounds. */
bool reference_bind(Reference *reference, const Use *use);

/* Does the expression, of a size or a number that comes back, define a symbol? Asked once of each, in their order.
 * reference_unbacked.c */
bool reference_defines(Reference *reference, const Expr *expr);
/* Something that comes back; kept if an unbacked symbol is stated about it. */
void reference_note(Reference *reference, ResultUse use);
bool reference_define_symbols(Reference *reference);

/* At `full`, that no argument reaches the memory of one that is mutated. reference_overlaps.c */
bool reference_check_overlaps(Reference *reference);

/* What the graph returned for arguments that it mutates, written to them; then the geometry of members of synthetic
 * bases. reference_mutations.c */
bool reference_mutate(Reference *reference);
bool reference_restride_members(Reference *reference);

/* Binds symbols and tests the arguments, as far as the graph's level asks for it. */
bool reference_check_arguments(Reference *reference);

/* What came back, and what becomes of an output, against what is stated. [first, end): positions. reference_stated.c */
bool reference_check_results(Reference *reference, size_t first, size_t end);
bool reference_check_final(Reference *reference, uint32_t output);

/* Alias replay, and the dynamic marks after it. */
bool reference_outputs(Reference *reference);
bool reference_mark_outputs(Reference *reference);

/* Where the tensor is that becomes that output. */
WgTensor **reference_final(Reference *reference, uint32_t output);

#endif /* REFERENCE_PRIVATE_H */
