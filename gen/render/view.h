/* SPDX-License-Identifier: MIT */
/*
 * view - plans as values for the templates. Everything that a template prints is decided and rendered here,
 * mechanically: an op becomes an object with one key per operand (ops.def), a graph an object with everything that its
 * functions and structs need.
 */
#ifndef WRAPGEN_VIEW_H
#define WRAPGEN_VIEW_H

#include "../dispatch/kernel.h"
#include "mustache.h"
#include "../plan/plan.h"

typedef struct View View;

/* What an object was made from (ValueObject.origin): a mapping of the YAML, and what this part of it does. */
typedef struct ViewOrigin {
    const void *where;
    const char *what;
    bool in_layer; /* an op of a graph's plan, of ... */
    Layer layer;   /* ... this layer */
} ViewOrigin;

/* Interns every key that templates may use, unless they are frozen. */
View *view_new(Arena *arena, MustacheEngine *engine);

/* Switches to another arena, for instance one that holds a single graph. */
void view_use(View *view, Arena *arena);

/* From here on declarations say what compiled functions get and return. */
void view_tell(View *view);

/* All templates are the built-in ones, so what those do not print need not be there. */
void view_plain(View *view);

/* The number of similar ops from which on a graph's wrapper has a loop (fold.h); 0: never. */
void view_loop_from(View *view, uint32_t num_ops);

/* The code that a graph has in common with those that are like it (likeness.h). */
typedef struct ViewSharing {
    const char *symbol; /* the first one's, after which what is shared is named; the graph's own if it shares nothing */
    const char *path;   /* the first one's */
    uint32_t members;   /* how many share, of the first; else 0 */
    bool named;         /* some of them call their inputs, outputs and bases by other names than the first one */
    bool renamed;       /* this one does; false: it is the first, or has the first one's names */
} ViewSharing;

/* One graph (backward is null except for training): what templates/graph.mustache and graph_declarations.mustache
 * use. */
Value view_graph(View *view, const Plan *plan, const Plan *backward, const ViewSharing *sharing);

/* The compiled function of a plan: what templates/stub_function.mustache uses. */
Value view_callee(View *view, const Plan *plan);

/* A variant of a kernel: what templates/stub_variant.mustache uses. */
Value view_variant(View *view, const Kernel *kernel, const char *variant);

/* One kernel: what templates/kernel.mustache and kernel_declarations.mustache use. */
Value view_kernel(View *view, const Kernel *kernel);

/* A graph as a function of a Python module, number `index` of it: what templates/python/graph.mustache and others use.
 * view_python_lacks() is null for it. */
Value view_python(View *view, const Plan *plan, const Plan *backward, uint32_t index);

/* The compiled function of a plan as one that Python may provide, number `index` of the module. */
Value view_python_callee(View *view, const Plan *plan, uint32_t index);

/* Its name and what Python is given and returns: two calls of it with the same text can share what is bound. */
const char *view_python_signature(Arena *arena, const Plan *plan);

/* The types and flattening contexts that a graph names, as two lists of objects whose first key is the name. */
void view_python_types(View *view, const Plan *plan, const Plan *backward, Value *types, Value *contexts);

/* The name of a graph's or kernel's function in Python, which reserves other words than C; of the function for a
 * kernel's key. */
const char *view_python_name(Arena *arena, const char *name);
const char *view_python_key_name(Arena *arena, const Kernel *kernel);

/* A kernel as functions of a Python module, number `index` of it; and its variant number `variant` as a function that
 * Python may provide, number `compiled` of the module. view_python_kernel_lacks() is null for it. */
Value view_python_kernel(View *view, const Kernel *kernel, uint32_t index);
Value view_python_variant(View *view, const Kernel *kernel, const SpecVariant *variant, uint32_t index,
                          uint32_t compiled);
const char *view_python_variant_signature(Arena *arena, const Kernel *kernel, const SpecVariant *variant);
const char *view_python_kernel_lacks(const Kernel *kernel);
bool view_is_python_keyword(const char *name);

/* What a graph has that a Python module cannot give it, null for nothing. */
const char *view_python_lacks(const Plan *plan);

/* The outermost object; more keys are set by view_set_text and view_set. */
Value view_root(View *view);
void view_set(View *view, Value object, const char *key, Value value);
void view_set_text(View *view, Value object, const char *key, const char *text);

/* A value as indented text, for --dump view; keys in the order they were set. */
void view_dump(const View *view, Value value, int indent, Str *out);

/* Is the text one token, access path or index of C: an identifier, an integer, identifiers with [3 + i] and .member?
 * The check of `{{x}}` in templates for code. */
bool view_is_token(const char *text, size_t length);

#endif /* WRAPGEN_VIEW_H */
