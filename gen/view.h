/* SPDX-License-Identifier: MIT */
/*
 * view - plans as values for the templates. Everything that a template prints is decided and rendered here,
 * mechanically: an op becomes an object with one key an operand (ops.def), a graph an object with what its functions
 * and structs need.
 */
#ifndef WRAPGEN_VIEW_H
#define WRAPGEN_VIEW_H

#include "kernel.h"
#include "mustache.h"
#include "plan.h"

typedef struct View View;

/* Interns every key that templates may use. */
View *view_new(Arena *arena, MustacheEngine *engine);

/* Makes what follows in another arena, say one that holds a single graph. */
void view_use(View *view, Arena *arena);

/* One graph (backward is null but for training): what templates/graph.mustache and graph_declarations.mustache use. */
Value view_graph(View *view, const Plan *plan, const Plan *backward);

/* Only what graph_declarations.mustache uses of it. */
Value view_declarations(View *view, const Plan *plan, const Plan *backward);

/* One kernel: what templates/kernel.mustache and kernel_declarations.mustache use. */
Value view_kernel(View *view, const Kernel *kernel);

/* The outermost object; more keys are set by view_set_text and view_set. */
Value view_root(View *view);
void view_set(View *view, Value object, const char *key, Value value);
void view_set_text(View *view, Value object, const char *key, const char *text);

/* A value as indented text, for --dump view; keys in the order they were set. */
void view_dump(const View *view, Value value, int indent, Str *out);

/* Is that text one token or access path of C: an identifier, an integer, or identifiers with [number] and .member? The
 * check of `{{x}}` in templates for code. */
bool view_is_token(const char *text, size_t length);

#endif /* WRAPGEN_VIEW_H */
