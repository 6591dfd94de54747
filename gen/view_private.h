/* SPDX-License-Identifier: MIT */
/* view_private - shared by view.c (ops), view_graph.c (graphs), view_kernel.c (kernels) and nobody else. */
#ifndef WRAPGEN_VIEW_PRIVATE_H
#define WRAPGEN_VIEW_PRIVATE_H

#include "view.h"

/* clang-format off */
enum {
#define KEY(key_name) KEY_##key_name,
#include "view_keys.def"
#undef KEY
    KEY_COUNT
};
/* clang-format on */

struct View {
    Arena *arena;
    MustacheEngine *engine;
    Value templates[OP_COUNT]; /* "op/copy_" */
    uint32_t operand_keys[OP_COUNT][OP_MAX_OPERANDS];
    const char **names; /* of the keys, by number, for the dump */
    uint32_t names_count;
};

/* Decimal text; INT64_MIN is spelt by its name. */
const char *view_number(View *view, int64_t number);

void view_put(View *view, Value object, uint32_t key, Value value);
void view_put_text(View *view, Value object, uint32_t key, const char *text);
void view_put_number(View *view, Value object, uint32_t key, int64_t number);
void view_put_bool(View *view, Value object, uint32_t key, bool truth);

/* A list item {value, index, last}. */
void view_push_text(View *view, Value list, const char *text, uint32_t index, bool last);

/* The ops of a list as objects. */
Value view_ops(View *view, const Plan *plan, const OpList *list);

Value view_facts(View *view, const Facts *facts);

/* The constant sites of a plan, as the key `sites`. */
void view_sites(View *view, const Plan *plan, Value object, const char *graph_literal);
/* ---- view_dispatch.c: the choice among a kernel's variants; null where there are none ---- */
Value view_dispatch(View *view, const Kernel *kernel);

/* A name in upper case; text as a C literal with its quotes, NULL for null. */
const char *view_upper(View *view, const char *name);
const char *view_literal(View *view, const char *text);

#endif /* WRAPGEN_VIEW_PRIVATE_H */
