/* SPDX-License-Identifier: MIT */
/* view_private - shared by view.c (ops), view_graph.c (graphs), view_kernel.c (kernels), view_callee.c (compiled
 * functions) only. */
#ifndef WRAPGEN_VIEW_PRIVATE_H
#define WRAPGEN_VIEW_PRIVATE_H

#include "../plan/fold.h"
#include "view.h"

/* clang-format off */
enum {
#define KEY(key_name) KEY_##key_name,
#include "view_keys.def"
#undef KEY
    KEY_COUNT
};
/* clang-format on */

/* How templates call an op. */
typedef struct ViewNames {
    Value template; /* "op/copy_" */
    uint32_t num_operands;
    uint32_t operands[OP_MAX_OPERANDS];
} ViewNames;

struct View {
    Arena *arena;
    Arena *lasting; /* of the run; `arena` may be a graph's */
    MustacheEngine *engine;
    ViewNames *ops[OP_COUNT]; /* see view_names() */
    uint32_t loop_from;       /* see fold_plan() */
    const Fold *fold;         /* of the plan that is being written; null for functions of kernels */
    const FoldRun *run;       /* whose body is being written; null outside of loops */
    uint32_t position;        /* of the op in that body */
    bool shares; /* the code that is being written is that of several graphs: what it calls is the caller's to say */
    bool plain;  /* all templates are the built-in ones, whose keys we know; so, of a graph that follows ... */
    bool brief;  /* ... another, comments and rows about its compiled function are left out */
    bool tells;  /* declarations say what the compiled functions get and return */
};

/* Made when it is first asked for: a graph has few of the ops. */
const ViewNames *view_names(View *view, OpKind kind);

/* Decimal text; INT64_MIN is written by name. */
const char *view_number(View *view, int64_t number);

void view_put(View *view, Value object, uint32_t key, Value value);
void view_put_text(View *view, Value object, uint32_t key, const char *text);
void view_put_number(View *view, Value object, uint32_t key, int64_t number);
void view_put_bool(View *view, Value object, uint32_t key, bool truth);

/* Records what an object was made from. */
void view_originate(View *view, Value object, const void *where, const char *what);

/* A list item {value, index, last}. */
void view_push_text(View *view, Value list, const char *text, uint32_t index, bool last);

/* One op as an object; `last` is the path that was given last, and is updated. Then the ops of a list. */
Value view_op(View *view, const Plan *plan, const Op *op, const char **last);
Value view_ops(View *view, const Plan *plan, const OpList *list);

/* "WgTensor *": a declaration in C up to the name. */
const char *view_c_type(SlotType type);

/* Adds the types and flattening contexts that the ops of both plans name to two lists, each once: {value, ...}. */
void view_named_types(View *view, const Plan *plan, const Plan *backward, Value types, Value contexts);

/* The first op of that kind, including those in bodies, or null. */
const Op *view_find_op(const OpList *list, OpKind kind);

/* Does it compute integers by functions that note an overflow, whether or not one can happen? */
bool view_notes_overflow(const Plan *plan);

/* ---- view_comment.c: what a field is, and what an op is about: its path, less that of the graph, and what is there
 * ---- */
const char *view_input_comment(View *view, const Plan *plan, uint32_t i);
const char *view_output_comment(View *view, const Plan *plan, const SpecOutput *output);
const char *view_place(View *view, const Plan *plan, const char *path);

/* ---- view_loop.c: the ops of a plan, with long runs of similar ops as loops (view->fold) ---- */
Value view_folded_ops(View *view, const Plan *plan);

/* The sites and facts that the ops of the fold's plan name, in `object`, with the tables and arrays of its loops. */
void view_tables(View *view, Value object, const char *graph_literal);

/* A slot as an operand of the op that is being written. */
const char *view_slot(const View *view, const Plan *plan, uint32_t operand, uint32_t slot);

Value view_facts(View *view, const Facts *facts);

/* One site, as in a row of a table. */
Value view_site(View *view, const Site *site, const char *graph_literal);

/* The constant sites of a plan, as the key `sites`. */
void view_sites(View *view, const Plan *plan, Value object, const char *graph_literal);
/* ---- view_graph.c, for view_call.c, too ---- */

/* {value}, or null for 0. */
Value view_array_size(View *view, uint32_t count);

/* The scratch that a context must have for a graph's forward and its backward (null: none), one after the other. */
uint32_t view_scratch_needed(const Plan *plan, const Plan *backward);

/* A run of `count` tensors in an array, at the end of a list. */
void view_push_run(View *view, Value list, const char *array, uint32_t first, uint32_t count);

/* The tensors among `count` slots, which stand in an array from its beginning, as runs. */
Value view_slot_runs(View *view, const Plan *plan, const char *array, uint32_t first_slot, uint32_t count);

/* ---- view_call.c: the typed call of a kernel; null if it does not state its outputs ---- */
Value view_kernel_call(View *view, const Kernel *kernel);

/* What an output is, as a comment: "float32[m, n], contiguous, made by the call on the device of a". */
const char *view_kernel_output_comment(View *view, const SpecKernelOutput *output);

/* ---- view_dispatch.c: the choice among a kernel's variants; null if there are none ---- */
Value view_dispatch(View *view, const Kernel *kernel);

/* The number of arguments that a call of a kernel must pass: up to the last one without a default. */
uint32_t view_num_required(const Kernel *kernel);

/* ---- view_python.c ---- */

/* Python reserves words that C does not; such a name gets an underscore, or as many as make it distinct. */
const char *view_python_distinct(Arena *arena, const char *const *names, uint32_t count, uint32_t i);

/* What a result of that kind is for Python, "WG_PYTHON_TENSOR", and in a stub file, "_torch.Tensor". */

/* A name in upper case; text as a C literal with its quotes, NULL for null. */
const char *view_upper(View *view, const char *name);
const char *view_literal(View *view, const char *text);

#endif /* WRAPGEN_VIEW_PRIVATE_H */
